//! The page of a 2048: finds it among the open pages, reads its state, presses its keys. The board is read from the
//! storage of the page; for pages without it, from their elements. This module must not choose moves.

use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;

use super::Error;
use super::protocol::{DevTools, Target, targets};
use crate::games::twenty48::rules::{Board, Direction};
use crate::stop::Stop;

/// The function that runs in the page.
const SCRIPT: &str = include_str!("page.js");

/// Number of frames until the elements are in their final cells after a move. A tile is first drawn at its old place,
/// and gets its new place a frame later. The third frame is a margin.
const FRAMES: u32 = 3;

/// Timeout for a page to load, to draw, or to react to a key.
const PATIENCE: Duration = Duration::from_secs(5);

/// Timeout while it is unknown whether a page is a game.
const BRIEF: Duration = Duration::from_secs(3);

/// Polling interval of a page that is not ready.
const PAUSE: Duration = Duration::from_millis(20);

/// The rank of the largest tile that the players support.
const MAX_RANK: u32 = 15;

/// The largest tile that the players support.
pub(super) const LARGEST: u64 = 1 << MAX_RANK;

/// The source of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardSource {
    /// The game that the page stores in `localStorage`.
    Storage,
    /// The elements of the tiles.
    Elements,
}

/// The state of the game in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageState {
    /// The tiles, row by row from the top left; 0 for an empty cell.
    pub tiles: Vec<u64>,
    pub score: u64,
    /// Whether the game is over.
    pub is_over: bool,
    /// Whether the game is won and the page waits for "Keep going".
    pub waits: bool,
}

impl PageState {
    /// The board in the form of the players.
    ///
    /// # Errors
    /// If it has another size, or a tile that the players do not support.
    pub fn board(&self) -> Result<Board, Error> {
        let largest = LARGEST;
        let rank = |&tile: &u64| match tile {
            0 => Ok(0),
            tile if tile.is_power_of_two() && (2..=largest).contains(&tile) => {
                Ok(tile.trailing_zeros() as u8)
            }
            tile => Err(Error::Tile { tile, largest }),
        };
        let ranks: Vec<u8> = self.tiles.iter().map(rank).collect::<Result<_, _>>()?;
        let cells = ranks.len();
        let ranks = <[u8; 16]>::try_from(ranks).map_err(|_| Error::Size { cells })?;
        Ok(Board::from_ranks(ranks))
    }

    /// The largest tile.
    pub fn largest(&self) -> u64 {
        self.tiles.iter().copied().max().unwrap_or(0)
    }
}

#[derive(Deserialize)]
struct ScriptAnswer {
    stored: Option<Stored>,
    shown: Option<Vec<u64>>,
    score: u64,
    over: bool,
    won: bool,
    loads: bool,
}

/// The game that the page stores.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    cells: Vec<u64>,
    score: u64,
    won: bool,
    over: bool,
    keep_playing: bool,
}

/// Whether any cell has a tile.
fn has_tiles(cells: &[u64]) -> bool {
    cells.iter().any(|&tile| tile > 0)
}

impl ScriptAnswer {
    /// Whether the page can be played.
    fn is_game(&self) -> bool {
        self.stored.is_some() || self.shown.as_deref().is_some_and(has_tiles)
    }

    /// The source of the board. The storage of an origin is kept when the page changes, so a stored game counts only if
    /// the page does not show another one.
    fn source(&self) -> BoardSource {
        match (&self.stored, &self.shown) {
            (Some(stored), Some(shown)) if stored.cells == *shown => BoardSource::Storage,
            (Some(_), None) => BoardSource::Storage,
            _ => BoardSource::Elements,
        }
    }

    fn state(self, source: BoardSource) -> Option<PageState> {
        match (source, self.stored) {
            (BoardSource::Storage, Some(stored)) => Some(PageState {
                waits: stored.won && !stored.keep_playing && !self.over,
                tiles: stored.cells,
                score: stored.score,
                is_over: stored.over || self.over,
            }),
            // The page deletes its stored game when the game is over.
            (BoardSource::Storage, None) if !self.over => None,
            _ => {
                // A page that is loading shows no tile yet.
                let tiles = self.shown.filter(|cells| has_tiles(cells))?;
                Some(PageState {
                    tiles,
                    score: self.score,
                    is_over: self.over,
                    waits: self.won && !self.over,
                })
            }
        }
    }
}

/// An open page with a game.
pub struct Page<'a> {
    connection: DevTools<'a>,
    target: Target,
    source: BoardSource,
    stop: Stop<'a>,
}

