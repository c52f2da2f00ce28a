//! Campaigns of rows whose weights are tuned again before they play. A campaign starts at the weights of the row. It
//! has no hold-out games, because the row plays its games on seeds that no campaign uses.

use super::place::RowPlace;
use super::row::{Retuned, Row};
use super::sensitivity::named;
use super::{ExperimentConfig, RetuneConfig, RowConfig, RowRetune};
use crate::config::campaign::{self, Campaign};
use crate::config::document::Unresolved;
use crate::config::heuristic_file::HeuristicConfig;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::Parameter;
use tiletune_engine::heuristic::terms::{Term, active};
use tiletune_engine::heuristic::weights::Weights;

const MOST_SEEDS: usize = 100;

/// The message about settings of campaigns that no row has.
const NOT_USED: &str = "no row is tuned again; a [[generate]] table with kind = \"each-left-out\" can have \
                        retune = true";

/// The seeds of the campaigns.
pub(super) fn seeds(settings: &RetuneConfig, seed: u64) -> Result<Vec<u64>, FieldError> {
    let seeds = settings.seeds.clone().unwrap_or(vec![seed]);
    let wrong = |message: String| Err(FieldError::new(["retune", "seeds"], message));
    let count = seeds.len();
    if !(1..=MOST_SEEDS).contains(&count) {
        return wrong(format!("{count} seeds are out of range: 1 to {MOST_SEEDS}"));
    }
    let is_twice = |(index, seed): &(usize, &u64)| seeds[..*index].contains(seed);
    match seeds.iter().enumerate().find(is_twice) {
        Some((_, seed)) => wrong(format!("seed {seed} is given twice")),
        None => Ok(seeds),
    }
}

/// Keys of the parameters that are tuned. One term of the weights may be switched off.
pub(super) fn tuned(
    settings: &RetuneConfig,
    weights: &Weights,
    without: Option<&Term>,
    parameters: &[Parameter],
) -> Result<Vec<String>, FieldError> {
    let is_left = |key: &str| without.is_none_or(|term| !term.has(key));
    let chosen = match &settings.parameters {
        Some(keys) => named(keys.iter().filter(|key| is_left(key)), weights, parameters)
            .map_err(|error| error.within(["retune"]))?,
        None => active(weights, parameters),
    };
    let keys = chosen.into_iter().map(|known| known.key.clone());
    let keys: Vec<String> = keys.filter(|key| is_left(key)).collect();
    if keys.is_empty() {
        let without = without.map(|term| format!(" without `{}`", term.name));
        let message = format!(
            "nothing is left to tune{}",
            without.as_deref().unwrap_or_default()
        );
        return Err(FieldError::new(["retune", "parameters"], message));
    }
    Ok(keys)
}

/// Adds the campaigns of the rows that are tuned, with the defaults of their settings filled in.
pub(super) fn fill_in(
    config: &mut ExperimentConfig,
    rows: &mut [Row],
    planned: &[(RowPlace, RowConfig)],
) -> Result<(), Unresolved> {
    let asked = || planned.iter().enumerate();
    let asked =
        asked().filter_map(|(index, (place, row))| Some((index, *place, row.retune.as_ref()?)));
    let asked: Vec<(usize, RowPlace, &RowRetune)> = asked.collect();
    let Some((_, first, _)) = asked.first() else {
        return match config.retune {
            Some(_) => Err(FieldError::new(["retune"], NOT_USED).into()),
            None => Ok(()),
        };
    };
    let mut settings = first.file.retune.clone();
    settings.seeds = Some(first.file.retune_seeds.clone());
    for (index, place, retune) in asked {
        let of = rows.iter().position(|row| row.name == retune.of);
        let of = of.ok_or_else(|| {
            let message = format!("there is no row `{}`", retune.of);
            place.error(&["retune", "of"], message)
        })?;
        let campaign = campaign(place, config, &rows[index], retune)?;
        settings.evaluation = campaign.config.evaluation.clone();
        settings
            .optimizer
            .name
            .clone_from(&campaign.config.optimizer.name);
        settings.optimizer.options = campaign.config.optimizer.options.clone();
        rows[index].retuned = Some(Retuned { of, campaign });
    }
    config.retune = Some(settings);
    Ok(())
}

fn campaign(
    place: RowPlace,
    config: &ExperimentConfig,
    row: &Row,
    retune: &RowRetune,
) -> Result<Campaign, Unresolved> {
    let file = place.file;
    let settings = file.retune.clone();
    let keys = retune.parameters.iter().cloned();
    let asked = campaign::CampaignConfig {
        why: format!(
            "Tunes the weights of `{}` for the experiment `{}`.",
            row.name, config.name
        ),
        name: format!("{}-retuned", config.name),
        seed: retune.seed,
        player: row.player.without_heuristic().config(),
        heuristic: HeuristicConfig::of(&row.player),
        evaluation: settings.evaluation,
        optimizer: settings.optimizer,
        budget: campaign::Budget {
            games: Some(settings.games),
            ..campaign::Budget::default()
        },
        validation: campaign::ValidationConfig {
            games: 0,
            ..campaign::ValidationConfig::default()
        },
        start: campaign::Start {
            values: row.weights.to_map(),
            games: Some(0),
            ..campaign::Start::default()
        },
        require: Vec::new(),
        parameters: keys.map(|key| (key, Default::default())).collect(),
    };
    campaign::resolve(file.catalogue, asked, file.folder).map_err(|error| match error {
        Unresolved::Field(error) => placed(error, place).into(),
        file => file,
    })
}

/// Moves an error of a row's campaign to the settings that cause it.
fn placed(error: FieldError, place: RowPlace) -> FieldError {
    let mut path = error.path.iter().map(String::as_str);
    let key = match path.next() {
        Some("evaluation" | "optimizer") => return error.within(["retune"]),
        Some("budget") => "games",
        Some("seed") => "seeds",
        Some("parameters") => "parameters",
        _ => return place.error(&["retune"], error.message),
    };
    FieldError::new(["retune", key], error.message)
}
