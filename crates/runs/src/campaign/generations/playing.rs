//! The games of a generation.

use super::CampaignSearch;
use crate::campaign::scores::{FIRST_GAMES, Scores, is_played, is_refused_at_first};
use crate::run::tables::{self, GamesOf, GamesWriter};
use crate::run::{RunError, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::{Evaluate, Evaluator, Order, Progress};
use tiletune_tuning::results::CandidateRow;

/// Receives games of a candidate: its index, the index of the first game, and the games.
type Sink<'a> = dyn FnMut(usize, usize, &[GameRecord]) -> Result<(), StoreError> + 'a;

impl CampaignSearch<'_> {
    /// Plays a generation and writes its games. They count only when the generation is complete. A candidate whose
    /// weights the player cannot use plays no games. The table has no games of a candidate that is refused during play.
    /// Returns the candidates and the noise of their comparison.
    pub(super) fn play(
        &self,
        proposed: Vec<Vec<f64>>,
        games: u32,
        evaluator: &dyn Evaluator,
        progress: &Progress,
    ) -> Result<(Vec<CandidateRow>, f64), RunError> {
        let generation = self.generations;
        let seeds = self.seeds(games)?;
        let path = self.directory.generation_part(&tables::TRAIN, generation);
        let path = path.deferred();
        let restart = self.optimizer.restart();
        let of = GamesOf::Train {
            generation,
            restart,
        };
        let mut writer = GamesWriter::create(&path, of, Pairings::of(&self.campaign.player))?;
        // Decoding a large population takes seconds, so it can be interrupted.
        let weights = |one: &Vec<f64>| {
            progress.stop().complete(())?;
            Some(self.campaign.weights(one))
        };
        let weights: Option<Vec<Weights>> = proposed.iter().map(weights).collect();
        let weights = weights.ok_or(RunError::Interrupted)?;
        let mut scores = Scores::of(self.campaign);
        let play = |candidates: &[usize], seeds: &[u64], sink: &mut Sink| {
            let weights: Vec<Weights> =
                candidates.iter().map(|&one| weights[one].clone()).collect();
            evaluator.evaluate_usable(Order::Seeds, &weights, seeds, progress, &mut |batch| {
                sink(candidates[batch.candidate], batch.first_game, batch.games)
            })
        };
        let all: Vec<usize> = (0..weights.len()).collect();
        if self.campaign.player.program().is_none() {
            play(&all, &seeds, &mut |candidate, first_game, games| {
                writer.add(candidate as u32, first_game as u32, games)?;
                scores.add(candidate, games, first_game + games.len() == seeds.len());
                Ok(())
            })?;
        } else {
            // Each game with unusable weights can take as long as the program's time limit. So all candidates play a
            // few games first, and refused ones play no more.
            let mut played = vec![Vec::new(); weights.len()];
            let (first, rest) = seeds.split_at(FIRST_GAMES.min(seeds.len()));
            play(&all, first, &mut |candidate, _, games| {
                played[candidate].extend_from_slice(games);
                Ok(())
            })?;
            let mut end = |candidate: usize, games: Vec<GameRecord>| {
                if scores.add(candidate, &games, true) {
                    Ok(())
                } else {
                    writer.add(candidate as u32, 0, &games)
                }
            };
            let going_on = |candidate: &usize| !is_refused_at_first(&played[*candidate]);
            let going_on: Vec<usize> = all.into_iter().filter(going_on).collect();
            if rest.is_empty() {
                for candidate in going_on {
                    end(candidate, std::mem::take(&mut played[candidate]))?;
                }
            } else {
                play(&going_on, rest, &mut |candidate, _, games| {
                    played[candidate].extend_from_slice(games);
                    if played[candidate].len() == seeds.len() {
                        end(candidate, std::mem::take(&mut played[candidate]))
                    } else {
                        Ok(())
                    }
                })?;
            }
        }
        writer.finish()?;
        Ok(scores.rows([generation, restart], proposed))
    }

    /// Fails if a program refused or failed with every candidate: an error of the program is more likely than a
    /// population of unusable weights. The generation is then not recorded.
    pub(super) fn check_usable(&self, rows: &[CandidateRow]) -> Result<(), RunError> {
        let Some(program) = self.campaign.player.program() else {
            return Ok(());
        };
        if rows.iter().any(is_played) {
            return Ok(());
        }
        let why = program
            .missing()
            .map_or_else(String::new, |why| format!(" The last reason: {why}"));
        Err(RunError::Player(format!(
            "all {} candidates of generation {} were refused. If the program is at fault, mend it and resume the run; \
             if the weights are, begin a new one with other start values or narrower bounds.{why}",
            rows.len(),
            self.generations
        )))
    }
}
