//! Numbers of several boards, one number of all boards beside each other: what the expressions of terms read.

use super::layout::Slot;
use super::parts::Parts;
use crate::games::sliding::language::Lanes;
use crate::games::sliding::line_tables::{COLUMNS, ROWS};

/// A number of `CHUNKS` times `N` boards.
pub(super) type Plane<T, const N: usize, const CHUNKS: usize> = [[T; N]; CHUNKS];

/// The numbers of boards.
pub(super) struct Numbers<'a, const N: usize, const CHUNKS: usize> {
    /// The words of sums of rows, then those of columns; those of both added, if they are joint.
    pub sums: &'a mut [Plane<u32, N, CHUNKS>],
    pub joint: bool,
    /// The words of bytes.
    pub bytes: &'a mut [Plane<u32, N, CHUNKS>],
    /// Extreme values of 32 bits, in two's complement.
    pub wide: &'a mut [Plane<u32, N, CHUNKS>],
}

impl<const N: usize, const CHUNKS: usize> Numbers<'_, N, CHUNKS> {
    /// Sets a board, given by the parts of the lines of this axis and of the other one.
    #[inline(always)]
    pub fn set<const W: usize, const B: usize, const M: usize>(
        &mut self,
        at: usize,
        axis: usize,
        along: &Parts<W, B, M>,
        across: &Parts<W, B, M>,
    ) {
        for word in 0..W {
            if self.joint {
                self.set_sums(at, 2 * word, along.sums[word] + across.sums[word]);
                continue;
            }
            self.set_sums(at, 2 * (axis * W + word), along.sums[word]);
            self.set_sums(at, 2 * ((1 - axis) * W + word), across.sums[word]);
        }
        let extremes = along.extremes.joined(&across.extremes);
        for (word, bytes) in extremes.bytes.iter().enumerate() {
            self.bytes[2 * word].as_flattened_mut()[at] = *bytes as u32;
            self.bytes[2 * word + 1].as_flattened_mut()[at] = (bytes >> u32::BITS) as u32;
        }
        for (plane, number) in self.wide.iter_mut().zip(extremes.wide.as_flattened()) {
            plane.as_flattened_mut()[at] = number.cast_unsigned();
        }
    }

    /// Sets two words of sums of a board.
    #[inline(always)]
    fn set_sums(&mut self, at: usize, first: usize, words: u64) {
        self.sums[first].as_flattened_mut()[at] = words as u32;
        self.sums[first + 1].as_flattened_mut()[at] = (words >> u32::BITS) as u32;
    }

    /// Where the numbers in a slot are.
    #[inline(always)]
    pub fn of_slot(&self, slot: &Slot) -> SlotNumbers<'_, N, CHUNKS> {
        match *slot {
            Slot::Sum { fields, lowest } => {
                let words = self.sums.len() / 2;
                let field = |axis: usize| PlaneField {
                    plane: &self.sums[axis * words + fields[axis].word],
                    shift: fields[axis].shift,
                    mask: fields[axis].mask,
                };
                let (rows, columns) = (field(ROWS), field(COLUMNS));
                let has_rows = rows.mask != 0;
                SlotNumbers {
                    field: if has_rows { rows } else { columns },
                    other: (!self.joint && has_rows && columns.mask != 0).then_some(columns),
                    lowest,
                }
            }
            Slot::Byte { shift, lowest } => SlotNumbers {
                field: PlaneField {
                    plane: &self.bytes[(shift / u32::BITS) as usize],
                    shift: shift % u32::BITS,
                    mask: 0xFF,
                },
                other: None,
                lowest,
            },
            Slot::Wide { index } => SlotNumbers {
                field: PlaneField {
                    plane: &self.wide[index],
                    shift: 0,
                    mask: u32::MAX,
                },
                other: None,
                lowest: 0,
            },
        }
    }
}

/// Bits of the numbers of boards.
#[derive(Clone, Copy)]
struct PlaneField<'a, const N: usize, const CHUNKS: usize> {
    plane: &'a Plane<u32, N, CHUNKS>,
    shift: u32,
    mask: u32,
}

impl<const N: usize, const CHUNKS: usize> PlaneField<'_, N, CHUNKS> {
    /// Adds the bits of the boards of a chunk.
    #[inline(always)]
    fn add_to(&self, numbers: &mut [i32; N], chunk: usize) {
        for (number, word) in numbers.iter_mut().zip(&self.plane[chunk]) {
            *number = number.wrapping_add((word >> self.shift & self.mask) as i32);
        }
    }
}

/// Where the numbers in a slot are: one field or two, and a number, are added.
#[derive(Clone, Copy)]
pub(super) struct SlotNumbers<'a, const N: usize, const CHUNKS: usize> {
    field: PlaneField<'a, N, CHUNKS>,
    other: Option<PlaneField<'a, N, CHUNKS>>,
    lowest: i32,
}

impl<const N: usize, const CHUNKS: usize> SlotNumbers<'_, N, CHUNKS> {
    /// The numbers of the boards of a chunk.
    #[inline(always)]
    pub fn of_chunk(&self, chunk: usize) -> [i32; N] {
        let mut numbers = [self.lowest; N];
        self.field.add_to(&mut numbers, chunk);
        if let Some(other) = &self.other {
            other.add_to(&mut numbers, chunk);
        }
        numbers
    }
}

/// The lanes of boards.
pub(super) struct BoardLanes<'a, const N: usize, const CHUNKS: usize> {
    pub numbers: &'a Numbers<'a, N, CHUNKS>,
    pub slots: &'a [Slot],
}

impl<'a, const N: usize, const CHUNKS: usize> Lanes<N> for BoardLanes<'a, N, CHUNKS> {
    type Lane = SlotNumbers<'a, N, CHUNKS>;

    #[inline(always)]
    fn lane(&self, slot: usize) -> Self::Lane {
        self.numbers.of_slot(&self.slots[slot])
    }

    #[inline(always)]
    fn stored(&self, lane: Self::Lane, chunk: usize) -> [i32; N] {
        lane.of_chunk(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Field;
    use super::*;

    #[test]
    fn sums_are_added_and_extreme_values_compared() {
        let field = |word, shift, bits: u32| Field {
            word,
            shift,
            mask: u32::MAX >> (32 - bits),
        };
        let slots = [
            Slot::Sum {
                fields: [field(0, 0, 31), Field::default()],
                lowest: -7,
            },
            Slot::Sum {
                fields: [field(1, 0, 32), field(0, 3, 4)],
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
        let (mut sums, mut bytes, mut wide) = ([[[0; 2]]; 4], [[[0; 2]]; 2], [[[0; 2]]; 8]);
        let mut boards = Numbers::<2, 1> {
            sums: &mut sums,
            joint: false,
            bytes: &mut bytes,
            wide: &mut wide,
        };
        boards.set(0, 0, &rows, &column);
        boards.set(1, 1, &column, &row);
        let both = slots.map(|slot| boards.of_slot(&slot).of_chunk(0));
        let sum = (1 << 29) + (1 << 30) - 7;
        let fine = i32::MIN.wrapping_add_unsigned(u32::MAX).wrapping_add(15);
        assert_eq!(both[0], [sum, (1 << 29) - 7]);
        assert_eq!(both[1], [fine, 15]);
        assert_eq!(both[2], [-45, -45]);
        assert_eq!(both[3], [255, 255]);
        assert_eq!(both[4], [8, -9]);
    }
}
