//! Tunable parameters of players: their declaration, their values ([`weights`]), and their grouping into terms
//! ([`terms`]). Each game defines its own terms. This module must not know a game, search or play.

mod scale;
mod short;
pub mod terms;
pub mod weights;

use std::borrow::Cow;

pub use scale::Scale;
pub use short::Short;

/// A tunable number of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Key of the parameter in weights files, campaigns and tables.
    pub key: String,
    /// One sentence: what it does.
    pub doc: Cow<'static, str>,
    /// Its role in the value of a position.
    pub role: Role,
    /// The published or neutral value. It is used if a weights file does not contain the parameter.
    pub default: f64,
    /// Suggested lower bound for tuning.
    pub min: f64,
    /// Suggested upper bound for tuning.
    pub max: f64,
    /// Suggested scale for tuning.
    pub scale: Scale,
    /// True if only whole numbers are allowed.
    pub integer: bool,
    /// The choices of a category, whose value is the number of one of them, counted from 0; empty for a number.
    pub choices: Vec<String>,
    /// The term that it belongs to, if the key alone does not determine it.
    pub term: Option<String>,
}

impl Parameter {
    /// The weight of a term, tuned on a linear scale. To set other fields, use struct update syntax: `Parameter
    /// { scale: Scale::Log, ..Parameter::new(..) }`.
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
            choices: Vec::new(),
            term: None,
        }
    }

    /// One sentence: what it does. For an exponent that no heuristic file declares, `doc` is the text of its term, so
    /// this is "exponent of" and the name of the term.
    pub fn about(&self) -> Cow<'_, str> {
        match (self.key.strip_suffix(POWER), &self.term) {
            (Some(term), None) => format!("exponent of {term}").into(),
            _ => self.doc.as_ref().into(),
        }
    }

    /// True if it applies only to outer or only to inner lines.
    pub fn is_split(&self) -> bool {
        self.key.ends_with(OUTER) || self.key.ends_with(INNER)
    }
}

/// The parameters without the separate ones for outer and inner lines, where the list also has one for all
/// lines.
pub fn unsplit(parameters: &[Parameter]) -> impl Iterator<Item = &Parameter> {
    let has = |base| parameters.iter().any(|other| other.key == base);
    parameters.iter().filter(move |known| {
        let base = known.key.strip_suffix(OUTER);
        let base = base.or(known.key.strip_suffix(INNER));
        !base.is_some_and(has)
    })
}

/// True if a search leaves a parameter out unless it is named: a constant, such as the penalty of a lost board, beside
/// terms. The numbers that several terms of a heuristic file share are no constants in this sense. `registry` is the list
/// that the parameter belongs to.
pub fn is_constant(parameter: &Parameter, registry: &[Parameter]) -> bool {
    let is_of_file = registry.iter().any(|other| other.term.is_some());
    let is_shared = is_of_file && parameter.term.is_none();
    let has_terms = registry.iter().any(|other| other.role != Role::Constant);
    parameter.role == Role::Constant && has_terms && !is_shared
}

/// A weight that is lost to the resolution of the values: what it adds is always rounded to 0.
#[derive(Clone, Debug, PartialEq)]
pub struct LostWeight {
    /// The key of the weight.
    pub key: String,
    /// The largest absolute number of points that it can add to the value of a position.
    pub points: f64,
    /// True if it adds these points to every position.
    pub is_constant: bool,
    /// The step between neighbouring values, in points.
    pub step: f64,
    /// The term with the largest values, which the step follows.
    pub largest: String,
}

/// The role of a parameter in the value of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The weight of a term. With weight 0 the term has no effect.
    Weight,
    /// An exponent or another number inside of a term. Its key is the key of the term, `_`, and its name; an
    /// exponent ends with `_power`.
    Power,
    /// A number without a neutral value, on which the search or other terms depend.
    Constant,
    /// A choice of a program, or a number of it whose bounds exclude 0: it cannot be switched off.
    Setting,
}

impl Role {
    /// The suffix of the parameter's key after the name of its term.
    pub const fn suffix(self) -> &'static str {
        match self {
            Role::Weight | Role::Constant | Role::Setting => "",
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

/// A parameter as a table row: key, description, declaration.
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

    /// A number that does not belong to a single term.
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

    /// The parameter with this key. It is tuned on a linear scale.
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

/// The parameters of a list of rows, in the same order.
pub fn parameters(listed: impl IntoIterator<Item = ParameterRow>) -> Vec<Parameter> {
    let listed = listed.into_iter();
    listed
        .map(|(key, doc, declared)| declared.parameter(key, doc))
        .collect()
}

/// The version of a published rule whose program differs from the description of its author.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The rule that the published program computes.
    #[default]
    Published,
    /// The rule that its author describes.
    Intended,
}

impl Form {
    /// All forms, the default first.
    pub const ALL: [Form; 2] = [Form::Published, Form::Intended];
    /// The names of all forms, in the same order.
    pub const NAMES: [&str; 2] = ["published", "intended"];
}

/// Suffix of the key for the two outer lines of each orientation. A line term is split into a key with this
/// suffix and one with [`INNER`].
pub const OUTER: &str = "_outer";
/// Suffix of the key for the two inner lines of each orientation; see [`OUTER`].
pub const INNER: &str = "_inner";
/// Suffix of the key of a term's exponent.
pub const POWER: &str = "_power";
