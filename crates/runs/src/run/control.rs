//! The control of a running run: stop requests, observer, clock.

use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use tiletune_engine::record::Phase;
use tiletune_tuning::evaluation::Progress;
use tiletune_tuning::results::GenerationRow;
use tiletune_tuning::results::compare::Look;

/// The next task of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task<'a> {
    /// A campaign plays a generation, counted from 0.
    Generation(u32),
    /// A campaign plays this number of games with its start weights, before its search.
    Start(u64),
    /// A campaign plays this number of games after its search.
    Phase {
        /// Which games.
        phase: Phase,
        /// How many.
        games: u64,
    },
    /// An experiment plays rows.
    Rows {
        /// Name of the first.
        first: &'a str,
        /// Name of the last.
        last: &'a str,
        /// Games of these rows that are not played yet.
        games: u64,
        /// Games of later rows of the same player, which take equally long.
        alike: u64,
        /// Number of later rows of other players, whose games can be slower or faster.
        others: usize,
    },
    /// The oracle of an experiment judges positions.
    Positions {
        /// Name of the player that is the oracle.
        oracle: &'a str,
        /// Number of the next position, from 1.
        number: usize,
        /// Number of positions in all.
        count: usize,
    },
    /// A comparison plays pairs.
    Pairs {
        /// Number of the first, from 1.
        first: u64,
        /// Number of the last.
        last: u64,
    },
    /// Recorded games are played again.
    Tables {
        /// The first table.
        first: &'a str,
        /// The last table.
        last: &'a str,
    },
    /// The exact expected scores of the start and the tuned weights are computed.
    ExactScores,
    /// Charts are drawn and the report is written.
    Report,
}

/// Is notified of the progress of a run.
pub trait Observer {
    /// A task begins.
    fn task_begins(&mut self, _task: Task) {}
    /// A sentence about what the run can show, before its search.
    fn warns(&mut self, _sentence: &str) {}
    /// The start weights have this value of the objective in the games before the search.
    fn start_ends(&mut self, _level: f64) {}
    /// A generation of a campaign is complete.
    fn generation_ends(&mut self, _row: &GenerationRow) {}
    /// The search of a campaign has ended after this number of generations.
    fn search_ends(&mut self, _generations: u32) {}
    /// A comparison has completed a look at the pairs of a player with the first player.
    fn look_ends(&mut self, _player: &str, _look: &Look) {}
    /// A child of the run begins or continues; the tasks that follow are its tasks.
    fn child_begins(&mut self, _name: &str) {}
    /// The child has ended, completely or not.
    fn child_ends(&mut self) {}
    /// Missing or damaged charts, results or reports of a complete run were written again.
    fn restored(&mut self, _run: &Path, _files: &[&str]) {}
}

pub struct NullObserver;

impl Observer for NullObserver {}

pub struct Control<'a> {
    /// Counts games and contains the request to stop.
    pub progress: &'a Progress,
    pub observer: &'a mut dyn Observer,
    /// The time since some fixed instant. It affects only budgets in minutes and `timing.jsonl`.
    pub clock: &'a dyn Fn() -> Duration,
    /// Whether to continue a search that has stopped because all of its candidates have the same fitness.
    pub goes_on_without_signal: bool,
}

impl<'a> Control<'a> {
    /// A control with the system clock.
    pub fn new(progress: &'a Progress, observer: &'a mut dyn Observer) -> Self {
        Control {
            progress,
            observer,
            clock: &system_clock,
            goes_on_without_signal: false,
        }
    }
}

/// The time since the first call of this function, by a monotonic clock.
pub fn system_clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
