//! A game on a terminal. The player runs on its own thread, so that keys work while it computes a
//! move. The terminal is always restored at the end.

use std::io::{Write, stdout};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel, sync_channel};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{cursor, execute, queue};

use super::history::History;
use super::painting::{Palette, board};
use super::screen::Screen;
use super::{GameToShow, conclude};
use crate::cli::Failure;
use crate::cli::interrupt::{INTERRUPTED, NOTHING_TO_RESUME, stop_on_interrupt};
use crate::evaluation::Progress;
use crate::player::session::Step;
use crate::record::GameRecord;

/// Smallest number of moves per second.
pub(super) const SLOWEST: f64 = 0.125;
/// Largest number of moves per second.
pub(super) const FASTEST: f64 = 1024.0;
/// Longest time between two checks for an interrupt.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Time in which a game ends by itself after a request to stop.
const PATIENCE: Duration = Duration::from_secs(1);
/// Shortest time between two drawings. Not all of faster moves are drawn.
const BETWEEN_DRAWINGS: Duration = Duration::from_millis(25);

/// Largest number of digits of a move to go to.
const LONGEST_NUMBER: usize = 9;

/// Shows the game until the user quits.
pub(super) fn watch(watched: GameToShow, speed: f64) -> Result<(), Failure> {
    let interrupted = Arc::new(Progress::default());
    stop_on_interrupt(&interrupted, |_| (), restore)?;
    end_with_the_terminal(Arc::clone(&interrupted));
    let watched = Arc::new(watched);
    let (answers, steps) = think(Arc::clone(&watched), Arc::clone(&interrupted));
    let screen = Screen {
        title: watched.title.clone(),
        pointed: 0,
        step: None,
        runs: true,
        speed,
        palette: Palette::of_environment(),
        has_person: watched.human.is_some(),
        complaint: None,
        typed: String::new(),
        loss: None,
    };
    let mut viewer = GameViewer {
        screen,
        history: History::default(),
        steps,
        answers,
        due: Instant::now(),
        is_asked_for_one: false,
    };
    {
        let _terminal = BorrowedTerminal::take()?;
        let ended = viewer.until_quit(&interrupted);
        ended.map_err(|error| watched.failure().unwrap_or(error))?;
    }
    writeln!(stdout(), "{}", watched.title)?;
    // The alternate screen with the board is closed, so the board is printed again.
    if let Some(step) = viewer.history.last() {
        for line in board(&step.position.grid(), viewer.screen.palette, 1) {
            writeln!(stdout(), "{}", line.trim_end())?;
        }
    }
    let ended = viewer.ended();
    ended.map_or(Ok(()), |record| conclude(&watched, record))
}

/// Ends the program soon after a stop request. A lost terminal also requests a stop, because reading from it may never
/// return.
fn end_with_the_terminal(interrupted: Arc<Progress>) {
    std::thread::spawn(move || {
        while !interrupted.is_stopped() {
            std::thread::sleep(LONGEST_WAIT);
        }
        std::thread::sleep(PATIENCE);
        restore();
        std::process::exit(INTERRUPTED.into());
    });
}

fn was_interrupted() -> Failure {
    Failure::Interrupted(NOTHING_TO_RESUME.into())
}

/// Plays on a thread that ends with the program, at most two steps ahead of the screen. Returns a sender for the moves
/// of a person and a receiver of the steps.
fn think(watched: Arc<GameToShow>, interrupted: Arc<Progress>) -> (Sender<String>, Receiver<Step>) {
    let (sender, steps) = sync_channel(1);
    let (answers, answered) = channel::<String>();
    std::thread::spawn(move || {
        let mut playing = watched.begin(interrupted.stop());
        while let Some(step) = playing.step() {
            let (is_last, is_asking) = (step.ended.is_some(), !step.asked.is_empty());
            if sender.send(step).is_err() || is_last {
                return;
            }
            if is_asking {
                match answered.recv() {
                    Ok(answer) => playing.answer(&answer),
                    Err(_) => return,
                }
            }
        }
    });
    (answers, steps)
}

struct GameViewer {
    screen: Screen,
    history: History,
    steps: Receiver<Step>,
    answers: Sender<String>,
    /// Time of the next move, if moves follow automatically.
    due: Instant,
    is_asked_for_one: bool,
}

