//! Rules of 2048 on a 64-bit board: moves, random tiles, the score, and whole games. They must not depend on
//! heuristics or searches.
//!
//! [`Usual`] are these rules; a [`Variation`] has another board or other random tiles.
//!
//! Source of the rules: G. Cirulli's 2048. A move slides all tiles to one side and merges equal neighbours. A
//! move that changes nothing is illegal. After each move a 2 (probability 0.9) or a 4 (0.1) appears in a
//! uniformly random empty cell. The start has two such tiles. The game ends when no move is legal.

mod game;
mod slide;
mod spawn;
mod variation;
mod view;

use crate::games::sliding::{board::cell_by, rows::unpack};
use crate::random::GameRng;

pub use crate::games::sliding::board::{Board, Direction};
pub use crate::player::single_player::Policy;
pub use game::{Game, Mover, play, play_many};
pub use slide::{Slide, destinations, rows, slide, slides};
pub use spawn::{MOST_TILES, Spawn, SpawnError, SpawnTile};
pub use variation::{FOUR_PROBABILITY, OnBoard, Rules, Spawns, Usual, Variation};
pub use view::SizedBoard;

impl Board {
    /// The tiles, row by row from the top left; 0 for an empty cell.
    pub fn tiles(self) -> [u32; 16] {
        self.ranks()
            .map(|rank| if rank == 0 { 0 } else { 1 << rank })
    }

    /// The board after a move, before a tile appears; it equals `self` if the move is illegal.
    #[inline]
    pub fn moved(self, direction: Direction) -> Board {
        self.moved_by(rows(), direction)
    }

    /// The boards after all moves, in the order of [`Direction::ALL`]. The result equals four calls of
    /// [`Board::moved`], but each line is looked up once for both directions.
    #[inline(always)]
    pub fn all_moved(self) -> [Board; 4] {
        self.all_moved_by(rows())
    }

    /// Points of a move: the sum of the tiles that its merges create.
    pub fn points_of(self, direction: Direction) -> u32 {
        let lines = match direction {
            Direction::Left | Direction::Right => self,
            Direction::Up | Direction::Down => self.transpose(),
        };
        (0..4)
            .map(|line| slide(unpack(lines.row(line))).points)
            .sum()
    }

    /// True if no move is legal.
    pub fn is_over(self) -> bool {
        Direction::ALL
            .into_iter()
            .all(|direction| self.moved(direction) == self)
    }

    /// True if two tiles of the largest rank meet in some move. They do not merge.
    #[inline(always)]
    fn is_capped(self) -> bool {
        self.has_two_of_max_rank() && self.faces_largest()
    }

    #[cold]
    fn faces_largest(self) -> bool {
        let transposed = self.transpose();
        (0..4).any(|line| {
            slide(unpack(self.row(line))).capped || slide(unpack(transposed.row(line))).capped
        })
    }

    /// The board after a random tile, and whether the tile is a 4. A tile uses 64 random bits: the upper half
    /// chooses the empty cell, and the tile is a 4 if the lower half is below `four_below`.
    ///
    /// # Panics
    /// In debug builds, if the board is full.
    #[inline(always)]
    fn with_spawn(self, rng: &mut GameRng, four_below: u64) -> (Board, bool) {
        let bits = rng.bits();
        let empty = self.empty_mask();
        debug_assert!(empty != 0);
        let cell = cell_by(empty, bits >> 32);
        let is_four = bits & 0xFFFF_FFFF < four_below;
        // The tile 2 has rank 1, the tile 4 has rank 2.
        (Board(self.0 | cell << u32::from(is_four)), is_four)
    }

    /// The score of the board if no random tile was a 4: the merges that make a tile of rank k score (k-1) 2^k
    /// points. Each random 4 adds 4 to this sum without a merge.
    fn points_of_tiles(self) -> u64 {
        let ranks = self.ranks().into_iter().filter(|&rank| rank > 0);
        ranks.map(variation::points_of_rank).sum()
    }
}

#[cfg(test)]
pub(crate) mod samples;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow definition on a grid, cell by cell, without packing and tables.
    fn slow_moved(board: Board, direction: Direction) -> (Board, u32) {
        let ranks = board.ranks();
        let mut after = [0; 16];
        let mut points = 0;
        for line in 0..4 {
            let cell = |step: usize| match direction {
                Direction::Left => 4 * line + step,
                Direction::Right => 4 * line + 3 - step,
                Direction::Up => 4 * step + line,
                Direction::Down => 4 * (3 - step) + line,
            };
            let slid = slide(std::array::from_fn(|step| ranks[cell(step)]));
            points += slid.points;
            for step in 0..4 {
                after[cell(step)] = slid.line[step];
            }
        }
        (Board::from_ranks(after), points)
    }

    proptest! {
        #[test]
        fn moves_follow_the_slow_rule(bits: u64) {
            let board = Board(bits);
            for direction in Direction::ALL {
                let (after, points) = slow_moved(board, direction);
                prop_assert_eq!(board.moved(direction), after);
                prop_assert_eq!(board.all_moved()[direction as usize], after);
                prop_assert_eq!(board.points_of(direction), points);
            }
        }

        #[test]
        fn masks_and_counts_agree_with_the_cells(bits: u64, holes: u64) {
            let board = Board(bits & holes);
            let ranks = board.ranks();
            prop_assert_eq!(Board::from_ranks(ranks), board);
            prop_assert_eq!(board.empty_cells() as usize, ranks.iter().filter(|&&r| r == 0).count());
            for (cell, &rank) in ranks.iter().enumerate() {
                prop_assert_eq!(board.empty_mask() >> (4 * cell) & 1 == 1, rank == 0);
                prop_assert_eq!(board.transpose().ranks()[4 * (cell % 4) + cell / 4], rank);
            }
            let (largest, at) = board.largest();
            prop_assert_eq!(Some(largest), ranks.into_iter().max());
            for (cell, &rank) in ranks.iter().enumerate() {
                prop_assert_eq!(at >> (4 * cell) & 1 == 1, rank == largest);
            }
            let distinct: std::collections::HashSet<u8> = ranks.into_iter().filter(|&r| r > 0).collect();
            prop_assert_eq!(board.distinct_tiles() as usize, distinct.len());
        }
    }

    #[test]
    fn spawns_are_uniform_and_a_tenth_are_fours() {
        let board = Board::from_ranks([1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0]);
        let mut rng = GameRng::new(1);
        let mut cells = [0u32; 16];
        let mut fours = 0u32;
        for _ in 0..80_000 {
            let (after, is_four) = board.with_spawn(&mut rng, Spawns::TwosAndFours.four_below());
            let cell = (after.0 ^ board.0).trailing_zeros() / 4;
            assert_eq!(after.ranks()[cell as usize], 1 + u8::from(is_four));
            cells[cell as usize] += 1;
            fours += u32::from(is_four);
        }
        // The tolerance is five standard deviations.
        for cell in (1..16).step_by(2) {
            assert!(cells[cell].abs_diff(10_000) < 470, "{cells:?}");
        }
        assert!(fours.abs_diff(8_000) < 425, "{fours}");
    }
}
