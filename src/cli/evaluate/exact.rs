//! `tiletune evaluate --exact`: the exact result of a player on a small board, without games.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::options;
use crate::cli::interrupt::NOTHING_TO_RESUME;
use crate::cli::player_args::Chosen;
use crate::cli::{Context, Failure, text};
use crate::lock::locked;
use crate::number::{grouped, several};
use crate::player::Depth;
use crate::player::exact::{Exact, Losses, Phase, PositionLoss, Progress, SituationLoss, Work};
use crate::player::format::Format;
use crate::player::options::OptionValue;

/// Number of positions of the table for people. JSON has all that the player returns.
const SHOWN_POSITIONS: usize = 5;

/// Time until the progress is shown for the first time, and between two messages.
const SILENCE: Duration = Duration::from_secs(5);

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
    losses: Option<ShownLosses>,
}

/// Where a player loses against perfect play.
#[derive(Serialize, JsonSchema)]
struct ShownLosses {
    /// Expected points that a game loses.
    points: f64,
    /// The losses by situation, the largest first.
    situations: Vec<ShownSituation>,
    /// The positions with the largest losses, up to symmetry, the largest first.
    positions: Vec<ShownPosition>,
}

/// The losses in a situation.
#[derive(Serialize, JsonSchema)]
struct ShownSituation {
    /// Number of empty cells before the move.
    empty_cells: u32,
    /// Whether a largest tile is in a corner.
    largest_in_corner: bool,
    /// Expected number of moves of a game in this situation.
    moves: f64,
    /// Expected points that a game loses in it.
    points: f64,
    /// The share of all losses.
    share: f64,
}

/// The loss in a position.
#[derive(Serialize, JsonSchema)]
struct ShownPosition {
    /// The position, as `advise` takes it.
    position: Map<String, Value>,
    /// Expected number of times that a game comes to it or to an image of it.
    visits: f64,
    /// The move of the player.
    chosen: String,
    /// The best move.
    best: String,
    /// Points that the move loses.
    loss: f64,
    /// Expected points that a game loses in it.
    points: f64,
    /// The share of all losses.
    share: f64,
}

/// Computes and prints the exact result.
pub(super) fn run(
    chosen: &Chosen,
    losses: bool,
    threads: usize,
    context: Context,
) -> Result<(), Failure> {
    let Chosen { player, weights } = chosen;
    // A player that cannot be built cannot play on this board either.
    let built = player.build(weights).map_err(Failure::Usage)?;
    let progress = context.progress()?;
    let shown = Mutex::new(Instant::now());
    let report = |of: Progress| {
        let mut last = locked(&shown);
        if last.elapsed() >= SILENCE {
            *last = Instant::now();
            context.message(in_words(of));
        }
    };
    let work = Work {
        threads,
        stop: progress.stop(),
        progress: &report,
        say: &|line| context.message(line),
    };
    let seconds = built.exact_seconds().unwrap_or_default() / threads as f64;
    if seconds > SILENCE.as_secs_f64() {
        let seconds = grouped(seconds, 0);
        context.message(format!(
            "the moves on all positions that the player can reach take up to about {seconds} s with {threads} threads"
        ));
    }
    let start = Instant::now();
    let exact = built.exact(losses, &work);
    let exact = exact.map_err(|reason| Failure::Usage(format!("--exact: {reason}")))?;
    let Some(exact) = exact else {
        return Err(Failure::Interrupted(NOTHING_TO_RESUME.into()));
    };
    let format = &player.entry.game.format;
    let json = || ExactEvaluation {
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
        losses: exact
            .losses
            .as_ref()
            .map(|losses| shown_losses(losses, format)),
    };
    context.print(json, || in_text(&player.describe(), &exact, format))
}

fn in_words(of: Progress) -> String {
    let states = grouped(of.states as f64, 0);
    match of.phase {
        Phase::Positions => format!("{states} positions found"),
        Phase::Values => format!("values of {states} positions computed"),
        Phase::Player => format!("moves of the player on {states} positions computed"),
    }
}

/// A share of all losses; 0 if nothing is lost.
fn share(points: f64, losses: &Losses) -> f64 {
    if losses.points > 0.0 {
        points / losses.points
    } else {
        0.0
    }
}

fn shown_losses(losses: &Losses, format: &Format) -> ShownLosses {
    let situation = |of: &SituationLoss| ShownSituation {
        empty_cells: of.empty_cells,
        largest_in_corner: of.largest_in_corner,
        moves: of.moves,
        points: of.points,
        share: share(of.points, losses),
    };
    let position = |of: &PositionLoss| ShownPosition {
        position: (format.position)(&*of.position),
        visits: of.visits,
        chosen: of.chosen.clone(),
        best: of.best.clone(),
        loss: of.loss,
        points: of.points,
        share: share(of.points, losses),
    };
    ShownLosses {
        points: losses.points,
        situations: losses.situations.iter().map(situation).collect(),
        positions: losses.positions.iter().map(position).collect(),
    }
}

fn percent(share: f64) -> String {
    format!("{} %", grouped(100.0 * share, 2))
}

fn in_text(player: &str, exact: &Exact, format: &Format) -> String {
    let mut table = text::table(&["largest tile", "probability"]);
    for (tile, of) in &exact.largest {
        table.add_row([tile.to_string(), percent(*of)]);
    }
    let mut text = format!(
        "{player}: exactly {} points and {} moves a game\n{} of perfect play, which has {} points; {} can be reached\n{table}",
        grouped(exact.mean, 6),
        grouped(exact.moves, 2),
        percent(exact.share()),
        grouped(exact.perfect, 6),
        several(exact.positions, "position"),
    );
    if let Some(losses) = &exact.losses {
        text += &format!("\n{}", losses_in_text(losses, format));
    }
    text
}

fn losses_in_text(losses: &Losses, format: &Format) -> String {
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
        let place = if of.largest_in_corner {
            "in a corner"
        } else {
            "elsewhere"
        };
        let length = if largest > 0.0 {
            LONGEST_BAR * of.points / largest
        } else {
            0.0
        };
        situations.add_row([
            of.empty_cells.to_string(),
            place.to_owned(),
            grouped(of.moves, 2),
            grouped(of.points, 2),
            percent(share(of.points, losses)),
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
        let fields = (format.position)(&*of.position);
        let board = fields
            .get("board")
            .map_or_else(String::new, Value::to_string);
        positions.add_row([
            board,
            grouped(of.visits, 4),
            of.chosen.clone(),
            of.best.clone(),
            grouped(of.loss, 1),
            percent(share(of.points, losses)),
        ]);
    }
    format!(
        "lost against perfect play: {} points a game\n{situations}\nThe largest losses by position:\n{positions}",
        grouped(losses.points, 2)
    )
}
