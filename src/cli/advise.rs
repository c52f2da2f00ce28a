//! `tiletune advise`: analyses positions. Reads a JSON object per line and answers each with one line.

use std::io::{BufRead, Write};

use clap::Args;
use serde_json::{Value, json};

use super::Failure;
use super::interrupt::end_on_interrupt;
use super::player_args::PlayerArgs;
use crate::player::format::Request;
use crate::player::position::PositionError;
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
is then 2.")]
pub(super) struct Advise {
    #[command(flatten)]
    player: PlayerArgs,
}

impl Advise {
    pub(super) fn run(self) -> Result<(), Failure> {
        end_on_interrupt()?;
        let chosen = self.player.choose()?;
        let player = chosen.player.build(&chosen.weights);
        let format = chosen.player.entry.game.format;
        let analyze = |line: &[u8]| -> Result<Value, PositionError> {
            let line = String::from_utf8_lossy(line);
            let Request { position, seed } = (format.read)(&line, &chosen.player.options)?;
            // Nothing requests a stop, so there is an analysis.
            let analysis = player.analyze(&*position, seed, Stop::never())?;
            Ok((format.analysis)(&analysis.unwrap_or_default()))
        };
        let mut input = std::io::stdin().lock();
        let mut output = std::io::stdout().lock();
        let (mut lines, mut refused) = (0u64, 0u64);
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).map_err(Failure::stdin)? > 0 {
            lines += 1;
            let answer = analyze(&line).unwrap_or_else(|error| {
                refused += 1;
                json!({ "error": error.to_string() })
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
