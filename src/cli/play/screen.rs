//! The screen of a game on a terminal: lines of text, computed from a step.

use super::painting::{Palette, board, width};
use crate::number::{compact, count};
use crate::player::session::Step;

/// Largest number of rows whose cells, three lines high, fit into a window of 24 lines.
const MOST_ROWS_OF_HIGH_CELLS: usize = 4;

/// The state that determines the lines.
pub(super) struct Screen {
    /// Player and game in words.
    pub(super) title: String,
    /// Index of the selected move when a person is to move.
    pub(super) pointed: usize,
    /// The current step; `None` while the player computes its first move.
    pub(super) step: Option<Step>,
    /// Whether moves follow each other automatically.
    pub(super) runs: bool,
    /// Moves per second of automatic play.
    pub(super) speed: f64,
    /// The colors of the terminal.
    pub(super) palette: Palette,
    /// Whether a person plays.
    pub(super) has_person: bool,
    /// The error of the last key.
    pub(super) complaint: Option<String>,
    /// The digits of the move to go to.
    pub(super) typed: String,
    /// By how much the player's value of the position falls with the shown move, as far as that is known.
    pub(super) loss: Option<f64>,
}

/// The keys while the player moves.
const KEYS: &str = " space start/pause   s or right arrow: step   + faster   - slower   q quit";
/// The keys to go back and to jump.
const KEYS_OF_HISTORY: &str =
    " left arrow: back   home/end: start/end   number, enter: move   l: largest loss";
/// The keys while a person is to move.
const KEYS_OF_PERSON: &str = " number or arrows and enter: your move   q quit";

impl Screen {
    /// The lines, from the top.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!(" {}", self.palette.bold(&self.title)),
            String::new(),
        ];
        if let Some(step) = &self.step {
            lines.extend(self.body(step));
        }
        lines.push(String::new());
        lines.push(format!(" {}", self.status()));
        let has_ended = self.step.as_ref().is_some_and(|step| step.ended.is_some());
        let keys: &[&str] = match (has_ended, self.has_person) {
            (true, true) => &[" q quit"],
            (true, false) => &[KEYS_OF_HISTORY, " q quit"],
            (false, true) => &[KEYS_OF_PERSON],
            (false, false) => &[KEYS, KEYS_OF_HISTORY],
        };
        lines.extend(keys.iter().map(|keys| (*keys).to_owned()));
        lines
    }

    fn status(&self) -> String {
        if !self.typed.is_empty() {
            return format!("go to move {}: press enter", self.typed);
        }
        let state = match &self.step {
            None => "thinking",
            Some(step) if step.ended.is_some() => "game over",
            Some(step) if !step.asked.is_empty() => {
                return self.complaint.clone().unwrap_or_else(|| {
                    "your move: press its number, or select it with the arrows and press enter"
                        .into()
                });
            }
            _ if self.runs => "running",
            _ => "paused",
        };
        match self.loss.filter(|_| !self.runs) {
            Some(loss) => format!(
                "{state}; with this move the value falls by {}",
                compact(loss)
            ),
            None => format!("{state}, {} moves/s", compact(self.speed)),
        }
    }

    /// The board with the counts and values beside it.
    fn body(&self, step: &Step) -> Vec<String> {
        let grid = step.position.grid();
        let rows = grid.cells.len() / grid.columns;
        let height = if rows > MOST_ROWS_OF_HIGH_CELLS { 1 } else { 3 };
        let mut left = board(&grid, self.palette, height);
        let mut right = self.panel(step);
        let lines = left.len().max(right.len());
        left.resize(lines, " ".repeat(width(&grid)));
        right.resize(lines, String::new());
        let pairs = left.into_iter().zip(right);
        let lines = pairs.map(|(left, right)| format!(" {left}   {right}"));
        lines.collect()
    }

    fn panel(&self, step: &Step) -> Vec<String> {
        let row = |name: &str, value: String| format!("  {name:<10}  {value:>14}");
        let mut lines = vec![row("moves", count(step.moves))];
        for (name, number) in &step.counts {
            lines.push(row(&name.replace('_', " "), count(*number)));
        }
        lines.push(String::new());
        for (name, value) in &step.analysis.values {
            let value = value.map_or("-".to_owned(), |value| value.text(shown));
            let is_chosen = step.analysis.best.as_ref() == Some(name);
            lines.push(if is_chosen {
                let line = row(name, value);
                self.palette.bold(&format!("> {}", line.trim_start()))
            } else {
                row(name, value)
            });
        }
        for (index, name) in step.asked.iter().enumerate() {
            lines.push(if index == self.pointed {
                self.palette.bold(&format!("> {name}"))
            } else {
                format!("  {name}")
            });
        }
        if let Some(evaluation) = step.analysis.evaluation {
            lines.push(String::new());
            lines.push(row("evaluation", evaluation.text(shown)));
        }
        lines
    }
}

fn shown(value: f64) -> String {
    if value.is_finite() {
        compact(value)
    } else {
        if value > 0.0 { "won" } else { "lost" }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::rules::Board;
    use crate::player::analysis::{Analysis, MoveValue};

    #[test]
    fn a_screen_fits_into_80_by_24() {
        let board = Board::from_ranks([1, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]);
        let values = [
            ("up", None),
            ("down", Some(1234.5)),
            ("left", Some(f64::NEG_INFINITY)),
        ];
        let counts = [("score", 20_000), ("max_tile", 2048)];
        let screen = Screen {
            pointed: 0,
            title: "expectimax, depth 1: game 0 of seed 1".into(),
            step: Some(Step {
                analysis: Analysis {
                    best: Some("down".into()),
                    values: values
                        .map(|(name, value)| (name.to_owned(), value.map(MoveValue::One)))
                        .into(),
                    evaluation: Some(MoveValue::One(0.5)),
                    search_end: None,
                },
                ..Step::new(board, 1200, counts)
            }),
            runs: true,
            speed: 4.0,
            palette: Palette::None,
            has_person: false,
            complaint: None,
            typed: String::new(),
            loss: Some(12.0),
        };
        let lines = screen.lines();
        assert!(lines.len() <= 24, "{}", lines.len());
        for line in &lines {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let text = lines.join("\n");
        for part in ["> down ", "  up  ", "lost", "20,000", "running, 4 moves/s"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
