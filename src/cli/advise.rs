//! `tiletune advise`: analyses positions. Reads one JSON object per line, and answers each with one line.

use std::io::{BufRead, IsTerminal, Write};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::interrupt::end_on_interrupt;
use super::lines::{InputLine, next_line, skip_rest};
use super::player_args::{Chosen, PlayerArgs};
use super::{Context, Failure, text};
use crate::Catalogue;
use crate::config::weights_file::published;
use crate::number::grouped;
use crate::player::format::{advice, take_id};
use crate::player::position::{Position, PositionError};
use crate::player::{self, Analysis, Explanation, Player, PlayerSpec};
use crate::stop::Stop;

#[derive(Args)]
#[command(after_help = "\
Each input line is a position. 2048: {\"board\":[0,2,0,...]}, 16 tile values, row by row; or only the board: a \
list, four rows, 16 numbers on one line or four, 16 hexadecimal digits (ranks), or the saved game of a browser. \
three-plus-three: the same with \"next\":1. connect-four: the columns of the moves, as 4453, or {\"board\":[0,0,1,2,...],\"to_move\":1} with 0 for \
an empty cell, 1 and 2 for the players' stones; \"rows\", \"columns\" and \"connect\" if the board is not the \
default. Players that use random numbers also read \"seed\". An \"id\" is repeated in the answer; blank lines are skipped.
Each line is answered immediately by the move, the value of every move (null: illegal; \"inf\", \"-inf\": \
won, lost) and the static evaluation; in connect-four, by the evaluations of both players. Moves of \
connect-four are columns, counted from 1. The sign of a value of `perfect` is the outcome; a larger \
absolute value means an earlier end. An illegal position is answered by {\"error\":\"...\"}; the exit code \
is then 2.

--explain adds \"terms\" to each answer: for each legal move the points that every term of the heuristic gives \
to the position after it, before chance or an opponent moves. Their sum is the static value of that position. \
--explain=table answers with a table for people instead.

--json: nothing else: each answer is one object on a line.

Examples:
  echo '{\"board\":[2,4,8,16,0,0,2,4,0,0,0,2,0,0,0,0]}' | tiletune advise --player expectimax
  tiletune advise --player expectimax --weights results/mine --explain=table < positions.jsonl
      what each term gives")]
pub(super) struct Advise {
    #[command(flatten)]
    player: PlayerArgs,
    /// Add what each term of the heuristic gives to the position after each move.
    #[arg(
        long,
        value_name = "FORM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "json"
    )]
    explain: Option<Form>,
}

/// The form of explained answers. Its variants have no help texts, which would make the help of all flags long.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    // The lines of JSON that are printed without the flag, and the key `terms`.
    Json,
    // A table for each position.
    Table,
}

/// The answer to a position: a line of JSON, or a table.
fn answer(
    chosen: &Chosen,
    player: &dyn Player,
    line: &str,
    form: Option<Form>,
) -> Result<String, PositionError> {
    let answer = advice(&chosen.player, player, line, form.is_some(), Stop::never())?;
    // Nothing requests a stop, so there is always an answer.
    let Some(answer) = answer else {
        return Ok(String::new());
    };
    match (form, &answer.explanation) {
        (Some(Form::Table), Some(explanation)) => Ok(table(&answer.analysis, explanation)),
        _ => {
            let format = chosen.player.entry.game.format;
            Ok(answer.json(&format).to_string())
        }
    }
}

/// The start position of a player's game; `None` if it cannot be shown.
fn start(player: &PlayerSpec) -> Option<Arc<dyn Position>> {
    let start_interactive = player.entry.game.start_interactive?;
    let table = start_interactive(&player.options, Some(0)).ok()?;
    Some(table.position())
}

/// Checks that a player has terms to explain. If it has none, the error names the players of its game that have terms.
fn check_terms(catalogue: &Catalogue, chosen: &Chosen, player: &dyn Player) -> Result<(), Failure> {
    let Some(start) = start(&chosen.player) else {
        return Ok(());
    };
    let has_terms = |player: &dyn Player| matches!(player.explain(&*start), Ok(Some(_)));
    if has_terms(player) {
        return Ok(());
    }
    let entry = chosen.player.entry;
    let game = entry.game.name;
    let others = catalogue.players_of(game).filter(|other| {
        let other = catalogue.player(&player::PlayerConfig::new(other.name, Some(game)));
        other.is_ok_and(|other| {
            let built = other.build(&published(&other));
            built.is_ok_and(|player| has_terms(&*player))
        })
    });
    let others: Vec<&str> = others.map(|other| other.name).collect();
    let others = if others.is_empty() {
        "none".to_owned()
    } else {
        others.join(", ")
    };
    Err(Failure::Usage(format!(
        "--explain: player `{}` has no terms to explain (players of {game} that have terms: {others})",
        entry.name
    )))
}

