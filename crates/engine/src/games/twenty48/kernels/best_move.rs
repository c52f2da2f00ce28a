//! Games that play the move with the best static value. The moves of eight boards are computed at once, the
//! line values one by one. No branch depends on which move is legal or best.

use std::arch::x86_64::*;

use crate::games::twenty48::kernels::eight::{Eight, Lanes, play_all};
use crate::games::twenty48::kernels::{BatchedGame, LINES, Tables};

/// See [`crate::games::twenty48::kernels::BestMoveKernel`]. Unless `BY_AXIS`, rows and columns have the same
/// values.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn play<const BY_AXIS: bool>(
    games: &mut [BatchedGame],
    four_below: u64,
    tables: Tables,
) {
    play_all(games, four_below, |eight| choose::<BY_AXIS>(eight, &tables));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn choose<const BY_AXIS: bool>(eight: &mut Eight, tables: &Tables) -> (__m512i, u8) {
    let boards = eight.boards.load();
    let transposed = transpose(boards);
    let [left, right, up, down] = all_slid(boards, transposed, tables);
    let moves = [
        (up, transposed),
        (down, transposed),
        (left, boards),
        (right, boards),
    ];
    let mut best = boards;
    let mut largest = _mm512_set1_epi64(i64::MIN);
    let mut leaves = eight.leaves.load();
    for (at, (moved, before)) in moves.into_iter().enumerate() {
        let crossing = transpose(moved);
        // The lines of the first two moves are columns.
        let [along, across] =
            [at < 2, at >= 2].map(|is_columns| usize::from(BY_AXIS && is_columns));
        let value = values(moved, crossing, tables.lines[along], tables.lines[across]);
        let is_legal = _mm512_cmpneq_epi64_mask(moved, before);
        let is_better = _mm512_mask_cmpgt_epi64_mask(is_legal, value, largest);
        largest = _mm512_mask_mov_epi64(largest, is_better, value);
        let after = if at < 2 { crossing } else { moved };
        best = _mm512_mask_mov_epi64(best, is_better, after);
        leaves = _mm512_mask_add_epi64(leaves, is_legal, leaves, _mm512_set1_epi64(1));
    }
    eight.leaves.store(leaves);
    (best, _mm512_cmpeq_epi64_mask(best, boards))
}

/// The values of eight boards, given in both orientations, with the values of the lines of each.
#[target_feature(enable = "avx512f")]
#[inline]
fn values(
    boards: __m512i,
    across: __m512i,
    of_boards: [&[i32; LINES]; 4],
    of_across: [&[i32; LINES]; 4],
) -> __m512i {
    let mut lines = [Lanes::default(); 2];
    lines[0].store(boards);
    lines[1].store(across);
    let sum = |lines: u64, values: [&[i32; LINES]; 4]| {
        let value = |line: usize| values[line][usize::from((lines >> (16 * line)) as u16)];
        value(0) + value(1) + value(2) + value(3)
    };
    let mut values = Lanes::default();
    for lane in 0..8 {
        let value = sum(lines[0].get(lane), of_boards) + sum(lines[1].get(lane), of_across);
        values.set(lane, i64::from(value).cast_unsigned());
    }
    values.load()
}

/// Four times eight boards: each board and its transposed board, slid along the lines towards the first and
/// towards the last cells.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn all_slid(boards: __m512i, transposed: __m512i, tables: &Tables) -> [__m512i; 4] {
    // The lower half of each lane holds lines of the board, the upper half lines of the transposed board.
    let low = _mm512_set1_epi32(0xFFFF);
    let pair = |low, high| _mm512_mask_mov_epi32(low, 0xAAAA, high);
    let first = pair(boards, _mm512_slli_epi64::<32>(transposed));
    let last = pair(_mm512_srli_epi64::<32>(boards), transposed);
    let [a, b, c, d] = [
        _mm512_and_si512(first, low),
        _mm512_srli_epi32::<16>(first),
        _mm512_and_si512(last, low),
        _mm512_srli_epi32::<16>(last),
    ]
    // SAFETY: an index is a line, and the table has an entry for every line.
    .map(|at| unsafe { _mm512_i32gather_epi32::<4>(at, tables.slides.as_ptr().cast()) });
    // Joins lines 0 and 1, and lines 2 and 3: first those slid towards the first cell, then those towards the
    // last.
    let odd = 0xAAAA_AAAA;
    let firsts = |a, b| _mm512_mask_mov_epi16(a, odd, _mm512_slli_epi32::<16>(b));
    let lasts = |a, b| _mm512_mask_mov_epi16(_mm512_srli_epi32::<16>(a), odd, b);
    let (ab, cd) = (firsts(a, b), firsts(c, d));
    let (left, up) = (
        pair(ab, _mm512_slli_epi64::<32>(cd)),
        pair(_mm512_srli_epi64::<32>(ab), cd),
    );
    let (ab, cd) = (lasts(a, b), lasts(c, d));
    let (right, down) = (
        pair(ab, _mm512_slli_epi64::<32>(cd)),
        pair(_mm512_srli_epi64::<32>(ab), cd),
    );
    [left, right, up, down]
}

/// Transposes eight boards, like [`crate::games::sliding::board::Board::transpose`]: exchanges pairs of
/// nibbles, then pairs of blocks.
#[target_feature(enable = "avx512f")]
#[inline]
fn transpose(boards: __m512i) -> __m512i {
    // Truth tables: 0x28 is (a ^ b) & c, 0x96 is a ^ b ^ c.
    let mask = _mm512_set1_epi64(0x0000_F0F0_0000_F0F0);
    let other = _mm512_srli_epi64::<12>(boards);
    let differs = _mm512_ternarylogic_epi64::<0x28>(boards, other, mask);
    let blocks =
        _mm512_ternarylogic_epi64::<0x96>(boards, differs, _mm512_slli_epi64::<12>(differs));
    let mask = _mm512_set1_epi64(0x0000_0000_FF00_FF00);
    let other = _mm512_srli_epi64::<24>(blocks);
    let differs = _mm512_ternarylogic_epi64::<0x28>(blocks, other, mask);
    _mm512_ternarylogic_epi64::<0x96>(blocks, differs, _mm512_slli_epi64::<24>(differs))
}