impl<'a> Page<'a> {
    /// The open page with a 2048 in the Chromium at a port. With `text`, the one whose title or address contains it.
    ///
    /// # Errors
    /// If no Chromium answers, or not exactly one page is a 2048.
    pub fn find(port: u16, text: Option<&str>, stop: Stop<'a>) -> Result<Self, Error> {
        let mut open = targets(port, stop)?;
        // The windows of the browser itself are targets, too, but not pages.
        open.retain(|target| target.kind == "page" && !target.socket.is_empty());
        let is_meant = |target: &&Target| {
            text.is_none_or(|text| target.title.contains(text) || target.url.contains(text))
        };
        let meant: Vec<&Target> = open.iter().filter(is_meant).collect();
        if meant.is_empty() {
            return Err(Error::Which(match text {
                Some(text) => format!(
                    "no open page has `{text}` in its title or address{}",
                    list(&open)
                ),
                None => "no page is open in that Chromium".to_owned(),
            }));
        }
        let mut games = Vec::new();
        for target in &meant {
            match Page::attach(port, target, stop) {
                Ok(Some(page)) => games.push(page),
                Ok(None) | Err(Error::Silent { .. } | Error::Closed { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let pages: Vec<Target> = games.iter().map(|page| page.target.clone()).collect();
        match (games.pop(), games.is_empty()) {
            (Some(page), true) => Ok(page),
            (None, _) => Err(Error::Which(format!(
                "no open page is a 2048: it would store its game as `gameState`, or have tiles in \
                 `.tile-container`{}",
                list(meant.into_iter())
            ))),
            (Some(_), false) => Err(Error::Which(format!(
                "{} open pages are a 2048; say which with --page and a part of its title or address{}",
                pages.len(),
                list(&pages)
            ))),
        }
    }

    /// The page of a target, if it is a 2048.
    fn attach(port: u16, target: &Target, stop: Stop<'a>) -> Result<Option<Self>, Error> {
        let mut connection = DevTools::open(port, target, stop)?;
        connection.set_patience(BRIEF);
        // Hidden pages have no animation frames.
        connection.call("Page.bringToFront", json!({}))?;
        let mut page = Page {
            connection,
            target: target.clone(),
            source: BoardSource::Storage,
            stop,
        };
        let begun = Instant::now();
        let answer = loop {
            let answer = page.answer(None, FRAMES, false)?;
            // A page that animates a move shows another board than the stored one for some frames.
            let is_settled = answer.source() == BoardSource::Storage || answer.stored.is_none();
            let is_known = answer.is_game() && is_settled || answer.over;
            if is_known || !answer.loads && !answer.is_game() || begun.elapsed() > BRIEF {
                break answer;
            }
        };
        if !answer.is_game() && !answer.over {
            return Ok(None);
        }
        page.source = answer.source();
        page.connection.set_patience(PATIENCE);
        // The list of targets may be older than the page.
        let title = page.connection.evaluate("document.title")?;
        page.target.title = title.as_str().unwrap_or_default().to_owned();
        Ok(Some(page))
    }

    pub fn title(&self) -> &str {
        &self.target.title
    }

    pub fn url(&self) -> &str {
        &self.target.url
    }

    /// The source of the board.
    pub fn source(&self) -> BoardSource {
        self.source
    }

    /// Reads the state of the page.
    ///
    /// # Errors
    /// If the page is closed, or is not a game any more.
    pub fn look(&mut self) -> Result<PageState, Error> {
        let frames = match self.source {
            BoardSource::Storage => 0,
            BoardSource::Elements => FRAMES,
        };
        let answer = self.answer(None, frames, false)?;
        self.state(answer)
    }

    /// Presses the key of a move, and reads the state.
    ///
    /// # Errors
    /// If the page is closed, or is not a game any more.
    pub fn press(&mut self, key: Direction, before: Board) -> Result<PageState, Error> {
        if self.source == BoardSource::Storage {
            let answer = self.answer(Some(key), 0, false)?;
            return self.state(answer);
        }
        // The elements show the move after some frames. On a busy machine the frames are late.
        let answer = self.answer(Some(key), FRAMES, false)?;
        let mut state = self.state(answer)?;
        let begun = Instant::now();
        while !is_after(before, key, &state) && !state.is_over && begun.elapsed() < PATIENCE / 5 {
            state = self.look()?;
        }
        Ok(state)
    }

    /// Presses the button of the page that continues the game after the tile 2048.
    ///
    /// # Errors
    /// If the page is closed, or is not a game any more.
    pub fn keep_playing(&mut self) -> Result<(), Error> {
        // The dialog appears a frame after the move. If we press before it appears, it stays open.
        let begun = Instant::now();
        while !self.answer(None, 1, false)?.won && begun.elapsed() < Duration::from_secs(1) {}
        self.answer(None, 0, true).map(drop)
    }

    /// The state in an answer. A page without its stored game has just ended the game and will show that a frame later,
    /// or it does not store its games any more. A page without tiles is loading.
    fn state(&mut self, answer: ScriptAnswer) -> Result<PageState, Error> {
        if let Some(state) = answer.state(self.source) {
            return Ok(state);
        }
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let answer = self.answer(None, FRAMES, false)?;
            if let Some(state) = answer.state(self.source) {
                return Ok(state);
            }
            thread::sleep(PAUSE);
        }
        self.source = BoardSource::Elements;
        let answer = self.answer(None, FRAMES, false)?;
        let url = self.target.url.clone();
        answer.state(self.source).ok_or(Error::Gone { url })
    }

    /// Runs the script. If the page is loaded again in the meantime, the key is lost and the new page is read.
    fn answer(
        &mut self,
        key: Option<Direction>,
        frames: u32,
        resume: bool,
    ) -> Result<ScriptAnswer, Error> {
        let mut call = format!(
            "{SCRIPT}({}, {frames}, {resume})",
            json!(key.map(Direction::name))
        );
        let begun = Instant::now();
        loop {
            let failure = match self.connection.evaluate(&call) {
                Ok(answer) => match serde_json::from_value(answer) {
                    Ok(answer) => return Ok(answer),
                    Err(error) => Error::Script(error.to_string()),
                },
                Err(error @ (Error::Refused { .. } | Error::Script(_))) => error,
                Err(error) => return Err(error),
            };
            if begun.elapsed() > PATIENCE {
                return Err(failure);
            }
            if self.stop.is_requested() {
                return Err(Error::Stopped);
            }
            thread::sleep(PAUSE);
            call = format!("{SCRIPT}(null, {FRAMES}, false)");
        }
    }
}

/// Whether the tiles can be the result of a move and one new tile.
fn is_after(before: Board, key: Direction, state: &PageState) -> bool {
    let moved = before.moved(key).tiles();
    let differ = moved
        .into_iter()
        .zip(&state.tiles)
        .filter(|(moved, seen)| u64::from(*moved) != **seen);
    let new: Vec<(u32, &u64)> = differ.collect();
    matches!(new[..], [(0, 2 | 4)])
}

/// Titles and addresses, one per line.
fn list<'t>(targets: impl IntoIterator<Item = &'t Target>) -> String {
    let line = |target: &Target| format!("\n  {} ({})", target.title, target.url);
    let lines: Vec<String> = targets.into_iter().map(line).collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!(":{}", lines.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(tiles: &[u64]) -> PageState {
        PageState {
            tiles: tiles.to_vec(),
            score: 0,
            is_over: false,
            waits: false,
        }
    }

    #[test]
    fn boards_are_those_of_the_players() {
        let mut tiles = [0; 16];
        (tiles[1], tiles[15]) = (2, 32768);
        let board = state(&tiles).board().unwrap();
        assert_eq!(board.tiles().map(u64::from), tiles);
        for tile in [1, 3, 65536, u64::MAX] {
            tiles[3] = tile;
            let error = state(&tiles).board().unwrap_err().to_string();
            assert!(error.contains(&format!("the tile {tile};")), "{error}");
        }
        let error = state(&[2; 25]).board().unwrap_err().to_string();
        assert!(error.contains("25 cells"), "{error}");
    }

    #[test]
    fn a_move_is_seen_once_its_tiles_stand() {
        let mut tiles = [0; 16];
        (tiles[0], tiles[1]) = (2, 2);
        let before = state(&tiles).board().unwrap();
        let seen = |cells: &[(usize, u64)]| {
            let mut tiles = [0; 16];
            for &(cell, tile) in cells {
                tiles[cell] = tile;
            }
            is_after(before, Direction::Left, &state(&tiles))
        };
        assert!(seen(&[(0, 4), (9, 2)]));
        assert!(seen(&[(0, 4), (9, 4)]));
        assert!(!seen(&[(0, 4)]), "no new tile yet");
        assert!(!seen(&[(0, 2), (1, 2)]), "not moved yet");
        assert!(!seen(&[(0, 4), (9, 8)]), "no tile that appears");
        assert!(!seen(&[(0, 4), (9, 2), (10, 2)]), "two moves");
    }

    /// An answer in the JSON form of the script.
    fn answer(stored: &str, shown: &str, over: bool) -> ScriptAnswer {
        let text = format!(
            r#"{{"stored":{stored},"shown":{shown},"score":8,"over":{over},"won":false,"loads":false}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_stored_game_counts_if_the_page_shows_no_other() {
        let [ours, other] = ["[2,4]", "[2,8]"];
        let stored =
            format!(r#"{{"cells":{ours},"score":4,"won":true,"over":false,"keepPlaying":false}}"#);
        let source = |stored: &str, shown: &str| answer(stored, shown, false).source();
        assert_eq!(source(&stored, ours), BoardSource::Storage);
        assert_eq!(source(&stored, "null"), BoardSource::Storage);
        assert_eq!(source(&stored, other), BoardSource::Elements);
        assert_eq!(source("null", ours), BoardSource::Elements);
        assert!(!answer("null", "[0,0]", false).is_game());
        assert!(!answer("null", "null", false).is_game());

        let of_storage = answer(&stored, ours, false)
            .state(BoardSource::Storage)
            .unwrap();
        assert_eq!((of_storage.score, of_storage.waits), (4, true));
        let of_elements = answer(&stored, other, false)
            .state(BoardSource::Elements)
            .unwrap();
        assert_eq!((of_elements.score, of_elements.waits), (8, false));
        // The stored game is deleted when the game is over, before the page shows that.
        assert_eq!(
            answer("null", ours, false).state(BoardSource::Storage),
            None
        );
        let ended = answer("null", ours, true)
            .state(BoardSource::Storage)
            .unwrap();
        assert!(ended.is_over && ended.score == 8);
    }
}
