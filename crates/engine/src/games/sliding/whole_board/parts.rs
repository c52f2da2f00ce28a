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
use crate::games::sliding::language::Lanes;

/// What a line, or several lines of an axis, adds to the sums, in fields of `W` words; extreme values in the bytes of
/// `B` words, and `4 * M` extreme values of 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Parts<const W: usize, const B: usize, const M: usize> {
    pub sums: [u64; W],
    pub extremes: Extremes<B, M>,
}

/// Extreme values.
#[derive(Clone, Copy)]
pub(super) struct Extremes<const B: usize, const M: usize> {
    bytes: [u64; B],
    wide: [[i32; 4]; M],
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
                self.sums[field.word] |= number.cast_unsigned() << field.shift;
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

    /// The number of the byte from this bit on.
    #[inline(always)]
    pub fn byte(&self, shift: u32) -> i32 {
        self.bytes
            .first()
            .map_or(0, |bytes| i32::from((bytes >> shift) as u8))
    }

    /// A number of 32 bits.
    #[inline(always)]
    pub fn wide(&self, index: usize) -> i32 {
        self.wide.get(index / 4).map_or(0, |wide| wide[index % 4])
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

/// The parts of `N` boards.
pub(super) struct Boards<const N: usize, const W: usize, const B: usize, const M: usize> {
    /// For each axis, word and board.
    sums: [[[u64; N]; W]; 2],
    extremes: [Extremes<B, M>; N],
}

impl<const N: usize, const W: usize, const B: usize, const M: usize> Boards<N, W, B, M> {
    /// Boards without numbers.
    pub const EMPTY: Self = Boards {
        sums: [[[0; N]; W]; 2],
        extremes: [Extremes::LEAST; N],
    };

    /// Sets a board, given by the parts of the lines of this axis and of the other one.
    #[inline(always)]
    pub fn set(&mut self, at: usize, axis: usize, along: &Parts<W, B, M>, across: &Parts<W, B, M>) {
        for word in 0..W {
            self.sums[axis][word][at] = along.sums[word];
            self.sums[1 - axis][word][at] = across.sums[word];
        }
        self.extremes[at] = along.extremes.joined(&across.extremes);
    }

    /// Sets a board to another one.
    #[inline(always)]
    pub fn copy(&mut self, from: usize, to: usize) {
        for numbers in self.sums.as_flattened_mut() {
            numbers[to] = numbers[from];
        }
        self.extremes[to] = self.extremes[from];
    }

    /// A number of each of the first boards.
    #[inline(always)]
    pub fn numbers<const COUNT: usize>(&self, slot: &Slot) -> [i32; COUNT] {
        let mut numbers = [0; COUNT];
        match *slot {
            Slot::Sum { fields, lowest } => {
                numbers = [lowest; COUNT];
                for (words, field) in self.sums.iter().zip(fields) {
                    if field.mask == 0 {
                        continue;
                    }
                    for (number, word) in numbers.iter_mut().zip(&words[field.word]) {
                        *number = number.wrapping_add((word >> field.shift & field.mask) as i32);
                    }
                }
            }
            Slot::Byte { shift, lowest } => {
                for (number, extremes) in numbers.iter_mut().zip(&self.extremes) {
                    *number = lowest + extremes.byte(shift);
                }
            }
            Slot::Wide { index } => {
                for (number, extremes) in numbers.iter_mut().zip(&self.extremes) {
                    *number = extremes.wide(index);
                }
            }
        }
        numbers
    }
}

/// The lanes of the first boards.
pub(super) struct BoardLanes<'a, const N: usize, const W: usize, const B: usize, const M: usize> {
    pub boards: &'a Boards<N, W, B, M>,
    pub slots: &'a [Slot],
}

impl<const N: usize, const W: usize, const B: usize, const M: usize, const COUNT: usize>
    Lanes<COUNT> for BoardLanes<'_, N, W, B, M>
{
    #[inline(always)]
    fn stored(&self, slot: usize) -> [i32; COUNT] {
        self.boards.numbers(&self.slots[slot])
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Field;
    use super::*;

    #[test]
    fn sums_are_added_and_extreme_values_compared() {
        let field = |shift, bits| Field {
            word: 0,
            shift,
            mask: (1_u64 << bits) - 1_u64,
        };
        let slots = [
            Slot::Sum {
                fields: [field(0, 31), Field::default()],
                lowest: -7,
            },
            Slot::Sum {
                fields: [field(31, 32), field(3, 4)],
                lowest: i32::MIN,
            },
            Slot::Byte {
                shift: 56,
                lowest: -300,
            },
            Slot::Byte {
                shift: 0,
                lowest: 5,
            },
            Slot::Wide { index: 6 },
        ];
        let parts = |axis: usize, numbers: [i64; 5]| {
            let mut parts = Parts::<1, 1, 2>::ZERO;
            for (slot, number) in slots.into_iter().zip(numbers) {
                parts.set(slot, axis, number);
            }
            parts
        };
        let row = parts(0, [1 << 29, 1 << 31, 255, 3, -9]);
        let other_row = parts(0, [1 << 30, (1 << 31) - 1, 0, 4, 8]);
        let column = parts(1, [0, 15, 128, 250, i64::from(i32::MIN)]);
        let rows = row.joined(&other_row);
        let mut boards = Boards::<2, 1, 1, 2>::EMPTY;
        boards.set(0, 0, &rows, &column);
        boards.set(1, 1, &column, &row);
        let both = slots.map(|slot| boards.numbers::<2>(&slot));
        let sum = (1 << 29) + (1 << 30) - 7;
        let fine = i32::MIN.wrapping_add_unsigned(u32::MAX).wrapping_add(15);
        assert_eq!(both[0], [sum, (1 << 29) - 7]);
        assert_eq!(both[1], [fine, 15]);
        assert_eq!(both[2], [-45, -45]);
        assert_eq!(both[3], [255, 255]);
        assert_eq!(both[4], [8, -9]);
        boards.copy(1, 0);
        assert_eq!(boards.numbers::<1>(&slots[4]), [-9]);
    }
}
