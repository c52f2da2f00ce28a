//! Verification of a series: its results against its games and runs, and its own games played again. Its
//! runs are verified as campaigns.

use super::{hold_out, place, results};
use crate::campaign::{self, HoldOutTable};
use crate::config::campaign::Campaign;
use crate::config::series::Series;
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::tables::{self, GamesOf, KeyedGame};
use crate::run::verify::{Numbers, Verify};
use crate::run::{Control, Part, RunDirectory, RunError, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::{Evaluate, EvaluatorFactory};
use tiletune_tuning::results::Validation;

impl Verify for Series {
    fn children(&self) -> Vec<(String, Campaign)> {
        let child = |number| (place(number), self.run(number));
        self.numbers().map(child).collect()
    }

    fn compare(
        &self,
        directory: &RunDirectory,
        stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let results = results(self, directory, stop)?;
        if directory.manifest()?.status == Status::Complete {
            replay.compare_file(directory, "series.json", &results)?;
        }
        let recorded: Option<Validation> = directory.read_json(campaign::VALIDATION)?;
        if let (Some(recorded), Some(winner)) = (recorded, results.recommended) {
            let count = self.campaign.config.validation.games;
            let games = |name: &str| {
                let table = HoldOutTable::of(&self.campaign, directory, None, name);
                table.recorded(&self.campaign, count)
            };
            let (start, tuned) = (games(hold_out::START)?, games(&hold_out::name(winner))?);
            let mut validation = campaign::validation(&self.campaign, &start, &tuned, stop)?;
            let value = validation.objective.tuned;
            validation.selection = recorded.selection.map(|one| one.with_hold_out(value));
            replay.compare_file(directory, campaign::VALIDATION, &validation)?;
        }
        Ok(())
    }

    fn recorded_games(&self, directory: &RunDirectory) -> Result<u64, RunError> {
        let mut count = 0;
        for (table, _) in tables(self, directory) {
            count += tables::read_games(&table)?.len() as u64;
        }
        Ok(count)
    }

    fn play_again(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        numbers: &[u64],
        control: &mut Control,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let evaluator = machines.evaluator(&self.campaign.player)?;
        let pairings = Pairings::of(&self.campaign.player);
        let mut numbers = Numbers::new(numbers);
        for (table, run) in tables(self, directory) {
            let name = run.map(weights_name);
            let of = match &name {
                Some(weights) => GamesOf::HoldOut { weights },
                None => GamesOf::Race,
            };
            let games = tables::read_keyed_games(&table, of, pairings.as_ref())?;
            for index in numbers.next_table(games.len() as u64) {
                let KeyedGame {
                    number,
                    game,
                    record,
                } = games[index];
                let weights = match run {
                    Some(0) => self.campaign.start.clone(),
                    Some(run) => weights_of(self, directory, run)?,
                    // The finalists are counted from 0.
                    None => weights_of(self, directory, number + 1)?,
                };
                let again = evaluator.games(&weights, &[record.seed], control.progress)?;
                replay.add_played(1);
                let table = directory.name_of(&table);
                let what = match run {
                    Some(_) => format!("{table}: game {game}"),
                    None => format!("{table}: finalist {number}, game {game}"),
                };
                replay.compare_games(&what, &[record], &again);
            }
        }
        Ok(())
    }
}

/// The tables of games of the series, each with the run that played it: 0 for the start weights, none for
/// the race of all.
fn tables(series: &Series, directory: &RunDirectory) -> Vec<(Part, Option<u32>)> {
    let hold_out = |run| directory.hold_out_part(&weights_name(run));
    let mut tables = vec![(directory.race_part(), None), (hold_out(0), Some(0))];
    let runs = series.numbers();
    tables.extend(runs.map(|run| (hold_out(run), Some(run))));
    tables.retain(|(table, _)| table.exists());
    tables
}

/// The name of the weights of a run among the hold-out games; 0 for the start weights.
fn weights_name(run: u32) -> String {
    match run {
        0 => hold_out::START.to_owned(),
        run => hold_out::name(run),
    }
}

/// The weights that a run recommends.
fn weights_of(series: &Series, directory: &RunDirectory, run: u32) -> Result<Weights, StoreError> {
    let child = RunDirectory::open(&directory.path(&place(run)))?;
    let tuned = campaign::load(&series.run(run), &child)?.tuned;
    let missing = || StoreError::damaged(child.root(), "the run has no recommended weights");
    Ok(series.campaign.weights(&tuned.ok_or_else(missing)?))
}
