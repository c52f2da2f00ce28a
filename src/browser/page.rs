//! The page of a 2048: which of the open pages it is, what it shows, its keys. The page's own storage tells
//! the board; pages without it are read from their elements. This module must not choose moves.

use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;

use super::Error;
use super::protocol::{Connection, Target, targets};
use crate::games::twenty48::rules::{Board, Direction};
use crate::stop::Stop;

/// The function that runs in the page.
const SCRIPT: &str = include_str!("page.js");

/// Frames until the elements of a move stand in their final cells: a tile is put where it was, gets its new
/// place a frame later, and a third frame is a margin.
const FRAMES: u32 = 3;

/// The time that a page gets to load, to draw, or to react to a key.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time that a page gets to answer while it is not known whether it is a game.
const BRIEF: Duration = Duration::from_secs(3);

/// The time between two looks at a page that is not ready.
const PAUSE: Duration = Duration::from_millis(20);

/// The rank of the largest tile that the players know.
const MAX_RANK: u32 = 15;

/// The largest tile that the players know.
pub(super) const LARGEST: u64 = 1 << MAX_RANK;

/// Where the board is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The game that the page keeps in `localStorage`.
    Storage,
    /// The elements of the tiles.
    Elements,
}

/// What a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The tiles, row by row from the top left; 0 for an empty cell.
    pub tiles: Vec<u64>,
    /// The score.
    pub score: u64,
    /// Whether the game is over.
    pub is_over: bool,
    /// Whether the game is won and the page waits for "Keep going".
    pub waits: bool,
}

impl Sight {
    /// The board of the players.
    ///
    /// # Errors
    /// If it has another size, or a tile that the players do not know.
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

/// The answer of the script.
#[derive(Deserialize)]
struct Answer {
    stored: Option<Stored>,
    shown: Option<Vec<u64>>,
    score: u64,
    over: bool,
    won: bool,
    loads: bool,
}

/// The game that the page keeps.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    cells: Vec<u64>,
    score: u64,
    won: bool,
    over: bool,
    keep_playing: bool,
}

/// Whether there is a tile in any cell.
fn has_tiles(cells: &[u64]) -> bool {
    cells.iter().any(|&tile| tile > 0)
}

impl Answer {
    /// Whether the page can be played.
    fn is_game(&self) -> bool {
        self.stored.is_some() || self.shown.as_deref().is_some_and(has_tiles)
    }

    /// Where to read the board. The storage of an origin outlives the page that wrote it, so a stored game
    /// counts only if the page does not show another one.
    fn source(&self) -> Source {
        match (&self.stored, &self.shown) {
            (Some(stored), Some(shown)) if stored.cells == *shown => Source::Storage,
            (Some(_), None) => Source::Storage,
            _ => Source::Elements,
        }
    }

