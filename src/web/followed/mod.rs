//! The server's state of runs: their list, and the runs that pages follow.
//!
//! - `place`: names of runs, which never leave the folder
//! - `list`: the list, cached until files change
//! - `run`: runs that pages follow
//! - `rate`: games per second and remaining time
//!
//! This module must not answer requests, write a file or play a game.

pub(super) mod list;
pub(super) mod place;
pub(super) mod rate;
pub(super) mod run;

use crate::Catalogue;
use crate::run::RunKinds;
use list::RunOverviews;
use run::Registry;

/// The list of runs, and the followed runs.
pub(in crate::web) struct Watch {
    pub(in crate::web) list: RunOverviews,
    pub(in crate::web) registry: Registry,
}

impl Watch {
    /// The state of runs of these kinds with these players.
    pub(in crate::web) fn new(kinds: RunKinds, catalogue: Catalogue) -> Self {
        Watch {
            list: RunOverviews::new(kinds),
            registry: Registry::new(kinds, catalogue),
        }
    }
}
