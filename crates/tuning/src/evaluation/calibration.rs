//! A short calibration: it plays a few games for a limited time, in order to estimate the games and the time of
//! a longer run.
//!
//! It measures the time of this machine, so results differ from call to call. No recorded result may depend on
//! them. This module must not know which run is planned.

use std::convert::Infallible;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::local::{Local, Prepared};
use super::{EvaluationError, Progress};
use crate::stats::summary::median;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::record::GameRecord;

/// Interval at which the timer checks for a request to stop.
const TICK: Duration = Duration::from_millis(20);

/// Time limit of a calibration: no round of games starts after it. A round that lasts until twice this time is
/// stopped inside its games.
pub const TIME: Duration = Duration::from_secs(2);

/// Number of games for each set of weights in the first round.
const FIRST_ROUND: usize = 2;

/// The result of a calibration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// The games of each set of weights, in the order of the seeds. All sets have the same number of games,
    /// unless the first round was stopped.
    pub games: Vec<Vec<GameRecord>>,
    /// Median time to prepare a player with one set of weights, in core seconds.
    pub preparation: f64,
    /// Time of the games in core seconds, without the preparation.
    pub core_seconds: f64,
    /// Number of moves in all games.
    pub moves: u64,
    /// True if no game has ended in time: then every game takes longer than `core_seconds`.
    pub is_slower: bool,
}

impl Calibration {
    /// Core seconds per move; `None` if no game has ended.
    pub fn seconds_per_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.core_seconds / self.moves as f64)
    }

    /// Mean number of moves per game for the weights at `index`; `None` if none of their games has ended.
    pub fn moves(&self, index: usize) -> Option<f64> {
        let games = &self.games[index];
        let moves: u64 = games.iter().map(|game| u64::from(game.moves)).sum();
        (!games.is_empty()).then(|| moves as f64 / games.len() as f64)
    }

    /// Mean number of moves per game over all games; `None` if no game has ended.
    pub fn mean_moves(&self) -> Option<f64> {
        let games: usize = self.games.iter().map(Vec::len).sum();
        (games > 0).then(|| self.moves as f64 / games as f64)
    }
}

/// Plays the weights on the first of the `seeds`, in rounds of 2, 4, 8 .. further games for each set of
/// weights, until `time` has passed or no seed is left. A round that is stopped after twice this time is
/// discarded; if it is the first round, the games that have ended are kept. The time starts when the players
/// are prepared. All players are in memory at the same time.
///
/// # Errors
/// If the player cannot use some of the weights, if a stop is requested through `progress`, or if a program has
/// failed.
pub fn calibrate(
    local: &Local,
    weights: &[Weights],
    seeds: &[u64],
    time: Duration,
    progress: &Progress,
) -> Result<Calibration, EvaluationError<Infallible>> {
    let begin = Instant::now();
    calibrate_by(&|| begin.elapsed(), local, weights, seeds, time, progress)
}

/// The same with a given clock.
fn calibrate_by(
    clock: &(dyn Fn() -> Duration + Sync),
    local: &Local,
    weights: &[Weights],
    seeds: &[u64],
    time: Duration,
    progress: &Progress,
) -> Result<Calibration, EvaluationError<Infallible>> {
    // The first preparation also computes what all weights share, so only the second one is measured.
    let prepare = || {
        let prepared = local.prepare(weights, clock, progress.stop());
        prepared.ok_or(EvaluationError::Interrupted)
    };
    drop(prepare()?);
    let players: Result<Vec<Prepared>, String> = prepare()?.into_iter().collect();
    let players = players.map_err(EvaluationError::Player)?;
    let seconds: Vec<f64> = players.iter().map(|one| one.time.as_secs_f64()).collect();
    if let Some(program) = local.player().program() {
        program.warm_up(local.threads(), progress.stop());
    }
    let mut calibration = Calibration {
        games: vec![Vec::new(); players.len()],
        preparation: median(&seconds),
        ..Calibration::default()
    };
    let begin = clock();
    let (mut played, mut step) = (0, FIRST_ROUND);
    while played < seeds.len() && (played == 0 || clock() - begin < time) {
        let end = seeds.len().min(played + step);
        let left = (2 * time).saturating_sub(clock() - begin);
        let round = clock();
        let mut games = vec![Vec::new(); players.len()];
        let ended = within(left, progress, |limited| {
            local.play_prepared::<Infallible>(
                &players,
                &seeds[played..end],
                limited,
                &mut |batch| {
                    games[batch.candidate].extend_from_slice(batch.games);
                    progress.add_games(batch.games.len() as u64);
                    Ok(())
                },
            )
        });
        if progress.is_stopped() {
            return Err(EvaluationError::Interrupted);
        }
        if let Err(EvaluationError::Player(failure)) = ended {
            return Err(EvaluationError::Player(failure));
        }
        if ended.is_err() && played > 0 {
            break;
        }
        let elapsed = (clock() - round).as_secs_f64();
        let finished: usize = games.iter().map(Vec::len).sum();
        // Threads without a game do no work, so they are not counted.
        let busy = local.threads().min(players.len() * (end - played));
        calibration.is_slower = finished == 0;
        calibration.core_seconds += match finished {
            0 => elapsed,
            _ => elapsed * busy as f64,
        };
        for (all, new) in calibration.games.iter_mut().zip(games) {
            calibration.moves += new.iter().map(|game| u64::from(game.moves)).sum::<u64>();
            all.extend(new);
        }
        if ended.is_err() {
            break;
        }
        (played, step) = (end, 2 * step);
    }
    Ok(calibration)
}

