//! Options of players. The player or game that has an option declares it once, with its key,
//! description, values and default. Files, the command line and the player use this declaration.
//! An option can be an [`Extension`]: a heuristic from a file, or the program that plays.
//! This module must not name an option of a game.

use std::fmt::{self, Debug};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Player;
use super::depth::{Depth, Depths};
use crate::field_error::{FieldError, Within};
use crate::heuristic::Parameter;
use crate::heuristic::weights::Weights;
use crate::program::{Program, Programs};
use crate::suggestion::unknown;

/// An option that a player takes. If several players have an option with the same key, the command
/// line describes the first one.
#[derive(Clone, Copy, Debug)]
pub struct PlayerOption {
    /// Name in files; the command line has `-` instead of `_`.
    pub key: &'static str,
    /// What it does, in one sentence without a full stop.
    pub about: &'static str,
    /// Its values.
    pub kind: Kind,
    /// Its default by the depth, where that is not the default of `kind` at every depth.
    pub default_at: Option<fn(Depth) -> Value>,
    /// What it changes.
    pub changes: Changes,
    /// Whether descriptions of the player contain its value also where it is not set, so that they
    /// stay true if the default changes.
    pub is_always_given: bool,
}

/// What an option changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// How the player plays.
    Player,
    /// The opponents of the player.
    Opponents,
    /// The board on which the game is played.
    Board,
}

/// Values of an option, with its default.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A search depth.
    Depth(Depths),
    /// A number for which `holds` returns true.
    Number {
        /// The default.
        default: f64,
        /// Whether a number is allowed.
        holds: fn(f64) -> bool,
        /// What is allowed, in words.
        allowed: &'static str,
    },
    /// A whole number from 0 to `most`; [`Game::check`](super::Game::check) can restrict it further.
    Whole {
        /// The default.
        default: u32,
        /// The largest.
        most: u32,
    },
    /// True or false.
    Switch {
        /// The default.
        default: bool,
    },
    /// One of some names, the first of which is the default.
    Choice(&'static [&'static str]),
    /// One or more of some names.
    Names {
        /// The default.
        default: &'static str,
        /// All names.
        known: &'static [&'static str],
    },
    /// A heuristic from a file, instead of the player's own terms. A player has at most one option of this
    /// kind or of the next; its key is [`HEURISTIC`].
    Heuristic {
        /// Reads the contents of a heuristic file. Paths of errors begin in the file.
        read: ReadHeuristic,
    },
    /// The program that plays.
    Program,
}

impl Kind {
    /// Whether its values are an [`Extension`], which files carry beside the player's table.
    pub fn is_extension(&self) -> bool {
        matches!(self, Kind::Heuristic { .. } | Kind::Program)
    }
}

/// Reads a heuristic from the contents of its file.
pub type ReadHeuristic = fn(&toml::Table) -> Result<Arc<dyn CustomHeuristic>, FieldError>;

/// The key of options whose values are an [`Extension`].
pub const HEURISTIC: &str = "heuristic";

/// A value of an option in the form of files.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number, true or false, a text, a list of texts or a table"
)]
pub enum Value {
    /// True or false.
    Switch(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// The contents of a heuristic or program file, before they are checked.
    Table(toml::Table),
    /// A checked heuristic or program. It is written as its table.
    #[serde(skip_deserializing, serialize_with = "as_table")]
    Extension(Extension),
}

fn as_table<S: serde::Serializer>(extension: &Extension, serializer: S) -> Result<S::Ok, S::Error> {
    extension.table().serialize(serializer)
}

impl Value {
    /// The contents of the file of an extension, checked or not.
    fn table(&self) -> Option<&toml::Table> {
        match self {
            Value::Table(table) => Some(table),
            Value::Extension(extension) => Some(extension.table()),
            _ => None,
        }
    }

    /// One or more texts; `None` for another kind of value.
    pub fn texts(self) -> Option<Vec<String>> {
        match self {
            Value::List(texts) => Some(texts),
            Value::Text(text) => Some(vec![text]),
            _ => None,
        }
    }
}

/// Extensions are equal if the contents of their files are.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Switch(one), Value::Switch(other)) => one == other,
            (Value::Whole(one), Value::Whole(other)) => one == other,
            (Value::Number(one), Value::Number(other)) => one == other,
            (Value::Text(one), Value::Text(other)) => one == other,
            (Value::List(one), Value::List(other)) => one == other,
            (one, other) => one.table().is_some() && one.table() == other.table(),
        }
    }
}

