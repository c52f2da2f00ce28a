//! Several games of a page, one after the other. This module must not know how a page is read.

use super::Error;
use super::page::Page;
use super::play::{GameEnd, PageEvent, PageGame, PlaySettings, play};
use super::rules::is_stuck;
use crate::player::Player;
use crate::stop::Stop;

/// A game and how it ended.
#[derive(Clone, Copy, Debug)]
pub struct PlayedGame {
    pub game: PageGame,
    pub end: GameEnd,
}

/// Several games of a page.
#[derive(Clone, Copy)]
pub struct Games {
    /// Their largest number. With a wanted tile, the game that reaches it is the last one.
    pub games: u32,
    /// Whether a game that is over already is left out, and another one begun.
    pub begins_anew: bool,
    /// How each of them is played. The random choices of the player go on from game to game.
    pub manner: PlaySettings,
}

/// Receives events and games.
pub trait GamesObserver {
    /// An event other than a move.
    fn event(&mut self, event: PageEvent);

    /// A game has ended, also by an error.
    ///
    /// # Errors
    /// If it cannot be recorded; then no further game is played.
    fn ended(&mut self, played: &PlayedGame) -> Result<(), Error>;
}

/// Plays games. Further games are begun as [`Page::restart`] says.
///
/// # Errors
/// As [`play`], or if the page begins no further game or a game cannot be recorded.
pub fn play_games(
    page: &mut Page,
    player: &dyn Player,
    wanted: Games,
    stop: Stop,
    observer: &mut dyn GamesObserver,
) -> Result<(), Error> {
    let mut manner = wanted.manner;
    if wanted.begins_anew {
        let state = page.look()?;
        if state.is_over || is_stuck(&manner.rules, &state.board)? {
            page.restart(&state)?;
        }
    }
    for number in 1..=wanted.games {
        let observe = &mut |event| observer.event(event);
        let (game, ended) = play(page, player, manner, stop, observe);
        manner.seed = manner.seed.wrapping_add(game.moves);
        let end = ended.as_ref().map_or(GameEnd::Left, |(end, _)| *end);
        observer.ended(&PlayedGame { game, end })?;
        let (end, state) = ended?;
        if end == GameEnd::Reached {
            break;
        }
        if number < wanted.games {
            page.restart(&state)?;
        }
    }
    Ok(())
}
