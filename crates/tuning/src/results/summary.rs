//! Summaries of the games of one set of weights.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, de};

/// How many games between two players ended in each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcomes {
    /// Games between two players: games won by the player under test.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

/// How many of some games had a result, as a share with its 95 % interval (exact).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    /// Number of games.
    pub games: u32,
    /// Their share.
    pub share: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The results of the games of one set of weights.
#[derive(Clone, Debug, PartialEq)]
pub enum Endings {
    /// Games for one player.
    Scores {
        /// Number of games for each largest tile, in ascending order; empty in a game without tiles.
        max_tile: BTreeMap<u32, u32>,
        /// Number of capped games, see [`GameResult::Score`](tiletune_engine::record::GameResult::Score).
        capped: u32,
    },
    /// Games of an external program.
    Numbers {
        /// Mean of each number except the score.
        numbers: BTreeMap<String, f64>,
        /// Number of games without a result, because the program failed or refused the weights.
        failed: u32,
    },
    /// Games between two players.
    Outcomes {
        /// Number of games with each outcome.
        outcomes: Outcomes,
    },
}

/// Summary of the games of one set of weights.
///
/// Its JSON keys name the summarised quantity: `mean_score`, `se_score` and `median_score` for games for one
/// player, `points`, `se_points` and `median_points` for games between two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "SummaryKeys", try_from = "SummaryKeys")]
pub struct GameSummary {
    /// Name of the set of weights, `start` or `tuned`; empty if it needs no name.
    pub weights: String,
    /// Number of games.
    pub games: u32,
    /// Mean of the quantity that [`measure`](Self::measure) names: the score, or the points of games between
    /// two players.
    pub mean: f64,
    /// Its standard error; 0 for a single observation, see [`error`](Self::error).
    pub standard_error: f64,
    /// Median of the scores or, for games between two players, of the mean points of the openings.
    pub median: f64,
    /// Mean number of moves.
    pub mean_moves: f64,
    /// Results of the games.
    pub endings: Endings,
}

/// Summary of the games of one set of weights.
#[derive(Serialize, Deserialize, JsonSchema)]
struct SummaryKeys {
    /// Name of the set of weights: `start` or `tuned`; left out if it needs none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    /// Number of games.
    games: u32,
    #[serde(flatten)]
    scores: Option<ScoreKeys>,
    #[serde(flatten)]
    points: Option<PointKeys>,
    /// Mean number of moves.
    mean_moves: f64,
    /// Games of one player: largest tile at the end -> number of games.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "tile_counts"
    )]
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    max_tile: Option<BTreeMap<u32, u32>>,
    /// Games of one player: number of capped games.
    #[serde(skip_serializing_if = "Option::is_none")]
    capped: Option<u32>,
    /// Games of a program: mean of each of its numbers beside the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<BTreeMap<String, f64>>,
    /// Games of a program: number of games without a result, because it failed or refused the weights; left out if
    /// there are none. They count as the worst of the games that they are compared with.
    #[serde(default, skip_serializing_if = "is_zero")]
    failed_games: u32,
    #[serde(flatten)]
    outcomes: Option<Outcomes>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What the mean is of in games of one player.
#[derive(Serialize, Deserialize, JsonSchema)]
struct ScoreKeys {
    /// Games of one player: mean score.
    mean_score: f64,
    /// Its standard error; null for a single game.
    se_score: Option<f64>,
    /// Games of one player: median of the scores.
    median_score: f64,
}

/// The same in games between two players.
#[derive(Serialize, Deserialize, JsonSchema)]
struct PointKeys {
    /// Games between two players: mean points; a win counts 1, a draw 1/2.
    points: f64,
    /// Its standard error, over openings; null for a single opening.
    se_points: Option<f64>,
    /// Games between two players: median of the mean points of the openings.
    median_points: f64,
}

/// The keys of a map inside a flattened struct are read as text, so this converts them to numbers.
fn tile_counts<'de, D: Deserializer<'de>>(from: D) -> Result<Option<BTreeMap<u32, u32>>, D::Error> {
    let Some(counts) = Option::<BTreeMap<String, u32>>::deserialize(from)? else {
        return Ok(None);
    };
    let counts = counts
        .into_iter()
        .map(|(tile, games)| Ok((tile.parse()?, games)));
    let counts: Result<_, std::num::ParseIntError> = counts.collect();
    counts.map(Some).map_err(de::Error::custom)
}

impl From<GameSummary> for SummaryKeys {
    fn from(summary: GameSummary) -> Self {
        let (is_between_two, capped) = (summary.outcomes().is_some(), summary.capped());
        let error = summary.error();
        let failed_games = summary.failed();
        let (max_tile, numbers, outcomes) = match summary.endings {
            Endings::Scores { max_tile, .. } => (Some(max_tile), None, None),
            Endings::Numbers { numbers, .. } => (None, Some(numbers), None),
            Endings::Outcomes { outcomes } => (None, None, Some(outcomes)),
        };
        SummaryKeys {
            name: summary.weights,
            games: summary.games,
            scores: (!is_between_two).then_some(ScoreKeys {
                mean_score: summary.mean,
                se_score: error,
                median_score: summary.median,
            }),
            points: is_between_two.then_some(PointKeys {
                points: summary.mean,
                se_points: error,
                median_points: summary.median,
            }),
            mean_moves: summary.mean_moves,
            max_tile,
            capped,
            numbers,
            failed_games,
            outcomes,
        }
    }
}