/// The form of the command line; texts of a list are separated by commas.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Switch(value) => write!(formatter, "{value}"),
            Value::Whole(value) => write!(formatter, "{value}"),
            Value::Number(value) => write!(formatter, "{value}"),
            Value::Text(text) => formatter.write_str(text),
            Value::List(texts) => formatter.write_str(&texts.join(",")),
            Value::Table(_) | Value::Extension(_) => formatter.write_str("a heuristic from a file"),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Switch(value)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Value::Whole(number.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<Depth> for Value {
    fn from(depth: Depth) -> Self {
        match depth {
            Depth::Fixed(depth) => Value::Whole(depth.into()),
            Depth::Adaptive => Value::Text(depth.to_string()),
        }
    }
}

/// The depth of a value.
fn depth_of(value: &Value) -> Option<Depth> {
    match value {
        Value::Whole(depth) => u8::try_from(*depth).ok().map(Depth::Fixed),
        Value::Text(text) if *text == Depth::Adaptive.to_string() => Some(Depth::Adaptive),
        _ => None,
    }
}

/// A value of a wrong type, for messages. A number and its text look alike, so this says which of them it is.
fn in_words(value: &Value) -> String {
    match value {
        Value::Switch(value) => value.to_string(),
        Value::Whole(number) => format!("the number {number}"),
        // Also 1.0 has its point, without which it would look like a whole number.
        Value::Number(number) => format!("the number {number:?}"),
        Value::Text(text) => format!("the text \"{text}\""),
        Value::List(_) => "a list".to_owned(),
        Value::Table(_) | Value::Extension(_) => "a table".to_owned(),
    }
}

impl PlayerOption {
    /// The option `depth` of a player.
    pub const fn depth(depths: Depths) -> Self {
        PlayerOption {
            key: "depth",
            about: "Look-ahead in the player's own unit",
            kind: Kind::Depth(depths),
            default_at: None,
            changes: Changes::Player,
            is_always_given: true,
        }
    }

    /// The option [`HEURISTIC`] of a player.
    pub const fn heuristic(read: ReadHeuristic) -> Self {
        Self::new(
            HEURISTIC,
            "Heuristic file: terms that replace the player's own",
            Kind::Heuristic { read },
        )
    }

    /// An option that changes how the player plays.
    pub const fn new(key: &'static str, about: &'static str, kind: Kind) -> Self {
        PlayerOption {
            key,
            about,
            kind,
            default_at: None,
            changes: Changes::Player,
            is_always_given: false,
        }
    }

    /// The same with a default that depends on the depth.
    pub const fn with_default_at(self, default_at: fn(Depth) -> Value) -> Self {
        PlayerOption {
            default_at: Some(default_at),
            ..self
        }
    }

    /// Its flag on the command line, without the dashes at the beginning.
    pub fn flag(&self) -> String {
        self.key.replace('_', "-")
    }

    /// The default value; the text `built-in`, which is not a value of files, for the player's own terms.
    pub fn default(&self) -> Value {
        match self.kind {
            Kind::Depth(depths) => depths.default.into(),
            Kind::Number { default, .. } => Value::Number(default),
            Kind::Whole { default, .. } => Value::Whole(default.into()),
            Kind::Switch { default } => Value::Switch(default),
            Kind::Choice(names) => Value::Text(names[0].to_owned()),
            Kind::Names { default, .. } => Value::Text(default.to_owned()),
            Kind::Heuristic { .. } | Kind::Program => Value::Text("built-in".to_owned()),
        }
    }

    /// Reads the value of a flag. [`PlayerOption::checked`] checks it.
    pub(super) fn parse(&self, text: &str) -> Value {
        let value = match self.kind {
            Kind::Switch { .. } => text.parse().ok().map(Value::Switch),
            Kind::Depth(_) | Kind::Whole { .. } => text.parse().ok().map(Value::Whole),
            Kind::Number { .. } => text.parse().ok().map(Value::Number),
            Kind::Choice(_) | Kind::Heuristic { .. } | Kind::Program => None,
            Kind::Names { .. } => {
                let names = text.split(',').map(|name| name.trim().to_owned());
                Some(Value::List(names.collect()))
            }
        };
        value.unwrap_or_else(|| Value::Text(text.to_owned()))
    }

    /// The value, converted to the form of the option's kind. A program is one of `programs`.
    ///
    /// # Errors
    /// If the value is not allowed. The message says what is allowed.
    pub(super) fn checked(&self, value: Value, programs: &Programs) -> Result<Value, FieldError> {
        let key = self.key;
        if self.kind.is_extension() {
            let Some(table) = value.table() else {
                let message = format!(
                    "{key} {value} is not allowed: a table with the terms (the path of a \
                                       heuristic file stands outside of the player's table)"
                );
                return Err(FieldError::new([key], message));
            };
            let extension = match self.kind {
                Kind::Heuristic { read } => read(table).map(Extension::Heuristic),
                _ => programs.get(table).map(Extension::Program),
            };
            return extension.map(Value::Extension).within([key]);
        }
        let checked = self.checked_plain(value);
        checked.map_err(|message| FieldError::new([key], message))
    }

    /// [`PlayerOption::checked`] of other kinds than extensions.
    fn checked_plain(&self, value: Value) -> Result<Value, String> {
        let key = self.key;
        match (self.kind, value) {
            (Kind::Depth(depths), value) => match (depth_of(&value), &value) {
                (Some(depth), _) if depths.allows(depth) => Ok(depth.into()),
                (Some(_), _) | (None, Value::Whole(_)) => {
                    Err(format!("{key} {value} is out of range: {depths}"))
                }
                (None, other) => Err(format!(
                    "{key} must be a whole number from {depths}, not {}",
                    in_words(other)
                )),
            },
            (Kind::Number { holds, allowed, .. }, value) => {
                let number = match value {
                    Value::Whole(number) => number as f64,
                    Value::Number(number) => number,
                    other => {
                        let found = in_words(&other);
                        return Err(format!("{key} must be a number, not {found}: {allowed}"));
                    }
                };
                match holds(number) {
                    true => Ok(Value::Number(number)),
                    false => Err(format!("{key} {number} is out of range: {allowed}")),
                }
            }
            (Kind::Whole { most, .. }, value) => {
                let allowed = match most {
                    u32::MAX => "a whole number, 0 or more".to_owned(),
                    most => format!("a whole number, 0 to {most}"),
                };
                match value {
                    Value::Whole(number) if (0..=most.into()).contains(&number) => {
                        Ok(Value::Whole(number))
                    }
                    Value::Whole(number) => {
                        Err(format!("{key} {number} is out of range: {allowed}"))
                    }
                    other => Err(format!("{key} must be {allowed}, not {}", in_words(&other))),
                }
            }
            (Kind::Switch { .. }, Value::Switch(value)) => Ok(Value::Switch(value)),
            (Kind::Switch { .. }, value) => Err(format!(
                "{key} must be true or false, not {}",
                in_words(&value)
            )),
            (Kind::Choice(names), Value::Text(name)) if names.contains(&name.as_str()) => {
                Ok(Value::Text(name))
            }
            (Kind::Choice(names), value) => Err(format!(
                "{key} {value} is not allowed: {}",
                names.join(" or ")
            )),
            (Kind::Names { known, .. }, Value::List(names)) => self.checked_names(known, names),
            (Kind::Names { known, .. }, Value::Text(name)) => self.checked_names(known, vec![name]),
            (Kind::Names { known, .. }, value) => Err(unknown(key, &value.to_string(), known)),
            (Kind::Heuristic { .. } | Kind::Program, _) => other_kind(self),
        }
    }

    fn checked_names(&self, known: &[&str], mut names: Vec<String>) -> Result<Value, String> {
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(unknown(self.key, name, known));
        }
        match names.len() {
            0 => Err(format!("name at least one {}", self.key)),
            1 => Ok(Value::Text(names.remove(0))),
            _ => Ok(Value::List(names)),
        }
    }
}

