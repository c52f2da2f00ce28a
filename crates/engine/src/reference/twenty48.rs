//! Textbook expectimax for 2048 and its variations. It is the definition of [`crate::games::twenty48::search::expectimax`], in
//! four versions. The first shares no work between nodes. The second has a transposition table that changes no
//! value. The third defines reductions, without a table. The fourth defines the search with reuse, whose values
//! depend on its table.

use std::collections::HashMap;

use crate::games::sliding::chance::{PathCosts, path_cost, rounded_mean};
use crate::games::sliding::heuristic::Heuristic;
use crate::games::sliding::{Geometry, Shape};
use crate::games::twenty48::rules::{Board, Direction, Rules, Spawn, Variation};

/// The result of the search of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeResult {
    /// Values of the moves in the order of [`Direction::ALL`], in fixed point; `None` for an illegal move.
    pub values: [Option<i32>; 4],
    /// Number of boards evaluated by the static evaluation.
    pub leaves: u64,
}

struct PlainSearch<'a> {
    rules: Variation,
    heuristic: &'a Heuristic,
    costs: Option<PathCosts>,
    /// The additional path cost of the first search of a move.
    reduction: u16,
    leaves: u64,
    /// Values of chance nodes by board, depth and path cost; `None` without a table.
    table: Option<HashMap<(Board, u8, u16), i32>>,
}

/// Searches every move of a position, with `depth` chance layers. See
/// [`crate::games::twenty48::search::expectimax::Settings`] for `cutoff`.
pub fn move_values(heuristic: &Heuristic, board: Board, depth: u8, cutoff: f64) -> NodeResult {
    search(usual(), heuristic, board, depth, cutoff, 1.0, None)
}

/// The same on the board and with the random tiles of a variation.
pub fn move_values_of(
    rules: Variation,
    heuristic: &Heuristic,
    board: Board,
    depth: u8,
    cutoff: f64,
) -> NodeResult {
    search(rules, heuristic, board, depth, cutoff, 1.0, None)
}

/// The rules of 2048.
fn usual() -> Variation {
    Variation::new(Shape::STANDARD, Spawn::USUAL, 2)
}

/// The same with a transposition table that lasts for this position.
pub fn move_values_with_table(
    heuristic: &Heuristic,
    board: Board,
    depth: u8,
    cutoff: f64,
) -> NodeResult {
    let table = Some(HashMap::new());
    search(usual(), heuristic, board, depth, cutoff, 1.0, table)
}

/// The definition of reductions. At a max node every move is first searched as if its path were `reduction`
/// times less probable. Then the first move with the largest value is searched in full. This repeats until the
/// first move with the largest value has been searched in full.
pub fn move_values_with_reduction(
    heuristic: &Heuristic,
    board: Board,
    depth: u8,
    cutoff: f64,
    reduction: f64,
) -> NodeResult {
    search(usual(), heuristic, board, depth, cutoff, reduction, None)
}

fn search(
    rules: Variation,
    heuristic: &Heuristic,
    board: Board,
    depth: u8,
    cutoff: f64,
    reduction: f64,
    table: Option<HashMap<(Board, u8, u16), i32>>,
) -> NodeResult {
    let mut search = PlainSearch {
        rules,
        heuristic,
        costs: PathCosts::new(cutoff, rules.probabilities()),
        reduction: path_cost(1.0 / reduction),
        leaves: 0,
        table,
    };
    let values = Direction::ALL.map(|direction| {
        let moved = rules.moved(board, direction);
        (moved != board).then(|| search.chance_node(moved, depth, 0))
    });
    NodeResult {
        values,
        leaves: search.leaves,
    }
}

