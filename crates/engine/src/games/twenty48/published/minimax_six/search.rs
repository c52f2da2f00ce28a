//! The minimax of the six-feature study of 2048, without its errors: alpha-beta over alternating moves and
//! worst 2s.
//!
//! The depth counts nodes from the root, which has depth 1. A node at the limit is a leaf, so depth 6 means:
//! move, 2, move, 2, move, evaluate. The value of a node without a legal move is minus infinity. The search
//! never expects a 4, even if the game has 4s.
//!
//! Contract of alpha-beta: with bounds `alpha < beta`, the result for a node is its plain minimax value,
//! clamped to these bounds. A root move is played only if it is strictly better than the moves before it, so
//! bounds never change the choice.

use crate::games::twenty48::published::minimax_six::sum::SixFeatures;
use crate::games::twenty48::rules::{Board, Direction, Policy};
use crate::stop::Stop;

/// Value of a position that is lost after any move.
pub const LOST: i32 = i32::MIN;
/// Value of a node without an empty cell for a 2. It occurs only in the published program.
pub const WON: i32 = i32::MAX;

/// With this number of plies or fewer, the search does not check for a stop, because the subtree is small.
pub(super) const PLIES_WITHOUT_STOP: u8 = 3;

/// The minimax search with alpha-beta.
pub struct MinimaxSix<'a> {
    features: &'a SixFeatures,
    /// Number of plies from the root to the leaves.
    plies: u8,
    stop: Stop<'a>,
    leaf_evaluations: u64,
}

