//! The string evaluation of gravity four in a row (xmxoxo/connect4): what a player's strings of
//! stones are worth, by their length and by how far away the cells at their ends are.
//!
//! [`crate::reference::connect_four`] finds the strings as the original does and is the definition;
//! [`sum`] adds up the same values on bitboards. The two are held equal by a test.
//! [`StringWeights`] is the value of one string. [`threats`] adds terms that the original does not
//! have.

pub mod sum;
pub mod threats;

use crate::games::connect_four::rules::Rules;
use crate::heuristic::weights::Weights;
use crate::heuristic::{self, Declared, Listed, Parameter};
use threats::ThreatWeights;

const BASE: &str = "base";
const LENGTH: &str = "length";
const LIBERTY: &str = "liberty";
const LIBERTY_POWER: &str = "liberty_power";
const BOTH: &str = "both";
const BOTH_POWER: &str = "both_power";
const SUM: &str = "sum";
const SUM_POWER: &str = "sum_power";
const TO_MOVE: &str = "to_move";

/// Parameters of the published evaluation.
const PARAMETERS: [Listed; 9] = [
    (
        BASE,
        "how many times as much a string is worth with one stone more",
        Declared::constant(10.0, 2.0, 15.0),
    ),
    (
        LENGTH,
        "worth of a string's length: factor of base^(length + 2)",
        Declared::weight(1.0, 0.0, 5.0),
    ),
    (
        LIBERTY,
        "worth of each open end: factor of base^(length + 1) / d^liberty_power, d = its distance",
        Declared::weight(1.0, 0.0, 5.0),
    ),
    (
        LIBERTY_POWER,
        "how fast the worth of an open end falls with its distance",
        Declared::power(3.0, 0.0, 5.0),
    ),
    (
        BOTH,
        "worth of two open ends: factor of base^(length + 1) / (d1 d2)^both_power",
        Declared::weight(1.0, 0.0, 5.0),
    ),
    (
        BOTH_POWER,
        "how fast the worth of two open ends falls with their distances",
        Declared::power(1.5, 0.0, 5.0),
    ),
    (
        SUM,
        "worth of all distances together: factor of base^length / (d1 + d2)^sum_power",
        Declared::weight(1.0, 0.0, 5.0),
    ),
    (
        SUM_POWER,
        "how fast that worth falls with the distances",
        Declared::power(1.0, 0.0, 5.0),
    ),
    (
        TO_MOVE,
        "factor of all values of the side to move, against 1 for the other side's",
        Declared::constant(1.0, 0.5, 2.0),
    ),
];

/// The parameters of the players that use this evaluation.
pub fn parameters() -> Vec<Parameter> {
    heuristic::parameters(PARAMETERS.into_iter().chain(threats::PARAMETERS))
}

/// Largest worth of a string: with it the sums over all strings of a board fit 62 bits.
const LARGEST: f64 = 1e16;

/// What a string is worth: the setting of the parameters.
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
    /// What the weights say, by default what was published.
    pub fn new(weights: &Weights) -> Self {
        let parameters = parameters();
        let setting = |key: &str| weights.or_default(key, &parameters);
        StringWeights {
            base: setting(BASE),
            length: setting(LENGTH),
            liberty: setting(LIBERTY),
            liberty_power: setting(LIBERTY_POWER),
            both: setting(BOTH),
            both_power: setting(BOTH_POWER),
            sum: setting(SUM),
            sum_power: setting(SUM_POWER),
            to_move: setting(TO_MOVE),
            threats: ThreatWeights::new(setting),
        }
    }

    /// Value of a string of `length` stones whose ends are `d1` and `d2` away, 0 for a closed end:
    /// with the published weights
    ///
    /// ```text
    /// 10^(l+2) + 10^(l+1)/d1^3 + 10^(l+1)/d2^3 + 10^(l+1)/(d1 d2)^1.5 + 10^l/(d1 + d2),
    /// ```
    ///
    /// without the terms that divide by 0, cut off to a whole number; 0 for a string that is
    /// shorter than the winning line and closed at both ends.
    pub fn value(&self, rules: &Rules, length: u32, d1: u32, d2: u32) -> i64 {
        self.real_value(rules, length, d1, d2) as i64
    }

    /// The same, where the string belongs to the side that is to move.
    pub fn value_to_move(&self, rules: &Rules, length: u32, d1: u32, d2: u32) -> i64 {
        (self.to_move * self.real_value(rules, length, d1, d2)) as i64
    }

    fn real_value(&self, rules: &Rules, length: u32, d1: u32, d2: u32) -> f64 {
        if length < rules.connect() && d1 == 0 && d2 == 0 {
            return 0.0;
        }
        // From `libm`: the same bits on every platform.
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

    /// Whether evaluations with these weights can be formed on every board.
    ///
    /// # Errors
    /// With the string that is worth too much.
    pub fn check(weights: &Weights) -> Result<(), String> {
        let weights = StringWeights::new(weights);
        for connect in 3..=Rules::MOST_IN_LINE {
            // The highest board has all distances.
            let rules = Rules::new(31, 2, connect).map_err(|error| error.to_string())?;
            let distances = || 0..=rules.rows();
            for length in 1..=connect {
                for (d1, d2) in distances().flat_map(|d1| distances().map(move |d2| (d1, d2))) {
                    let value = weights.real_value(&rules, length, d1, d2);
                    let largest = value.abs() * weights.to_move.abs().max(1.0);
                    if largest.is_nan() || largest > LARGEST {
                        return Err(format!(
                            "a string of {length} stones with ends {d1} and {d2} away would be \
                             worth {largest:e}, more than {LARGEST:e}"
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
        // Vectors from running the original program; it values longer strings too.
        let golden = vectors::text("connect_four_string_values.csv");
        let weights = StringWeights::new(&Weights::default());
        let rules = Rules::default();
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
