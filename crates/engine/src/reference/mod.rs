//! Slow definitions of the fast code, for tests and benchmarks. Players must not use them.

pub mod connect_four;
pub mod endgame;
pub mod line_terms;
pub mod three_plus_three;
pub mod twenty48;
