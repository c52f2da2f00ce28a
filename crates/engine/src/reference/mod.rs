//! Slow definitions of the fast code, for tests and benchmarks. No player may use them.

pub mod connect_four;
pub mod endgame;
pub mod line_terms;
pub mod three_plus_three;
pub mod twenty48;
