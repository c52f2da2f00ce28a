//! Published players of 3+3.

pub mod freedom;
