//! Terms of the whole board from a file, compiled for searches: one look-up of a line gives its parts of all sums, and
//! the expressions of the sums are computed for several boards at once.
//!
//! The value of a board does not depend on how many boards are computed together, or on the instruction set: sums are
//! integers, and [`Steps`] have the same bits everywhere. `chance` is the last layer of chance nodes.

mod chance;
mod parts;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::parts::Parts;
use crate::games::sliding::board::Board;
use crate::games::sliding::kernels::Sum;
use crate::games::sliding::language::{Lane, MOST_EXTREMES, MOST_SUMS, Steps, WholeValues};
use crate::games::sliding::line_tables::{ByAxis, COLUMNS, LineTable, LineTables, ROWS};
use crate::games::sliding::rows::{LINES, RowTable};
use crate::simd::InstructionSet;

/// Terms of the whole board, compiled for one heuristic. Their values are in the fixed point of the heuristic.
pub trait WholeBoard: Send + Sync {
    /// The values of the terms on four boards, without the values of the lines.
    fn values(&self, boards: [Board; 4]) -> [i32; 4];

    /// The value of the terms on a board, without the values of the lines. It is one of [`WholeBoard::values`].
    fn value(&self, board: Board) -> i32;

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
    /// The value of the other board terms, if there are any.
    pub others: Option<&'a (dyn Fn(Board) -> i32 + Sync)>,
}

/// The parts of all lines. The index is the packed line.
type PartsTable<const S: usize, const M: usize> = [Parts<S, M>; LINES];

/// Compiled terms.
struct Compiled<const S: usize, const M: usize> {
    tables: ByAxis<Arc<PartsTable<S, M>>>,
    steps: Steps,
}

/// Compiles terms of the whole board. `lines` are the values of lines of the same heuristic, and a stored value v means
/// `v / scale` points.
pub fn compile(lines: &LineTables, values: &WholeValues, scale: f64) -> Arc<dyn WholeBoard> {
    let extremes = values.lanes().iter().filter(|lane| lane.is_extreme).count();
    let sums = 1 + values.lanes().len() - extremes;
    match (sums, extremes) {
        (..=8, 0) => Arc::new(Compiled::<2, 0>::new(lines, values, scale)),
        (_, 0) => Arc::new(Compiled::<FOURS_OF_SUMS, 0>::new(lines, values, scale)),
        (..=8, _) => Arc::new(Compiled::<2, FOURS_OF_EXTREMES>::new(lines, values, scale)),
        _ => Arc::new(Compiled::<FOURS_OF_SUMS, FOURS_OF_EXTREMES>::new(
            lines, values, scale,
        )),
    }
}

/// Number of groups of four sums, that of the lines included.
const FOURS_OF_SUMS: usize = (MOST_SUMS + 1).div_ceil(4);
/// Number of groups of four extreme values.
const FOURS_OF_EXTREMES: usize = MOST_EXTREMES.div_ceil(4);

impl<const S: usize, const M: usize> Compiled<S, M> {
    fn new(lines: &LineTables, values: &WholeValues, scale: f64) -> Self {
        let lanes = values.lanes();
        let sums = Parts::<S, M>::SUMS;
        let (mut sums, mut extremes) = (1..sums, sums..Parts::<S, M>::SLOTS);
        let slots = lanes.iter().map(|lane| {
            let slot = if lane.is_extreme {
                extremes.next()
            } else {
                sums.next()
            };
            slot.unwrap_or_else(|| unreachable!("there are slots for all lanes"))
        });
        let slots: Vec<usize> = slots.collect();
        let steps = values.steps(scale, &slots).unwrap_or_else(|error| {
            unreachable!("the steps are checked when a heuristic is read: {error}")
        });
        let line_tables = lines.by_place();
        // Lines with equal values share a table.
        let mut known: Vec<(Vec<*const i32>, Arc<PartsTable<S, M>>)> = Vec::new();
        let mut of_place = |axis: usize, index: usize| {
            let own = line_tables[axis][index];
            let of_lane = |lane: &Arc<Lane>| {
                let table = &lane.tables[axis][index];
                table
                    .as_ref()
                    .map_or(std::ptr::null(), |table| table.as_ptr())
            };
            let sources: Vec<*const i32> = [own.as_ptr()]
                .into_iter()
                .chain(lanes.iter().map(of_lane))
                .collect();
            if let Some((_, table)) = known.iter().find(|(known, _)| *known == sources) {
                return Arc::clone(table);
            }
            let table = parts_table(own, lanes, &slots, [axis, index]);
            known.push((sources, Arc::clone(&table)));
            table
        };
        let tables = [ROWS, COLUMNS].map(|axis| [0, 1, 2, 3].map(|index| of_place(axis, index)));
        Compiled { tables, steps }
    }

    /// The parts of all lines of a board together, given in both orientations.
    #[inline(always)]
    fn parts_of(&self, board: Board, transposed: Board) -> Parts<S, M> {
        let mut parts = *self.line(ROWS, 0, board.row(0));
        for row in 1..4 {
            parts = parts.joined(self.line(ROWS, row, board.row(row)));
        }
        for column in 0..4 {
            parts = parts.joined(self.line(COLUMNS, column, transposed.row(column)));
        }
        parts
    }

    #[inline(always)]
    fn line(&self, axis: usize, index: usize, line: u16) -> &Parts<S, M> {
        &self.tables[axis][index][usize::from(line)]
    }
}

/// The parts of all lines at a place.
fn parts_table<const S: usize, const M: usize>(
    own: &LineTable,
    lanes: &[Arc<Lane>],
    slots: &[usize],
    [axis, index]: [usize; 2],
) -> Arc<PartsTable<S, M>> {
    let mut parts = vec![Parts::<S, M>::zero(); LINES].into_boxed_slice();
    for (parts, value) in parts.iter_mut().zip(own) {
        parts.set(0, *value);
    }
    for (lane, &slot) in lanes.iter().zip(slots) {
        let values = lane.tables[axis][index].as_deref();
        for (line, parts) in parts.iter_mut().enumerate() {
            parts.set(slot, values.map_or(lane.absent(), |values| values[line]));
        }
    }
    let parts: Box<PartsTable<S, M>> = parts
        .try_into()
        .unwrap_or_else(|_| unreachable!("there is an entry for each line"));
    parts.into()
}

impl<const S: usize, const M: usize> WholeBoard for Compiled<S, M> {
    fn values(&self, boards: [Board; 4]) -> [i32; 4] {
        let parts = boards.map(|board| self.parts_of(board, board.transpose()));
        self.steps.values(|lane, board| parts[board].slot(lane))
    }

    fn value(&self, board: Board) -> i32 {
        let parts = self.parts_of(board, board.transpose());
        let [value] = self.steps.values(|lane, _| parts.slot(lane));
        value
    }

    fn chance(&self, node: &ChanceNode, set: InstructionSet) -> Sum {
        chance::sum(self, node, set)
    }
}
