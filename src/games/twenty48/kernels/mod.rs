//! Whole games of 2048 by players that look no further than their move: many at a time, eight to
//! a register, each the same game as if it were played alone.
//!
//! The definition is [`crate::games::twenty48::rules::play_many`] with the player's own code. A
//! game that grows so long that it could come to the largest tile a board can hold is left to that.

// Vector loads, gathers and calls of code for detected instructions cannot be had without.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod best_move;
#[cfg(target_arch = "x86_64")]
mod eight;
#[cfg(target_arch = "x86_64")]
mod random;

use crate::simd::InstructionSet;

/// Number of different lines of four cells with 16 ranks.
const LINES: usize = 1 << 16;

/// Moves after which a game is left: no sum of that many spawns makes a tile of 32768, of which
/// two would not merge.
#[cfg(target_arch = "x86_64")]
const MOST_MOVES: i64 = 8000;

/// A game at its start, and at its end once it is played.
#[derive(Clone, Copy, Debug, Default)]
pub struct Game {
    /// 16 nibbles, each the rank of a tile, the first cell lowest.
    pub board: u64,
    /// State of the generator (Xoshiro256++) of the game's spawns.
    pub spawns: [u64; 4],
    /// State of the generator of the player's choices, if it draws any.
    pub choices: [u64; 4],
    /// Spawned 4s.
    pub fours: u64,
    /// Moves made.
    pub moves: u64,
    /// Boards valued.
    pub leaves: u64,
    /// Whether no move is legal any more; if not, the game was left.
    pub is_over: bool,
}

/// What the kernel for the best moves reads, by line.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// Slid towards the first cell (lower half) and towards the last (upper half).
    pub slides: &'a [u32; LINES],
    /// Values of lines 0 and 3.
    pub outer: &'a [i32; LINES],
    /// Values of lines 1 and 2.
    pub inner: &'a [i32; LINES],
}

/// Plays games by uniformly chosen legal moves; a spawn is a 4 if the lower half of its random
/// bits is below the number given.
pub type RandomKernel = fn(&mut [Game], four_below: u64);

/// Plays games by the move that leaves the board of the largest value, the first of equals in the
/// order up, down, left, right.
pub type BestMoveKernel = fn(&mut [Game], four_below: u64, Tables);

/// The kernel of an instruction set; `None` where it has none, which is always so with the
/// portable one.
pub fn random_kernel(set: InstructionSet) -> Option<RandomKernel> {
    #[cfg(target_arch = "x86_64")]
    if set == InstructionSet::Avx512 && set.is_available() {
        // SAFETY: the processor has the instructions.
        return Some(|games, four_below| unsafe { random::play(games, four_below) });
    }
    let _ = set;
    None
}

/// As [`random_kernel`], of the best moves.
pub fn best_move_kernel(set: InstructionSet) -> Option<BestMoveKernel> {
    #[cfg(target_arch = "x86_64")]
    if set == InstructionSet::Avx512 && set.is_available() {
        // SAFETY: the processor has the instructions.
        return Some(|games, four_below, tables| unsafe {
            best_move::play(games, four_below, tables);
        });
    }
    let _ = set;
    None
}