impl GameViewer {
    fn until_quit(&mut self, interrupted: &Progress) -> Result<(), Failure> {
        let mut drawn: Option<Instant> = None;
        let mut is_stale = true;
        loop {
            if interrupted.is_stopped() {
                return Err(was_interrupted());
            }
            is_stale |= self.take_step()?;
            let is_fresh = drawn.is_some_and(|drawn| drawn.elapsed() < BETWEEN_DRAWINGS);
            if is_stale && !is_fresh {
                draw(&self.screen.lines())?;
                (drawn, is_stale) = (Some(Instant::now()), false);
            }
            if !poll(self.wait(is_stale)).map_err(lost)? {
                continue;
            }
            if let Event::Key(key) = read().map_err(lost)?
                && key.kind != KeyEventKind::Release
                && self.handle(key)?
            {
                return Ok(());
            }
            is_stale = true;
        }
    }

    fn ended(&self) -> Option<&GameRecord> {
        self.history.last().and_then(|step| step.ended.as_ref())
    }

    /// Shows the step of the history.
    fn show(&mut self) {
        self.screen.step = self.history.shown().cloned();
        self.screen.loss = self.history.loss_of_shown();
    }

    /// Takes the next step if it is due and computed. Returns whether it did.
    fn take_step(&mut self) -> Result<bool, Failure> {
        let is_wanted = self.is_asked_for_one || self.history.is_jumping();
        let is_due = is_wanted || (self.screen.runs && Instant::now() >= self.due);
        let is_first = self.screen.step.is_none();
        if self.history.has_ended() || !(is_due || is_first) {
            return Ok(false);
        }
        if self.history.forward() {
            self.shown_one();
            return Ok(true);
        }
        match self.steps.try_recv() {
            Ok(step) => {
                self.history.push(step);
                self.shown_one();
                Ok(true)
            }
            Err(TryRecvError::Empty) => Ok(false),
            Err(TryRecvError::Disconnected) => {
                Err(Failure::Failed("the player stopped unexpectedly".into()))
            }
        }
    }

    /// Shows the step that was due, and sets the time of the next one.
    fn shown_one(&mut self) {
        // After a slow move, the next moves keep their interval.
        let interval = Duration::from_secs_f64(1.0 / self.screen.speed);
        self.due = (self.due + interval).max(Instant::now());
        if interval > LONGEST_WAIT {
            self.due = Instant::now() + interval;
        }
        self.is_asked_for_one = false;
        self.show();
    }

    fn wait(&self, is_stale: bool) -> Duration {
        let step = self.screen.step.as_ref();
        let is_asking = step.is_some_and(|step| !step.asked.is_empty());
        let is_moving = self.screen.runs && !self.history.has_ended() && !is_asking;
        let until_due = if self.history.is_jumping() {
            Duration::from_micros(200)
        } else if is_moving {
            // If the step is due but not computed yet, check again soon.
            let until_due = self.due.saturating_duration_since(Instant::now());
            until_due.max(Duration::from_micros(500))
        } else if self.is_asked_for_one || self.screen.step.is_none() {
            Duration::from_millis(5)
        } else {
            LONGEST_WAIT
        };
        until_due.min(if is_stale {
            BETWEEN_DRAWINGS
        } else {
            LONGEST_WAIT
        })
    }

