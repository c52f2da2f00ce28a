//! The claim of a weights file: `[provenance]` with the hold-out games of start and tuned weights, and everything that
//! is needed to replay them. It names no other file. This module must not play.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Document, Unresolved};
use super::weights_file::{INSTEAD_OF, TUNED};
use super::{
    ConfigError, Source, check_name, check_openings, check_range, check_resamples, weights_file,
};
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{self, PlayerSpec};
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::results::{PairedDifference, Selection, Validation, Verdict};
use tiletune_tuning::stats::looks::MOST_LOOKS;

/// The claim in `[provenance]`, written by a campaign or by hand. Other keys of the table are not interpreted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Seed of the campaign, or any other number. It determines the seed of the resamples.
    pub seed: u64,
    /// The objective of the campaign, by which the weights are compared.
    pub objective: Objective,
    /// The player with all of its options except for a heuristic, which the weights file contains.
    pub player: player::PlayerConfig,
    /// The weights that the tuned weights are compared with: the start weights of the campaign, or others.
    pub start: BTreeMap<String, f64>,
    /// The verdict on the tuned weights against the start weights, by the objective.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The objective at each stage of the campaign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// The hold-out games; `None` if none are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_out: Option<HoldOut>,
}

/// The hold-out games and their results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoldOut {
    /// Commands for the reader of the file; they are not interpreted.
    #[serde(flatten)]
    pub commands: Option<Commands>,
    /// Name of the start weights; `None` for the start weights of the campaign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Number of games of each set of weights.
    pub games: u32,
    /// Seed of the games, as in `evaluate --seed`.
    pub seed: u64,
    /// Bootstrap resamples for the intervals.
    pub resamples: u32,
    /// Number of the look at the search, from 1. The intervals of later looks are wider.
    #[serde(default = "first_look", skip_serializing_if = "is_first_look")]
    pub look: u32,
    #[serde(flatten)]
    pub figures: Figures,
}

fn first_look() -> u32 {
    1
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_first_look(look: &u32) -> bool {
    *look == first_look()
}

/// Commands that replay the games of a weights file. They exist only for players of the command line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Commands {
    /// Plays the claim again.
    pub replay: String,
    /// Plays the games of the tuned weights.
    pub evaluate: String,
}

/// What was measured in hold-out games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// Mean result of the tuned weights.
    pub mean: f64,
    pub standard_error: f64,
    /// Mean result of the start weights.
    pub start_mean: f64,
    /// Tuned - start.
    #[serde(flatten)]
    pub difference: Difference,
    /// The same in the objective of the campaign.
    pub objective: OfObjective,
}

/// The hold-out games in the objective of the campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OfObjective {
    /// The objective in words with its unit.
    pub measure: String,
    /// Its value for the tuned weights.
    pub tuned: f64,
    /// Its value for the start weights.
    pub start: f64,
    /// Tuned - start.
    #[serde(flatten)]
    pub difference: Difference,
}

/// A difference tuned - start; without ends if too few games differ for an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    pub difference: f64,
    /// Lower end of its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_low: Option<f64>,
    /// Upper end of its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_high: Option<f64>,
    /// Two-sided p value of the exact sign test; `None` if there is an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_sign_test: Option<f64>,
}

impl From<&PairedDifference> for Difference {
    fn from(difference: &PairedDifference) -> Self {
        Difference {
            difference: difference.mean,
            difference_low: difference.low,
            difference_high: difference.high,
            p_sign_test: difference.p_sign_test,
        }
    }
}

impl From<&Validation> for Figures {
    fn from(validation: &Validation) -> Self {
        let objective = &validation.objective;
        Figures {
            mean: validation.tuned.mean,
            standard_error: validation.tuned.standard_error,
            start_mean: validation.start.mean,
            difference: (&validation.difference).into(),
            objective: OfObjective {
                measure: objective.name.clone(),
                tuned: objective.tuned,
                start: objective.start,
                difference: (&objective.difference).into(),
            },
        }
    }
}

/// The checked claim of a weights file. It can be replayed.
#[derive(Clone)]
pub struct ClaimedWeights {
    pub player: PlayerSpec,
    pub start: Weights,
    /// The weights of the file.
    pub tuned: Weights,
    pub claim: Claim,
    pub hold_out: HoldOut,
}

/// The keys of `[provenance]` that a replay needs.
const NEEDED: [&[&str]; 11] = [
    &["seed"],
    &["objective"],
    &["player", "name"],
    &["start"],
    &["hold_out", "games"],
    &["hold_out", "seed"],
    &["hold_out", "resamples"],
    &["hold_out", "mean"],
    &["hold_out", "standard_error"],
    &["hold_out", "difference"],
    &["hold_out", "objective"],
];

