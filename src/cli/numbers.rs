//! Numbers on the command line: integers, percentages and speeds.

use std::ops::RangeInclusive;

use clap::builder::TypedValueParser;

use crate::number::count;

/// The integer types of options.
pub(super) trait Whole: Copy + Send + Sync + Into<u64> + TryFrom<u64> + 'static {}

impl<T: Copy + Send + Sync + Into<u64> + TryFrom<u64> + 'static> Whole for T {}

/// Parses an integer within a range. The message of an error has the range.
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

/// Parses a share within a range from a text such as `2%`. The message of an error has the range.
pub(super) fn percent(allowed: RangeInclusive<f64>) -> impl TypedValueParser<Value = f64> {
    move |text: &str| -> Result<f64, String> {
        let number = text.trim().strip_suffix('%');
        let number = number.and_then(|number| number.trim().parse::<f64>().ok());
        let share = number.map(|percent| percent / 100.0);
        share
            .filter(|share| allowed.contains(share))
            .ok_or_else(|| {
                let [least, most] = [allowed.start(), allowed.end()].map(|share| 100.0 * share);
                format!("expected a percentage from {least}% to {most}%, such as 2%")
            })
    }
}

/// Parses a number of moves per second.
pub(super) fn speed(allowed: RangeInclusive<f64>) -> impl TypedValueParser<Value = f64> {
    move |text: &str| -> Result<f64, String> {
        let speed = text.parse().ok();
        let speed = speed.filter(|speed| allowed.contains(speed));
        speed.ok_or_else(|| {
            let (slowest, fastest) = (allowed.start(), allowed.end());
            format!("moves per second must be a number from {slowest} to {fastest}")
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;
    use crate::config::compare::ERROR;

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

    #[test]
    fn percentages_are_shares_of_their_range() {
        let parsed = |allowed: RangeInclusive<f64>, text: &str| {
            let share = Arg::new("share")
                .long("share")
                .value_parser(percent(allowed));
            let matches = Command::new("c")
                .arg(share)
                .try_get_matches_from(["c", "--share", text]);
            let share = matches.map(|matches| *matches.get_one::<f64>("share").unwrap());
            share.map_err(|error| error.to_string())
        };
        for (text, share) in [("2%", 0.02), ("0.01%", 1e-4), (" 50 % ", 0.5)] {
            assert_eq!(parsed(ERROR, text).unwrap(), share);
        }
        for wrong in ["2", "0%", "60%", "0.001%", "nan%", "x%"] {
            let message = parsed(ERROR, wrong).unwrap_err();
            assert!(
                message.contains("expected a percentage from 0.01% to 50%, such as 2%"),
                "{message}"
            );
        }
    }
}
