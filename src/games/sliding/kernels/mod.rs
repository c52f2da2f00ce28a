//! The last chance layer of an expectimax in vector instructions, all spawns of a line at once.
//! `last_layer` is its definition in portable code.
//!
//! A line has at most eight spawns: a 2 or a 4 in each of its cells. After a move each spawn
//! results in a different line, and each crossing line differs between the spawns in one cell only:
//!
//! ```text
//!   line 0   3 5 1 .     a spawn in line 1, slid left, changes one cell of every column:
//!   line 1   4 . 2 .     column 0 is  3 ? 6 .  with ? = what the spawn has made of the cell
//!   line 2   6 6 . .
//!   line 3   . . . .
//! ```
//!
//! The sixteen values that a line with one open cell can have are adjacent in memory: 64 bytes, one
//! cache line. They are loaded once and permuted by the rank that each spawn puts into the cell.
//! One load and one instruction replace eight look-ups.
//!
//! The sixteen lanes, here and in the kernels, are: the move towards the first cell, then the move
//! towards the last cell; for each move first the 2s in cells 0 to 3, then the 4s in cells 0 to 3.

// Vector loads, gathers and calls of code for detected instructions need unsafe code.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod lines;

use crate::simd::InstructionSet;

/// Number of different lines of four cells with 16 ranks.
const LINES: usize = 1 << 16;

/// Sixteen values in one cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Sixteen([i32; 16]);

/// The lines after the moves of the lanes.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Left([u16; 16]);

/// Which lanes exist; one bit for each lane.
#[derive(Clone, Copy)]
struct Lanes {
    /// The spawn's cell is empty.
    possible: u16,
    /// The spawn is possible and the move changes the line.
    changed: u16,
}

/// The slides of every line, with and without a spawn.
pub struct Lines {
    /// Slid towards the first cell (lower half) and towards the last (upper half).
    slides: Box<[u32; LINES]>,
    /// Numbers, from 1, of the lines with an empty cell; 0 for all other lines, which have no
    /// lanes.
    numbers: Box<[u16; LINES]>,
    /// By number.
    left: Box<[Left]>,
    /// By number.
    lanes: Box<[Lanes]>,
}

impl Lines {
    /// The tables of a rule that slides a line towards its first and towards its last cell. Cell i
    /// is nibble i.
    pub fn new(slide: impl Fn(u16) -> [u16; 2]) -> Self {
        let mut lines = Lines {
            slides: vec![0; LINES]
                .into_boxed_slice()
                .try_into()
                .unwrap_or_else(|_| unreachable!()),
            numbers: vec![0; LINES]
                .into_boxed_slice()
                .try_into()
                .unwrap_or_else(|_| unreachable!()),
            left: Box::new([]),
            lanes: Box::new([]),
        };
        let mut left = vec![Left([0; 16])];
        let mut lanes = vec![Lanes {
            possible: 0,
            changed: 0,
        }];
        for line in 0..=u16::MAX {
            let [to_first, to_last] = slide(line);
            lines.slides[line as usize] = u32::from(to_first) | u32::from(to_last) << 16;
            let mut these = Lanes {
                possible: 0,
                changed: 0,
            };
            let mut leaves = Left([0; 16]);
            for lane in 0..16 {
                let (cell, rank) = (lane % 4, 1 + lane as u16 / 4 % 2);
                if line >> (4 * cell) & 0xF == 0 {
                    let spawned = line | rank << (4 * cell);
                    leaves.0[lane] = slide(spawned)[lane / 8];
                    these.possible |= 1 << lane;
                    these.changed |= u16::from(leaves.0[lane] != spawned) << lane;
                }
            }
            if these.possible != 0 {
                lines.numbers[line as usize] = left.len() as u16;
                left.push(leaves);
                lanes.push(these);
            }
        }
        lines.left = left.into();
        lines.lanes = lanes.into();
        lines
    }
}

/// Board terms of the largest tile, by its rank: the parts for its presence anywhere, on an edge
/// and in a corner of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LargestTile {
    /// The part for every board.
    pub anywhere: [i32; 16],
    /// The additional part if such a tile is on an edge.
    pub edge: [i32; 16],
    /// The additional part if such a tile is in a corner.
    pub corner: [i32; 16],
}

