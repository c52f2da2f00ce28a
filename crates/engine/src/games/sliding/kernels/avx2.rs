//! The kernel for AVX2. It computes eight lanes at once: the lanes of one move.

use std::arch::x86_64::*;

use crate::games::sliding::board::Board;
use crate::games::sliding::kernels::line_vectors::{
    LEGAL_ELSEWHERE, open_cells, starts, transpose,
};
use crate::games::sliding::kernels::{LANES_OF_FOURS, LineSlides, Sixteen, Sum, TableForm, Tables};

/// See [`Sum`]. `transposed` is the other orientation of `board`.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn sum<const TERMS: bool, const FORM: TableForm, const FOURS: bool>(
    tables: &Tables,
    board: u64,
    transposed: u64,
) -> Sum {
    let lines = _mm_set_epi64x(transposed.cast_signed(), board.cast_signed());
    let slid = tables.slid::<FORM>(board, transposed);
    let by_axis = [joined(slid[0]), joined(slid[1])];
    let values = [by_axis[0].1, by_axis[1].1];
    let by_axis = [by_axis[0].0, by_axis[1].0];
    let (moved, elsewhere) = moved_lines(by_axis, lines);

    // The values of the slid lines and, for each line, the sum of the values of the other three.
    let others = values.map(|values| {
        let pairs = _mm256_add_epi32(values, _mm256_shuffle_epi32::<0b10_11_00_01>(values));
        let all = _mm256_add_epi32(pairs, _mm256_shuffle_epi32::<0b01_00_11_10>(pairs));
        _mm256_sub_epi32(all, values)
    });

    let largest = by_axis.map(|moved| LargestOfOthers::new(_mm256_cvtepu16_epi32(moved)));

    // The crossing lines. For each of their cells: the cache line with the values for all ranks in this cell.
    let crossing = transpose(moved);
    let mut open = [[0u16; 16]; 4];
    let lines_without_a_cell = open_cells::<FORM>(crossing, starts::<FORM>(tables));
    for (offsets, values) in open.iter_mut().zip(lines_without_a_cell) {
        // SAFETY: sixteen 16-bit numbers are written into an array of sixteen.
        unsafe { _mm256_storeu_si256(offsets.as_mut_ptr().cast(), values) };
    }

    let empty_cells = [board, transposed].map(|lines| Board(lines).empty_mask());
    let mut leaves = 0;
    let mut best = [[_mm256_setzero_si256(); 4]; 2];
    for (axis, slid) in slid.into_iter().enumerate() {
        let first_crossing = tables.first_crossing::<FORM>(axis);
        for line in 0..4 {
            let slid = slid[line];
            let number = usize::from(slid.number);
            if number == 0 {
                continue;
            }
            let own = number + tables.own_start::<FORM>(axis, line);
            // SAFETY: a line number is smaller than the length of each table by number, and each kind of line
            // has such a table.
            let (left, own) = unsafe {
                (
                    tables.lines.left.get_unchecked(number),
                    tables.left.get_unchecked(own),
                )
            };
            let possible = _pext_u64(empty_cells[axis] >> (16 * line), 0x1111) as u16 * 0x1111;
            let legal = possible & elsewhere[axis][line] | slid.changed;
            let counted = if FOURS { legal & LANES_OF_FOURS } else { legal };
            leaves += counted.count_ones();
            for to_last in 0..2 {
                // SAFETY: each load reads one half of a table entry with sixteen values.
                let (left, own) = unsafe {
                    (
                        _mm_load_si128(left.0.as_ptr().add(8 * to_last).cast()),
                        _mm256_load_si256(own.0.as_ptr().add(8 * to_last).cast()),
                    )
                };
                let left = _mm256_cvtepu16_epi32(left);
                let at = _mm256_set1_epi32((4 * to_last + line) as i32);
                let mut value =
                    _mm256_add_epi32(own, _mm256_permutevar8x32_epi32(others[axis], at));
                let ranks = [
                    (left, _mm256_slli_epi32::<28>(left)),
                    (_mm256_srli_epi32::<4>(left), _mm256_slli_epi32::<24>(left)),
                    (_mm256_srli_epi32::<8>(left), _mm256_slli_epi32::<20>(left)),
                    (_mm256_srli_epi32::<12>(left), _mm256_slli_epi32::<16>(left)),
                ];
                for (cell, (rank, is_upper)) in ranks.into_iter().enumerate() {
                    let offset = usize::from(open[line][8 * axis + 4 * to_last + cell]);
                    let offset = first_crossing + offset;
                    // SAFETY: an offset is the index of a cache line in the order of its cell.
                    let values: &Sixteen = unsafe { tables.values.get_unchecked(offset) };
                    value = _mm256_add_epi32(value, chosen(values, rank, is_upper));
                }
                if TERMS {
                    let is_outer = line == 0 || line == 3;
                    let terms = largest[axis].terms(tables, left, is_outer, at);
                    value = _mm256_add_epi32(value, terms);
                }
                let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                let these = _mm256_set1_epi32(i32::from(legal >> (8 * to_last)));
                let is_legal = _mm256_cmpeq_epi32(_mm256_and_si256(these, bits), bits);
                let value = _mm256_and_si256(value, is_legal);
                best[axis][line] = _mm256_max_epi32(best[axis][line], value);
            }
        }
    }

    Sum {
        weighted: weighted(best, FOURS),
        leaves: u64::from(leaves),
    }
}

