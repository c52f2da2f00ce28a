//! What players compute before their first move, such as the solution of a board: once, on a thread of its own, whoever
//! asks. A request that needs it is told how far it is.

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

/// The computations in progress. They are stopped when this is dropped.
pub(super) struct Preparations {
    running: Arc<Mutex<Vec<Running>>>,
    is_stopped: StopWhenDropped,
}

struct Running {
    player: PlayerConfig,
    /// What it takes, and how far it is.
    words: [String; 2],
}

impl Preparations {
    pub(super) fn new() -> Self {
        Preparations {
            running: Arc::default(),
            is_stopped: StopWhenDropped(Arc::new(AtomicBool::new(false))),
        }
    }

    /// Checks that a player needs no long computation before its move. If it does, the computation is begun, unless it
    /// runs already.
    ///
    /// # Errors
    /// If it is not ready; the message says how far it is.
    pub(super) fn check(&self, built: &Arc<BuiltPlayer>) -> Result<(), Refusal> {
        let player = built.spec.config();
        let mut running = locked(&self.running);
        if let Some(known) = running.iter().find(|known| known.player == player) {
            return Err(Refusal::preparing(known.words.join("; ")));
        }
        let work = Work::quiet(threads(), Stop::never());
        let Some(Preparation { words, seconds }) = built.player.preparation(&work) else {
            return Ok(());
        };
        if seconds > MOST_SECONDS {
            let message = format!(
                "{words}: too long for a page; `tiletune evaluate` with this player computes it once, and the pages find it"
            );
            return Err(Refusal::wrong(message));
        }
        running.push(Running {
            player: player.clone(),
            words: [words.clone(), "it begins".to_owned()],
        });
        drop(running);
        let (running, built) = (Arc::clone(&self.running), Arc::clone(built));
        let is_stopped = Arc::clone(&self.is_stopped.0);
        let prepare = move || {
            let show = |of: Progress| {
                let mut running = locked(&running);
                if let Some(known) = running.iter_mut().find(|known| known.player == player) {
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
            locked(&running).retain(|known| known.player != player);
        };
        let begun = thread::Builder::new().spawn(prepare);
        begun.map_err(|_| Refusal::fault())?;
        Err(Refusal::preparing(words))
    }
}

pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, Into::into)
}
