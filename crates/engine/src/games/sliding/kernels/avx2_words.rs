//! The words of the leaves of a chance node with AVX2: a vector for each move.

use std::arch::x86_64::*;

use super::avx2::chosen;
use super::leaf_words::{self, LeafLines, MOST, MOST_OF_BYTES, Vector, WordsOfLeaves};
use super::words::{OfLeaves, WordTables};
use super::{LeftLines, Sixteen, Sum};
use crate::games::sliding::board::Board;

/// See [`leaf_words::list`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn list(tables: &WordTables, board: Board, fours: bool, to: WordsOfLeaves) -> LeafLines {
    // SAFETY: this function has the instructions.
    unsafe {
        match tables.number {
            [1, 0] => leaf_words::list::<BothMoves, 1, 0>(tables, board, fours, to),
            [2, 0] => leaf_words::list::<BothMoves, 2, 0>(tables, board, fours, to),
            [3, 0] => leaf_words::list::<BothMoves, 3, 0>(tables, board, fours, to),
            [4, 0] => leaf_words::list::<BothMoves, 4, 0>(tables, board, fours, to),
            [5, 0] => leaf_words::list::<BothMoves, 5, 0>(tables, board, fours, to),
            [2, 1] => leaf_words::list::<BothMoves, 2, 1>(tables, board, fours, to),
            _ => leaf_words::list::<BothMoves, MOST, MOST_OF_BYTES>(tables, board, fours, to),
        }
    }
}

/// See [`leaf_words::sum`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub fn sum(leaves: &LeafLines, values: &OfLeaves<i32>) -> Sum {
    // SAFETY: this function has the instructions.
    unsafe { leaf_words::sum::<BothMoves>(leaves, values) }
}

/// The lanes of the first and of the last move.
#[derive(Clone, Copy)]
struct BothMoves([__m256i; 2]);

/// For each set of eight lanes: these lanes in order, then any lanes.
static PACKED: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut next) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set][next] = lane;
                next += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

