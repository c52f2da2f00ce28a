//! Numbers in a short form.

use std::fmt;

/// Shows a number in a short form that reads back as the same number, also in TOML: `0.5`, `1000000`, `1e300`.
#[derive(Clone, Copy, Debug)]
pub struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Short(number) = *self;
        // Whole numbers up to here are whole numbers of 64 bits in TOML, which it reads exactly.
        let is_usual = number == 0.0 || (1e-5..1e15).contains(&number.abs());
        if is_usual || !number.is_finite() {
            write!(formatter, "{number}")
        } else {
            write!(formatter, "{number:e}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_read_back() {
        for (number, text) in [
            (0.0, "0"),
            (-2.5, "-2.5"),
            (1e14, "100000000000000"),
            (1e15, "1e15"),
            (-1.25e300, "-1.25e300"),
            (1e-7, "1e-7"),
            (f64::MAX, "1.7976931348623157e308"),
        ] {
            assert_eq!(Short(number).to_string(), text);
            assert_eq!(text.parse(), Ok(number));
        }
    }
}
