//! The schema of a series: a campaign file with the table `[series]`, which has the number of runs with different
//! seeds. The resolved configuration is such a file as well.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::campaign::{self, Campaign};
use super::document::Document;
use super::{ConfigError, Source, check_range};
use tiletune_engine::field_error::Within;
use tiletune_engine::random::child_seed;
use tiletune_tuning::Catalogue;

/// The smallest and the largest number of runs of a series. A single run is a campaign, because it has no spread.
pub const REPEAT: std::ops::RangeInclusive<u32> = 2..=100;

/// The configuration of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesConfig {
    /// The campaign that is repeated.
    #[serde(flatten)]
    pub campaign: campaign::CampaignConfig,
    /// Number of runs.
    pub series: Repetition,
}

/// The table `[series]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Series")]
#[serde(deny_unknown_fields)]
pub struct Repetition {
    /// Number of runs: 2 to 100.
    pub repeat: u32,
}

/// The part of a file that does not belong to the campaign.
#[derive(Deserialize)]
struct OfSeries {
    series: Repetition,
}

#[derive(Clone)]
pub struct Series {
    /// The configuration with every default filled in.
    pub config: SeriesConfig,
    /// The repeated campaign. The series uses its race seeds and hold-out seeds. It plays no training games itself.
    pub campaign: Campaign,
}

impl Series {
    /// Parses and resolves a campaign file with `[series]` for a built-in player. Relative paths in the file are
    /// relative to `folder`.
    ///
    /// # Errors
    /// With the place of the first error.
    pub fn resolve(source: &Source, folder: &Path) -> Result<Self, ConfigError> {
        Self::resolve_with(&Catalogue::builtin(), source, folder)
    }

    /// The same for the players of any catalogue.
    ///
    /// # Errors
    /// As [`Series::resolve`].
    pub fn resolve_with(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        let mut document = Document::parse(source)?;
        let series = document.read::<OfSeries>()?.series;
        let repeat = check_range("repeat", series.repeat, REPEAT).within(["series"]);
        repeat.map_err(|error| document.place(error))?;
        document.remove("series");
        let campaign = Campaign::of_document(catalogue, &document, folder)?;
        if !campaign.config.validation.deeper.is_empty() {
            let message = "a series plays no games at other depths: leave out deeper, or tune once";
            return Err(document.mistake_at(&["validation", "deeper"], message));
        }
        let config = SeriesConfig {
            campaign: campaign.config.clone(),
            series,
        };
        Ok(Series { config, campaign })
    }

    pub fn repeat(&self) -> u32 {
        self.config.series.repeat
    }

    /// A run of the series (from 1): the campaign with a separate seed and without hold-out games, which the series
    /// plays.
    pub fn run(&self, number: u32) -> Campaign {
        let config = &self.campaign.config;
        let name = format!("{}-run-{number}", config.name);
        self.campaign
            .child(name, child_seed(config.seed, u64::from(number)))
    }

    /// The numbers of its runs.
    pub fn numbers(&self) -> std::ops::RangeInclusive<u32> {
        1..=self.repeat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
why = "a test"
name = "mine"
seed = 5
[player]
name = "expectimax"
[budget]
generations = 3
[validation]
games = 40
[parameters.empty]
[series]
repeat = 3
"#;

    fn resolve(text: &str) -> Result<Series, String> {
        let source = Source::new("mine.toml", text);
        Series::resolve(&source, Path::new("")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_resolved_series_is_the_same_series() {
        let series = resolve(FILE).unwrap();
        let resolved = toml::to_string(&series.config).unwrap();
        assert_eq!(resolve(&resolved).unwrap().config, series.config);
        assert_eq!(series.repeat(), 3);
    }

    #[test]
    fn runs_differ_in_name_and_seed_alone() {
        let series = resolve(FILE).unwrap();
        let [one, two] = [1, 2].map(|number| series.run(number));
        assert_eq!(
            [&one.config.name, &two.config.name],
            ["mine-run-1", "mine-run-2"]
        );
        assert!(one.config.seed != two.config.seed && one.config.seed != 5);
        let mut same = two.config;
        (same.name, same.seed) = (one.config.name.clone(), one.config.seed);
        assert_eq!(same, one.config);
        assert_eq!(one.config.validation.games, 0);
        assert_eq!(series.campaign.config.validation.games, 40);
    }

    #[test]
    fn mistakes_are_told_with_what_is_allowed() {
        let message = |repeat: &str| resolve(&FILE.replace("repeat = 3", repeat)).err();
        let out_of_range = "repeat 1 is out of range: 2 to 100";
        assert_eq!(message("repeat = 1").as_deref(), Some(out_of_range));
        assert!(message("").is_some_and(|text| text.contains("missing key `repeat`")));
        let unknown = message("repeats = 3").unwrap();
        assert!(unknown.contains("unknown key `repeats`"), "{unknown}");
        let unknown = resolve(&FILE.replace("seed = 5", "sed = 5")).err().unwrap();
        assert!(unknown.contains("unknown key `sed`"), "{unknown}");
    }

    #[test]
    fn a_campaign_names_the_table_of_a_series_among_its_keys() {
        let message = |text: &str| {
            let source = Source::new("mine.toml", text);
            let error = Campaign::resolve(&source, Path::new("")).err().unwrap();
            let help = match &error {
                ConfigError::Mistake { help, .. } => help.clone(),
                _ => None,
            };
            (error.to_string(), help.unwrap_or_default())
        };
        let (misspelt, help) = message(&FILE.replace("[series]", "[serie]"));
        assert!(misspelt.starts_with("unknown key `serie`"), "{misspelt}");
        assert!(misspelt.ends_with("`parameters`, `series`"), "{misspelt}");
        assert_eq!(help, "did you mean `series`?");
        // Only the outermost table can have the key, and the reader of a campaign alone does not know it.
        let campaign = FILE.replace("[series]\nrepeat = 3\n", "");
        let (inner, _) = message(&campaign.replace("generations", "serie"));
        assert!(inner.starts_with("unknown key `serie`"), "{inner}");
        assert!(!inner.contains("`series`"), "{inner}");
        let (itself, _) = message(FILE);
        assert!(itself.ends_with("`parameters`"), "{itself}");
    }
}
