//! The built-in games, a folder each, and the catalogue of their players: the only place that knows all
//! of them. A game must not import another; what the sliding games share is in [`sliding`].

pub mod connect_four;
pub mod sliding;
pub mod three_plus_three;
pub mod twenty48;

use crate::player::{Catalogue, Entry, Game};

/// All games with their players; the first is the default.
const GAMES: &[(&Game, &[Entry])] = &[
    (&twenty48::GAME, twenty48::PLAYERS),
    (&three_plus_three::GAME, three_plus_three::PLAYERS),
    (&connect_four::GAME, connect_four::PLAYERS),
];

impl Catalogue {
    /// The built-in games and players.
    pub fn builtin() -> Self {
        let games = GAMES.iter().map(|(game, _)| *game);
        let players = GAMES.iter().flat_map(|(_, players)| players.iter());
        Catalogue::new(games, players)
    }
}

#[cfg(test)]
mod tests;
