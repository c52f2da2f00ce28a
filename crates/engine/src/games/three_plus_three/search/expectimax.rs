//! Expectimax with limited depth for 3+3, with heuristic tables.
//!
//! The next tile is known, and the tiles after it follow from it. Only the cell is random. The value of a
//! chance node is the mean over the empty cells on the side opposite to the move, at most four. At the depth
//! limit, it is the static value of the board before the tile appears. The value of a max node is the largest
//! value over the legal moves, and at least 0, which is the value of a lost board.
//! [`crate::reference::three_plus_three`] is the definition in code.
//!
//! Values are fixed point. A mean is computed in 64 bits and rounded once. Positions that several sequences of
//! moves reach are searched once. The last layer slides both orientations of the board once for all cells.

use crate::games::sliding::{
    Board, BoardTerms, Direction, FourByFour, Heuristic, RowTable, chance::rounded_mean,
    first_best, last_layer::LastLayer, line_tables::COLUMNS, line_tables::ROWS,
    transposition::TranspositionTable,
};
use crate::games::three_plus_three::rules::{Position, next_after, rows, spawn_cells};
use crate::player::single_player::Policy;
use crate::stop::Stop;

/// With this number of chance layers or fewer, the search does not check for a stop, because the subtree is
/// small.
const LAYERS_WITHOUT_STOP: u8 = 2;

/// An expectimax search and its table, for one game.
pub struct Expectimax<'a, T> {
    rows: &'static RowTable,
    last_layer: LastLayer<'a, T, FourByFour>,
    depth: u8,
    table: TranspositionTable,
    stop: Stop<'a>,
    leaf_evaluations: u64,
}

/// Size of the transposition table, as the exponent of a power of 2; 0 means no table. With one chance layer no
/// position occurs twice.
fn table_bits(depth: u8) -> u32 {
    match depth {
        0 | 1 => 0,
        2 => 10,
        _ => 14,
    }
}

