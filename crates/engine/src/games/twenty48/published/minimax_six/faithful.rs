//! The minimax of the six-feature study as published, with its three errors:
//!
//! - A: The move function, which the search uses too, adds a random 2.
//! - B: A board can therefore be full where a 2 should be placed. The value of such a node is its beta (plus
//!   infinity at the root).
//! - C: There is only one board. A node restores it before each of its moves and random 2s, but not after the
//!   last one. The search leaves the last board behind, and the real move is made on it.
//!
//! [`crate::games::twenty48::published::minimax_six::search`] is the search without these errors.

use crate::games::twenty48::published::minimax_six::search::{LOST, PLIES_WITHOUT_STOP, WON};
use crate::games::twenty48::published::minimax_six::sum::SixFeatures;
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns};
use crate::player::single_player::SinglePlayerGame;
use crate::random::{Stream, derive};
use crate::record::GameRecord;
use crate::stop::Stop;

/// The generator of the random 2s inside the search: a linear congruential generator with the multiplier and
/// increment of Knuth's MMIX. Its upper 31 bits choose the cell.
#[derive(Clone, Debug)]
pub struct Congruential(u64);

impl Congruential {
    /// The generator with this initial state.
    pub fn new(seed: u64) -> Self {
        Congruential(seed)
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The chosen move; `None` is the "idle" of the program.
    pub direction: Option<Direction>,
    /// Value of the root: [`LOST`] if the program is idle, [`WON`] after error B.
    pub value: i32,
    /// The board that the search leaves behind. The move is made on it.
    pub left: Board,
}

/// The published search with its single board.
pub struct PublishedMinimax<'a> {
    features: &'a SixFeatures,
    depth: u8,
    rng: Congruential,
    board: Board,
    stop: Stop<'a>,
    leaf_evaluations: u64,
}

impl<'a> PublishedMinimax<'a> {
    /// A search to this depth, at least 2, counted as in
    /// [`crate::games::twenty48::published::minimax_six::search`].
    pub fn new(features: &'a SixFeatures, depth: u8, rng: Congruential) -> Self {
        debug_assert!(depth >= 2);
        PublishedMinimax {
            features,
            depth,
            rng,
            board: Board::default(),
            stop: Stop::never(),
            leaf_evaluations: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary value.
    pub fn until(self, stop: Stop<'a>) -> Self {
        PublishedMinimax { stop, ..self }
    }

    /// Searches a position. The state of the generator continues from the last search.
    pub fn solve(&mut self, board: Board) -> Solved {
        self.board = board;
        let (value, direction) = self.alpha(1, LOST, WON);
        Solved {
            direction,
            value,
            left: self.board,
        }
    }

    /// A node with a choice of moves. Returns its value, and the first move with this value if a move has
    /// raised alpha.
    fn alpha(&mut self, depth: u8, mut alpha: i32, beta: i32) -> (i32, Option<Direction>) {
        if depth == self.depth {
            return (self.leaf(), None);
        }
        if self.depth - depth > PLIES_WITHOUT_STOP && self.stop.is_requested() {
            return (alpha, None);
        }
        let node = self.board;
        let mut best = None;
        for direction in Direction::ALL {
            self.board = node.moved(direction);
            if self.board == node {
                continue;
            }
            self.spawn();
            let value = self.beta(depth + 1, alpha, beta);
            if value > alpha {
                alpha = value;
                best = Some(direction);
            }
            if alpha >= beta {
                break;
            }
        }
        (alpha, best)
    }

    /// A node with a choice of the worst 2. On a full board nothing lowers beta (error B).
    fn beta(&mut self, depth: u8, alpha: i32, mut beta: i32) -> i32 {
        if depth == self.depth {
            return self.leaf();
        }
        let node = self.board;
        let mut cells = node.empty_mask();
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            self.board = Board(node.0 | cell);
            let (value, _) = self.alpha(depth + 1, alpha, beta);
            beta = beta.min(value);
            if alpha >= beta {
                break;
            }
        }
        beta
    }

    /// Error A: adds a random 2. After a legal move at least one cell is empty.
    fn spawn(&mut self) {
        let mut empty = self.board.empty_mask();
        for _ in 0..self.rng.below(empty.count_ones()) {
            empty &= empty - 1;
        }
        self.board.0 |= empty & empty.wrapping_neg();
    }

    fn leaf(&mut self) -> i32 {
        self.leaf_evaluations += 1;
        self.features.value(self.board)
    }
}

/// Plays a game like the published program. It searches, and then makes the chosen move on the board that the
/// search leaves behind. If this move is legal, a 2 appears. It resigns when it is idle. Every choice counts as
/// a move. Returns `None` if `stop` is requested before the end.
///
/// The game always ends: the board left behind either has progressed from the searched board, or is the same
/// board, on which the chosen move is legal.
pub fn play(seed: u64, features: &SixFeatures, depth: u8, stop: Stop) -> Option<GameRecord> {
    let mut game = PublishedGame::new(seed, features, depth, stop);
    while game.step()?.direction.is_some() {}
    Some(game.record())
}

/// A game of the published program in progress.
pub struct PublishedGame<'a> {
    seed: u64,
    game: Game,
    search: PublishedMinimax<'a>,
    choices: u32,
}

