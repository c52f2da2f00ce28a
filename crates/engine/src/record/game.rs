//! The record of one game.

use serde::{Deserialize, Serialize};

use crate::record::numbers::{Missing, Numbers};

/// The record of one game. It is a pure function of game, player, weights and seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Seed of the random stream of the game.
    pub seed: u64,
    /// Score, numbers or outcome of the game.
    pub result: GameResult,
    /// Number of moves.
    pub moves: u32,
    /// Number of static evaluations by the player.
    pub leaf_evaluations: u64,
}

// Millions of records are in memory at the same time, so their size is limited.
const _: () = assert!(size_of::<GameRecord>() <= 48);

impl GameRecord {
    /// A game of an external program. It counts as one move, or as no move if it has no result.
    pub fn of_program(seed: u64, numbers: Numbers) -> Self {
        GameRecord {
            seed,
            moves: u32::from(Missing::of(numbers.score()).is_none()),
            result: GameResult::Numbers(numbers),
            leaf_evaluations: 0,
        }
    }

    /// Points at the end of a game for one player; `None` for other games and for games of external programs.
    pub fn score(&self) -> Option<u64> {
        match self.result {
            GameResult::Score { score, .. } => Some(score),
            GameResult::Numbers(_) | GameResult::Outcome(_) => None,
        }
    }

    /// Largest tile at the end of a game for one player; `None` for games without tiles.
    pub fn max_tile(&self) -> Option<u32> {
        match self.result {
            GameResult::Score { max_tile, .. } => max_tile,
            GameResult::Numbers(_) | GameResult::Outcome(_) => None,
        }
    }

    /// True if a game for one player is capped: two of the largest tiles have met.
    pub fn is_capped(&self) -> bool {
        matches!(self.result, GameResult::Score { capped: true, .. })
    }

    /// The outcome of a game between two players; `None` for other games.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.result {
            GameResult::Score { .. } | GameResult::Numbers(_) => None,
            GameResult::Outcome(outcome) => Some(outcome),
        }
    }

    /// The numbers of a game of an external program; `None` for other games.
    pub fn numbers(&self) -> Option<&Numbers> {
        match &self.result {
            GameResult::Numbers(numbers) => Some(numbers),
            GameResult::Score { .. } | GameResult::Outcome(_) => None,
        }
    }

    /// The reason why an external program gave no result; `None` if the game has a result.
    pub fn missing(&self) -> Option<Missing> {
        Missing::of(self.numbers()?.score())
    }

    /// The number by which games are compared: the score, or the points of the outcome. It is not finite if the
    /// game is [missing](GameRecord::missing).
    pub fn value(&self) -> f64 {
        match self.result {
            GameResult::Score { score, .. } => score as f64,
            GameResult::Numbers(ref numbers) => numbers.score(),
            GameResult::Outcome(outcome) => outcome.points(),
        }
    }

    /// The named numbers of a game for one player.
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

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// The result of a game for one player.
    Score {
        /// Points at the end of the game.
        score: u64,
        /// Largest tile on the board at the end, as a tile value (2048, not 11); `None` in a game
        /// without tiles.
        max_tile: Option<u32>,
        /// True if two of the largest tiles that a board can encode have met (see
        /// [`MAX_RANK`](crate::games::sliding::rows::MAX_RANK)).
        capped: bool,
    },
    /// The numbers of a game of an external program.
    Numbers(Numbers),
    /// The outcome of a game between two players, from the view of the player under test.
    Outcome(Outcome),
}

impl GameResult {
    /// The result of a game for one player without tiles.
    pub fn scored(score: u64) -> Self {
        GameResult::Score {
            score,
            max_tile: None,
            capped: false,
        }
    }

    /// The result of a game for one player with tiles that is not capped.
    pub fn scored_with_tile(score: u64, max_tile: u32) -> Self {
        GameResult::Score {
            score,
            max_tile: Some(max_tile),
            capped: false,
        }
    }
}

/// The outcome of a game between two players, from the view of the player under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The player under test lost: 0 points.
    Loss,
    /// A draw: 1/2 point each.
    Draw,
    /// The player under test won: 1 point.
    Win,
}

impl Outcome {
    /// All outcomes, the worst first.
    pub const ALL: [Outcome; 3] = [Outcome::Loss, Outcome::Draw, Outcome::Win];

    /// Name in tables.
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

/// The phase of a campaign in which a game was played. The seeds of the phases are disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Games for the fitness of a candidate in a generation.
    Train,
    /// Games that compare the finalists of a search or series.
    Race,
    /// Games that compare the start weights with the recommended weights, on seeds that no other phase uses.
    HoldOut,
}
