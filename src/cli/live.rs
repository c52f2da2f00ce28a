//! The progress line of a run: of a search its level and that of its start, the remaining time and the generation; of
//! another task its name; and games per second. On a terminal it is updated in place. Elsewhere it is printed after ten
//! seconds, and then at increasing intervals. `--quiet` switches both off.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::eta::{Eta, next_silence};
use super::interrupt::stop_on_interrupt;
use super::line::{COLUMNS, COLUMNS_OF_DETAILS, Counted, Shown, line};
use super::text::duration;
use super::{Context, Failure};
use crate::evaluation::Progress;
use crate::lock::locked;
use crate::number::{compact, count, difference, grouped, percent, several};
use crate::record::Phase;
use crate::report::{failures, search};
use crate::results::compare::Look;
use crate::results::{GAMES_OF_LEVEL, GenerationRow, level};
use crate::run::{Observer, Task};
use crate::stats::signal::FIRST_GENERATIONS;
use crate::visible::visible;

/// Interval of updates of the line.
const TICK: Duration = Duration::from_millis(250);

const TEMPLATE: &str = "{spinner} {line}";

/// Shared with the drawing thread.
type SharedEta = Arc<Mutex<Eta>>;

/// What the line is made of, shared with the drawing thread.
#[derive(Clone, Default)]
struct Shared {
    eta: SharedEta,
    shown: Arc<Mutex<Shown>>,
    /// The cluster's status in the line.
    machines: Arc<Mutex<String>>,
    /// Columns of the line.
    columns: usize,
}

/// The progress line. Dropping it removes it from the terminal.
pub(super) struct Live {
    context: Context,
    bar: ProgressBar,
    shared: Shared,
    /// Prints the line if it is not drawn on a terminal.
    _printer: Option<Printer>,
    generations: Option<u32>,
    /// The objective of the start weights, before the search.
    start: Option<f64>,
    /// Whether the search maximises the negative of a number that the player minimises. The line shows the number.
    minimises: bool,
    /// The generations of the search that have ended, as long as they are the first ones.
    first: Vec<GenerationRow>,
    /// The latest ones, as many as tell what the search has reached.
    latest: Vec<GenerationRow>,
    /// The child run whose tasks are shown.
    child: Option<String>,
}

impl Live {
    /// A line for a number of games; `None` if the number is unknown.
    fn new(context: Context, games: Option<u64>) -> Self {
        let columns = if context.verbose {
            COLUMNS_OF_DETAILS
        } else {
            COLUMNS
        };
        let shared = Shared {
            columns,
            ..Shared::default()
        };
        let is_drawn = !context.quiet && std::io::stderr().is_terminal();
        let target = if is_drawn {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let mut bar = ProgressBar::with_draw_target(games, target);
        if is_drawn {
            bar.enable_steady_tick(TICK);
            bar = bar.with_style(style(&shared));
        }
        let has_printer = !is_drawn && !context.quiet;
        Live {
            context,
            _printer: has_printer.then(|| Printer::new(context, &bar, &shared)),
            bar,
            shared,
            generations: None,
            start: None,
            minimises: false,
            first: Vec::new(),
            latest: Vec::new(),
            child: None,
        }
    }

    /// A line and its progress, which Ctrl-C and SIGTERM stop.
    pub(super) fn begin(
        context: Context,
        games: Option<u64>,
    ) -> Result<(Self, Arc<Progress>), Failure> {
        let live = Live::new(context, games);
        let progress = live.progress();
        stop_on_interrupt(&progress, live.speaker(), || ())?;
        Ok((live, progress))
    }

    /// Sets the largest number of generations and the time after which the search ends.
    pub(super) fn set_limits(&mut self, generations: Option<u32>, time: Option<Duration>) {
        self.set_deadline(time.map(|time| Instant::now() + time));
        self.generations = generations;
    }

    /// Shows the negative of every level, for a player that minimises a number.
    pub(super) fn set_minimises(&mut self, minimises: bool) {
        self.minimises = minimises;
    }

    /// A level as people read it.
    fn level(&self, value: f64) -> f64 {
        if self.minimises { 0.0 - value } else { value }
    }

    fn set_deadline(&self, deadline: Option<Instant>) {
        locked(&self.shared.eta).deadline = deadline;
    }

    /// The cluster's status in the line. It can be changed at any time.
    pub(super) fn machines(&self) -> Arc<Mutex<String>> {
        self.shared.machines.clone()
    }

    /// A progress whose games the line counts.
    fn progress(&self) -> Arc<Progress> {
        let (bar, eta) = (self.bar.clone(), self.shared.eta.clone());
        Arc::new(Progress::watched(move |games| {
            bar.inc(games);
            locked(&eta).add(games);
        }))
    }

    /// A function that prints a message above the line.
    pub(super) fn speaker(&self) -> impl Fn(&str) + Clone + Send + 'static {
        let (context, bar) = (self.context, self.bar.clone());
        move |text| bar.suspend(|| context.message(text))
    }

