//! A direct-mapped table of chance nodes. Each game in progress has its own.
//!
//! An entry applies only to exactly the same node: board, remaining depth and path cost. The table
//! therefore never changes a value. It only saves time.

use crate::games::sliding::board::Board;

#[derive(Clone, Copy, Default)]
struct Entry {
    board: u64,
    value: i32,
    cost: u16,
    /// 0 marks an empty entry: nodes without remaining depth are not kept.
    depth: u8,
}

/// The table. With size 0 it keeps nothing.
pub struct TranspositionTable {
    entries: Box<[Entry]>,
    shift: u32,
}

impl TranspositionTable {
    /// A table of `2^bits` entries, or of none for 0 bits.
    pub fn new(bits: u32) -> Self {
        let size = if bits == 0 { 0 } else { 1 << bits };
        TranspositionTable {
            entries: vec![Entry::default(); size].into_boxed_slice(),
            shift: 64 - bits.max(1),
        }
    }

    /// Whether it keeps anything.
    pub fn is_enabled(&self) -> bool {
        !self.entries.is_empty()
    }

    fn slot(&self, board: Board) -> usize {
        // Fibonacci hashing of the folded board.
        let folded = board.0 ^ board.0 >> 32;
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// The value of a node, if it is kept.
    pub fn get(&self, board: Board, depth: u8, cost: u16) -> Option<i32> {
        let entry = self.entries[self.slot(board)];
        let same = entry.board == board.0 && entry.depth == depth && entry.cost == cost;
        same.then_some(entry.value)
    }

    /// Keeps the value of a node and drops the entry that had its slot.
    pub fn put(&mut self, board: Board, depth: u8, cost: u16, value: i32) {
        self.entries[self.slot(board)] = Entry {
            board: board.0,
            value,
            cost,
            depth,
        };
    }
}