impl<'a, T: BoardTerms> Expectimax<'a, T> {
    /// A search for one game, with `depth` chance layers below the root move. `board_terms` must be those of
    /// `heuristic`; their type says whether there are any.
    pub fn new(heuristic: &'a Heuristic, board_terms: T, depth: u8) -> Self {
        Expectimax {
            rows: rows(),
            last_layer: LastLayer::new(FourByFour(rows()), heuristic, board_terms),
            depth,
            table: TranspositionTable::new(table_bits(depth)),
            stop: Stop::never(),
            leaf_evaluations: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary value.
    pub fn until(self, stop: Stop<'a>) -> Self {
        Expectimax { stop, ..self }
    }

    /// Values of the moves in the order of [`Direction::ALL`], in fixed point; `None` for an illegal move.
    pub fn move_values(&mut self, position: Position) -> [Option<i32>; 4] {
        Direction::ALL.map(|direction| {
            let moved = position.moved(direction)?;
            Some(self.chance(moved, direction, position.next, self.depth))
        })
    }

    fn chance(&mut self, moved: Board, direction: Direction, next: u8, depth: u8) -> i32 {
        match depth {
            0 => {
                self.leaf_evaluations += 1;
                self.last_layer.value(moved, moved.transpose())
            }
            1 => match direction {
                Direction::Left => self.last_chance::<ROWS, COLUMNS, 3>(moved, next),
                Direction::Right => self.last_chance::<ROWS, COLUMNS, 0>(moved, next),
                Direction::Up => self.last_chance::<COLUMNS, ROWS, 3>(moved.transpose(), next),
                Direction::Down => self.last_chance::<COLUMNS, ROWS, 0>(moved.transpose(), next),
            },
            _ if depth > LAYERS_WITHOUT_STOP && self.stop.is_requested() => 0,
            _ => {
                let mut cells = spawn_cells(moved, direction);
                let places = cells.count_ones();
                let mut sum = 0;
                while cells != 0 {
                    let cell = cells & cells.wrapping_neg();
                    cells ^= cell;
                    let board = Board(moved.0 | (u64::from(next) * cell));
                    sum += i64::from(self.best(board, next_after(next), depth - 1));
                }
                rounded_mean(sum, places)
            }
        }
    }

    /// Best value of a move with at least one chance layer below it.
    fn best(&mut self, board: Board, next: u8, depth: u8) -> i32 {
        if let Some(value) = self.table.get(board, depth, next.into()) {
            return value;
        }
        let mut best = 0;
        if depth == 1 {
            // The same as the general case, but with fewer transpositions.
            best = best.max(self.best_along::<ROWS, COLUMNS>(board, next));
            best = best.max(self.best_along::<COLUMNS, ROWS>(board.transpose(), next));
        } else {
            let all_moved = board.all_moved_by(self.rows);
            for (direction, moved) in Direction::ALL.into_iter().zip(all_moved) {
                if moved != board {
                    best = best.max(self.chance(moved, direction, next, depth));
                }
            }
        }
        self.table.put(board, depth, next.into(), best);
        best
    }

    /// The better of the two moves along axis `ALONG`, with one chance layer below them; 0 if both are illegal.
    /// For `ALONG` = [`COLUMNS`], pass the transposed board.
    #[inline(always)]
    fn best_along<const ALONG: usize, const ACROSS: usize>(
        &mut self,
        board: Board,
        next: u8,
    ) -> i32 {
        let [to_first, to_last] = board.both_slid(self.rows);
        let mut best = 0;
        if to_first != board {
            best = self.last_chance::<ALONG, ACROSS, 3>(to_first, next);
        }
        if to_last != board {
            best = best.max(self.last_chance::<ALONG, ACROSS, 0>(to_last, next));
        }
        best
    }

    /// A chance node directly above the leaves, after a move that has slid the lines of axis `ALONG`. The tile
    /// `next` appears in cell `LAST` of a line. For `ALONG` = [`COLUMNS`], pass the transposed board.
    #[inline(always)]
    fn last_chance<const ALONG: usize, const ACROSS: usize, const LAST: usize>(
        &mut self,
        along: Board,
        next: u8,
    ) -> i32 {
        let across = along.transpose();
        let slid = self.last_layer.axis::<ALONG>(along);
        let crossing = self.last_layer.axis::<ACROSS>(across);
        let side = across.row(LAST);
        let (mut sum, mut places) = (0, 0);
        for row in (0..4).filter(|row| side >> (4 * row) & 0xF == 0) {
            let (best, leaves) = self.last_layer.best_after::<ALONG, ACROSS>(
                [&slid, &crossing],
                [row, LAST],
                next.into(),
            );
            sum += i64::from(best);
            places += 1;
            self.leaf_evaluations += leaves;
        }
        rounded_mean(sum, places)
    }
}

impl<T: BoardTerms> Policy<Position, Direction> for Expectimax<'_, T> {
    /// The move with the largest value; among equal moves, the first.
    fn choose(&mut self, position: Position) -> Option<Direction> {
        first_best(self.move_values(position))
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaf_evaluations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::AllBoardTerms;
    use crate::games::sliding::chance::NoBoardTerms;
    use crate::games::sliding::samples::{
        anchored_heuristics, heuristics_by_axis, heuristics_of_the_board,
    };
    use crate::games::three_plus_three::heuristic::TERMS;
    use crate::games::three_plus_three::rules::samples::positions;
    use crate::heuristic::weights::Weights;

    /// Symmetric and anchored heuristics, with and without board terms.
    fn settings() -> Vec<Heuristic> {
        let richer = [
            ("smoothness", 30.0),
            ("line_end_outer", 500.0),
            ("line_end_inner", 200.0),
            ("wedged", 300.0),
            ("open", 3000.0),
        ];
        let board_level = [("corner", 900.0), ("directions", 2000.0), ("moves", 500.0)];
        [vec![], richer.to_vec(), board_level.to_vec()]
            .into_iter()
            .map(|changes| {
                let weights = Weights::default().with(changes, TERMS.parameters());
                Heuristic::new(&TERMS, &weights.unwrap()).unwrap()
            })
            .chain(anchored_heuristics())
            .collect()
    }

    fn agree_at(depth: u8, count: u32) {
        fn agree<T: BoardTerms>(mut fast: Expectimax<T>, heuristic: &Heuristic, count: u32) {
            for position in positions(count) {
                let slow = crate::reference::three_plus_three::move_values(
                    heuristic, position, fast.depth,
                );
                let before = fast.leaf_evaluations;
                assert_eq!(fast.move_values(position), slow.values, "{position:?}");
                let leaves = fast.leaf_evaluations - before;
                if fast.table.is_enabled() {
                    assert!(leaves <= slow.leaves);
                } else {
                    assert_eq!(leaves, slow.leaves);
                }
            }
        }
        let others = heuristics_by_axis()
            .into_iter()
            .chain(heuristics_of_the_board());
        let others = others.filter(|_| depth < 3);
        for heuristic in settings().into_iter().chain(others) {
            let count = if heuristic.lines.is_by_axis() || heuristic.whole.is_some() {
                count.min(200)
            } else {
                count
            };
            if heuristic.whole.is_some() {
                let terms = AllBoardTerms::of(&heuristic);
                agree(Expectimax::new(&heuristic, terms, depth), &heuristic, count);
            } else if heuristic.board_terms.is_empty() {
                agree(
                    Expectimax::new(&heuristic, NoBoardTerms, depth),
                    &heuristic,
                    count,
                );
            } else {
                let terms = heuristic.board_terms.as_slice();
                agree(Expectimax::new(&heuristic, terms, depth), &heuristic, count);
            }
        }
    }

    #[test]
    fn agrees_with_the_textbook() {
        agree_at(0, 2000);
        agree_at(1, 2000);
        agree_at(2, 200);
        agree_at(3, 39);
        agree_at(4, 5);
    }

    #[test]
    fn a_value_does_not_depend_on_what_was_searched_before() {
        let heuristic = &settings()[0];
        let fresh = || Expectimax::new(heuristic, NoBoardTerms, 3);
        let mut used = fresh();
        for position in positions(60) {
            assert_eq!(used.move_values(position), fresh().move_values(position));
        }
    }

    #[test]
    fn values_turn_with_the_board() {
        let heuristic = &settings()[1];
        let mut search = Expectimax::new(heuristic, NoBoardTerms, 2);
        for position in positions(100) {
            let [up, down, left, right] = search.move_values(position);
            let turned = Position {
                board: position.board.transpose(),
                ..position
            };
            assert_eq!(search.move_values(turned), [left, right, up, down]);
        }
    }
}
