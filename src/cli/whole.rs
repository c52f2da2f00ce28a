//! Whole numbers on the command line.

use std::ops::RangeInclusive;

use clap::builder::TypedValueParser;

use crate::number::count;

/// Whole numbers that an option can have.
pub(super) trait Whole: Copy + Send + Sync + Into<u64> + TryFrom<u64> + 'static {}

impl<T: Copy + Send + Sync + Into<u64> + TryFrom<u64> + 'static> Whole for T {}

/// Reads a whole number of a range; the message of an error says which are allowed.
pub(super) fn whole<T: Whole>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T> {
    let (first, last): (u64, u64) = ((*range.start()).into(), (*range.end()).into());
    move |text: &str| -> Result<T, String> {
        let number = text.parse::<u64>().ok();
        let number = number.filter(|number| (first..=last).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| match last {
            u64::MAX => format!(
                "a whole number from {} to 2^64 - 1 is allowed",
                count(first)
            ),
            last => format!(
                "a whole number from {} to {} is allowed",
                count(first),
                count(last)
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    #[test]
    fn the_message_says_what_is_allowed() {
        let parsed = |text: &str| {
            let number = Arg::new("games")
                .long("games")
                .allow_negative_numbers(true)
                .value_parser(whole(1..=10_000_000u32));
            let matches = Command::new("c")
                .arg(number)
                .try_get_matches_from(["c", "--games", text]);
            matches.map(|matches| *matches.get_one::<u32>("games").unwrap())
        };
        assert_eq!(parsed("7").unwrap(), 7);
        for wrong in ["0", "-5", "1.5", "x", "10000001", "99999999999999999999999"] {
            let message = parsed(wrong).unwrap_err().to_string();
            assert!(
                message.contains("a whole number from 1 to 10,000,000 is allowed"),
                "{message}"
            );
        }
        let seed = whole(0..=u64::MAX);
        let parsed = seed.parse_ref(&Command::new("c"), None, "18446744073709551616".as_ref());
        let message = parsed.unwrap_err().to_string();
        assert!(message.contains("from 0 to 2^64 - 1"), "{message}");
    }
}
