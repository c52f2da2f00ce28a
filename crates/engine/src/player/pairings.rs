//! The conditions of games that follow from their seeds: opponent, side and opening of games between two players, and the
//! setting of a player with several.

use super::options::OptionValue;
use super::spec::PlayerSpec;
use crate::random::{Players, setting_of};

/// The opponents of a player, or its settings. The seed of a game selects one of them.
#[derive(Clone, Debug)]
pub struct Pairings {
    opponents: Vec<String>,
    settings: Vec<String>,
}

/// The conditions of a game between two players, or of a player with several settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing<'a> {
    /// Name of the setting of a player with several; then the other conditions mean nothing.
    pub setting: Option<&'a str>,
    /// Name of the opponent; `None` if the player has no option that names opponents.
    pub opponent: Option<&'a str>,
    /// True if the player under test makes the first move after the opening.
    pub moves_first: bool,
    /// Number of the opening. Games with equal numbers start with the same position.
    pub opening: u64,
}

impl Pairings {
    /// The opponents or the settings of a player; `None` in a game for one player with one setting.
    pub fn of(player: &PlayerSpec) -> Option<Self> {
        match player.players() {
            Players::One => {
                let settings = player.setting_names();
                (!settings.is_empty()).then(|| Pairings {
                    opponents: Vec::new(),
                    settings,
                })
            }
            Players::Two => {
                let opponents = player.opponents().and_then(OptionValue::texts);
                Some(Pairings {
                    opponents: opponents.unwrap_or_default(),
                    settings: Vec::new(),
                })
            }
        }
    }

    /// The conditions of the game of `seed`.
    pub fn of_seed(&self, seed: u64) -> Pairing<'_> {
        let count = self.opponents.len();
        let opponent = (count > 0).then(|| self.opponents[Players::opponent(seed, count)].as_str());
        let of_seed = || &*self.settings[setting_of(seed) % self.settings.len()];
        Pairing {
            setting: (!self.settings.is_empty()).then(of_seed),
            opponent,
            moves_first: Players::moves_first(seed),
            opening: Players::opening(seed),
        }
    }
}
