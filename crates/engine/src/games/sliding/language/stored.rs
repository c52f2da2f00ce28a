//! A column of values that is kept. A linear term has few different values, so that a byte for each
//! line is enough.

use std::borrow::Cow;

/// The values of a term on all lines.
#[derive(Debug)]
pub enum CompactColumn {
    /// At most 256 different values.
    Few {
        /// The values.
        values: Vec<f64>,
        /// By line: the number of its value.
        numbers: Cow<'static, [u8]>,
    },
    /// The value of each line.
    Many(Vec<f64>),
}

impl CompactColumn {
    /// The smallest form of some values.
    pub fn new(column: Vec<f64>) -> Self {
        // Open addressing by the bits of a value.
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

    /// The same value for all of `count` lines.
    pub fn same(value: f64, count: usize) -> Self {
        CompactColumn::Few {
            values: vec![value],
            numbers: Cow::Owned(vec![0; count]),
        }
    }

    /// Whether all values are 0.
    pub fn is_zero(&self) -> bool {
        let (CompactColumn::Few { values, .. } | CompactColumn::Many(values)) = self;
        values.iter().all(|&value| value == 0.0)
    }

    /// The value of the line at a place.
    pub fn value(&self, place: usize) -> f64 {
        match self {
            CompactColumn::Few { values, numbers } => values[usize::from(numbers[place])],
            CompactColumn::Many(values) => values[place],
        }
    }
}
