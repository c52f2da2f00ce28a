//! The kernel for AVX-512. One permutation of two cache lines gives the values of a crossing line for the eight
//! random tiles of a line and both moves along it.

use std::arch::x86_64::*;

use crate::games::sliding::kernels::line_vectors::{
    LEGAL_ELSEWHERE, open_cells, starts, transpose,
};
use crate::games::sliding::kernels::{LANES_OF_FOURS, LineSlides, Sum, TableForm, Tables};

#[repr(C, align(64))]
struct Aligned<T>(T);

/// For each line of the two orientations: where its values for both moves are in a vector of sixteen values,
/// which has four values for each move.
static BOTH_MOVES: Aligned<[[i32; 16]; 8]> = Aligned({
    let mut table = [[0; 16]; 8];
    let mut at = 0;
    while at < 8 {
        let mut lane = 0;
        while lane < 16 {
            table[at][lane] = (8 * (at / 4) + 4 * (lane / 8) + at % 4) as i32;
            lane += 1;
        }
        at += 1;
    }
    table
});

/// See [`Sum`]. `transposed` is the other orientation of `board`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn sum<const TERMS: bool, const FORM: TableForm, const FOURS: bool>(
    tables: &Tables,
    board: u64,
    transposed: u64,
) -> Sum {
    let lines = _mm_set_epi64x(transposed.cast_signed(), board.cast_signed());
    let slid = tables.slid::<FORM>(board, transposed);
    let by_axis = [joined(slid[0]), joined(slid[1])];
    let (moved, elsewhere) = moved_lines(by_axis, lines);

    // The values of the slid lines and, for each line, the sum of the values of the other three.
    let values = values_of_slid(by_axis);
    let pairs = _mm512_add_epi32(values, _mm512_shuffle_epi32::<0b10_11_00_01>(values));
    let all = _mm512_add_epi32(pairs, _mm512_shuffle_epi32::<0b01_00_11_10>(pairs));
    let others = _mm512_sub_epi32(all, values);

    // The ranks of the lanes contain the bit of the move, so the largest ranks must contain it too.
    let largest = LargestOfOthers::new(_mm512_cvtepu16_epi32(moved));

    // The crossing lines. For each of their cells: the cache line with the values for all ranks in this cell.
    let crossing = transpose(moved);
    let mut open = Aligned([[0u16; 16]; 4]);
    let lines_without_a_cell = open_cells::<FORM>(crossing, starts::<FORM>(tables));
    for (offsets, values) in open.0.iter_mut().zip(lines_without_a_cell) {
        // SAFETY: sixteen 16-bit numbers are written into an array of sixteen.
        unsafe { _mm256_storeu_si256(offsets.as_mut_ptr().cast(), values) };
    }

    let mut leaves = 0;
    let mut best = [[_mm256_setzero_si256(); 4]; 2];
    let last_move = _mm512_set_epi32(16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0);
    let empty_cells = empty_cells_of(lines);
    let mut open_lines = lines_with_an_empty_cell(lines);
    while open_lines != 0 {
        let at = open_lines.trailing_zeros() as usize & 7;
        open_lines &= open_lines - 1;
        let (axis, line) = (at / 4, at % 4);
        let slid = slid[axis][line];
        let number = usize::from(slid.number);
        let own = number + tables.own_start::<FORM>(axis, line);
        // SAFETY: a line number is smaller than the length of each table by number, and each kind of line has
        // such a table.
        let (left, own) = unsafe {
            (
                _mm256_load_si256(tables.lines.left.as_ptr().add(number).cast()),
                _mm512_load_si512(tables.left.as_ptr().add(own).cast()),
            )
        };
        let left = _mm512_cvtepu16_epi32(left);
        // SAFETY: sixteen numbers are read from an array of sixteen.
        let both_moves = unsafe { _mm512_load_si512(BOTH_MOVES.0[at].as_ptr().cast()) };
        let mut value = _mm512_add_epi32(own, _mm512_permutexvar_epi32(both_moves, others));
        // The low 4 bits select one of 16 values, the next bit selects the move.
        // Truth table: 0xF8 is a | (b & c).
        let select =
            |ranks| _mm512_ternarylogic_epi32::<0xF8>(last_move, ranks, _mm512_set1_epi32(15));
        let cells = [
            select(left),
            select(_mm512_srli_epi32::<4>(left)),
            select(_mm512_srli_epi32::<8>(left)),
            select(_mm512_srli_epi32::<12>(left)),
        ];
        let first_crossing = tables.first_crossing::<FORM>(axis);
        for (cell, ranks) in cells.into_iter().enumerate() {
            let first = usize::from(open.0[line][8 * axis + cell]);
            let last = usize::from(open.0[line][8 * axis + 4 + cell]);
            // SAFETY: an offset is the index of a cache line in the order of its cell.
            let [first, last] = [first, last].map(|at| unsafe {
                _mm512_load_si512(tables.values.as_ptr().add(first_crossing + at).cast())
            });
            value = _mm512_add_epi32(value, _mm512_permutex2var_epi32(first, ranks, last));
        }
        if TERMS {
            let is_outer = line == 0 || line == 3;
            let terms = largest.terms(tables, cells, is_outer, both_moves);
            value = _mm512_add_epi32(value, terms);
        }

        let possible = empty_cells >> (4 * at) as u32 & 0xF;
        let legal = (possible * 0x1111) as u16 & elsewhere[axis][line] | slid.changed;
        let counted = if FOURS { legal & LANES_OF_FOURS } else { legal };
        leaves += counted.count_ones();
        let value = _mm512_maskz_max_epi32(legal, value, _mm512_setzero_si512());
        best[axis][line] = _mm256_max_epi32(
            _mm512_castsi512_si256(value),
            _mm512_extracti64x4_epi64::<1>(value),
        );
    }

    Sum {
        weighted: weighted::<FOURS>(best),
        leaves: u64::from(leaves),
    }
}