    fn sight(self, source: Source) -> Option<Sight> {
        match (source, self.stored) {
            (Source::Storage, Some(stored)) => Some(Sight {
                waits: stored.won && !stored.keep_playing && !self.over,
                tiles: stored.cells,
                score: stored.score,
                is_over: stored.over || self.over,
            }),
            // The page forgets its game when it is over.
            (Source::Storage, None) if !self.over => None,
            _ => {
                // A page that is being loaded shows no tile yet.
                let tiles = self.shown.filter(|cells| has_tiles(cells))?;
                Some(Sight {
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
    connection: Connection<'a>,
    target: Target,
    source: Source,
    stop: Stop<'a>,
}

impl<'a> Page<'a> {
    /// The open page with a 2048 in the Chromium at a port; with a `text`, the one whose title or address
    /// contains it.
    ///
    /// # Errors
    /// If no Chromium answers, or not exactly one page is a 2048.
    pub fn find(port: u16, text: Option<&str>, stop: Stop<'a>) -> Result<Self, Error> {
        let mut open = targets(port, stop)?;
        // Not the windows of the browser itself, which are targets, too.
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
        let mut connection = Connection::open(port, target, stop)?;
        connection.set_patience(BRIEF);
        // Unseen pages have no frames of animation.
        connection.call("Page.bringToFront", json!({}))?;
        let mut page = Page {
            connection,
            target: target.clone(),
            source: Source::Storage,
            stop,
        };
        let begun = Instant::now();
        let answer = loop {
            let answer = page.answer(None, FRAMES, false)?;
            // A page that animates a move shows another board than it stores for some frames.
            let is_settled = answer.source() == Source::Storage || answer.stored.is_none();
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

    /// Its title.
    pub fn title(&self) -> &str {
        &self.target.title
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.target.url
    }

    /// Where the board is read.
    pub fn source(&self) -> Source {
        self.source
    }

    /// What it shows.
    ///
    /// # Errors
    /// If it is closed, or no game any more.
    pub fn look(&mut self) -> Result<Sight, Error> {
        let frames = match self.source {
            Source::Storage => 0,
            Source::Elements => FRAMES,
        };
        let answer = self.answer(None, frames, false)?;
        self.sight(answer)
    }

    /// Presses the key of a move and looks.
    ///
    /// # Errors
    /// If it is closed, or no game any more.
    pub fn press(&mut self, key: Direction, before: Board) -> Result<Sight, Error> {
        if self.source == Source::Storage {
            let answer = self.answer(Some(key), 0, false)?;
            return self.sight(answer);
        }
        // The elements show the move after some frames, which are late where much else is computed.
        let answer = self.answer(Some(key), FRAMES, false)?;
        let mut sight = self.sight(answer)?;
        let begun = Instant::now();
        while !is_after(before, key, &sight) && !sight.is_over && begun.elapsed() < PATIENCE / 5 {
            sight = self.look()?;
        }
        Ok(sight)
    }

    /// Presses the page's button that goes on after the tile 2048.
    ///
    /// # Errors
    /// If it is closed, or no game any more.
    pub fn keep_playing(&mut self) -> Result<(), Error> {
        // The message comes a frame after the move. Whoever is faster than it leaves it standing there.
        let begun = Instant::now();
        while !self.answer(None, 1, false)?.won && begun.elapsed() < Duration::from_secs(1) {}
        self.answer(None, 0, true).map(drop)
    }

    /// What an answer shows. A page without its stored game has just ended it, and says so a frame later; or
    /// it does not store its games any more. A page without tiles is being loaded.
    fn sight(&mut self, answer: Answer) -> Result<Sight, Error> {
        if let Some(sight) = answer.sight(self.source) {
            return Ok(sight);
        }
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let answer = self.answer(None, FRAMES, false)?;
            if let Some(sight) = answer.sight(self.source) {
                return Ok(sight);
            }
            thread::sleep(PAUSE);
        }
        self.source = Source::Elements;
        let answer = self.answer(None, FRAMES, false)?;
        let url = self.target.url.clone();
        answer.sight(self.source).ok_or(Error::Gone { url })
    }

    /// Runs the script. Where the page is loaded again in the meantime, the key is lost and the new page is
    /// read.
    fn answer(
        &mut self,
        key: Option<Direction>,
        frames: u32,
        resume: bool,
    ) -> Result<Answer, Error> {
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

/// Whether the tiles are those after a move and one new tile.
fn is_after(before: Board, key: Direction, sight: &Sight) -> bool {
    let moved = before.moved(key).tiles();
    let differ = moved
        .into_iter()
        .zip(&sight.tiles)
        .filter(|(moved, seen)| u64::from(*moved) != **seen);
    let new: Vec<(u32, &u64)> = differ.collect();
    matches!(new[..], [(0, 2 | 4)])
}

/// Titles and addresses, a line each.
fn list<'t>(targets: impl IntoIterator<Item = &'t Target>) -> String {
    let line = |target: &Target| format!("\n  {} ({})", target.title, target.url);
    let lines: Vec<String> = targets.into_iter().map(line).collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!(":{}", lines.concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(tiles: &[u64]) -> Sight {
        Sight {
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
        let board = sight(&tiles).board().unwrap();
        assert_eq!(board.tiles().map(u64::from), tiles);
        for tile in [1, 3, 65536, u64::MAX] {
            tiles[3] = tile;
            let error = sight(&tiles).board().unwrap_err().to_string();
            assert!(error.contains(&format!("the tile {tile};")), "{error}");
        }
        let error = sight(&[2; 25]).board().unwrap_err().to_string();
        assert!(error.contains("25 cells"), "{error}");
    }

    #[test]
    fn a_move_is_seen_once_its_tiles_stand() {
        let mut tiles = [0; 16];
        (tiles[0], tiles[1]) = (2, 2);
        let before = sight(&tiles).board().unwrap();
        let seen = |cells: &[(usize, u64)]| {
            let mut tiles = [0; 16];
            for &(cell, tile) in cells {
                tiles[cell] = tile;
            }
            is_after(before, Direction::Left, &sight(&tiles))
        };
        assert!(seen(&[(0, 4), (9, 2)]));
        assert!(seen(&[(0, 4), (9, 4)]));
        assert!(!seen(&[(0, 4)]), "no new tile yet");
        assert!(!seen(&[(0, 2), (1, 2)]), "not moved yet");
        assert!(!seen(&[(0, 4), (9, 8)]), "no tile that appears");
        assert!(!seen(&[(0, 4), (9, 2), (10, 2)]), "two moves");
    }

    /// An answer as JSON, as the script gives it.
    fn answer(stored: &str, shown: &str, over: bool) -> Answer {
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
        assert_eq!(source(&stored, ours), Source::Storage);
        assert_eq!(source(&stored, "null"), Source::Storage);
        assert_eq!(source(&stored, other), Source::Elements);
        assert_eq!(source("null", ours), Source::Elements);
        assert!(!answer("null", "[0,0]", false).is_game());
        assert!(!answer("null", "null", false).is_game());

        let of_storage = answer(&stored, ours, false).sight(Source::Storage).unwrap();
        assert_eq!((of_storage.score, of_storage.waits), (4, true));
        let of_elements = answer(&stored, other, false)
            .sight(Source::Elements)
            .unwrap();
        assert_eq!((of_elements.score, of_elements.waits), (8, false));
        // The stored game is deleted when the game is over, before the page says so.
        assert_eq!(answer("null", ours, false).sight(Source::Storage), None);
        let ended = answer("null", ours, true).sight(Source::Storage).unwrap();
        assert!(ended.is_over && ended.score == 8);
    }
}
