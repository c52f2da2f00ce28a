//! Several numbers of each line, for terms of the whole board: sums share words of 32 bits, and small extreme values are
//! the bytes of words. `leaf_words` lists the words of all leaves of a chance node; what they mean is decided elsewhere.

use std::sync::Arc;

use super::{
    Kinds, NEXT_ORDER, ORDER, ORDERS, Sixteen, SpawnSlides, StartsByAxis, cache_line,
    with_open_cell,
};
use crate::games::sliding::line_tables::{ByAxis, COLUMNS, LineTable, ROWS};

/// Leaves in a chunk.
pub const CHUNK: usize = 8;
/// Chunks of the leaves of a node: eight lines with sixteen lanes, and room for one vector more.
pub const CHUNKS: usize = 9 * 16 / CHUNK;

/// A number of all leaves of a node.
pub type OfLeaves<T> = [[T; CHUNK]; CHUNKS];

/// The tables of the words of lines, as those of [`super::Tables`] by axis. The words of a line are beside each other: first
/// those of sums, then those of bytes.
// Only vector instructions read them.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
pub struct WordTables {
    pub(super) lines: &'static SpawnSlides,
    /// Number of words of sums, and of words of bytes.
    pub(super) number: [usize; 2],
    /// True if the words of rows and of columns are added, and written as those of rows.
    pub joint: bool,
    /// For each kind: the words of all lines slid towards the first cell, in the lower half, and towards the last cell.
    pub(super) slid: Box<[u64]>,
    /// For each kind and each order: the words of all lines.
    pub(super) values: Box<[Sixteen]>,
    /// For each kind: the words of the slid lines of all lanes, by line number.
    pub(super) left: Box<[Sixteen]>,
    pub(super) starts: StartsByAxis,
}

impl WordTables {
    /// The tables of words of sums and of bytes; `None` if there are none. All words must have the same places with the
    /// same tables. If words are `joint`, those of rows and of columns are added.
    pub fn new(
        lines: &'static SpawnSlides,
        sums: &[ByAxis<Arc<LineTable>>],
        bytes: &[ByAxis<Arc<LineTable>>],
        joint: bool,
    ) -> Option<Self> {
        let words: Vec<_> = sums.iter().chain(bytes).collect();
        let kinds = [ROWS, COLUMNS].map(|axis| {
            let of_word = words.iter().map(|word| Kinds::new(&word[axis]));
            of_word.collect::<Vec<_>>()
        });
        let [rows, columns] = kinds.each_ref().map(|kinds| kinds.first());
        let starts = StartsByAxis::new(rows?, columns?, lines.left.len());
        let mut tables = WordTables {
            lines,
            number: [sums.len(), bytes.len()],
            joint,
            slid: Box::default(),
            values: Box::default(),
            left: Box::default(),
            starts,
        };
        let (mut slid, mut values, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for kinds in &kinds[..tables.starts.different()] {
            for kind in 0..kinds[0].tables.len() {
                let of_words: Vec<&LineTable> =
                    kinds.iter().map(|word| word.tables[kind]).collect();
                for cell in 0..ORDERS {
                    let start = (kind * ORDERS + cell) * NEXT_ORDER % ORDER;
                    for at in 0..ORDER {
                        // Within an order the function is its own inverse.
                        let others = cache_line(at ^ start, 0);
                        let open = |word: &&LineTable| with_open_cell(word, others, cell);
                        values.extend(of_words.iter().map(open));
                    }
                }
                for lanes in &lines.left {
                    let word =
                        |word: &&LineTable| Sixteen(lanes.0.map(|line| word[usize::from(line)]));
                    left.extend(of_words.iter().map(word));
                }
                for line in &lines.slid {
                    let both = |word: &&LineTable| {
                        let [first, last] = [line.to_first, line.to_last]
                            .map(|line| u64::from(word[usize::from(line)].cast_unsigned()));
                        last << 32 | first
                    };
                    slid.extend(of_words.iter().map(both));
                }
            }
        }
        tables.slid = slid.into();
        tables.values = values.into();
        tables.left = left.into();
        Some(tables)
    }

    /// 1 if rows and columns have the same words, 2 otherwise.
    #[cfg(test)]
    pub fn number_of_axes(&self) -> usize {
        self.starts.different()
    }

    /// Number of words of sums, and of words of bytes.
    pub fn number(&self) -> [usize; 2] {
        self.number
    }
}