/// All moves of the board without a random tile: left, right, up, down, each with four lines of 16 bits. For each axis
/// and line: the lanes whose move is legal because another line changes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn moved_lines(by_axis: [__m512i; 2], lines: __m128i) -> (__m256i, [[u16; 4]; 2]) {
    let slides = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
    let slides = _mm512_permutex2var_epi32(by_axis[0], slides, by_axis[1]);
    let slides = _mm512_castsi512_si256(slides);
    let by_move = _mm256_setr_epi16(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
    let moved = _mm256_permutexvar_epi16(by_move, slides);
    let before = _mm256_permute4x64_epi64::<0b01_01_00_00>(_mm256_castsi128_si256(lines));
    let changed = _mm256_cmpneq_epi16_mask(moved, before);
    let elsewhere = [
        LEGAL_ELSEWHERE[usize::from(changed & 0xFF)],
        LEGAL_ELSEWHERE[usize::from(changed >> 8)],
    ];
    (moved, elsewhere)
}

/// The values of the slid lines, in the order of [`moved_lines`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn values_of_slid(by_axis: [__m512i; 2]) -> __m512i {
    let values = _mm512_setr_epi32(2, 6, 10, 14, 3, 7, 11, 15, 18, 22, 26, 30, 19, 23, 27, 31);
    _mm512_permutex2var_epi32(by_axis[0], values, by_axis[1])
}

/// The weighted sum of the best values of each line, in eight lanes, for both axes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn weighted<const FOURS: bool>(best: [[__m256i; 4]; 2]) -> i64 {
    // So far each line has eight lanes. This joins lines in pairs, and transposes the lanes of the columns to
    // match the rows.
    let pair = |first, second| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
    let [rows, columns] = best;
    let (first_rows, last_rows) = (pair(rows[0], rows[1]), pair(rows[2], rows[3]));
    let (first_columns, last_columns) =
        (pair(columns[0], columns[1]), pair(columns[2], columns[3]));
    let across = _mm512_setr_epi32(0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29);
    let first = _mm512_max_epi32(
        first_rows,
        _mm512_permutex2var_epi32(first_columns, across, last_columns),
    );
    let across = _mm512_add_epi32(across, _mm512_set1_epi32(2));
    let last = _mm512_max_epi32(
        last_rows,
        _mm512_permutex2var_epi32(first_columns, across, last_columns),
    );

    // The sum with weights 9 and 1 (for 0.9 and 0.1), in 64 bits.
    let nine = if FOURS { 0 } else { 9 };
    let weights = _mm512_setr_epi64(nine, nine, 1, 1, nine, nine, 1, 1);
    let weighted = |values| {
        _mm512_add_epi64(
            _mm512_mul_epu32(values, weights),
            _mm512_mul_epu32(_mm512_srli_epi64::<32>(values), weights),
        )
    };
    _mm512_reduce_add_epi64(_mm512_add_epi64(weighted(first), weighted(last)))
}

