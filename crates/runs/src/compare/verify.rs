//! Verification of a comparison: its looks and verdicts against its games, and games played again.

use super::entrants::Evaluators;
use super::games::recorded;
use super::results::summarize;
use crate::config::compare::Comparison;
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::verify::{Numbers, Verify};
use crate::run::{Control, RunDirectory, RunError};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::{Evaluate, EvaluatorFactory};

impl Verify for Comparison {
    fn compare(
        &self,
        directory: &RunDirectory,
        _stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let played = recorded(self, directory)?;
        if directory.manifest()?.status == Status::Complete {
            replay.compare_file(directory, "results.json", &summarize(self, &played))?;
        }
        Ok(())
    }

    fn recorded_games(&self, directory: &RunDirectory) -> Result<u64, RunError> {
        let games = recorded(self, directory)?.games;
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
        let played = recorded(self, directory)?;
        let evaluators = Evaluators::new(played.entrants.clone(), machines)?;
        let mut numbers = Numbers::new(numbers);
        for (entrant, games) in played.entrants.iter().zip(&played.games) {
            for number in numbers.next_table(games.len() as u64) {
                let game = games[number];
                let local = evaluators.local(entrant);
                let again = local.games(&entrant.weights, &[game.seed], control.progress)?;
                replay.add_played(1);
                let name = &self.players[entrant.index].name;
                replay.compare_games(&format!("`{name}`, game {number}"), &[game], &again);
            }
        }
        Ok(())
    }
}
