//! Values of a player's parameters by key, checked against the parameters. This module must not know a game.
//!
//! ```
//! use tiletune_engine::heuristic::Parameter;
//! use tiletune_engine::heuristic::weights::Weights;
//!
//! let parameters = [
//!     Parameter::new("empty", "for each empty cell", 1.0, 0.0, 10.0),
//!     Parameter::new("merges", "for each possible merge", 2.0, 0.0, 10.0),
//! ];
//! let weights = Weights::new([("merges".to_owned(), 3.5)], &parameters).unwrap();
//! assert_eq!(weights.to_string(), "merges 3.5");
//! assert_eq!(weights.value(&parameters[0]), 1.0, "the default");
//! let error = Weights::new([("mergs".to_owned(), 3.5)], &parameters).unwrap_err();
//! assert_eq!(error.to_string(), "unknown weight `mergs`; did you mean `merges`?");
//! ```

use std::collections::BTreeMap;
use std::fmt;

use super::{INNER, OUTER, Parameter, Short};
use crate::field_error::FieldError;
use crate::suggestion::did_you_mean;

/// Suffixes of the keys of weights that apply to some of the lines only.
const PARTS: [&str; 6] = [OUTER, INNER, "_line0", "_line1", "_line2", "_line3"];

/// Parameter values by key, in the order of the player's parameters. A missing key has its default. A line term
/// has either one value for all lines, or separate values for outer and inner lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights(Vec<(String, f64)>);

impl Weights {
    /// Checks the pairs against a player's parameters and sorts them into the order of the parameters.
    ///
    /// # Errors
    /// If a key is unknown, if a value is not finite, if a line term has a value for all lines together with
    /// one for outer or inner lines, or if it has only one of the latter two.
    pub fn new(
        pairs: impl IntoIterator<Item = (String, f64)>,
        parameters: &[Parameter],
    ) -> Result<Self, FieldError> {
        let place = |key: &str| parameters.iter().position(|known| known.key == key);
        let mut placed = Vec::new();
        for (key, value) in pairs {
            let Some(place) = place(&key) else {
                let keys = parameters.iter().map(|parameter| parameter.key.as_str());
                let suggestion = did_you_mean(&key, keys);
                let message = format!("unknown weight `{key}`{suggestion}");
                return Err(FieldError::new([key], message));
            };
            if !value.is_finite() {
                let message = format!("weight `{key}` is {value}: a finite number is needed");
                return Err(FieldError::new([key], message));
            }
            placed.push((place, key, value));
        }
        placed.sort_by_key(|(place, ..)| *place);
        let weights = Weights(
            placed
                .into_iter()
                .map(|(_, key, value)| (key, value))
                .collect(),
        );
        weights.check_splits()?;
        Ok(weights)
    }

    fn check_splits(&self) -> Result<(), FieldError> {
        for (key, _) in &self.0 {
            for (own, other) in [(OUTER, INNER), (INNER, OUTER)] {
                let Some(base) = key.strip_suffix(own) else {
                    continue;
                };
                if self.get(base).is_some() {
                    let message = format!(
                        "weight `{base}` is given together with `{base}{OUTER}` or `{base}{INNER}`: \
                         give either the one or both of the others"
                    );
                    return Err(FieldError::new([base], message));
                }
                let missing = format!("{base}{other}");
                if self.get(&missing).is_none() {
                    let message = format!(
                        "weight `{key}` is given without `{missing}`: a line term is split into both"
                    );
                    return Err(FieldError::new([key], message));
                }
            }
        }
        Ok(())
    }

