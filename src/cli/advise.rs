//! `tiletune advise`: analyses positions. Reads a JSON object per line and answers each with one line.

use std::io::{BufRead, Write};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::interrupt::end_on_interrupt;
use super::player_args::{Chosen, PlayerArgs};
use super::{Context, Failure, text};
use crate::number::grouped;
use crate::player::format::advice;
use crate::player::position::PositionError;
use crate::player::{Analysis, Explanation, Player};
use crate::stop::Stop;

#[derive(Args)]
#[command(after_help = "\
Each input line is a position. 2048: {\"board\":[0,2,0,...]}, 16 tile values, row by row. \
three-plus-three: the same with \"next\":1. connect-four: {\"board\":[0,0,1,2,...],\"to_move\":1} with 0 for \
an empty cell, 1 and 2 for the players' stones; \"rows\", \"columns\" and \"connect\" if the board is not the \
default. Players that use random numbers also read \"seed\".\n\
Each line is answered immediately by the move, the value of every move (null: illegal; \"inf\", \"-inf\": \
won, lost) and the static evaluation; in connect-four, by the evaluations of both players. Moves of \
connect-four are columns, counted from 1. The sign of a value of `perfect` is the outcome; a larger \
absolute value means an earlier end. An illegal position is answered by {\"error\":\"...\"}; the exit code \
is then 2.

--explain adds \"terms\" to each answer: for each legal move the points that every term of the heuristic gives \
to the position after it, before chance or an opponent moves. Their sum is the static value of that position. \
--explain=table answers with a table for people instead.")]
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

/// An answer to a position: a line of JSON, or a table.
fn answer(
    chosen: &Chosen,
    player: &dyn Player,
    line: &[u8],
    form: Option<Form>,
) -> Result<String, PositionError> {
    let line = String::from_utf8_lossy(line);
    let answer = advice(&chosen.player, player, &line, form.is_some(), Stop::never())?;
    // Nothing requests a stop, so there is an answer.
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

/// A row for each term and a column for each move; then the static values and the values of the moves.
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
        let chosen = self.player.choose()?;
        let player = chosen.player.build(&chosen.weights);
        let mut input = std::io::stdin().lock();
        let mut output = std::io::stdout().lock();
        let (mut lines, mut refused) = (0u64, 0u64);
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).map_err(Failure::stdin)? > 0 {
            lines += 1;
            let answer = answer(&chosen, &*player, &line, self.explain);
            let answer = answer.unwrap_or_else(|error| {
                refused += 1;
                json!({ "error": error.to_string() }).to_string()
            });
            writeln!(output, "{answer}")?;
            output.flush()?;
            line.clear();
        }
        match refused {
            0 => Ok(()),
            _ => Err(Failure::Usage(format!(
                "{refused} of {lines} lines are illegal positions"
            ))),
        }
    }
}
