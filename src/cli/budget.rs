//! The budget of a search on the command line.

use clap::Args;

use super::numbers::whole;
use crate::config::campaign::Limits;

const HEADING: &str = "Budget of the whole search";

/// With several limits, the first one that is reached ends the search.
#[derive(Args)]
pub(super) struct BudgetArgs {
    /// Number of games.
    #[arg(long, help_heading = HEADING, value_name = "N", value_parser = whole(1..=i64::MAX as u64))]
    games: Option<u64>,
    /// Minutes, without interruptions.
    #[arg(long, help_heading = HEADING, value_name = "M", value_parser = minutes)]
    minutes: Option<f64>,
    /// Number of generations.
    #[arg(long, help_heading = HEADING, value_name = "G", value_parser = whole(1..=u32::MAX))]
    generations: Option<u32>,
}

/// Parses a number of minutes. Those of a campaign file have the same limits.
fn minutes(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let number = number.filter(|number| *number > 0.0 && *number <= 1e6);
    number.ok_or_else(|| "a number above 0 and at most 1,000,000 is allowed".to_owned())
}

impl BudgetArgs {
    pub(super) fn limits(&self) -> Limits {
        Limits {
            games: self.games,
            minutes: self.minutes,
            generations: self.generations,
        }
    }
}
