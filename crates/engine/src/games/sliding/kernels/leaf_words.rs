//! The words of all leaves of a chance node. As in the kernels of line terms, a permutation of cache lines gives the words
//! of a crossing line for the eight random tiles of a line and both moves along it. The lanes of legal moves are packed, so
//! that there is one place for each leaf.
//!
//! The code is the same for all instruction sets; a [`Vector`] is what differs. It is always inlined into a function that
//! has the instructions.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::avx2::{joined, moved_lines, weighted};
use super::line_vectors::{crossing_starts, open_cells, transpose};
use super::words::{OfLeaves, WordTables};
use super::{BY_AXIS, LANES_OF_FOURS, LeftLines, LineSlides, Sixteen, Sum};
use crate::games::sliding::board::Board;
use crate::games::sliding::language::MOST_SUMS;

/// Most words of sums: any sum fits into one.
pub(super) const MOST: usize = MOST_SUMS + 1;
/// Most words of bytes.
pub(super) const MOST_OF_BYTES: usize = 2;

/// Words in sixteen lanes.
pub(super) trait Vector: Copy {
    /// The ranks in a cell of the lanes.
    type Ranks: Copy;
    /// How the lanes of legal moves are packed.
    type Packing: Copy;

    /// # Safety
    /// As for all functions of this trait, the processor must have the instructions, and a pointer must be valid for
    /// sixteen words, or one word for each move.
    unsafe fn load(words: *const Sixteen) -> Self;

    /// The word of each move in all its lanes.
    unsafe fn of_moves(words: *const u64) -> Self;

    unsafe fn plus(self, other: Self) -> Self;

    /// The larger one of each pair of bytes.
    unsafe fn larger_bytes(self, other: Self) -> Self;

    /// The ranks in cells 0 to 3.
    unsafe fn ranks(left: *const LeftLines) -> [Self::Ranks; 4];

    /// The words of the ranks, of the first and of the last move.
    unsafe fn chosen(words: [*const Sixteen; 2], ranks: Self::Ranks) -> Self;

    unsafe fn packing(legal: u16) -> Self::Packing;

    /// Writes the lanes of legal moves beside each other. More words are overwritten.
    unsafe fn pack(self, packing: Self::Packing, to: *mut u32);

    /// The larger one of the values of both moves, at least 0. `packed` has the values of the legal lanes.
    unsafe fn best(packed: *const i32, legal: u16) -> __m256i;
}

/// Where the words of the leaves are written.
pub struct WordsOfLeaves<'a> {
    /// The words of sums of rows and of columns; of both, in the first ones, if they are joint.
    pub sums: [&'a mut [OfLeaves<u32>]; 2],
    /// The words of bytes.
    pub bytes: &'a mut [OfLeaves<u32>],
}

/// The leaves of a node in the order of their lines.
#[derive(Clone, Copy, Default)]
pub struct LeafLines {
    /// For each line with an empty cell: its index in both orientations.
    at: [u8; 8],
    /// Its legal lanes.
    legal: [u16; 8],
    number_of_lines: usize,
    /// Number of leaves.
    pub count: usize,
    /// True if the random tiles are 4s only.
    fours: bool,
}

