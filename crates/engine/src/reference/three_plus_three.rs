//! Textbook expectimax for 3+3. It is the definition of [`crate::games::three_plus_three::search::expectimax`].

use crate::games::sliding::board::{Board, Direction};
use crate::games::sliding::chance::rounded_mean;
use crate::games::sliding::heuristic::Heuristic;
use crate::games::three_plus_three::rules::{Position, next_after, spawn_cells};

/// The result of the search of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeResult {
    /// Values of the moves in the order of [`Direction::ALL`], in fixed point; `None` for an illegal move.
    pub values: [Option<i32>; 4],
    /// Number of boards evaluated by the static evaluation.
    pub leaves: u64,
}

/// Searches every move of a position, with `depth` chance layers.
pub fn move_values(heuristic: &Heuristic, position: Position, depth: u8) -> NodeResult {
    let mut search = PlainSearch {
        heuristic,
        leaves: 0,
    };
    let values = Direction::ALL.map(|direction| {
        let moved = position.moved(direction)?;
        Some(search.chance_node(moved, direction, position.next, depth))
    });
    NodeResult {
        values,
        leaves: search.leaves,
    }
}

struct PlainSearch<'a> {
    heuristic: &'a Heuristic,
    leaves: u64,
}

impl PlainSearch<'_> {
    /// The mean over the cells in which `next` can appear.
    fn chance_node(&mut self, moved: Board, direction: Direction, next: u8, depth: u8) -> i32 {
        if depth == 0 {
            self.leaves += 1;
            return self.heuristic.value(moved);
        }
        let cells = spawn_cells(moved, direction);
        let mut sum = 0;
        for bit in (0..64).filter(|bit| cells >> bit & 1 == 1) {
            let position = Position {
                board: Board(moved.0 | u64::from(next) << bit),
                next: next_after(next),
            };
            sum += i64::from(self.max_node(position, depth - 1));
        }
        rounded_mean(sum, cells.count_ones())
    }

    /// The largest value over the legal moves, and at least 0, the value of a lost board.
    fn max_node(&mut self, position: Position, depth: u8) -> i32 {
        let mut best = 0;
        for direction in Direction::ALL {
            if let Some(moved) = position.moved(direction) {
                best = best.max(self.chance_node(moved, direction, position.next, depth));
            }
        }
        best
    }
}
