//! Verification of a series: its results against its games and runs, and its own games played again. Its
//! runs are verified as campaigns.

use super::{hold_out, place, results};
use crate::campaign;
use crate::config::campaign::Campaign;
use crate::config::series::Series;
use crate::evaluation::Evaluator;
use crate::heuristic::weights::Weights;
use crate::record::{GameRecord, Phase, Validation};
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::rows::{self, KeyedGame};
use crate::run::verify::{Numbers, Verify};
use crate::run::{Control, Part, RunDirectory, RunError, StoreError};

impl<E: Evaluator> Verify<E> for Series {
    fn children(&self) -> Vec<(String, Campaign)> {
        let child = |number| (place(number), self.run(number));
        self.numbers().map(child).collect()
    }

    fn compare(&self, directory: &RunDirectory, replay: &mut Replay) -> Result<(), RunError> {
        let results = results(self, directory)?;
        if directory.manifest()?.status == Status::Complete {
            replay.compare_file(directory, "series.json", &results)?;
        }
        let recorded: Option<Validation> = directory.read_json(campaign::VALIDATION)?;
        if let (Some(recorded), Some(winner)) = (recorded, results.recommended) {
            let games = |name: &str| hold_out_games(self, directory, name);
            let (start, tuned) = (games(hold_out::START)?, games(&hold_out::name(winner))?);
            let mut validation = campaign::validation(&self.campaign, &start, &tuned);
            let value = validation.objective.tuned;
            validation.selection = recorded.selection.map(|one| one.with_hold_out(value));
            replay.compare_file(directory, campaign::VALIDATION, &validation)?;
        }
        Ok(())
    }

    fn recorded_games(&self, directory: &RunDirectory) -> Result<u64, RunError> {
        let mut count = 0;
        for (table, _) in tables(self, directory) {
            count += rows::read_games(&table)?.len() as u64;
        }
        Ok(count)
    }

    fn play_again(
        &self,
        evaluator: &E,
        directory: &RunDirectory,
        numbers: &[u64],
        control: &mut Control,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let mut numbers = Numbers::new(numbers);
        for (table, run) in tables(self, directory) {
            let games = rows::read_keyed_games(&table)?;
            for index in numbers.next_table(games.len() as u64) {
                let KeyedGame {
                    candidate,
                    game,
                    record,
                } = games[index];
                let weights = match run {
                    Some(0) => self.campaign.start.clone(),
                    Some(run) => weights_of(self, directory, run)?,
                    // The finalists are counted from 0.
                    None => weights_of(self, directory, candidate + 1)?,
                };
                let again = evaluator.games(&weights, &[record.seed], control.progress)?;
                replay.add_played(1);
                let what = format!("{}: game {game} of {candidate}", directory.name_of(&table));
                replay.compare_games(&what, &[record], &again);
            }
        }
        Ok(())
    }
}

/// The tables of games of the series, each with the run that played it: 0 for the start weights, none for
/// the race of all.
fn tables(series: &Series, directory: &RunDirectory) -> Vec<(Part, Option<u32>)> {
    let hold_out = |name: &str| directory.phase_part(Phase::HoldOut, name);
    let mut tables = vec![
        (directory.phase_part(Phase::Race, ""), None),
        (hold_out(hold_out::START), Some(0)),
    ];
    let runs = series.numbers();
    tables.extend(runs.map(|run| (hold_out(&hold_out::name(run)), Some(run))));
    tables.retain(|(table, _)| table.exists());
    tables
}

/// The weights that a run recommends.
fn weights_of(series: &Series, directory: &RunDirectory, run: u32) -> Result<Weights, StoreError> {
    let child = RunDirectory::open(&directory.path(&place(run)))?;
    let tuned = campaign::load(&series.run(run), &child)?.tuned;
    let missing = || StoreError::damaged(child.root(), "the run has no recommended weights");
    Ok(series.campaign.weights(&tuned.ok_or_else(missing)?))
}

/// Hold-out games with the seeds of the series.
fn hold_out_games(
    series: &Series,
    directory: &RunDirectory,
    name: &str,
) -> Result<Vec<GameRecord>, StoreError> {
    let path = directory.phase_part(Phase::HoldOut, name);
    let games = rows::read_games(&path)?;
    let count = series.campaign.config.validation.games;
    let seeds = campaign::hold_out_seeds(&series.campaign, count);
    match games.iter().map(|game| &game.seed).eq(&seeds) {
        true => Ok(games),
        false => {
            let reason = "these are not the hold-out games of this series";
            Err(StoreError::damaged(&path, reason))
        }
    }
}
