//! Several numbers of each line, for terms of the whole board: sums share words of 32 bits, and small extreme values are
//! the bytes of words. The kernel lists the words of all leaves of a chance node; what they mean is decided elsewhere.

use std::sync::Arc;

#[cfg(target_arch = "x86_64")]
use super::Sum;
#[cfg(target_arch = "x86_64")]
use super::avx512_words;
use super::{SpawnSlides, Tables};
use crate::games::sliding::line_tables::{ByAxis, LineTable, LineTables};

/// Leaves in a chunk.
pub const CHUNK: usize = 8;
/// Chunks of the leaves of a node: eight lines with sixteen lanes, and room for one vector more.
pub const CHUNKS: usize = 9 * 16 / CHUNK;

/// A number of all leaves of a node.
pub type OfLeaves<T> = [[T; CHUNK]; CHUNKS];

/// The tables of the words of lines. All have the same places with the same tables.
pub struct WordTables {
    pub(super) sums: Box<[Tables]>,
    pub(super) bytes: Box<[Tables]>,
}

/// The leaves of a node in the order of their lines.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Default)]
pub struct LeafLines {
    /// For each line with legal lanes: its index in both orientations, and its legal lanes.
    pub(super) lines: [(u8, u16); 8],
    pub(super) number_of_lines: usize,
    /// Number of leaves.
    pub count: usize,
}

impl WordTables {
    /// The tables of words of sums and of bytes; `None` if there are no sums.
    pub fn new(
        lines: &'static SpawnSlides,
        sums: Vec<ByAxis<Arc<LineTable>>>,
        bytes: Vec<ByAxis<Arc<LineTable>>>,
    ) -> Option<Self> {
        let tables = |words: Vec<ByAxis<Arc<LineTable>>>| {
            let words = words.into_iter();
            words
                .map(|word| Tables::new(lines, &LineTables::ByAxis(word), None))
                .collect()
        };
        (!sums.is_empty()).then(|| WordTables {
            sums: tables(sums),
            bytes: tables(bytes),
        })
    }

    /// Number of words of sums, and of words of bytes.
    pub fn number(&self) -> [usize; 2] {
        [self.sums.len(), self.bytes.len()]
    }

    /// Lists the words of all leaves of a node, given in both orientations. `sums` are those of rows and of columns.
    /// `FOURS` is true if the random tiles are 4s only.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    pub fn list<const FOURS: bool>(
        &self,
        boards: [u64; 2],
        sums: [&mut [OfLeaves<u32>]; 2],
        bytes: &mut [OfLeaves<u32>],
    ) -> LeafLines {
        avx512_words::list::<FOURS>(self, boards, sums, bytes)
    }
}

#[cfg(target_arch = "x86_64")]
impl LeafLines {
    /// The sum of a node from the values of its leaves.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    pub fn sum<const FOURS: bool>(&self, values: &OfLeaves<i32>) -> Sum {
        avx512_words::sum::<FOURS>(self, values)
    }
}