    /// Handles a key. Returns whether the user quits.
    fn handle(&mut self, key: KeyEvent) -> Result<bool, Failure> {
        if self.answer(key) || self.go(key) {
            return Ok(false);
        }
        let screen = &mut self.screen;
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Err(was_interrupted());
            }
            KeyCode::Char('q' | 'Q') => return Ok(true),
            KeyCode::Char(' ') => {
                screen.runs = !screen.runs;
                self.due = Instant::now();
            }
            KeyCode::Char('s') | KeyCode::Right => {
                screen.runs = false;
                self.is_asked_for_one = true;
            }
            KeyCode::Char('+' | '=') => self.set_speed(2.0),
            KeyCode::Char('-') => self.set_speed(0.5),
            _ => {}
        }
        Ok(false)
    }

    /// Handles a key that selects or makes a move of a person. Returns whether the key did that.
    fn answer(&mut self, key: KeyEvent) -> bool {
        let asked = match self.history.shown_mut() {
            Some(step) if !step.asked.is_empty() => &mut step.asked,
            _ => return false,
        };
        let pointed = &mut self.screen.pointed;
        *pointed = (*pointed).min(asked.len() - 1);
        let chosen = match key.code {
            KeyCode::Left | KeyCode::Up => {
                *pointed = pointed.saturating_sub(1);
                return true;
            }
            KeyCode::Right | KeyCode::Down => {
                *pointed = (*pointed + 1).min(asked.len() - 1);
                return true;
            }
            KeyCode::Enter => *pointed,
            KeyCode::Char(sign) => match asked.iter().position(|name| *name == sign.to_string()) {
                Some(place) => place,
                None if "qQ".contains(sign) || key.modifiers.contains(KeyModifiers::CONTROL) => {
                    return false;
                }
                None => {
                    let moves = asked.join(", ");
                    self.screen.complaint =
                        Some(format!("`{sign}` is no move; your moves: {moves}"));
                    return true;
                }
            },
            _ => return false,
        };
        self.screen.complaint = None;
        *pointed = chosen;
        // A second key before the move is drawn must not make another move.
        let chosen = std::mem::take(asked).swap_remove(chosen);
        self.show();
        // If the player has stopped, taking the next step fails.
        let _ = self.answers.send(chosen);
        self.is_asked_for_one = true;
        true
    }

    /// Handles a key that goes back or jumps. Returns whether the key did that. In a game with a person the numbers are
    /// moves, and no move is taken back.
    fn go(&mut self, key: KeyEvent) -> bool {
        if self.screen.has_person || key.modifiers.contains(KeyModifiers::CONTROL) {
            return false;
        }
        let typed = std::mem::take(&mut self.screen.typed);
        match key.code {
            KeyCode::Left => self.history.back(),
            KeyCode::Home => self.history.go_to(0),
            KeyCode::End => self.history.go_to(u32::MAX),
            KeyCode::Char('l' | 'L') => self.history.go_to_loss(),
            KeyCode::Enter if !typed.is_empty() => {
                self.history.go_to(typed.parse().unwrap_or(u32::MAX));
            }
            KeyCode::Char(digit) if digit.is_ascii_digit() && typed.len() < LONGEST_NUMBER => {
                self.screen.typed = typed + &digit.to_string();
                return true;
            }
            _ => return false,
        }
        self.screen.runs = false;
        self.is_asked_for_one = false;
        self.show();
        true
    }

    fn set_speed(&mut self, factor: f64) {
        self.screen.speed = (self.screen.speed * factor).clamp(SLOWEST, FASTEST);
        self.due = Instant::now();
    }
}

/// The terminal in raw mode and on its alternate screen; restored when dropped.
struct BorrowedTerminal;

impl BorrowedTerminal {
    fn take() -> Result<Self, Failure> {
        enable_raw_mode().map_err(lost)?;
        // This comes before the next commands, so that their failure restores the terminal as well.
        let terminal = BorrowedTerminal;
        execute!(
            stdout(),
            EnterAlternateScreen,
            DisableLineWrap,
            cursor::Hide
        )
        .map_err(lost)?;
        Ok(terminal)
    }
}

impl Drop for BorrowedTerminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal. A second call has no effect.
fn restore() {
    // Raw mode first, because it can be ended even if the output cannot be written. Errors are ignored, because a
    // closed terminal needs no restoring.
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), cursor::Show, EnableLineWrap, LeaveAlternateScreen);
}

/// Draws as many lines as fit into the window. One write without clearing first avoids flicker.
fn draw(lines: &[String]) -> Result<(), Failure> {
    let (columns, rows) = size().map_err(lost)?;
    let widest = lines
        .iter()
        .map(|line| visible_width(line))
        .max()
        .unwrap_or(0);
    let mut lines = lines.to_vec();
    let (needed_columns, needed_rows) = (widest, lines.len());
    if rows > 0 && (needed_rows > usize::from(rows) || needed_columns > usize::from(columns)) {
        let message =
            format!(" window too small: {needed_columns} x {needed_rows} needed; q quits");
        lines.insert(0, message);
    }
    let mut out = Vec::new();
    queue!(out, BeginSynchronizedUpdate)?;
    for (row, line) in (0..rows).zip(&lines) {
        queue!(out, cursor::MoveTo(0, row))?;
        write!(out, "{line}")?;
        queue!(out, Clear(ClearType::UntilNewLine))?;
    }
    if lines.len() < usize::from(rows) {
        queue!(out, cursor::MoveTo(0, lines.len() as u16))?;
        queue!(out, Clear(ClearType::FromCursorDown))?;
    }
    queue!(out, EndSynchronizedUpdate)?;
    let mut terminal = stdout().lock();
    terminal.write_all(&out)?;
    terminal.flush()?;
    Ok(())
}

/// Number of characters of a line without colour sequences.
fn visible_width(line: &str) -> usize {
    let mut width = 0;
    let mut is_sequence = false;
    for c in line.chars() {
        match c {
            '\u{1b}' => is_sequence = true,
            _ if is_sequence => is_sequence = !c.is_ascii_alphabetic(),
            _ => width += 1,
        }
    }
    width
}

fn lost(error: std::io::Error) -> Failure {
    Failure::Failed(format!("terminal error: {error}"))
}
