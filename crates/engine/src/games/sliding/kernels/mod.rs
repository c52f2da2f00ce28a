//! The last layer of chance nodes of an expectimax in vector instructions. A kernel computes all random tiles
//! of a line at once. `last_layer` is the definition in portable code.
//!
//! A *spawn* is a random tile: a 2 or a 4 in an empty cell. A line has at most eight spawns. After a move, each
//! spawn results in a different line, and each crossing line differs between the spawns in one cell only:
//!
//! ```text
//!   line 0   3 5 1 .     a spawn in line 1, slid left, changes one cell of every column:
//!   line 1   4 . 2 .     column 0 is  3 ? 6 .  with ? = what the spawn has made of the cell
//!   line 2   6 6 . .
//!   line 3   . . . .
//! ```
//!
//! A line in which one cell is *open* can have sixteen values, one for each rank in this cell. They are
//! adjacent in memory: 64 bytes, one cache line. A kernel loads them once and permutes them by the rank that
//! each spawn causes in the cell. One load and one instruction replace eight look-ups.
//!
//! There are sixteen lanes, here and in the kernels: eight for the move towards the first cell, then eight for
//! the move towards the last cell. For each move the order is: 2s in cells 0 to 3, then 4s in cells 0 to 3.

// Vector loads, unchecked indexing and calls of functions for detected instructions need unsafe code.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod lines;

use std::sync::Arc;

use crate::games::sliding::line_tables::{LineTable, LineTables};
use crate::games::sliding::rows::LINES;
use crate::simd::InstructionSet;

/// The lanes of random 4s, one bit each.
#[cfg(target_arch = "x86_64")]
const LANES_OF_FOURS: u16 = 0xF0F0;

/// Sixteen values in one cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Sixteen([i32; 16]);

/// The slid line of each lane.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct LeftLines([u16; 16]);

/// The data of a line that a kernel reads: its slides and their values.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct LineSlides {
    /// The line slid towards its first cell.
    to_first: u16,
    /// The line slid towards its last cell.
    to_last: u16,
    /// Number of the line, counted from 1, if it has an empty cell. 0 for other lines, which have no lanes.
    number: u16,
    /// One bit for each lane: 1 if its spawn is possible and the move changes the line.
    changed: u16,
    /// Values of the two slid lines; 0 in tables without values.
    values: [i32; 2],
}

/// The slides of all lines, with and without a spawn.
pub struct SpawnSlides {
    /// Indexed by line; without values.
    slid: Box<[LineSlides]>,
    /// Indexed by the number of the line.
    left: Box<[LeftLines]>,
}

impl SpawnSlides {
    /// Builds the tables from a function that slides a line towards its first and towards its last cell. Cell i
    /// is nibble i.
    pub fn new(slide: impl Fn(u16) -> [u16; 2]) -> Self {
        let mut left = vec![LeftLines([0; 16])];
        let slid = (0..=u16::MAX).map(|line| {
            let [to_first, to_last] = slide(line);
            let (mut has_lanes, mut changed, mut leaves) = (false, 0, LeftLines([0; 16]));
            for lane in 0..16 {
                let (cell, rank) = (lane % 4, 1 + lane as u16 / 4 % 2);
                if line >> (4 * cell) & 0xF == 0 {
                    let spawned = line | rank << (4 * cell);
                    leaves.0[lane] = slide(spawned)[lane / 8];
                    has_lanes = true;
                    changed |= u16::from(leaves.0[lane] != spawned) << lane;
                }
            }
            let number = if has_lanes { left.len() as u16 } else { 0 };
            left.extend(has_lanes.then_some(leaves));
            LineSlides {
                to_first,
                to_last,
                number,
                changed,
                values: [0; 2],
            }
        });
        let slid = slid.collect();
        SpawnSlides {
            slid,
            left: left.into(),
        }
    }
}

/// Board terms of the largest tile, by its rank, in three parts: anywhere, on an edge, and in a corner of the
/// board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LargestTile {
    /// The part for every board.
    pub anywhere: [i32; 16],
    /// The additional part if such a tile is on an edge.
    pub edge: [i32; 16],
    /// The additional part if such a tile is in a corner.
    pub corner: [i32; 16],
}

