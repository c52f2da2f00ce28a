//! What the server knows of runs: their list, and those that pages follow.
//!
//! - `place`: names of runs, which never leave the folder
//! - `list`: the list, cached until files change
//! - `run`: runs that are being looked at
//! - `rate`: games per second and time left
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

/// The list of runs, and the runs that are followed.
pub(in crate::web) struct Watch {
    pub(in crate::web) list: RunOverviews,
    pub(in crate::web) registry: Registry,
}

impl Watch {
    /// Of runs of these kinds with these players.
    pub(in crate::web) fn new(kinds: RunKinds, catalogue: Catalogue) -> Self {
        Watch {
            list: RunOverviews::new(kinds),
            registry: Registry::new(kinds, catalogue),
        }
    }
}
