//! Weighted sums of columns for several tables at once. Every table is summed in the order of the
//! columns, so that its bits do not depend on the others.

use std::sync::Arc;

use super::stored::CompactColumn;

/// A column for each of `N` tables, and its weight there. Weight 0 leaves a table unchanged, whatever
/// the column is.
pub struct Summand<const N: usize> {
    /// The columns.
    pub columns: [Arc<CompactColumn>; N],
    /// The weights.
    pub weights: [f64; N],
}

/// Lines that are summed together, so that the sums stay in the nearest cache.
const BLOCK: usize = 512;

/// The products of the values of a column with its weights, by number of the value.
type Products<const N: usize> = [[f64; N]; 256];

/// How a summand is added.
enum Addition<'a, const N: usize> {
    /// All tables have the same column, of few values.
    Few(&'a [u8], Box<Products<N>>),
    /// All tables have the same column, and no weight is 0.
    Many(&'a [f64], [f64; N]),
    /// Each table by itself.
    Apart(&'a Summand<N>),
}

impl<const N: usize> Summand<N> {
    fn way(&self) -> Addition<'_, N> {
        // A table of weight 0 has no column of its own.
        let mut used = (0..N).filter(|&table| self.weights[table] != 0.0);
        let first = used.next().unwrap_or(0);
        let column = &self.columns[first];
        let is_shared = used.all(|table| Arc::ptr_eq(&self.columns[table], column));
        if !is_shared {
            return Addition::Apart(self);
        }
        let (values, numbers) = match &**column {
            CompactColumn::Few { values, numbers } => (values, numbers),
            CompactColumn::Many(values) if !self.weights.contains(&0.0) => {
                return Addition::Many(values, self.weights);
            }
            CompactColumn::Many(_) => return Addition::Apart(self),
        };
        let mut products = Box::new([[0.0; N]; 256]);
        for (products, &value) in products.iter_mut().zip(values) {
            *products = self.weights.map(|weight| match weight {
                0.0 => 0.0,
                weight => weight * value,
            });
        }
        Addition::Few(numbers, products)
    }

    /// Adds the summand to the sums of the lines from `start` on.
    fn add(&self, start: usize, sums: &mut [[f64; N]]) {
        for (table, column) in self.columns.iter().enumerate() {
            let weight = self.weights[table];
            match &**column {
                _ if weight == 0.0 => (),
                CompactColumn::Few { values, numbers } => {
                    for (sum, &number) in sums.iter_mut().zip(&numbers[start..]) {
                        sum[table] += weight * values[usize::from(number)];
                    }
                }
                CompactColumn::Many(values) => {
                    for (sum, value) in sums.iter_mut().zip(&values[start..]) {
                        sum[table] += weight * value;
                    }
                }
            }
        }
    }
}

/// The sums of each table, by line; there are `count` lines.
pub fn sums<const N: usize>(summands: &[Summand<N>], count: usize) -> [Vec<f64>; N] {
    let ways: Vec<Addition<N>> = summands.iter().map(Summand::way).collect();
    let mut tables: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(count));
    let mut block = [[0.0; N]; BLOCK];
    for start in (0..count).step_by(BLOCK) {
        let sums = &mut block[..BLOCK.min(count - start)];
        sums.fill([0.0; N]);
        let mut rest = ways.as_slice();
        loop {
            rest = match rest {
                [] => break,
                [
                    Addition::Few(a, p),
                    Addition::Few(b, q),
                    Addition::Few(c, r),
                    Addition::Few(d, s),
                    rest @ ..,
                ] => {
                    add_together([a, b, c, d], [p, q, r, s], start, sums);
                    rest
                }
                [Addition::Few(numbers, products), rest @ ..] => {
                    add_together([*numbers], [products], start, sums);
                    rest
                }
                [Addition::Many(values, weights), rest @ ..] => {
                    for (sum, value) in sums.iter_mut().zip(&values[start..]) {
                        for (sum, weight) in sum.iter_mut().zip(weights) {
                            *sum += weight * value;
                        }
                    }
                    rest
                }
                [Addition::Apart(summand), rest @ ..] => {
                    summand.add(start, sums);
                    rest
                }
            };
        }
        for (table, all) in tables.iter_mut().enumerate() {
            all.extend(sums.iter().map(|sum| sum[table]));
        }
    }
    tables
}

/// Adds columns of few values, one after the other on each line.
#[inline(always)]
fn add_together<const N: usize, const C: usize>(
    numbers: [&[u8]; C],
    products: [&Products<N>; C],
    start: usize,
    sums: &mut [[f64; N]],
) {
    let numbers = numbers.map(|numbers| &numbers[start..start + sums.len()]);
    for (line, sum) in sums.iter_mut().enumerate() {
        for (numbers, products) in numbers.iter().zip(&products) {
            let products = &products[usize::from(numbers[line])];
            for table in 0..N {
                sum[table] += products[table];
            }
        }
    }
}
