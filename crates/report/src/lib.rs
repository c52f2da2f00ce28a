//! Charts and reports from results. This crate must not play games or write files.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod interest;
pub mod number;
mod parameters;
pub mod visible;

pub mod chart;
pub mod report;
