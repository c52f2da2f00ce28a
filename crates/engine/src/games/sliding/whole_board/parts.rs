//! The parts of a line: what it adds to each sum, and its extreme values. The parts of several lines are joined four
//! numbers at a time. A compiler that is given single numbers finds other groups, which take twice as long.

// Vectors and the numbers in them need unsafe code.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_and_si128, _mm_andnot_si128, _mm_cmpgt_epi32, _mm_or_si128,
    _mm_setzero_si128,
};

/// Four 32-bit integers. These instructions are on every x86-64 processor.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Four(__m128i);

#[cfg(target_arch = "x86_64")]
impl Four {
    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        Four(unsafe { _mm_setzero_si128() })
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        Four(unsafe { _mm_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        Four(unsafe {
            let is_larger = _mm_cmpgt_epi32(self.0, other.0);
            let own = _mm_and_si128(is_larger, self.0);
            _mm_or_si128(own, _mm_andnot_si128(is_larger, other.0))
        })
    }
}

/// Four 32-bit integers.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Four([i32; 4]);

#[cfg(not(target_arch = "x86_64"))]
impl Four {
    fn zero() -> Self {
        Four([0; 4])
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Four(std::array::from_fn(|at| {
            self.0[at].wrapping_add(other.0[at])
        }))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Four(std::array::from_fn(|at| self.0[at].max(other.0[at])))
    }
}

/// `4 * S` sums, of which the first is the value of the lines, and `4 * M` extreme values. A *slot* is the index of a
/// number; sums come first.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Parts<const S: usize, const M: usize> {
    sums: [Four; S],
    extremes: [Four; M],
}

impl<const S: usize, const M: usize> Parts<S, M> {
    /// Number of slots of sums.
    pub const SUMS: usize = 4 * S;
    /// Number of slots.
    pub const SLOTS: usize = 4 * (S + M);

    /// All numbers are 0.
    #[inline(always)]
    pub fn zero() -> Self {
        Parts {
            sums: [Four::zero(); S],
            extremes: [Four::zero(); M],
        }
    }

    /// The parts of both.
    #[inline(always)]
    pub fn joined(mut self, other: &Self) -> Self {
        for (sums, other) in self.sums.iter_mut().zip(&other.sums) {
            *sums = sums.plus(*other);
        }
        for (extremes, other) in self.extremes.iter_mut().zip(&other.extremes) {
            *extremes = extremes.max(*other);
        }
        self
    }

    /// The number in a slot.
    #[inline(always)]
    pub fn slot(&self, slot: usize) -> i32 {
        let numbers = std::ptr::from_ref(self).cast::<i32>();
        // SAFETY: the two arrays follow each other without a gap and have as many integers as there are slots.
        unsafe { *numbers.add(slot % Self::SLOTS) }
    }

    /// Sets the number in a slot.
    pub fn set(&mut self, slot: usize, number: i32) {
        let numbers = std::ptr::from_mut(self).cast::<i32>();
        // SAFETY: as in `slot`.
        unsafe { *numbers.add(slot % Self::SLOTS) = number };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_added_and_extreme_values_compared() {
        let parts = |numbers: [i32; 16]| {
            let mut parts = Parts::<2, 2>::zero();
            for (slot, number) in numbers.into_iter().enumerate() {
                parts.set(slot, number);
            }
            parts
        };
        let one = [
            1,
            -2,
            3,
            4,
            5,
            6,
            7,
            i32::MAX,
            -9,
            10,
            11,
            12,
            13,
            14,
            15,
            i32::MIN,
        ];
        let other = [8, 7, -6, 5, 4, 3, 2, 1, 16, -15, 14, 13, 12, 11, 10, 9];
        let joined = parts(one).joined(&parts(other));
        for (slot, (one, other)) in one.into_iter().zip(other).enumerate() {
            let expected = if slot < Parts::<2, 2>::SUMS {
                one.wrapping_add(other)
            } else {
                one.max(other)
            };
            assert_eq!(joined.slot(slot), expected);
        }
    }
}
