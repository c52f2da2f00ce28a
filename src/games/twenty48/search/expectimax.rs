//! Depth-limited expectimax over the heuristic tables.
//!
//! At a chance node the value is the mean over empty cells of 0.9 times the best value after a 2
//! plus 0.1 times that after a 4; at the depth limit it is the static value of the board. At a max
//! node it is the best value over the legal moves, and never below 0, the value of a lost board.
//! (The search of nneonneo/2048-ai; [`crate::reference::twenty48`] is its definition in full.)
//!
//! Values are 32-bit fixed point. A chance node's mean is formed exactly in 64 bits and rounded
//! once, so no order of summation and no instruction set can change it.

use crate::games::sliding::chance::{PathCosts, mean_over_spawns};
use crate::games::sliding::last_layer::LastLayer;
use crate::games::sliding::transposition::TranspositionTable;
use crate::games::sliding::{BoardTerms, RowTable, first_best};
use crate::games::twenty48::rules::{Board, Direction, Mover, Policy, rows};
use crate::games::twenty48::search::compiled::{CompiledSearch, LastLayerKernel};
use crate::player::depth::Depth;
use crate::stop::Stop;

/// Largest number of chance layers that are searched without reading whether to stop.
const LAYERS_WITHOUT_STOP: u8 = 2;

/// The number of chance layers below the root move. The adaptive depth is the number of distinct
/// tiles minus 2, at least 3.
pub fn chance_layers(depth: Depth, board: Board) -> u8 {
    match depth {
        Depth::Fixed(depth) => depth,
        Depth::Adaptive => (board.distinct_tiles().saturating_sub(2) as u8).max(3),
    }
}

/// Number of entries of the transposition table, as a power of 2. Larger tables do not fit the
/// cache, and with a single chance layer no node occurs twice.
fn table_bits(depth: Depth) -> u32 {
    match depth {
        Depth::Fixed(0 | 1) => 0,
        Depth::Fixed(2) => 12,
        Depth::Fixed(3) => 14,
        Depth::Fixed(_) | Depth::Adaptive => 16,
    }
}

/// An expectimax search with the state of one game.
pub struct Expectimax<'a, T> {
    rows: &'static RowTable,
    last_layer: LastLayer<'a, T>,
    /// Replaces `last_layer` if there is a kernel.
    kernel: Option<&'a LastLayerKernel>,
    depth: Depth,
    costs: Option<PathCosts>,
    table: TranspositionTable,
    stop: Stop<'a>,
    leaf_evaluations: u64,
}

impl<'a, T: BoardTerms> Expectimax<'a, T> {
    /// A search for one game.
    ///
    /// `board_terms` are those of the heuristic; their type says whether there are any. A chance
    /// node whose path probability is below `cutoff` is a leaf; 0 cuts nothing. The probability is
    /// rounded to steps of 2^(-1/1024).
    pub fn new(compiled: &'a CompiledSearch, board_terms: T, depth: Depth, cutoff: f64) -> Self {
        let (heuristic, rows) = (compiled.heuristic(), rows());
        Expectimax {
            rows,
            last_layer: LastLayer::new(rows, heuristic, board_terms),
            kernel: compiled.last_layer(),
            depth,
            costs: PathCosts::new(cutoff),
            table: TranspositionTable::new(table_bits(depth)),
            stop: Stop::never(),
            leaf_evaluations: 0,
        }
    }

    /// The search returns any value soon after `stop` is requested.
    pub fn until(self, stop: Stop<'a>) -> Self {
        Expectimax { stop, ..self }
    }

    /// Values of the moves in the order of [`Direction::ALL`], in fixed point; `None` for an
    /// illegal one.
    pub fn move_values(&mut self, board: Board) -> [Option<i32>; 4] {
        let depth = chance_layers(self.depth, board);
        Direction::ALL.map(|direction| {
            let moved = board.moved(direction);
            (moved != board).then(|| self.chance(moved, depth, 0))
        })
    }

