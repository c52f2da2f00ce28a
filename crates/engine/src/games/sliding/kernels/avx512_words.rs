//! The words of all leaves of a chance node, with AVX-512. As in [`super::avx512`], a permutation of two cache lines gives
//! the words of a crossing line for the eight random tiles of a line and both moves along it. The lanes of legal moves are
//! packed, so that there is one place for each leaf.

use std::arch::x86_64::*;

use super::avx512::{
    Aligned, BOTH_MOVES, empty_cells_of, joined, lines_with_an_empty_cell, moved_lines,
    values_of_slid, weighted,
};
use super::line_vectors::{open_cells, starts, transpose};
use super::words::{LeafLines, OfLeaves, WordTables};
use super::{BY_AXIS, LANES_OF_FOURS, Sum, Tables};
use crate::games::sliding::language::{MOST_EXTREMES, MOST_SUMS};

/// Most words: any sum fits into one, and four bytes into another.
const MOST: usize = MOST_SUMS + 1 + MOST_EXTREMES.div_ceil(4);

/// See [`WordTables::list`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub(super) fn list<const FOURS: bool>(
    tables: &WordTables,
    boards: [u64; 2],
    sums: [&mut [OfLeaves<u32>]; 2],
    bytes: &mut [OfLeaves<u32>],
) -> LeafLines {
    let words = tables.sums.len();
    assert!(words + tables.bytes.len() <= MOST);
    assert!(sums.iter().all(|sums| sums.len() == words));
    assert!(bytes.len() == tables.bytes.len());
    let [board, transposed] = boards;
    let lines = _mm_set_epi64x(transposed.cast_signed(), board.cast_signed());
    let first = &tables.sums[0];
    let slid = first.slid::<BY_AXIS>(board, transposed);
    let (moved, elsewhere) = moved_lines([joined(slid[0]), joined(slid[1])], lines);

    // For each word and line: the word of the other three slid lines.
    let mut others = [_mm512_setzero_si512(); MOST];
    for (others, tables) in others.iter_mut().zip(&tables.sums) {
        let values = slid_values(tables, board, transposed);
        let pairs = _mm512_add_epi32(values, _mm512_shuffle_epi32::<0b10_11_00_01>(values));
        let all = _mm512_add_epi32(pairs, _mm512_shuffle_epi32::<0b01_00_11_10>(pairs));
        *others = _mm512_sub_epi32(all, values);
    }
    for (others, tables) in others[words..].iter_mut().zip(&tables.bytes) {
        let values = slid_values(tables, board, transposed);
        let one = _mm512_shuffle_epi32::<0b00_11_10_01>(values);
        let two = _mm512_shuffle_epi32::<0b01_00_11_10>(values);
        let three = _mm512_shuffle_epi32::<0b10_01_00_11>(values);
        *others = _mm512_max_epu8(one, _mm512_max_epu8(two, three));
    }

    // The crossing lines. For each of their cells: the cache line with the words for all ranks in this cell.
    let mut open = Aligned([[0u16; 16]; 4]);
    let without_a_cell = open_cells::<BY_AXIS>(transpose(moved), starts::<BY_AXIS>(first));
    for (offsets, values) in open.0.iter_mut().zip(without_a_cell) {
        // SAFETY: sixteen 16-bit numbers are written into an array of sixteen.
        unsafe { _mm256_storeu_si256(offsets.as_mut_ptr().cast(), values) };
    }

    let mut leaves = LeafLines::default();
    let empty_cells = empty_cells_of(lines);
    let mut open_lines = lines_with_an_empty_cell(lines);
    while open_lines != 0 {
        let at = open_lines.trailing_zeros() as usize & 7;
        open_lines &= open_lines - 1;
        let (axis, line) = (at / 4, at % 4);
        let slid = slid[axis][line];
        let possible = empty_cells >> (4 * at) as u32 & 0xF;
        let legal = (possible * 0x1111) as u16 & elsewhere[axis][line] | slid.changed;
        let legal = if FOURS { legal & LANES_OF_FOURS } else { legal };
        let number = usize::from(slid.number);
        let own = number + first.own_start::<BY_AXIS>(axis, line);
        // SAFETY: a line number is smaller than the length of the table by number.
        let left = unsafe { _mm256_load_si256(first.lines.left.as_ptr().add(number).cast()) };
        let left = _mm512_cvtepu16_epi32(left);
        // SAFETY: sixteen numbers are read from an array of sixteen.
        let both_moves = unsafe { _mm512_load_si512(BOTH_MOVES.0[at].as_ptr().cast()) };
        let cells = [
            ranks(left),
            ranks(_mm512_srli_epi32::<4>(left)),
            ranks(_mm512_srli_epi32::<8>(left)),
            ranks(_mm512_srli_epi32::<12>(left)),
        ];
        let first_crossing = first.first_crossing::<BY_AXIS>(axis);
        let mut crossing = [[0; 2]; 4];
        for (cell, crossing) in crossing.iter_mut().enumerate() {
            for (of_move, at) in crossing.iter_mut().enumerate() {
                let offset = open.0[line][8 * axis + 4 * of_move + cell];
                *at = first_crossing + usize::from(offset);
            }
        }
        for (word, tables) in tables.sums.iter().enumerate() {
            // SAFETY: all tables have the same form. A line number is smaller than the length of each table by number.
            let own = unsafe { _mm512_load_si512(tables.left.as_ptr().add(own).cast()) };
            // SAFETY: an offset is the index of a cache line in the order of its cell.
            let [a, b, c, d] = unsafe { words_of_crossing(tables, crossing, cells) };
            let along = _mm512_add_epi32(own, _mm512_permutexvar_epi32(both_moves, others[word]));
            let across = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
            pack(&mut sums[axis][word], leaves.count, legal, along);
            pack(&mut sums[1 - axis][word], leaves.count, legal, across);
        }
        for (word, tables) in tables.bytes.iter().enumerate() {
            // SAFETY: as above.
            let own = unsafe { _mm512_load_si512(tables.left.as_ptr().add(own).cast()) };
            // SAFETY: as above.
            let [a, b, c, d] = unsafe { words_of_crossing(tables, crossing, cells) };
            let others = _mm512_permutexvar_epi32(both_moves, others[words + word]);
            let along = _mm512_max_epu8(own, others);
            let across = _mm512_max_epu8(_mm512_max_epu8(a, b), _mm512_max_epu8(c, d));
            let all = _mm512_max_epu8(along, across);
            pack(&mut bytes[word], leaves.count, legal, all);
        }
        leaves.lines[leaves.number_of_lines & 7] = (at as u8, legal);
        leaves.number_of_lines += 1;
        leaves.count += legal.count_ones() as usize;
    }
    leaves
}

