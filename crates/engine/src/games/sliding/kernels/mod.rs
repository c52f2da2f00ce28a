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
pub mod avx2_words;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod avx512_words;
#[cfg(target_arch = "x86_64")]
mod leaf_words;
#[cfg(target_arch = "x86_64")]
mod line_vectors;
pub mod words;

use std::sync::Arc;

#[cfg(target_arch = "x86_64")]
pub use self::leaf_words::WordsOfLeaves;

use crate::games::sliding::line_tables::{COLUMNS, LineTable, LineTables, ROWS};
use crate::games::sliding::rows::LINES;
use crate::simd::InstructionSet;

/// The lanes of random 4s, one bit each.
#[cfg(target_arch = "x86_64")]
const LANES_OF_FOURS: u16 = 0xF0F0;

/// The form of line tables for which a kernel is compiled. It is a constant, so that a kernel has no branch on it.
type TableForm = u8;
/// See [`LineTables::Symmetric`].
const SYMMETRIC: TableForm = 0;
/// See [`LineTables::Anchored`].
const ANCHORED: TableForm = 1;
/// See [`LineTables::ByAxis`].
const BY_AXIS: TableForm = 2;

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
/// A heuristic by axis has up to four kinds of rows and up to four kinds of columns.
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
    /// For a heuristic by axis: where the kinds start.
    by_axis: StartsByAxis,
    form: TableForm,
    /// The value of the largest tile inside the board, on an edge, and in a corner.
    terms: [Sixteen; 3],
    has_terms: bool,
}

/// Where the kinds of a heuristic by axis start.
// Only vector instructions read all of it.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
#[derive(Clone, Copy, Default)]
struct StartsByAxis {
    /// For each axis: its first cache line in [`Tables::values`].
    axis: [usize; 2],
    /// For each axis: the starts of lines 0 to 3 with open cell 0, counted from the first cache line of the axis
    /// (see [`cache_line`]), as four numbers of 16 bits.
    values: [u64; 2],
    /// For each axis and line: the start in [`Tables::left`].
    left: [[usize; 4]; 2],
    /// For each axis and line: the start in [`Tables::slid`].
    slid: [[usize; 4]; 2],
}

/// Number of cache lines in one order.
const ORDER: usize = LINES / 16;

