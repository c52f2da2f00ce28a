//! Errors between a player and a page.

/// Why a page cannot be found, read or played.
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
        /// What the operating system says.
        reason: String,
    },
    /// Something else than a browser listens at the port.
    #[error("what answers at 127.0.0.1:{port} is not the remote debugging of a Chromium: {reason}")]
    NotChromium {
        port: u16,
        /// What the answer lacks.
        reason: String,
    },
    /// The tab was closed, or the browser ended.
    #[error("{what}")]
    Closed {
        /// Which of them.
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
    /// The browser refuses a call.
    #[error("Chromium refuses {method}: {message}")]
    Refused {
        /// The method of the DevTools protocol.
        method: &'static str,
        message: String,
    },
    /// A script failed in the page.
    #[error("a script failed in the page: {0}")]
    Script(String),
    /// No open page is a game, or not exactly one is.
    #[error("{0}")]
    Which(String),
    /// The page has navigated away from the game.
    #[error("the page shows no game of 2048 any more: {url}")]
    Gone {
        /// Its address.
        url: String,
    },
    /// A board of another size.
    #[error("the board of the page has {cells} cells; the players know the board of 4 x 4")]
    Size {
        /// Number of cells.
        cells: usize,
    },
    /// A number that the players cannot hold.
    #[error("the page shows the tile {tile}; the players know the powers of 2 from 2 to {largest}")]
    Tile {
        tile: u64,
        /// The largest tile of the players.
        largest: u64,
    },
    /// Only a merge is left that the players do not know.
    #[error(
        "only two tiles {largest} can be merged, and the players do not know the tile that they make"
    )]
    Capped {
        /// The largest tile of the players.
        largest: u64,
    },
    /// The page does not react to keys.
    #[error(
        "the page did not react to the key `{key}` for {seconds} s, although the move is legal; a dialog \
         of the page may be in front of the game"
    )]
    Ignored {
        /// The move.
        key: &'static str,
        /// The timeout.
        seconds: u64,
    },
    /// A stop was requested.
    #[error("interrupted")]
    Stopped,
}
