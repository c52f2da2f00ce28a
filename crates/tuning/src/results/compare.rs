//! The results of a comparison: players with fixed weights. A sequential test compares each player with the
//! baseline, the first one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{DifferenceOfInterest, GameSummary, Margin};
use tiletune_engine::record::as_text;

/// Everything that charts and reports read of a comparison, complete or not.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparisonResults {
    /// Name of the comparison.
    pub name: String,
    /// The game.
    pub game: String,
    /// The common opponents of the players, in a game for two without direct matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponents: Option<String>,
    /// The seed that the seeds of all games follow from.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub seed: u64,
    /// What a pair of games is, and what is compared.
    pub measure: Measure,
    /// The number that all players minimise; left out if they do not. Scores are its negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
    /// The difference of interest that was asked for; `None` for the usual one.
    pub margin: Option<Margin>,
    /// Probability of calling equal players different, over all challengers.
    #[serde(rename = "error_probability")]
    pub error: f64,
    /// Largest number of pairs.
    pub max_pairs: u64,
    /// The players. The first one is the baseline.
    pub players: Vec<ComparedPlayer>,
    /// The comparison of each other player with the baseline.
    pub challengers: Vec<Challenge>,
}

impl ComparisonResults {
    /// True if all comparisons have ended.
    pub fn is_complete(&self) -> bool {
        self.challengers.iter().all(|one| one.verdict.is_some())
    }

    /// The best verdict on a challenger; an unfinished comparison counts as [`Verdict::Undecided`].
    pub fn verdict(&self) -> Verdict {
        let ended = self.challengers.iter().map(|one| one.verdict);
        let ended = ended.map(|verdict| verdict.unwrap_or(Verdict::Undecided));
        ended.max().unwrap_or(Verdict::Undecided)
    }
}

/// What a pair of games is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// A game of both players, which play alone. Scores are compared.
    Score,
    /// An opening that both players play from both sides against the same opponents. Mean points are
    /// compared.
    Points,
    /// An opening of a direct match, from both sides. The mean points of the challenger are compared
    /// with 1/2.
    Match,
}

/// A player of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparedPlayer {
    /// Name.
    pub name: String,
    /// Player and options in words.
    pub player: String,
    /// Its weights by key.
    pub weights: BTreeMap<String, f64>,
    /// Number of its sequence of seeds: players with equal numbers play on common seeds.
    #[serde(rename = "seed_sequence")]
    pub seeds: u64,
    /// Its games; `None` for the baseline of direct matches, whose games are those of the others.
    #[serde(rename = "summary")]
    pub games: Option<GameSummary>,
}

/// The conclusion of the comparison of a player with the baseline, from the least to the most welcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is worse.
    Worse,
    /// No difference of interest.
    NoDifference,
    /// The largest number of pairs did not suffice.
    Undecided,
    /// It is better.
    Better,
}

impl Verdict {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Worse => "worse",
            Verdict::NoDifference => "no difference of interest",
            Verdict::Undecided => "undecided",
            Verdict::Better => "better",
        }
    }
}

/// The comparison of a player with the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Challenge {
    /// Name of the player.
    pub player: String,
    /// The conclusion; `None` while pairs are missing.
    pub verdict: Option<Verdict>,
    /// The difference of interest, fixed at the first look; `None` before it.
    #[serde(rename = "difference_of_interest")]
    pub interest: Option<DifferenceOfInterest>,
    /// Number of pairs that a test of fixed size with the same errors would need; `None` while too few
    /// differences deviate from the commonest one.
    pub fixed_sample: Option<u64>,
    /// The looks at the pairs, in order.
    pub path: Vec<Look>,
}

impl Challenge {
    /// The last look.
    pub fn last(&self) -> Option<&Look> {
        self.path.last()
    }

    /// The saved share of a test with fixed sample size; `None` if more pairs were needed, or if there is no
    /// decision.
    pub fn saved(&self) -> Option<f64> {
        let decided = self
            .verdict
            .filter(|verdict| *verdict != Verdict::Undecided);
        decided?;
        let share = 1.0 - self.last()?.pairs as f64 / self.fixed_sample? as f64;
        (share > 0.0).then_some(share)
    }
}

/// A mean of the baseline below this share of [`Look::reference`] is near 0.
const NEAR_ZERO: f64 = 0.1;

/// The state of a comparison after a number of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Look {
    /// Number of pairs.
    pub pairs: u64,
    /// Number of pairs whose results differ.
    pub different: u64,
    /// Mean result of the baseline; 1/2 in direct matches.
    pub first: f64,
    /// What a margin in percent is a share of: the mean of the absolute mean results of both players; 1/2 in direct
    /// matches. `None` if it is 0, or the margin is not in percent.
    pub reference: Option<f64>,
    /// Mean difference, challenger - baseline.
    pub difference: f64,
    /// Standard deviation of the differences.
    pub standard_deviation: f64,
    /// Lower end of the confidence sequence of the mean difference; `None` while too few differences deviate
    /// from the commonest one.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The difference of interest, in the unit of the results.
    pub effect: f64,
    /// The mean difference at and above which the challenger is better; mirrored, worse.
    pub better: Option<f64>,
    /// The mean difference at and below which it is not better; mirrored, not worse. With both, there is
    /// no difference of interest.
    pub not_better: Option<f64>,
}

impl Look {
    /// What differences are shown in percent of: the mean result of the baseline. `None` if the margin is not in
    /// percent, or if that mean is negative or near 0, where percent mean nothing.
    pub fn base(&self) -> Option<f64> {
        Look::base_of(self.first, self.reference)
    }

    /// The same for a recorded look with these values.
    pub fn base_of(first: f64, reference: Option<f64>) -> Option<f64> {
        let least = NEAR_ZERO * reference?;
        (first > 0.0 && first >= least).then_some(first)
    }

    /// A difference in percent of the mean result of the baseline; `None` if it is shown in the unit of the results.
    pub fn percent(&self, value: f64) -> Option<f64> {
        Some(100.0 * (value / self.base()?))
    }

    /// A difference as it is shown: in percent, or in the unit of the results.
    pub fn shown(&self, value: f64) -> f64 {
        self.percent(value).unwrap_or(value)
    }

    /// True if all pairs have the same difference.
    pub fn are_equal(&self) -> bool {
        self.standard_deviation == 0.0
    }
}
