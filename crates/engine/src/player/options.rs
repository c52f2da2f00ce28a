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
    pub kind: OptionKind,
    /// Its default by the depth, where that is not the default of `kind` at every depth.
    pub default_at: Option<fn(Depth) -> OptionValue>,
    /// What it changes.
    pub scope: OptionScope,
    /// Whether descriptions of the player contain its value also where it is not set, so that they
    /// stay true if the default changes.
    pub is_always_given: bool,
}

/// What an option changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionScope {
    /// How the player plays.
    Player,
    /// The opponents of the player.
    Opponents,
    /// The board on which the game is played.
    Board,
}

/// Values of an option, with its default.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
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
    /// A whole number from 0 to `most`; [`GameEntry::check`](super::GameEntry::check) can restrict it further.
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

impl OptionKind {
    /// Whether its values are an [`Extension`], which files carry beside the player's table.
    pub fn is_extension(&self) -> bool {
        matches!(self, OptionKind::Heuristic { .. } | OptionKind::Program)
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
pub enum OptionValue {
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

impl OptionValue {
    /// The contents of the file of an extension, checked or not.
    fn table(&self) -> Option<&toml::Table> {
        match self {
            OptionValue::Table(table) => Some(table),
            OptionValue::Extension(extension) => Some(extension.table()),
            _ => None,
        }
    }

    /// One or more texts; `None` for another kind of value.
    pub fn texts(self) -> Option<Vec<String>> {
        match self {
            OptionValue::List(texts) => Some(texts),
            OptionValue::Text(text) => Some(vec![text]),
            _ => None,
        }
    }
}

/// Extensions are equal if the contents of their files are.
impl PartialEq for OptionValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (OptionValue::Switch(one), OptionValue::Switch(other)) => one == other,
            (OptionValue::Whole(one), OptionValue::Whole(other)) => one == other,
            (OptionValue::Number(one), OptionValue::Number(other)) => one == other,
            (OptionValue::Text(one), OptionValue::Text(other)) => one == other,
            (OptionValue::List(one), OptionValue::List(other)) => one == other,
            (one, other) => one.table().is_some() && one.table() == other.table(),
        }
    }
}

/// The form of the command line; texts of a list are separated by commas.
impl fmt::Display for OptionValue {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            OptionValue::Switch(value) => write!(formatter, "{value}"),
            OptionValue::Whole(value) => write!(formatter, "{value}"),
            OptionValue::Number(value) => write!(formatter, "{value}"),
            OptionValue::Text(text) => formatter.write_str(text),
            OptionValue::List(texts) => formatter.write_str(&texts.join(",")),
            OptionValue::Table(_) | OptionValue::Extension(_) => {
                formatter.write_str("a heuristic from a file")
            }
        }
    }
}

impl From<bool> for OptionValue {
    fn from(value: bool) -> Self {
        OptionValue::Switch(value)
    }
}

impl From<i32> for OptionValue {
    fn from(number: i32) -> Self {
        OptionValue::Whole(number.into())
    }
}

impl From<f64> for OptionValue {
    fn from(number: f64) -> Self {
        OptionValue::Number(number)
    }
}

impl From<&str> for OptionValue {
    fn from(text: &str) -> Self {
        OptionValue::Text(text.to_owned())
    }
}

impl From<Depth> for OptionValue {
    fn from(depth: Depth) -> Self {
        match depth {
            Depth::Fixed(depth) => OptionValue::Whole(depth.into()),
            Depth::Adaptive => OptionValue::Text(depth.to_string()),
        }
    }
}

/// The depth of a value.
fn depth_of(value: &OptionValue) -> Option<Depth> {
    match value {
        OptionValue::Whole(depth) => u8::try_from(*depth).ok().map(Depth::Fixed),
        OptionValue::Text(text) if *text == Depth::Adaptive.to_string() => Some(Depth::Adaptive),
        _ => None,
    }
}

/// A value of a wrong type, for messages. A number and its text look alike, so this says which of them it is.
fn in_words(value: &OptionValue) -> String {
    match value {
        OptionValue::Switch(value) => value.to_string(),
        OptionValue::Whole(number) => format!("the number {number}"),
        // Also 1.0 has its point, without which it would look like a whole number.
        OptionValue::Number(number) => format!("the number {number:?}"),
        OptionValue::Text(text) => format!("the text \"{text}\""),
        OptionValue::List(_) => "a list".to_owned(),
        OptionValue::Table(_) | OptionValue::Extension(_) => "a table".to_owned(),
    }
}

