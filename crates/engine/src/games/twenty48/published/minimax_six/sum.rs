//! The weighted sum of the six features in fixed point, computed from the bits of the board. It uses no tables,
//! so that weights can be set quickly and the cache is free for the tables of moves.

use crate::games::sliding::heuristic::fraction_bits;
use crate::games::twenty48::published::minimax_six::features::{FEATURES, Forms, along_snake};
use crate::games::twenty48::rules::Board;
use crate::heuristic::{Form, weights::Weights};

/// Finest scale: steps of 2^-20 point.
const FINEST: i32 = 20;
/// All features are between -225 and 240; the average counts in sixteenths.
const LARGEST_FEATURE: f64 = 240.0;

/// The weighted sum of the features. Each weight is rounded to fixed point; the sum itself is exact and does
/// not depend on its order.
#[derive(Clone, Debug)]
pub struct SixFeatures {
    smooth: i32,
    mono: i32,
    empty_cells: i32,
    max_level: i32,
    repeat: i32,
    /// The weight of one rank: a sixteenth of the weight of the average.
    rank: i32,
    intended_smooth: bool,
    /// A stored value v means `v * 2^-fraction_bits` points.
    fraction_bits: i32,
}

impl SixFeatures {
    /// The sum for these weights. A missing weight has its published value.
    pub fn new(weights: &Weights, forms: Forms) -> Self {
        let [smooth, mono, empty_cells, max_level, repeat, average] = FEATURES.map(|feature| {
            let given = weights.get(feature.name);
            given.unwrap_or(feature.weight.default)
        });
        let weights = [smooth, mono, empty_cells, max_level, repeat, average / 16.0];
        let largest: f64 = weights.iter().map(|w| w.abs() * LARGEST_FEATURE).sum();
        let rounding = 6.0 * LARGEST_FEATURE;
        let fraction_bits = fraction_bits(largest, rounding, FINEST);
        let scale = libm::exp2(f64::from(fraction_bits));
        let [smooth, mono, empty_cells, max_level, repeat, rank] =
            weights.map(|weight| (weight * scale).round_ties_even() as i32);
        SixFeatures {
            smooth,
            mono,
            empty_cells,
            max_level,
            repeat: if forms.repeat == Form::Intended {
                repeat
            } else {
                0
            },
            rank,
            intended_smooth: forms.smooth == Form::Intended,
            fraction_bits,
        }
    }

    /// The value of a board in fixed point. [`FEATURES`] is its definition. Most features with weight 0 are not
    /// computed.
    #[inline]
    pub fn value(&self, board: Board) -> i32 {
        let steps = if self.intended_smooth {
            -absolute_steps(board)
        } else {
            (board.0 & 0xF) as i32 - (board.0 >> 48 & 0xF) as i32
        };
        let mut value = self.smooth * steps + self.rank * sum_of_ranks(board);
        if self.mono != 0 {
            value -= self.mono * descents(board);
        }
        if self.empty_cells != 0 {
            value += self.empty_cells * board.empty_cells() as i32;
        }
        if self.max_level != 0 {
            value += self.max_level * i32::from(board.largest().0);
        }
        if self.repeat != 0 {
            let tiles = 16 - board.empty_cells() as i32;
            value += self.repeat * (board.distinct_tiles() as i32 - tiles);
        }
        value
    }

    /// Converts a fixed-point value to points.
    pub fn points(&self, value: i32) -> f64 {
        f64::from(value) * libm::exp2(f64::from(-self.fraction_bits))
    }
}

/// The cells of even columns, one in each byte. The other nibbles are the cells of odd columns. Byte 2r is the
/// left half of row r, byte 2r + 1 its right half.
const EVEN_COLUMNS: u64 = 0x0F0F_0F0F_0F0F_0F0F;
/// The bytes of rows 0 and 2, in which the snake goes from left to right.
const EVEN_ROWS: u64 = 0x0000_FFFF_0000_FFFF;
/// The top bit of every byte.
const TOP: u64 = 0x8080_8080_8080_8080;

