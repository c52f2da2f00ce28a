//! The evaluation of gravity four in a row. The string evaluation of xmxoxo/connect4 values the strings of a
//! player's stones by their length and by the distances of the cells at their ends. This module must not
//! search.
//!
//! [`StringWeights`] defines the value of one string. [`crate::reference::connect_four`] finds the strings in
//! the same way as the original program; it is the definition of a board's value. [`sum`] computes the same
//! value on bitboards, and a test compares the two. The terms of `lines`, [`threats`] and `zugzwang` do not
//! exist in the original.

mod lines;
pub mod sum;
pub mod threats;
mod zugzwang;

use crate::games::connect_four::rules::Rules;
use crate::heuristic::{self, Parameter, ParameterRange, ParameterRow, weights::Weights};
use threats::ThreatWeights;

/// Parameters of the published evaluation.
const PARAMETERS: [ParameterRow; 9] = [
    (
        "base",
        "ratio of the value of a string with one stone more",
        ParameterRange::constant(10.0, 2.0, 15.0),
    ),
    (
        "length",
        "weight of the length of a string: factor of base^(length + 2)",
        ParameterRange::weight(1.0, 0.0, 5.0),
    ),
    (
        "liberty",
        "weight of each open end: factor of base^(length + 1) / d^liberty_power, d = its distance",
        ParameterRange::weight(1.0, 0.0, 5.0),
    ),
    (
        "liberty_power",
        "exponent of the distance of an open end",
        ParameterRange::power(3.0, 0.0, 5.0),
    ),
    (
        "both",
        "weight of two open ends: factor of base^(length + 1) / (d1 d2)^both_power",
        ParameterRange::weight(1.0, 0.0, 5.0),
    ),
    (
        "both_power",
        "exponent of the distances of two open ends",
        ParameterRange::power(1.5, 0.0, 5.0),
    ),
    (
        "sum",
        "weight of the sum of distances: factor of base^length / (d1 + d2)^sum_power",
        ParameterRange::weight(1.0, 0.0, 5.0),
    ),
    (
        "sum_power",
        "exponent of the sum of distances",
        ParameterRange::power(1.0, 0.0, 5.0),
    ),
    (
        "to_move",
        "factor of all values of the side to move; the other side has 1",
        ParameterRange::constant(1.0, 0.5, 2.0),
    ),
];

/// The parameters of the players that use this evaluation.
pub fn parameters() -> Vec<Parameter> {
    heuristic::parameters(
        PARAMETERS
            .into_iter()
            .chain(lines::PARAMETERS)
            .chain(threats::PARAMETERS),
    )
}

/// Largest value of a string. With this limit, the sum over all strings of a board fits into 62 bits.
const LARGEST: f64 = 1e16;

/// Parameter values. They define the value of one string.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StringWeights {
    base: f64,
    length: f64,
    liberty: f64,
    liberty_power: f64,
    both: f64,
    both_power: f64,
    sum: f64,
    sum_power: f64,
    to_move: f64,
    threats: ThreatWeights,
}

impl StringWeights {
    /// Reads the parameters from `weights`; a missing parameter has its published value.
    pub fn new(weights: &Weights) -> Self {
        let parameters = parameters();
        let setting = |key: &str| weights.or_default(key, &parameters);
        StringWeights {
            base: setting("base"),
            length: setting("length"),
            liberty: setting("liberty"),
            liberty_power: setting("liberty_power"),
            both: setting("both"),
            both_power: setting("both_power"),
            sum: setting("sum"),
            sum_power: setting("sum_power"),
            to_move: setting("to_move"),
            threats: ThreatWeights::new(setting),
        }
    }

