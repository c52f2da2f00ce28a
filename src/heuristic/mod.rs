//! Heuristic terms for 4x4 boards of ranks: one registry, from which weight keys, bounds, table
//! columns, listings and exports are derived.
//!
//! The value of a board is the sum of its lines' values (four rows, four columns) and of its
//! board terms. [`line_terms`] and [`board_terms`] declare the terms, [`weights`] holds a setting
//! of their parameters, [`table`] compiles a setting into fixed-point tables. Nothing here
//! searches or plays.

pub mod board_terms;
pub mod line_terms;
pub mod table;
pub mod weights;

use crate::record::Scale;

/// A tunable number of a player, under the key by which files and tables name it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Key in weights files, campaigns and tables.
    pub key: String,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// Published or neutral value, used where a weights file is silent.
    pub default: f64,
    /// Suggested lower bound of a search.
    pub min: f64,
    /// Suggested upper bound of a search.
    pub max: f64,
    /// Suggested scale of a search.
    pub scale: Scale,
}

/// The declaration of one number of a term.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Key suffix after the term's name: empty for its weight.
    pub suffix: &'static str,
    /// See [`Parameter`].
    pub default: f64,
    /// See [`Parameter`].
    pub min: f64,
    /// See [`Parameter`].
    pub max: f64,
}

/// Suffixes by which a line term has a value of its own for the two outer and the two inner lines
/// of each direction.
pub const OUTER: &str = "_outer";
/// See [`OUTER`].
pub const INNER: &str = "_inner";

/// Every parameter of the registry in order: each term's weight and power, each line term's also
/// for outer and inner lines apart.
pub fn parameters() -> Vec<Parameter> {
    let of = |name: &str, suffix: &str, doc, declared: &Declared| Parameter {
        key: format!("{name}{}{suffix}", declared.suffix),
        doc,
        default: declared.default,
        min: declared.min,
        max: declared.max,
        scale: Scale::Linear,
    };
    let mut parameters = Vec::new();
    for term in line_terms::LINE_TERMS {
        for declared in std::iter::once(&term.weight).chain(&term.power) {
            for suffix in ["", OUTER, INNER] {
                parameters.push(of(term.name, suffix, term.doc, declared));
            }
        }
    }
    for term in board_terms::BOARD_TERMS {
        parameters.push(of(term.name, "", term.doc, &term.weight));
    }
    parameters
}