    fn chance(&mut self, board: Board, depth: u8, cost: u16) -> i32 {
        if depth == 0 || PathCosts::cuts(&self.costs, cost) {
            self.leaf_evaluations += 1;
            return self.last_layer.value(board, board.transpose());
        }
        if !self.table.is_enabled() {
            return self.mean(board, depth, cost);
        }
        if let Some(value) = self.table.get(board, depth, cost) {
            return value;
        }
        let value = self.mean(board, depth, cost);
        self.table.put(board, depth, cost, value);
        value
    }

    fn mean(&mut self, board: Board, depth: u8, cost: u16) -> i32 {
        if depth == 1 {
            return self.last_mean(board);
        }
        if depth > LAYERS_WITHOUT_STOP && self.stop.is_requested() {
            return 0;
        }
        let empty = board.empty_cells();
        let [two, four] = PathCosts::spawn(&self.costs, empty);
        let mut weighted = 0;
        let mut cells = board.empty_mask();
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            let after_two = self.best(Board(board.0 | cell), depth - 1, cost + two);
            let after_four = self.best(Board(board.0 | cell << 1), depth - 1, cost + four);
            weighted += 9 * i64::from(after_two) + i64::from(after_four);
        }
        mean_over_spawns(weighted, empty)
    }

    fn last_mean(&mut self, board: Board) -> i32 {
        let (value, leaves) = match self.kernel {
            Some(kernel) => {
                let sum = kernel.sum(board);
                let empty = board.empty_cells();
                (mean_over_spawns(sum.weighted, empty), sum.leaves)
            }
            None => self.last_layer.chance(board),
        };
        self.leaf_evaluations += leaves;
        value
    }

    fn best(&mut self, board: Board, depth: u8, cost: u16) -> i32 {
        let mut best = 0;
        for moved in board.all_moved_by(self.rows) {
            if moved != board {
                best = best.max(self.chance(moved, depth, cost));
            }
        }
        best
    }
}

impl<T: BoardTerms> Policy<Board, Direction> for Expectimax<'_, T> {
    /// The move of the largest value; the first of equals.
    fn choose(&mut self, board: Board) -> Option<Direction> {
        first_best(self.move_values(board))
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaf_evaluations
    }
}

impl<T: BoardTerms> Mover for Expectimax<'_, T> {
    #[inline(always)]
    fn next(&mut self, board: Board) -> Option<Board> {
        if self.depth == Depth::Fixed(0) {
            return self.next_at_once(board);
        }
        let depth = chance_layers(self.depth, board);
        let mut best = None;
        for moved in board.all_moved_by(self.rows) {
            if moved != board {
                let value = self.chance(moved, depth, 0);
                if best.is_none_or(|(largest, _)| value > largest) {
                    best = Some((value, moved));
                }
            }
        }
        best.map(|(_, moved)| moved)
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaf_evaluations
    }
}

