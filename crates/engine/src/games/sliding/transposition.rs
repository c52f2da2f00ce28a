//! A direct-mapped table of chance nodes. Each game in progress has its own.
//!
//! An entry applies to exactly the same node ([`TranspositionTable::get`]): board, remaining depth
//! and path cost. Then the table never changes a value, it only saves time. Or it applies to every
//! node of its board that would be searched no deeper ([`TranspositionTable::get_at_least`]).

use crate::games::sliding::board::Board;

#[derive(Clone, Copy, Default)]
struct ChanceNode {
    board: u64,
    value: i32,
    cost: u16,
    depth: u8,
    /// The generation in which it was kept; 0 marks an empty entry.
    generation: u8,
}

/// The table. With size 0 it keeps nothing.
pub struct TranspositionTable {
    entries: Box<[ChanceNode]>,
    shift: u32,
    generation: u8,
}

impl TranspositionTable {
    /// A table of `2^bits` entries, or of none for 0 bits.
    pub fn new(bits: u32) -> Self {
        let size = if bits == 0 { 0 } else { 1 << bits };
        TranspositionTable {
            entries: vec![ChanceNode::default(); size].into_boxed_slice(),
            shift: 64 - bits.max(1),
            generation: 1,
        }
    }

    /// Whether it keeps anything.
    pub fn is_enabled(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Forgets every entry.
    pub fn clear(&mut self) {
        if self.generation == u8::MAX {
            self.entries.fill(ChanceNode::default());
            self.generation = 0;
        }
        self.generation += 1;
    }

    #[inline(always)]
    fn slot(&self, board: Board) -> usize {
        // Fibonacci hashing of the folded board.
        let folded = board.0 ^ board.0 >> 32;
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// Loads the slot of a board into the cache.
    #[inline(always)]
    pub fn prefetch(&self, board: Board) {
        #[cfg(target_arch = "x86_64")]
        // A prefetch is an intrinsic, which needs unsafe code.
        #[allow(unsafe_code)]
        if self.is_enabled() {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let slot = self.entries.as_ptr().wrapping_add(self.slot(board));
            // SAFETY: a prefetch has no effect on the program at any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(slot.cast()) };
        }
    }

    /// The value of a node, if it is kept.
    #[inline(always)]
    pub fn get(&self, board: Board, depth: u8, cost: u16) -> Option<i32> {
        let entry = &self.entries[self.slot(board)];
        let same = entry.board == board.0
            && entry.depth == depth
            && entry.cost == cost
            && entry.generation == self.generation;
        same.then_some(entry.value)
    }

    /// The value of a node and its depth, if one that was searched at least as deep is kept.
    #[inline(always)]
    pub fn get_at_least(&self, board: Board, depth: u8, cost: u16) -> Option<(i32, u8)> {
        let entry = &self.entries[self.slot(board)];
        let applies = entry.board == board.0
            && entry.depth >= depth
            && entry.cost <= cost
            && entry.generation == self.generation;
        applies.then_some((entry.value, entry.depth))
    }

    /// Keeps the value of a node and drops the entry that had its slot.
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