/// Runs `work` with a stop token that is requested after `limit`, or together with a stop of `progress`.
pub fn within<T>(limit: Duration, progress: &Progress, work: impl FnOnce(&Progress) -> T) -> T {
    let (begin, limited) = (Instant::now(), Progress::default());
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(|| {
            // The sender is also dropped if the work panics, so that this thread and the scope end.
            let is_done = is_done;
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(TICK) {
                if begin.elapsed() >= limit || progress.is_stopped() {
                    limited.request_stop();
                    return;
                }
            }
        });
        let done = done;
        let result = work(&limited);
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use tiletune_engine::player::position::Position;
    use tiletune_engine::player::{
        Analysis, Catalogue, GameEntry, Player, PlayerConfig, PlayerEntry, PositionError, Session,
    };
    use tiletune_engine::random::Players;
    use tiletune_engine::record::GameResult;
    use tiletune_engine::stop::Stop;

    fn local(player: &str) -> Local {
        let config: PlayerConfig = toml::from_str(player).unwrap();
        let player = Catalogue::builtin().player(&config).unwrap();
        Local::new(player, Some(2)).unwrap()
    }

    #[test]
    fn a_calibration_plays_the_first_seeds_of_all_weights() {
        let local = local("name = 'greedy'");
        let weights = [Weights::default(), Weights::default()];
        let seeds: Vec<u64> = (5..45).collect();
        let long = Duration::from_secs(600);
        let played = calibrate(&local, &weights, &seeds, long, &Progress::default()).unwrap();
        for games in &played.games {
            assert!(games.iter().map(|game| game.seed).eq(seeds.iter().copied()));
        }
        let moves: u64 = played.games[0]
            .iter()
            .map(|game| u64::from(game.moves))
            .sum();
        assert_eq!(played.moves, 2 * moves);
        assert_eq!(played.moves(1), Some(moves as f64 / 40.0));
        assert_eq!(played.mean_moves(), played.moves(0));
        let per_move = played.core_seconds / played.moves as f64;
        assert_eq!(played.seconds_per_move(), Some(per_move));
    }

    /// A clock in seconds. Only the preparation and the games of [`SLOW`] advance it.
    static NOW: AtomicU64 = AtomicU64::new(0);
    static GAME: GameEntry = GameEntry::new("game", "a game", Players::One);
    /// A player that needs 1,000 seconds of preparation, and 5 seconds for a game of 10 moves.
    static SLOW: PlayerEntry =
        PlayerEntry::without_weights("slow", &GAME, "slow to prepare", |_, _| {
            NOW.fetch_add(1000, Ordering::SeqCst);
            Ok(Box::new(Slow))
        });

    struct Slow;

    impl Player for Slow {
        fn play(&self, seed: u64, _: Stop) -> Option<GameRecord> {
            NOW.fetch_add(5, Ordering::SeqCst);
            Some(GameRecord {
                seed,
                result: GameResult::scored(0),
                moves: 10,
                leaf_evaluations: 0,
            })
        }

        fn begin<'a>(&'a self, _: u64, _: Stop<'a>) -> Box<dyn Session + 'a> {
            unreachable!("nobody watches a calibration")
        }

        fn analyze(
            &self,
            _: &dyn Position,
            _: u64,
            _: Stop,
        ) -> Result<Option<Analysis>, PositionError> {
            Ok(None)
        }
    }

    #[test]
    fn the_time_of_the_games_is_without_that_of_the_preparation() {
        let player = Catalogue::new([&GAME], [&SLOW]).player(&PlayerConfig::new("slow", None));
        let local = Local::new(player.unwrap(), Some(1)).unwrap();
        let clock = || Duration::from_secs(NOW.load(Ordering::SeqCst));
        let (weights, seeds) = (vec![Weights::default(); 3], Vec::from_iter(0..100));
        let (time, progress) = (Duration::from_secs(40), Progress::default());
        let played = calibrate_by(&clock, &local, &weights, &seeds, time, &progress).unwrap();
        // Two rounds, of 2 and of 4 games for each set of weights: 30 and 60 seconds.
        assert!(played.games.iter().all(|games| games.len() == 6));
        assert_eq!((played.preparation, played.core_seconds), (1000.0, 90.0));
        assert_eq!(played.seconds_per_move(), Some(0.5));
        assert!(!played.is_slower);
    }

    #[test]
    fn a_game_that_is_too_slow_is_said_to_be() {
        let local = local("name = 'expectimax'\ndepth = 8");
        let limit = Duration::from_millis(10);
        let weights = [Weights::default()];
        let played = calibrate(&local, &weights, &[1, 2], limit, &Progress::default()).unwrap();
        assert!(played.is_slower && played.core_seconds >= 0.02);
        assert_eq!((played.moves(0), played.seconds_per_move()), (None, None));
    }

    #[test]
    fn a_stop_ends_a_calibration() {
        let progress = Progress::default();
        progress.request_stop();
        let local = local("name = 'expectimax'\ndepth = 8");
        let weights = [Weights::default()];
        let long = Duration::from_secs(600);
        let ended = calibrate(&local, &weights, &[1], long, &progress);
        assert!(matches!(ended, Err(EvaluationError::Interrupted)));
    }
}
