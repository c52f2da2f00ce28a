//! A game of 3+3, from the start position of its seed to its record.

use crate::games::sliding::board::{Board, Direction, cell_by};
use crate::games::three_plus_three::rules::{Position, next_after, spawn_cells, tile_of};
use crate::player::single_player::{Policy, SinglePlayerGame, play_out};
use crate::random::GameRng;
use crate::record::{GameRecord, GameResult};
use crate::stop::Stop;

/// A game in progress.
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    rng: GameRng,
    moves: u32,
    capped: bool,
}

impl Game {
    /// The start position of the game of `seed`: a 1 and a 2 on the board; the next tile is 1.
    pub fn new(seed: u64) -> Self {
        let mut rng = GameRng::new(seed);
        let mut board = Board::default();
        for rank in [1, 2] {
            board.0 |= rank * random_cell(board.empty_mask(), &mut rng);
        }
        Game {
            position: Position { board, next: 1 },
            rng,
            moves: 0,
            capped: false,
        }
    }
}

/// A uniformly random cell of a mask.
#[inline]
fn random_cell(cells: u64, rng: &mut GameRng) -> u64 {
    cell_by(cells, rng.bits() >> 32)
}

impl SinglePlayerGame for Game {
    type Position = Position;
    type Move = Direction;

    fn position(&self) -> Position {
        self.position
    }

    #[inline]
    fn play(&mut self, direction: Direction) -> bool {
        let Position { next, .. } = self.position;
        let Some(moved) = self.position.moved(direction) else {
            return false;
        };
        self.capped = self.capped || self.position.is_capped();
        let cell = random_cell(spawn_cells(moved, direction), &mut self.rng);
        self.position = Position {
            board: Board(moved.0 | (u64::from(next) * cell)),
            next: next_after(next),
        };
        self.moves += 1;
        true
    }

    /// The score is that of the board, so it contains the tiles of the given position.
    fn continue_from(&mut self, position: Position) -> bool {
        self.position = position;
        true
    }

    fn record(&self, seed: u64, leaf_evaluations: u64) -> GameRecord {
        GameRecord {
            seed,
            result: GameResult::Score {
                score: self.position.score(),
                max_tile: Some(tile_of(self.position.board.max_rank())),
                capped: self.capped || self.position.is_capped(),
            },
            moves: self.moves,
            leaf_evaluations,
        }
    }
}

/// Plays the game of `seed` to its end. Returns `None` if `stop` is requested before the end.
///
/// # Panics
/// Like [`play_out`].
pub fn play(
    seed: u64,
    policy: &mut impl Policy<Position, Direction>,
    stop: Stop,
) -> Option<GameRecord> {
    play_out(Game::new(seed), seed, policy, stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::rows::MAX_RANK;

    #[test]
    fn a_game_begins_with_a_one_and_a_two_and_the_next_tiles_alternate() {
        for seed in 0..100 {
            let mut game = Game::new(seed);
            let mut rng = GameRng::new(!seed);
            let mut tiles = game.position().tiles();
            tiles.sort_unstable();
            assert_eq!(tiles[13..], [0, 1, 2]);
            assert_eq!(tiles[..13], [0; 13]);
            for moves in 0.. {
                let before = game.position();
                assert_eq!(before.next, 1 + moves % 2);
                let legal = |direction: &Direction| before.moved(*direction).is_some();
                let legal: Vec<Direction> = Direction::ALL.into_iter().filter(legal).collect();
                if legal.is_empty() {
                    break;
                }
                let direction = legal[rng.below(legal.len() as u32) as usize];
                let sum = |position: Position| position.tiles().iter().sum::<u32>();
                assert!(game.play(direction));
                assert_eq!(
                    sum(game.position()),
                    sum(before) + u32::from(before.next),
                    "a move keeps the sum of the tiles"
                );
            }
        }
    }

    #[test]
    fn tiles_appear_uniformly_on_the_side_moved_away_from() {
        let board = Board::from_ranks([0, 3, 0, 0, 4, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 9]);
        let mut counts = [0u32; 16];
        for seed in 0..30_000 {
            let mut game = Game::new(seed);
            game.position.board = board;
            assert!(game.play(Direction::Left));
            let moved = Position { board, next: 1 }.moved(Direction::Left).unwrap();
            counts[(game.position.board.0 ^ moved.0).trailing_zeros() as usize / 4] += 1;
        }
        // After the move the last cells of rows 0, 1 and 3 are empty; row 1 counts although it has not moved.
        // The tolerance is five standard deviations.
        for (cell, count) in counts.into_iter().enumerate() {
            let expected = if [3, 7, 15].contains(&cell) {
                10_000
            } else {
                0
            };
            assert!(count.abs_diff(expected) < 409, "{counts:?}");
        }
    }

    #[test]
    fn a_game_at_the_cap_is_marked_and_never_claims_another_board() {
        let mut game = Game::new(0);
        game.position.board = Board::from_ranks([15, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(game.position.moved(Direction::Left), None, "nothing merges");
        assert!(game.play(Direction::Right));
        assert!(game.record(0, 0).is_capped());
        assert_eq!(game.position.board.max_rank(), MAX_RANK);
        game.capped = false;
        game.position.board = Board::from_ranks([15, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert!(!game.record(0, 0).is_capped(), "nothing slides over a gap");
    }
}
