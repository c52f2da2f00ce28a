//! The names that a file gives to terms, parameters, weights and sums.

use super::line_set::line_suffix;
use crate::heuristic::{INNER, OUTER};

/// Largest length of a name, in bytes.
const LONGEST_NAME: usize = 40;

/// Checks the name of a term or parameter.
pub fn check_name(name: &str) -> Result<(), String> {
    let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || name.len() > LONGEST_NAME || !name.chars().all(is_safe) {
        return Err(format!(
            "`{name}` is no name: a small letter, then small letters, digits and `_`, at most \
             {LONGEST_NAME} in all"
        ));
    }
    let lines = [0, 1, 2, 3].map(line_suffix);
    let mut taken = [OUTER, INNER]
        .into_iter()
        .chain(lines.iter().map(String::as_str));
    match taken.find(|suffix| name.ends_with(suffix)) {
        Some(suffix) => Err(format!(
            "a name cannot end with `{suffix}`, which keys of weights have"
        )),
        None => Ok(()),
    }
}