impl TryFrom<SummaryKeys> for GameSummary {
    type Error = &'static str;

    fn try_from(keys: SummaryKeys) -> Result<Self, Self::Error> {
        let known = |error: Option<f64>| error.unwrap_or(0.0);
        let of_scores =
            |keys: ScoreKeys| [keys.mean_score, known(keys.se_score), keys.median_score];
        let of_points = |keys: PointKeys| [keys.points, known(keys.se_points), keys.median_points];
        let means = keys.scores.map(of_scores).or(keys.points.map(of_points));
        let scores = keys.max_tile.zip(keys.capped);
        let scores = scores.map(|(max_tile, capped)| Endings::Scores { max_tile, capped });
        let failed = keys.failed_games;
        let numbers = keys.numbers;
        let numbers = numbers.map(|numbers| Endings::Numbers { numbers, failed });
        let outcomes = keys.outcomes.map(|outcomes| Endings::Outcomes { outcomes });
        let missing = "a summary of games lacks a key";
        let [mean, standard_error, median] = means.ok_or(missing)?;
        Ok(GameSummary {
            weights: keys.name,
            games: keys.games,
            mean,
            standard_error,
            median,
            mean_moves: keys.mean_moves,
            endings: outcomes.or(scores).or(numbers).ok_or(missing)?,
        })
    }
}

impl JsonSchema for GameSummary {
    fn schema_name() -> Cow<'static, str> {
        "GameSummary".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        SummaryKeys::json_schema(generator)
    }
}

impl GameSummary {
    /// The quantity of which the mean is given, in words.
    pub fn measure(&self) -> &'static str {
        match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => "mean score",
            Endings::Outcomes { .. } => "mean points",
        }
    }

    /// The outcomes of games between two players; `None` for games for one player.
    pub fn outcomes(&self) -> Option<Outcomes> {
        match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => None,
            Endings::Outcomes { outcomes } => Some(outcomes),
        }
    }

    /// Number of games for each largest tile, in ascending order; empty for games without tiles.
    pub fn max_tile(&self) -> &BTreeMap<u32, u32> {
        static NO_TILES: BTreeMap<u32, u32> = BTreeMap::new();
        match &self.endings {
            Endings::Scores { max_tile, .. } => max_tile,
            Endings::Numbers { .. } | Endings::Outcomes { .. } => &NO_TILES,
        }
    }

    /// Mean of each number except the score, for games of an external program; `None` for other games.
    pub fn numbers(&self) -> Option<&BTreeMap<String, f64>> {
        match &self.endings {
            Endings::Numbers { numbers, .. } => Some(numbers),
            Endings::Scores { .. } | Endings::Outcomes { .. } => None,
        }
    }

    /// Number of games without a result; 0 for games that are not played by an external program.
    pub fn failed(&self) -> u32 {
        match self.endings {
            Endings::Numbers { failed, .. } => failed,
            Endings::Scores { .. } | Endings::Outcomes { .. } => 0,
        }
    }

    /// Number of independent observations: games or, for games between two players, openings, each played from
    /// both sides.
    pub fn observations(&self) -> u32 {
        match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => self.games,
            Endings::Outcomes { .. } => self.games.div_ceil(2),
        }
    }

    /// The standard error of the mean; `None` for a single observation, which says nothing about it.
    pub fn error(&self) -> Option<f64> {
        (self.observations() > 1).then_some(self.standard_error)
    }

    /// The unit of the observations in words: games or openings.
    pub fn observed(&self) -> &'static str {
        match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => "games",
            Endings::Outcomes { .. } => "openings",
        }
    }

    /// Number of capped games; `None` for games without scores.
    pub fn capped(&self) -> Option<u32> {
        match self.endings {
            Endings::Scores { capped, .. } => Some(capped),
            Endings::Numbers { .. } | Endings::Outcomes { .. } => None,
        }
    }

    /// Number of games whose largest tile is at least `tile`.
    pub fn reaching(&self, tile: u32) -> u32 {
        self.max_tile().range(tile..).map(|(_, games)| games).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(endings: Endings) -> GameSummary {
        GameSummary {
            weights: "start".into(),
            games: 4,
            mean: 0.1,
            standard_error: 0.2,
            median: 0.5,
            mean_moves: 10.0,
            endings,
        }
    }

    #[test]
    fn summaries_come_back_from_json() {
        let outcomes = Outcomes {
            wins: 1,
            draws: 2,
            losses: 1,
        };
        let max_tile = [(512, 3), (1024, 1)].into();
        let numbers = [("lines".to_owned(), 2.5)].into();
        for (endings, key) in [
            (
                Endings::Scores {
                    max_tile,
                    capped: 1,
                },
                "mean_score",
            ),
            (Endings::Numbers { numbers, failed: 2 }, "mean_score"),
            (Endings::Outcomes { outcomes }, "points"),
        ] {
            let summary = of(endings);
            let json = serde_json::to_value(&summary).unwrap();
            assert_eq!(json[key], 0.1);
            assert_eq!(
                serde_json::from_value::<GameSummary>(json).unwrap(),
                summary
            );
        }
    }
}
