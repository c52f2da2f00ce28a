//! Tunable parameters in general: what one is, settings of them ([`weights`]), and switching the terms
//! they belong to off and on ([`terms`]). The terms themselves lie with their games. Nothing here
//! searches or plays.

pub mod terms;
pub mod weights;

use crate::record::Scale;

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

impl Role {
    /// What the key of a term's parameter has after the name of the term.
    pub const fn suffix(self) -> &'static str {
        match self {
            Role::Weight | Role::Constant => "",
            Role::Power => POWER,
        }
    }
}

/// The declaration of a parameter: its role, default and bounds.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// See [`Parameter`].
    pub role: Role,
    /// See [`Parameter`].
    pub default: f64,
    /// See [`Parameter`].
    pub min: f64,
    /// See [`Parameter`].
    pub max: f64,
}

/// A parameter with its whole key, its description and its declaration.
pub type Listed = (&'static str, &'static str, Declared);

impl Declared {
    /// The weight of a term.
    pub const fn weight(default: f64, min: f64, max: f64) -> Self {
        Self::new(Role::Weight, default, min, max)
    }

    /// The exponent of a term.
    pub const fn power(default: f64, min: f64, max: f64) -> Self {
        Self::new(Role::Power, default, min, max)
    }

    /// A number that belongs to no single term.
    pub const fn constant(default: f64, min: f64, max: f64) -> Self {
        Self::new(Role::Constant, default, min, max)
    }

    const fn new(role: Role, default: f64, min: f64, max: f64) -> Self {
        Declared {
            role,
            default,
            min,
            max,
        }
    }

    /// The parameter with this key, which is searched on a linear scale.
    pub fn parameter(&self, key: impl Into<String>, doc: &'static str) -> Parameter {
        Parameter {
            key: key.into(),
            doc,
            role: self.role,
            default: self.default,
            min: self.min,
            max: self.max,
            scale: Scale::Linear,
        }
    }
}

/// The parameters of a list, in its order.
pub fn parameters(listed: impl IntoIterator<Item = Listed>) -> Vec<Parameter> {
    let listed = listed.into_iter();
    listed
        .map(|(key, doc, declared)| declared.parameter(key, doc))
        .collect()
}

/// Which form of a published rule is meant, where its program is not what its author says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// What the published program computes.
    #[default]
    Published,
    /// What its author says.
    Intended,
}

impl Form {
    /// All forms, the default first.
    pub const ALL: [Form; 2] = [Form::Published, Form::Intended];
    /// Their names, in the same order.
    pub const NAMES: [&str; 2] = ["published", "intended"];
}

/// Suffixes by which a line term has a value of its own for the two outer and the two inner lines
/// of each direction.
pub const OUTER: &str = "_outer";
/// See [`OUTER`].
pub const INNER: &str = "_inner";
/// Suffix by which a term's exponent is named after it.
pub const POWER: &str = "_power";
