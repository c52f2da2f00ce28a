//! `tiletune advise`: analyses positions. Reads one JSON object per line, and answers each with one line.

use std::io::{IsTerminal, Write};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::interrupt::end_on_interrupt;
use super::player_args::{Chosen, PlayerArgs};
use super::positions::{Positions, refusal, start};
use super::stdin_lines::InputLine;
use super::{Context, Failure, text};
use crate::Catalogue;
use crate::config::weights_file::published;
use crate::number::grouped;
use crate::player::exact::{MoveCosts, Work};
use crate::player::format::{Wanted, advice, take_id};
use crate::player::position::PositionError;
use crate::player::{self, Analysis, Explanation, Player};
use crate::prepare::Reported;
use crate::stop::Stop;

#[derive(Args)]
#[command(after_help = "\
Each input line is a position. 2048: {\"board\":[0,2,0,...]}, 16 tile values, row by row; or only the board: a \
list, four rows, 16 numbers on one line or four, 16 hexadecimal digits (ranks), or the saved game of a browser; with \
--board as many as the board has cells. \
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
--explain=table answers with a table for people instead. Where 2048 is solved, on a board of up to six cells or with \
a solution in the cache, \"costs\" is what each legal move loses against perfect play, in points.

--json: nothing else: each answer is one object on a line.

Examples:
  echo '{\"board\":[2,4,8,16,0,0,2,4,0,0,0,2,0,0,0,0]}' | tiletune advise --player expectimax
  echo '[[2,4,8],[16,0,0],[2,4,0]]' | tiletune advise --player perfect --board 3x3
      expected score after each move of perfect play
  tiletune advise --weights results/mine --explain=table < positions.jsonl
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
    let wanted = Wanted::explained(form.is_some());
    let answer = advice(&chosen.player, player, line, wanted, Stop::never())?;
    // Nothing requests a stop, so there is always an answer.
    let Some(answer) = answer else {
        return Ok(String::new());
    };
    if form == Some(Form::Table) {
        let none = answer.analysis.values.iter();
        let none = || {
            none.clone()
                .map(|(of, _)| (of.clone(), Vec::new()))
                .collect()
        };
        let explanation = answer.explanation.clone().unwrap_or_else(none);
        return Ok(table(&answer.analysis, &explanation, answer.costs.as_ref()));
    }
    let format = chosen.player.entry.game.format;
    Ok(answer.json(&format).to_string())
}

/// Checks that a player has terms to explain. If it has none, the error names the players of its game that have terms.
fn check_terms(catalogue: &Catalogue, chosen: &Chosen, player: &dyn Player) -> Result<(), Failure> {
    let Some(start) = start(&chosen.player) else {
        return Ok(());
    };
    let has_terms = |player: &dyn Player| matches!(player.explain(&*start), Ok(Some(_)));
    let move_costs = chosen.player.entry.game.move_costs;
    let work = Work::quiet(1, Stop::never());
    let has_costs = || move_costs(&chosen.player.options, &*start, &work).is_some();
    if has_terms(player) || has_costs() {
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

/// A row for each term and a column for each move; then rows for the static values and the values of the moves.
fn table(analysis: &Analysis, explanation: &Explanation, costs: Option<&MoveCosts>) -> String {
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
    if !terms.is_empty() {
        table.add_row(["static value".to_owned()].into_iter().chain(sums));
    }
    let values = explanation.iter().map(|(of, _)| {
        let value = analysis.values.iter().find(|(known, _)| known == of);
        let value = value.and_then(|(_, value)| *value);
        value.map_or(String::new(), |value| value.text(shown))
    });
    table.add_row(["value of the move".to_owned()].into_iter().chain(values));
    let cost_of = |of: &str| {
        costs?
            .iter()
            .find(|(known, _)| known == of)
            .map(|(_, cost)| *cost)
    };
    if costs.is_some() {
        let costs = explanation
            .iter()
            .map(|(of, _)| cost_of(of).map_or(String::new(), shown));
        table.add_row(
            ["loss against perfect play".to_owned()]
                .into_iter()
                .chain(costs),
        );
    }
    let best = analysis.best.as_deref().unwrap_or("none");
    match analysis.best.as_deref().and_then(cost_of) {
        None => format!("{table}\nbest move: {best}\n"),
        Some(0.0) => format!("{table}\nbest move: {best}; perfect play makes it too\n"),
        Some(cost) => format!(
            "{table}\nbest move: {best}; this move costs {} points\n",
            shown(cost)
        ),
    }
}

impl Advise {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        if self.explain == Some(Form::Table) {
            context.refuse_json("--explain=table prints tables; --explain prints JSON")?;
        }
        end_on_interrupt()?;
        let chosen = self.player.choose(context)?;
        let player = chosen.build()?;
        chosen.tell_lost_weights(context);
        let threads = std::thread::available_parallelism().map_or(1, Into::into);
        let reported = Reported {
            threads,
            stop: Stop::never(),
            say: &|line| context.message(line),
        };
        // Nothing requests a stop: an interrupt ends the program.
        let _ = reported.prepare(&*player);
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
        let mut positions = Positions::new(&mut input, &chosen.player);
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