/// All moves of the board without a random tile: left, right, up, down, each with four lines of 16 bits. For each axis
/// and line: the lanes whose move is legal because another line changes.
#[target_feature(enable = "avx2,bmi2")]
#[inline]
pub(super) fn moved_lines(by_axis: [__m128i; 2], lines: __m128i) -> (__m256i, [[u16; 4]; 2]) {
    let moved = _mm256_set_m128i(by_axis[1], by_axis[0]);
    let before = _mm256_permute4x64_epi64::<0b01_01_00_00>(_mm256_castsi128_si256(lines));
    let same = _mm256_movemask_epi8(_mm256_cmpeq_epi16(moved, before));
    let changed = !_pext_u32(same.cast_unsigned(), 0x5555_5555) as usize;
    let elsewhere = [
        LEGAL_ELSEWHERE[changed & 0xFF],
        LEGAL_ELSEWHERE[changed >> 8 & 0xFF],
    ];
    (moved, elsewhere)
}

/// The weighted sum of the best values of each line, in eight lanes, for both axes; `fours` if there are random 4s only.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn weighted(best: [[__m256i; 4]; 2], fours: bool) -> i64 {
    // Transposes the lanes of the columns so that they match those of the rows, 2s and 4s separately. The sum
    // with weights 9 and 1 (for 0.9 and 0.1) uses 64 bits.
    let [rows, [a, b, c, d]] = best;
    let [ab, cd] =
        [(a, b), (c, d)].map(|(a, b)| [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)]);
    let columns = [
        _mm256_unpacklo_epi64(ab[0], cd[0]),
        _mm256_unpackhi_epi64(ab[0], cd[0]),
        _mm256_unpacklo_epi64(ab[1], cd[1]),
        _mm256_unpackhi_epi64(ab[1], cd[1]),
    ];
    let nine = if fours { 0 } else { 9 };
    let weights = _mm256_setr_epi64x(nine, nine, 1, 1);
    let mut weighted = _mm256_setzero_si256();
    for (row, column) in rows.into_iter().zip(columns) {
        let best = _mm256_max_epi32(row, column);
        for half in [best, _mm256_srli_epi64::<32>(best)] {
            weighted = _mm256_add_epi64(weighted, _mm256_mul_epu32(half, weights));
        }
    }
    let mut sums = [0i64; 4];
    // SAFETY: four 64-bit numbers are written into an array of four.
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), weighted) };
    sums.into_iter().sum()
}

/// Four lines slid towards the first and towards the last cell, and the values of both.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn joined(slid: [&LineSlides; 4]) -> (__m128i, __m256i) {
    // SAFETY: an entry is 16 bytes long and aligned to 16 bytes.
    let at = |line: usize| unsafe { _mm_load_si128(std::ptr::from_ref(slid[line]).cast()) };
    let (a, b, c, d) = (at(0), at(1), at(2), at(3));
    let slides = _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
    let (ab, cd) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
    let to_first = _mm_unpacklo_epi64(ab, cd);
    let by_move = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    (
        _mm_shuffle_epi8(slides, by_move),
        _mm256_set_m128i(_mm_unpackhi_epi64(ab, cd), to_first),
    )
}

