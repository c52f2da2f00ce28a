//! The conditions of games between two players, derived from their seeds: opponent, side and opening.

use super::options::OptionValue;
use super::spec::PlayerSpec;
use crate::random::Players;

/// The opponents of a player. The seed of a game selects one of them.
#[derive(Clone, Debug)]
pub struct Pairings {
    opponents: Vec<String>,
}

/// The conditions of a game between two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing<'a> {
    /// Name of the opponent; `None` if the player has no option that names opponents.
    pub opponent: Option<&'a str>,
    /// True if the player under test makes the first move after the opening.
    pub moves_first: bool,
    /// Number of the opening. Games with equal numbers start with the same position.
    pub opening: u64,
}

impl Pairings {
    /// The opponents of a player; `None` in a game for one player.
    pub fn of(player: &PlayerSpec) -> Option<Self> {
        match player.players() {
            Players::One => None,
            Players::Two => {
                let opponents = player.opponents().and_then(OptionValue::texts);
                Some(Pairings {
                    opponents: opponents.unwrap_or_default(),
                })
            }
        }
    }

    /// The conditions of the game of `seed`.
    pub fn of_seed(&self, seed: u64) -> Pairing<'_> {
        let count = self.opponents.len();
        let opponent = (count > 0).then(|| self.opponents[Players::opponent(seed, count)].as_str());
        Pairing {
            opponent,
            moves_first: Players::moves_first(seed),
            opening: Players::opening(seed),
        }
    }
}
