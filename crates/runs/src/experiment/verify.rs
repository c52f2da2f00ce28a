//! Verification of an experiment: its results against its games, and games of its rows played again.

use super::weights::place;
use super::{played, results};
use crate::config::campaign::Campaign;
use crate::config::experiment::{Experiment, Row};
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::verify::{Numbers, Verify};
use crate::run::{Control, RunDirectory, RunError};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::{Evaluate, EvaluatorFactory};

impl Verify for Experiment {
    fn children(&self) -> Vec<(String, Campaign)> {
        let rows = self.rows.iter().enumerate();
        let child = |(index, row): (usize, &Row)| {
            let retuned = row.retuned.as_ref()?;
            Some((place(index), retuned.campaign.clone()))
        };
        rows.filter_map(child).collect()
    }

    fn compare(
        &self,
        directory: &RunDirectory,
        stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let played = played(self, directory)?;
        if directory.manifest()?.status == Status::Complete {
            let results = results::summarize(self, &played, stop);
            let results = results.ok_or(RunError::Interrupted)?;
            replay.compare_file(directory, "results.json", &results)?;
        }
        Ok(())
    }

    fn recorded_games(&self, directory: &RunDirectory) -> Result<u64, RunError> {
        let games = played(self, directory)?.games;
        Ok(games.iter().map(|games| games.len() as u64).sum())
    }

    fn play_again(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        numbers: &[u64],
        control: &mut Control,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let played = played(self, directory)?;
        let mut numbers = Numbers::new(numbers);
        for (index, (row, games)) in self.rows.iter().zip(&played.games).enumerate() {
            let chosen = numbers.next_table(games.len() as u64);
            if chosen.is_empty() {
                continue;
            }
            let evaluator = machines.evaluator(&row.player)?;
            for number in chosen {
                let (game, weights) = (games[number], &played.weights[index]);
                let again = evaluator.games(weights, &[game.seed], control.progress)?;
                replay.add_played(1);
                replay.compare_games(
                    &format!("row `{}`, game {number}", row.name),
                    &[game],
                    &again,
                );
            }
        }
        Ok(())
    }
}
