//! Heuristics written in a file: terms over lines as expressions. It must not know the rules of a
//! game. `docs/heuristics.md` describes the language.
//!
//! - `parser`, `syntax`: text to its form
//! - `resolve`: names get a meaning
//! - `expression`, `domain`: expressions and their value on one line, which defines the language
//! - `columns`, `stored`: the same values for all lines at once
//! - `fields`, `read`, `check`: a TOML table to a [`Definition`]
//! - `compile`: a definition and weights to the exact values of all lines

mod check;
mod columns;
mod compile;
mod definition;
mod domain;
mod expression;
mod fields;
mod parser;
mod read;
mod resolve;
mod stored;
mod syntax;
#[cfg(test)]
mod tests;

pub use definition::{Applies, Definition, Number, Term};
pub use expression::Selector;