impl PlainSearch<'_> {
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
        let rules = self.rules;
        let empty_cells = rules.empty_cells(board);
        let mut weighted = 0;
        for (number, tile) in rules.spawn().tiles().iter().enumerate() {
            let cost = cost + PathCosts::spawn(&self.costs, empty_cells, number);
            for cell in rules.shape().cells() {
                let mut ranks = board.ranks();
                if ranks[cell] == 0 {
                    ranks[cell] = tile.rank;
                    let best = self.max_node(Board::from_ranks(ranks), depth - 1, cost);
                    weighted += i64::from(tile.weight) * i64::from(best);
                }
            }
        }
        rounded_mean(weighted, rules.total() * empty_cells)
    }

    fn max_node(&mut self, board: Board, depth: u8, cost: u16) -> i32 {
        let reduced = PathCosts::reduced(&self.costs, cost, self.reduction);
        let moved = moves(&self.rules, board);
        let mut values: Vec<i32> = Vec::new();
        for &moved in &moved {
            values.push(self.chance_node(moved, depth, reduced));
        }
        let mut is_full = vec![reduced == cost; moved.len()];
        while let Some(best) = first_largest(&values) {
            if is_full[best] {
                return values[best].max(0);
            }
            values[best] = self.chance_node(moved[best], depth, cost);
            is_full[best] = true;
        }
        0
    }
}

/// The boards after each legal move.
fn moves(rules: &Variation, board: Board) -> Vec<Board> {
    let moved = Direction::ALL.map(|direction| rules.moved(board, direction));
    moved.into_iter().filter(|&moved| moved != board).collect()
}

/// The index of the largest value; among equal values, the first. `None` if there are no values.
fn first_largest(values: &[i32]) -> Option<usize> {
    let largest = values.iter().max()?;
    values.iter().position(|value| value == largest)
}

/// The definition of a search with reuse. It searches every move of a position, in the order of
/// [`Direction::ALL`], with `depth` chance layers and one table of `2^bits` entries that is empty at the start.
/// Reductions are those of [`move_values_with_reduction`], but a move is searched in full at once if it is the
/// only one, or if its chance node would be last in a full search.
pub fn move_values_with_reuse(
    heuristic: &Heuristic,
    board: Board,
    depth: u8,
    cutoff: f64,
    reduction: f64,
    bits: u32,
) -> [Option<i32>; 4] {
    move_values_with_reuse_of(usual(), heuristic, board, depth, cutoff, reduction, bits)
}

/// The same on the board and with the random tiles of a variation.
pub fn move_values_with_reuse_of(
    rules: Variation,
    heuristic: &Heuristic,
    board: Board,
    depth: u8,
    cutoff: f64,
    reduction: f64,
    bits: u32,
) -> [Option<i32>; 4] {
    let mut search = SearchWithReuse {
        rules,
        heuristic,
        costs: PathCosts::new(cutoff, rules.probabilities()),
        reduction: path_cost(1.0 / reduction),
        bits,
        table: HashMap::new(),
    };
    Direction::ALL.map(|direction| {
        let moved = rules.moved(board, direction);
        (moved != board).then(|| search.chance_node(moved, depth, 0).value)
    })
}

#[derive(Clone, Copy)]
struct NodeValue {
    value: i32,
    /// True if a greater depth could change the value: the depth limit has ended a path below the node that the
    /// cut-off would not have ended.
    is_limited: bool,
}

/// An entry of the table of a search with reuse.
struct TableEntry {
    board: Board,
    /// The remaining depth; `None` if no greater depth can change the value.
    depth: Option<u8>,
    cost: u16,
    value: i32,
}

struct SearchWithReuse<'a> {
    rules: Variation,
    heuristic: &'a Heuristic,
    costs: Option<PathCosts>,
    /// The additional path cost of the first search of a move.
    reduction: u16,
    bits: u32,
    /// Entries by slot. A new entry replaces the one in its slot.
    table: HashMap<u64, TableEntry>,
}