/// The table of a weights file that contains the claim.
const TABLE: &str = "provenance";

/// The part of a weights file that this module reads.
#[derive(Deserialize)]
struct File {
    provenance: Claim,
}

/// Reads the claim of a weights file of a player of the catalogue.
///
/// # Errors
/// With the position: if the text is not a weights file, has no claim or one in another form, its player does not
/// exist, or a value does not fit the player.
pub fn read(catalogue: &Catalogue, source: &Source) -> Result<ClaimedWeights, ConfigError> {
    let (_, of_file, tuned) = weights_file::parse_with(catalogue, source)?;
    let document = Document::parse(source)?;
    check_form(&document)?;
    let File { provenance: claim } = document.read()?;
    let resolved = resolve(catalogue, &of_file, tuned, claim).within([TABLE]);
    resolved.map_err(|error| document.place(Unresolved::Field(error)))
}

fn check_form(document: &Document) -> Result<(), ConfigError> {
    if document.has(&[TABLE, INSTEAD_OF]) {
        let message = format!(
            "these are the start weights of a run; the claim is that of its tuned weights: replay the run directory, or \
             `{TUNED}` beside this file"
        );
        return Err(document.mistake_at(&[TABLE, INSTEAD_OF], message));
    }
    if !document.has(&[TABLE, "hold_out"]) {
        let message = "these weights have no recorded claim to replay: the file has no table \
                       `[provenance.hold_out]`";
        return Err(document.mistake_at(&[TABLE], message));
    }
    let is_missing = |path: &&&[&str]| !document.has(&[&[TABLE], **path].concat());
    let missing = NEEDED.iter().filter(is_missing);
    let missing: Vec<String> = missing
        .map(|path| format!("`{}`", path.join(".")))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        let message = format!(
            "the claim is recorded in another form and cannot be replayed: `[provenance]` has no {}",
            missing.join(", ")
        );
        Err(document.mistake_at(&[TABLE], message))
    }
}

fn resolve(
    catalogue: &Catalogue,
    of_file: &PlayerSpec,
    tuned: Weights,
    claim: Claim,
) -> Result<ClaimedWeights, FieldError> {
    let player = catalogue
        .player_at_settings(&claim.player)
        .within(["player"])?;
    let entry = of_file.entry;
    if (player.entry.name, player.entry.game.name) != (entry.name, entry.game.name) {
        let message = format!(
            "the claim is about player `{}` of game `{}`, but the weights are for `{}` of `{}`",
            player.entry.name, player.entry.game.name, entry.name, entry.game.name
        );
        return Err(FieldError::new(["player"], message));
    }
    let player = match of_file.extension() {
        Some(heuristic) => player.with_heuristic(heuristic.table())?,
        None => player,
    };
    if !claim.objective.fits(&player) {
        let message = format!(
            "objective `{}` does not fit the game: {}",
            claim.objective,
            Objective::allowed(&player)
        );
        return Err(FieldError::new(["objective"], message));
    }
    let start = Weights::new(claim.start.clone(), &player.parameters()).within(["start"])?;
    player
        .check_at_key(&start, start.keys())
        .within(["start"])?;
    let Some(hold_out) = claim.hold_out.clone() else {
        return Err(FieldError::new(["hold_out"], "there are no hold-out games"));
    };
    check_games(&hold_out, &player).within(["hold_out"])?;
    Ok(ClaimedWeights {
        player,
        start,
        tuned,
        claim,
        hold_out,
    })
}

