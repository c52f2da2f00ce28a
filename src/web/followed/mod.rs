//! What the server knows of runs: their list, and those that somebody looks at.
//!
//! - `place`: names of runs, which never leave the folder
//! - `list`: the list, cached until files change
//! - `watched`: runs that are being looked at
//! - `pace`: how fast a run plays, and how long it still takes
//!
//! This module must not answer requests, write a file or play a game.

pub(super) mod list;
pub(super) mod pace;
pub(super) mod place;
pub(super) mod watched;

use crate::Catalogue;
use crate::run::RunKinds;
use list::List;
use watched::Registry;

/// The list of runs, and the runs that are followed.
pub(in crate::web) struct Watch {
    pub(in crate::web) list: List,
    pub(in crate::web) registry: Registry,
}

impl Watch {
    /// Of runs of these kinds with these players.
    pub(in crate::web) fn new(kinds: RunKinds, catalogue: Catalogue) -> Self {
        Watch {
            list: List::new(kinds),
            registry: Registry::new(kinds, catalogue),
        }
    }
}