/// The tables of one heuristic. Line values are stored in the orders in which the kernels read them.
///
/// Lines with separate values form a *kind*. An anchored heuristic has four kinds, one for each place of a
/// line. A symmetric heuristic has two kinds, outer and inner lines, or one kind if these have the same values.
pub struct Tables {
    lines: &'static SpawnSlides,
    /// For each kind: the slides of all lines with the values of the kind.
    slid: Box<[LineSlides]>,
    /// For each kind and each order: the values of all lines, at the index [`cache_line`]. There is one order
    /// for each open cell. A symmetric heuristic has no orders for cells 2 and 3: they are cells 1 and 0 of the
    /// mirrored line.
    values: Box<[Sixteen]>,
    /// For each kind: the values of the slid lines of all lanes, by line number.
    left: Box<[Sixteen]>,
    /// For a symmetric heuristic with two kinds: where the inner lines start in `values` (see [`cache_line`]),
    /// in `left` and in `slid`. Otherwise 0.
    inner: [usize; 3],
    is_anchored: bool,
    /// The value of the largest tile inside the board, on an edge, and in a corner.
    terms: [Sixteen; 3],
    has_terms: bool,
}

/// Number of cache lines in one order.
const ORDER: usize = LINES / 16;

/// Distance between the starts of two orders. It is larger than [`ORDER`], so that the same line in different
/// orders is in different sets of the processor's caches.
const NEXT_ORDER: usize = ORDER + 0x44;

/// The shift of the other cells of a line in [`cache_line`], in bits.
const SCATTER: i32 = 6;

/// The index of the cache line of a line with an open cell. `others` are its three other cells, `start` is the
/// start of its order.
///
/// The other cells alone would also be a valid index. But lines with few and small tiles are by far the most
/// frequent. They would share few sets of the processor's caches and evict each other.
const fn cache_line(others: usize, start: usize) -> usize {
    start ^ others ^ others >> SCATTER
}

impl Tables {
    /// The tables of a heuristic.
    pub fn new(
        lines: &'static SpawnSlides,
        values: &LineTables,
        largest: Option<LargestTile>,
    ) -> Self {
        let (kinds, is_anchored): (Vec<&LineTable>, bool) = match values {
            LineTables::Symmetric { outer, inner } if Arc::ptr_eq(outer, inner) => {
                (vec![outer], false)
            }
            LineTables::Symmetric { outer, inner } => (vec![outer, inner], false),
            LineTables::Anchored(lines) => (lines.iter().map(|table| &**table).collect(), true),
        };
        let orders = if is_anchored { 4 } else { 2 };
        let mut values = Vec::with_capacity(kinds.len() * orders * ORDER);
        let mut left = Vec::with_capacity(kinds.len() * lines.left.len());
        let mut slid = Vec::with_capacity(kinds.len() * LINES);
        for kind in &kinds {
            for cell in 0..orders {
                let start = values.len() / ORDER * NEXT_ORDER % ORDER;
                // Within an order the function is its own inverse.
                let others = (0..ORDER).map(|at| cache_line(at ^ start, 0));
                values.extend(others.map(|others| with_open_cell(kind, others, cell)));
            }
            let value = |line: u16| kind[usize::from(line)];
            left.extend(lines.left.iter().map(|left| Sixteen(left.0.map(value))));
            slid.extend(lines.slid.iter().map(|slid| LineSlides {
                values: [value(slid.to_first), value(slid.to_last)],
                ..*slid
            }));
        }
        let terms = largest.unwrap_or_default();
        let sum = |a: [i32; 16], b: [i32; 16]| std::array::from_fn(|rank| a[rank] + b[rank]);
        let edge = sum(terms.anywhere, terms.edge);
        Tables {
            lines,
            slid: slid.into(),
            values: values.into(),
            left: left.into(),
            inner: match kinds.len() {
                2 => [orders * NEXT_ORDER, lines.left.len(), LINES],
                _ => [0; 3],
            },
            is_anchored,
            terms: [terms.anywhere, edge, sum(edge, terms.corner)].map(Sixteen),
            has_terms: largest.is_some(),
        }
    }

