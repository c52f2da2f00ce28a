//! The named numbers of a game that a program outside of tiletune plays.

use std::sync::{LazyLock, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// Largest number of numbers that a program gives beside the score.
pub const MOST_NUMBERS: usize = 16;

/// The names of the numbers of a program, beside the score. Equal lists are stored once for the whole process
/// and are never freed: a process meets few of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names(&'static [&'static str]);

impl Names {
    /// A list of names; only the first [`MOST_NUMBERS`] of them count.
    pub fn new(names: &[&str]) -> Self {
        static KNOWN: LazyLock<Mutex<Vec<&'static [&'static str]>>> = LazyLock::new(Mutex::default);
        let names = &names[..names.len().min(MOST_NUMBERS)];
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stored) = known.iter().find(|stored| **stored == names) {
            return Names(stored);
        }
        let leak = |name: &&str| -> &'static str { Box::leak((*name).into()) };
        let stored: Vec<&'static str> = names.iter().map(leak).collect();
        let stored: &'static [&'static str] = stored.leak();
        known.push(stored);
        Names(stored)
    }

    /// The names.
    pub fn list(self) -> &'static [&'static str] {
        self.0
    }
}

/// The numbers of one game of a program.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// What games are compared by; larger is better.
    score: f64,
    names: Names,
    /// A value for each name, then zeros.
    values: [f64; MOST_NUMBERS],
}

impl Numbers {
    /// The score and the other numbers, one for each name.
    pub fn new(score: f64, names: Names, given: &[f64]) -> Self {
        let mut values = [0.0; MOST_NUMBERS];
        for ((place, given), _) in values.iter_mut().zip(given).zip(names.list()) {
            *place = *given;
        }
        Numbers {
            score,
            names,
            values,
        }
    }

    /// What games are compared by; larger is better.
    pub fn score(&self) -> f64 {
        self.score
    }

    /// The names of the other numbers.
    pub fn names(&self) -> Names {
        self.names
    }

    /// The other numbers with their names.
    pub fn others(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.names.list().iter().copied().zip(self.values)
    }

    /// Score and other numbers with their names.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, f64)> {
        std::iter::once(("score", self.score)).chain(self.others())
    }
}

/// Numbers are equal if their names and all of their bits are.
impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        let bits = |numbers: &Numbers| numbers.values.map(f64::to_bits);
        self.score.to_bits() == other.score.to_bits()
            && self.names == other.names
            && bits(self) == bits(other)
    }
}

impl Eq for Numbers {}

/// A game of a program that gave other numbers when it was played again with the same weights and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unrepeated {
    /// Seed of the game, as text: JSON numbers above 2^53 can lose digits.
    pub seed: String,
    /// Name of the first number that differed.
    pub number: String,
    /// What it was.
    pub first: f64,
    /// What it was the second time.
    pub second: f64,
}

impl Unrepeated {
    /// The first number that differs between two plays of a game; `None` if all are equal.
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

    /// What it means, in two sentences.
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
        let one = Numbers::new(1.5, names, &[7.0, 0.0]);
        assert_eq!(one, Numbers::new(1.5, names, &[7.0, 0.0]));
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