    /// Sets the task.
    pub(super) fn task(&self, task: impl Into<String>) {
        let task = visible(&self.of_child(&task.into()));
        self.show(|shown| shown.task = task);
    }

    /// Changes what the line says.
    fn show(&self, change: impl FnOnce(&mut Shown)) {
        change(&mut locked(&self.shared.shown));
    }

    /// A text that starts with the name of the child run, if there is one.
    fn of_child(&self, text: &str) -> String {
        match &self.child {
            Some(child) => format!("{child}, {text}"),
            None => text.to_owned(),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Prints the line at intervals until it is dropped.
struct Printer {
    /// Dropping it ends the thread.
    lives: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Printer {
    fn new(context: Context, bar: &ProgressBar, shared: &Shared) -> Self {
        let (bar, shared) = (bar.clone(), shared.clone());
        let (lives, ends) = mpsc::channel();
        let thread = std::thread::Builder::new().spawn(move || {
            let begin = Instant::now();
            let mut silence = next_silence(None);
            while let Err(RecvTimeoutError::Timeout) = ends.recv_timeout(silence) {
                context.message(printed(&bar, &shared, begin.elapsed()));
                silence = next_silence(Some(silence));
            }
        });
        Printer {
            lives: Some(lives),
            // If the thread cannot start, no lines are printed.
            thread: thread.ok(),
        }
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        self.lives = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The text of the line after this time.
fn printed(bar: &ProgressBar, shared: &Shared, time: Duration) -> String {
    let by_games = (bar.length().is_some() && bar.position() > 0).then(|| bar.eta());
    let missing = bar.length().map(|all| all.saturating_sub(bar.position()));
    let counted = Counted {
        games: Some(format!("{} games", count(bar.position()))),
        per_second: bar.per_sec(),
        left: locked(&shared.eta).left(Instant::now(), missing, by_games),
    };
    let time = duration(time);
    let columns = shared.columns.saturating_sub(time.len());
    format!("{time}: {}", shared.line(&counted, columns))
}

impl Shared {
    fn line(&self, counted: &Counted, columns: usize) -> String {
        line(&locked(&self.shown), counted, &self.machines, columns)
    }
}

fn style(shared: &Shared) -> ProgressStyle {
    let shared = shared.clone();
    // Errors are ignored: a line that cannot be drawn must not stop the games.
    let text = move |state: &ProgressState, line: &mut dyn Write| {
        let by_games = (state.len().is_some() && state.pos() > 0).then(|| state.eta());
        let missing = state.len().map(|all| all.saturating_sub(state.pos()));
        let counted = Counted {
            games: None,
            per_second: state.per_sec(),
            left: locked(&shared.eta).left(Instant::now(), missing, by_games),
        };
        let _ = line.write_str(&shared.line(&counted, shared.columns));
    };
    ProgressStyle::with_template(TEMPLATE)
        .unwrap_or_else(|error| unreachable!("the template is valid: {error}"))
        .with_key("line", text)
}

/// What only statisticians read of a generation.
fn details(row: &GenerationRow) -> String {
    let diagnostic = row.diagnostics.first().map(|(name, value)| {
        let decimals = if value.abs() < 100.0 { 4 } else { 0 };
        format!("{name} {value:.decimals$}")
    });
    let signal = row.known_signal();
    let signal = signal.map(|signal| format!("signal {}", percent(signal)));
    let games = format!("{} games a candidate", count(row.games));
    let details: Vec<String> = diagnostic
        .into_iter()
        .chain(signal)
        .chain([games])
        .collect();
    details.join(", ")
}

impl Observer for Live {
    fn task_begins(&mut self, task: Task) {
        let mut eta = locked(&self.shared.eta);
        match task {
            Task::Rows {
                games,
                alike,
                others,
                ..
            } => eta.rows_begin(games + alike, others, Instant::now()),
            _ => eta.rows_end(),
        }
        match task {
            Task::Generation(_) => eta.generation_begins(Instant::now()),
            _ => eta.search_ends(),
        }
        drop(eta);
        self.task(match task {
            Task::Generation(generation) => {
                let of = self.generations.map(|all| format!("/{all}"));
                format!("generation {}{}", generation + 1, of.unwrap_or_default())
            }
            Task::Start(games) => format!("start weights: {} games", count(games)),
            Task::Phase { phase, games } => {
                let phase = match phase {
                    Phase::Train => "training",
                    Phase::Race => "race of the finalists",
                    Phase::HoldOut => "hold-out",
                };
                format!("{phase}: {} games", count(games))
            }
            Task::Rows { first, last, .. } if first == last => first.to_owned(),
            Task::Rows { first, last, .. } => format!("{first} to {last}"),
            Task::Positions {
                oracle,
                number,
                count,
            } => format!("{oracle}, position {number} of {count}"),
            Task::Pairs { first, last } => format!("pairs {} to {}", count(first), count(last)),
            Task::Tables { first, last } if first == last => format!("{first} again"),
            Task::Tables { first, last } => format!("{first} to {last} again"),
            Task::ExactScores => "exact expected scores of start and tuned weights".to_owned(),
            Task::Report => "charts and report".to_owned(),
        });
    }

    fn warns(&mut self, sentence: &str) {
        self.speaker()(&self.of_child(sentence));
    }

    fn start_ends(&mut self, level: f64) {
        self.start = Some(level);
        let level = compact(self.level(level));
        self.show(|line| line.news = format!("start {level}"));
    }

    fn generation_ends(&mut self, row: &GenerationRow) {
        locked(&self.shared.eta).generation_ends(row.population, row.games, Instant::now());
        if row.generation as usize == self.first.len() && self.first.len() < FIRST_GENERATIONS {
            self.first.push(row.clone());
            if let Some(advice) = search::first_steps(&self.first) {
                self.speaker()(&self.of_child(&advice));
            }
        }
        if self.latest.len() == GAMES_OF_LEVEL as usize {
            self.latest.remove(0);
        }
        self.latest.push(row.clone());
        let decimals = if row.best.abs() < 100.0 { 3 } else { 0 };
        let shown = |value| grouped(self.level(value), decimals);
        let start = self.start.map(|start| format!(" (start {})", shown(start)));
        let level = level(&self.latest).map_or(String::new(), |level| {
            format!("now {}{}", shown(level), start.unwrap_or_default())
        });
        let refused = failures::refused_in_generation(row).unwrap_or_default();
        let details = if self.context.verbose {
            details(row)
        } else {
            String::new()
        };
        self.show(|line| {
            line.level = level;
            line.news = refused;
            line.details = details;
        });
    }

    fn look_ends(&mut self, player: &str, look: &Look) {
        let shown = |value: f64| difference(value, look.reference);
        let mut message = format!("{player} {}", shown(look.difference));
        if let (Some(low), Some(high)) = (look.low, look.high) {
            message += &format!(" ({} to {})", shown(low), shown(high));
        }
        let message = visible(&message);
        self.show(|line| line.news = message);
    }

    fn search_ends(&mut self, _generations: u32) {
        self.show(|line| {
            *line = Shown {
                task: std::mem::take(&mut line.task),
                ..Shown::default()
            };
        });
        // The limit of a run with children is that of all of them, so it stays.
        if self.child.is_none() {
            self.set_deadline(None);
        }
    }

    fn child_begins(&mut self, name: &str) {
        self.child = Some(name.to_owned());
        self.first.clear();
        self.latest.clear();
        self.start = None;
    }

    fn child_ends(&mut self) {
        self.child = None;
    }

    fn restored(&mut self, run: &Path, files: &[&str]) {
        const MOST: usize = 5;
        let (named, others) = files.split_at(files.len().min(MOST));
        let others = match others.len() {
            0 => String::new(),
            count => format!(" and {}", several(count as u64, "other file")),
        };
        self.speaker()(&format!(
            "{}: written again, because they were missing or damaged: {}{others}",
            run.display(),
            named.join(", ")
        ));
    }
}
