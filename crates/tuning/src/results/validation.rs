//! The validation of a campaign: start weights against tuned weights in the hold-out games.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::results::difference::{PairedDifference, Verdict};
use crate::results::search::Selection;
use crate::results::summary::GameSummary;

/// Start weights against tuned weights, game by game on the same hold-out seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Validation {
    /// The weights the campaign started from.
    pub start: GameSummary,
    /// The tuned weights.
    pub tuned: GameSummary,
    /// Paired difference tuned - start of the scores, or of the points of games between two players.
    pub difference: PairedDifference,
    /// The same for the objective of the campaign. The verdict on the tuned weights is about this.
    pub objective: ObjectiveComparison,
    /// What the search promised and what the hold-out games showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// The exact expected scores; only where the game is solved and they do not take too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactScores>,
    /// The same comparison at other search depths; empty unless the campaign asks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deeper: Vec<Deeper>,
    /// The same comparison at each setting of a player with several; empty for other players. The intervals hold together:
    /// all of them contain the true differences with 95 % confidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<AtSetting>,
    /// Number of this look at the search, if it is not the first: the search went on with more budget after an earlier
    /// comparison. The games are fresh, and the intervals of the differences are wider than those of a first look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<u32>,
}

impl Validation {
    /// Number of this look at the search, from 1.
    pub fn look_number(&self) -> u32 {
        self.look.unwrap_or(1)
    }

    /// The verdict on the tuned weights. It is about the objective of the campaign.
    pub fn verdict(&self) -> Verdict {
        self.objective.difference.verdict
    }
}

/// Start against tuned weights at one setting of the player, in its mean score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtSetting {
    /// The setting, such as `depth 2`.
    pub setting: String,
    /// Number of games of each set of weights.
    pub games: u32,
    /// Mean score of the start weights.
    pub start: f64,
    /// Mean score of the tuned weights.
    pub tuned: f64,
    /// Paired difference tuned - start.
    pub difference: PairedDifference,
}

impl AtSetting {
    /// The difference and the ends of its interval as shares of the mean score of the start weights.
    pub fn shares(&self) -> Option<[f64; 3]> {
        let [low, high] = self.difference.interval()?;
        let share = |points: f64| points / self.start;
        (self.start > 0.0).then(|| [self.difference.mean, low, high].map(share))
    }
}

/// Exact expected scores of start and tuned weights on a small board, without games and noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExactScores {
    /// Expected score of the start weights.
    pub start: f64,
    /// Expected score of the tuned weights.
    pub tuned: f64,
    /// Expected score of perfect play.
    pub perfect: f64,
}

/// Start against tuned weights at another search depth than that of the search: weights that are better at
/// one depth can be worse at another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deeper {
    /// The depth, in the unit of the player.
    pub depth: u8,
    /// What the games showed, or why there are none.
    #[serde(flatten)]
    #[schemars(with = "DeeperKeys")]
    pub result: DeeperResult,
}

impl Deeper {
    /// A result at this depth.
    pub fn new(depth: u8, result: DeeperResult) -> Self {
        Deeper { depth, result }
    }

    /// The comparison; `None` if no games were played.
    pub fn played(&self) -> Option<&Validation> {
        match &self.result {
            DeeperResult::Played(validation) => Some(validation),
            DeeperResult::Skipped(_) => None,
        }
    }
}

/// The keys of [`DeeperResult`]: there is one of them.
#[derive(Serialize, JsonSchema)]
#[allow(dead_code, reason = "it declares a schema")]
struct DeeperKeys {
    /// The results of its games.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Box<Validation>>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<Skipped>,
}

/// Hold-out games at another depth, or why there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeeperResult {
    /// The comparison of start and tuned weights.
    Played(Box<Validation>),
    /// No games were played.
    Skipped(Skipped),
}

/// Why no games were played at another depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Skipped {
    /// They would have taken longer than the search.
    TooSlow,
    /// The evaluator plays at one depth only.
    Unsupported,
}

/// Start against tuned weights in what the campaign maximised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectiveComparison {
    /// The objective in words with its unit.
    pub name: String,
    /// The number of a program that is minimised; left out if nothing is. The values here are those that were maximised:
    /// its negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
    /// Its value for the start weights.
    pub start: f64,
    /// Its value for the tuned weights.
    pub tuned: f64,
    /// Standard error of that value.
    pub tuned_standard_error: f64,
    /// The 95 % interval of that value, its lower end first, if there is one.
    pub tuned_interval: Option<[f64; 2]>,
    /// Paired difference tuned - start.
    pub difference: PairedDifference,
}

impl ObjectiveComparison {
    /// A value of the objective as people read it: of a minimised number its own sign.
    pub fn shown(&self, value: f64) -> f64 {
        match self.loss {
            // Not -0.
            Some(_) => 0.0 - value,
            None => value,
        }
    }

    /// The interval of the difference as people read it, its lower end first, if there is one.
    pub fn shown_interval(&self) -> Option<[f64; 2]> {
        let [low, high] = self.difference.interval()?;
        Some(match self.loss {
            Some(_) => [self.shown(high), self.shown(low)],
            None => [low, high],
        })
    }
}