impl PlayerOption {
    /// The option `depth` of a player.
    pub const fn depth(depths: Depths) -> Self {
        PlayerOption {
            key: "depth",
            about: "Look-ahead in the player's own unit",
            kind: OptionKind::Depth(depths),
            default_at: None,
            scope: OptionScope::Player,
            is_always_given: true,
        }
    }

    /// The option [`HEURISTIC`] of a player.
    pub const fn heuristic(read: ReadHeuristic) -> Self {
        Self::new(
            HEURISTIC,
            "Heuristic file: terms that replace the player's own",
            OptionKind::Heuristic { read },
        )
    }

    /// An option that changes how the player plays.
    pub const fn new(key: &'static str, about: &'static str, kind: OptionKind) -> Self {
        PlayerOption {
            key,
            about,
            kind,
            default_at: None,
            scope: OptionScope::Player,
            is_always_given: false,
        }
    }

    /// The same with a default that depends on the depth.
    pub const fn with_default_at(self, default_at: fn(Depth) -> OptionValue) -> Self {
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
    pub fn default(&self) -> OptionValue {
        match self.kind {
            OptionKind::Depth(depths) => depths.default.into(),
            OptionKind::Number { default, .. } => OptionValue::Number(default),
            OptionKind::Whole { default, .. } => OptionValue::Whole(default.into()),
            OptionKind::Switch { default } => OptionValue::Switch(default),
            OptionKind::Choice(names) => OptionValue::Text(names[0].to_owned()),
            OptionKind::Names { default, .. } => OptionValue::Text(default.to_owned()),
            OptionKind::Heuristic { .. } | OptionKind::Program => {
                OptionValue::Text("built-in".to_owned())
            }
        }
    }

    /// Reads the value of a flag. [`PlayerOption::checked`] checks it.
    pub(super) fn parse(&self, text: &str) -> OptionValue {
        let value = match self.kind {
            OptionKind::Switch { .. } => text.parse().ok().map(OptionValue::Switch),
            OptionKind::Depth(_) | OptionKind::Whole { .. } => {
                text.parse().ok().map(OptionValue::Whole)
            }
            OptionKind::Number { .. } => text.parse().ok().map(OptionValue::Number),
            OptionKind::Choice(_) | OptionKind::Heuristic { .. } | OptionKind::Program => None,
            OptionKind::Names { .. } => {
                let names = text.split(',').map(|name| name.trim().to_owned());
                Some(OptionValue::List(names.collect()))
            }
        };
        value.unwrap_or_else(|| OptionValue::Text(text.to_owned()))
    }

    /// The value, converted to the form of the option's kind. A program is one of `programs`.
    ///
    /// # Errors
    /// If the value is not allowed. The message says what is allowed.
    pub(super) fn checked(
        &self,
        value: OptionValue,
        programs: &Programs,
    ) -> Result<OptionValue, FieldError> {
        let key = self.key;
        let must_be = |allowed: &str, given: &OptionValue| {
            format!("{key} must be {allowed}, not {}", in_words(given))
        };
        let out_of_range = |given: &OptionValue, allowed: &str| {
            format!("{key} {given} is out of range: {allowed}")
        };
        let checked = match (self.kind, &value) {
            (OptionKind::Heuristic { .. } | OptionKind::Program, _) => {
                return self.extension(&value, programs).within([key]);
            }
            (OptionKind::Depth(depths), _) => match depth_of(&value) {
                Some(depth) if depths.allows(depth) => Ok(depth.into()),
                None if !matches!(value, OptionValue::Whole(_)) => {
                    Err(must_be(&format!("a whole number from {depths}"), &value))
                }
                _ => Err(out_of_range(&value, &depths.to_string())),
            },
            (OptionKind::Number { holds, allowed, .. }, _) => match value {
                OptionValue::Whole(number) if holds(number as f64) => {
                    Ok(OptionValue::Number(number as f64))
                }
                OptionValue::Number(number) if holds(number) => Ok(value),
                OptionValue::Whole(_) | OptionValue::Number(_) => {
                    Err(out_of_range(&value, allowed))
                }
                _ => Err(format!("{}: {allowed}", must_be("a number", &value))),
            },
            (OptionKind::Whole { most, .. }, _) => {
                let allowed = match most {
                    u32::MAX => "a whole number, 0 or more".to_owned(),
                    most => format!("a whole number, 0 to {most}"),
                };
                match value {
                    OptionValue::Whole(number) if (0..=most.into()).contains(&number) => Ok(value),
                    OptionValue::Whole(_) => Err(out_of_range(&value, &allowed)),
                    _ => Err(must_be(&allowed, &value)),
                }
            }
            (OptionKind::Switch { .. }, OptionValue::Switch(_)) => Ok(value),
            (OptionKind::Switch { .. }, _) => Err(must_be("true or false", &value)),
            (OptionKind::Choice(names), OptionValue::Text(name))
                if names.contains(&name.as_str()) =>
            {
                Ok(value)
            }
            (OptionKind::Choice(names), _) => {
                let names = names.join(" or ");
                Err(format!("{key} {value} is not allowed: {names}"))
            }
            (OptionKind::Names { known, .. }, _) => match value.clone().texts() {
                Some(names) => self.checked_names(known, names),
                None => Err(unknown(key, &value.to_string(), known)),
            },
        };
        checked.map_err(|message| FieldError::new([key], message))
    }

    /// The heuristic or the program of the contents of its file.
    fn extension(
        &self,
        contents: &OptionValue,
        programs: &Programs,
    ) -> Result<OptionValue, FieldError> {
        let Some(table) = contents.table() else {
            let message = format!(
                "{} {contents} is not allowed: a table with the terms (the path of a heuristic file stands \
                 outside of the player's table)",
                self.key
            );
            return Err(FieldError::new([""; 0], message));
        };
        let extension = match self.kind {
            OptionKind::Heuristic { read } => read(table).map(Extension::Heuristic),
            _ => programs.get(table).map(Extension::Program),
        };
        extension.map(OptionValue::Extension)
    }

    fn checked_names(&self, known: &[&str], mut names: Vec<String>) -> Result<OptionValue, String> {
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(unknown(self.key, name, known));
        }
        match names.len() {
            0 => Err(format!("name at least one {}", self.key)),
            1 => Ok(OptionValue::Text(names.remove(0))),
            _ => Ok(OptionValue::List(names)),
        }
    }
}

