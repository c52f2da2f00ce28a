//! Errors between a player and a page.

/// The reason why a page cannot be found, read or played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing listens at the port.
    #[error(
        "no Chromium answers at 127.0.0.1:{port} ({reason}). Start it with remote debugging and a \
         profile of its own: chromium --remote-debugging-port={port} --user-data-dir=DIRECTORY PAGE"
    )]
    NoBrowser {
        port: u16,
        /// Error of the operating system.
        reason: String,
    },
    /// A program listens at the port, but does not list its pages.
    #[error(
        "what answers at 127.0.0.1:{port} does not list its pages: GET /json/list is answered by `{answer}`. A Chromium \
         whose remote debugging was switched on in its settings (chrome://inspect) answers like this: start it with \
         --remote-debugging-port={port} --user-data-dir=DIRECTORY instead. Another browser than Chromium cannot be played"
    )]
    NoList {
        port: u16,
        /// The first line of the answer.
        answer: String,
    },
    /// Another program than a browser listens at the port.
    #[error("what answers at 127.0.0.1:{port} is not the remote debugging of a Chromium: {reason}")]
    NotChromium {
        port: u16,
        /// The missing part of the answer.
        reason: String,
    },
    /// The tab was closed, or the browser ended.
    #[error("{what}")]
    Closed {
        /// The closed tab or the ended browser.
        what: &'static str,
    },
    /// The page timed out.
    #[error(
        "the page has not answered for {seconds} s; a dialog may be open, or its scripts may be paused \
         by a debugger"
    )]
    Silent {
        /// The timeout.
        seconds: u64,
    },
    /// The browser refused a call.
    #[error("Chromium refuses {method}: {message}")]
    Refused {
        /// The method of the DevTools protocol.
        method: &'static str,
        message: String,
    },
    /// A script failed in the page.
    #[error("a script failed in the page: {0}")]
    Script(String),
    /// None of the open pages is a game, or several are.
    #[error("{0}")]
    Which(String),
    /// The page has navigated away from the game.
    #[error("the page shows no game of 2048 any more: {url}")]
    Gone {
        /// Address of the new page.
        url: String,
    },
    /// The board has another size.
    #[error(
        "the board of the page is {rows} x {columns}; the players know boards of 2 to 4 rows and columns"
    )]
    Size {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// The board has got another size during a game.
    #[error("the board of the page has become {rows} x {columns}")]
    Resized {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// A tile that the players do not support.
    #[error("the page shows the tile {tile}; the players know the powers of 2 from 2 to {largest}")]
    Tile {
        tile: u64,
        /// The largest tile that the players support.
        largest: u64,
    },
    /// The only legal move is a merge that the players do not support.
    #[error(
        "only two tiles {largest} can be merged, and the players do not know the tile that they make"
    )]
    Capped {
        /// The largest tile that the players support.
        largest: u64,
    },
    /// The page does not react to keys.
    #[error(
        "the page did not react to the key `{key}` for {seconds} s, although the move is legal; a dialog \
         of the page may be in front of the game, or the page says that it is over"
    )]
    Ignored {
        /// The move.
        key: &'static str,
        /// The timeout.
        seconds: u64,
    },
    /// The page has other rules than 2048.
    #[error(
        "the page does not follow the rules of 2048: {moves} moves did what 2048 does not. After the last one, `{key}`, \
         {what}"
    )]
    Rules {
        /// Number of these moves.
        moves: u32,
        /// The last move.
        key: &'static str,
        /// What differed after it.
        what: String,
    },
    /// The page begins no further game.
    #[error(
        "the page did not begin another game within {seconds} s: a button for it was not found or did not do it, nor did the \
         key R and a reload"
    )]
    NoNextGame {
        /// The timeout.
        seconds: u64,
    },
    /// What was called for each game failed.
    #[error("{0}")]
    Record(String),
    /// A stop was requested.
    #[error("interrupted")]
    Stopped,
}
