//! The last layer of chance nodes of a heuristic with terms of the whole board. The leaves, which are the boards after
//! legal moves, are collected, and then valued together. Three of the four slid lines of a move are the same for all
//! random tiles of a line, so their parts are joined once.
//!
//! The code is portable, and compiled a second and a third time for AVX2 and AVX-512. With these a kernel can list the
//! numbers of the leaves ([`words`](crate::games::sliding::kernels::words)). All give the same values.

// Calls of functions for detected instructions need unsafe code.
#![allow(unsafe_code)]

use std::cell::RefCell;

use crate::games::sliding::board::{Board, FIRST_CROSSING, spread};
use crate::games::sliding::kernels::Sum;
#[cfg(target_arch = "x86_64")]
use crate::games::sliding::kernels::words::WordTables;
use crate::games::sliding::kernels::words::{CHUNK, CHUNKS, OfLeaves};
#[cfg(target_arch = "x86_64")]
use crate::games::sliding::kernels::{WordsOfLeaves, avx2_words, avx512_words};
use crate::games::sliding::language::{Lanes, Registers};
use crate::games::sliding::line_tables::{COLUMNS, ROWS};
use crate::games::sliding::whole_board::numbers::{BoardLanes, Numbers};
use crate::games::sliding::whole_board::parts::Parts;
use crate::games::sliding::whole_board::{BoardTerms, ChanceNode, Compiled, MOST_WIDE, MOST_WORDS};
use crate::simd::InstructionSet;

/// Random tiles of a node: two kinds in each cell.
const TILES: usize = 32;

/// The leaves of a node, and what their valuation needs. There is one for each thread, because it is too large to be
/// cleared for each node.
#[repr(align(64))]
struct Leaves {
    sums: [OfLeaves<u32>; 4 * MOST_WORDS],
    bytes: [OfLeaves<u32>; 2],
    wide: [OfLeaves<u32>; 4 * MOST_WIDE],
    /// The values of the other board terms.
    others: [i32; CHUNK * CHUNKS],
    /// For each leaf: its random tile, by cell and kind.
    tiles: [u8; CHUNK * CHUNKS],
    registers: Registers<CHUNK, CHUNKS>,
    /// The values of the terms.
    values: OfLeaves<i32>,
}

impl Leaves {
    /// The room for the words of a kernel.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn room<const W: usize>(&mut self, words: &WordTables) -> WordsOfLeaves<'_> {
        let [of_sums, of_bytes] = words.number();
        let (rows, columns) = self.sums.split_at_mut(2 * W);
        WordsOfLeaves {
            sums: [&mut rows[..of_sums], &mut columns[..of_sums]],
            bytes: &mut self.bytes[..of_bytes],
        }
    }

    /// Computes the values of the first leaves, without the other board terms. `words` is the number of pairs of words.
    #[inline(always)]
    fn value(&mut self, terms: &BoardTerms, words: usize, count: usize) {
        let numbers = Numbers {
            sums: &mut self.sums[..4 * words],
            joint: terms.joint,
            bytes: &mut self.bytes,
            wide: &mut self.wide,
        };
        let lanes = BoardLanes {
            numbers: &numbers,
            slots: &terms.slots,
        };
        let chunks = count.div_ceil(CHUNK).min(CHUNKS);
        let (registers, values) = (&mut self.registers, &mut self.values);
        let lines = Some(lanes.lane(0));
        (terms.steps).compute(&lanes, lines, chunks, registers, values);
    }

    /// The sum of a node from the values of its leaves.
    #[inline(always)]
    fn sum(&self, node: &ChanceNode, count: usize) -> Sum {
        let mut best = [0; TILES];
        let values = self.values.as_flattened().iter().zip(&self.others);
        for ((value, others), tile) in values.zip(&self.tiles).take(count) {
            let others = if node.others.is_some() { *others } else { 0 };
            let best = &mut best[usize::from(*tile) % TILES];
            *best = (*best).max(value + others);
        }
        let weights = node.spawns.iter().map(|(_, weight)| *weight);
        let best = best.as_chunks::<2>().0.iter();
        let weighted = best.flat_map(|best| best.iter().zip(weights.clone()));
        Sum {
            weighted: weighted
                .map(|(best, weight)| i64::from(*best) * weight)
                .sum(),
            leaves: count as u64,
        }
    }
}

