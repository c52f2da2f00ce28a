//! Terms of the whole board from a file, compiled for searches: one look-up of a line gives its parts of all sums, and
//! the expressions of the sums are computed for several boards at once.
//!
//! The value of a board does not depend on how many boards are computed together, or on the instruction set: sums are
//! integers, and [`Steps`] have the same bits everywhere. `chance` is the last layer of chance nodes.

mod chance;
mod layout;
mod numbers;
mod parts;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::layout::{Layout, PlaceKey, Slot};
use self::numbers::{BoardLanes, Numbers};
use self::parts::Parts;
use crate::games::sliding::board::Board;
use crate::games::sliding::kernels::words::WordTables;
use crate::games::sliding::kernels::{SpawnSlides, Sum};
use crate::games::sliding::language::{MOST_EXTREMES, MOST_SUMS, Steps, WholeValues};
use crate::games::sliding::line_tables::{ByAxis, COLUMNS, LineTable, LineTables, ROWS};
use crate::games::sliding::rows::{LINES, RowTable, of_every_line};
use crate::simd::InstructionSet;

/// Terms of the whole board, compiled for one heuristic. Their values are in the fixed point of the heuristic.
pub trait WholeBoard: Send + Sync {
    /// The values of the terms on four boards, without the values of the lines.
    fn values(&self, boards: [Board; 4]) -> [i32; 4];

    /// The value of the terms on a board, without the values of the lines. It is one of [`WholeBoard::values`].
    fn value(&self, board: Board) -> i32;

    /// The tables of a kernel for chance nodes directly above the leaves, for the slides of a game; `None` if there is no
    /// kernel for such terms.
    fn words(&self, lines: &'static SpawnSlides) -> Option<WordTables>;

    /// A chance node directly above the leaves, for all spawns or for 4s only. The value of a leaf is that of its lines,
    /// of these terms and of `others`.
    fn chance(&self, node: &ChanceNode, set: InstructionSet) -> Sum;
}

/// What a chance node directly above the leaves needs.
#[derive(Clone, Copy)]
pub struct ChanceNode<'a> {
    /// The board before the random tile.
    pub board: Board,
    /// The slides of the game.
    pub rows: &'static RowTable,
    /// The ranks of random tiles with their weights in the sum.
    pub spawns: &'a [(u16, i64)],
    /// The tables of [`WholeBoard::words`], if there is a kernel. It is for the usual random tiles, or for 4s only.
    pub words: Option<&'a WordTables>,
    /// The value of the other board terms, if there are any.
    pub others: Option<&'a (dyn Fn(Board) -> i32 + Sync)>,
}

/// The parts of all lines. The index is the packed line.
type PartsTable<const W: usize, const B: usize, const M: usize> = [Parts<W, B, M>; LINES];

/// Compiled terms.
struct Compiled<const W: usize, const B: usize, const M: usize> {
    tables: ByAxis<Arc<PartsTable<W, B, M>>>,
    /// Number of words of sums of an axis, and of words of bytes.
    words: [usize; 2],
    terms: BoardTerms,
}

/// The terms themselves, and where the numbers that they read are stored.
struct BoardTerms {
    /// Slot 0 is the value of the lines, slot i + 1 is lane i.
    slots: Box<[Slot]>,
    /// See [`Layout::joint`].
    joint: bool,
    steps: Steps,
}

/// Most pairs of words of sums, that of the lines included: any sum fits into a word.
const MOST_WORDS: usize = (MOST_SUMS + 1).div_ceil(2);
/// Most groups of four extreme values.
const MOST_WIDE: usize = MOST_EXTREMES.div_ceil(4);

/// Compiles terms of the whole board. `lines` are the values of lines of the same heuristic, and a stored value v means
/// `v / scale` points.
pub fn compile(lines: &LineTables, values: &WholeValues, scale: f64) -> Arc<dyn WholeBoard> {
    let layout = Layout::new(lines.by_place(), values.lanes());
    let slots: Vec<usize> = (1..=values.lanes().len()).collect();
    let steps = values.steps(scale, &slots).unwrap_or_else(|error| {
        unreachable!("the steps are checked when a heuristic is read: {error}")
    });
    match (layout.words.div_ceil(2), layout.bytes > 0, layout.wide) {
        (..=1, false, 0) => Arc::new(Compiled::<1, 0, 0>::new(&layout, steps)),
        (..=1, true, 0) => Arc::new(Compiled::<1, 1, 0>::new(&layout, steps)),
        (2, false, 0) => Arc::new(Compiled::<2, 0, 0>::new(&layout, steps)),
        (2, _, 0) => Arc::new(Compiled::<2, 1, 0>::new(&layout, steps)),
        (3, false, 0) => Arc::new(Compiled::<3, 0, 0>::new(&layout, steps)),
        _ => Arc::new(Compiled::<MOST_WORDS, 1, MOST_WIDE>::new(&layout, steps)),
    }
}

impl BoardTerms {
    /// The values on some boards. It is a function of its own, so that it is compiled once for all forms.
    #[inline(never)]
    fn values<const N: usize>(&self, numbers: &Numbers<N, 1>) -> [i32; N] {
        self.steps.values(&BoardLanes {
            numbers,
            slots: &self.slots,
        })
    }
}

