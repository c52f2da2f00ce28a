//! The kernel for AVX-512: one permutation of two cache lines values a crossing line for the
//! eight spawns of a line and both moves along it.

use std::arch::x86_64::*;

use super::{ORDER, Sum, Tables};

/// For the changed lines of two moves, one in the lower nibble and one in the upper: of each line
/// the lanes whose move is legal already because another line changes.
static LEGAL_ELSEWHERE: [[u16; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut changed = 0;
    while changed < 256 {
        let mut line = 0;
        while line < 4 {
            let others = changed & !(0x11 << line);
            if others & 0x0F != 0 {
                table[changed][line] |= 0x00FF;
            }
            if others & 0xF0 != 0 {
                table[changed][line] |= 0xFF00;
            }
            line += 1;
        }
        changed += 1;
    }
    table
};

#[repr(C, align(64))]
struct Aligned<T>(T);

/// Of each line of the two orientations: where the two moves' values stand among sixteen, four to
/// a move.
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

/// See [`Sum`]; `transposed` is the other orientation of `board`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn sum(tables: &Tables, board: u64, transposed: u64) -> Sum {
    // All moves of the board without a spawn: left, right, up, down, four lines of 16 bits each.
    let lines = _mm_set_epi64x(transposed.cast_signed(), board.cast_signed());
    let slide = |lines: u64, line: usize| {
        tables.lines.slides[usize::from((lines >> (16 * line)) as u16)].cast_signed()
    };
    let slides = _mm256_setr_epi32(
        slide(board, 0),
        slide(board, 1),
        slide(board, 2),
        slide(board, 3),
        slide(transposed, 0),
        slide(transposed, 1),
        slide(transposed, 2),
        slide(transposed, 3),
    );
    let by_move = _mm256_setr_epi16(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
    let moved = _mm256_permutexvar_epi16(by_move, slides);
    let before = _mm256_permute4x64_epi64::<0b01_01_00_00>(_mm256_castsi128_si256(lines));
    let changed = _mm256_cmpneq_epi16_mask(moved, before);
    let elsewhere = [
        LEGAL_ELSEWHERE[usize::from(changed & 0xFF)],
        LEGAL_ELSEWHERE[usize::from(changed >> 8)],
    ];

    // The values of the slid lines, and of each line the sum of the other three.
    let inner = tables.inner[0];
    let kinds = _mm256_and_si256(
        _mm256_set1_epi64x(0x0000_FFFF_FFFF_0000),
        _mm256_set1_epi16((inner as u16).cast_signed()),
    );
    let index = _mm512_add_epi32(
        _mm512_cvtepu16_epi32(moved),
        _mm512_slli_epi32::<4>(_mm512_cvtepu16_epi32(kinds)),
    );
    // SAFETY: an index is a line, past the outer lines if it is an inner one.
    let values = unsafe { _mm512_i32gather_epi32::<4>(index, tables.values.as_ptr().cast()) };
    let pairs = _mm512_add_epi32(values, _mm512_shuffle_epi32::<0b10_11_00_01>(values));
    let all = _mm512_add_epi32(pairs, _mm512_shuffle_epi32::<0b01_00_11_10>(pairs));
    let others = _mm512_sub_epi32(all, values);

    // The crossing lines and their mirror images; for each cell of them, left open, the cache line
    // of its values.
    let crossing = transpose(moved);
    let mirrored = mirror(crossing);
    let exchanged = _mm256_add_epi16(kinds, _mm256_set1_epi16(ORDER as i16));
    let mut open = Aligned([[0u16; 16]; 4]);
    for (offsets, values) in open.0.iter_mut().zip([
        _mm256_add_epi16(kinds, without_cell_0(crossing)),
        _mm256_add_epi16(exchanged, without_cell_1(crossing)),
        _mm256_add_epi16(exchanged, without_cell_1(mirrored)),
        _mm256_add_epi16(kinds, without_cell_0(mirrored)),
    ]) {
        // SAFETY: sixteen numbers of 16 bits are written into sixteen.
        unsafe { _mm256_storeu_si256(offsets.as_mut_ptr().cast(), values) };
    }

    let mut leaves = 0;
    let mut best = [[_mm256_setzero_si256(); 4]; 2];
    let last_move = _mm512_set_epi32(16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0);
    for (axis, lines) in [board, transposed].into_iter().enumerate() {
        for line in 0..4 {
            let number =
                usize::from(tables.lines.numbers[usize::from((lines >> (16 * line)) as u16)]);
            let kind = if line == 1 || line == 2 {
                tables.inner[1]
            } else {
                0
            };
            // SAFETY: numbers are below the length of all tables by number, which `kind` has for
            // each kind of line.
            let (left, own, lanes) = unsafe {
                (
                    _mm256_load_si256(tables.lines.left.as_ptr().add(number).cast()),
                    _mm512_load_si512(tables.left.as_ptr().add(kind + number).cast()),
                    tables.lines.lanes.get_unchecked(number),
                )
            };
            let left = _mm512_cvtepu16_epi32(left);
            // SAFETY: sixteen numbers are read from sixteen.
            let both_moves =
                unsafe { _mm512_load_si512(BOTH_MOVES.0[4 * axis + line].as_ptr().cast()) };
            let mut value = _mm512_add_epi32(own, _mm512_permutexvar_epi32(both_moves, others));
            let of_cell = |cell: usize, ranks: __m512i| {
                let first = usize::from(open.0[line][8 * axis + cell]);
                let last = usize::from(open.0[line][8 * axis + 4 + cell]);
                // SAFETY: an offset is 12 bits of a line past the beginning of its order.
                let [first, last] = [first, last]
                    .map(|at| unsafe { _mm512_load_si512(tables.values.as_ptr().add(at).cast()) });
                // 4 bits choose one of 16 values, the next one the move.
                let select =
                    _mm512_ternarylogic_epi32::<0xF8>(last_move, ranks, _mm512_set1_epi32(15));
                _mm512_permutex2var_epi32(first, select, last)
            };
            value = _mm512_add_epi32(value, of_cell(0, left));
            value = _mm512_add_epi32(value, of_cell(1, _mm512_srli_epi32::<4>(left)));
            value = _mm512_add_epi32(value, of_cell(2, _mm512_srli_epi32::<8>(left)));
            value = _mm512_add_epi32(value, of_cell(3, _mm512_srli_epi32::<12>(left)));

            let legal = lanes.possible & elsewhere[axis][line] | lanes.changed;
            leaves += legal.count_ones();
            let value = _mm512_maskz_max_epi32(legal, value, _mm512_setzero_si512());
            best[axis][line] = _mm256_max_epi32(
                _mm512_castsi512_si256(value),
                _mm512_extracti64x4_epi64::<1>(value),
            );
        }
    }

    // Eight lanes to a line so far; lines in pairs, and those of the columns read across.
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

    // 0.9 to 0.1, in 64 bits.
    let weights = _mm512_setr_epi64(9, 9, 1, 1, 9, 9, 1, 1);
    let weighted = |values| {
        _mm512_add_epi64(
            _mm512_mul_epu32(values, weights),
            _mm512_mul_epu32(_mm512_srli_epi64::<32>(values), weights),
        )
    };
    Sum {
        weighted: _mm512_reduce_add_epi64(_mm512_add_epi64(weighted(first), weighted(last))),
        leaves: u64::from(leaves),
    }
}

/// [`crate::game::twenty48::Board::transpose`] of four boards.
#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn transpose(boards: __m256i) -> __m256i {
    let and = |boards, mask: u64| _mm256_and_si256(boards, _mm256_set1_epi64x(mask.cast_signed()));
    let or = |a, b, c| _mm256_or_si256(_mm256_or_si256(a, b), c);
    let blocks = or(
        and(boards, 0xF0F0_0F0F_F0F0_0F0F),
        _mm256_slli_epi64::<12>(and(boards, 0x0000_F0F0_0000_F0F0)),
        _mm256_srli_epi64::<12>(and(boards, 0x0F0F_0000_0F0F_0000)),
    );
    or(
        and(blocks, 0xFF00_FF00_00FF_00FF),
        _mm256_srli_epi64::<24>(and(blocks, 0x00FF_00FF_0000_0000)),
        _mm256_slli_epi64::<24>(and(blocks, 0x0000_0000_FF00_FF00)),
    )
}

/// Every line read from its other end.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn mirror(lines: __m256i) -> __m256i {
    let bytes = _mm256_or_si256(_mm256_slli_epi16::<8>(lines), _mm256_srli_epi16::<8>(lines));
    let low = _mm256_set1_epi16(0x0F0F);
    _mm256_or_si256(
        _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low),
        _mm256_slli_epi16::<4>(_mm256_and_si256(bytes, low)),
    )
}

/// Cells 1, 2, 3 of every line.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn without_cell_0(lines: __m256i) -> __m256i {
    _mm256_srli_epi16::<4>(lines)
}

/// Cells 0, 2, 3 of every line.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn without_cell_1(lines: __m256i) -> __m256i {
    _mm256_or_si256(
        _mm256_and_si256(lines, _mm256_set1_epi16(0xF)),
        _mm256_and_si256(_mm256_srli_epi16::<4>(lines), _mm256_set1_epi16(0xFF0)),
    )
}