    /// The starts of lines 0 to 3 with open cell 0 (see [`cache_line`]), as four numbers of 16 bits. For open
    /// cell k, combine a start with k * [`NEXT_ORDER`] by exclusive or.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn starts<const ANCHORED: bool>(&self) -> u64 {
        if ANCHORED {
            const { 4 * NEXT_ORDER as u64 * 0x0003_0002_0001_0000 }
        } else {
            self.inner[0] as u64 * 0x0000_0001_0001_0000
        }
    }

    /// The start of the values of a line at this place in `left`.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn own_start<const ANCHORED: bool>(&self, line: usize) -> usize {
        match line {
            _ if ANCHORED => line * self.lines.left.len(),
            1 | 2 => self.inner[1],
            _ => 0,
        }
    }

    /// The slides of the lines of both orientations of a board. Do not use a closure here: the compiler can
    /// leave it as a separate function, and calls at this place cost more than a quarter of the speed.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn slid<const ANCHORED: bool>(&self, board: u64, transposed: u64) -> [[&LineSlides; 4]; 2] {
        let [a, b, c, d] = if ANCHORED {
            [0, LINES, 2 * LINES, 3 * LINES]
        } else {
            [0, self.inner[2], self.inner[2], 0]
        };
        // SAFETY: `ANCHORED` is chosen to match the tables, so each start is the start of a kind.
        unsafe {
            [
                [
                    self.slid_line(a, board),
                    self.slid_line(b, board >> 16),
                    self.slid_line(c, board >> 32),
                    self.slid_line(d, board >> 48),
                ],
                [
                    self.slid_line(a, transposed),
                    self.slid_line(b, transposed >> 16),
                    self.slid_line(c, transposed >> 32),
                    self.slid_line(d, transposed >> 48),
                ],
            ]
        }
    }

    /// The slides of the line in the lowest 16 bits.
    ///
    /// # Safety
    /// `start` must be the start of a kind of line.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn slid_line(&self, start: usize, lines: u64) -> &LineSlides {
        // SAFETY: at least 65,536 entries follow the start of a kind, one for each line.
        unsafe { self.slid.get_unchecked(start + usize::from(lines as u16)) }
    }
}

/// The sixteen values of a line with one open cell. `others` holds its other three cells.
#[inline(always)]
fn with_open_cell(values: &LineTable, others: usize, cell: usize) -> Sixteen {
    let below = others & ((1 << (4 * cell)) - 1);
    let line = (others - below) << 4 | below;
    Sixteen(std::array::from_fn(|rank| {
        values[line | rank << (4 * cell)]
    }))
}

/// The result of a chance node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The sum over all empty cells of 9 times the best value after a 2, plus the best value after a 4.
    pub weighted: i64,
    /// Number of boards evaluated.
    pub leaves: u64,
}

type SumFunction = fn(&Tables, board: u64, transposed: u64) -> Sum;

/// A kernel and its tables.
pub struct Kernel {
    tables: Tables,
    /// It must match the kind of the tables: with other tables it would read out of bounds.
    sum: SumFunction,
    /// Like `sum`, without the random 2s.
    fours: SumFunction,
}

impl Kernel {
    /// The kernel of an instruction set for these tables; `None` if there is no kernel, as for the portable
    /// set.
    pub fn new(set: InstructionSet, tables: Tables) -> Option<Self> {
        let functions = match (tables.has_terms, tables.is_anchored) {
            (false, false) => functions::<false, false>(set),
            (true, false) => functions::<true, false>(set),
            (false, true) => functions::<false, true>(set),
            (true, true) => functions::<true, true>(set),
        };
        let [sum, fours] = functions?;
        Some(Kernel { tables, sum, fours })
    }

    /// Computes a chance node from its board, given in both orientations.
    #[inline(always)]
    pub fn sum(&self, board: u64, transposed: u64) -> Sum {
        (self.sum)(&self.tables, board, transposed)
    }

    /// The same as [`Kernel::sum`] without the random 2s: their part of [`Sum`] is 0.
    #[inline(always)]
    pub fn fours(&self, board: u64, transposed: u64) -> Sum {
        (self.fours)(&self.tables, board, transposed)
    }
}

/// The functions for all random tiles, and for 4s only.
fn functions<const TERMS: bool, const ANCHORED: bool>(
    set: InstructionSet,
) -> Option<[SumFunction; 2]> {
    let all = function::<TERMS, ANCHORED, false>(set)?;
    let fours = function::<TERMS, ANCHORED, true>(set)?;
    Some([all, fours])
}

fn function<const TERMS: bool, const ANCHORED: bool, const FOURS: bool>(
    set: InstructionSet,
) -> Option<SumFunction> {
    #[cfg(target_arch = "x86_64")]
    if set.is_available() {
        return match set {
            InstructionSet::Portable => None,
            InstructionSet::Avx2 => Some(|tables, board, across| {
                // SAFETY: `is_available` has checked the instructions.
                unsafe { avx2::sum::<TERMS, ANCHORED, FOURS>(tables, board, across) }
            }),
            InstructionSet::Avx512 => Some(|tables, board, across| {
                // SAFETY: `is_available` has checked the instructions.
                unsafe { avx512::sum::<TERMS, ANCHORED, FOURS>(tables, board, across) }
            }),
        };
    }
    let _ = set;
    None
}