/// Loads four entries of 16 bytes into one vector.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn joined(slid: [&LineSlides; 4]) -> __m512i {
    // SAFETY: an entry is 16 bytes long and aligned to 16 bytes.
    let at = |line: usize| unsafe { _mm_load_si128(std::ptr::from_ref(slid[line]).cast()) };
    let (low, high) = (
        _mm256_set_m128i(at(1), at(0)),
        _mm256_set_m128i(at(3), at(2)),
    );
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// One bit for each empty cell of both orientations.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn empty_cells_of(lines: __m128i) -> u32 {
    // Extends each nibble to a byte.
    let nibbles = _mm256_cvtepu8_epi16(lines);
    let nibbles = _mm256_or_si256(nibbles, _mm256_slli_epi16::<4>(nibbles));
    _mm256_testn_epi8_mask(nibbles, _mm256_set1_epi16(0x0F0F))
}

/// One bit for each line of both orientations that has an empty cell.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn lines_with_an_empty_cell(lines: __m128i) -> u8 {
    let pairs = _mm_or_si128(lines, _mm_srli_epi16::<1>(lines));
    let cells = _mm_or_si128(pairs, _mm_srli_epi16::<2>(pairs));
    let low = _mm_set1_epi16(0x1111);
    _mm_cmpneq_epi16_mask(_mm_and_si128(cells, low), low)
}

/// The ranks of the largest tile anywhere, on an edge, and in a corner, for the board without one line. Sixteen
/// lanes: four lines for each of the four moves.
struct LargestOfOthers([__m512i; 3]);

impl LargestOfOthers {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    #[inline]
    fn new(lines: __m512i) -> Self {
        let rank = |cells| _mm512_and_si512(cells, _mm512_set1_epi32(15));
        let cells = [
            rank(lines),
            rank(_mm512_srli_epi32::<4>(lines)),
            rank(_mm512_srli_epi32::<8>(lines)),
            rank(_mm512_srli_epi32::<12>(lines)),
        ];
        let ends = _mm512_max_epi32(cells[0], cells[3]);
        let all = _mm512_max_epi32(ends, _mm512_max_epi32(cells[1], cells[2]));
        let outer = 0b1001_1001_1001_1001;
        let on_edge = _mm512_mask_mov_epi32(ends, outer, all);
        let in_corner = _mm512_maskz_mov_epi32(outer, ends);
        let last_moves = _mm512_set_epi32(16, 16, 16, 16, 0, 0, 0, 0, 16, 16, 16, 16, 0, 0, 0, 0);
        let others = |ranks| {
            let one = _mm512_shuffle_epi32::<0b00_11_10_01>(ranks);
            let two = _mm512_shuffle_epi32::<0b01_00_11_10>(ranks);
            let three = _mm512_shuffle_epi32::<0b10_01_00_11>(ranks);
            let largest = _mm512_max_epi32(one, _mm512_max_epi32(two, three));
            _mm512_or_si512(largest, last_moves)
        };
        LargestOfOthers([others(all), others(on_edge), others(in_corner)])
    }

    /// The board terms of the boards in which a line is replaced by `cells`. `is_outer` is true for an outer
    /// line.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    #[inline]
    fn terms(
        &self,
        tables: &Tables,
        cells: [__m512i; 4],
        is_outer: bool,
        both_moves: __m512i,
    ) -> __m512i {
        let others = self
            .0
            .map(|ranks| _mm512_permutexvar_epi32(both_moves, ranks));
        let ends = _mm512_max_epi32(cells[0], cells[3]);
        let all = _mm512_max_epi32(ends, _mm512_max_epi32(cells[1], cells[2]));
        let on_edge = if is_outer { all } else { ends };
        let largest = _mm512_max_epi32(all, others[0]);
        let on_edge = _mm512_max_epi32(on_edge, others[1]);
        let in_corner = if is_outer {
            _mm512_max_epi32(ends, others[2])
        } else {
            others[2]
        };
        let on_edge = _mm512_cmpeq_epi32_mask(on_edge, largest);
        let in_corner = _mm512_cmpeq_epi32_mask(in_corner, largest);
        // SAFETY: sixteen numbers are read from a table of sixteen.
        let [inside, edge, corner] =
            [0, 1, 2].map(|at| unsafe { _mm512_load_si512(tables.terms[at].0.as_ptr().cast()) });
        let value = _mm512_permutexvar_epi32(largest, inside);
        let value = _mm512_mask_permutexvar_epi32(value, on_edge, largest, edge);
        _mm512_mask_permutexvar_epi32(value, in_corner, largest, corner)
    }
}