    /// The value of exactly this key; `None` if it is missing.
    pub fn get(&self, key: &str) -> Option<f64> {
        let found = self.0.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| *value)
    }

    /// The value of exactly this key, or the default of the parameter with this key.
    ///
    /// # Panics
    /// If there is no value and no parameter with this key.
    pub fn or_default(&self, key: &str, parameters: &[Parameter]) -> f64 {
        let default = || parameters.iter().find(|parameter| parameter.key == key);
        self.get(key)
            .or_else(|| default().map(|parameter| parameter.default))
            .unwrap_or_else(|| unreachable!("no parameter `{key}`"))
    }

    /// The value that applies to `key`: its own value or, for a key of outer or inner lines, the value for all
    /// lines.
    pub fn effective(&self, key: &str) -> Option<f64> {
        let base = key.strip_suffix(OUTER).or(key.strip_suffix(INNER));
        self.get(key)
            .or_else(|| base.and_then(|base| self.get(base)))
    }

    /// The value of a parameter, or its default if it is missing.
    pub fn value(&self, parameter: &Parameter) -> f64 {
        let given = self.effective(&parameter.key);
        given.unwrap_or(parameter.default)
    }

    /// True if keys and values are bit-identical; 0 and -0 are different.
    pub fn equals_to_the_bit(&self, other: &Weights) -> bool {
        let alike = |((key, value), (other_key, other)): (&(String, f64), &(String, f64))| {
            key == other_key && value.to_bits() == other.to_bits()
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(alike)
    }

    /// A copy without this key.
    pub fn without(&self, key: &str) -> Self {
        let others = self.0.iter().filter(|(known, _)| known != key);
        Weights(others.cloned().collect())
    }

    /// Keys and values, sorted by key.
    pub fn to_map(&self) -> BTreeMap<String, f64> {
        self.0.iter().cloned().collect()
    }

    /// Keys, in the order of the parameters.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(key, _)| key)
    }

    /// Keys and values, in the order of the parameters.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(key, value)| (key.as_str(), *value))
    }

    /// The first keys and values as text, and the number of further ones, for messages.
    pub fn summary(&self) -> String {
        const SHOWN: usize = 8;
        match self.0.len().checked_sub(SHOWN) {
            None | Some(0) => self.to_string(),
            Some(more) => format!("{} and {more} more", Weights(self.0[..SHOWN].to_vec())),
        }
    }

    /// Converts the weights to other parameters. Returns the values of the keys that exist there, and a list of
    /// the keys that do not. If a key exists there only for parts of the lines, each part gets its value.
    ///
    /// # Errors
    /// The errors of [`Weights::new`].
    pub fn carried_to(&self, parameters: &[Parameter]) -> Result<(Self, Vec<String>), FieldError> {
        let is_known = |key: &str| parameters.iter().any(|known| known.key == key);
        let (mut pairs, mut left_out) = (Vec::new(), Vec::new());
        for (key, value) in self.iter() {
            let parts: Vec<String> = if is_known(key) {
                vec![key.to_owned()]
            } else {
                PARTS.map(|part| format!("{key}{part}")).into()
            };
            let known: Vec<String> = parts.into_iter().filter(|key| is_known(key)).collect();
            if known.is_empty() {
                left_out.push(key.to_owned());
            }
            pairs.extend(known.into_iter().map(|key| (key, value)));
        }
        Ok((Self::new(pairs, parameters)?, left_out))
    }

    /// A copy with other values for some keys. A key for all lines replaces separate values of outer and inner
    /// lines. A key for outer or inner lines splits the value for all lines.
    ///
    /// # Errors
    /// The errors of [`Weights::new`].
    pub fn with<'a>(
        &self,
        changes: impl IntoIterator<Item = (&'a str, f64)>,
        parameters: &[Parameter],
    ) -> Result<Self, FieldError> {
        let mut pairs = self.0.clone();
        for (key, value) in changes {
            let base = key.strip_suffix(OUTER).or(key.strip_suffix(INNER));
            if let Some(base) = base
                && !pairs.iter().any(|(known, _)| known == key)
            {
                let given = pairs.iter().position(|(known, _)| known == base);
                let default = parameters.iter().find(|parameter| parameter.key == base);
                let shared = match given {
                    Some(index) => Some(pairs.remove(index).1),
                    None => default.map(|parameter| parameter.default),
                };
                for lines in [OUTER, INNER] {
                    pairs.extend(shared.map(|value| (format!("{base}{lines}"), value)));
                }
            }
            let replaced = [
                key.to_owned(),
                format!("{key}{OUTER}"),
                format!("{key}{INNER}"),
            ];
            pairs.retain(|(known, _)| !replaced.contains(known));
            pairs.push((key.to_owned(), value));
        }
        Self::new(pairs, parameters)
    }
}

/// The keys and values as text: `empty 2.5, merges 3`. A precision of the format applies to the values; without one they
/// are short and exact.
impl fmt::Display for Weights {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        for (index, (key, value)) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(formatter, "{separator}{key} ")?;
            match formatter.precision() {
                Some(_) => value.fmt(formatter)?,
                None => Short(value).fmt(formatter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::heuristic::parameters;

    fn weights(pairs: &[(&str, f64)]) -> Result<Weights, FieldError> {
        let pairs = pairs.iter().map(|(key, value)| (key.to_string(), *value));
        Weights::new(pairs, &parameters())
    }

    #[test]
    fn an_error_names_the_key() {
        for (pairs, message) in [
            (
                vec![("emty", 1.0)],
                "unknown weight `emty`; did you mean `empty`?",
            ),
            (
                vec![("empty", f64::NAN)],
                "weight `empty` is NaN: a finite number is needed",
            ),
            (
                vec![("empty_outer", 1.0)],
                "weight `empty_outer` is given without `empty_inner`: a line term is split into both",
            ),
        ] {
            assert_eq!(weights(&pairs).unwrap_err().to_string(), message);
        }
        let mixed = weights(&[("empty", 1.0), ("empty_outer", 1.0), ("empty_inner", 1.0)]);
        let mixed = mixed.unwrap_err();
        assert_eq!(mixed.path, ["empty"]);
        assert!(mixed.message.contains("together with"), "{mixed}");
    }

    #[test]
    fn changing_a_split_key_splits_and_changing_the_whole_joins() {
        let whole = weights(&[("merges", 3.0), ("empty", 2.0)]).unwrap();
        let split = whole.with([("empty_inner", 5.0)], &parameters()).unwrap();
        let pairs: Vec<_> = split.iter().collect();
        assert_eq!(
            pairs,
            [("empty_outer", 2.0), ("empty_inner", 5.0), ("merges", 3.0)]
        );
        assert_eq!(split.effective("merges_inner"), Some(3.0));
        let from_default = whole
            .with([("smoothness_outer", 4.0)], &parameters())
            .unwrap();
        assert_eq!(from_default.get("smoothness_inner"), Some(0.0));
        let joined = split.with([("empty", 2.0)], &parameters()).unwrap();
        assert_eq!(joined, whole);
    }
}
