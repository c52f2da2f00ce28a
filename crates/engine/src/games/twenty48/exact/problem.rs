//! The question that has an exact answer: a board, its random tiles, and what its player wants.

use std::collections::BTreeMap;
use std::fmt;

use crate::games::sliding::{Board, Shape};
use crate::games::twenty48::rules::Spawn;

/// The largest number of cells of a board that can be solved.
pub const MOST_CELLS: usize = 9;

/// What perfect play maximises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The expected score.
    Score,
    /// The probability of a tile of this rank or a larger one. The game ends when there is one.
    Reach(u8),
}

impl Goal {
    /// True if the game ends on this board because the tile of the goal is there.
    #[inline(always)]
    pub fn is_reached(self, board: u64) -> bool {
        match self {
            Goal::Score => false,
            Goal::Reach(rank) => Board(board).max_rank() >= rank,
        }
    }

    /// What the points of a move add to its value.
    #[inline(always)]
    pub(super) fn points(self, points: u32) -> f64 {
        match self {
            Goal::Score => points.into(),
            Goal::Reach(_) => 0.0,
        }
    }
}

/// The form of the option `maximise`.
impl fmt::Display for Goal {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Goal::Score => formatter.write_str("score"),
            Goal::Reach(rank) => write!(formatter, "reach:{}", 1u32 << rank),
        }
    }
}

/// A board with its random tiles and the goal of its player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The size of the board.
    pub shape: Shape,
    /// The random tiles.
    pub spawn: Spawn,
    /// Number of random tiles at the start of a game.
    pub first_tiles: u32,
    /// What perfect play maximises.
    pub goal: Goal,
}

impl Problem {
    /// The usual game on a board: two tiles at the start, nine tenths 2s and the others 4s. The score counts.
    pub fn usual(shape: Shape) -> Self {
        Problem {
            shape,
            spawn: Spawn::USUAL,
            first_tiles: 2,
            goal: Goal::Score,
        }
    }

    /// The reason why the problem has no exact solution here.
    ///
    /// # Errors
    /// If the board has more than [`MOST_CELLS`] cells.
    pub fn check(&self) -> Result<(), String> {
        if self.shape.number_of_cells() <= MOST_CELLS {
            return Ok(());
        }
        Err(format!(
            "exact values need a board of at most {MOST_CELLS} cells (2x2, 2x3, 3x2, 2x4, 4x2 or 3x3), not {}: a larger \
             one has too many positions",
            self.shape
        ))
    }

    /// The random tiles as rank and probability.
    pub(super) fn tiles(&self) -> Vec<(u8, f64)> {
        let tiles = self.spawn.tiles().iter();
        tiles
            .map(|tile| (tile.rank, self.spawn.probability(tile)))
            .collect()
    }

    /// The start positions with their probabilities.
    pub(super) fn starts(&self) -> Vec<(u64, f64)> {
        let mut boards = BTreeMap::from([(0u64, 1.0)]);
        for _ in 0..self.first_tiles {
            let mut next = BTreeMap::new();
            for (board, probability) in boards {
                for (spawned, of) in self.spawned(board) {
                    *next.entry(spawned).or_insert(0.0) += probability * of;
                }
            }
            boards = next;
        }
        boards.into_iter().collect()
    }

    /// The boards after a random tile, with their probabilities.
    pub(super) fn spawned(&self, board: u64) -> Vec<(u64, f64)> {
        let cells = self.shape.cells().map(|cell| 4 * cell);
        let empty: Vec<usize> = cells.filter(|cell| board >> cell & 0xF == 0).collect();
        let share = 1.0 / empty.len() as f64;
        let mut spawned = Vec::new();
        for cell in empty {
            for (rank, of) in self.tiles() {
                spawned.push((board | u64::from(rank) << cell, of * share));
            }
        }
        spawned
    }
}

/// Every part in words. It identifies the problem in the header of a file.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Problem {
            shape,
            spawn,
            first_tiles,
            goal,
        } = self;
        write!(
            formatter,
            "2048 on {shape}, random tiles {spawn}, {first_tiles} first tiles, goal {goal}"
        )
    }
}