/// For each set of eight lanes and each lane: its place in the packed set, or -1.
static UNPACKED: [[i8; 8]; 256] = {
    let mut table = [[-1; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut next) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set][lane] = next;
                next += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

impl Vector for BothMoves {
    /// For each move: the ranks in the lowest bits, and their highest bit as that of the lane.
    type Ranks = [(__m256i, __m256i); 2];
    /// The order of the lanes of each move, and the number of those of the first one.
    type Packing = ([__m256i; 2], usize);

    #[inline(always)]
    unsafe fn load(words: *const Sixteen) -> Self {
        // SAFETY: as required.
        unsafe {
            let words = words.cast::<__m256i>();
            BothMoves([_mm256_load_si256(words), _mm256_load_si256(words.add(1))])
        }
    }

    #[inline(always)]
    unsafe fn of_moves(words: *const u64) -> Self {
        // SAFETY: as required.
        unsafe {
            let [first, last] = *words.cast::<[i32; 2]>();
            BothMoves([_mm256_set1_epi32(first), _mm256_set1_epi32(last)])
        }
    }

    #[inline(always)]
    unsafe fn plus(self, BothMoves([first, last]): Self) -> Self {
        // SAFETY: as required.
        unsafe {
            BothMoves([
                _mm256_add_epi32(self.0[0], first),
                _mm256_add_epi32(self.0[1], last),
            ])
        }
    }

    #[inline(always)]
    unsafe fn larger_bytes(self, BothMoves([first, last]): Self) -> Self {
        // SAFETY: as required.
        unsafe {
            BothMoves([
                _mm256_max_epu8(self.0[0], first),
                _mm256_max_epu8(self.0[1], last),
            ])
        }
    }

    #[inline(always)]
    unsafe fn ranks(left: *const LeftLines) -> [Self::Ranks; 4] {
        // SAFETY: as required.
        unsafe {
            let left = left.cast::<__m128i>();
            let first = _mm256_cvtepu16_epi32(_mm_load_si128(left));
            let last = _mm256_cvtepu16_epi32(_mm_load_si128(left.add(1)));
            [
                [
                    (first, _mm256_slli_epi32::<28>(first)),
                    (last, _mm256_slli_epi32::<28>(last)),
                ],
                [
                    (
                        _mm256_srli_epi32::<4>(first),
                        _mm256_slli_epi32::<24>(first),
                    ),
                    (_mm256_srli_epi32::<4>(last), _mm256_slli_epi32::<24>(last)),
                ],
                [
                    (
                        _mm256_srli_epi32::<8>(first),
                        _mm256_slli_epi32::<20>(first),
                    ),
                    (_mm256_srli_epi32::<8>(last), _mm256_slli_epi32::<20>(last)),
                ],
                [
                    (
                        _mm256_srli_epi32::<12>(first),
                        _mm256_slli_epi32::<16>(first),
                    ),
                    (_mm256_srli_epi32::<12>(last), _mm256_slli_epi32::<16>(last)),
                ],
            ]
        }
    }

    #[inline(always)]
    unsafe fn chosen([first, last]: [*const Sixteen; 2], ranks: Self::Ranks) -> Self {
        // SAFETY: as required.
        unsafe {
            BothMoves([
                chosen(&*first, ranks[0].0, ranks[0].1),
                chosen(&*last, ranks[1].0, ranks[1].1),
            ])
        }
    }

    #[inline(always)]
    unsafe fn packing(legal: u16) -> Self::Packing {
        let [first, last] = legal.to_le_bytes();
        // SAFETY: as required, and eight numbers are read from an array of eight.
        unsafe {
            let first_order = _mm_loadl_epi64(PACKED[usize::from(first)].as_ptr().cast());
            let last_order = _mm_loadl_epi64(PACKED[usize::from(last)].as_ptr().cast());
            let orders = [
                _mm256_cvtepu8_epi32(first_order),
                _mm256_cvtepu8_epi32(last_order),
            ];
            (orders, first.count_ones() as usize)
        }
    }

    #[inline(always)]
    unsafe fn pack(self, (orders, of_first): Self::Packing, to: *mut u32) {
        // SAFETY: as required; at most eight words are before the others.
        unsafe {
            let first = _mm256_permutevar8x32_epi32(self.0[0], orders[0]);
            _mm256_storeu_si256(to.cast(), first);
            let last = _mm256_permutevar8x32_epi32(self.0[1], orders[1]);
            _mm256_storeu_si256(to.add(of_first).cast(), last);
        }
    }

    #[inline(always)]
    unsafe fn best(packed: *const i32, legal: u16) -> __m256i {
        let [first, last] = legal.to_le_bytes();
        // SAFETY: as required, and eight numbers are read from an array of eight.
        unsafe {
            let first_order = _mm_loadl_epi64(UNPACKED[usize::from(first)].as_ptr().cast());
            let last_order = _mm_loadl_epi64(UNPACKED[usize::from(last)].as_ptr().cast());
            let first_order = _mm256_cvtepi8_epi32(first_order);
            let last_order = _mm256_cvtepi8_epi32(last_order);
            let first_values = _mm256_loadu_si256(packed.cast());
            let last_values = packed.add(first.count_ones() as usize);
            let last_values = _mm256_loadu_si256(last_values.cast());
            let first_values = _mm256_permutevar8x32_epi32(first_values, first_order);
            let last_values = _mm256_permutevar8x32_epi32(last_values, last_order);
            // A lane that is not legal has -1 in all bits, and a negative value counts as 0.
            let first_values = _mm256_or_si256(first_values, _mm256_srai_epi32::<31>(first_order));
            let last_values = _mm256_or_si256(last_values, _mm256_srai_epi32::<31>(last_order));
            let moves = _mm256_max_epi32(first_values, last_values);
            _mm256_max_epi32(moves, _mm256_setzero_si256())
        }
    }
}
