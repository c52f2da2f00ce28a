//! The comparisons in the provenance of a weights file: the search depths, and the other weights.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::provenance::{Difference, OfObjective};
use super::weights_file::WeightsFile;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::suggestion;

/// A comparison of the weights of a file with others on common games.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RecordedComparison {
    /// The limits of the search of both.
    #[serde(flatten)]
    pub search: SearchLimits,
    /// Name of the other weights.
    pub with: String,
    /// Number of games of each set of weights.
    pub games: u64,
    /// Mean result of the weights of the file.
    pub mean: f64,
    /// Mean result of the others.
    pub with_mean: f64,
    /// `mean - with_mean`.
    #[serde(flatten)]
    pub difference: Difference,
}

/// The limits of a search.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct SearchLimits {
    /// A number or `"adaptive"`.
    pub depth: Option<Value>,
    /// Probability below which chance nodes are not searched.
    pub cutoff: Option<f64>,
    /// Several depths or cut-offs, at each of which a part of the games was played. The results are then geometric
    /// means over them.
    pub depths: Option<Vec<Value>>,
    pub cutoffs: Option<Vec<Value>>,
}

impl SearchLimits {
    /// The list, and the name of its values.
    pub fn several(&self) -> Option<(&'static str, &[Value])> {
        let depths = self.depths.as_ref().map(|list| ("depths", &list[..]));
        depths.or_else(|| self.cutoffs.as_ref().map(|list| ("cut-offs", &list[..])))
    }
}

/// The key of comparisons that people write.
const COMPARED: &str = "compared";

/// The keys of such a comparison.
const KEYS: [&str; 10] = [
    "with",
    "depth",
    "cutoff",
    "games",
    "mean",
    "with_mean",
    "difference",
    "difference_low",
    "difference_high",
    "p_sign_test",
];

/// A comparison of tuned weights with the start weights of the campaign, or with others that have a name.
#[derive(Deserialize)]
struct AgainstStart {
    with: Option<String>,
    games: u64,
    mean: f64,
    start_mean: f64,
    #[serde(flatten)]
    difference: Difference,
    objective: Option<OfObjective>,
}

/// The same at another depth than that of the campaign.
#[derive(Deserialize)]
struct AtDepth {
    depth: Value,
    #[serde(flatten)]
    against: AgainstStart,
}

/// The comparisons of a weights file: the hold-out games first, then those at other depths, then
/// `[[provenance.compared]]`. Records of a campaign in another form are left out.
///
/// # Errors
/// If `compared`, which people write, is not a list of comparisons.
pub fn comparisons(file: &WeightsFile) -> Result<Vec<RecordedComparison>, FieldError> {
    let Some(provenance) = &file.provenance else {
        return Ok(Vec::new());
    };
    let player: Option<SearchLimits> = recorded(provenance, "player");
    let hold_out: Option<AgainstStart> = recorded(provenance, "hold_out");
    let deeper: Option<Vec<AtDepth>> = recorded(provenance, "deeper");
    let compared = compared(provenance)?;
    let start = if provenance.contains_key("campaign") {
        "start of the campaign"
    } else {
        "start weights"
    };
    let cutoff = player.as_ref().and_then(|player| player.cutoff);
    let own = player.zip(hold_out);
    let own = own.map(|(search, against)| against.comparison(search, start));
    let deeper = deeper
        .into_iter()
        .flatten()
        .map(|AtDepth { depth, against }| {
            let depth = Some(depth);
            let search = SearchLimits {
                depth,
                cutoff,
                ..SearchLimits::default()
            };
            against.comparison(search, start)
        });
    Ok(own.into_iter().chain(deeper).chain(compared).collect())
}

/// The value of a key of the provenance; `None` if it has another form.
fn recorded<T: DeserializeOwned>(provenance: &Table, key: &str) -> Option<T> {
    provenance.get(key)?.clone().try_into().ok()
}

/// The comparisons that people have written.
fn compared(provenance: &Table) -> Result<Vec<RecordedComparison>, FieldError> {
    let Some(value) = provenance.get(COMPARED) else {
        return Ok(Vec::new());
    };
    let mistake = |reason: &str| {
        let message = format!(
            "`provenance.compared` must be a list of tables with `with`, `games`, `mean`, `with_mean` and \
             `difference`, as docs/replay.md describes them: {reason}"
        );
        FieldError::new(["provenance", COMPARED], message)
    };
    let keys = value.as_array().into_iter().flatten();
    let mut keys = keys.filter_map(Value::as_table).flat_map(Table::keys);
    if let Some(unknown) = keys.find(|key| !KEYS.contains(&key.as_str())) {
        return Err(mistake(&suggestion::unknown("key", unknown, &KEYS)));
    }
    let compared = value.clone().try_into();
    compared.map_err(|error| mistake(error.message()))
}

impl AgainstStart {
    /// `start` is the name of the start weights if the record has none.
    fn comparison(self, search: SearchLimits, start: &str) -> RecordedComparison {
        // The mean of games at different settings says nothing.
        let several = self.objective.filter(|_| search.several().is_some());
        let (mean, with_mean, difference) = match several {
            Some(of) => (of.tuned, of.start, of.difference),
            None => (self.mean, self.start_mean, self.difference),
        };
        RecordedComparison {
            search,
            with: self.with.unwrap_or_else(|| start.to_owned()),
            games: self.games,
            mean,
            with_mean,
            difference,
        }
    }
}