fn sum_of_ranks(board: Board) -> i32 {
    let pairs = (board.0 & EVEN_COLUMNS) + (board.0 >> 4 & EVEN_COLUMNS);
    // The sum is at most 240, so it fits into the top byte.
    (pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56) as i32
}
/// The 15 steps of the snake as pairs of bytes (from, to): 8 in the first pair of words, 7 in the second. The
/// last byte of the second pair is 0 in both words:
///
/// ```text
///   0 > 1 - 2 > 3      first:  the steps `>` within the halves of rows
///               |      second: `-` between the halves, and `|` between rows
///   7 < 6 - 5 < 4
///   |
///   ...
/// ```
#[inline(always)]
fn snake_steps(board: Board) -> [(u64, u64); 2] {
    let left = board.0 & EVEN_COLUMNS;
    let right = board.0 >> 4 & EVEN_COLUMNS;
    let forth_and_back = |left: u64, right: u64| {
        let from = left & EVEN_ROWS | right & !EVEN_ROWS;
        let to = right & EVEN_ROWS | left & !EVEN_ROWS;
        (from, to)
    };
    // Steps between column 1 and column 2, in the even bytes.
    const MIDDLE: u64 = 0x00FF_00FF_00FF_00FF;
    let (from, to) = forth_and_back(right & MIDDLE, left >> 8 & MIDDLE);
    // Steps from the ends of rows to the cells below them, in the odd bytes: 1 and 5 for right ends, 3 for the
    // left end.
    const RIGHT_ENDS: u64 = 0x0000_FF00_0000_FF00;
    const LEFT_END: u64 = 0xFF00_0000;
    let ends = right & RIGHT_ENDS | left << 8 & LEFT_END;
    let below = right >> 16 & RIGHT_ENDS | left >> 8 & LEFT_END;
    [forth_and_back(left, right), (from | ends, to | below)]
}

/// Number of steps along the snake to a smaller rank.
fn descents(board: Board) -> i32 {
    // Bit 7 of 128 + from - to - 1 is set exactly if from > to. No byte borrows from the next one.
    let falls =
        |(from, to): (u64, u64)| (((from | TOP) - to - (TOP >> 7)) & TOP).count_ones() as i32;
    let [first, second] = snake_steps(board);
    falls(first) + falls(second)
}

/// Sum of the absolute rank differences along the snake.
fn absolute_steps(board: Board) -> i32 {
    let snake = along_snake(board);
    let steps = snake.windows(2).map(|pair| pair[0].abs_diff(pair[1]));
    steps.map(i32::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::published::minimax_six::features::parameters;
    use crate::games::twenty48::rules::samples::board_of;
    use crate::games::vectors;
    use proptest::prelude::*;

    fn forms(smooth: Form, repeat: Form) -> Forms {
        Forms { smooth, repeat }
    }

    /// The sum directly from the definitions of the features.
    fn slow_value(weights: &Weights, forms: Forms, board: Board) -> f64 {
        let snake = along_snake(board);
        let values = FEATURES.map(|feature| {
            let form = match feature.name {
                "smooth" => forms.smooth,
                "repeat" => forms.repeat,
                _ => Form::Published,
            };
            let value = match (form, feature.intended) {
                (Form::Intended, Some(intended)) => intended,
                _ => feature.value,
            };
            weights.get(feature.name).unwrap() * value(&snake)
        });
        values.iter().sum()
    }

    proptest! {
        #[test]
        fn the_fast_sum_is_the_rounded_sum_of_the_features(
            bits: u64,
            holes: u64,
            weights in prop::collection::vec(-10.0f64..10.0, 6),
            intended in any::<[bool; 2]>(),
        ) {
            let board = Board(bits & holes);
            let pairs = FEATURES.iter().zip(weights);
            let pairs = pairs.map(|(feature, weight)| (feature.name.to_owned(), weight));
            let weights = Weights::new(pairs, &parameters()).unwrap();
            let [smooth, repeat] = intended.map(|on| if on { Form::Intended } else { Form::Published });
            let forms = forms(smooth, repeat);
            let fast = SixFeatures::new(&weights, forms);
            let difference = fast.points(fast.value(board)) - slow_value(&weights, forms, board);
            // Six weights, each with a rounding error of at most half a unit.
            let rounding = fast.points(1) * 3.0 * LARGEST_FEATURE;
            prop_assert!(difference.abs() <= rounding, "{difference}");
        }
    }

    #[test]
    fn the_published_combination_has_the_original_value() {
        // Vectors from runs of the original program.
        let features = SixFeatures::new(&Weights::default(), Forms::default());
        for record in vectors::records("minimax_six_positions.jsonl") {
            let value = features.points(features.value(board_of(&record["b"])));
            assert_eq!(Some(value), record["eval"].as_f64());
        }
    }
}