/// Lists the words of all leaves of a node. `fours` is true if the random tiles are 4s only. `S` and `B` are the numbers of
/// words of sums and of bytes; if `S` is [`MOST`], there may be fewer of both.
///
/// # Panics
/// If there is no room for a word.
///
/// # Safety
/// The processor must have AVX2 and the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn list<V: Vector, const S: usize, const B: usize>(
    tables: &WordTables,
    board: Board,
    fours: bool,
    to: WordsOfLeaves,
) -> LeafLines {
    let [of_sums, of_bytes] = if S == MOST { tables.number } else { [S, B] };
    let stride = of_sums + of_bytes;
    assert!(tables.number == [of_sums, of_bytes] && of_sums <= S && of_bytes <= B);
    assert!(to.sums.iter().all(|sums| sums.len() == of_sums) && to.bytes.len() == of_bytes);
    let WordsOfLeaves {
        sums: [rows, columns],
        bytes,
    } = to;
    let sums = [rows.as_mut_ptr(), columns.as_mut_ptr()];
    let boards = [board, board.transpose()];
    let starts = &tables.starts;

    let mut slides: [[&LineSlides; 4]; 2] = [[&tables.lines.slid[0]; 4]; 2];
    let mut slid = [[std::ptr::null(); 4]; 2];
    for axis in 0..2 {
        for line in 0..4 {
            let cells = usize::from(boards[axis].row(line));
            slides[axis][line] = &tables.lines.slid[cells];
            let at = (starts.slid[axis][line] + cells) * stride;
            // SAFETY: 65,536 entries follow the start of a kind, one for each line.
            slid[axis][line] = unsafe { tables.slid.as_ptr().add(at) };
        }
    }
    // For each word and line: the word of the other three slid lines, for both moves. To set them all to 0 takes time.
    let mut others = [const { MaybeUninit::<[u64; 8]>::uninit() }; S];
    let mut other_bytes = [const { MaybeUninit::<[u64; 8]>::uninit() }; B];
    for (word, others) in others.iter_mut().enumerate().take(of_sums) {
        // SAFETY: an entry has all words.
        let [rows, columns] = unsafe { [at_lines(slid[0], word), at_lines(slid[1], word)] };
        let ([a, b, c, d], [e, f, g, h]) = (sums_of_others(rows), sums_of_others(columns));
        others.write([a, b, c, d, e, f, g, h]);
    }
    for (word, others) in other_bytes.iter_mut().enumerate().take(of_bytes) {
        let word = of_sums + word;
        // SAFETY: as above.
        let [rows, columns] = unsafe { [at_lines(slid[0], word), at_lines(slid[1], word)] };
        let ([a, b, c, d], [e, f, g, h]) = (largest_of_others(rows), largest_of_others(columns));
        others.write([a, b, c, d, e, f, g, h]);
    }

    // The crossing lines. For each of their cells: the cache line with the words for all ranks in this cell.
    let mut open = [[0u16; 16]; 4];
    let (elsewhere, mut open_lines, empty_cells);
    // SAFETY: the processor has AVX2, and sixteen 16-bit numbers are written into each array of sixteen.
    unsafe {
        let lines = _mm_set_epi64x(boards[1].0.cast_signed(), boards[0].0.cast_signed());
        let moved;
        (moved, elsewhere) = moved_lines([joined(slides[0]).0, joined(slides[1]).0], lines);
        let without_a_cell =
            open_cells::<BY_AXIS>(transpose(moved), crossing_starts(starts.values));
        for (offsets, values) in open.iter_mut().zip(without_a_cell) {
            _mm256_storeu_si256(offsets.as_mut_ptr().cast(), values);
        }
        let [in_rows, in_columns] = boards.map(|lines| lines.empty_mask());
        empty_cells = _pext_u64(in_rows, 0x1111_1111_1111_1111)
            | _pext_u64(in_columns, 0x1111_1111_1111_1111) << 16;
        open_lines = lines_with_an_empty_cell(empty_cells as u32);
    }

    let lanes = if fours { LANES_OF_FOURS } else { u16::MAX };
    let mut leaves = LeafLines {
        fours,
        ..LeafLines::default()
    };
    while open_lines != 0 {
        let at = (open_lines.trailing_zeros() as usize / 4) & 7;
        open_lines &= open_lines - 1;
        let (axis, line) = (at / 4, at % 4);
        let slides = slides[axis][line];
        let possible = (empty_cells >> (4 * at)) as u16 & 0xF;
        let legal = ((possible * 0x1111) & elsewhere[axis][line] | slides.changed) & lanes;
        let number = usize::from(slides.number);
        // SAFETY: a line number is smaller than the length of each table by number, an offset is the index of a cache
        // line in the order of its cell, and there is room for sixteen words for each of at most eight lines. The words
        // of the others are set up to the number of words.
        unsafe {
            let ranks = V::ranks(tables.lines.left.as_ptr().add(number));
            let own = (number + starts.left[axis][line]) * stride;
            let own = tables.left.as_ptr().add(own);
            let first_crossing = tables.values.as_ptr().add(starts.axis[1 - axis] * stride);
            let mut crossing = [[first_crossing; 2]; 4];
            for cell in 0..4 {
                for to_last in 0..2 {
                    let offset = usize::from(open[line][8 * axis + 4 * to_last + cell]);
                    crossing[cell][to_last] = first_crossing.add(offset * stride);
                }
            }
            let packing = V::packing(legal);
            for (word, others) in others.iter().enumerate().take(of_sums) {
                let others = V::of_moves(others.as_ptr().cast::<u64>().add(at));
                let along = V::load(own.add(word)).plus(others);
                let [a, b, c, d] = crossing_words::<V>(crossing, word, ranks);
                let across = a.plus(b).plus(c.plus(d));
                if tables.joint {
                    along
                        .plus(across)
                        .pack(packing, place(sums[0], word, leaves.count));
                } else {
                    along.pack(packing, place(sums[axis], word, leaves.count));
                    across.pack(packing, place(sums[1 - axis], word, leaves.count));
                }
            }
            for (word, others) in other_bytes.iter().enumerate().take(of_bytes) {
                let others = V::of_moves(others.as_ptr().cast::<u64>().add(at));
                let along = V::load(own.add(of_sums + word)).larger_bytes(others);
                let [a, b, c, d] = crossing_words::<V>(crossing, of_sums + word, ranks);
                let across = a.larger_bytes(b).larger_bytes(c.larger_bytes(d));
                let all = along.larger_bytes(across);
                all.pack(packing, place(bytes.as_mut_ptr(), word, leaves.count));
            }
        }
        leaves.at[leaves.number_of_lines & 7] = at as u8;
        leaves.legal[leaves.number_of_lines & 7] = legal;
        leaves.number_of_lines += 1;
        leaves.count += legal.count_ones() as usize;
    }
    leaves
}

