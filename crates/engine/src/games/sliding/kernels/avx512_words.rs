//! The words of the leaves of a chance node with AVX-512: one vector for both moves.

use std::arch::x86_64::*;

use super::leaf_words::{self, LeafLines, MOST, MOST_OF_BYTES, Vector, WordsOfLeaves};
use super::words::{OfLeaves, WordTables};
use super::{LeftLines, Sixteen, Sum};
use crate::games::sliding::board::Board;

/// See [`leaf_words::list`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn list(tables: &WordTables, board: Board, fours: bool, to: WordsOfLeaves) -> LeafLines {
    // SAFETY: this function has the instructions.
    unsafe {
        match tables.number {
            [1, 0] => leaf_words::list::<__m512i, 1, 0>(tables, board, fours, to),
            [2, 0] => leaf_words::list::<__m512i, 2, 0>(tables, board, fours, to),
            [3, 0] => leaf_words::list::<__m512i, 3, 0>(tables, board, fours, to),
            [4, 0] => leaf_words::list::<__m512i, 4, 0>(tables, board, fours, to),
            [5, 0] => leaf_words::list::<__m512i, 5, 0>(tables, board, fours, to),
            [2, 1] => leaf_words::list::<__m512i, 2, 1>(tables, board, fours, to),
            _ => leaf_words::list::<__m512i, MOST, MOST_OF_BYTES>(tables, board, fours, to),
        }
    }
}

/// See [`leaf_words::sum`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub fn sum(leaves: &LeafLines, values: &OfLeaves<i32>) -> Sum {
    // SAFETY: this function has the instructions.
    unsafe { leaf_words::sum::<__m512i>(leaves, values) }
}

impl Vector for __m512i {
    type Ranks = __m512i;
    type Packing = __mmask16;

    #[inline(always)]
    unsafe fn load(words: *const Sixteen) -> Self {
        // SAFETY: as required.
        unsafe { _mm512_load_si512(words.cast()) }
    }

    #[inline(always)]
    unsafe fn of_moves(words: *const u64) -> Self {
        // SAFETY: as required.
        unsafe {
            let [first, last] = *words.cast::<[i32; 2]>();
            _mm512_mask_set1_epi32(_mm512_set1_epi32(first), 0xFF00, last)
        }
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        // SAFETY: as required.
        unsafe { _mm512_add_epi32(self, other) }
    }

    #[inline(always)]
    unsafe fn larger_bytes(self, other: Self) -> Self {
        // SAFETY: as required.
        unsafe { _mm512_max_epu8(self, other) }
    }

    /// The low 4 bits select one of 16 words, the next bit selects the move.
    #[inline(always)]
    unsafe fn ranks(left: *const LeftLines) -> [__m512i; 4] {
        // SAFETY: as required.
        unsafe {
            let left = _mm512_cvtepu16_epi32(_mm256_load_si256(left.cast()));
            let last_move =
                _mm512_set_epi32(16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0);
            let low = _mm512_set1_epi32(15);
            // Truth table: 0xF8 is a | (b & c).
            [
                _mm512_ternarylogic_epi32::<0xF8>(last_move, left, low),
                _mm512_ternarylogic_epi32::<0xF8>(last_move, _mm512_srli_epi32::<4>(left), low),
                _mm512_ternarylogic_epi32::<0xF8>(last_move, _mm512_srli_epi32::<8>(left), low),
                _mm512_ternarylogic_epi32::<0xF8>(last_move, _mm512_srli_epi32::<12>(left), low),
            ]
        }
    }

    #[inline(always)]
    unsafe fn chosen([first, last]: [*const Sixteen; 2], ranks: __m512i) -> Self {
        // SAFETY: as required.
        unsafe { _mm512_permutex2var_epi32(Self::load(first), ranks, Self::load(last)) }
    }

    #[inline(always)]
    unsafe fn packing(legal: u16) -> __mmask16 {
        legal
    }

    #[inline(always)]
    unsafe fn pack(self, legal: __mmask16, to: *mut u32) {
        // SAFETY: as required.
        unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(legal, self)) }
    }

    #[inline(always)]
    unsafe fn best(packed: *const i32, legal: u16) -> __m256i {
        // SAFETY: as required.
        unsafe {
            let lanes = _mm512_maskz_expand_epi32(legal, _mm512_loadu_si512(packed.cast()));
            let moves = _mm256_max_epi32(
                _mm512_castsi512_si256(lanes),
                _mm512_extracti64x4_epi64::<1>(lanes),
            );
            _mm256_max_epi32(moves, _mm256_setzero_si256())
        }
    }
}
