//! What the server keeps of runs that have been looked at.

use super::list::List;
use super::watched::Registry;

/// The list of runs, and the runs that are followed.
#[derive(Default)]
pub(in crate::web) struct Watch {
    pub(super) list: List,
    pub(super) registry: Registry,
}
