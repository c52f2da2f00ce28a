//! The weights files of a series: the weights of the winner of the race with the provenance of a campaign and of the
//! series, and the recommended weights.

use serde::Serialize;

use super::place;
use crate::campaign::{Recommendation, WeightsFiles, at_bounds, recorded_selection, write_weights};
use crate::config::campaign::Campaign;
use crate::config::series::Series;
use crate::config::weights_file::TUNED;
use crate::run::{RunDirectory, StoreError};
use tiletune_tuning::results::series::SeriesResults;
use tiletune_tuning::results::{Selection, Validation};

/// The table `[provenance.series]`.
#[derive(Serialize)]
struct SeriesProvenance {
    repeat: u32,
    /// The run whose weights these are, from 1.
    run: Option<u32>,
    run_seed: Option<u64>,
    /// Number of training games of all runs.
    training_games: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hold_out: Option<HoldOutProvenance>,
}

/// The objective of the campaign in the hold-out games.
#[derive(Serialize)]
struct HoldOutProvenance {
    /// The value of each run, in order.
    values: Vec<f64>,
    mean: f64,
    between_runs_sd: f64,
    noise_sd: f64,
    beyond_noise_sd: f64,
}

/// The recommendation of the series: these values, with the search of the winner.
///
/// # Panics
/// If the race is not decided.
pub(super) fn recommendation(
    series: &Series,
    directory: &RunDirectory,
    results: &SeriesResults,
    values: &[f64],
) -> Result<Recommendation, StoreError> {
    let campaign = &series.campaign;
    let winner = results.winner().expect("the race is decided");
    let run = RunDirectory::open(&directory.path(&place(winner.run)))?;
    let selection = recorded_selection(&run)?;
    Ok(Recommendation {
        weights: campaign.weights(values),
        start: campaign.start.clone(),
        values: values.to_vec(),
        generations: winner.generations,
        games: winner.training_games,
        best_seen: None,
        selection: selection.map(|of_run| {
            let race = winner.race.map(|race| race.value);
            Selection::new(of_run.best_seen, of_run.last_mean, race)
        }),
        at_bounds: at_bounds(&campaign.space, values),
    })
}

pub(super) fn write(
    campaign: &Campaign,
    directory: &RunDirectory,
    results: &SeriesResults,
    recommendation: &Recommendation,
    validation: Option<&Validation>,
) -> Result<(), StoreError> {
    let mut file = recommendation.file(campaign, validation);
    let of_series = toml::Table::try_from(provenance(results));
    let of_series =
        of_series.map_err(|error| StoreError::damaged(&directory.path(TUNED), error))?;
    let all = file.provenance.get_or_insert_default();
    all.insert("series".into(), of_series.into());
    let (repeat, name) = (results.repeat, &campaign.config.name);
    let winner = results.winner.unwrap_or_default();
    let whose = format!("of run {winner} of the {repeat} runs of the tiletune campaign `{name}`");
    let files = WeightsFiles {
        whose: &whose,
        start: &campaign.start,
        tuned: &file,
        earlier: None,
    };
    write_weights(campaign, directory, files, validation)
}

fn provenance(results: &SeriesResults) -> SeriesProvenance {
    let winner = results.winner();
    let runs = results.runs.iter();
    let values = runs.clone().filter_map(|run| run.hold_out);
    SeriesProvenance {
        repeat: results.repeat,
        run: results.winner,
        run_seed: winner.map(|run| run.seed),
        training_games: runs.map(|run| run.training_games).sum(),
        hold_out: results.spread.map(|spread| HoldOutProvenance {
            values: values.map(|measured| measured.value).collect(),
            mean: spread.mean,
            between_runs_sd: spread.between_runs_sd,
            noise_sd: spread.noise_sd,
            beyond_noise_sd: spread.beyond_noise_sd,
        }),
    }
}