fn check_games(hold_out: &HoldOut, player: &PlayerSpec) -> Result<(), FieldError> {
    if let Some(with) = &hold_out.with {
        check_name("with", with)?;
    }
    check_range("games", hold_out.games, 1..=10_000_000)?;
    check_range("resamples", hold_out.resamples, 100..=1_000_000)?;
    check_resamples(hold_out.resamples, hold_out.games)?;
    check_range("look", hold_out.look, 1..=MOST_LOOKS)?;
    check_openings("games", hold_out.games, player.players())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::player::options::HEURISTIC;
    use tiletune_engine::player::{PlayerConfig, PlayerOption};

    /// A weights file with a claim. `from` is replaced by `to`.
    fn file(from: &str, to: &str) -> String {
        let text = r#"
game = "2048"
player = "expectimax"
[weights]
empty = 2.5
[provenance]
campaign = "test"
seed = 3
objective = "mean-score"
verdict = "better"
player = { name = "expectimax", game = "2048", depth = 0, cutoff = 0.0 }
start = { empty = 1.0 }
[provenance.hold_out]
replay = "tiletune replay best.toml"
evaluate = "tiletune evaluate"
games = 10
seed = 5
resamples = 200
mean = 20.5
standard_error = 1.5
start_mean = 10
difference = 10.5
p_sign_test = 0.5
[provenance.hold_out.objective]
measure = "mean score (points)"
tuned = 20.5
start = 10.0
difference = 10.5
difference_low = 1.0
difference_high = 20.0
"#;
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    }

    fn read_text(text: &str) -> Result<ClaimedWeights, ConfigError> {
        read(&Catalogue::builtin(), &Source::new("x.toml", text))
    }

    #[test]
    fn a_claim_is_read_with_all_of_its_figures() {
        let claimed = read_text(&file("", "")).unwrap();
        assert_eq!(claimed.player.describe(), "expectimax, depth 0, cutoff 0");
        assert_eq!(claimed.start.get("empty"), Some(1.0));
        assert_eq!(claimed.tuned.get("empty"), Some(2.5));
        let figures = &claimed.hold_out.figures;
        assert_eq!(
            (figures.start_mean, figures.difference.p_sign_test),
            (10.0, Some(0.5))
        );
        assert_eq!(figures.difference.difference_low, None);
        assert_eq!(figures.objective.difference.difference_low, Some(1.0));
        // The written form can be read.
        let table = toml::Table::try_from(&claimed.claim).unwrap();
        assert_eq!(table.try_into::<Claim>().unwrap(), claimed.claim);
    }

    #[test]
    fn what_cannot_be_replayed_is_refused_with_the_reason() {
        let refused = |from: &str, to: &str, part: &str| {
            let message = read_text(&file(from, to))
                .err()
                .map(|error| error.to_string());
            let message = message.unwrap_or_default();
            assert!(message.contains(part), "{to}: {message}");
        };
        let text = file("", "");
        let (without, _) = text.split_once("[provenance]").unwrap();
        let message = read_text(without).err().unwrap().to_string();
        assert!(message.contains("no recorded claim to replay"), "{message}");
        refused(
            "resamples = 200\n",
            "",
            "another form and cannot be replayed: `[provenance]` has no `hold_out.resamples`",
        );
        refused(
            "player = { name = \"expectimax\", game = \"2048\", depth = 0, cutoff = 0.0 }",
            "player = \"expectimax, depth 0\"",
            "`player.name`",
        );
        refused(
            "player = { name = \"expectimax\"",
            "player = { name = \"expectmax\"",
            "did you mean `expectimax`?",
        );
        refused(
            "player = { name = \"expectimax\", game = \"2048\", depth = 0, cutoff = 0.0 }",
            "player = { name = \"greedy\", game = \"2048\" }",
            "the weights are for `expectimax`",
        );
        refused("depth = 0", "depth = 99", "depth 99 is out of range");
        refused(
            "start = { empty = 1.0 }",
            "start = { emty = 1.0 }",
            "unknown weight `emty`",
        );
        refused("mean-score", "mean-points", "does not fit the game");
        refused("games = 10", "games = 0", "games 0 is out of range");
        refused("mean = 20.5", "mean = 'x'", "expected a number");
    }

    #[test]
    fn full_requests_name_every_option_and_stay_the_same_player() {
        let catalogue = Catalogue::builtin();
        for entry in catalogue.players() {
            let asked = PlayerConfig::new(entry.name, Some(entry.game.name));
            let player = catalogue.player(&asked).unwrap();
            let full = player.full_config();
            let again = catalogue.player(&full).unwrap();
            for option in entry.options {
                let [one, other] = [&player, &again].map(|one| one.options.value(option));
                assert_eq!(one, other, "{}: {}", entry.name, option.key);
            }
            // The depth of opponents must be missing if they take none. There is no heuristic.
            let given = |key: &str| full.options.iter().any(|(known, _)| known == key);
            let is_missing =
                |option: &&PlayerOption| option.is_stored_at_default && !given(option.key);
            let missing = entry.options.iter().filter(is_missing);
            let missing: Vec<&str> = missing.map(|option| option.key).collect();
            assert!(
                missing
                    .iter()
                    .all(|key| ["opponent_depth", HEURISTIC].contains(key)),
                "{missing:?}"
            );
        }
    }
}
