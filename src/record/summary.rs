//! Summaries of the games of one set of weights.

use std::collections::BTreeMap;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Endings {
    /// Games of one player.
    Scores {
        /// Largest tile at the end -> number of games, ascending; empty in a game without tiles.
        #[serde(deserialize_with = "tile_counts")]
        max_tile: BTreeMap<u32, u32>,
        /// Number of capped games, see [`GameResult::Score`](crate::record::GameResult::Score).
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

/// The keys of a map in an untagged enum are text.
fn tile_counts<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<u32, u32>, D::Error> {
    let counts = BTreeMap::<String, u32>::deserialize(from)?.into_iter();
    let counts = counts.map(|(tile, games)| Ok((tile.parse()?, games)));
    let counts: Result<_, std::num::ParseIntError> = counts.collect();
    counts.map_err(de::Error::custom)
}

/// Summary of the games of one set of weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GameSummary {
    /// Name of the set of weights: `start` or `tuned`.
    pub weights: String,
    /// Number of games.
    pub games: u32,
    /// Mean of what [`measure`](Self::measure) names: score, or points of games between two players.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Median of the scores; of games between two players, of the mean points of the openings.
    pub median: f64,
    /// Mean number of moves.
    pub mean_moves: f64,
    /// How the games ended.
    #[serde(flatten)]
    pub endings: Endings,
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
