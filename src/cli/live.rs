//! The progress line of a run: task, games per second, fitness, step size and time left. It is shown
//! only if stderr is a terminal and `--quiet` is not given.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Context;
use super::text::duration;
use crate::evaluation::Progress;
use crate::number::{count, grouped, percent, signed};
use crate::record::compare::Look;
use crate::record::{GenerationRow, Phase};
use crate::run::{Observer, Task};
use crate::visible::visible;

/// Time between two drawings of the line.
const TICK: Duration = Duration::from_millis(250);

/// Task, games per second, fitness of the last generation, time left.
const TEMPLATE: &str = "{spinner} {prefix}   {games_per_second} games/s{msg}{left}";

/// The end of a search with a budget of minutes.
type Deadline = Arc<Mutex<Option<Instant>>>;

/// The progress line; dropping it removes it from the terminal.
pub(super) struct Live {
    context: Context,
    bar: ProgressBar,
    deadline: Deadline,
    generations: Option<u32>,
    /// The child whose tasks are shown.
    child: Option<String>,
}

impl Live {
    /// A line for a number of games; `None` if it is unknown.
    pub(super) fn new(context: Context, games: Option<u64>) -> Self {
        let deadline = Deadline::default();
        let mut bar = ProgressBar::hidden();
        if !context.quiet && std::io::stderr().is_terminal() {
            bar = ProgressBar::with_draw_target(games, ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
            bar = bar.with_style(style(&deadline));
        }
        Live {
            context,
            bar,
            deadline,
            generations: None,
            child: None,
        }
    }

    /// Sets the largest number of generations and the time after which the search ends.
    pub(super) fn with_limits(mut self, generations: Option<u32>, time: Option<Duration>) -> Self {
        self.set_deadline(time.map(|time| Instant::now() + time));
        self.generations = generations;
        self
    }

    fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// A progress whose games the line counts.
    pub(super) fn progress(&self) -> Arc<Progress> {
        let bar = self.bar.clone();
        Arc::new(Progress::watched(move |games| bar.inc(games)))
    }

    /// A function that prints a message above the line.
    pub(super) fn speaker(&self) -> impl Fn(&str) + Clone + Send + 'static {
        let (context, bar) = (self.context, self.bar.clone());
        move |text| bar.suspend(|| context.message(text))
    }

    /// Sets the task.
    pub(super) fn task(&self, task: impl Into<String>) {
        let task = task.into();
        self.bar.set_prefix(visible(&match &self.child {
            Some(child) => format!("{child}, {task}"),
            None => task,
        }));
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(deadline: &Deadline) -> ProgressStyle {
    let deadline = deadline.clone();
    // Errors are ignored: a line that cannot be drawn must not stop the games.
    let rate = |state: &ProgressState, line: &mut dyn Write| {
        let rate = state.per_sec();
        let decimals = if rate < 10.0 { 1 } else { 0 };
        let _ = write!(line, "{}", grouped(rate, decimals));
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
        .unwrap_or_else(|error| unreachable!("the template is valid: {error}"))
        .with_key("games_per_second", rate)
        .with_key("left", left)
}

impl Observer for Live {
    fn task_begins(&mut self, task: Task) {
        self.task(match task {
            Task::Generation(generation) => {
                let of = self.generations.map(|all| format!("/{all}"));
                format!("generation {}{}", generation + 1, of.unwrap_or_default())
            }
            Task::Phase { phase, games } => {
                let phase = match phase {
                    Phase::Train => "training",
                    Phase::Race => "race between the final means",
                    Phase::HoldOut => "hold-out",
                };
                format!("{phase}: {} games", count(games))
            }
            Task::Rows { first, last } if first == last => first.to_owned(),
            Task::Rows { first, last } => format!("{first} to {last}"),
            Task::Positions {
                oracle,
                number,
                count,
            } => format!("{oracle}, position {number} of {count}"),
            Task::Pairs { first, last } => format!("pairs {} to {}", count(first), count(last)),
            Task::Report => "charts and report".to_owned(),
        });
    }

    fn generation_ends(&mut self, row: &GenerationRow) {
        let decimals = if row.best.abs() < 100.0 { 3 } else { 0 };
        self.bar.set_message(format!(
            "   best {}   mean {}   sigma {:.4}   {} games, signal {}",
            grouped(row.best, decimals),
            grouped(row.mean, decimals),
            row.sigma,
            count(row.games),
            percent(row.signal)
        ));
    }

    fn look_ends(&mut self, player: &str, look: &Look) {
        let percent = |value: f64| {
            let share = look.share(value)?;
            Some(format!("{} %", signed(100.0 * share, 1)))
        };
        let mut message = format!("   {player} ");
        message += &percent(look.difference).unwrap_or_default();
        if let (Some(low), Some(high)) = (look.low.and_then(percent), look.high.and_then(percent)) {
            message += &format!(" ({low} to {high})");
        }
        self.bar.set_message(message);
    }

    fn search_ends(&mut self, _generations: u32) {
        self.bar.set_message("");
        // A limit of a run with children is that of all of them.
        if self.child.is_none() {
            self.set_deadline(None);
        }
    }

    fn child_begins(&mut self, name: &str) {
        self.child = Some(name.to_owned());
    }

    fn child_ends(&mut self) {
        self.child = None;
    }
}
