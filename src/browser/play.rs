//! A player plays the game of a page until it ends. This module must not know how a page is read.

use std::thread;
use std::time::{Duration, Instant};

use super::Error;
use super::answer::{LARGEST, PageState};
use super::page::Page;
use super::rules::{Watch, difference, is_stuck};
use crate::games::sliding::Shape;
use crate::games::twenty48::rules::{Direction, Rules, SizedBoard, Variation};
use crate::player::Player;
use crate::stop::Stop;

/// Timeout of a page's reaction to a legal move.
const PATIENCE: Duration = Duration::from_secs(5);

/// Timeout for a page to say that the game is over, once no move is left.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Time until a key without effect is pressed again.
const AGAIN: Duration = Duration::from_millis(20);

/// Polling interval of the stop request.
const GLANCE: Duration = Duration::from_millis(100);

/// The settings of a game.
#[derive(Clone, Copy)]
pub struct PlaySettings {
    /// The rules that the page should follow; its board must have their size.
    pub rules: Variation,
    /// The seed of the player's random choices. The seed of each move is counted from this one.
    pub seed: u64,
    /// Shortest time between two moves.
    pub pause: Duration,
    /// The game is left as soon as the page shows this tile or a larger one.
    pub until: Option<u64>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The page says that it is over.
    Over,
    /// The page shows the wanted tile.
    Reached,
    /// An error or a stop request ended it.
    Left,
}

impl GameEnd {
    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            GameEnd::Over => "over",
            GameEnd::Reached => "reached",
            GameEnd::Left => "left",
        }
    }
}

/// An event other than a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageEvent {
    /// The page has said that the game is won, usually at the tile 2048, and the game continues.
    KeptPlaying,
    /// The page has started another game.
    NewGame,
}

/// The part of a game that was played by this program.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageGame {
    /// The score of the page; `None` if it shows none.
    pub score: Option<u64>,
    /// The largest tile of the page.
    pub max_tile: u64,
    /// Number of moves of this program.
    pub moves: u64,
    /// Time since the first reading of the page.
    pub time: Duration,
}

impl PageGame {
    pub fn moves_per_second(&self) -> f64 {
        match self.time.as_secs_f64() {
            0.0 => 0.0,
            seconds => self.moves as f64 / seconds,
        }
    }
}

/// Plays the game of the page until it is over or the wanted tile is there. Also returns what was played before an error,
/// and the last state of the page.
///
/// # Errors
/// If the page is closed, accepts no keys, has a board or a tile that the players do not support or other rules than 2048, or
/// if a stop was requested.
pub fn play(
    page: &mut Page,
    player: &dyn Player,
    manner: PlaySettings,
    stop: Stop,
    observe: &mut dyn FnMut(PageEvent),
) -> (PageGame, Result<(GameEnd, PageState), Error>) {
    let mut game = PagePlayer {
        played: PageGame::default(),
        begun: Instant::now(),
        manner,
        watch: Watch::default(),
        stop,
    };
    let ended = game.play_to_end(page, player, observe);
    game.played.time = game.begun.elapsed();
    (game.played, ended)
}

struct PagePlayer<'a> {
    played: PageGame,
    begun: Instant,
    manner: PlaySettings,
    watch: Watch,
    stop: Stop<'a>,
}

