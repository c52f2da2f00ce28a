//! Verification of a series: its results against its games and runs, and its own games played again. Its
//! runs are verified as campaigns.

use super::{hold_out, place, results};
use crate::campaign::{self, HoldOutGames, race_table, recorded_validation};
use crate::config::series::Series;
use crate::run::games_table::GamesTable;
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::{RunDirectory, RunError, StoreError};
use tiletune_engine::stop::Stop;
use tiletune_tuning::results::Validation;

/// Compares the results with the games and the runs.
pub(super) fn compare_files(
    series: &Series,
    directory: &RunDirectory,
    stop: Stop,
    replay: &mut Replay,
) -> Result<(), RunError> {
    let results = results(series, directory, stop)?;
    if directory.manifest()?.status == Status::Complete {
        replay.compare_file(directory, "series.json", &results)?;
    }
    let recorded: Option<Validation> = directory.read_json(campaign::VALIDATION)?;
    if let (Some(recorded), Some(winner)) = (recorded, results.recommended) {
        let tuned = hold_out::name(winner);
        let mut validation = recorded_validation(&series.campaign, directory, None, &tuned, stop)?;
        let value = validation.objective.tuned;
        validation.selection = recorded.selection.map(|one| one.with_hold_out(value));
        replay.compare_file(directory, campaign::VALIDATION, &validation)?;
    }
    Ok(())
}

/// The tables of games of the series itself.
pub(super) fn tables<'a>(
    series: &'a Series,
    directory: &'a RunDirectory,
) -> Result<Vec<GamesTable<'a>>, RunError> {
    let campaign = &series.campaign;
    let mut tables = Vec::new();
    if directory.race_part().exists() {
        let values = move || {
            let of_run = |run| Ok((run - 1, values_of(series, directory, run)?));
            // The finalists are counted from 0.
            series.numbers().map(of_run).collect()
        };
        tables.push(race_table(campaign, directory, values)?);
    }
    let games = |name| HoldOutGames::new(campaign, directory, None, name);
    tables.extend(games(hold_out::START.to_owned()).table(|| Ok(campaign.start.clone()))?);
    for run in series.numbers() {
        let weights = move || Ok(campaign.weights(&values_of(series, directory, run)?));
        tables.extend(games(hold_out::name(run)).table(weights)?);
    }
    Ok(tables)
}

/// The values of the parameters that a run recommends.
fn values_of(series: &Series, directory: &RunDirectory, run: u32) -> Result<Vec<f64>, StoreError> {
    let child = RunDirectory::open(&directory.path(&place(run)))?;
    let tuned = campaign::load(&series.run(run), &child)?.tuned;
    let missing = || StoreError::damaged(child.root(), "the run has no recommended weights");
    tuned.ok_or_else(missing)
}
