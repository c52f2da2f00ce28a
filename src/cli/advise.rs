//! `tiletune advise`: what a player thinks of positions, a line of JSON in and a line out.

use std::io::{BufRead, Write};

use clap::Args;
use serde_json::{Value, json};

use super::Failure;
use super::player_args::PlayerArgs;
use crate::player::Player;
use crate::player::format::{Format, Request};
use crate::player::options::Options;
use crate::player::position::PositionError;

#[derive(Args)]
#[command(after_help = "\
Each line of the input is a position: {\"board\":[0,2,0,...]} for 2048, 16 tile values, row by row; \
with \"next\":1 for three-plus-three; {\"board\":[0,0,1,2,...],\"to_move\":1} for connect-four, 0 an empty \
cell, 1 and 2 the players' stones, \"rows\", \"columns\" and \"connect\" where the board is not the usual one; \
\"seed\" for players that draw lots. Each is answered, in order and at once, by the move, the value of every \
move (null: illegal; \"inf\", \"-inf\": won, lost) and the static evaluation, in connect-four those of both \
players. Moves of connect-four are columns, from 1; the values of perfect tell the outcome by their \
sign, and by their size how soon. A line that is no legal position is answered by {\"error\":\"...\"}; \
the exit code is then 2.")]
pub(super) struct Advise {
    #[command(flatten)]
    player: PlayerArgs,
}

impl Advise {
    pub(super) fn run(self) -> Result<(), Failure> {
        let chosen = self.player.choose()?;
        let player = chosen.player.build(&chosen.weights);
        let format = chosen.player.entry.game.format;
        let options = &chosen.player.options;
        let mut input = std::io::stdin().lock();
        let mut output = std::io::stdout().lock();
        let (mut lines, mut refused) = (0u64, 0u64);
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).map_err(unreadable)? > 0 {
            lines += 1;
            let answer = answer(&*player, &format, options, &line).unwrap_or_else(|error| {
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
                "{refused} of {lines} lines are no legal position"
            ))),
        }
    }
}

/// The answer to one line of the input.
fn answer(
    player: &dyn Player,
    format: &Format,
    options: &Options,
    line: &[u8],
) -> Result<Value, PositionError> {
    let Request { position, seed } = (format.read)(&String::from_utf8_lossy(line), options)?;
    let analysis = player.analyze(&*position, seed)?;
    Ok((format.analysis)(&analysis))
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::Failed(format!("cannot read stdin: {error}"))
}
