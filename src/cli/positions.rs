//! Positions as lines of text: reads them, and says why one is refused.

use std::io::BufRead;
use std::sync::Arc;

use serde_json::Value;

use super::stdin_lines::{InputLine, next_line, skip_rest};
use crate::player::PlayerSpec;
use crate::player::format::take_id;
use crate::player::position::{Position, PositionError};

/// A position that a user gives to play on from.
pub(super) struct GivenPosition {
    /// Its first line, counted from 1.
    pub(super) line: u64,
    /// Its key `id`.
    pub(super) id: Option<Value>,
    pub(super) position: Arc<dyn Position>,
}

impl GivenPosition {
    /// Reads one position of a player's game.
    ///
    /// # Errors
    /// The reason why it is refused, with its line.
    pub(super) fn read(text: &str, line: u64, player: &PlayerSpec) -> Result<Self, String> {
        let (fields, id) = take_id(text);
        let read = (player.entry.game.format.read)(&fields, &player.options);
        match read {
            Ok(request) => Ok(GivenPosition {
                line,
                id,
                position: request.position,
            }),
            Err(error) => Err(refusal(&error, text, line, player)),
        }
    }
}

/// The start position of a player's game; `None` if it cannot be shown.
pub(super) fn start(player: &PlayerSpec) -> Option<Arc<dyn Position>> {
    let start_interactive = player.entry.game.start_interactive?;
    let table = start_interactive(&player.options, Some(0)).ok()?;
    Some(table.position())
}

/// The reason why a line is refused. If the line is not a position at all, the error contains its number (from 1) and
/// the form of positions, which the parser of a game does not know.
pub(super) fn refusal(
    error: &PositionError,
    line: &str,
    number: u64,
    player: &PlayerSpec,
) -> String {
    let message = error.to_string();
    let Some(form) = form_of(player) else {
        return message;
    };
    let what = if !line.trim_start().starts_with(['{', '[']) {
        format!("line {number}: {message}")
    } else if let Some((what, column)) = message.rsplit_once(" at line 1 column ") {
        format!("line {number}, column {column}: {what}")
    } else {
        return message;
    };
    format!("{what}; a position has the form {form}")
}

/// The form of positions of a player's game, from its start position. `[..]` means a list.
fn form_of(player: &PlayerSpec) -> Option<String> {
    let start = start(player)?;
    let fields = (player.entry.game.format.position)(&*start);
    let fields = fields.iter().map(|(key, value)| match value {
        Value::Array(_) => format!("\"{key}\":[..]"),
        value => format!("\"{key}\":{value}"),
    });
    let fields: Vec<String> = fields.collect();
    Some(format!("{{{}}}", fields.join(",")))
}

/// The positions of the input: the lines that are not blank. As many lines of cells as a board has rows are one
/// position.
pub(super) struct Positions<'a, Input> {
    input: &'a mut Input,
    /// Number of lines of a board as text, and of cells on each; 0 if boards are not written so.
    size: [usize; 2],
    /// Number of lines so far.
    lines: u64,
    /// A line that was read to see whether it is a row.
    ahead: Option<InputLine>,
    /// Whether the end of a line that is too long must be skipped first.
    skips: bool,
}

impl<'a, Input: BufRead> Positions<'a, Input> {
    pub(super) fn new(input: &'a mut Input, player: &PlayerSpec) -> Self {
        Positions {
            input,
            size: (player.entry.game.format.text_size)(&player.options).unwrap_or_default(),
            lines: 0,
            ahead: None,
            skips: false,
        }
    }

    /// The next position and the number of its first line, counted from 1.
    pub(super) fn next(&mut self) -> std::io::Result<Option<(u64, InputLine)>> {
        let Some(line) = self.line()? else {
            return Ok(None);
        };
        let first = self.lines;
        let InputLine::Text(mut text) = line else {
            return Ok(Some((first, line)));
        };
        let mut rows = usize::from(self.is_row(&text));
        while (1..self.size[0]).contains(&rows) {
            match self.line()? {
                Some(InputLine::Text(row)) if self.is_row(&row) => {
                    text += &format!("\n{row}");
                    rows += 1;
                }
                other => {
                    self.ahead = other;
                    break;
                }
            }
        }
        Ok(Some((first, InputLine::Text(text))))
    }

    /// The next line that is not blank, without a byte order mark, and without the line feed, which a parser would count
    /// as another line.
    fn line(&mut self) -> std::io::Result<Option<InputLine>> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        loop {
            if std::mem::take(&mut self.skips) {
                skip_rest(self.input)?;
            }
            let line = next_line(self.input)?;
            self.lines += u64::from(line.is_some());
            match line {
                Some(InputLine::Text(text)) => {
                    let text = text.trim_start_matches('\u{feff}');
                    if !text.trim().is_empty() {
                        return Ok(Some(InputLine::Text(text.to_owned())));
                    }
                }
                line => {
                    self.skips = line == Some(InputLine::TooLong);
                    return Ok(line);
                }
            }
        }
    }

    fn is_row(&self, text: &str) -> bool {
        let words = text.split([' ', '\t', ',', ';']);
        let words = words.filter(|word| !word.is_empty()).count();
        let [_, columns] = self.size;
        columns > 0 && words == columns && !text.starts_with(['{', '['])
    }
}
