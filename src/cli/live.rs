//! The live line of a run on a terminal: task, games a second, fitness, step size, time left. On a
//! pipe, or when quiet, there is none.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Context;
use super::text::{duration, number};
use crate::evaluation::Progress;
use crate::record::{GenerationRow, Phase};
use crate::run::{Observer, Task};

/// How often the line is drawn.
const TICK: Duration = Duration::from_millis(250);

/// The task, games a second, what is known of the fitness, and the time left.
const TEMPLATE: &str = "{spinner} {prefix}   {games_per_second} games/s{msg}{left}";

/// When a search ends that has a budget of minutes.
type Deadline = Arc<Mutex<Option<Instant>>>;

/// The live line; it disappears when the value is dropped.
pub(super) struct Live {
    context: Context,
    bar: ProgressBar,
    deadline: Deadline,
    generations: Option<u32>,
}

impl Live {
    /// A line for so many games, if anyone can see it. Without a number the end of the games is not
    /// known.
    pub(super) fn new(context: Context, games: Option<u64>) -> Self {
        let deadline = Deadline::default();
        let is_seen = !context.quiet && std::io::stderr().is_terminal();
        let bar = if is_seen {
            let bar = ProgressBar::with_draw_target(games, ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
            bar.with_style(style(&deadline))
        } else {
            ProgressBar::hidden()
        };
        Live {
            context,
            bar,
            deadline,
            generations: None,
        }
    }

    /// Sets the largest number of generations.
    pub(super) fn of_generations(mut self, generations: Option<u32>) -> Self {
        self.generations = generations;
        self
    }

    /// Sets the time after which the search ends.
    pub(super) fn ending_after(self, time: Option<Duration>) -> Self {
        self.set_deadline(time.map(|time| Instant::now() + time));
        self
    }

    fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// The progress that the line shows.
    pub(super) fn progress(&self) -> Arc<Progress> {
        let bar = self.bar.clone();
        Arc::new(Progress::watched(move |games| bar.inc(games)))
    }

    /// Prints a message above the line, as long as there is one.
    pub(super) fn speaker(&self) -> impl Fn(&str) + Send + 'static {
        let (context, bar) = (self.context, self.bar.clone());
        move |text| bar.suspend(|| context.say(text))
    }

    /// Sets the task.
    pub(super) fn task(&self, task: impl Into<String>) {
        self.bar.set_prefix(task.into());
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(deadline: &Deadline) -> ProgressStyle {
    let deadline = deadline.clone();
    // A line that cannot be written is not shown; the games matter more.
    let rate = |state: &ProgressState, line: &mut dyn Write| {
        let rate = state.per_sec();
        let decimals = if rate < 10.0 { 1 } else { 0 };
        let _ = write!(line, "{}", number(rate, decimals));
    };
    let left = move |state: &ProgressState, line: &mut dyn Write| {
        let deadline = *deadline.lock().unwrap_or_else(PoisonError::into_inner);
        let by_clock = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let by_games = (state.len().is_some() && state.pos() > 0).then(|| state.eta());
        if let Some(left) = [by_clock, by_games].into_iter().flatten().min() {
            let _ = write!(line, "   {} left", duration(left));
        }
    };
    ProgressStyle::with_template(TEMPLATE)
        .unwrap_or_else(|error| unreachable!("the template is sound: {error}"))
        .with_key("games_per_second", rate)
        .with_key("left", left)
}

impl Observer for Live {
    fn task_begins(&mut self, task: Task) {
        self.task(match task {
            Task::Generation(generation) => match self.generations {
                Some(all) => format!("generation {}/{all}", generation + 1),
                None => format!("generation {}", generation + 1),
            },
            Task::Phase { phase, games } => {
                let what = match phase {
                    Phase::Train => "training",
                    Phase::Race => "race between the restarts",
                    Phase::HoldOut => "hold-out",
                };
                format!("{what}: {} games", number(games as f64, 0))
            }
            Task::Rows { first, last } if first == last => first.to_owned(),
            Task::Rows { first, last } => format!("{first} to {last}"),
            Task::Positions {
                oracle,
                number,
                count,
            } => format!("{oracle}, position {number} of {count}"),
            Task::Report => "charts and report".to_owned(),
        });
    }

    fn generation_ends(&mut self, row: &GenerationRow) {
        let decimals = if row.best.abs() < 100.0 { 3 } else { 0 };
        self.bar.set_message(format!(
            "   best {}   mean {}   sigma {:.4}",
            number(row.best, decimals),
            number(row.mean, decimals),
            row.sigma
        ));
    }

    fn search_ends(&mut self, _generations: u32) {
        self.bar.set_message("");
        self.set_deadline(None);
    }
}
