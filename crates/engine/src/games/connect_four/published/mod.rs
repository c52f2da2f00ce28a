//! Published players of gravity four in a row, one folder each.

pub mod strings;
