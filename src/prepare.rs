//! What players compute before their first game, such as the solution of a board: with messages of what that takes, and
//! of its progress.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::config::weights_file::published;
use crate::lock::locked;
use crate::player::exact::{Progress, Work};
use crate::player::{Player, PlayerSpec};
use crate::report::exact::progress_in_words;
use crate::stop::Stop;

/// Time until the progress is shown for the first time, and between two messages.
pub(super) const SILENCE: Duration = Duration::from_secs(5);

/// How a computation reports and ends.
pub(super) struct Reported<'a> {
    pub(super) threads: usize,
    pub(super) stop: Stop<'a>,
    /// Prints a message.
    pub(super) say: &'a (dyn Fn(&str) + Sync),
}

impl<'a> Reported<'a> {
    /// A computation on all processors that says nothing.
    pub(super) fn quiet(stop: Stop<'a>) -> Self {
        Reported {
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            stop,
            say: &|_| (),
        }
    }

    /// Runs a computation. What it says is printed, and now and then its progress.
    pub(super) fn run<T>(&self, compute: impl FnOnce(&Work) -> T) -> T {
        let shown = Mutex::new(Instant::now());
        let progress = |of: Progress| {
            let mut last = locked(&shown);
            if last.elapsed() >= SILENCE {
                *last = Instant::now();
                (self.say)(&progress_in_words(of));
            }
        };
        compute(&Work {
            threads: self.threads,
            stop: self.stop,
            progress: &progress,
            say: self.say,
        })
    }

    /// Computes what a player needs before its first game. Returns `None` if a stop is requested.
    pub(super) fn prepare(&self, player: &dyn Player) -> Option<()> {
        self.run(|work| player.prepare(work))
    }

    /// The same for some players. One that cannot be built is reported by its game.
    pub(super) fn prepare_players(&self, players: &[&PlayerSpec]) -> Option<()> {
        let mut built = players.iter().copied().filter_map(built);
        built.try_for_each(|player| self.prepare(&*player))
    }

    /// Computes what the exact results of players need. Returns `None` if a stop is requested.
    pub(super) fn prepare_exact(&self, players: &[&PlayerSpec]) -> Option<()> {
        let mut built = players.iter().copied().filter_map(built);
        built.try_for_each(|player| self.run(|work| player.exact_result().prepare(work)))
    }
}

/// A player with its published weights: what it computes before its first game does not depend on weights. A program
/// outside of tiletune computes nothing here.
fn built(player: &PlayerSpec) -> Option<Box<dyn Player>> {
    if player.program().is_some() {
        return None;
    }
    player.build(&published(player)).ok()
}
