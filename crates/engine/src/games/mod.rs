//! The built-in games, one folder each, and the catalogue of their players. No other module knows
//! all games. A game must not import another; what 2048 and 3+3 share is in [`sliding`].
//!
//! ```
//! use tiletune_engine::games::twenty48::rules::{Board, Direction};
//!
//! let board = Board::from_ranks([1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
//! assert_eq!(board.tiles()[..4], [2, 2, 4, 0]);
//! assert_eq!(board.moved(Direction::Left).tiles()[..4], [4, 4, 0, 0]);
//! ```

pub mod connect_four;
pub mod external;
pub mod sliding;
pub mod three_plus_three;
pub mod twenty48;
#[cfg(test)]
pub(crate) mod vectors;

use crate::player::{Catalogue, GameEntry, PlayerEntry};

/// All games with their players; the first is the default.
const GAMES: &[(&GameEntry, &[PlayerEntry])] = &[
    (&twenty48::GAME, twenty48::PLAYERS),
    (&three_plus_three::GAME, three_plus_three::PLAYERS),
    (&connect_four::GAME, connect_four::PLAYERS),
    (&external::GAME, external::PLAYERS),
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