thread_local! {
    static LEAVES: RefCell<Leaves> = const {
        RefCell::new(Leaves {
            sums: [[[0; CHUNK]; CHUNKS]; 4 * MOST_WORDS],
            bytes: [[[0; CHUNK]; CHUNKS]; 2],
            wide: [[[0; CHUNK]; CHUNKS]; 4 * MOST_WIDE],
            others: [0; CHUNK * CHUNKS],
            tiles: [0; CHUNK * CHUNKS],
            registers: Registers::ZERO,
            values: [[0; CHUNK]; CHUNKS],
        })
    };
}

/// See [`super::WholeBoard::chance`].
pub(super) fn sum<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
    set: InstructionSet,
) -> Sum {
    LEAVES.with_borrow_mut(|leaves| {
        #[cfg(target_arch = "x86_64")]
        if set.is_available() {
            match set {
                InstructionSet::Portable => {}
                // SAFETY: `is_available` has checked the instructions.
                InstructionSet::Avx2 => return unsafe { with_avx2(compiled, node, leaves) },
                // SAFETY: `is_available` has checked the instructions.
                InstructionSet::Avx512 => return unsafe { with_avx512(compiled, node, leaves) },
            }
        }
        let _ = set;
        portable(compiled, node, leaves)
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
    leaves: &mut Leaves,
) -> Sum {
    if let Some(words) = node.words {
        let fours = node.spawns.len() == 1;
        let lines = avx2_words::list(words, node.board, fours, leaves.room::<W>(words));
        value_with_avx2(leaves, &compiled.terms, W, lines.count);
        return avx2_words::sum(&lines, &leaves.values);
    }
    let count = list(compiled, node, leaves);
    value_with_avx2(leaves, &compiled.terms, W, count);
    leaves.sum(node, count)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx512<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
    leaves: &mut Leaves,
) -> Sum {
    if let Some(words) = node.words {
        let fours = node.spawns.len() == 1;
        let lines = avx512_words::list(words, node.board, fours, leaves.room::<W>(words));
        value_with_avx512(leaves, &compiled.terms, W, lines.count);
        return avx512_words::sum(&lines, &leaves.values);
    }
    let count = list(compiled, node, leaves);
    value_with_avx512(leaves, &compiled.terms, W, count);
    leaves.sum(node, count)
}

fn portable<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
    leaves: &mut Leaves,
) -> Sum {
    let count = list(compiled, node, leaves);
    value(leaves, &compiled.terms, W, count);
    leaves.sum(node, count)
}

/// See [`Leaves::value`]. It is a function of its own, so that it is compiled once for all forms.
#[inline(never)]
fn value(leaves: &mut Leaves, terms: &BoardTerms, words: usize, count: usize) {
    leaves.value(terms, words, count);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn value_with_avx2(leaves: &mut Leaves, terms: &BoardTerms, words: usize, count: usize) {
    leaves.value(terms, words, count);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn value_with_avx512(leaves: &mut Leaves, terms: &BoardTerms, words: usize, count: usize) {
    leaves.value(terms, words, count);
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

/// Lists the leaves of a node, and counts them.
#[inline(always)]
fn list<const W: usize, const B: usize, const M: usize>(
    compiled: &Compiled<W, B, M>,
    node: &ChanceNode,
    leaves: &mut Leaves,
) -> usize {
    let mut numbers = Numbers {
        sums: &mut leaves.sums[..4 * W],
        joint: compiled.terms.joint,
        bytes: &mut leaves.bytes[..2 * B],
        wide: &mut leaves.wide[..4 * M],
    };
    let mut count = 0;
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
                // By index: an iterator leaves the array in memory.
                let slid_lines = [slides.to_first, slides.to_last];
                for direction in 0..2 {
                    let (slid, after) = (&slid[direction], slid_lines[direction]);
                    // A branch pays: most often all random tiles of a line have the same legal moves.
                    if slid.changed & !(1 << line) == 0 && before == after {
                        continue;
                    }
                    let kept = slid.crossing & !(FIRST_CROSSING << (4 * line));
                    let crossing = Board(kept | spread(after) << (4 * line));
                    let along = slid.others[line].joined(&along[usize::from(after)]);
                    let parts = (across[0][usize::from(crossing.row(0))])
                        .joined(&across[1][usize::from(crossing.row(1))])
                        .joined(&across[2][usize::from(crossing.row(2))])
                        .joined(&across[3][usize::from(crossing.row(3))]);
                    let at = count % (CHUNK * CHUNKS);
                    numbers.set(at, axis, &along, &parts);
                    leaves.tiles[at] = (first_tile + tile) as u8;
                    if let Some(others) = node.others {
                        let moved = if axis == COLUMNS {
                            crossing
                        } else {
                            crossing.transpose()
                        };
                        leaves.others[at] = others(moved);
                    }
                    count += 1;
                }
            }
        }
    }
    count
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
