//! The search of ChuitoChan/clojure-2048ai along the best snake path. It assumes that after every move a 2
//! appears in the first empty cell of the path, the "critical blank".
//!
//! The score of a move is the value of the board after it, plus the discounted score of the best move after the
//! assumed 2. In the original the discounts compound: it divides by `discount^1` at the first level, by
//! `discount^2` at the second level, and so on. Each division is inside the previous one, so at depth 3 the
//! four values have the weights 1, d^-1, d^-3 and d^-6. Its author describes one division by the discount at
//! each level.

use crate::games::twenty48::published::snake::path::SnakePaths;
use crate::games::twenty48::rules::{Board, Direction, Policy};
use crate::heuristic::Form;
use crate::stop::Stop;

/// The order of moves in the original. Among equal moves the last is played.
const ORDER: [Direction; 4] = [
    Direction::Down,
    Direction::Left,
    Direction::Right,
    Direction::Up,
];

/// With this number of moves or fewer, the search does not check for a stop, because the subtree is small.
const MOVES_WITHOUT_STOP: usize = 3;

/// The search along the best snake path.
pub struct Snake<'a> {
    paths: &'a SnakePaths,
    /// Divisors of the score; index 0 is for remaining depth 1.
    divisors: Vec<f64>,
    stop: Stop<'a>,
    leaf_evaluations: u64,
}

impl<'a> Snake<'a> {
    /// A search to a depth of `depth` moves after the first move.
    pub fn new(paths: &'a SnakePaths, depth: u8, discount: f64, form: Form) -> Self {
        let divisor = |remaining: u8| match form {
            Form::Intended => discount,
            Form::Published => libm::pow(discount, f64::from(depth - remaining + 1)),
        };
        Snake {
            paths,
            divisors: (1..=depth).map(divisor).collect(),
            stop: Stop::never(),
            leaf_evaluations: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary value.
    pub fn until(self, stop: Stop<'a>) -> Self {
        Snake { stop, ..self }
    }

    /// Scores of the moves in the order of [`Direction::ALL`]; `None` for an illegal move.
    pub fn move_scores(&mut self, board: Board) -> [Option<f64>; 4] {
        let depth = self.divisors.len();
        board
            .all_moved()
            .map(|moved| (moved != board).then(|| self.score(moved, depth)))
    }

    /// Score of a move, given the board after it.
    fn score(&mut self, moved: Board, depth: usize) -> f64 {
        self.leaf_evaluations += 1;
        if depth == 0 {
            return self.paths.value(moved);
        }
        let (value, blank) = self.paths.value_and_critical_blank(moved);
        // After a legal move at least one cell is empty, so `blank` exists.
        let two = blank.map_or(0, |cell| 1 << (4 * cell));
        value + self.best(Board(moved.0 | two), depth - 1) / self.divisors[depth - 1]
    }

    /// The best score of a legal move; 0 if there is none.
    fn best(&mut self, board: Board, depth: usize) -> f64 {
        let mut best = 0.0;
        if depth > MOVES_WITHOUT_STOP && self.stop.is_requested() {
            return best;
        }
        for moved in board.all_moved() {
            if moved != board {
                let score = self.score(moved, depth);
                best = if score > best { score } else { best };
            }
        }
        best
    }
}

/// The move with the largest score; among equal moves, the last in the order of the original. Scores are in the
/// order of [`Direction::ALL`].
pub fn last_best(scores: [Option<f64>; 4]) -> Option<Direction> {
    let mut best: Option<(Direction, f64)> = None;
    for direction in ORDER {
        if let Some(score) = scores[direction as usize]
            && best.is_none_or(|(_, largest)| score >= largest)
        {
            best = Some((direction, score));
        }
    }
    best.map(|(direction, _)| direction)
}

impl Policy<Board, Direction> for Snake<'_> {
    fn choose(&mut self, board: Board) -> Option<Direction> {
        last_best(self.move_scores(board))
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaf_evaluations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::rules::samples::board_of;
    use crate::games::vectors;
    use crate::heuristic::weights::Weights;

    #[test]
    fn moves_and_scores_are_those_of_the_original_to_the_bit() {
        // Vectors from runs of the original program.
        let paths = SnakePaths::new(&Weights::default());
        let mut boards = 0;
        for record in vectors::records("snake_positions.jsonl") {
            let board = board_of(&record["b"]);
            for depth in 0..=3 {
                let expected = &record[format!("d{depth}")];
                let mut search = Snake::new(&paths, depth, 0.9, Form::Published);
                let chosen = search.choose(board).unwrap();
                assert_eq!(expected["dir"], chosen.name(), "depth {depth} {board:?}");
                let score = search.move_scores(board)[chosen as usize];
                assert_eq!(expected["score"].as_f64(), score, "depth {depth} {board:?}");
            }
            boards += 1;
        }
        assert_eq!(boards, 150);
    }

    #[test]
    fn exponents_compound_as_published_and_not_as_intended() {
        let paths = SnakePaths::new(&Weights::default());
        let divisors = |form| Snake::new(&paths, 3, 0.5, form).divisors;
        assert_eq!(divisors(Form::Published), [0.125, 0.25, 0.5]);
        assert_eq!(divisors(Form::Intended), [0.5; 3]);
    }
}
