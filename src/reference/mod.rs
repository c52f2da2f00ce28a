//! Slow definitions that tests and benchmarks hold the fast code to. No program plays by them.

pub mod connect_four;
pub mod three_plus_three;
pub mod twenty48;