impl<'a> PublishedGame<'a> {
    /// The start of the game of `seed`.
    pub fn new(seed: u64, features: &'a SixFeatures, depth: u8, stop: Stop<'a>) -> Self {
        let rng = Congruential::new(derive(seed, Stream::Player, 0, 0));
        PublishedGame {
            seed,
            game: Game::new(seed, Spawns::OnlyTwos),
            search: PublishedMinimax::new(features, depth, rng).until(stop),
            choices: 0,
        }
    }

    /// Continues from another board.
    pub fn continue_from(&mut self, board: Board) {
        self.game.continue_from(board);
    }

    /// The current position.
    pub fn board(&self) -> Board {
        self.game.board()
    }

    /// Searches the position and makes the move, or no move if the program is idle. Returns `None` if a stop is
    /// requested.
    pub fn step(&mut self) -> Option<Solved> {
        let solved = self.search.solve(self.game.board());
        let solved = self.search.stop.complete(solved)?;
        if let Some(direction) = solved.direction {
            self.choices += 1;
            self.game.replace_board(solved.left);
            self.game.play(direction);
        }
        Some(solved)
    }

    /// The record of the game so far.
    pub fn record(&self) -> GameRecord {
        GameRecord {
            moves: self.choices,
            ..self.game.record(self.seed, self.search.leaf_evaluations)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::published::minimax_six::features::Forms;
    use crate::games::twenty48::rules::samples::board_of;
    use crate::games::vectors;
    use crate::heuristic::weights::Weights;
    use serde_json::Value;

    #[test]
    fn moves_values_and_boards_left_behind_are_those_of_the_original() {
        // Vectors from runs of the original program with this generator in its move function.
        let features = SixFeatures::new(&Weights::default(), Forms::default());
        let mut checked = 0;
        for record in vectors::records("minimax_six_positions.jsonl") {
            let board = board_of(&record["b"]);
            for depth in [4, 6] {
                let expected = &record[format!("verb{depth}")];
                let Some(seed) = expected["lcg_seed"].as_u64() else {
                    continue;
                };
                let rng = Congruential::new(seed);
                let solved = PublishedMinimax::new(&features, depth, rng).solve(board);
                let chosen = solved
                    .direction
                    .map(|direction| direction.name().to_uppercase());
                assert_eq!(expected["dir"], chosen.unwrap_or_default(), "{board:?}");
                let value = match solved.value {
                    LOST => "-inf".into(),
                    WON => "inf".into(),
                    value => Value::from(features.points(value)),
                };
                assert_eq!(expected["val"], value, "{board:?}");
                assert_eq!(board_of(&expected["left"]), solved.left, "{board:?}");
                checked += 1;
            }
        }
        assert_eq!(checked, 225);
    }

    #[test]
    fn its_games_are_as_short_as_is_known() {
        let features = SixFeatures::new(&Weights::default(), Forms::default());
        let games = (0..200).map(|seed| play(seed, &features, 6, Stop::never()).unwrap());
        let moves: u32 = games.map(|game| game.moves).sum();
        let mean = f64::from(moves) / 200.0;
        assert!((25.0..33.0).contains(&mean), "{mean}");
    }
}