/// The tables of one heuristic: line values in the orders in which the kernels read them.
pub struct Tables {
    lines: &'static Lines,
    /// Values of all lines, 4096 cache lines each: outer lines with the cells in their order, so
    /// that cell 0 is the open one; outer lines with cells 0 and 1 exchanged; and, if inner lines
    /// have other values, the same of those. Cells 3 and 2 are open in the mirror images.
    values: Box<[Sixteen]>,
    /// Values of the lines after the moves of the lanes, by number: first of outer lines, then of
    /// inner lines, if these have other values.
    left: Box<[Sixteen]>,
    /// Where the inner lines begin in `values` and `left`; 0 if they have the values of outer
    /// lines.
    inner: [usize; 2],
    /// The value of the largest tile inside the board, on an edge, in a corner.
    terms: [Sixteen; 3],
    has_terms: bool,
}

/// Cache lines of one order of the values.
const ORDER: usize = LINES / 16;

impl Tables {
    /// The tables of a heuristic whose lines have these values; `None` for inner lines with the
    /// values of outer ones. A line and its mirror image must have the same value.
    pub fn new(
        lines: &'static Lines,
        outer: &[i32; LINES],
        inner: Option<&[i32; LINES]>,
        largest: Option<LargestTile>,
    ) -> Self {
        let kinds = || [Some(outer), inner].into_iter().flatten();
        let mut values = Vec::with_capacity(2 * ORDER * kinds().count());
        for line_values in kinds() {
            let in_order =
                |at: usize| Sixteen(std::array::from_fn(|open| line_values[16 * at + open]));
            values.extend((0..ORDER).map(in_order));
            let exchanged = |at: usize| {
                let others = at & 0xFF0;
                Sixteen(std::array::from_fn(|open| {
                    line_values[others << 4 | open << 4 | at & 0xF]
                }))
            };
            values.extend((0..ORDER).map(exchanged));
        }
        let left = kinds().flat_map(|values| {
            let value = |line: u16| values[usize::from(line)];
            lines
                .left
                .iter()
                .map(move |left| Sixteen(left.0.map(value)))
        });
        let terms = largest.unwrap_or_default();
        let sum = |a: [i32; 16], b: [i32; 16]| std::array::from_fn(|rank| a[rank] + b[rank]);
        let edge = sum(terms.anywhere, terms.edge);
        Tables {
            lines,
            values: values.into(),
            left: left.collect(),
            inner: inner.map_or([0, 0], |_| [2 * ORDER, lines.left.len()]),
            terms: [terms.anywhere, edge, sum(edge, terms.corner)].map(Sixteen),
            has_terms: largest.is_some(),
        }
    }
}

/// The result for a chance node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The sum over spawns of 9 times the best value after a 2 and the best value after a 4.
    pub weighted: i64,
    /// Number of boards evaluated.
    pub leaves: u64,
}

/// Computes a chance node from its board in both orientations.
pub type Kernel = fn(&Tables, board: u64, transposed: u64) -> Sum;

/// The kernel of an instruction set for these tables; `None` if it has none. The portable set has
/// no kernel.
pub fn kernel(set: InstructionSet, tables: &Tables) -> Option<Kernel> {
    #[cfg(target_arch = "x86_64")]
    if set.is_available() {
        return match (set, tables.has_terms) {
            (InstructionSet::Portable, _) => None,
            (InstructionSet::Avx2, false) => {
                Some(|tables, board, across| {
                    // SAFETY: the processor has the instructions.
                    unsafe { avx2::sum::<false>(tables, board, across) }
                })
            }
            (InstructionSet::Avx2, true) => {
                Some(|tables, board, across| {
                    // SAFETY: the processor has the instructions.
                    unsafe { avx2::sum::<true>(tables, board, across) }
                })
            }
            (InstructionSet::Avx512, false) => {
                Some(|tables, board, across| {
                    // SAFETY: the processor has the instructions.
                    unsafe { avx512::sum::<false>(tables, board, across) }
                })
            }
            (InstructionSet::Avx512, true) => {
                Some(|tables, board, across| {
                    // SAFETY: the processor has the instructions.
                    unsafe { avx512::sum::<true>(tables, board, across) }
                })
            }
        };
    }
    let _ = (set, tables);
    None
}
