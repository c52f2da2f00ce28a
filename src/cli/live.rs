//! The live line of a run on a terminal: task, games a second, fitness, step size, time left. On a
//! pipe, or when quiet, there is none.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Context;
use super::text::{duration, number};
use crate::evaluation::Progress;
use crate::record::{GenerationRow, Phase};
use crate::run::{Observer, Task};

/// How often the line is drawn.
const TICK: Duration = Duration::from_millis(250);

/// Weight of the newest tick in the rate of games: it follows games that grow longer, without
/// jumping about.
const SMOOTHING: f64 = 0.05;

#[derive(Default)]
struct State {
    /// What is being done, e.g. `generation 3/40`.
    task: String,
    fitness: String,
    /// Games that are still to be played in all, counted from the start of the process.
    games_in_all: Option<u64>,
    /// For a search that ends by the clock.
    ends_at: Option<Instant>,
    ended: bool,
}

/// The live line; it disappears when the value is dropped.
pub(super) struct Live {
    context: Context,
    bar: ProgressBar,
    state: Arc<Mutex<State>>,
    ticker: Option<JoinHandle<()>>,
    generations: Option<u32>,
}

impl Live {
    /// A line for some games, if anyone can see it.
    pub(super) fn new(
        context: Context,
        progress: &Arc<Progress>,
        games_in_all: Option<u64>,
    ) -> Self {
        let state = Arc::new(Mutex::new(State {
            games_in_all,
            ..State::default()
        }));
        let is_seen = !context.quiet && std::io::stderr().is_terminal();
        let bar = if is_seen {
            drawn()
        } else {
            ProgressBar::hidden()
        };
        let ticker = is_seen.then(|| {
            let (bar, state, progress) = (bar.clone(), state.clone(), progress.clone());
            std::thread::spawn(move || tick(&bar, &state, &progress))
        });
        Live {
            context,
            bar,
            state,
            ticker,
            generations: None,
        }
    }

    /// Says how many generations there will be at most.
    pub(super) fn of_generations(mut self, generations: Option<u32>) -> Self {
        self.generations = generations;
        self
    }

    /// Says that the search ends by the clock.
    pub(super) fn ending_after(self, time: Option<Duration>) -> Self {
        self.update(|state| state.ends_at = time.map(|time| Instant::now() + time));
        self
    }

    /// Says something above the line, as long as there is one.
    pub(super) fn speaker(&self) -> impl Fn(&str) + Send + 'static {
        let (context, bar) = (self.context, self.bar.clone());
        move |text| bar.suspend(|| context.say(text))
    }

    /// Says what is being done.
    pub(super) fn task(&self, task: impl Into<String>) {
        self.update(|state| state.task = task.into());
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.update(|state| state.ended = true);
        if let Some(ticker) = self.ticker.take() {
            ticker.thread().unpark();
            // A panic of the ticker has been reported by then; the games matter more.
            let _ = ticker.join();
        }
    }
}

fn drawn() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

fn tick(bar: &ProgressBar, state: &Mutex<State>, progress: &Progress) {
    let (mut games_before, mut time_before) = (progress.games(), Instant::now());
    let mut rate: Option<f64> = None;
    loop {
        std::thread::park_timeout(TICK);
        let (games, time) = (progress.games(), Instant::now());
        let elapsed = time.duration_since(time_before).as_secs_f64();
        if elapsed > 0.0 {
            let now = (games - games_before) as f64 / elapsed;
            rate = Some(rate.map_or(now, |rate| rate + SMOOTHING * (now - rate)));
        }
        (games_before, time_before) = (games, time);
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.ended {
            break;
        }
        bar.set_message(line(&state, games, rate.unwrap_or(0.0)));
        bar.tick();
    }
    bar.finish_and_clear();
}

fn line(state: &State, games: u64, rate: f64) -> String {
    let mut parts = vec![state.task.clone()];
    parts.push(format!(
        "{} games/s",
        number(rate, if rate < 10.0 { 1 } else { 0 })
    ));
    if !state.fitness.is_empty() {
        parts.push(state.fitness.clone());
    }
    let by_clock = state
        .ends_at
        .map(|end| end.saturating_duration_since(Instant::now()));
    let by_games = state
        .games_in_all
        .filter(|_| rate > 0.0)
        .and_then(|all| Duration::try_from_secs_f64(all.saturating_sub(games) as f64 / rate).ok());
    if let Some(left) = [by_clock, by_games].into_iter().flatten().min() {
        parts.push(format!("{} left", duration(left)));
    }
    parts.join("   ")
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
        let fitness = format!(
            "best {}   mean {}   sigma {:.4}",
            number(row.best, decimals),
            number(row.mean, decimals),
            row.sigma
        );
        self.update(|state| state.fitness = fitness);
    }

    fn search_ends(&mut self, _generations: u32) {
        self.update(|state| {
            state.fitness.clear();
            state.ends_at = None;
        });
    }
}
