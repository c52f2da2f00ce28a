//! Limits of a search that options of the command line or a request of a page give.

use serde::Deserialize;

use crate::config::{ConfigError, Source};

/// The limits of a search that the command line gives: `--games`, `--minutes` and `--generations`; or a request of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Number of games.
    pub games: Option<u64>,
    /// Minutes of search.
    pub minutes: Option<f64>,
    /// Number of generations.
    pub generations: Option<u32>,
}

impl Limits {
    /// Whether no limit is given.
    pub fn is_empty(&self) -> bool {
        *self == Limits::default()
    }

    /// The options of the command line that give them: name and value.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let options = [
            ("games", self.games.map(|games| games.to_string())),
            (
                "minutes",
                self.minutes.map(|minutes| format!("{minutes:?}")),
            ),
            ("generations", self.generations.map(|most| most.to_string())),
        ];
        let given = options.into_iter();
        given
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// A campaign with these limits beside those of its own budget, of which they replace the same ones. A mistake is
    /// told with the option.
    ///
    /// # Errors
    /// Never with numbers that the options allow.
    pub fn added_to(&self, mut source: Source) -> Result<Source, ConfigError> {
        for (name, value) in self.options() {
            let typed = format!("--{name} {value}");
            source = source.with_option(&typed, &format!("budget.{name}={value}"))?;
        }
        Ok(source)
    }

    /// A campaign with these limits instead of its own budget.
    ///
    /// # Errors
    /// As [`Limits::added_to`].
    pub fn in_place_of_budget(&self, source: Source) -> Result<Source, ConfigError> {
        if self.is_empty() {
            return Ok(source);
        }
        self.added_to(source.with_option("the options of the budget", "budget={}")?)
    }
}
