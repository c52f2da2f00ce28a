//! `tiletune evaluate --exact`: the exact result of a player on a small board, without games.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use super::options;
use crate::chart::{EXACT_CHARTS, render};
use crate::cli::interrupt::NOTHING_TO_RESUME;
use crate::cli::player_args::Chosen;
use crate::cli::{Context, Failure, text};
use crate::number::{grouped, several};
use crate::player::Depth;
use crate::player::options::OptionValue;
use crate::prepare::{Reported, SILENCE};
use crate::report;
use crate::results::exact::{ExactResult, LossTable};
use crate::run::{RunError, write_folder};

/// Number of positions of the table for people. JSON has all that the player returns.
const SHOWN_POSITIONS: usize = 5;

/// Length of the longest bar of the chart.
const LONGEST_BAR: f64 = 20.0;

/// What `tiletune evaluate --exact` prints.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct ExactEvaluation<'a> {
    /// The game.
    game: &'static str,
    /// Name of the player.
    player: &'static str,
    /// Its search depth; null if it has none.
    depth: Option<Depth>,
    /// The weights by key; null for a player without weights.
    weights: Option<BTreeMap<&'a str, f64>>,
    /// The options that were given, without the depth.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    options: BTreeMap<String, OptionValue>,
    /// Expected score.
    exact_mean: f64,
    /// Expected score as a share of that of perfect play.
    exact_share: f64,
    /// Largest tile at the end -> its probability.
    #[schemars(with = "BTreeMap<String, f64>")]
    exact_reach: BTreeMap<u32, f64>,
    /// Expected number of moves.
    exact_moves: f64,
    /// Expected score of perfect play.
    perfect_mean: f64,
    /// Number of positions that the player can reach.
    positions: u64,
    /// Elapsed seconds.
    seconds: f64,
    /// With `--losses`: where the player loses against perfect play.
    #[serde(skip_serializing_if = "Option::is_none")]
    losses: Option<&'a LossTable>,
}

/// Creates the folder of `--out`, which must be empty.
fn create_empty_folder(out: &Path) -> Result<(), Failure> {
    let wrong = |reason: &dyn Display| Failure::Usage(format!("--out {}: {reason}", out.display()));
    std::fs::create_dir_all(out).map_err(|error| wrong(&error))?;
    let mut entries = std::fs::read_dir(out).map_err(|error| wrong(&error))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(wrong(&"the folder is not empty; name another one")),
    }
}

/// Computes and prints the exact result.
pub(super) fn run(
    chosen: &Chosen,
    losses: bool,
    out: Option<&Path>,
    threads: usize,
    context: Context,
) -> Result<(), Failure> {
    let Chosen { player, weights } = chosen;
    // A player that cannot be built cannot play on this board either.
    let built = player.build(weights).map_err(Failure::Usage)?;
    // Before the long computation, and only if there is one: without an estimate the result is refused below.
    let estimate = built.exact_result().seconds();
    if let Some(out) = out
        && estimate.is_some()
    {
        create_empty_folder(out)?;
    }
    let progress = context.progress()?;
    let reported = Reported {
        threads,
        stop: progress.stop(),
        say: &|line| context.message(line),
    };
    let seconds = estimate.unwrap_or_default() / threads as f64;
    if seconds > SILENCE.as_secs_f64() {
        let seconds = grouped(seconds, 0);
        context.message(format!(
            "the moves on all positions that the player can reach take up to about {seconds} s with {threads} threads"
        ));
    }
    let start = Instant::now();
    let exact = reported.run(|work| built.exact_result().compute(losses, work));
    let exact = exact.map_err(|reason| Failure::Usage(format!("--exact: {reason}")))?;
    let Some(exact) = exact else {
        return Err(Failure::Interrupted(NOTHING_TO_RESUME.into()));
    };
    let format = &player.entry.game.format;
    let result = ExactResult::new(player.describe(), &exact, format);
    let json = ExactEvaluation {
        game: player.entry.game.name,
        player: player.entry.name,
        depth: player.depth(),
        weights: player.entry.has_weights().then(|| weights.iter().collect()),
        options: options(player),
        exact_mean: exact.mean,
        exact_share: exact.share(),
        exact_reach: exact.largest.clone(),
        exact_moves: exact.moves,
        perfect_mean: exact.perfect,
        positions: exact.positions,
        seconds: start.elapsed().as_secs_f64(),
        losses: result.losses.as_ref(),
    };
    if let Some(out) = out {
        let drawn = render(EXACT_CHARTS, &result);
        let drawn = drawn.map_err(RunError::from)?;
        let blocks = report::exact::report(&result, &drawn);
        let title = format!("{}: exact result", player.describe_alone());
        write_folder(out, ("exact", &json), &drawn, (&title, &blocks))?;
    }
    context.print(|| json, || in_text(&result))?;
    if let Some(out) = out {
        context.message(format!("report: {}", out.join("report.html").display()));
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{} %", grouped(100.0 * share, 2))
}

fn in_text(result: &ExactResult) -> String {
    let mut table = text::table(&["largest tile", "probability"]);
    for (tile, of) in &result.largest {
        table.add_row([tile.to_string(), percent(*of)]);
    }
    let mut text = format!(
        "{}: exactly {} points and {} moves a game\n{} of perfect play, which has {} points; {} can be reached\n{table}",
        result.player,
        grouped(result.mean, 6),
        grouped(result.moves, 2),
        percent(result.share()),
        grouped(result.perfect, 6),
        several(result.positions, "position"),
    );
    if let Some(losses) = &result.losses {
        text += &format!("\n{}", losses_in_text(losses));
    }
    text
}

fn losses_in_text(losses: &LossTable) -> String {
    let mut situations = text::table(&[
        "empty cells",
        "largest tile",
        "moves a game",
        "points lost",
        "share of all",
        "",
    ]);
    let largest = losses.situations.first().map_or(0.0, |of| of.points);
    for of in &losses.situations {
        let length = if largest > 0.0 {
            LONGEST_BAR * of.points / largest
        } else {
            0.0
        };
        situations.add_row([
            of.empty_cells.to_string(),
            of.place().to_owned(),
            grouped(of.moves, 2),
            grouped(of.points, 2),
            percent(of.share),
            "█".repeat(length.round() as usize),
        ]);
    }
    let mut positions = text::table(&[
        "position",
        "visits a game",
        "move",
        "best",
        "points of the move lost",
        "share of all",
    ]);
    for of in losses.positions.iter().take(SHOWN_POSITIONS) {
        positions.add_row([
            of.board(),
            grouped(of.visits, 4),
            of.chosen.clone(),
            of.best.clone(),
            grouped(of.loss, 1),
            percent(of.share),
        ]);
    }
    format!(
        "lost against perfect play: {} points a game\n{situations}\nThe largest losses by position:\n{positions}",
        grouped(losses.points, 2)
    )
}