impl<T: BoardTerms> Expectimax<'_, T> {
    /// The board after a move with the largest static value. There is no branch on which move is
    /// legal or best, because neither can be predicted.
    #[inline(always)]
    fn next_at_once(&mut self, board: Board) -> Option<Board> {
        let [rows, columns] = [board, board.transpose()].map(|board| board.both_slid(self.rows));
        let [up, down] = columns.map(|columns| (columns.transpose(), columns));
        let [left, right] = rows.map(|rows| (rows, rows.transpose()));
        let mut best = (i64::MIN, board);
        for (moved, transposed) in [up, down, left, right] {
            let value = i64::from(self.last_layer.value(moved, transposed));
            let is_legal = moved != board;
            self.leaf_evaluations += u64::from(is_legal);
            let is_better = is_legal & (value > best.0);
            best = if is_better { (value, moved) } else { best };
        }
        (best.1 != board).then_some(best.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::samples::anchored_heuristics;
    use crate::games::sliding::{Heuristic, NoBoardTerms};
    use crate::games::twenty48::heuristic::{TERMS, parameters};
    use crate::games::twenty48::rules::samples::boards;
    use crate::heuristic::weights::Weights;
    use crate::reference::twenty48 as reference;
    use crate::simd::{InstructionSet, testable_sets};

    /// Symmetric and anchored heuristics, with and without board terms.
    fn settings() -> Vec<Heuristic> {
        let richer = [
            ("smoothness", 30.0),
            ("line_end_outer", 500.0),
            ("line_end_inner", 200.0),
            ("empty_inner", 100.0),
            ("empty_outer", 350.0),
        ];
        let board_level = [("max_tile", 700.0), ("edge", 900.0), ("corner", 1500.0)];
        [vec![], richer.to_vec(), board_level.to_vec()]
            .into_iter()
            .map(|changes| {
                let weights = Weights::default().with(changes, &parameters());
                Heuristic::new(&TERMS, &weights.unwrap())
            })
            .chain(anchored_heuristics())
            .collect()
    }

    fn agree<T: BoardTerms>(
        mut fast: Expectimax<T>,
        heuristic: &Heuristic,
        cutoff: f64,
        boards: impl Iterator<Item = Board>,
    ) {
        for board in boards {
            let depth = chance_layers(fast.depth, board);
            let slow = reference::move_values(heuristic, board, depth, cutoff);
            assert_eq!(fast.move_values(board), slow.values, "{board:?}");
        }
    }

    fn agree_at(depth: Depth, cutoff: f64, count: u32) {
        for heuristic in settings() {
            for set in testable_sets() {
                let compiled = CompiledSearch::new(heuristic.clone(), depth, set);
                let terms = heuristic.board_terms.as_slice();
                if terms.is_empty() {
                    let fast = Expectimax::new(&compiled, NoBoardTerms, depth, cutoff);
                    agree(fast, &heuristic, cutoff, boards(count));
                } else {
                    let fast = Expectimax::new(&compiled, terms, depth, cutoff);
                    agree(fast, &heuristic, cutoff, boards(count));
                }
            }
        }
    }

    #[test]
    fn agrees_with_the_textbook_without_look_ahead() {
        agree_at(Depth::Fixed(0), 0.0, 2000);
    }

    #[test]
    fn agrees_with_the_textbook_at_one_layer() {
        agree_at(Depth::Fixed(1), 0.0, 2000);
    }

    #[test]
    fn agrees_with_the_textbook_at_two_layers() {
        agree_at(Depth::Fixed(2), 0.0, 78);
        agree_at(Depth::Fixed(2), 1e-3, 78);
    }

    #[test]
    fn agrees_with_the_textbook_with_a_cutoff_at_greater_depth() {
        agree_at(Depth::Fixed(3), 0.02, 39);
        agree_at(Depth::Adaptive, 0.02, 13);
    }

    #[test]
    fn leaves_are_counted_as_the_textbook_visits_them() {
        let settings = settings();
        for heuristic in settings.iter().filter(|one| one.board_terms.is_empty()) {
            for set in testable_sets() {
                for depth in [0, 1] {
                    let fixed = Depth::Fixed(depth);
                    let compiled = CompiledSearch::new(heuristic.clone(), fixed, set);
                    for board in boards(100) {
                        let slow = reference::move_values(heuristic, board, depth, 0.0);
                        let mut fast = Expectimax::new(&compiled, NoBoardTerms, fixed, 0.0);
                        fast.move_values(board);
                        assert_eq!(Policy::leaf_evaluations(&fast), slow.leaves);
                    }
                }
            }
        }
    }

    #[test]
    fn a_value_does_not_depend_on_what_was_searched_before() {
        let depth = Depth::Fixed(2);
        let compiled = CompiledSearch::new(settings()[0].clone(), depth, InstructionSet::chosen());
        let fresh = || Expectimax::new(&compiled, NoBoardTerms, depth, 1e-4);
        let mut used = fresh();
        for board in boards(60) {
            assert_eq!(used.move_values(board), fresh().move_values(board));
        }
    }

    #[test]
    fn values_turn_with_the_transposed_board() {
        let depth = Depth::Fixed(1);
        for heuristic in settings() {
            let set = InstructionSet::chosen();
            let compiled = CompiledSearch::new(heuristic.clone(), depth, set);
            let terms = heuristic.board_terms.as_slice();
            let mut search = Expectimax::new(&compiled, terms, depth, 0.0);
            for board in boards(50) {
                let [up, down, left, right] = search.move_values(board);
                let transposed = search.move_values(board.transpose());
                assert_eq!(transposed, [left, right, up, down]);
            }
        }
    }
}