/// Orders of a heuristic whose lines have a direction: one for each open cell.
const ORDERS: usize = 4;

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
        let terms = largest.unwrap_or_default();
        let sum = |a: [i32; 16], b: [i32; 16]| std::array::from_fn(|rank| a[rank] + b[rank]);
        let edge = sum(terms.anywhere, terms.edge);
        let mut tables = Tables {
            lines,
            slid: Box::default(),
            values: Box::default(),
            left: Box::default(),
            inner: [0; 3],
            by_axis: StartsByAxis::default(),
            form: SYMMETRIC,
            terms: [terms.anywhere, edge, sum(edge, terms.corner)].map(Sixteen),
            has_terms: largest.is_some(),
        };
        match values {
            LineTables::Symmetric { outer, inner } if Arc::ptr_eq(outer, inner) => {
                tables.fill(&[&[outer]], 2);
            }
            LineTables::Symmetric { outer, inner } => {
                tables.fill(&[&[outer, inner]], 2);
                tables.inner = [2 * NEXT_ORDER, lines.left.len(), LINES];
            }
            LineTables::Anchored(kinds) => {
                tables.fill(&[&kinds.each_ref().map(|table| &**table)], ORDERS);
                tables.form = ANCHORED;
            }
            LineTables::ByAxis([rows, columns]) => {
                let (rows, columns) = (Kinds::new(rows), Kinds::new(columns));
                tables.by_axis = StartsByAxis::new(&rows, &columns, lines.left.len());
                let axes: [&[&LineTable]; 2] = [&rows.tables, &columns.tables];
                tables.fill(&axes[..tables.by_axis.different()], ORDERS);
                tables.form = BY_AXIS;
            }
        }
        tables
    }

    /// Adds the values of the kinds of each axis, in `orders` orders. Axes are counted separately, because the
    /// starts of an axis must fit into 16 bits.
    fn fill(&mut self, axes: &[&[&LineTable]], orders: usize) {
        let lines = self.lines;
        let count: usize = axes.iter().map(|kinds| kinds.len()).sum();
        let mut values = Vec::with_capacity(count * orders * ORDER);
        let mut left = Vec::with_capacity(count * lines.left.len());
        let mut slid = Vec::with_capacity(count * LINES);
        for kinds in axes {
            for (number, kind) in kinds.iter().enumerate() {
                for cell in 0..orders {
                    let start = (number * orders + cell) * NEXT_ORDER % ORDER;
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
        }
        self.values = values.into();
        self.left = left.into();
        self.slid = slid.into();
    }

    /// The starts of lines 0 to 3 with open cell 0 (see [`cache_line`]), as four numbers of 16 bits. For open
    /// cell k, combine a start with k * [`NEXT_ORDER`] by exclusive or.
    /// `axis` is that of the lines; only a heuristic by axis depends on it.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn starts<const FORM: TableForm>(&self, axis: usize) -> u64 {
        match FORM {
            BY_AXIS => self.by_axis.values[axis],
            ANCHORED => const { 4 * NEXT_ORDER as u64 * 0x0003_0002_0001_0000 },
            _ => self.inner[0] as u64 * 0x0000_0001_0001_0000,
        }
    }

    /// The first cache line of the lines that cross lines of this axis.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn first_crossing<const FORM: TableForm>(&self, axis: usize) -> usize {
        match FORM {
            BY_AXIS => self.by_axis.axis[1 - axis],
            _ => 0,
        }
    }

    /// The start of the values of a line at this place in `left`.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn own_start<const FORM: TableForm>(&self, axis: usize, line: usize) -> usize {
        match (FORM, line) {
            (BY_AXIS, _) => self.by_axis.left[axis][line],
            (ANCHORED, _) => line * self.lines.left.len(),
            (_, 1 | 2) => self.inner[1],
            _ => 0,
        }
    }

    /// The slides of the lines of both orientations of a board. Do not use a closure here: the compiler can
    /// leave it as a separate function, and calls at this place cost more than a quarter of the speed.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn slid<const FORM: TableForm>(&self, board: u64, transposed: u64) -> [[&LineSlides; 4]; 2] {
        let [[a, b, c, d], [e, f, g, h]] = match FORM {
            BY_AXIS => self.by_axis.slid,
            ANCHORED => [[0, LINES, 2 * LINES, 3 * LINES]; 2],
            _ => [[0, self.inner[2], self.inner[2], 0]; 2],
        };
        // SAFETY: `FORM` is chosen to match the tables, so each start is the start of a kind.
        unsafe {
            [
                [
                    self.slid_line(a, board),
                    self.slid_line(b, board >> 16),
                    self.slid_line(c, board >> 32),
                    self.slid_line(d, board >> 48),
                ],
                [
                    self.slid_line(e, transposed),
                    self.slid_line(f, transposed >> 16),
                    self.slid_line(g, transposed >> 32),
                    self.slid_line(h, transposed >> 48),
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

/// The different tables of an axis.
struct Kinds<'a> {
    tables: Vec<&'a LineTable>,
    /// For lines 0 to 3: the index of the table.
    of_line: [usize; 4],
}

impl<'a> Kinds<'a> {
    fn new(lines: &'a [Arc<LineTable>; 4]) -> Self {
        let mut tables: Vec<&Arc<LineTable>> = Vec::new();
        let of_line = lines.each_ref().map(|table| {
            let known = tables.iter().position(|known| Arc::ptr_eq(known, table));
            known.unwrap_or_else(|| {
                tables.push(table);
                tables.len() - 1
            })
        });
        let tables = tables.into_iter().map(|table| &**table).collect();
        Kinds { tables, of_line }
    }
}

impl StartsByAxis {
    /// `left` is the number of lines in [`Tables::left`] for each kind. Axes with the same kinds share them.
    fn new(rows: &Kinds, columns: &Kinds, left: usize) -> Self {
        let mut pairs = rows.tables.iter().zip(&columns.tables);
        let is_shared = rows.tables.len() == columns.tables.len()
            && pairs.all(|(row, column)| std::ptr::eq(*row, *column));
        let before = [0, if is_shared { 0 } else { rows.tables.len() }];
        let axes = [rows, columns];
        let starts = |axis: usize| {
            let lines = axes[axis].of_line.iter().rev();
            lines.fold(0, |all, kind| {
                all << 16 | (kind * ORDERS * NEXT_ORDER) as u64
            })
        };
        let by_kind = |size: usize| {
            [ROWS, COLUMNS].map(|axis| axes[axis].of_line.map(|kind| (before[axis] + kind) * size))
        };
        StartsByAxis {
            axis: before.map(|kinds| kinds * ORDERS * ORDER),
            values: [starts(ROWS), starts(COLUMNS)],
            left: by_kind(left),
            slid: by_kind(LINES),
        }
    }

    /// Number of axes with kinds of their own.
    fn different(&self) -> usize {
        if self.axis[0] == self.axis[1] { 1 } else { 2 }
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
    /// It must match the form of the tables: with other tables it would read out of bounds.
    sum: SumFunction,
    /// Like `sum`, without the random 2s.
    fours: SumFunction,
}

impl Kernel {
    /// The kernel of an instruction set for these tables; `None` if there is no kernel, as for the portable
    /// set.
    pub fn new(set: InstructionSet, tables: Tables) -> Option<Self> {
        let functions = match (tables.has_terms, tables.form) {
            (false, SYMMETRIC) => functions::<false, SYMMETRIC>(set),
            (true, SYMMETRIC) => functions::<true, SYMMETRIC>(set),
            (false, ANCHORED) => functions::<false, ANCHORED>(set),
            (true, ANCHORED) => functions::<true, ANCHORED>(set),
            (false, _) => functions::<false, BY_AXIS>(set),
            (true, _) => functions::<true, BY_AXIS>(set),
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
fn functions<const TERMS: bool, const FORM: TableForm>(
    set: InstructionSet,
) -> Option<[SumFunction; 2]> {
    let all = function::<TERMS, FORM, false>(set)?;
    let fours = function::<TERMS, FORM, true>(set)?;
    Some([all, fours])
}

fn function<const TERMS: bool, const FORM: TableForm, const FOURS: bool>(
    set: InstructionSet,
) -> Option<SumFunction> {
    #[cfg(target_arch = "x86_64")]
    if set.is_available() {
        return match set {
            InstructionSet::Portable => None,
            InstructionSet::Avx2 => Some(|tables, board, across| {
                // SAFETY: `is_available` has checked the instructions.
                unsafe { avx2::sum::<TERMS, FORM, FOURS>(tables, board, across) }
            }),
            InstructionSet::Avx512 => Some(|tables, board, across| {
                // SAFETY: `is_available` has checked the instructions.
                unsafe { avx512::sum::<TERMS, FORM, FOURS>(tables, board, across) }
            }),
        };
    }
    // Only vector instructions read these tables.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = |tables: &Tables| {
        let _ = (&tables.lines, &tables.slid, &tables.values);
        let _ = (&tables.left, &tables.inner, &tables.terms);
    };
    let _ = set;
    None
}