/// A word of four slid lines.
///
/// # Safety
/// They must have such a word.
#[inline(always)]
unsafe fn at_lines(slid: [*const u64; 4], word: usize) -> [u64; 4] {
    // SAFETY: as required.
    unsafe {
        [
            *slid[0].add(word),
            *slid[1].add(word),
            *slid[2].add(word),
            *slid[3].add(word),
        ]
    }
}

/// For each line: the sum of the other three. The sum of four lines fits into 32 bits, so both moves are added at once.
#[inline(always)]
fn sums_of_others([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    let all = a + b + c + d;
    [all - a, all - b, all - c, all - d]
}

/// For each line: the largest bytes of the other three.
#[inline(always)]
fn largest_of_others([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    let larger = |a: u64, b: u64| {
        // SAFETY: every x86-64 processor has SSE2.
        let larger = unsafe {
            let (a, b) = (
                _mm_cvtsi64_si128(a.cast_signed()),
                _mm_cvtsi64_si128(b.cast_signed()),
            );
            _mm_cvtsi128_si64(_mm_max_epu8(a, b))
        };
        larger.cast_unsigned()
    };
    let (ab, cd) = (larger(a, b), larger(c, d));
    [larger(b, cd), larger(a, cd), larger(ab, d), larger(ab, c)]
}

/// For each group of four bits with a 1: its lowest bit.
#[inline(always)]
fn lines_with_an_empty_cell(empty_cells: u32) -> u32 {
    let pairs = empty_cells | empty_cells >> 1;
    (pairs | pairs >> 2) & 0x1111_1111
}

/// The words of the crossing lines.
///
/// # Safety
/// See [`Vector::load`].
#[inline(always)]
unsafe fn crossing_words<V: Vector>(
    crossing: [[*const Sixteen; 2]; 4],
    word: usize,
    ranks: [V::Ranks; 4],
) -> [V; 4] {
    // SAFETY: as required.
    unsafe {
        [
            V::chosen(
                [crossing[0][0].add(word), crossing[0][1].add(word)],
                ranks[0],
            ),
            V::chosen(
                [crossing[1][0].add(word), crossing[1][1].add(word)],
                ranks[1],
            ),
            V::chosen(
                [crossing[2][0].add(word), crossing[2][1].add(word)],
                ranks[2],
            ),
            V::chosen(
                [crossing[3][0].add(word), crossing[3][1].add(word)],
                ranks[3],
            ),
        ]
    }
}

/// The place of a leaf.
///
/// # Safety
/// There must be such a word, and such a leaf.
#[inline(always)]
unsafe fn place(words: *mut OfLeaves<u32>, word: usize, leaf: usize) -> *mut u32 {
    // SAFETY: as required.
    unsafe { words.add(word).cast::<u32>().add(leaf) }
}

/// The sum of a node from the values of its leaves.
///
/// # Safety
/// The processor must have AVX2 and the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn sum<V: Vector>(leaves: &LeafLines, values: &OfLeaves<i32>) -> Sum {
    let values = values.as_flattened();
    assert!(leaves.count + 16 <= values.len());
    let mut next = values.as_ptr();
    // SAFETY: all bits may be 0.
    let mut best: [[__m256i; 4]; 2] = unsafe { std::mem::zeroed() };
    for line in 0..leaves.number_of_lines.min(8) {
        let (at, legal) = (usize::from(leaves.at[line]), leaves.legal[line]);
        // SAFETY: sixteen values follow those of the leaves.
        unsafe {
            best[(at / 4) & 1][at % 4] = V::best(next, legal);
            next = next.add(legal.count_ones() as usize);
        }
    }
    Sum {
        // SAFETY: the processor has AVX2.
        weighted: unsafe { weighted(best, leaves.fours) },
        leaves: leaves.count as u64,
    }
}