/// Values of the options of a player. Given values have been checked. Options that are not given
/// have their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options(pub(super) Vec<(&'static str, Value)>);

impl Options {
    /// The value of an option, if it is given.
    pub fn given(&self, option: &PlayerOption) -> Option<&Value> {
        let found = self.0.iter().find(|(key, _)| *key == option.key);
        found.map(|(_, value)| value)
    }

    /// The value of an option.
    pub fn value(&self, option: &PlayerOption) -> Value {
        self.given(option)
            .cloned()
            .unwrap_or_else(|| option.default())
    }

    /// The default of an option of a player with these options, which are among `declared`.
    pub fn default_of(&self, option: &PlayerOption, declared: &[PlayerOption]) -> Value {
        let is_depth = |option: &&PlayerOption| option.key == "depth";
        let depth = declared
            .iter()
            .find(is_depth)
            .map(|depth| self.depth(depth));
        match (option.default_at, depth) {
            (Some(default_at), Some(depth)) => default_at(depth),
            _ => option.default(),
        }
    }

    /// The values of all options of a player, which are `declared`, but not of an extension.
    pub fn full(&self, declared: &[PlayerOption]) -> Options {
        let mut full = self.clone();
        let is_other = |option: &&PlayerOption| !option.kind.is_extension();
        for option in declared.iter().filter(is_other) {
            if self.given(option).is_none() {
                full.0.push((option.key, self.default_of(option, declared)));
            }
        }
        full
    }

