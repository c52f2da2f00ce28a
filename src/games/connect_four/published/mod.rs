//! Published players of gravity four in a row.

pub mod strings;
