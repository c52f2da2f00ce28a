//! Evaluation on this machine: a thread pool plays all pairs of candidate and seed.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{
    Batch, Evaluate, EvaluationError, Evaluator, EvaluatorFactory, FactoryError, Order, Progress,
    Sink, SinkClosed,
};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::analysis::Analysis;
use tiletune_engine::player::format::Request;
use tiletune_engine::player::position::{Position, PositionError};
use tiletune_engine::player::{FromPosition, Player, PlayerSpec};
use tiletune_engine::program::Program;
use tiletune_engine::record::{GameRecord, Unrepeated};
use tiletune_engine::stop::Stop;

/// Largest number of games in memory at the same time.
const GAMES_AT_ONCE: usize = 1 << 16;

/// Largest number of candidates whose tables are in memory at the same time. A table has up to half a MiB.
pub const CANDIDATES_AT_ONCE: usize = 128;

/// Largest number of threads in a pool. The time to start a pool grows with the square of their number: 1,024
/// threads take a second.
pub const MOST_THREADS: u16 = 1024;

/// Number of repetitions of a program's game before it counts as different from the record.
const REPEATS: usize = 3;

/// The error that threads cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start threads: {0}")]
pub struct ThreadsError(String);

/// A player with one set of weights, ready to play.
#[derive(Clone)]
pub struct Prepared {
    player: Arc<dyn Player>,
    /// The time of its preparation, which includes for example the computation of tables.
    pub time: Duration,
}

impl Prepared {
    /// Number of games in one batch.
    pub fn batch_size(&self) -> usize {
        self.player.batch_size()
    }
}

/// An evaluator with a thread pool.
pub struct Local {
    player: PlayerSpec,
    /// The thread pool. Evaluators that are made from this one share it.
    pool: Arc<ThreadPool>,
}

