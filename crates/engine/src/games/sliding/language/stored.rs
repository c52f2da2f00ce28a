//! The storage of a column of values. A linear term has few different values, so that one byte for each line is
//! enough.

use std::borrow::Cow;

/// The values of a term on all lines.
#[derive(Debug)]
pub enum CompactColumn {
    /// At most 256 different values, stored once.
    Few {
        /// The different values.
        values: Vec<f64>,
        /// For each line: the index of its value.
        numbers: Cow<'static, [u8]>,
    },
    /// One value for each line.
    Many(Vec<f64>),
}

impl CompactColumn {
    /// Stores a column in the smaller form.
    pub fn new(column: Vec<f64>) -> Self {
        // A hash table with open addressing; the hash is the top 10 bits of a multiplication.
        const SLOTS: usize = 1024;
        let mut slots: [Option<u8>; SLOTS] = [None; SLOTS];
        let mut values: Vec<f64> = Vec::new();
        let mut numbers = Vec::with_capacity(column.len());
        for value in &column {
            let bits = value.to_bits();
            let mut slot = (bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
            let number = loop {
                match slots[slot] {
                    Some(number) if values[usize::from(number)].to_bits() == bits => break number,
                    Some(_) => slot = (slot + 1) % SLOTS,
                    None if values.len() == 256 => return CompactColumn::Many(column),
                    None => {
                        let number = values.len() as u8;
                        values.push(*value);
                        slots[slot] = Some(number);
                        break number;
                    }
                }
            };
            numbers.push(number);
        }
        let numbers = Cow::Owned(numbers);
        CompactColumn::Few { values, numbers }
    }

    /// The same value on all `count` lines.
    pub fn same(value: f64, count: usize) -> Self {
        CompactColumn::Few {
            values: vec![value],
            numbers: Cow::Owned(vec![0; count]),
        }
    }

    /// True if all values are 0.
    pub fn is_zero(&self) -> bool {
        let (CompactColumn::Few { values, .. } | CompactColumn::Many(values)) = self;
        values.iter().all(|&value| value == 0.0)
    }

    /// The smallest and the largest value.
    pub fn ends(&self) -> [f64; 2] {
        let (CompactColumn::Few { values, .. } | CompactColumn::Many(values)) = self;
        let first = values.first().copied().unwrap_or(0.0);
        values.iter().fold([first; 2], |[low, high], &value| {
            [low.min(value), high.max(value)]
        })
    }

    /// The value of the line with this number.
    pub fn value(&self, place: usize) -> f64 {
        match self {
            CompactColumn::Few { values, numbers } => values[usize::from(numbers[place])],
            CompactColumn::Many(values) => values[place],
        }
    }
}
