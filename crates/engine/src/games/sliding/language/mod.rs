//! The heuristic language: terms of lines and of the whole board as expressions in a file. It must not depend on the rules of a game.
//! `docs/heuristics.md` describes the language.
//!
//! - `crate::expression`: text to a syntax tree
//! - `resolve`, `calls`, `vocabulary`, `facts`: resolution of names
//! - `expression`, `domain`: expressions and their value on one line, which is the definition of the language
//! - `columns`, `vector`, `lines`, `stored`: the same values for all lines at once
//! - `read`, `term`, `matrix`, `kinds`, `names`, `fields`, `check`: a TOML table to a [`Definition`]
//! - `compile`, `sums`, `reach`: a definition and weights to the exact values of all lines, and their bounds
//! - `whole_term`, `read_whole`: terms of the whole board, which are expressions of sums of lines
//! - `whole_values`, `lane`, `interval`, `steps`, `step_compiler`: such terms and weights to tables of lines and to steps for several boards

mod calls;
mod check;
mod columns;
mod compile;
mod definition;
mod domain;
mod expression;
mod facts;
mod fields;
mod interval;
mod kinds;
mod lane;
mod line_columns;
mod line_set;
mod matrix;
mod names;
mod reach;
mod read;
mod read_whole;
mod resolve;
mod step_compiler;
mod steps;
mod stored;
mod sums;
mod term;
#[cfg(test)]
mod tests;
mod vector;
mod vocabulary;
mod whole_term;
mod whole_values;

pub use definition::{Definition, Term};
pub use expression::Selector;
pub use lane::Lane;
pub use line_set::{LineSet, Number};
pub use steps::{Lanes, Registers, Steps, nearest};
pub use whole_term::WholeTerm;
pub use whole_values::{MOST_EXTREMES, MOST_SUMS, WholeValues};
