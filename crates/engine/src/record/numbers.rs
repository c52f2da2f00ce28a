//! The named numbers of a game that an external program plays.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Maximum number of values per game in addition to the score.
pub const MOST_NUMBERS: usize = 16;

/// The names of a program's numbers except the score. All games of a task or a table share one list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(Arc<[String]>);

impl Names {
    /// A list of names. Only the first [`MOST_NUMBERS`] names are used.
    pub fn new(names: &[impl AsRef<str>]) -> Self {
        let names = names.iter().take(MOST_NUMBERS);
        Names(names.map(|name| name.as_ref().to_owned()).collect())
    }

    /// The names as a slice.
    pub fn list(&self) -> &[String] {
        &self.0
    }
}

/// The numbers of one game of an external program. They are behind a pointer, because they are rare and all
/// other records must stay small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(Arc<Values>);

#[derive(Debug)]
struct Values {
    /// The value by which games are compared; larger is better.
    score: f64,
    names: Names,
    /// One value for each name.
    others: Box<[f64]>,
}

impl Numbers {
    /// The score and the other numbers, in the order of `names`. A missing number is 0.
    pub fn new(score: f64, names: Names, given: &[f64]) -> Self {
        let given = given.iter().copied().chain(std::iter::repeat(0.0));
        let others = given.take(names.list().len()).collect();
        Numbers(Arc::new(Values {
            score,
            names,
            others,
        }))
    }

    /// The numbers of a game without a result, with the reason: the score is [`Missing::score`], all other
    /// numbers are NaN.
    pub fn missing(missing: Missing, names: Names) -> Self {
        let others = vec![f64::NAN; names.list().len()];
        Numbers::new(missing.score(), names, &others)
    }

    /// The value by which games are compared; larger is better. It is not finite if the game has no result.
    pub fn score(&self) -> f64 {
        self.0.score
    }

    /// The names of the other numbers.
    pub fn names(&self) -> &Names {
        &self.0.names
    }

    /// The other numbers and their names.
    pub fn others(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.names().list().iter().map(String::as_str);
        names.zip(self.0.others.iter().copied())
    }

    /// The score and the other numbers, with their names.
    pub fn all(&self) -> impl Iterator<Item = (&str, f64)> {
        std::iter::once(("score", self.score())).chain(self.others())
    }
}

/// The reason why a game of an external program has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The program failed: it crashed, timed out, or returned no usable number.
    Failed,
    /// The program refused the weights.
    Refused,
}

impl Missing {
    /// The score that represents the reason in records and tables.
    pub fn score(self) -> f64 {
        match self {
            Missing::Failed => f64::NAN,
            Missing::Refused => f64::NEG_INFINITY,
        }
    }

    /// The reason that a score represents; `None` if the game has a result.
    pub fn of(score: f64) -> Option<Self> {
        match score {
            score if score.is_finite() => None,
            f64::NEG_INFINITY => Some(Missing::Refused),
            _ => Some(Missing::Failed),
        }
    }
}

/// Equal means equal names and bit-identical numbers.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        let bits = |values: &Values| -> Vec<u64> {
            values.others.iter().map(|one| one.to_bits()).collect()
        };
        self.score.to_bits() == other.score.to_bits()
            && self.names == other.names
            && bits(self) == bits(other)
    }
}

impl Eq for Values {}

/// A game that gave other numbers when it was repeated with the same weights and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unrepeated {
    /// Seed of the game, as text: JSON numbers above 2^53 can lose digits.
    pub seed: String,
    /// Name of the first number that differed.
    pub number: String,
    /// Its value in the first game.
    pub first: f64,
    /// Its value in the second game.
    pub second: f64,
}

impl Unrepeated {
    /// The first number that differs between two plays of the same game; `None` if all are equal.
    pub fn between(seed: u64, first: &Numbers, second: &Numbers) -> Option<Self> {
        let mut pairs = first.all().zip(second.all());
        let ((number, first), (_, second)) =
            pairs.find(|((_, one), (_, other))| one.to_bits() != other.to_bits())?;
        Some(Unrepeated {
            seed: seed.to_string(),
            number: number.to_owned(),
            first,
            second,
        })
    }

    /// The message about it, in two sentences.
    pub fn in_words(&self) -> String {
        format!(
            "The program does not repeat its games: with the same weights and seed {} the number `{}` was {} \
             and then {}. Common seeds do not reduce the noise of such a program, and the run cannot be \
             repeated exactly.",
            self.seed, self.number, self.first, self.second
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_if_all_bits_are() {
        let names = Names::new(&["moves", "tile"]);
        assert_eq!(names, Names::new(&["moves", "tile"]));
        assert_ne!(names, Names::new(&["moves"]));
        let one = Numbers::new(1.5, names.clone(), &[7.0, 0.0]);
        assert_eq!(one, Numbers::new(1.5, names.clone(), &[7.0, 0.0]));
        let other = Numbers::new(1.5, names, &[7.0, -0.0]);
        assert_ne!(one, other);
        let found = Unrepeated::between(u64::MAX, &one, &other).unwrap();
        assert_eq!(
            (found.seed.as_str(), found.number.as_str()),
            ("18446744073709551615", "tile")
        );
        assert_eq!(Unrepeated::between(1, &one, &one), None);
        let all: Vec<_> = one.all().collect();
        assert_eq!(all, [("score", 1.5), ("moves", 7.0), ("tile", 0.0)]);
    }
}
