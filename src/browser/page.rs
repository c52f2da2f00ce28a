//! The page of a 2048, or a frame of one: reads its state, presses its keys. The board is read from the storage of the page;
//! for pages without it, from their elements; for other pages, from a grid of numbers or by an adapter of the user. This module must not choose moves.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Error;
use super::answer::{BoardSource, PageState, ScriptAnswer};
use super::protocol::{DevTools, Frame, Target};
use super::rules::difference;
use super::script::{Command, Pages, Script};
use crate::games::twenty48::rules::{Direction, SizedBoard, Variation};
use crate::stop::Stop;

/// Number of frames until the elements are in their final cells after a move. A tile is first drawn at its old place,
/// and gets its new place a frame later. The third frame is a margin.
const FRAMES: u32 = 3;

/// Timeout for a page to load, to draw, or to react to a key.
const PATIENCE: Duration = Duration::from_secs(5);

/// Timeout while it is unknown whether a page is a game.
const BRIEF: Duration = Duration::from_secs(3);

/// Time until the button for another game is pressed again.
const AGAIN: Duration = Duration::from_millis(1500);

/// Polling interval of a page that is not ready.
const PAUSE: Duration = Duration::from_millis(20);

/// An open page with a game.
pub struct Page<'a> {
    connection: DevTools<'a>,
    target: Target,
    /// The frame with the game, if it is not the page itself.
    frame: Option<Frame>,
    script: Script,
    source: BoardSource,
    /// Timeout for a script that fails, as it does while a page is loaded.
    retries: Duration,
    stop: Stop<'a>,
}

/// Whether a page is a game.
pub(super) enum Attached<'a> {
    Game(Box<Page<'a>>),
    /// It is none. The reason is there if a page adapter failed.
    No(Option<String>),
}

