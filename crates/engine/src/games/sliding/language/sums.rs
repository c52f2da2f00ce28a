//! Weighted sums of columns, for several tables at once. Each table is summed in the order of the columns, so
//! its bits do not depend on the other tables.

use std::sync::Arc;

use super::stored::CompactColumn;

/// One column and one weight for each of `N` tables. With weight 0 the column is ignored.
pub struct Summand<const N: usize> {
    /// The columns.
    pub columns: [Arc<CompactColumn>; N],
    /// The weights.
    pub weights: [f64; N],
}

/// Number of lines that are summed together. The sums of a block stay in the L1 cache.
const BLOCK: usize = 512;

/// The products of each value of a column with its weights, by index of the value.
type Products<const N: usize> = [[f64; N]; 256];

/// The method by which a summand is added.
enum Addition<'a, const N: usize> {
    /// All tables share one column with few values.
    Few(&'a [u8], Box<Products<N>>),
    /// All tables share one column, and no weight is 0.
    Many(&'a [f64], [f64; N]),
    /// Each table separately.
    Apart(&'a Summand<N>),
}

impl<const N: usize> Summand<N> {
    fn way(&self) -> Addition<'_, N> {
        // The column of a table with weight 0 is empty, so it is not compared.
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

/// The sum of each table, by line, for `count` lines.
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

/// Adds columns with few values, in their order on each line.
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
