//! What players compute before their first move, such as the solution of a board: once, on a thread of its own, whoever
//! asks, and one at a time. A request that needs one is told how far the running one is.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;

use super::player_cache::BuiltPlayer;
use super::refusal::Refusal;
use super::searches::StopWhenDropped;
use crate::lock::locked;
use crate::player::PlayerConfig;
use crate::player::exact::{Preparation, Progress, Work};
use crate::report::exact::progress_in_words;
use crate::stop::Stop;

/// The largest estimate of processor time, in seconds. 3x3 with the usual random tiles has 20.
const MOST_SECONDS: f64 = 120.0;
/// The largest estimate of the memory and of the file of a solution, together in bytes. 3x3 with the usual random tiles has
/// 0.8 GB.
pub(super) const MOST_BYTES: f64 = 2e9;

/// The computation in progress. It is stopped when this is dropped.
pub(super) struct Preparations {
    running: SharedRunning,
    is_stopped: StopWhenDropped,
}

type SharedRunning = Arc<Mutex<Option<Running>>>;

struct Running {
    player: PlayerConfig,
    /// What it takes, and how far it is.
    words: [String; 2],
}

impl Running {
    fn refusal(&self) -> Refusal {
        Refusal::preparing(self.words.join("; "))
    }
}

/// Ends the computation in progress when it is dropped: also if it panics, or if its thread cannot be started.
struct EndWhenDropped(SharedRunning);

impl Drop for EndWhenDropped {
    fn drop(&mut self) {
        *locked(&self.0) = None;
    }
}

impl Preparations {
    pub(super) fn new() -> Self {
        Preparations {
            running: Arc::default(),
            is_stopped: StopWhenDropped(Arc::new(AtomicBool::new(false))),
        }
    }

    /// Checks that a player needs no long computation before its move. If it does, the computation is begun, unless it or
    /// another one runs.
    ///
    /// # Errors
    /// If it is not ready; the message says how far it is.
    pub(super) fn check(&self, built: &Arc<BuiltPlayer>) -> Result<(), Refusal> {
        let player = built.spec.config();
        let mut running = locked(&self.running);
        if let Some(known) = running.as_ref().filter(|known| known.player == player) {
            return Err(known.refusal());
        }
        let work = Work::quiet(threads(), Stop::never());
        let Some(needed) = built.player.preparation(&work) else {
            return Ok(());
        };
        let Preparation {
            words,
            seconds,
            bytes,
        } = needed;
        if seconds > MOST_SECONDS || bytes > MOST_BYTES {
            let message = format!(
                "{words}: too much for a page, which computes up to {MOST_SECONDS} s of processor time and {:.0} MB; `tiletune \
                 evaluate` with this player computes it once, and the pages find it",
                MOST_BYTES / 1e6
            );
            return Err(Refusal::wrong(message));
        }
        if let Some(other) = &*running {
            return Err(other.refusal());
        }
        *running = Some(Running {
            player,
            words: [words.clone(), "it begins".to_owned()],
        });
        drop(running);
        let built = Arc::clone(built);
        let running = EndWhenDropped(Arc::clone(&self.running));
        let is_stopped = Arc::clone(&self.is_stopped.0);
        let prepare = move || {
            let show = |of: Progress| {
                if let Some(known) = &mut *locked(&running.0) {
                    known.words[1] = progress_in_words(of);
                }
            };
            // The words are those of `preparation`.
            let say = |_: &str| ();
            built.player.prepare(&Work {
                threads: threads(),
                stop: Stop::when(&is_stopped),
                progress: &show,
                say: &say,
            });
        };
        let begun = thread::Builder::new().spawn(prepare);
        begun.map_err(|_| Refusal::fault())?;
        Err(Refusal::preparing(words))
    }
}

pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, Into::into)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::Catalogue;
    use crate::heuristic::weights::Weights;

    fn perfect(board: &str, spawn: &str) -> Arc<BuiltPlayer> {
        let player = PlayerConfig::new("perfect", None).with("board", board);
        let player = player.with("spawn", spawn);
        let spec = Catalogue::builtin().player(&player).unwrap();
        Arc::new(BuiltPlayer {
            key: (player, None),
            player: spec.build(&Weights::default()).unwrap(),
            spec,
        })
    }

    fn refused(preparations: &Preparations, player: &Arc<BuiltPlayer>) -> String {
        let refusal = preparations.check(player).unwrap_err();
        refusal.body().to_string()
    }

    #[test]
    fn one_computation_runs_at_a_time_and_is_forgotten_at_its_end() {
        let preparations = Preparations::new();
        let usual = "2:0.9,4:0.1";
        let large = refused(&preparations, &perfect("3x3", "2:0.8,4:0.1,8:0.1"));
        assert!(large.contains("and 2000 MB"), "{large}");
        assert!(locked(&preparations.running).is_none());
        let first = perfect("3x3", usual);
        for player in [&first, &perfect("3x3", "2:0.8,4:0.2"), &first] {
            let body = refused(&preparations, player);
            assert!(body.contains("preparing") && body.contains("3x3"), "{body}");
            let running = locked(&preparations.running);
            let running = running.as_ref().map(|running| running.player.clone());
            assert_eq!(running, Some(first.spec.config()));
        }
        preparations.check(&perfect("2x2", usual)).unwrap();
        let Preparations {
            running,
            is_stopped,
        } = preparations;
        drop(is_stopped);
        let begin = Instant::now();
        while locked(&running).is_some() {
            assert!(begin.elapsed() < Duration::from_secs(60));
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_computation_that_panics_is_forgotten() {
        let running = SharedRunning::default();
        *locked(&running) = Some(Running {
            player: PlayerConfig::new("perfect", None),
            words: Default::default(),
        });
        let end = EndWhenDropped(Arc::clone(&running));
        let thread = thread::spawn(move || {
            let _end = end;
            panic!("on purpose");
        });
        assert!(thread.join().is_err());
        assert!(locked(&running).is_none());
    }
}
