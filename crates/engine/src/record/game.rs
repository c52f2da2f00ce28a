//! The record of one game.

use serde::{Deserialize, Serialize};

use crate::record::numbers::{Missing, Numbers};

/// The record of one game. A pure function of game, player, weights and seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Seed of the game's own random stream.
    pub seed: u64,
    /// Score or outcome.
    pub result: GameResult,
    /// Moves made.
    pub moves: u32,
    /// Number of boards that the player's static evaluation was computed for.
    pub leaf_evaluations: u64,
}

// Millions of records are in memory at a time.
const _: () = assert!(size_of::<GameRecord>() <= 48);

impl GameRecord {
    /// A game of a program: of one move, or of none if it has no result.
    pub fn of_program(seed: u64, numbers: Numbers) -> Self {
        GameRecord {
            seed,
            moves: u32::from(Missing::of(numbers.score()).is_none()),
            result: GameResult::Numbers(numbers),
            leaf_evaluations: 0,
        }
    }

    /// Points at the end of a game of one player, unless a program outside plays it.
    pub fn score(&self) -> Option<u64> {
        match self.result {
            GameResult::Score { score, .. } => Some(score),
            GameResult::Numbers(_) | GameResult::Outcome(_) => None,
        }
    }

    /// Largest tile at the end of a game of one player that has tiles.
    pub fn max_tile(&self) -> Option<u32> {
        match self.result {
            GameResult::Score { max_tile, .. } => max_tile,
            GameResult::Numbers(_) | GameResult::Outcome(_) => None,
        }
    }

    /// Whether a game of one player is capped: two of the largest tiles met.
    pub fn is_capped(&self) -> bool {
        matches!(self.result, GameResult::Score { capped: true, .. })
    }

    /// How a game between two players ended.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.result {
            GameResult::Score { .. } | GameResult::Numbers(_) => None,
            GameResult::Outcome(outcome) => Some(outcome),
        }
    }

    /// The numbers of a game that a program outside plays.
    pub fn numbers(&self) -> Option<&Numbers> {
        match &self.result {
            GameResult::Numbers(numbers) => Some(numbers),
            GameResult::Score { .. } | GameResult::Outcome(_) => None,
        }
    }

    /// Why the program that plays it has given no result; `None` if it has one, as all other games have.
    pub fn missing(&self) -> Option<Missing> {
        Missing::of(self.numbers()?.score())
    }

    /// The number that games are compared by: the score, or the points of the outcome. It is not finite if the
    /// game is [missing](GameRecord::missing).
    pub fn value(&self) -> f64 {
        match self.result {
            GameResult::Score { score, .. } => score as f64,
            GameResult::Numbers(ref numbers) => numbers.score(),
            GameResult::Outcome(outcome) => outcome.points(),
        }
    }

    /// The numbers of a game of one player by their names.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        match self.result {
            GameResult::Score {
                score, max_tile, ..
            } => {
                let tile = max_tile.map(|tile| ("max_tile", u64::from(tile)));
                std::iter::once(("score", score)).chain(tile).collect()
            }
            GameResult::Numbers(_) | GameResult::Outcome(_) => Vec::new(),
        }
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// A game of one player.
    Score {
        /// Points at the end of the game.
        score: u64,
        /// Largest tile on the board at the end, as a tile value (2048, not 11); `None` in a game
        /// without tiles.
        max_tile: Option<u32>,
        /// Whether two of the largest tiles that a board can encode met (see
        /// [`MAX_RANK`](crate::games::sliding::rows::MAX_RANK)).
        capped: bool,
    },
    /// A game of one player that a program outside plays.
    Numbers(Numbers),
    /// A game between two players, seen by the player under test.
    Outcome(Outcome),
}

impl GameResult {
    /// The result of a game of one player that has no tiles.
    pub fn scored(score: u64) -> Self {
        GameResult::Score {
            score,
            max_tile: None,
            capped: false,
        }
    }

    /// The result of a game of one player that has tiles and is not capped.
    pub fn scored_with_tile(score: u64, max_tile: u32) -> Self {
        GameResult::Score {
            score,
            max_tile: Some(max_tile),
            capped: false,
        }
    }
}

/// How a game between two players ended, seen by the player under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// It lost: no point.
    Loss,
    /// Draw: half a point each.
    Draw,
    /// It won: a point.
    Win,
}

impl Outcome {
    /// All outcomes, the worst first.
    pub const ALL: [Outcome; 3] = [Outcome::Loss, Outcome::Draw, Outcome::Win];

    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        }
    }

    /// Points: 0, 1/2 or 1.
    pub fn points(self) -> f64 {
        match self {
            Outcome::Loss => 0.0,
            Outcome::Draw => 0.5,
            Outcome::Win => 1.0,
        }
    }
}

/// Which part of a campaign a game was played for. The seeds of the phases are disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Fitness of a candidate in a generation.
    Train,
    /// Comparison of the final means of several restarts.
    Race,
    /// Start weights against recommended weights, on seeds that no other phase sees.
    HoldOut,
}
