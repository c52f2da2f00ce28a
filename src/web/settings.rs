//! What a server serves, to whom, and how much of it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::access::Token;
use crate::Catalogue;
use crate::run::RunKinds;

/// What a server serves, and to whom.
#[derive(Clone)]
pub struct Settings {
    /// The address; port 0 is any free port. Another address than one of this machine alone needs a token.
    pub address: SocketAddr,
    /// The folder of runs and weights files; only what is in it is served.
    pub results: PathBuf,
    /// Games and players.
    pub catalogue: Catalogue,
    /// Kinds of run.
    pub kinds: RunKinds,
    /// Origins of other sites whose pages may ask for advice, such as `https://example.org`.
    pub origins: Vec<String>,
    /// Whether the route of the original 3+3 program is answered, too.
    pub bridge: bool,
    /// What every request must know, if anything.
    pub token: Option<Token>,
    /// How much is served.
    pub limits: Limits,
}

impl Settings {
    /// What is built in, for this machine alone, on any free port.
    pub fn new(results: impl Into<PathBuf>) -> Self {
        Settings {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            results: results.into(),
            catalogue: Catalogue::builtin(),
            kinds: RunKinds::builtin(),
            origins: Vec::new(),
            bridge: false,
            token: None,
            limits: Limits::default(),
        }
    }
}

/// How much a server does at a time, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections. For further ones those make room that have not sent a request for the longest time.
    pub connections: usize,
    /// Connections of one other machine; further ones are closed.
    pub connections_of_peer: usize,
    /// Time in which the head of a request must come, and time for its body after that.
    pub request: Duration,
    /// Time after which a connection is closed on which nothing is read or written.
    pub idle: Duration,
    /// Bytes of the body of a request.
    pub body: usize,
    /// Searches that run at the same time.
    pub searches: usize,
    /// Requests for a search, those that wait included; further ones are refused.
    pub requests: usize,
    /// Time for which a search waits for its turn; after it the request is refused.
    pub waiting: Duration,
    /// Time of a search.
    pub search: Duration,
    /// The largest search depth.
    pub depth: u8,
    /// The most entries of a transposition table, as a power of two.
    pub table_bits: u32,
    /// Players that are kept, the least recently used of which are dropped first.
    pub players: usize,
}

impl Default for Limits {
    /// As many searches as there are cores.
    fn default() -> Self {
        let cores = std::thread::available_parallelism();
        Limits {
            connections: 256,
            connections_of_peer: 64,
            request: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            body: 64 * 1024,
            searches: cores.map_or(1, usize::from),
            requests: 64,
            waiting: Duration::from_secs(30),
            search: Duration::from_secs(10),
            depth: 8,
            table_bits: 20,
            players: 16,
        }
    }
}
