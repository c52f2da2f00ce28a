//! The settings of a server: what is served, to whom, and the limits.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::access::Token;
use crate::Catalogue;
use crate::run::RunKinds;
use crate::shipped;

/// What a server serves, and to whom.
#[derive(Clone)]
pub struct Settings {
    /// The address; port 0 chooses a free port. An address that other machines can reach needs a token.
    pub address: SocketAddr,
    /// The folder of runs and weights files. Nothing outside of it is served.
    pub results: PathBuf,
    /// Games and players.
    pub catalogue: Catalogue,
    /// Kinds of run.
    pub kinds: RunKinds,
    /// Origins of other sites whose pages may ask for advice, such as `https://example.org`.
    pub origins: Vec<String>,
    /// Whether the route of the original 3+3 program is served, too.
    pub bridge: bool,
    /// The token that every request must contain, if any.
    pub token: Option<Token>,
    /// This program, if the pages may start, stop and continue runs. It needs an address of this machine, and a token.
    pub start: Option<PathBuf>,
    pub limits: Limits,
}

impl Settings {
    /// The built-in games, players and kinds of run, for this machine only, at a free port.
    pub fn new(results: impl Into<PathBuf>) -> Self {
        Settings {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            results: results.into(),
            catalogue: Catalogue::builtin().with_weights(shipped::WEIGHTS),
            kinds: RunKinds::builtin(),
            origins: Vec::new(),
            bridge: false,
            token: None,
            start: None,
            limits: Limits::default(),
        }
    }
}

/// The limits of a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest number of connections. A further connection replaces the one that has not sent a request for the longest
    /// time.
    pub connections: usize,
    /// Largest number of connections of one other machine. Further ones are closed.
    pub connections_of_peer: usize,
    /// Time for the head of a request, and then again for its body.
    pub request: Duration,
    /// Time without reads and writes after which a connection is closed.
    pub idle: Duration,
    /// Largest number of bytes of a request body.
    pub body: usize,
    /// Largest number of searches at the same time.
    pub searches: usize,
    /// Largest number of requests for a search, including those that wait. Further ones are refused.
    pub requests: usize,
    /// Largest number of streams of games that are played for pages at the same time. Further ones are refused.
    pub streams: usize,
    /// Longest time that a search waits to begin. After it the request is refused.
    pub waiting: Duration,
    /// Time limit of a search.
    pub search: Duration,
    /// Largest search depth.
    pub depth: u8,
    /// Largest number of entries of a transposition table, as a power of two.
    pub table_bits: u32,
    /// Number of cached players. The least recently used ones are dropped.
    pub players: usize,
}

impl Default for Limits {
    /// One search for each core at the same time.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().ok();
        Limits {
            connections: 256,
            connections_of_peer: 64,
            request: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            body: 64 * 1024,
            searches: cores.map_or(1, usize::from),
            requests: 64,
            streams: cores.map_or(1, usize::from),
            waiting: Duration::from_secs(30),
            search: Duration::from_secs(10),
            depth: 8,
            table_bits: 20,
            players: 16,
        }
    }
}