    /// The value of a [`Kind::Depth`].
    ///
    /// # Panics
    /// If the option is of another kind. The same applies to the methods below.
    pub fn depth(&self, option: &PlayerOption) -> Depth {
        depth_of(&self.value(option)).unwrap_or_else(|| other_kind(option))
    }

    /// The value of a [`Kind::Depth`] that is not adaptive.
    pub fn fixed_depth(&self, option: &PlayerOption) -> u8 {
        match self.depth(option) {
            Depth::Fixed(depth) => depth,
            Depth::Adaptive => other_kind(option),
        }
    }

    /// The value of a [`Kind::Number`].
    pub fn number(&self, option: &PlayerOption) -> f64 {
        match self.value(option) {
            Value::Number(number) => number,
            _ => other_kind(option),
        }
    }

    /// The value of a [`Kind::Whole`].
    pub fn whole(&self, option: &PlayerOption) -> u32 {
        let number = match self.value(option) {
            Value::Whole(number) => number.try_into().ok(),
            _ => None,
        };
        number.unwrap_or_else(|| other_kind(option))
    }

    /// The value of a [`Kind::Switch`].
    pub fn switch(&self, option: &PlayerOption) -> bool {
        match self.value(option) {
            Value::Switch(value) => value,
            _ => other_kind(option),
        }
    }

    /// The value of a [`Kind::Choice`], as its index among the names.
    pub fn choice(&self, option: &PlayerOption) -> usize {
        let index = match (option.kind, self.value(option)) {
            (Kind::Choice(names), Value::Text(name)) => {
                names.iter().position(|known| *known == name)
            }
            _ => None,
        };
        index.unwrap_or_else(|| other_kind(option))
    }

    /// The value of a [`Kind::Names`].
    pub fn names(&self, option: &PlayerOption) -> Vec<String> {
        let names = self.value(option).texts();
        names.unwrap_or_else(|| other_kind(option))
    }

    /// The heuristic or program from a file, if one is given.
    pub fn extension(&self) -> Option<&Extension> {
        self.0.iter().find_map(|(_, value)| match value {
            Value::Extension(extension) => Some(extension),
            _ => None,
        })
    }

    /// The program that plays, if one is given.
    pub fn program(&self) -> Option<&Arc<Program>> {
        match self.extension()? {
            Extension::Program(program) => Some(program),
            Extension::Heuristic(_) => None,
        }
    }
}

/// A heuristic from a file.
pub trait CustomHeuristic: Debug + Send + Sync {
    /// The file's contents, as runs and weights files carry it.
    fn table(&self) -> &toml::Table;

    /// Its parameters in the order of its terms.
    fn parameters(&self) -> &[Parameter];

    /// Makes the player with this heuristic; the options have been checked, and the weights fit its parameters.
    ///
    /// # Errors
    /// If the player cannot use the weights. The message says why.
    fn build(&self, options: &Options, weights: &Weights) -> Result<Box<dyn Player>, String>;

    /// The value that a search gives to a lost position, whatever the weights; no position has a lower one.
    /// `None` if there is no such value.
    fn value_of_lost(&self) -> Option<f64> {
        None
    }
}

/// A heuristic or a program, with parameters of its own.
#[derive(Clone, Debug)]
pub enum Extension {
    /// A heuristic in place of the player's own terms.
    Heuristic(Arc<dyn CustomHeuristic>),
    /// The program that plays.
    Program(Arc<Program>),
}

impl Extension {
    /// The file's contents, as runs and weights files carry it.
    pub fn table(&self) -> &toml::Table {
        match self {
            Extension::Heuristic(heuristic) => heuristic.table(),
            Extension::Program(program) => program.table(),
        }
    }

    /// Its parameters in their order.
    pub fn parameters(&self) -> &[Parameter] {
        match self {
            Extension::Heuristic(heuristic) => heuristic.parameters(),
            Extension::Program(program) => program.parameters(),
        }
    }

    /// What descriptions of the player say of it.
    pub fn describe(&self) -> String {
        match self {
            Extension::Heuristic(_) => "own heuristic".to_owned(),
            Extension::Program(program) => program.declaration().words(),
        }
    }
}

fn other_kind<T>(option: &PlayerOption) -> T {
    unreachable!("`{}` is of another kind", option.key)
}
