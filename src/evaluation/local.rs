//! Scoring on this machine: candidates x seeds as one flat list over a pool of threads.

use std::sync::OnceLock;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Batch, EvaluationError, Evaluator, Progress};
use crate::heuristic::weights::Weights;
use crate::player::analysis::Analysis;
use crate::player::format::Request;
use crate::player::position::PositionError;
use crate::player::{Player, PlayerSpec};
use crate::record::GameRecord;

/// Most games held in memory at a time.
const GAMES_AT_ONCE: usize = 1 << 16;

/// Most candidates whose tables are held in memory at a time (a table is up to half a MiB).
const CANDIDATES_AT_ONCE: usize = 128;

/// Plays on a pool of threads of its own.
pub struct Local {
    player: PlayerSpec,
    pool: ThreadPool,
}

impl Local {
    /// A pool of `threads` threads for a player; `None` for one per core.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(
        player: PlayerSpec,
        threads: Option<usize>,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .build()?;
        Ok(Local { player, pool })
    }

    /// Threads in use.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// What the player with these weights thinks of some positions, in order (see
    /// [`Player::analyze`]); of the first ones only, once a stop was asked for.
    ///
    /// # Errors
    /// If a position is of another game.
    pub fn analyze(
        &self,
        weights: &Weights,
        positions: &[Request],
        progress: &Progress,
    ) -> Result<Vec<Analysis>, PositionError> {
        let player = self.player.build(weights);
        let answer = |Request { position, seed }: &Request| match progress.is_stopped() {
            true => None,
            false => Some(player.analyze(&**position, *seed)),
        };
        // One by one: some positions take a thousand times as long as others.
        let answers = || positions.par_iter().with_max_len(1).map(answer).collect();
        let answers: Vec<Option<Result<Analysis, PositionError>>> = self.pool.install(answers);
        answers.into_iter().map_while(|answer| answer).collect()
    }

    /// Games of consecutive candidates on some seeds, candidate by candidate; `None` once a stop
    /// was asked for. A candidate's tables are built by the first thread that needs them.
    fn games(
        &self,
        weights: &[Weights],
        seeds: &[u64],
        progress: &Progress,
    ) -> Option<Vec<GameRecord>> {
        let players: Vec<OnceLock<Box<dyn Player>>> =
            weights.iter().map(|_| OnceLock::new()).collect();
        let player = |candidate: usize| {
            let build = || self.player.build(&weights[candidate]);
            players[candidate].get_or_init(build)
        };
        if players.is_empty() || seeds.is_empty() {
            return Some(Vec::new());
        }
        self.pool.install(|| {
            let batches: Vec<&[u64]> = seeds.chunks(player(0).batch_size()).collect();
            let played: Option<Vec<Vec<GameRecord>>> = (0..weights.len() * batches.len())
                .into_par_iter()
                .map(|index| {
                    if progress.is_stopped() {
                        return None;
                    }
                    let seeds = batches[index % batches.len()];
                    let games = player(index / batches.len()).play_many(seeds);
                    progress.add_games(games.len() as u64);
                    Some(games)
                })
                .collect();
            played.map(|games| games.concat())
        })
    }
}

impl Evaluator for Local {
    fn evaluate<E>(
        &self,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        let candidates_at_once = (GAMES_AT_ONCE / seeds.len().max(1)).clamp(1, CANDIDATES_AT_ONCE);
        for (group, weights) in candidates.chunks(candidates_at_once).enumerate() {
            for (block, seeds) in seeds.chunks(GAMES_AT_ONCE).enumerate() {
                let games = self
                    .games(weights, seeds, progress)
                    .ok_or(EvaluationError::Interrupted)?;
                for (index, games) in games.chunks(seeds.len()).enumerate() {
                    sink(Batch {
                        candidate: group * candidates_at_once + index,
                        first_game: block * GAMES_AT_ONCE,
                        games,
                    })?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Catalogue, Config};
    use std::convert::Infallible;

    fn evaluate(
        threads: usize,
        candidates: &[Weights],
        seeds: &[u64],
    ) -> Vec<(usize, usize, GameRecord)> {
        let config = toml::from_str("name = 'expectimax'\ndepth = 0").unwrap();
        let player = Catalogue::builtin().player(&config).unwrap();
        let local = Local::new(player, Some(threads)).unwrap();
        let mut all = Vec::new();
        let taken =
            local.evaluate::<Infallible>(candidates, seeds, &Progress::default(), &mut |batch| {
                for (offset, game) in batch.games.iter().enumerate() {
                    all.push((batch.candidate, batch.first_game + offset, *game));
                }
                Ok(())
            });
        taken.unwrap();
        all
    }

    #[test]
    fn games_come_in_order_and_do_not_depend_on_the_threads() {
        let entry = Catalogue::builtin().entry("expectimax", None).unwrap();
        let parameters = (entry.parameters)();
        let candidates: Vec<Weights> = (0..140)
            .map(|k| {
                Weights::default()
                    .with([("empty", f64::from(k))], &parameters)
                    .unwrap()
            })
            .collect();
        let one = evaluate(1, &candidates, &[5, 6, 7]);
        assert_eq!(one, evaluate(3, &candidates, &[5, 6, 7]));
        let order: Vec<(usize, usize)> = one
            .iter()
            .map(|(candidate, game, _)| (*candidate, *game))
            .collect();
        let expected: Vec<(usize, usize)> =
            (0..140).flat_map(|c| (0..3).map(move |g| (c, g))).collect();
        assert_eq!(order, expected);
        assert!(
            one.iter()
                .all(|(_, game, record)| record.seed == [5, 6, 7][*game])
        );
    }

    #[test]
    fn a_stop_ends_the_evaluation() {
        let player = Catalogue::builtin().player(&Config::new("random", None));
        let local = Local::new(player.unwrap(), Some(2)).unwrap();
        let progress = Progress::default();
        progress.request_stop();
        let ended =
            local.evaluate::<Infallible>(&[Weights::default()], &[1], &progress, &mut |_| Ok(()));
        assert!(matches!(ended, Err(EvaluationError::Interrupted)));
    }
}
