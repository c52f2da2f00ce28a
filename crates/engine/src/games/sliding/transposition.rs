//! A direct-mapped transposition table of chance nodes. Each game in progress has a separate table.
//!
//! There are two ways to look up a node. [`TranspositionTable::get`] returns an entry only for exactly the same
//! node: board, remaining depth and path cost. The table then never changes a value.
//! [`TranspositionTable::get_at_least`] returns an entry of the same board that was searched at least as deep,
//! with at most the same path cost.

use crate::games::sliding::board::Board;

#[derive(Clone, Copy, Default)]
struct ChanceNode {
    board: u64,
    value: i32,
    cost: u16,
    depth: u8,
    /// The generation in which the entry was stored; 0 marks an empty entry.
    generation: u8,
}

/// The transposition table. A table of size 0 is disabled.
pub struct TranspositionTable {
    entries: Box<[ChanceNode]>,
    shift: u32,
    generation: u8,
}

impl TranspositionTable {
    /// A table of `2^bits` entries; 0 bits make a disabled table.
    pub fn new(bits: u32) -> Self {
        let size = if bits == 0 { 0 } else { 1 << bits };
        TranspositionTable {
            entries: vec![ChanceNode::default(); size].into_boxed_slice(),
            // A shift by 64 would overflow.
            shift: 64 - bits.max(1),
            generation: 1,
        }
    }

    /// True if the table has entries. Only an enabled table may be read or written.
    pub fn is_enabled(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Removes all entries. A new generation makes them invalid, so only one call in 255 clears the memory.
    pub fn clear(&mut self) {
        if self.generation == u8::MAX {
            self.entries.fill(ChanceNode::default());
            self.generation = 0;
        }
        self.generation += 1;
    }

    #[inline(always)]
    fn slot(&self, board: Board) -> usize {
        // Fibonacci hashing of the two halves of the board, combined by exclusive or.
        let folded = board.0 ^ board.0 >> 32;
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// Loads the entry of a board into the processor's cache.
    #[inline(always)]
    pub fn prefetch(&self, board: Board) {
        #[cfg(target_arch = "x86_64")]
        // A prefetch is an intrinsic function, which needs unsafe code.
        #[allow(unsafe_code)]
        if self.is_enabled() {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let slot = self.entries.as_ptr().wrapping_add(self.slot(board));
            // SAFETY: a prefetch has no effect on the program at any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(slot.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = board;
    }

    /// The value of exactly this node, if the table has it.
    #[inline(always)]
    pub fn get(&self, board: Board, depth: u8, cost: u16) -> Option<i32> {
        let entry = &self.entries[self.slot(board)];
        let same = entry.board == board.0
            && entry.depth == depth
            && entry.cost == cost
            && entry.generation == self.generation;
        same.then_some(entry.value)
    }

    /// The value and the depth of an entry of this board that was searched at least to `depth`, with a path
    /// cost of at most `cost`.
    #[inline(always)]
    pub fn get_at_least(&self, board: Board, depth: u8, cost: u16) -> Option<(i32, u8)> {
        let entry = &self.entries[self.slot(board)];
        let applies = entry.board == board.0
            && entry.depth >= depth
            && entry.cost <= cost
            && entry.generation == self.generation;
        applies.then_some((entry.value, entry.depth))
    }

    /// Stores the value of a node. It replaces the entry in the same slot.
    #[inline(always)]
    pub fn put(&mut self, board: Board, depth: u8, cost: u16, value: i32) {
        self.entries[self.slot(board)] = ChanceNode {
            board: board.0,
            value,
            cost,
            depth,
            generation: self.generation,
        };
    }
}
