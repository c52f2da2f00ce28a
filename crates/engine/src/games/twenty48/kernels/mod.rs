//! Batches of whole games of 2048 in vector instructions, for players without look-ahead. A register holds
//! eight games. Every game is identical to the same game played alone.
//!
//! The definition is [`crate::games::twenty48::rules::play_many`] with the portable code of the player. A
//! kernel stops a game that becomes long enough to reach the largest tile; the portable code then plays it from
//! there.

// Vector loads, gathers and calls of functions for detected instructions need unsafe code.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod best_move;
#[cfg(target_arch = "x86_64")]
mod eight;
#[cfg(target_arch = "x86_64")]
mod random_games;

use crate::simd::InstructionSet;

/// Number of different lines of four cells with 16 ranks.
const LINES: usize = 1 << 16;

/// A kernel stops a game after this number of moves. Up to then no tile of 32768 can exist, and so no two that
/// would have to merge.
#[cfg(target_arch = "x86_64")]
const MOST_MOVES: i64 = 8000;

/// The state of a game: its start before the kernel runs, its end afterwards.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchedGame {
    /// 16 nibbles, each the rank of a tile. The first cell is the lowest nibble.
    pub board: u64,
    /// State of the generator (Xoshiro256++) of the random tiles.
    pub spawns: [u64; 4],
    /// State of the generator of the player's random choices. It is unused if the player makes none.
    pub choices: [u64; 4],
    /// Number of random 4s.
    pub fours: u64,
    /// Number of moves.
    pub moves: u64,
    /// Number of evaluated boards.
    pub leaves: u64,
    /// True if no move is legal. False means that the kernel has stopped the game.
    pub is_over: bool,
}

/// Tables of the kernel for the best moves. The index is a line.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// The line slid towards its first cell (lower half) and towards its last cell (upper half).
    pub slides: &'a [u32; LINES],
    /// Values of rows 0 to 3 and of columns 0 to 3.
    pub lines: [[&'a [i32; LINES]; 4]; 2],
}

/// Plays games with uniformly random legal moves. A random tile is a 4 if the lower half of its random bits is
/// below `four_below`.
pub type RandomKernel = fn(&mut [BatchedGame], four_below: u64);

/// Plays games with the move whose board has the largest static value; among equal moves, the first in the
/// order up, down, left, right.
pub type BestMoveKernel = fn(&mut [BatchedGame], four_below: u64, Tables);

/// The kernel for random moves; `None` if the instruction set has none, as the portable set.
pub fn random_kernel(set: InstructionSet) -> Option<RandomKernel> {
    #[cfg(target_arch = "x86_64")]
    if set == InstructionSet::Avx512 && set.is_available() {
        // SAFETY: `is_available` has checked the instructions.
        return Some(|games, four_below| unsafe { random_games::play(games, four_below) });
    }
    let _ = set;
    None
}

/// The kernel for the best moves; `None` if the instruction set has none. `by_axis` says whether rows and columns
/// have separate values.
pub fn best_move_kernel(set: InstructionSet, by_axis: bool) -> Option<BestMoveKernel> {
    #[cfg(target_arch = "x86_64")]
    if set == InstructionSet::Avx512 && set.is_available() {
        let kernel: BestMoveKernel = if by_axis {
            // SAFETY: `is_available` has checked the instructions.
            |games, four_below, tables| unsafe {
                best_move::play::<true>(games, four_below, tables);
            }
        } else {
            // SAFETY: `is_available` has checked the instructions.
            |games, four_below, tables| unsafe {
                best_move::play::<false>(games, four_below, tables);
            }
        };
        return Some(kernel);
    }
    // Only vector instructions read games and tables.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = |game: &BatchedGame, tables: &Tables| {
        let _ = (&game.spawns, &game.choices, &tables.slides, &tables.lines);
    };
    let _ = (set, by_axis);
    None
}
