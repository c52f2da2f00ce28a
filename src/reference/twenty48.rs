//! Textbook expectimax for 2048: the definition of [`crate::games::twenty48::search::expectimax`].
//! The first version shares no work between nodes. The second has a transposition table.

use std::collections::HashMap;

use crate::games::sliding::chance::{PathCosts, mean_over_spawns};
use crate::games::sliding::table::Heuristic;
use crate::games::twenty48::rules::{Board, Direction};

/// The result of searching one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Values of the moves in the order of [`Direction::ALL`], in fixed point; `None` for an
    /// illegal one.
    pub values: [Option<i32>; 4],
    /// Boards given to the static evaluation.
    pub leaves: u64,
}

struct Search<'a> {
    heuristic: &'a Heuristic,
    costs: Option<PathCosts>,
    leaves: u64,
    /// Values of chance nodes by board, depth and cost; `None` in the first version.
    table: Option<HashMap<(Board, u8, u16), i32>>,
}

/// Searches every move of a position to `depth` chance layers; see
/// [`crate::games::twenty48::search::expectimax::Expectimax::new`] for `cutoff`.
pub fn move_values(heuristic: &Heuristic, board: Board, depth: u8, cutoff: f64) -> Searched {
    search(heuristic, board, depth, cutoff, None)
}

/// The same with a transposition table, kept for one position.
pub fn move_values_with_table(
    heuristic: &Heuristic,
    board: Board,
    depth: u8,
    cutoff: f64,
) -> Searched {
    search(heuristic, board, depth, cutoff, Some(HashMap::new()))
}

fn search(
    heuristic: &Heuristic,
    board: Board,
    depth: u8,
    cutoff: f64,
    table: Option<HashMap<(Board, u8, u16), i32>>,
) -> Searched {
    let mut search = Search {
        heuristic,
        costs: PathCosts::new(cutoff),
        leaves: 0,
        table,
    };
    let values = Direction::ALL.map(|direction| {
        let moved = board.moved(direction);
        (moved != board).then(|| search.chance_node(moved, depth, 0))
    });
    Searched {
        values,
        leaves: search.leaves,
    }
}

impl Search<'_> {
    fn chance_node(&mut self, board: Board, depth: u8, cost: u16) -> i32 {
        if depth == 0 || PathCosts::cuts(&self.costs, cost) {
            self.leaves += 1;
            return self.heuristic.value(board);
        }
        let node = (board, depth, cost);
        if let Some(&value) = self.table.as_ref().and_then(|table| table.get(&node)) {
            return value;
        }
        let value = self.mean(board, depth, cost);
        if let Some(table) = &mut self.table {
            table.insert(node, value);
        }
        value
    }

    fn mean(&mut self, board: Board, depth: u8, cost: u16) -> i32 {
        let empty_cells = board.empty_cells();
        let [two, four] = PathCosts::spawn(&self.costs, empty_cells);
        let mut weighted = 0;
        for cell in 0..16 {
            let mut ranks = board.ranks();
            if ranks[cell] == 0 {
                ranks[cell] = 1;
                let after_two = self.max_node(Board::from_ranks(ranks), depth - 1, cost + two);
                ranks[cell] = 2;
                let after_four = self.max_node(Board::from_ranks(ranks), depth - 1, cost + four);
                weighted += 9 * i64::from(after_two) + i64::from(after_four);
            }
        }
        mean_over_spawns(weighted, empty_cells)
    }

    fn max_node(&mut self, board: Board, depth: u8, cost: u16) -> i32 {
        let mut best = 0;
        for direction in Direction::ALL {
            let moved = board.moved(direction);
            if moved != board {
                best = best.max(self.chance_node(moved, depth, cost));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::heuristic::TERMS;
    use crate::games::twenty48::rules::samples::boards;
    use crate::heuristic::weights::Weights;

    #[test]
    fn a_transposition_table_changes_no_value_and_saves_work() {
        let heuristic = Heuristic::new(&TERMS, &Weights::default());
        for (depth, cutoff) in [(1, 0.0), (2, 0.0), (2, 1e-3), (3, 0.02)] {
            for board in boards(39) {
                let plain = move_values(&heuristic, board, depth, cutoff);
                let table = move_values_with_table(&heuristic, board, depth, cutoff);
                assert_eq!(table.values, plain.values);
                assert!(table.leaves <= plain.leaves);
            }
        }
    }
}