impl Local {
    /// An evaluator for a player with a pool of `threads` threads, at most [`MOST_THREADS`]. `None` means one
    /// thread per core.
    ///
    /// # Errors
    /// If there are too many threads, or if the system cannot start them.
    pub fn new(player: PlayerSpec, threads: Option<usize>) -> Result<Self, ThreadsError> {
        if let Some(threads) = threads.filter(|&threads| threads > MOST_THREADS.into()) {
            let allowed = format!("{threads} are too many; allowed: 1 to {MOST_THREADS}");
            return Err(ThreadsError(allowed));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
        let pool = pool.build();
        let pool = pool.map_err(|error| ThreadsError(error.to_string()))?;
        let pool = Arc::new(pool);
        Ok(Local { player, pool })
    }

    /// The player whose games are evaluated.
    pub fn player(&self) -> &PlayerSpec {
        &self.player
    }

    /// An evaluator for another player with the same thread pool.
    pub fn with_player(&self, player: &PlayerSpec) -> Self {
        Local {
            player: player.clone(),
            pool: Arc::clone(&self.pool),
        }
    }

    /// Number of threads in the pool.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// The reason why the player left games unfinished without a request to stop.
    fn failure(&self) -> String {
        let failure = self.player.program().and_then(Program::failure);
        failure.unwrap_or_else(|| {
            format!(
                "player `{}` has no program to play with: give weights that name one, or a program file",
                self.player.entry.name
            )
        })
    }

    /// The indices of the candidates whose weights the player can use. It serves evaluators that play on other
    /// machines. Returns `None` if a stop is requested; the check of a large population takes seconds.
    pub fn usable(&self, candidates: &[Weights], stop: Stop) -> Option<Vec<usize>> {
        let usable = |(index, weights)| {
            stop.complete(())?;
            Some(self.player.check(weights).is_ok().then_some(index))
        };
        let candidates = || candidates.par_iter().enumerate().with_max_len(1);
        let usable: Option<Vec<Option<usize>>> =
            self.pool.install(|| candidates().map(usable).collect());
        Some(usable?.into_iter().flatten().collect())
    }

    /// The analyses of some positions by the player, in the same order (see [`Player::analyze`]). If a stop is
    /// requested, only the first of them are returned.
    ///
    /// # Errors
    /// If a position belongs to another game, or if the player cannot use the weights.
    pub fn analyze(
        &self,
        weights: &Weights,
        positions: &[Request],
        progress: &Progress,
    ) -> Result<Vec<Analysis>, PositionError> {
        let player = self.player.build(weights).map_err(PositionError)?;
        let stop = progress.stop();
        let answer = |Request { position, seed }: &Request| {
            stop.complete(())?;
            player.analyze(&**position, *seed, stop).transpose()
        };
        // Each position is a separate unit of work, because some take a thousand times as long as others.
        let answers = || positions.par_iter().with_max_len(1).map(answer).collect();
        let answers: Vec<Option<Result<Analysis, PositionError>>> = self.pool.install(answers);
        answers.into_iter().map_while(|answer| answer).collect()
    }

    /// Prepares the player with each of the weights, on all threads. An error is the reason why the player
    /// cannot use the weights. `clock` measures the time of each preparation. Returns `None` if a stop is
    /// requested.
    pub fn prepare(
        &self,
        weights: &[Weights],
        clock: &(dyn Fn() -> Duration + Sync),
        stop: Stop,
    ) -> Option<Vec<Result<Prepared, String>>> {
        let prepare = |weights| {
            stop.complete(())?;
            let begin = clock();
            let player = match self.player.build(weights) {
                Ok(player) => Arc::from(player),
                Err(reason) => return Some(Err(reason)),
            };
            let time = clock().saturating_sub(begin);
            Some(Ok(Prepared { player, time }))
        };
        let prepare_all = || weights.par_iter().with_max_len(1).map(prepare).collect();
        self.pool.install(prepare_all)
    }

    /// Prepares the player with one set of weights to play on from each of some positions. Games of the same seed have
    /// different random events from different positions, so that all games are independent.
    ///
    /// # Errors
    /// The index of the first position from which the player cannot play on, and the reason; no index if the player cannot
    /// use the weights.
    pub fn prepare_from(
        &self,
        weights: &Weights,
        positions: &[Arc<dyn Position>],
    ) -> Result<Vec<Prepared>, (Option<usize>, PositionError)> {
        let player = self.player.build(weights);
        let player: Arc<dyn Player> = player.map_err(|error| (None, PositionError(error)))?.into();
        let prepare = |(index, position): (usize, &Arc<dyn Position>)| {
            let from = FromPosition::new(player.clone(), position.clone(), index as u64);
            let player = Arc::new(from.map_err(|error| (Some(index), error))?);
            let time = Duration::ZERO;
            Ok(Prepared { player, time })
        };
        positions.iter().enumerate().map(prepare).collect()
    }

    /// Plays prepared candidates on some seeds; see [`Evaluate::evaluate`].
    ///
    /// # Errors
    /// If a stop is requested through `progress`, if `sink` fails, or if a program fails.
    pub fn play_prepared<E>(
        &self,
        players: &[Prepared],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        self.play_in(Order::Seeds, players, seeds, progress, sink)
    }

    fn play_in<E>(
        &self,
        order: Order,
        players: &[Prepared],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        for (block, seeds) in seeds.chunks(GAMES_AT_ONCE).enumerate() {
            self.play_block(order, players, seeds, progress, &mut |batch| {
                sink(Batch {
                    first_game: block * GAMES_AT_ONCE + batch.first_game,
                    ..batch
                })
            })?;
        }
        Ok(())
    }

    /// Plays candidates on some seeds. With [`Order::Seeds`], `sink` receives a batch when this batch and all
    /// earlier ones have been played; with [`Order::AsPlayed`], as soon as the batch has been played.
    fn play_block<E>(
        &self,
        order: Order,
        players: &[Prepared],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        let Some(first) = players.first() else {
            return Ok(());
        };
        let at_a_time = first.batch_size();
        let batches: Vec<&[u64]> = seeds.chunks(at_a_time).collect();
        let count = players.len() * batches.len();
        // Each thread takes the next batch in order. Batches therefore finish nearly in order, and at the end
        // no thread has more than one batch left.
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let (batches, next, failed) = (&batches, &next, &failed);
        let work = move || {
            while !progress.is_stopped() && !failed.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    break;
                }
                let player = &players[index / batches.len()].player;
                let seeds = batches[index % batches.len()];
                let Some(games) = player.play_many(seeds, progress.stop()) else {
                    break;
                };
                progress.add_games(games.len() as u64);
                // The receiver is gone only after a failure.
                let _ = sender.send((index, games));
            }
        };
        let mut taken = 0;
        let mut take = |index: usize, games: &[GameRecord]| {
            taken += 1;
            let took = sink(Batch {
                candidate: index / batches.len(),
                first_game: index % batches.len() * at_a_time,
                games,
            });
            took.inspect_err(|_| failed.store(true, Ordering::Relaxed))
        };
        self.pool.in_place_scope(|scope| {
            scope.spawn_broadcast(move |_, _| work());
            let (mut first_missing, mut early) = (0, BTreeMap::new());
            for (index, games) in receiver {
                match order {
                    Order::AsPlayed => take(index, &games)?,
                    Order::Seeds => {
                        early.insert(index, games);
                        while let Some(games) = early.remove(&first_missing) {
                            take(first_missing, &games)?;
                            first_missing += 1;
                        }
                    }
                }
            }
            Ok::<_, E>(())
        })?;
        if taken == count {
            Ok(())
        } else if progress.is_stopped() {
            Err(EvaluationError::Interrupted)
        } else {
            Err(EvaluationError::Player(self.failure()))
        }
    }
}

