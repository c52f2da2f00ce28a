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
use crate::games::sliding::rows::RowTable;
use crate::games::sliding::whole_board::parts::{BoardLanes, Boards, Parts};
use crate::games::sliding::whole_board::{ChanceNode, Compiled};
use crate::simd::InstructionSet;

/// Boards that are valued together.
const BOARDS: usize = 16;
/// Boards in a batch: one less than are valued together, and the four moves after one more random tile.
const ROOM: usize = BOARDS + 4;
/// Most random tiles of a node: a 2 and a 4 in each cell.
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

/// One orientation of the board, slid in both directions.
struct SlidLines<const W: usize, const B: usize, const M: usize> {
    before: [u16; 4],
    to_first: SlidAxis<W, B, M>,
    to_last: SlidAxis<W, B, M>,
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
    /// For each board: the number of its random tile.
    tiles: [usize; ROOM],
    /// Number of boards in the batch.
    count: usize,
    /// For each random tile: the best value of the boards that have left the batch, and at least 0.
    best: [i32; TILES],
    /// Number of boards that have left the batch.
    leaves: u64,
}

#[inline(always)]
fn portable<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
) -> Sum {
    let axes = [
        slid(compiled, ROWS, node.rows, node.board),
        slid(compiled, COLUMNS, node.rows, node.board.transpose()),
    ];
    let mut batch = Batch {
        parts: Boards::EMPTY,
        others: [0; ROOM],
        tiles: [0; ROOM],
        count: 0,
        best: [0; TILES],
        leaves: 0,
    };
    let tiles = node.board.empty_cells() as usize * node.spawns.len();
    for axis in [ROWS, COLUMNS] {
        let mut tile = 0;
        let mut cells = node.board.empty_mask();
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            let (row, column) = (cell / 4, cell % 4);
            let (line, place) = if axis == ROWS {
                (row, column)
            } else {
                (column, row)
            };
            for &(rank, _) in node.spawns {
                let at = [line, place, tile];
                add_moves(compiled, axis, node, &axes[axis], at, rank, &mut batch);
                tile += 1;
                let is_last = axis == COLUMNS && tile == tiles;
                // The one call, because the function is large and part of this one.
                while batch.count >= BOARDS || (is_last && batch.count > 0) {
                    value_boards(compiled, &mut batch);
                }
            }
        }
    }
    // Random tiles are in the order of the cells, and in each cell in that of their weights.
    let weights = node.spawns.iter().map(|(_, weight)| weight).cycle();
    let best = batch.best[..tiles].iter();
    Sum {
        weighted: best
            .zip(weights)
            .map(|(best, weight)| i64::from(*best) * weight)
            .sum(),
        leaves: batch.leaves,
    }
}

/// The lines of an axis, slid in both directions. For columns, pass the transposed board.
#[inline(always)]
fn slid<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    axis: usize,
    rows: &RowTable,
    board: Board,
) -> SlidLines<W, B, M> {
    let before = [0, 1, 2, 3].map(|line| board.row(line));
    let slides = before.map(|line| rows.slides(line));
    SlidLines {
        before,
        to_first: slid_axis(compiled, axis, before, slides.map(|slides| slides.to_first)),
        to_last: slid_axis(compiled, axis, before, slides.map(|slides| slides.to_last)),
    }
}

#[inline(always)]
fn slid_axis<const W: usize, const B: usize, const M: usize>(
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

/// Adds the boards after the legal moves along an axis to the batch. A random tile of this rank is in `cell`, which is
/// given by its line, its place in the line, and the number of the random tile.
#[inline(always)]
fn add_moves<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    axis: usize,
    node: &ChanceNode,
    lines: &SlidLines<W, B, M>,
    cell: [usize; 3],
    rank: u16,
    batch: &mut Batch<W, B, M>,
) {
    let [index, place, tile] = cell;
    let before = lines.before[index] | rank << (4 * place);
    let slides = node.rows.slides(before);
    let moves = [
        (&lines.to_first, slides.to_first),
        (&lines.to_last, slides.to_last),
    ];
    for (slid, after) in moves {
        // A branch pays: most often all random tiles of a line have the same legal moves.
        if slid.changed & !(1 << index) == 0 && before == after {
            continue;
        }
        let crossing =
            Board(slid.crossing & !(FIRST_CROSSING << (4 * index)) | spread(after) << (4 * index));
        let along = slid.others[index].joined(compiled.line(axis, index, after));
        let across = compiled.parts_of(1 - axis, crossing);
        let at = batch.count % ROOM;
        batch.parts.set(at, axis, &along, &across);
        batch.tiles[at] = tile;
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
        let best = &mut batch.best[batch.tiles[board] % TILES];
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