impl<const W: usize, const B: usize, const M: usize> Compiled<W, B, M> {
    fn new(layout: &Layout, steps: Steps) -> Self {
        // Lines with equal values share a table.
        let mut known: Vec<(PlaceKey, Arc<PartsTable<W, B, M>>)> = Vec::new();
        let mut of_place = |axis: usize, index: usize| {
            let key = layout.key(axis, index);
            if let Some((_, table)) = known.iter().find(|(known, _)| *known == key) {
                return Arc::clone(table);
            }
            let table = parts_table(layout, axis, index);
            known.push((key, Arc::clone(&table)));
            table
        };
        let tables = [ROWS, COLUMNS].map(|axis| [0, 1, 2, 3].map(|index| of_place(axis, index)));
        Compiled {
            tables,
            words: [layout.words, layout.bytes.div_ceil(4)],
            terms: BoardTerms {
                slots: layout.slots.as_slice().into(),
                joint: layout.joint,
                steps,
            },
        }
    }

    /// The table of a word of every line, for all places. Places with the same parts have the same table.
    fn word(&self, word: impl Fn(&Parts<W, B, M>) -> u32) -> ByAxis<Arc<LineTable>> {
        let mut known: Vec<(&Arc<PartsTable<W, B, M>>, Arc<LineTable>)> = Vec::new();
        self.tables.each_ref().map(|axis| {
            axis.each_ref().map(|parts| {
                if let Some((_, table)) = known.iter().find(|(of, _)| Arc::ptr_eq(of, parts)) {
                    return Arc::clone(table);
                }
                let of_line = |line: u16| word(&parts[usize::from(line)]).cast_signed();
                let table: Arc<LineTable> = of_every_line(of_line).into();
                known.push((parts, Arc::clone(&table)));
                table
            })
        })
    }

    /// The parts of the lines of an axis together. For columns, pass the transposed board.
    #[inline(always)]
    fn parts_of(&self, axis: usize, board: Board) -> Parts<W, B, M> {
        let mut parts = *self.line(axis, 0, board.row(0));
        for index in 1..4 {
            parts = parts.joined(self.line(axis, index, board.row(index)));
        }
        parts
    }

    #[inline(always)]
    fn line(&self, axis: usize, index: usize, line: u16) -> &Parts<W, B, M> {
        &self.tables[axis][index][usize::from(line)]
    }

    /// The values of some boards, without the values of the lines.
    #[inline(always)]
    fn values_of<const N: usize>(&self, boards: [Board; N]) -> [i32; N] {
        let mut sums = [[[[0; N]]; W]; 4];
        let mut bytes = [[[[0; N]]; B]; 2];
        let mut wide = [[[[0; N]]; 4]; M];
        let mut numbers = Numbers {
            sums: sums.as_flattened_mut(),
            joint: self.terms.joint,
            bytes: bytes.as_flattened_mut(),
            wide: wide.as_flattened_mut(),
        };
        for (at, board) in boards.into_iter().enumerate() {
            let rows = self.parts_of(ROWS, board);
            let columns = self.parts_of(COLUMNS, board.transpose());
            numbers.set(at, ROWS, &rows, &columns);
        }
        self.terms.values(&numbers)
    }
}

/// The parts of all lines at a place.
fn parts_table<const W: usize, const B: usize, const M: usize>(
    layout: &Layout,
    axis: usize,
    index: usize,
) -> Arc<PartsTable<W, B, M>> {
    let mut parts = vec![Parts::<W, B, M>::ZERO; LINES].into_boxed_slice();
    for (slot, value) in layout.values(axis, index) {
        for (line, parts) in parts.iter_mut().enumerate() {
            parts.set(slot, axis, value(line));
        }
    }
    let parts: Box<PartsTable<W, B, M>> = parts
        .try_into()
        .unwrap_or_else(|_| unreachable!("there is an entry for each line"));
    parts.into()
}

impl<const W: usize, const B: usize, const M: usize> WholeBoard for Compiled<W, B, M> {
    fn values(&self, boards: [Board; 4]) -> [i32; 4] {
        self.values_of(boards)
    }

    fn value(&self, board: Board) -> i32 {
        let [value] = self.values_of([board]);
        value
    }

    fn words(&self, lines: &'static SpawnSlides) -> Option<WordTables> {
        let slots = &self.terms.slots;
        if slots.iter().any(|slot| matches!(slot, Slot::Wide { .. })) {
            return None;
        }
        let of_pair = |pair: u64, word: usize| (pair >> (u32::BITS as usize * (word % 2))) as u32;
        let [sums, bytes] = self.words;
        let of_sums = |at: usize| self.word(|parts| of_pair(parts.sums[at / 2], at));
        let of_bytes = |at: usize| self.word(|parts| of_pair(parts.extremes.bytes[at / 2], at));
        let sums: Vec<_> = (0..sums).map(of_sums).collect();
        let bytes: Vec<_> = (0..bytes).map(of_bytes).collect();
        WordTables::new(lines, &sums, &bytes, self.terms.joint)
    }

    fn chance(&self, node: &ChanceNode, set: InstructionSet) -> Sum {
        chance::sum(self, node, set)
    }
}
