//! The exact result of a player, and where it loses against perfect play, as rows.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tiletune_engine::player::exact::{Exact, Losses, PositionLoss, SituationLoss};
use tiletune_engine::player::format::Format;

/// The exact result of a player.
#[derive(Clone, Debug)]
pub struct ExactResult {
    /// The player, its options and its game in words.
    pub player: String,
    /// Expected score.
    pub mean: f64,
    /// Expected number of moves.
    pub moves: f64,
    /// Expected score of perfect play.
    pub perfect: f64,
    /// Largest tile at the end -> its probability.
    pub largest: BTreeMap<u32, f64>,
    /// Number of positions that the player can reach.
    pub positions: u64,
    /// Where the player loses against perfect play, if that was asked for.
    pub losses: Option<LossTable>,
}

/// Where a player loses against perfect play.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LossTable {
    /// Expected points that a game loses.
    pub points: f64,
    /// The losses by situation, the largest first.
    pub situations: Vec<SituationRow>,
    /// The positions with the largest losses, up to symmetry, the largest first.
    pub positions: Vec<PositionRow>,
}

/// The losses in a situation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SituationRow {
    /// Number of empty cells before the move.
    pub empty_cells: u32,
    /// Whether a largest tile is in a corner.
    pub largest_in_corner: bool,
    /// Expected number of moves of a game in this situation.
    pub moves: f64,
    /// Expected points that a game loses in it.
    pub points: f64,
    /// The share of all losses.
    pub share: f64,
}

/// The loss in a position.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PositionRow {
    /// The position, as `advise` takes it.
    pub position: Map<String, Value>,
    /// Expected number of times that a game comes to it or to an image of it.
    pub visits: f64,
    /// The move of the player.
    pub chosen: String,
    /// The best move.
    pub best: String,
    /// Points that the move loses.
    pub loss: f64,
    /// Expected points that a game loses in it.
    pub points: f64,
    /// The share of all losses.
    pub share: f64,
}

impl ExactResult {
    /// The result as rows. `player` is the player in words, `format` that of its positions.
    pub fn new(player: String, exact: &Exact, format: &Format) -> Self {
        ExactResult {
            player,
            mean: exact.mean,
            moves: exact.moves,
            perfect: exact.perfect,
            largest: exact.largest.clone(),
            positions: exact.positions,
            losses: (exact.losses.as_ref()).map(|losses| LossTable::new(losses, format)),
        }
    }

    /// The expected score as a share of that of perfect play.
    pub fn share(&self) -> f64 {
        self.mean / self.perfect
    }
}

impl LossTable {
    /// The losses as rows.
    pub fn new(losses: &Losses, format: &Format) -> Self {
        let share = |points: f64| {
            if losses.points > 0.0 {
                points / losses.points
            } else {
                0.0
            }
        };
        let situation = |of: &SituationLoss| SituationRow {
            empty_cells: of.empty_cells,
            largest_in_corner: of.largest_in_corner,
            moves: of.moves,
            points: of.points,
            share: share(of.points),
        };
        let position = |of: &PositionLoss| PositionRow {
            position: (format.position)(&*of.position),
            visits: of.visits,
            chosen: of.chosen.clone(),
            best: of.best.clone(),
            loss: of.loss,
            points: of.points,
            share: share(of.points),
        };
        LossTable {
            points: losses.points,
            situations: losses.situations.iter().map(situation).collect(),
            positions: losses.positions.iter().map(position).collect(),
        }
    }
}

impl SituationRow {
    /// The place of the largest tile in words.
    pub fn place(&self) -> &'static str {
        if self.largest_in_corner {
            "in a corner"
        } else {
            "elsewhere"
        }
    }
}

impl PositionRow {
    /// The board as text, in the form that `advise` takes.
    pub fn board(&self) -> String {
        let board = self.position.get("board");
        board.map_or_else(String::new, Value::to_string)
    }
}