impl PagePlayer<'_> {
    fn play_to_end(
        &mut self,
        page: &mut Page,
        player: &dyn Player,
        observe: &mut dyn FnMut(PageEvent),
    ) -> Result<(GameEnd, PageState), Error> {
        let mut state = page.look()?;
        let mut next = Instant::now();
        loop {
            self.note(&state);
            if self.has_reached() {
                return Ok((GameEnd::Reached, state));
            }
            if state.is_over {
                return Ok((GameEnd::Over, state));
            }
            let board = state.board.board()?;
            if board.shape != self.manner.rules.shape() {
                let (rows, columns) = (state.board.rows, state.board.columns);
                return Err(Error::Resized { rows, columns });
            }
            if is_stuck(&self.manner.rules, &state.board)? {
                return self.without_moves(page, state);
            }
            let Some(chosen) = self.choose(player, board)? else {
                // The page treats this as a game that continues.
                return Err(Error::Capped { largest: LARGEST });
            };
            self.wait_until(next)?;
            next = Instant::now() + self.manner.pause;
            if state.waits {
                page.keep_playing()?;
                observe(PageEvent::KeptPlaying);
            }
            let after = self.made(page, &state, board, chosen)?;
            if is_another_game(&state, &after) {
                observe(PageEvent::NewGame);
                self.played = PageGame::default();
                self.watch = Watch::default();
                self.begun = Instant::now();
            } else {
                self.played.moves += 1;
                // The elements of a game that has just ended may be incomplete.
                if !after.is_over {
                    let rules = &self.manner.rules;
                    let differs = difference(rules, board, chosen, &after.board);
                    self.watch.note(chosen, differs)?;
                }
            }
            state = after;
        }
    }

    fn note(&mut self, state: &PageState) {
        // A page can hide its score for a while.
        self.played.score = state.score.or(self.played.score);
        // The elements of a game that has just ended may be incomplete.
        self.played.max_tile = self.played.max_tile.max(state.board.largest());
    }

    fn has_reached(&self) -> bool {
        (self.manner.until).is_some_and(|tile| self.played.max_tile >= tile)
    }

    /// The move of the player; `None` if it finds none.
    fn choose(&self, player: &dyn Player, at: SizedBoard) -> Result<Option<Direction>, Error> {
        let seed = self.manner.seed.wrapping_add(self.played.moves);
        let analysis = match at.shape {
            Shape::STANDARD => player.analyze(&at.board, seed, self.stop),
            _ => player.analyze(&at, seed, self.stop),
        };
        let analysis = analysis.map_err(|error| Error::Which(error.to_string()))?;
        let best = analysis.ok_or(Error::Stopped)?.best;
        let named = |name: &String| {
            let mut all = Direction::ALL.into_iter();
            all.find(|direction| direction.name() == name)
        };
        Ok(best.as_ref().and_then(named))
    }

    /// The end of a game in which no move is left. Many pages do not say so.
    fn without_moves(
        &self,
        page: &mut Page,
        mut state: PageState,
    ) -> Result<(GameEnd, PageState), Error> {
        let begun = Instant::now();
        while !state.is_over && begun.elapsed() < LAST_WORDS {
            self.wait_until(Instant::now() + AGAIN)?;
            state = page.look()?;
        }
        Ok((GameEnd::Over, state))
    }

    /// Makes a move. While the page is loading, the key is pressed again until it has an effect.
    fn made(
        &self,
        page: &mut Page,
        before: &PageState,
        board: SizedBoard,
        chosen: Direction,
    ) -> Result<PageState, Error> {
        let begun = Instant::now();
        loop {
            let after = page.press(chosen, board, &self.manner.rules)?;
            if after.board != before.board || after.is_over {
                return Ok(after);
            }
            if begun.elapsed() > PATIENCE {
                return Err(Error::Ignored {
                    key: chosen.name(),
                    seconds: PATIENCE.as_secs(),
                });
            }
            self.wait_until(Instant::now() + AGAIN)?;
            // A reload has shown the dialog again.
            if after.waits {
                page.keep_playing()?;
            }
        }
    }

    fn wait_until(&self, instant: Instant) -> Result<(), Error> {
        loop {
            if self.stop.is_requested() {
                return Err(Error::Stopped);
            }
            let left = instant.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(GLANCE));
        }
    }
}

/// Whether a page has begun another game: moves only make the sum of all tiles and the score larger. The elements of a game
/// that has just ended may be incomplete.
fn is_another_game(before: &PageState, after: &PageState) -> bool {
    let scores = before.score.zip(after.score);
    let has_less_score = scores.is_none_or(|(before, after)| after < before);
    !after.is_over && has_less_score && after.board.sum() < before.board.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::PageBoard;

    #[test]
    fn another_game_has_less_of_everything() {
        let state = |tile, score, is_over| PageState {
            board: PageBoard {
                rows: 1,
                columns: 1,
                tiles: vec![tile],
            },
            score,
            is_over,
            waits: false,
        };
        let before = state(64, Some(300), false);
        assert!(is_another_game(&before, &state(4, Some(0), false)));
        assert!(is_another_game(&before, &state(4, None, false)));
        // A tile that is drawn late, a score that is read wrongly, and the end.
        assert!(!is_another_game(&before, &state(32, Some(304), false)));
        assert!(!is_another_game(&before, &state(66, Some(0), false)));
        assert!(!is_another_game(&before, &state(4, Some(0), true)));
    }
}
