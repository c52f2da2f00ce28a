//! Summaries of the games of one set of weights.

use std::collections::BTreeMap;

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Deserializer, Serialize, de};

/// How many games between two players ended in each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Games won by the player under test.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

/// How the games of one set of weights ended.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "Stored")]
pub enum Endings {
    /// Games of one player.
    Scores {
        /// Largest tile at the end -> number of games, ascending; empty in a game without tiles.
        max_tile: BTreeMap<u32, u32>,
        /// Number of capped games, see [`GameResult::Score`](tiletune_engine::record::GameResult::Score).
        capped: u32,
    },
    /// Games that a program outside plays.
    Numbers {
        /// Mean of each of its numbers beside the score.
        numbers: BTreeMap<String, f64>,
    },
    /// Games between two players.
    Outcomes {
        /// Number of games that ended in each way.
        outcomes: Outcomes,
    },
}

/// [`Endings`] in files.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Scores {
        #[serde(deserialize_with = "tile_counts")]
        max_tile: BTreeMap<u32, u32>,
        capped: u32,
    },
    Numbers {
        numbers: BTreeMap<String, f64>,
    },
    Outcomes(Outcomes),
    // The form of earlier versions.
    Table {
        outcomes: Outcomes,
    },
}

impl From<Stored> for Endings {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Scores { max_tile, capped } => Endings::Scores { max_tile, capped },
            Stored::Numbers { numbers } => Endings::Numbers { numbers },
            Stored::Outcomes(outcomes) | Stored::Table { outcomes } => {
                Endings::Outcomes { outcomes }
            }
        }
    }
}

/// The keys of a map in an untagged enum are text.
fn tile_counts<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<u32, u32>, D::Error> {
    let counts = BTreeMap::<String, u32>::deserialize(from)?.into_iter();
    let counts = counts.map(|(tile, games)| Ok((tile.parse()?, games)));
    let counts: Result<_, std::num::ParseIntError> = counts.collect();
    counts.map_err(de::Error::custom)
}

/// Summary of the games of one set of weights.
///
/// Its keys in JSON say what the mean is of: `mean_score`, `se_score` and `median_score` for games of one player,
/// `points`, `se_points` and `median_points` for games between two.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct GameSummary {
    /// Name of the set of weights: `start` or `tuned`; empty if it needs none.
    #[serde(rename = "name", alias = "weights", default)]
    pub weights: String,
    /// Number of games.
    pub games: u32,
    /// Mean of what [`measure`](Self::measure) names: score, or points of games between two players.
    #[serde(alias = "mean_score", alias = "points")]
    pub mean: f64,
    /// Its standard error.
    #[serde(alias = "se_score", alias = "se_points")]
    pub standard_error: f64,
    /// Median of the scores; of games between two players, of the mean points of the openings.
    #[serde(alias = "median_score", alias = "median_points")]
    pub median: f64,
    /// Mean number of moves.
    pub mean_moves: f64,
    /// How the games ended.
    #[serde(flatten)]
    pub endings: Endings,
}

impl Serialize for GameSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.weights.is_empty() {
            map.serialize_entry("name", &self.weights)?;
        }
        let [mean, error, median] = match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => {
                ["mean_score", "se_score", "median_score"]
            }
            Endings::Outcomes { .. } => ["points", "se_points", "median_points"],
        };
        map.serialize_entry("games", &self.games)?;
        map.serialize_entry(mean, &self.mean)?;
        map.serialize_entry(error, &self.standard_error)?;
        map.serialize_entry(median, &self.median)?;
        map.serialize_entry("mean_moves", &self.mean_moves)?;
        match &self.endings {
            Endings::Scores { max_tile, capped } => {
                map.serialize_entry("max_tile", max_tile)?;
                map.serialize_entry("capped", capped)?;
            }
            Endings::Numbers { numbers } => map.serialize_entry("numbers", numbers)?,
            Endings::Outcomes { outcomes } => {
                map.serialize_entry("wins", &outcomes.wins)?;
                map.serialize_entry("draws", &outcomes.draws)?;
                map.serialize_entry("losses", &outcomes.losses)?;
            }
        }
        map.end()
    }
}

impl GameSummary {
    /// What its mean is the mean of, in words.
    pub fn measure(&self) -> &'static str {
        match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => "mean score",
            Endings::Outcomes { .. } => "mean points",
        }
    }

    /// How games between two players ended; `None` for games of one player.
    pub fn outcomes(&self) -> Option<Outcomes> {
        match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => None,
            Endings::Outcomes { outcomes } => Some(outcomes),
        }
    }

    /// Largest tile at the end -> number of games, ascending; empty for games between two players.
    pub fn max_tile(&self) -> &BTreeMap<u32, u32> {
        static NO_TILES: BTreeMap<u32, u32> = BTreeMap::new();
        match &self.endings {
            Endings::Scores { max_tile, .. } => max_tile,
            Endings::Numbers { .. } | Endings::Outcomes { .. } => &NO_TILES,
        }
    }

    /// Mean of each number beside the score of games that a program outside plays; `None` for other games.
    pub fn numbers(&self) -> Option<&BTreeMap<String, f64>> {
        match &self.endings {
            Endings::Numbers { numbers } => Some(numbers),
            Endings::Scores { .. } | Endings::Outcomes { .. } => None,
        }
    }

    /// Number of independent observations: games; of games between two players openings, each played from
    /// both sides.
    pub fn observations(&self) -> u32 {
        match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => self.games,
            Endings::Outcomes { .. } => self.games.div_ceil(2),
        }
    }

    /// What its observations are, in words.
    pub fn observed(&self) -> &'static str {
        match self.endings {
            Endings::Scores { .. } | Endings::Numbers { .. } => "games",
            Endings::Outcomes { .. } => "openings",
        }
    }

    /// Number of capped games; `None` for games between two players.
    pub fn capped(&self) -> Option<u32> {
        match self.endings {
            Endings::Scores { capped, .. } => Some(capped),
            Endings::Numbers { .. } | Endings::Outcomes { .. } => None,
        }
    }

    /// Number of games whose largest tile is at least this one.
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
            (Endings::Numbers { numbers }, "mean_score"),
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

    #[test]
    fn the_keys_of_earlier_versions_are_read() {
        let text = r#"{ "weights": "start", "games": 4, "mean": 0.1, "standard_error": 0.2, "median": 0.5,
            "mean_moves": 10, "outcomes": { "wins": 1, "draws": 2, "losses": 1 } }"#;
        let read: GameSummary = serde_json::from_str(text).unwrap();
        let outcomes = Outcomes {
            wins: 1,
            draws: 2,
            losses: 1,
        };
        assert_eq!(read, of(Endings::Outcomes { outcomes }));
    }
}