impl SearchWithReuse<'_> {
    /// The slot of a board: the highest `bits` bits of a product.
    fn slot(&self, board: Board) -> u64 {
        let folded = board.0 ^ board.0 >> 32;
        folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - self.bits)
    }

    /// True if the cut-off cuts all children of a chance node, even those after the most probable tile.
    fn are_children_cut(&self, board: Board, cost: u16) -> bool {
        let empty_cells = self.rules.empty_cells(board);
        let mut tiles = 0..self.rules.spawn().tiles().len();
        tiles.all(|number| {
            let more = PathCosts::spawn(&self.costs, empty_cells, number);
            PathCosts::cuts(&self.costs, cost + more)
        })
    }

    fn chance_node(&mut self, board: Board, depth: u8, cost: u16) -> NodeValue {
        if depth == 0 || PathCosts::cuts(&self.costs, cost) {
            let value = self.heuristic.value(board);
            return NodeValue {
                value,
                is_limited: false,
            };
        }
        let are_children_cut = self.are_children_cut(board, cost);
        let is_last = depth == 1 || are_children_cut;
        // A last node needs one layer, for any remaining depth.
        let needed = if is_last { 1 } else { depth };
        let slot = self.slot(board);
        if let Some(kept) = self.table.get(&slot)
            && kept.board == board
            && kept.depth.is_none_or(|depth| depth >= needed)
            && kept.cost <= cost
        {
            let is_limited = if is_last {
                !are_children_cut
            } else {
                kept.depth.is_some()
            };
            return NodeValue {
                value: kept.value,
                is_limited,
            };
        }
        let mut found = self.mean(board, depth, cost);
        let kept = if is_last {
            // The value of a last node does not depend on its path.
            found.is_limited = !are_children_cut;
            (Some(1), 0)
        } else {
            (found.is_limited.then_some(depth), cost)
        };
        let kept = TableEntry {
            board,
            depth: kept.0,
            cost: kept.1,
            value: found.value,
        };
        self.table.insert(slot, kept);
        found
    }

    /// The mean over random tiles: first the 2s in the order of the cells, then the 4s, or all tiles in the order of
    /// their ranks. The order matters because of the table.
    fn mean(&mut self, board: Board, depth: u8, cost: u16) -> NodeValue {
        let rules = self.rules;
        let empty_cells = rules.empty_cells(board);
        let (mut weighted, mut is_limited) = (0, false);
        for (number, tile) in rules.spawn().tiles().iter().enumerate() {
            let cost = cost + PathCosts::spawn(&self.costs, empty_cells, number);
            for cell in rules.shape().cells() {
                let mut ranks = board.ranks();
                if ranks[cell] == 0 {
                    ranks[cell] = tile.rank;
                    let spawned = Board::from_ranks(ranks);
                    let best = self.max_node(spawned, depth - 1, cost);
                    weighted += i64::from(tile.weight) * i64::from(best.value);
                    is_limited |= best.is_limited;
                }
            }
        }
        NodeValue {
            value: rounded_mean(weighted, rules.total() * empty_cells),
            is_limited,
        }
    }

    fn max_node(&mut self, board: Board, depth: u8, cost: u16) -> NodeValue {
        let reduced = PathCosts::reduced(&self.costs, cost, self.reduction);
        let moved = moves(&self.rules, board);
        let (mut values, mut is_full) = (Vec::new(), Vec::new());
        let mut is_limited = false;
        for &board in &moved {
            let is_last = depth <= 1 || self.are_children_cut(board, cost);
            let in_full = reduced == cost || moved.len() == 1 || is_last;
            let found = self.chance_node(board, depth, if in_full { cost } else { reduced });
            values.push(found.value);
            is_full.push(in_full);
            is_limited |= found.is_limited;
        }
        let mut value = 0;
        while let Some(best) = first_largest(&values) {
            if is_full[best] {
                value = values[best].max(0);
                break;
            }
            let found = self.chance_node(moved[best], depth, cost);
            values[best] = found.value;
            is_full[best] = true;
            is_limited |= found.is_limited;
        }
        NodeValue { value, is_limited }
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
        let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
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
