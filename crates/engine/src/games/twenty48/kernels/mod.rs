//! Batches of whole games of 2048 for players without look-ahead, in vector instructions: eight
//! games in a register. Every game is the same as if it were played alone.
//!
//! The definition is [`crate::games::twenty48::rules::play_many`] with the player's portable code.
//! A kernel stops a game that becomes long enough to reach the largest tile; the definition then
//! plays it.

// Vector loads, gathers and calls of code for detected instructions need unsafe code.
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

/// Moves after which a kernel stops a game. With fewer spawns no tile of 32768 can exist, of which
/// two would not merge.
#[cfg(target_arch = "x86_64")]
const MOST_MOVES: i64 = 8000;

/// A game: its start before the kernel runs, its end afterwards.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchedGame {
    /// 16 nibbles, each the rank of a tile, the first cell lowest.
    pub board: u64,
    /// State of the generator (Xoshiro256++) of the game's spawns.
    pub spawns: [u64; 4],
    /// State of the generator of the player's random choices; unused if it makes none.
    pub choices: [u64; 4],
    /// Spawned 4s.
    pub fours: u64,
    /// Moves made.
    pub moves: u64,
    /// Boards evaluated.
    pub leaves: u64,
    /// Whether no move is legal. If not, the kernel has stopped the game.
    pub is_over: bool,
}

/// Tables by line for the kernel for the best moves.
#[derive(Clone, Copy)]
pub struct Tables<'a> {
    /// Slid towards the first cell (lower half) and towards the last (upper half).
    pub slides: &'a [u32; LINES],
    /// Values of lines 0 to 3.
    pub lines: [&'a [i32; LINES]; 4],
}

/// Plays games by uniformly chosen legal moves. A spawn is a 4 if the lower half of its random bits
/// is below `four_below`.
pub type RandomKernel = fn(&mut [BatchedGame], four_below: u64);

/// Plays games by the move whose board has the largest static value, of equals the first in the
/// order up, down, left, right.
pub type BestMoveKernel = fn(&mut [BatchedGame], four_below: u64, Tables);

/// The kernel for random moves of an instruction set; `None` if it has none. The portable set has
/// no kernel.
pub fn random_kernel(set: InstructionSet) -> Option<RandomKernel> {
    #[cfg(target_arch = "x86_64")]
    if set == InstructionSet::Avx512 && set.is_available() {
        // SAFETY: the processor has the instructions.
        return Some(|games, four_below| unsafe { random::play(games, four_below) });
    }
    let _ = set;
    None
}

/// The kernel for the best moves of an instruction set; `None` if it has none.
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
