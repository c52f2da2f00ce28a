//! A column of values that is kept. A linear term has few different values, so that a byte for each
//! line is enough.

/// The values of a term on all lines.
#[derive(Debug)]
pub enum Stored {
    /// At most 256 different values, and the number of the value of each line.
    Few {
        /// The values; those without a number are 0.
        values: Box<[f64; 256]>,
        /// By line.
        numbers: Vec<u8>,
    },
    /// The value of each line.
    Many(Vec<f64>),
}

impl Stored {
    /// The smallest form of some values.
    pub fn new(column: Vec<f64>) -> Self {
        // Open addressing by the bits of a value.
        const SLOTS: usize = 1024;
        let mut slots: [Option<u8>; SLOTS] = [None; SLOTS];
        let mut values = Box::new([0.0_f64; 256]);
        let mut count = 0;
        let mut numbers = Vec::with_capacity(column.len());
        for value in &column {
            let bits = f64::to_bits(*value);
            let mut slot = (bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
            let number = loop {
                match slots[slot] {
                    Some(number) if values[usize::from(number)].to_bits() == bits => break number,
                    Some(_) => slot = (slot + 1) % SLOTS,
                    None if count == values.len() => return Stored::Many(column),
                    None => {
                        values[count] = *value;
                        slots[slot] = Some(count as u8);
                        count += 1;
                        break (count - 1) as u8;
                    }
                }
            };
            numbers.push(number);
        }
        Stored::Few { values, numbers }
    }

    /// Adds `weight * value` to the sums of the lines from `start` on.
    pub fn add(&self, weight: f64, start: usize, sums: &mut [f64]) {
        match self {
            Stored::Few { values, numbers } => {
                let products = values.map(|value| weight * value);
                for (sum, &number) in sums.iter_mut().zip(&numbers[start..]) {
                    *sum += products[usize::from(number)];
                }
            }
            Stored::Many(values) => {
                for (sum, value) in sums.iter_mut().zip(&values[start..]) {
                    *sum += weight * value;
                }
            }
        }
    }

    /// The value of the line at a place.
    pub fn value(&self, place: usize) -> f64 {
        match self {
            Stored::Few { values, numbers } => values[usize::from(numbers[place])],
            Stored::Many(values) => values[place],
        }
    }
}