/// Values of the options of a player. Given values have been checked. Options that are not given
/// have their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options(pub(super) Vec<(&'static str, OptionValue)>);

impl Options {
    /// The value of an option, if it is given.
    pub fn given(&self, option: &PlayerOption) -> Option<&OptionValue> {
        let found = self.0.iter().find(|(key, _)| *key == option.key);
        found.map(|(_, value)| value)
    }

    /// The value of an option.
    pub fn value(&self, option: &PlayerOption) -> OptionValue {
        self.given(option)
            .cloned()
            .unwrap_or_else(|| option.default())
    }

    /// The default of an option of a player with these options, which are among `declared`.
    pub fn default_of(&self, option: &PlayerOption, declared: &[PlayerOption]) -> OptionValue {
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

    /// The value of a [`OptionKind::Depth`].
    ///
    /// # Panics
    /// If the option is of another kind. The same applies to the methods below.
    pub fn depth(&self, option: &PlayerOption) -> Depth {
        depth_of(&self.value(option)).unwrap_or_else(|| other_kind(option))
    }

    /// The value of a [`OptionKind::Depth`] that is not adaptive.
    pub fn fixed_depth(&self, option: &PlayerOption) -> u8 {
        match self.depth(option) {
            Depth::Fixed(depth) => depth,
            Depth::Adaptive => other_kind(option),
        }
    }

    /// The value of a [`OptionKind::Number`].
    pub fn number(&self, option: &PlayerOption) -> f64 {
        match self.value(option) {
            OptionValue::Number(number) => number,
            _ => other_kind(option),
        }
    }

    /// The value of a [`OptionKind::Whole`].
    pub fn whole(&self, option: &PlayerOption) -> u32 {
        let number = match self.value(option) {
            OptionValue::Whole(number) => number.try_into().ok(),
            _ => None,
        };
        number.unwrap_or_else(|| other_kind(option))
    }

    /// The value of a [`OptionKind::Switch`].
    pub fn switch(&self, option: &PlayerOption) -> bool {
        match self.value(option) {
            OptionValue::Switch(value) => value,
            _ => other_kind(option),
        }
    }

    /// The value of a [`OptionKind::Choice`], as its index among the names.
    pub fn choice(&self, option: &PlayerOption) -> usize {
        let index = match (option.kind, self.value(option)) {
            (OptionKind::Choice(names), OptionValue::Text(name)) => {
                names.iter().position(|known| *known == name)
            }
            _ => None,
        };
        index.unwrap_or_else(|| other_kind(option))
    }

    /// The value of a [`OptionKind::Names`].
    pub fn names(&self, option: &PlayerOption) -> Vec<String> {
        let names = self.value(option).texts();
        names.unwrap_or_else(|| other_kind(option))
    }

    /// The heuristic or program from a file, if one is given.
    pub fn extension(&self) -> Option<&Extension> {
        self.0.iter().find_map(|(_, value)| match value {
            OptionValue::Extension(extension) => Some(extension),
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