/// The ranks in the lowest cell of lines, as indices of words: the low 4 bits select one of 16 words, the next bit
/// selects the move.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn ranks(lines: __m512i) -> __m512i {
    let last_move = _mm512_set_epi32(16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0);
    // Truth table: 0xF8 is a | (b & c).
    _mm512_ternarylogic_epi32::<0xF8>(last_move, lines, _mm512_set1_epi32(15))
}

/// The words of the four crossing lines, for the ranks in the cells of a line. `crossing` has the cache lines of each
/// cell for both moves.
///
/// # Safety
/// The cache lines must be in the tables.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
unsafe fn words_of_crossing(
    tables: &Tables,
    crossing: [[usize; 2]; 4],
    cells: [__m512i; 4],
) -> [__m512i; 4] {
    let mut words = [_mm512_setzero_si512(); 4];
    for cell in 0..4 {
        let [first, last] = crossing[cell];
        // SAFETY: as required.
        let (first, last) = unsafe {
            (
                _mm512_load_si512(tables.values.as_ptr().add(first).cast()),
                _mm512_load_si512(tables.values.as_ptr().add(last).cast()),
            )
        };
        words[cell] = _mm512_permutex2var_epi32(first, cells[cell], last);
    }
    words
}

/// The words of the slid lines.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn slid_values(tables: &Tables, board: u64, transposed: u64) -> __m512i {
    let slid = tables.slid::<BY_AXIS>(board, transposed);
    values_of_slid([joined(slid[0]), joined(slid[1])])
}

/// Writes the lanes of legal moves beside each other, from `at` on. More lanes are overwritten.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn pack(word: &mut OfLeaves<u32>, at: usize, legal: u16, lanes: __m512i) {
    let packed = _mm512_maskz_compress_epi32(legal, lanes);
    let room = &mut word.as_flattened_mut()[at..at + 16];
    // SAFETY: sixteen numbers are written into a slice of sixteen.
    unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), packed) };
}

/// See [`LeafLines::sum`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub(super) fn sum<const FOURS: bool>(leaves: &LeafLines, values: &OfLeaves<i32>) -> Sum {
    let mut best = [[_mm256_setzero_si256(); 4]; 2];
    let mut next = 0;
    for &(at, legal) in leaves.lines.iter().take(leaves.number_of_lines) {
        let room = &values.as_flattened()[next..next + 16];
        // SAFETY: sixteen numbers are read from a slice of sixteen.
        let packed = unsafe { _mm512_loadu_si512(room.as_ptr().cast()) };
        let lanes = _mm512_maskz_expand_epi32(legal, packed);
        let value = _mm512_max_epi32(lanes, _mm512_setzero_si512());
        best[usize::from(at / 4) & 1][usize::from(at % 4)] = _mm256_max_epi32(
            _mm512_castsi512_si256(value),
            _mm512_extracti64x4_epi64::<1>(value),
        );
        next += legal.count_ones() as usize;
    }
    Sum {
        weighted: weighted::<FOURS>(best),
        leaves: leaves.count as u64,
    }
}