/// The reason why a line is refused. If the line is not a position at all, the error contains its number (from 1) and
/// the form of positions, which the parser of a game does not know.
fn refusal(error: &PositionError, line: &str, number: u64, player: &PlayerSpec) -> String {
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
struct Positions<'a, Input> {
    input: &'a mut Input,
    rows: usize,
    /// Number of lines so far.
    lines: u64,
    /// A line that was read to see whether it is a row.
    ahead: Option<InputLine>,
    /// Whether the end of a line that is too long must be skipped first.
    skips: bool,
}

impl<'a, Input: BufRead> Positions<'a, Input> {
    fn new(input: &'a mut Input, rows: usize) -> Self {
        Positions {
            input,
            rows,
            lines: 0,
            ahead: None,
            skips: false,
        }
    }

    /// The next position and the number of its first line, counted from 1.
    fn next(&mut self) -> std::io::Result<Option<(u64, InputLine)>> {
        let Some(line) = self.line()? else {
            return Ok(None);
        };
        let first = self.lines;
        let InputLine::Text(mut text) = line else {
            return Ok(Some((first, line)));
        };
        let mut rows = usize::from(self.is_row(&text));
        while (1..self.rows).contains(&rows) {
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
        self.rows > 0 && words == self.rows && !text.starts_with(['{', '['])
    }
}

/// A row for each term and a column for each move; then rows for the static values and the values of the moves.
fn table(analysis: &Analysis, explanation: &Explanation) -> String {
    let shown = |value: f64| grouped(value, 1);
    let moves = explanation.iter().map(|(of, _)| of.as_str());
    let header: Vec<&str> = ["term"].into_iter().chain(moves).collect();
    let mut table = text::table(&header);
    let terms = explanation.first().map_or(&[][..], |(_, terms)| terms);
    for (index, (term, _)) in terms.iter().enumerate() {
        let points = explanation.iter().map(|(_, terms)| shown(terms[index].1));
        table.add_row([term.clone()].into_iter().chain(points));
    }
    let sums = explanation.iter().map(|(_, terms)| {
        let sum = terms.iter().map(|(_, points)| points).sum();
        shown(sum)
    });
    table.add_row(["static value".to_owned()].into_iter().chain(sums));
    let values = explanation.iter().map(|(of, _)| {
        let value = analysis.values.iter().find(|(known, _)| known == of);
        let value = value.and_then(|(_, value)| *value);
        value.map_or(String::new(), |value| value.text(shown))
    });
    table.add_row(["value of the move".to_owned()].into_iter().chain(values));
    let best = analysis.best.as_deref().unwrap_or("none");
    format!("{table}\nbest move: {best}\n")
}

impl Advise {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        if self.explain == Some(Form::Table) {
            context.refuse_json("--explain=table prints tables; --explain prints JSON")?;
        }
        end_on_interrupt()?;
        let chosen = self.player.choose(context)?;
        let player = chosen.build()?;
        if self.explain.is_some() {
            check_terms(context.catalogue, &chosen, &*player)?;
        }
        if std::io::stdin().is_terminal() {
            let game = chosen.player.entry.game.name;
            context.message(format!(
                "reading positions of {game} from the terminal, one a line (`tiletune advise --help` shows their forms); \
                 Ctrl-D ends"
            ));
        }
        let mut input = std::io::stdin().lock();
        let mut output = std::io::stdout().lock();
        let mut positions = Positions::new(&mut input, chosen.player.entry.game.format.text_rows);
        let (mut count, mut refused, mut first_refused) = (0u64, 0u64, None);
        while let Some((number, position)) = positions.next().map_err(Failure::stdin)? {
            count += 1;
            let mut id = None;
            let answer = match &position {
                InputLine::TooLong => Err(format!("line {number} {}", InputLine::too_long())),
                InputLine::Text(text) => {
                    let answer = answer(&chosen, &*player, text, self.explain);
                    answer.map_err(|error| {
                        id = take_id(text).1;
                        refusal(&error, text, number, &chosen.player)
                    })
                }
            };
            let answer = answer.unwrap_or_else(|reason| {
                refused += 1;
                first_refused.get_or_insert(number);
                let mut answer = json!({ "error": reason });
                if let Some(id) = id {
                    answer["id"] = id;
                }
                answer.to_string()
            });
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
        match first_refused {
            None => Ok(()),
            Some(first) => Err(Failure::Usage(format!(
                "{refused} of {count} positions are illegal; the first is in line {first}"
            ))),
        }
    }
}
