//! The parts of a line: what it adds to the sums, and its extreme values. The parts of several lines are joined several
//! numbers at a time. A compiler that is given single numbers finds other groups, which take twice as long.

// Vectors need unsafe code.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_andnot_si128, _mm_cmpgt_epi32, _mm_cvtsi64_si128,
    _mm_cvtsi128_si64, _mm_loadu_si128, _mm_max_epu8, _mm_or_si128, _mm_storeu_si128,
};

use super::layout::Slot;

/// What a line, or several lines of an axis, adds to the sums, in fields of `W` pairs of words; extreme values in the
/// bytes of `B` pairs of words, and `4 * M` extreme values of 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Parts<const W: usize, const B: usize, const M: usize> {
    pub sums: [u64; W],
    pub extremes: Extremes<B, M>,
}

/// Extreme values.
#[derive(Clone, Copy)]
pub(super) struct Extremes<const B: usize, const M: usize> {
    pub bytes: [u64; B],
    pub wide: [[i32; 4]; M],
}

impl<const W: usize, const B: usize, const M: usize> Parts<W, B, M> {
    /// All sums are 0, and all extreme values are the smallest ones.
    pub const ZERO: Self = Parts {
        sums: [0; W],
        extremes: Extremes::LEAST,
    };

    /// The parts of both.
    #[inline(always)]
    pub fn joined(mut self, other: &Self) -> Self {
        for (sums, other) in self.sums.iter_mut().zip(&other.sums) {
            *sums += other;
        }
        self.extremes = self.extremes.joined(&other.extremes);
        self
    }

    /// Stores a number of a line of this axis.
    pub fn set(&mut self, slot: Slot, axis: usize, number: i64) {
        match slot {
            Slot::Sum { fields, .. } => {
                let field = fields[axis];
                let shift = field.shift + u32::BITS * (field.word % 2) as u32;
                self.sums[field.word / 2] |= number.cast_unsigned() << shift;
            }
            Slot::Byte { shift, .. } => {
                self.extremes.bytes[0] |= number.cast_unsigned() << shift;
            }
            Slot::Wide { index } => self.extremes.wide[index / 4][index % 4] = number as i32,
        }
    }
}

impl<const B: usize, const M: usize> Extremes<B, M> {
    /// The smallest values.
    pub const LEAST: Self = Extremes {
        bytes: [0; B],
        wide: [[i32::MIN; 4]; M],
    };

    /// The extreme values of both.
    #[inline(always)]
    pub fn joined(mut self, other: &Self) -> Self {
        for (bytes, other) in self.bytes.iter_mut().zip(&other.bytes) {
            *bytes = larger_bytes(*bytes, *other);
        }
        for (wide, other) in self.wide.iter_mut().zip(&other.wide) {
            *wide = larger(*wide, *other);
        }
        self
    }
}

/// The larger one of each pair of bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn larger_bytes(one: u64, other: u64) -> u64 {
    // SAFETY: every x86-64 processor has SSE2.
    let larger = unsafe {
        let [one, other] = [one, other].map(|bytes| _mm_cvtsi64_si128(bytes.cast_signed()));
        _mm_cvtsi128_si64(_mm_max_epu8(one, other))
    };
    larger.cast_unsigned()
}

/// The larger one of each pair of bytes.
#[cfg(not(target_arch = "x86_64"))]
fn larger_bytes(one: u64, other: u64) -> u64 {
    let (one, other) = (one.to_le_bytes(), other.to_le_bytes());
    let larger: [u8; 8] = std::array::from_fn(|at| one[at].max(other[at]));
    u64::from_le_bytes(larger)
}

/// The larger one of each pair of numbers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn larger(one: [i32; 4], other: [i32; 4]) -> [i32; 4] {
    let load = |numbers: &[i32; 4]| {
        // SAFETY: every x86-64 processor has SSE2, and there are four numbers to load.
        unsafe { _mm_loadu_si128(std::ptr::from_ref(numbers).cast::<__m128i>()) }
    };
    let (one, other) = (load(&one), load(&other));
    let mut larger = [0; 4];
    // SAFETY: every x86-64 processor has SSE2, and there is room for four numbers.
    unsafe {
        let is_larger = _mm_cmpgt_epi32(one, other);
        let own = _mm_and_si128(is_larger, one);
        let all = _mm_or_si128(own, _mm_andnot_si128(is_larger, other));
        _mm_storeu_si128(std::ptr::from_mut(&mut larger).cast::<__m128i>(), all);
    }
    larger
}

/// The larger one of each pair of numbers.
#[cfg(not(target_arch = "x86_64"))]
fn larger(one: [i32; 4], other: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|at| one[at].max(other[at]))
}
