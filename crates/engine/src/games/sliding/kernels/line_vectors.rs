//! Vector operations on the lines of several boards.

use std::arch::x86_64::*;

use crate::games::sliding::kernels::{NEXT_ORDER, SCATTER, SYMMETRIC, TableForm, Tables};
use crate::games::sliding::line_tables::{COLUMNS, ROWS};

/// The lanes whose move is legal because another line changes, for each line. The index has one bit for each
/// line that two moves change: the lower nibble for the first move, the upper nibble for the second.
pub(super) static LEGAL_ELSEWHERE: [[u16; 4]; 256] = {
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

/// Transposes four boards, like [`crate::games::sliding::board::Board::transpose`].
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn transpose(boards: __m256i) -> __m256i {
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

/// The starts of the values of the crossing lines 0 to 3 of four boards, two after a move of the rows and two
/// after a move of the columns; see [`Tables::starts`].
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn starts<const FORM: TableForm>(tables: &Tables) -> __m256i {
    crossing_starts([tables.starts::<FORM>(ROWS), tables.starts::<FORM>(COLUMNS)])
}

/// The same from those of rows and of columns.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn crossing_starts([rows, columns]: [u64; 2]) -> __m256i {
    let [rows, columns] = [rows.cast_signed(), columns.cast_signed()];
    _mm256_setr_epi64x(columns, columns, rows, rows)
}

/// For each line and each of its cells 0 to 3: the cache line with the values for all ranks in this cell.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn open_cells<const FORM: TableForm>(lines: __m256i, starts: __m256i) -> [__m256i; 4] {
    if FORM != SYMMETRIC {
        return [
            cache_lines::<0>(without_cell_0(lines), starts),
            cache_lines::<1>(without_cell_1(lines), starts),
            cache_lines::<2>(without_cell_2(lines), starts),
            cache_lines::<3>(without_cell_3(lines), starts),
        ];
    }
    let mirrored = mirror(lines);
    [
        cache_lines::<0>(without_cell_0(lines), starts),
        cache_lines::<1>(without_cell_1(lines), starts),
        cache_lines::<1>(without_cell_1(mirrored), starts),
        cache_lines::<0>(without_cell_0(mirrored), starts),
    ]
}

/// [`super::cache_line`] for lines with open cell `OPEN`. `others` holds the three other cells.
#[target_feature(enable = "avx2")]
#[inline]
fn cache_lines<const OPEN: usize>(others: __m256i, starts: __m256i) -> __m256i {
    let order = _mm256_set1_epi16(((OPEN * NEXT_ORDER) as u16).cast_signed());
    let scattered = _mm256_xor_si256(others, _mm256_srli_epi16::<SCATTER>(others));
    _mm256_xor_si256(_mm256_xor_si256(starts, order), scattered)
}

/// Mirrors every line.
#[target_feature(enable = "avx2")]
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
#[target_feature(enable = "avx2")]
#[inline]
fn without_cell_0(lines: __m256i) -> __m256i {
    _mm256_srli_epi16::<4>(lines)
}

/// Cells 0, 2, 3 of every line.
#[target_feature(enable = "avx2")]
#[inline]
fn without_cell_1(lines: __m256i) -> __m256i {
    _mm256_or_si256(
        _mm256_and_si256(lines, _mm256_set1_epi16(0xF)),
        _mm256_and_si256(_mm256_srli_epi16::<4>(lines), _mm256_set1_epi16(0xFF0)),
    )
}

/// Cells 0, 1, 3 of every line.
#[target_feature(enable = "avx2")]
#[inline]
fn without_cell_2(lines: __m256i) -> __m256i {
    _mm256_or_si256(
        _mm256_and_si256(lines, _mm256_set1_epi16(0xFF)),
        _mm256_and_si256(_mm256_srli_epi16::<4>(lines), _mm256_set1_epi16(0xF00)),
    )
}

/// Cells 0, 1, 2 of every line.
#[target_feature(enable = "avx2")]
#[inline]
fn without_cell_3(lines: __m256i) -> __m256i {
    _mm256_and_si256(lines, _mm256_set1_epi16(0xFFF))
}
