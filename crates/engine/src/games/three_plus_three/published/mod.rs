//! Published players of 3+3, one folder each.

pub mod freedom;