impl<'a> MinimaxSix<'a> {
    /// A search to this depth, at least 2.
    pub fn new(features: &'a SixFeatures, depth: u8) -> Self {
        debug_assert!(depth >= 2);
        MinimaxSix {
            features,
            plies: depth - 1,
            stop: Stop::never(),
            leaf_evaluations: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary value.
    pub fn until(self, stop: Stop<'a>) -> Self {
        MinimaxSix { stop, ..self }
    }

    /// Values of the moves in the order of [`Direction::ALL`], each searched with a full window. `None` for an
    /// illegal move, [`LOST`] for a move after which the game can be forced to end.
    pub fn move_values(&mut self, board: Board) -> [Option<i32>; 4] {
        board
            .all_moved()
            .map(|moved| (moved != board).then(|| self.min_node(moved, self.plies - 1, LOST, WON)))
    }

    /// The value of a node after a move, `plies` plies above the leaves.
    fn min_node(&mut self, board: Board, plies: u8, alpha: i32, mut beta: i32) -> i32 {
        if plies == 0 {
            return self.leaf(board).clamp(alpha, beta);
        }
        let mut cells = board.empty_mask();
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            beta = self.max_node(Board(board.0 | cell), plies - 1, alpha, beta);
            if beta <= alpha {
                return alpha;
            }
        }
        beta
    }

    /// The value of a node after a 2, `plies` plies above the leaves.
    fn max_node(&mut self, board: Board, plies: u8, mut alpha: i32, beta: i32) -> i32 {
        if plies == 0 {
            return self.leaf(board).clamp(alpha, beta);
        }
        if plies > PLIES_WITHOUT_STOP && self.stop.is_requested() {
            return alpha;
        }
        for moved in board.all_moved() {
            if moved != board {
                alpha = self.min_node(moved, plies - 1, alpha, beta);
                if alpha >= beta {
                    return beta;
                }
            }
        }
        alpha
    }

    #[inline(always)]
    fn leaf(&mut self, board: Board) -> i32 {
        self.leaf_evaluations += 1;
        self.features.value(board)
    }
}

impl Policy<Board, Direction> for MinimaxSix<'_> {
    /// The move with the largest value; among equal moves, the first. If all are [`LOST`], it is the first
    /// legal move.
    fn choose(&mut self, board: Board) -> Option<Direction> {
        let mut best = None;
        let mut alpha = LOST;
        for (direction, moved) in Direction::ALL.into_iter().zip(board.all_moved()) {
            if moved != board {
                let value = self.min_node(moved, self.plies - 1, alpha, WON);
                if value > alpha || best.is_none() {
                    best = Some(direction);
                    alpha = value;
                }
            }
        }
        best
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaf_evaluations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::published::minimax_six::features::{Forms, parameters};
    use crate::games::twenty48::rules::samples::{board_of, boards};
    use crate::games::vectors;
    use crate::heuristic::Form;
    use crate::heuristic::weights::Weights;
    use proptest::prelude::*;
    use serde_json::Value;

    /// The definition of the value: plain minimax. `depth` is counted as in the study.
    fn slow_value(features: &SixFeatures, board: Board, depth: u8, limit: u8) -> i32 {
        if depth == limit {
            return features.value(board);
        }
        let below = |board: Board| slow_value(features, board, depth + 1, limit);
        if depth % 2 == 1 {
            let moves = Direction::ALL.map(|direction| board.moved(direction));
            let legal = moves.into_iter().filter(|&moved| moved != board);
            legal.map(below).max().unwrap_or(LOST)
        } else {
            let ranks = board.ranks();
            let empty = (0..16).filter(|&cell| ranks[cell] == 0);
            let with_two = empty.map(|cell| Board(board.0 | 1 << (4 * cell)));
            with_two.map(below).min().unwrap_or(WON)
        }
    }

    fn agrees(features: &SixFeatures, board: Board, limit: u8) {
        let values = Direction::ALL.map(|direction| {
            let moved = board.moved(direction);
            (moved != board).then(|| slow_value(features, moved, 2, limit))
        });
        let mut search = MinimaxSix::new(features, limit);
        assert_eq!(search.move_values(board), values, "depth {limit} {board:?}");
        let mut best: Option<usize> = None;
        for (index, value) in values.iter().enumerate() {
            if value.is_some() && best.is_none_or(|best| *value > values[best]) {
                best = Some(index);
            }
        }
        let best = best.map(|index| Direction::ALL[index]);
        assert_eq!(search.choose(board), best, "depth {limit} {board:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn alpha_beta_is_plain_minimax(
            weights in prop::collection::vec(-10.0f64..10.0, 6),
            small in prop::collection::vec(0u8..3, 6),
            round: bool,
            intended: bool,
            skip in 0usize..400,
        ) {
            let form = if intended { Form::Intended } else { Form::Published };
            // Small whole weights lead to many equal values.
            let weights = weights.into_iter().zip(small);
            let weights = weights.map(|(weight, small)| if round { f64::from(small) } else { weight });
            let keys = parameters().into_iter().map(|parameter| parameter.key);
            let weights = Weights::new(keys.zip(weights), &parameters()).unwrap();
            let features = SixFeatures::new(&weights, Forms { smooth: form, repeat: form });
            for board in boards(400).skip(skip).take(4) {
                for limit in 2..=4 {
                    agrees(&features, board, limit);
                }
                if board.empty_cells() < 8 {
                    agrees(&features, board, 5);
                    agrees(&features, board, 6);
                }
            }
        }
    }

    #[test]
    fn values_and_moves_are_those_of_the_original_without_its_faults() {
        // Vectors from runs of the original program without its errors.
        let features = SixFeatures::new(&Weights::default(), Forms::default());
        for record in vectors::records("minimax_six_positions.jsonl") {
            let board = board_of(&record["b"]);
            for depth in [4, 6] {
                let expected = &record[format!("clean{depth}")];
                let mut search = MinimaxSix::new(&features, depth);
                let values = search.move_values(board);
                for (direction, value) in Direction::ALL.into_iter().zip(values) {
                    let name = direction.name().to_uppercase();
                    let value = match value {
                        None => Value::Null,
                        Some(LOST) => "-inf".into(),
                        Some(value) => features.points(value).into(),
                    };
                    assert_eq!(value, expected["root"][&name], "{name} {board:?}");
                }
                let chosen = search.choose(board).unwrap().name().to_uppercase();
                assert_eq!(expected["dir"], chosen, "{board:?}");
            }
        }
    }
}