impl Evaluator for Local {
    fn play(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        let candidates_at_once = (GAMES_AT_ONCE / seeds.len().max(1)).clamp(1, CANDIDATES_AT_ONCE);
        for (group, weights) in candidates.chunks(candidates_at_once).enumerate() {
            let players = self.prepare(weights, &|| Duration::ZERO, progress.stop());
            let players = players.ok_or(EvaluationError::Interrupted)?;
            let usable = players
                .into_iter()
                .enumerate()
                .filter_map(|(index, player)| Some((index, player.ok()?)));
            let (indices, players): (Vec<usize>, Vec<Prepared>) = usable.unzip();
            self.play_in(order, &players, seeds, progress, &mut |batch| {
                sink(Batch {
                    candidate: group * candidates_at_once + indices[batch.candidate],
                    ..batch
                })
            })?;
        }
        Ok(())
    }

    /// A program whose games do not repeat cannot be recognised by one game, so a different game is repeated
    /// several times. If the repetitions differ too, the difference is no evidence against the program.
    fn repeats(
        &self,
        recorded: &GameRecord,
        weights: &Weights,
        progress: &Progress,
    ) -> Result<bool, EvaluationError<Infallible>> {
        let play = || self.games(weights, &[recorded.seed], progress);
        let played = play()?;
        let is_equal = played == std::slice::from_ref(recorded);
        if is_equal || self.player.program().is_none() {
            return Ok(is_equal);
        }
        for _ in 0..REPEATS {
            if play()? != played {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn refusal(&self, weights: &Weights) -> Option<String> {
        self.player.check(weights).err()
    }

    fn unrepeated(&self) -> Option<Unrepeated> {
        self.player.program().and_then(Program::unrepeated)
    }
}

/// Evaluators for other players share the threads.
impl EvaluatorFactory for Local {
    fn evaluator(&self, player: &PlayerSpec) -> Result<Box<dyn Evaluator + '_>, FactoryError> {
        Ok(Box::new(self.with_player(player)))
    }

    fn threads(&self) -> usize {
        Local::threads(self)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use tiletune_engine::player::{Catalogue, PlayerConfig, Session};
    use tiletune_engine::record::GameResult;

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
                    all.push((batch.candidate, batch.first_game + offset, game.clone()));
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
    fn games_are_handed_over_while_others_are_played() {
        let config = toml::from_str("name = 'expectimax'\ndepth = 0").unwrap();
        let player = Catalogue::builtin().player(&config).unwrap();
        let local = Local::new(player, Some(2)).unwrap();
        let (weights, seeds) = ([Weights::default()], Vec::from_iter(0..20_000));
        let progress = Progress::default();
        let mut taken: Vec<u64> = Vec::new();
        let ended = local.evaluate::<Infallible>(&weights, &seeds, &progress, &mut |batch| {
            taken.extend(batch.games.iter().map(|game| game.seed));
            progress.request_stop();
            Ok(())
        });
        assert!(matches!(ended, Err(EvaluationError::Interrupted)));
        assert!(!taken.is_empty() && taken.len() < seeds.len());
        assert_eq!(taken, seeds[..taken.len()]);

        let progress = Progress::default();
        let ended = local.evaluate(&weights, &seeds, &progress, &mut |_| Err("full"));
        assert!(matches!(ended, Err(EvaluationError::Sink("full"))));
        assert!(progress.games() < 20_000, "all games were played");
    }

    /// A player whose game of seed 0 lasts until it is allowed to end.
    struct Waiting(Mutex<mpsc::Receiver<()>>);

    impl Player for Waiting {
        fn play(&self, seed: u64, _stop: Stop) -> Option<GameRecord> {
            if seed == 0 {
                let told = self.0.lock().unwrap();
                told.recv_timeout(Duration::from_secs(60)).ok()?;
            }
            Some(GameRecord {
                seed,
                result: GameResult::scored(seed),
                moves: 1,
                leaf_evaluations: 0,
            })
        }

        fn begin<'a>(&'a self, _seed: u64, _stop: Stop<'a>) -> Box<dyn Session + 'a> {
            unreachable!("only games are played")
        }

        fn analyze(
            &self,
            _position: &dyn Position,
            _seed: u64,
            _stop: Stop,
        ) -> Result<Option<Analysis>, PositionError> {
            unreachable!("only games are played")
        }
    }

    #[test]
    fn as_played_games_do_not_wait_for_a_long_one() {
        let (may_end, told) = mpsc::channel();
        let prepared = Prepared {
            player: Arc::new(Waiting(Mutex::new(told))),
            time: Duration::ZERO,
        };
        let player = Catalogue::builtin().player(&PlayerConfig::new("random", None));
        let local = Local::new(player.unwrap(), Some(2)).unwrap();
        let mut taken = Vec::new();
        let seeds = [0, 1, 2, 3];
        let mut sink = |batch: Batch| {
            taken.extend(batch.games.iter().map(|game| game.seed));
            if taken.len() == 3 {
                may_end.send(()).unwrap();
            }
            Ok::<(), Infallible>(())
        };
        let progress = Progress::default();
        let ended = local.play_in(Order::AsPlayed, &[prepared], &seeds, &progress, &mut sink);
        ended.unwrap();
        assert_eq!(taken, [1, 2, 3, 0]);
    }

    #[test]
    fn a_stop_ends_the_check_of_candidates() {
        let player = Catalogue::builtin().player(&PlayerConfig::new("expectimax", None));
        let player = player.unwrap();
        let local = Local::new(player, Some(2)).unwrap();
        let candidates = vec![Weights::default(); 100_000];
        let usable = |stop| local.usable(&candidates[..3], stop);
        assert_eq!(usable(Stop::never()), Some(vec![0, 1, 2]));
        let progress = Progress::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                progress.request_stop();
            });
            assert_eq!(local.usable(&candidates, progress.stop()), None);
        });
        let prepared = local.prepare(&candidates, &|| Duration::ZERO, progress.stop());
        assert!(prepared.is_none());
    }

    #[test]
    fn a_stop_ends_the_evaluation() {
        let player = Catalogue::builtin().player(&PlayerConfig::new("random", None));
        let local = Local::new(player.unwrap(), Some(2)).unwrap();
        let progress = Progress::default();
        progress.request_stop();
        let ended =
            local.evaluate::<Infallible>(&[Weights::default()], &[1], &progress, &mut |_| Ok(()));
        assert!(matches!(ended, Err(EvaluationError::Interrupted)));
    }
}
