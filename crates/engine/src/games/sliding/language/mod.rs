//! The heuristic language: line terms as expressions in a file. It must not depend on the rules of a game.
//! `docs/heuristics.md` describes the language.
//!
//! - `parser`, `syntax`: text to a syntax tree
//! - `resolve`, `calls`, `vocabulary`, `facts`: resolution of names
//! - `expression`, `domain`: expressions and their value on one line, which is the definition of the language
//! - `columns`, `vector`, `lines`, `stored`: the same values for all lines at once
//! - `read`, `term`, `fields`, `check`: a TOML table to a [`Definition`]
//! - `compile`, `sums`: a definition and weights to the exact values of all lines

mod calls;
mod check;
mod columns;
mod compile;
mod definition;
mod domain;
mod expression;
mod facts;
mod fields;
mod lines;
mod parser;
mod read;
mod resolve;
mod stored;
mod sums;
mod syntax;
mod term;
#[cfg(test)]
mod tests;
mod vector;
mod vocabulary;

pub use definition::{Definition, LineSet, Number, Term};
pub use expression::Selector;
