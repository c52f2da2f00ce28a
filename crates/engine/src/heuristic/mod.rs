//! Tunable parameters of players: their declaration, their values ([`weights`]), and the terms that
//! they form ([`terms`]). Each game defines its own terms. This module must not know a game, search or play.

mod scale;
pub mod terms;
pub mod weights;

use std::borrow::Cow;

pub use scale::Scale;

/// A tunable number of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Key in weights files, campaigns and tables.
    pub key: String,
    /// What it does, in one sentence.
    pub doc: Cow<'static, str>,
    /// Its role in the value of a position.
    pub role: Role,
    /// The published or neutral value. It applies where a weights file leaves the parameter out.
    pub default: f64,
    /// Suggested lower bound of a search.
    pub min: f64,
    /// Suggested upper bound of a search.
    pub max: f64,
    /// Suggested scale of a search.
    pub scale: Scale,
    /// Whether its values are whole numbers.
    pub integer: bool,
    /// The term that it belongs to, where the key alone does not say so.
    pub term: Option<String>,
}

impl Parameter {
    /// The weight of a term, searched on a linear scale. Set other fields by struct update:
    /// `Parameter { scale: Scale::Log, ..Parameter::new(..) }`.
    pub fn new(
        key: impl Into<String>,
        doc: impl Into<Cow<'static, str>>,
        default: f64,
        min: f64,
        max: f64,
    ) -> Self {
        Parameter {
            key: key.into(),
            doc: doc.into(),
            role: Role::Weight,
            default,
            min,
            max,
            scale: Scale::Linear,
            integer: false,
            term: None,
        }
    }

    /// What it does, in one sentence. The exponent of a term has the `doc` of the term, so it is named by its key.
    pub fn about(&self) -> Cow<'_, str> {
        match self.key.strip_suffix(POWER) {
            Some(term) => format!("exponent of {term}").into(),
            None => self.doc.as_ref().into(),
        }
    }

    /// Whether it applies to outer or to inner lines only.
    pub fn is_split(&self) -> bool {
        self.key.ends_with(OUTER) || self.key.ends_with(INNER)
    }
}

/// The parameters without those of outer and of inner lines of a key that is there for all lines, too.
pub fn unsplit(parameters: &[Parameter]) -> impl Iterator<Item = &Parameter> {
    let has = |base| parameters.iter().any(|other| other.key == base);
    parameters.iter().filter(move |known| {
        let base = known.key.strip_suffix(OUTER);
        let base = base.or(known.key.strip_suffix(INNER));
        !base.is_some_and(has)
    })
}

/// The role of a parameter in the value of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The weight of a term. At weight 0 the term has no effect.
    Weight,
    /// An exponent or another number inside of a term. Its key is the key of the term followed by `_`
    /// and its name, `_power` for an exponent.
    Power,
    /// A number without a neutral value. The search or the other terms depend on it.
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
pub struct ParameterRange {
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
pub type ParameterRow = (&'static str, &'static str, ParameterRange);

impl ParameterRange {
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
        ParameterRange {
            role,
            default,
            min,
            max,
        }
    }

    /// The parameter with this key, which is searched on a linear scale.
    pub fn parameter(
        &self,
        key: impl Into<String>,
        doc: impl Into<Cow<'static, str>>,
    ) -> Parameter {
        Parameter {
            role: self.role,
            ..Parameter::new(key, doc, self.default, self.min, self.max)
        }
    }
}

/// The parameters of a list, in its order.
pub fn parameters(listed: impl IntoIterator<Item = ParameterRow>) -> Vec<Parameter> {
    let listed = listed.into_iter();
    listed
        .map(|(key, doc, declared)| declared.parameter(key, doc))
        .collect()
}

/// The form of a published rule whose program differs from its author's description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// What the published program computes.
    #[default]
    Published,
    /// What its author describes.
    Intended,
}

impl Form {
    /// All forms, the default first.
    pub const ALL: [Form; 2] = [Form::Published, Form::Intended];
    /// Their names, in the same order.
    pub const NAMES: [&str; 2] = ["published", "intended"];
}

/// Suffix of the key for the two outer lines of each direction. A line term is split into this key
/// and that of [`INNER`].
pub const OUTER: &str = "_outer";
/// Suffix of the key for the two inner lines of each direction; see [`OUTER`].
pub const INNER: &str = "_inner";
/// Suffix of the key of a term's exponent.
pub const POWER: &str = "_power";
