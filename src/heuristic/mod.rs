//! Heuristic terms of the games: one registry per family of players, from which weight
//! keys, bounds, table columns, listings and exports are derived.
//!
//! For the expectimax the value of a board of 2048 is the sum of its lines' values (four rows, four
//! columns) and of its board terms. [`line_terms`] and [`board_terms`] declare the terms,
//! [`weights`] holds a setting of their parameters, [`terms`] switches terms off and on in it,
//! [`table`] compiles a setting into fixed-point tables; [`three_plus_three`] has what is declared
//! for that game; [`original_lines`] adds the terms up in the arithmetic of the original program.
//! [`six_features`] and [`snake_path`] are the registries and evaluations of two other published
//! players; [`strings`] is that of gravity four in a row. Nothing here searches or plays.

pub mod board_terms;
pub mod line_terms;
pub mod original_lines;
pub mod six_features;
pub mod snake_path;
pub mod strings;
pub mod table;
pub mod terms;
pub mod three_plus_three;
pub mod weights;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::record::Scale;
use board_terms::BoardTerm;
use line_terms::LineTerm;

/// A tunable number of a player, under the key by which files and tables name it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Key in weights files, campaigns and tables.
    pub key: String,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// What it is within the player's value of a position.
    pub role: Role,
    /// Published or neutral value, used where a weights file is silent.
    pub default: f64,
    /// Suggested lower bound of a search.
    pub min: f64,
    /// Suggested upper bound of a search.
    pub max: f64,
    /// Suggested scale of a search.
    pub scale: Scale,
}

impl Parameter {
    /// Whether it is the part of a line term for outer or for inner lines only.
    pub fn is_split(&self) -> bool {
        self.key.ends_with(OUTER) || self.key.ends_with(INNER)
    }
}

/// What a parameter is within the value of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The weight of a term, which counts nothing at weight 0.
    Weight,
    /// The exponent in a term; its key is the term's with `_power` after it.
    Power,
    /// A number that no value makes count nothing: what the search or the other terms rest on.
    Constant,
}

/// The declaration of one number of a term.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Key suffix after the term's name: empty for its weight.
    pub suffix: &'static str,
    /// See [`Parameter`].
    pub role: Role,
    /// See [`Parameter`].
    pub default: f64,
    /// See [`Parameter`].
    pub min: f64,
    /// See [`Parameter`].
    pub max: f64,
}

/// Which form of a published rule is meant, where its program is not what its author says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// What the published program computes.
    #[default]
    Published,
    /// What its author says.
    Intended,
}

impl fmt::Display for Form {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Form::Published => "published",
            Form::Intended => "intended",
        })
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let forms = [Form::Published, Form::Intended];
        let found = forms.into_iter().find(|form| form.to_string() == text);
        found.ok_or_else(|| format!("form `{text}` is neither `published` nor `intended`"))
    }
}

/// Suffixes by which a line term has a value of its own for the two outer and the two inner lines
/// of each direction.
pub const OUTER: &str = "_outer";
/// See [`OUTER`].
pub const INNER: &str = "_inner";
/// Suffix by which a term's exponent is named after it.
pub const POWER: &str = "_power";

/// The terms over which the expectimax of a game searches.
pub struct Terms {
    /// Terms over one line.
    pub lines: &'static [LineTerm],
    /// Terms over the whole board.
    pub boards: &'static [BoardTerm],
}

/// The terms of 2048.
pub const TWENTY48: Terms = Terms {
    lines: line_terms::LINE_TERMS,
    boards: board_terms::BOARD_TERMS,
};

/// Every parameter of the terms of 2048; see [`Terms::parameters`].
pub fn parameters() -> Vec<Parameter> {
    TWENTY48.parameters()
}

impl Terms {
    /// Every parameter in order: each term's weight and power, each line term's also for outer and
    /// inner lines apart.
    pub fn parameters(&self) -> Vec<Parameter> {
        let of = |name: &str, suffix: &str, doc, declared: &Declared| Parameter {
            key: format!("{name}{}{suffix}", declared.suffix),
            doc,
            role: declared.role,
            default: declared.default,
            min: declared.min,
            max: declared.max,
            scale: Scale::Linear,
        };
        let mut parameters = Vec::new();
        for term in self.lines {
            for declared in std::iter::once(&term.weight).chain(&term.power) {
                for suffix in ["", OUTER, INNER] {
                    parameters.push(of(term.name, suffix, term.doc, declared));
                }
            }
        }
        for term in self.boards {
            parameters.push(of(term.name, "", term.doc, &term.weight));
        }
        parameters
    }
}