/// Selects one of sixteen values in each lane. The index is the lower 3 bits of `rank`, in the upper half of
/// the values if the highest bit of `is_upper` is set.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn chosen(values: &Sixteen, rank: __m256i, is_upper: __m256i) -> __m256i {
    // SAFETY: each load reads one half of the sixteen values.
    let [lower, upper] =
        [0, 8].map(|at| unsafe { _mm256_load_si256(values.0.as_ptr().add(at).cast()) });
    let lower = _mm256_permutevar8x32_epi32(lower, rank);
    let upper = _mm256_permutevar8x32_epi32(upper, rank);
    either(is_upper, upper, lower)
}

/// Selects `yes` in each lane whose highest bit in `which` is set, else `no`.
#[target_feature(enable = "avx2")]
#[inline]
fn either(which: __m256i, yes: __m256i, no: __m256i) -> __m256i {
    let [which, yes, no] = [which, yes, no].map(|lanes| _mm256_castsi256_ps(lanes));
    _mm256_castps_si256(_mm256_blendv_ps(no, yes, which))
}

/// The ranks of the cells of lines. Each lane holds one line.
#[target_feature(enable = "avx2")]
#[inline]
fn cells(lines: __m256i) -> [__m256i; 4] {
    let rank = |cells| _mm256_and_si256(cells, _mm256_set1_epi32(15));
    [
        rank(lines),
        rank(_mm256_srli_epi32::<4>(lines)),
        rank(_mm256_srli_epi32::<8>(lines)),
        rank(_mm256_srli_epi32::<12>(lines)),
    ]
}

/// The ranks of the largest tile anywhere, on an edge, and in a corner, for the board without one line. Eight
/// lanes: four lines for each of the two moves along an axis.
struct LargestOfOthers([__m256i; 3]);

impl LargestOfOthers {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(lines: __m256i) -> Self {
        let cells = cells(lines);
        let ends = _mm256_max_epi32(cells[0], cells[3]);
        let all = _mm256_max_epi32(ends, _mm256_max_epi32(cells[1], cells[2]));
        const OUTER: i32 = 0b1001_1001;
        let on_edge = _mm256_blend_epi32::<OUTER>(ends, all);
        let in_corner = _mm256_blend_epi32::<OUTER>(_mm256_setzero_si256(), ends);
        let others = |ranks| {
            let one = _mm256_shuffle_epi32::<0b00_11_10_01>(ranks);
            let two = _mm256_shuffle_epi32::<0b01_00_11_10>(ranks);
            let three = _mm256_shuffle_epi32::<0b10_01_00_11>(ranks);
            _mm256_max_epi32(one, _mm256_max_epi32(two, three))
        };
        LargestOfOthers([others(all), others(on_edge), others(in_corner)])
    }

    /// The board terms of the boards in which the line of lane `at` is replaced by each of `lines`. `is_outer`
    /// is true for an outer line.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn terms(&self, tables: &Tables, lines: __m256i, is_outer: bool, at: __m256i) -> __m256i {
        let cells = cells(lines);
        let others = self.0.map(|ranks| _mm256_permutevar8x32_epi32(ranks, at));
        let ends = _mm256_max_epi32(cells[0], cells[3]);
        let all = _mm256_max_epi32(ends, _mm256_max_epi32(cells[1], cells[2]));
        let largest = _mm256_max_epi32(all, others[0]);
        let on_edge = _mm256_max_epi32(if is_outer { all } else { ends }, others[1]);
        let in_corner = if is_outer {
            _mm256_max_epi32(ends, others[2])
        } else {
            others[2]
        };
        let is_upper = _mm256_slli_epi32::<28>(largest);
        let [inside, edge, corner] =
            [0, 1, 2].map(|place| chosen(&tables.terms[place], largest, is_upper));
        let value = either(_mm256_cmpeq_epi32(on_edge, largest), edge, inside);
        either(_mm256_cmpeq_epi32(in_corner, largest), corner, value)
    }
}
