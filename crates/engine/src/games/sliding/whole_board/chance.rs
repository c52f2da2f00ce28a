//! The last layer of chance nodes of a heuristic with terms of the whole board. The leaves, which are the boards after
//! legal moves, are collected in batches of sixteen. Three of the four slid lines of a move are the same for all random
//! tiles of a line, so their parts are joined once.
//!
//! The code is portable, and compiled a second and a third time for AVX2 and AVX-512. All three give the same values.

// Calls of functions for detected instructions need unsafe code.
#![allow(unsafe_code)]

use crate::games::sliding::board::{Board, FIRST_CROSSING, spread};
use crate::games::sliding::kernels::Sum;
use crate::games::sliding::line_tables::{COLUMNS, ROWS};
use crate::games::sliding::whole_board::parts::{BoardLanes, Boards, Parts};
use crate::games::sliding::whole_board::{ChanceNode, Compiled};
use crate::simd::InstructionSet;

/// Boards that are valued together.
const BOARDS: usize = 16;
/// Boards in a batch: one less than are valued together, and the two moves after one more random tile. A power of two
/// makes the check of an index cheap.
const ROOM: usize = 2 * BOARDS;
/// Random tiles of a node: two kinds in each cell.
const TILES: usize = 32;

/// See [`super::WholeBoard::chance`].
pub(super) fn sum<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
    set: InstructionSet,
) -> Sum {
    #[cfg(target_arch = "x86_64")]
    if set.is_available() {
        match set {
            InstructionSet::Portable => {}
            // SAFETY: `is_available` has checked the instructions.
            InstructionSet::Avx2 => return unsafe { with_avx2(compiled, node) },
            // SAFETY: `is_available` has checked the instructions.
            InstructionSet::Avx512 => return unsafe { with_avx512(compiled, node) },
        }
    }
    let _ = set;
    portable(compiled, node)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
) -> Sum {
    portable(compiled, node)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx512<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
) -> Sum {
    portable(compiled, node)
}

/// The board slid in one direction along an axis, before a tile appears.
struct SlidAxis<const W: usize, const B: usize, const M: usize> {
    /// Bit i is 1 if line i changed.
    changed: u8,
    /// The slid lines as a board in the other orientation.
    crossing: u64,
    /// For each line: the parts of the other three.
    others: [Parts<W, B, M>; 4],
}

/// Boards that are valued together, and the best values so far.
struct Batch<const W: usize, const B: usize, const M: usize> {
    parts: Boards<ROOM, W, B, M>,
    /// The values of the other board terms.
    others: [i32; ROOM],
    /// For each board: its random tile, as in `best`.
    tiles: [u8; ROOM],
    /// Number of boards in the batch.
    count: usize,
    /// For each cell of the board and each kind of random tile: the best value of the boards that have left the batch,
    /// and at least 0.
    best: [i32; TILES],
    /// Number of boards that have left the batch.
    leaves: u64,
}

#[inline(always)]
fn portable<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
) -> Sum {
    let mut batch = Batch {
        parts: Boards::EMPTY,
        others: [0; ROOM],
        tiles: [0; ROOM],
        count: 0,
        best: [0; TILES],
        leaves: 0,
    };
    let boards = [node.board, node.board.transpose()];
    for axis in [ROWS, COLUMNS] {
        let lines = [0, 1, 2, 3].map(|line| boards[axis].row(line));
        let slides = lines.map(|line| node.rows.slides(line));
        let slid = [
            slid(compiled, axis, lines, slides.map(|slides| slides.to_first)),
            slid(compiled, axis, lines, slides.map(|slides| slides.to_last)),
        ];
        let across = compiled.tables[1 - axis].each_ref().map(|table| &**table);
        let mut cells = boards[axis].empty_mask();
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            let (line, place) = (cell / 4, cell % 4);
            let first_tile = 2 * if axis == ROWS { cell } else { 4 * place + line };
            let along = &*compiled.tables[axis][line];
            for (tile, &(rank, _)) in node.spawns.iter().enumerate() {
                let before = lines[line] | rank << (4 * place);
                let slides = node.rows.slides(before);
                for (slid, after) in slid.iter().zip([slides.to_first, slides.to_last]) {
                    // A branch pays: most often all random tiles of a line have the same legal moves.
                    if slid.changed & !(1 << line) == 0 && before == after {
                        continue;
                    }
                    let kept = slid.crossing & !(FIRST_CROSSING << (4 * line));
                    let crossing = Board(kept | spread(after) << (4 * line));
                    let along = slid.others[line].joined(&along[usize::from(after)]);
                    let mut parts = across[0][usize::from(crossing.row(0))];
                    for (index, table) in across.iter().enumerate().skip(1) {
                        parts = parts.joined(&table[usize::from(crossing.row(index))]);
                    }
                    let at = batch.count % ROOM;
                    batch.parts.set(at, axis, &along, &parts);
                    batch.tiles[at] = (first_tile + tile) as u8;
                    if let Some(others) = node.others {
                        let moved = if axis == COLUMNS {
                            crossing
                        } else {
                            crossing.transpose()
                        };
                        batch.others[at] = others(moved);
                    }
                    batch.count += 1;
                }
                let is_last = axis == COLUMNS && cells == 0 && tile + 1 == node.spawns.len();
                // The one call, because the function is large and part of this one.
                while batch.count >= BOARDS || (is_last && batch.count > 0) {
                    value_boards(compiled, &mut batch);
                }
            }
        }
    }
    let weights = node.spawns.iter().map(|(_, weight)| *weight);
    let best = batch.best.as_chunks::<2>().0.iter();
    let weighted = best.flat_map(|best| best.iter().zip(weights.clone()));
    Sum {
        weighted: weighted
            .map(|(best, weight)| i64::from(*best) * weight)
            .sum(),
        leaves: batch.leaves,
    }
}

/// The lines of an axis, slid in one direction.
#[inline(always)]
fn slid<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    axis: usize,
    before: [u16; 4],
    after: [u16; 4],
) -> SlidAxis<W, B, M> {
    let [a, b, c, d] = [0, 1, 2, 3].map(|index| compiled.line(axis, index, after[index]));
    let (ab, cd) = (a.joined(b), c.joined(d));
    SlidAxis {
        changed: (0..4).fold(0, |bits, i| bits | u8::from(before[i] != after[i]) << i),
        crossing: (0..4).fold(0, |board, i| board | spread(after[i]) << (4 * i)),
        others: [b.joined(&cd), a.joined(&cd), d.joined(&ab), c.joined(&ab)],
    }
}

/// Values the first boards of a batch, and removes them.
#[inline(always)]
fn value_boards<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    batch: &mut Batch<W, B, M>,
) {
    let parts = &batch.parts;
    let lines: [i32; BOARDS] = parts.numbers(&compiled.slots[0]);
    let values: [i32; BOARDS] = compiled.steps.values(&BoardLanes {
        boards: parts,
        slots: &compiled.slots,
    });
    let count = batch.count.min(BOARDS);
    for (board, value) in values.into_iter().enumerate().take(count) {
        let value = lines[board] + batch.others[board] + value;
        let best = &mut batch.best[usize::from(batch.tiles[board]) % TILES];
        *best = (*best).max(value);
    }
    batch.leaves += count as u64;
    batch.count -= count;
    for (left, at) in (count..ROOM).enumerate().take(batch.count) {
        batch.parts.copy(at, left);
        batch.others[left] = batch.others[at];
        batch.tiles[left] = batch.tiles[at];
    }
}
