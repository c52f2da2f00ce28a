//! Games of `tiletune evaluate` from given positions.

use std::convert::Infallible;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Evaluate, Results};
use crate::cli::interrupt::NOTHING_TO_RESUME;
use crate::cli::live::Live;
use crate::cli::player_args::Chosen;
use crate::cli::positions::{GivenPosition, Positions};
use crate::cli::stdin_lines::InputLine;
use crate::cli::{Context, Failure, text};
use crate::evaluation::EvaluationError;
use crate::number::{count as group, grouped};
use crate::plain_file::{MOST_OF_INPUT, read_input};
use crate::player::PlayerSpec;
use crate::random::{Players, Stream};
use crate::record::GameRecord;
use crate::results::GameSummary;
use crate::stats::games::summarize;

/// Largest number of games in all.
const MOST_GAMES: usize = 10_000_000;

/// Largest number of positions that are shown as text; JSON has all of them.
const MOST_SHOWN: usize = 100;

/// The results of the games from one position.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct PositionResults {
    /// Its line in the file, counted from 1.
    line: u64,
    /// Its key `id`; left out if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(flatten)]
    summary: GameSummary,
}

impl Evaluate {
    /// Plays the games from each position of a file.
    pub(super) fn play_positions(
        &self,
        chosen: &Chosen,
        path: &Path,
        context: Context,
    ) -> Result<(), Failure> {
        let Chosen { player, weights } = chosen;
        let given = read(path, player)?;
        if given.len() * self.games as usize > MOST_GAMES {
            return Err(Failure::Usage(format!(
                "{} positions with {} games each are more than {MOST_GAMES} games: lower --games",
                given.len(),
                self.games
            )));
        }
        let local = self.threads.evaluator(player)?;
        let positions: Vec<_> = given.iter().map(|of| Arc::clone(&of.position)).collect();
        let prepared = local.prepare_from(weights, &positions);
        let prepared = prepared.map_err(|(index, error)| match index {
            Some(index) => wrong(path, given[index].line, &error),
            None => Failure::usage(error),
        })?;
        let count = u64::from(self.games);
        let (live, progress) = Live::begin(context, Some(count * given.len() as u64))?;
        live.task(player.describe());
        super::prepare(player, local.threads(), &progress, &live)?;
        let seeds = (player.players()).game_seeds(self.seed, Stream::Evaluate, 0, count);
        let start = Instant::now();
        let mut games: Vec<Vec<GameRecord>> = vec![Vec::new(); given.len()];
        let played =
            local.play_prepared::<Infallible>(&prepared, &seeds, &progress, &mut |batch| {
                games[batch.candidate].extend_from_slice(batch.games);
                Ok(())
            });
        let seconds = start.elapsed().as_secs_f64();
        drop(live);
        let is_partial = match played {
            Ok(()) => false,
            Err(EvaluationError::Interrupted) => true,
            Err(error) => return Err(Failure::Failed(error.to_string())),
        };
        let interrupted = || Failure::Interrupted(NOTHING_TO_RESUME.into());
        if is_partial && player.players() == Players::Two {
            games
                .iter_mut()
                .for_each(|games| games.truncate(games.len() & !1));
        }
        let all = games.concat();
        if all.is_empty() {
            return Err(interrupted());
        }
        let of_positions = given.into_iter().zip(&games);
        let of_positions = of_positions.filter(|(_, games)| !games.is_empty());
        let of_positions = of_positions.map(|(given, games)| {
            let (line, id) = (given.line, given.id);
            let summary = summarize("", games);
            PositionResults { line, id, summary }
        });
        let of_positions: Vec<PositionResults> = of_positions.collect();
        let results = Results::new(player, &all, seconds);
        let requested = count as u32 * prepared.len() as u32;
        self.show(
            chosen,
            results,
            (requested, &of_positions),
            local.threads(),
            context,
        )?;
        if is_partial {
            Err(interrupted())
        } else {
            Ok(())
        }
    }
}

/// The positions of a file; `-` is stdin.
fn read(path: &Path, player: &PlayerSpec) -> Result<Vec<GivenPosition>, Failure> {
    let unreadable = |error: std::io::Error| Failure::Usage(format!("{}: {error}", path.display()));
    let text = if path == Path::new("-") {
        read_stdin()
    } else {
        read_input(path)
    };
    let mut input = Cursor::new(text.map_err(unreadable)?);
    let mut positions = Positions::new(&mut input, player);
    let mut given = Vec::new();
    while let Some((line, position)) = positions.next().map_err(unreadable)? {
        let InputLine::Text(position) = position else {
            return Err(wrong(path, line, &InputLine::too_long()));
        };
        let position = GivenPosition::read(&position, line, player);
        given.push(position.map_err(|reason| {
            if reason.starts_with("line ") {
                Failure::Usage(format!("{}: {reason}", path.display()))
            } else {
                wrong(path, line, &reason)
            }
        })?);
    }
    if given.is_empty() {
        return Err(Failure::Usage(format!(
            "{}: there is no position in it",
            path.display()
        )));
    }
    Ok(given)
}

/// Reads stdin, which can be as large as a file.
fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut input = std::io::stdin().take(MOST_OF_INPUT + 1);
    input.read_to_end(&mut text)?;
    if text.len() as u64 > MOST_OF_INPUT {
        let message =
            format!("more than {MOST_OF_INPUT} bytes; give the positions in several parts");
        return Err(std::io::Error::other(message));
    }
    Ok(text)
}

fn wrong(path: &Path, line: u64, error: &dyn std::fmt::Display) -> Failure {
    Failure::Usage(format!("{}: line {line}: {error}", path.display()))
}

/// An id for a cell of the table.
fn short(id: &str) -> String {
    let shown = id.chars().take(30);
    shown
        .map(|c| if c == '|' || c.is_control() { ' ' } else { c })
        .collect()
}

/// A table with a row for each position, to follow the results of all games; empty without positions.
pub(super) fn text(positions: &[PositionResults]) -> String {
    if positions.is_empty() {
        return String::new();
    }
    let mean = match positions[0].summary.outcomes() {
        Some(_) => ["points", "se", "median"],
        None => ["mean score", "se", "median"],
    };
    let mut table = text::table(&[&["position", "games"][..], &mean[..], &["moves"]].concat());
    for of in positions.iter().take(MOST_SHOWN) {
        let summary = &of.summary;
        let digits = if summary.outcomes().is_some() { 3 } else { 0 };
        let shown = |value| grouped(value, digits);
        let name = match &of.id {
            Some(Value::String(id)) => short(id),
            Some(id) => short(&id.to_string()),
            None => format!("line {}", of.line),
        };
        table.add_row([
            name,
            group(summary.games),
            shown(summary.mean),
            summary.error().map_or("–".to_owned(), shown),
            shown(summary.median),
            grouped(summary.mean_moves, 0),
        ]);
    }
    let more = positions.len().saturating_sub(MOST_SHOWN);
    let more = if more > 0 {
        format!("\nand {more} more positions; --json has all of them")
    } else {
        String::new()
    };
    format!("\n{table}{more}")
}
