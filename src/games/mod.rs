//! The built-in games, one folder each, and the catalogue of their players. No other module knows
//! all games. A game must not import another; what 2048 and 3+3 share is in [`sliding`].

pub mod connect_four;
pub mod sliding;
pub mod three_plus_three;
pub mod twenty48;
#[cfg(test)]
pub(crate) mod vectors;

use crate::player::{Catalogue, Entry, Game};

/// All games; the first is the default.
const GAMES: &[Game] = &[twenty48::GAME, three_plus_three::GAME, connect_four::GAME];

/// All players.
const PLAYERS: &[Entry] = &[
    twenty48::players::EXPECTIMAX,
    twenty48::published::expectimax_faithful::EXPECTIMAX_FAITHFUL,
    twenty48::published::minimax_six::MINIMAX_SIX,
    twenty48::published::minimax_six::MINIMAX_SIX_FAITHFUL,
    twenty48::published::snake::SNAKE,
    twenty48::published::snake::SNAKE_INTENDED,
    twenty48::players::GREEDY,
    twenty48::players::RANDOM,
    three_plus_three::players::EXPECTIMAX,
    three_plus_three::published::freedom::FREEDOM,
    three_plus_three::published::freedom::FREEDOM_SERVER,
    three_plus_three::players::RANDOM,
    connect_four::players::STRINGS,
    connect_four::published::strings::STRINGS_REPOSITORY,
    connect_four::published::strings::STRINGS_ARTICLE,
    connect_four::players::PERFECT,
    connect_four::players::RANDOM,
];

impl Catalogue {
    /// The built-in games and players.
    pub fn builtin() -> Self {
        Catalogue::new(GAMES, PLAYERS)
    }
}

#[cfg(test)]
mod tests;