    /// Value of a string of `length` stones whose ends have the distances `d1` and `d2`. Distance 0 means a
    /// closed end. With the published weights the value is
    ///
    /// ```text
    /// 10^(l+2) + 10^(l+1)/d1^3 + 10^(l+1)/d2^3 + 10^(l+1)/(d1 d2)^1.5 + 10^l/(d1 + d2),
    /// ```
    ///
    /// without the terms that divide by 0, truncated to an integer. It is 0 for a string that is
    /// shorter than a winning line and closed at both ends.
    pub fn value(&self, rules: &Rules, length: u32, d1: u32, d2: u32) -> i64 {
        self.real_value(rules, length, d1, d2) as i64
    }

    /// The value of the same string if its side is to move.
    pub fn value_to_move(&self, rules: &Rules, length: u32, d1: u32, d2: u32) -> i64 {
        (self.to_move * self.real_value(rules, length, d1, d2)) as i64
    }

    fn real_value(&self, rules: &Rules, length: u32, d1: u32, d2: u32) -> f64 {
        if length < rules.connect() && d1 == 0 && d2 == 0 {
            return 0.0;
        }
        // `libm` gives the same bits on every platform.
        let of_length = |more: u32| libm::pow(self.base, f64::from(length + more));
        let divided = |value: f64, by: u32, power: f64| match by {
            0 => 0.0,
            _ => value / libm::pow(f64::from(by), power),
        };
        self.length * of_length(2)
            + self.liberty * divided(of_length(1), d1, self.liberty_power)
            + self.liberty * divided(of_length(1), d2, self.liberty_power)
            + self.both * divided(of_length(1), d1 * d2, self.both_power)
            + self.sum * divided(of_length(0), d1 + d2, self.sum_power)
    }

    /// Checks that no evaluation with these weights can overflow, on any board.
    ///
    /// # Errors
    /// A message with the string whose value is too large.
    pub fn check(weights: &Weights) -> Result<(), String> {
        let weights = StringWeights::new(weights);
        for connect in 3..=Rules::MOST_IN_LINE {
            // A board with the maximum of 31 rows has all possible distances.
            let rules = Rules::new(31, 2, connect).map_err(|error| error.to_string())?;
            let distances = || 0..=rules.rows();
            for length in 1..=connect {
                for (d1, d2) in distances().flat_map(|d1| distances().map(move |d2| (d1, d2))) {
                    let value = weights.real_value(&rules, length, d1, d2);
                    let largest = value.abs() * weights.to_move.abs().max(1.0);
                    if largest.is_nan() || largest > LARGEST {
                        return Err(format!(
                            "a string of {length} stones with ends {d1} and {d2} away would have \
                             value {largest:e}, more than {LARGEST:e}"
                        ));
                    }
                }
            }
        }
        weights.threats.check(weights.to_move)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::vectors;

    #[test]
    fn values_are_those_of_the_original() {
        // Vectors from runs of the original program. It also values strings longer than a winning line.
        let golden = vectors::text("connect_four_string_values.csv");
        let weights = StringWeights::new(&Weights::default());
        let rules = Rules::published();
        let mut compared = 0;
        for line in golden.lines().skip(1) {
            let numbers: Vec<i64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let [length, d1, d2] = [0, 1, 2].map(|index| numbers[index] as u32);
            assert_eq!(weights.value(&rules, length, d1, d2), numbers[3], "{line}");
            compared += 1;
        }
        assert_eq!(compared, 320);
    }

    #[test]
    fn weights_that_overflow_are_refused() {
        let check = |key: &str, value| {
            let weights = Weights::new([(key.to_owned(), value)], &parameters()).unwrap();
            StringWeights::check(&weights)
        };
        assert_eq!(StringWeights::check(&Weights::default()), Ok(()));
        for (key, value) in [
            ("base", 1e3),
            ("base", 1e300),
            ("length", -1e9),
            ("liberty_power", -20.0),
            ("both_power", -1e5),
            ("to_move", 1e9),
        ] {
            let error = check(key, value).unwrap_err();
            assert!(error.contains("more than 1e16"), "{key}: {error}");
        }
        for parameter in parameters() {
            for value in [parameter.min, parameter.max] {
                assert_eq!(check(&parameter.key, value), Ok(()), "{}", parameter.key);
            }
        }
    }
}