impl<'a> Page<'a> {
    /// The page of a connection, or a frame of it, if it is a game. The page must be in the front: hidden pages have no
    /// animation frames.
    pub(super) fn attach(
        mut connection: DevTools<'a>,
        (target, frame): (&Target, Option<&Frame>),
        script: &Script,
        stop: Stop<'a>,
    ) -> Result<Attached<'a>, Error> {
        connection.set_patience(BRIEF);
        let mut page = Page {
            connection,
            target: target.clone(),
            frame: frame.cloned(),
            script: script.clone(),
            source: BoardSource::Storage,
            // A page that an adapter does not fit makes it fail.
            retries: match script.pages() {
                Pages::Known => PATIENCE,
                Pages::Grids | Pages::Adapter => Duration::from_secs(1),
            },
            stop,
        };
        let begun = Instant::now();
        let answer = loop {
            let answer = match page.answer(None, FRAMES) {
                Err(Error::Script(reason)) if script.pages() != Pages::Known => {
                    return Ok(Attached::No(Some(reason)));
                }
                answer => answer?,
            };
            // A page that animates a move shows another board than the stored one for some frames.
            let is_known = answer.is_game() && answer.is_settled() || answer.over;
            if is_known || !answer.loads && !answer.is_game() || begun.elapsed() > BRIEF {
                break answer;
            }
        };
        if !answer.is_game() {
            return Ok(Attached::No(None));
        }
        page.source = match script.pages() {
            Pages::Known => answer.source(),
            Pages::Grids => BoardSource::Grid,
            Pages::Adapter => BoardSource::Adapter,
        };
        page.connection.accept_dialogs()?;
        page.retries = PATIENCE;
        page.connection.set_patience(PATIENCE);
        // The list of targets may be older than the page.
        let title = page.connection.evaluate("document.title")?;
        page.target.title = title.as_str().unwrap_or_default().to_owned();
        Ok(Attached::Game(Box::new(page)))
    }

    pub fn title(&self) -> &str {
        &self.target.title
    }

    /// The address of the page, or of the frame with the game.
    pub fn url(&self) -> &str {
        self.frame
            .as_ref()
            .map_or(&self.target.url, |frame| &frame.url)
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
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
            BoardSource::Elements | BoardSource::Grid | BoardSource::Adapter => FRAMES,
        };
        let answer = self.answer(None, frames)?;
        self.state(answer)
    }

    /// Presses the key of a move, and reads the state. If it takes time until it is there, it is awaited by these rules.
    ///
    /// # Errors
    /// If the page is closed, or is not a game any more.
    pub fn press(
        &mut self,
        key: Direction,
        before: SizedBoard,
        rules: &Variation,
    ) -> Result<PageState, Error> {
        let press = Some(Command::Press(key));
        if self.source == BoardSource::Storage {
            let answer = self.answer(press, 0)?;
            return self.state(answer);
        }
        // An adapter can wait until the move is made, and many pages make it at once. The elements of Cirulli's game show it
        // after some frames, on a busy machine late.
        let frames = match self.source {
            BoardSource::Grid | BoardSource::Adapter => 0,
            BoardSource::Storage | BoardSource::Elements => FRAMES,
        };
        let answer = self.answer(press, frames)?;
        let mut state = self.state(answer)?;
        let begun = Instant::now();
        while difference(rules, before, key, &state.board).is_some()
            && !state.is_over
            && begun.elapsed() < PATIENCE / 5
        {
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
        while !self.answer(None, 1)?.won && begun.elapsed() < Duration::from_secs(1) {}
        self.answer(Some(Command::Resume), 0).map(drop)
    }

    /// Begins another game after one that ended with this state: by the page's own button or the key R, at last by a reload; or
    /// by the page adapter.
    ///
    /// # Errors
    /// If the page is closed, is not a game any more, or shows no new game.
    pub fn restart(&mut self, ended: &PageState) -> Result<PageState, Error> {
        let is_adapter = self.source == BoardSource::Adapter;
        let presses = if is_adapter { 3 } else { 2 };
        for _ in 0..presses {
            self.answer(Some(Command::Restart), FRAMES)?;
            // The page may have asked whether it should begin, so the button is pressed again.
            if let Some(state) = self.begun(ended, AGAIN)? {
                return Ok(state);
            }
        }
        if !is_adapter {
            let frame = self.frame.as_ref().map(|frame| frame.id.as_str());
            self.connection.evaluate_in(frame, "location.reload()")?;
        }
        let seconds = PATIENCE.as_secs();
        let state = self.begun(ended, PATIENCE)?;
        state.ok_or(Error::NoNextGame { seconds })
    }

    /// The state of another game; `None` if there is none in time.
    fn begun(&mut self, ended: &PageState, limit: Duration) -> Result<Option<PageState>, Error> {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            let state = self.look()?;
            // Moves only make the sum of all tiles larger.
            if !state.is_over && state.board.sum() < ended.board.sum() {
                return Ok(Some(state));
            }
            thread::sleep(PAUSE);
        }
        Ok(None)
    }

    /// The state in an answer. A page without its stored game has just ended the game and will show that a frame later,
    /// or it does not store its games any more. A page without tiles is loading.
    fn state(&mut self, answer: ScriptAnswer) -> Result<PageState, Error> {
        if let Some(state) = answer.state(self.source) {
            return Ok(state);
        }
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let answer = self.answer(None, FRAMES)?;
            if let Some(state) = answer.state(self.source) {
                return Ok(state);
            }
            thread::sleep(PAUSE);
        }
        if self.source == BoardSource::Storage {
            self.source = BoardSource::Elements;
        }
        let answer = self.answer(None, FRAMES)?;
        let url = self.url().to_owned();
        answer.state(self.source).ok_or(Error::Gone { url })
    }

    /// Runs the script. If the page is loaded again in the meantime, the key is lost and the new page is read.
    fn answer(&mut self, command: Option<Command>, frames: u32) -> Result<ScriptAnswer, Error> {
        let mut call = self.script.call(command, frames);
        let begun = Instant::now();
        loop {
            let frame = self.frame.as_ref().map(|frame| frame.id.as_str());
            let failure = match self.connection.evaluate_in(frame, &call) {
                Ok(answer) => match serde_json::from_value(answer) {
                    Ok(answer) => return Ok(answer),
                    Err(error) => Error::Script(error.to_string()),
                },
                Err(error @ (Error::Refused { .. } | Error::Script(_))) => error,
                Err(error) => return Err(error),
            };
            if begun.elapsed() > self.retries {
                return Err(failure);
            }
            if self.stop.is_requested() {
                return Err(Error::Stopped);
            }
            thread::sleep(PAUSE);
            call = self.script.call(None, FRAMES);
        }
    }

    /// Brings the page to the front again, after others were asked.
    pub(super) fn bring_to_front(&mut self) -> Result<(), Error> {
        bring_to_front(&mut self.connection)
    }
}

/// Shows a page, because hidden pages have no animation frames. Frames of other sites cannot be shown alone.
pub(super) fn bring_to_front(connection: &mut DevTools) -> Result<(), Error> {
    match connection.call("Page.bringToFront", json!({})) {
        Ok(_) | Err(Error::Refused { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
