//! Options of players. The player or the game that has an option declares it once: key, description, values and
//! default. Files, the command line and the player use this declaration. An option can be an [`Extension`]: a
//! heuristic from a file, or an external program. This module must not name an option of a game.

mod extension;
mod value;

use std::sync::Arc;

use crate::field_error::{FieldError, Within};
use crate::player::depth::{Depth, Depths};
use crate::program::{Program, Programs};
use crate::suggestion::unknown;
pub use extension::{CustomHeuristic, Extension};
pub use value::OptionValue;
use value::depth_of;
pub(super) use value::in_words;

/// The declaration of an option. If several players have an option with the same key, the command line shows
/// the description of the first one.
#[derive(Clone, Copy, Debug)]
pub struct PlayerOption {
    /// Name of the option in files. The command line has `-` instead of `_`.
    pub key: &'static str,
    /// One sentence without a full stop: what it does.
    pub about: &'static str,
    /// Its type and allowed values.
    pub kind: OptionKind,
    /// The default as a function of the depth, if it depends on the depth.
    pub default_at: Option<fn(Depth) -> OptionValue>,
    /// The part of a game that it affects.
    pub scope: OptionScope,
    /// True if descriptions of the player contain the value even if it is the default. Such descriptions stay
    /// correct if the default changes.
    pub is_always_given: bool,
    /// True if full configurations contain the default. If false, a given default counts as not given, so that
    /// files and descriptions do not mention an option that few players need.
    pub is_stored_at_default: bool,
    /// The key of a list of values, if the games of a player can be divided between several of them.
    pub several: Option<&'static str>,
}

/// The part of a game that an option affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionScope {
    /// How the player plays.
    Player,
    /// The opponents of the player.
    Opponents,
    /// The board on which the game is played.
    Board,
}

/// The type, the allowed values and the default of an option.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// A search depth.
    Depth(Depths),
    /// A number for which `holds` returns true.
    Number {
        /// The default.
        default: f64,
        /// True if a number is allowed.
        holds: fn(f64) -> bool,
        /// The allowed numbers in words.
        allowed: &'static str,
    },
    /// A whole number from 0 to `most`; [`GameEntry::check`](super::GameEntry::check) can restrict it further.
    Whole {
        /// The default.
        default: u32,
        /// The largest allowed number.
        most: u32,
    },
    /// True or false.
    Switch {
        /// The default.
        default: bool,
    },
    /// One of these names; the first is the default.
    Choice(&'static [&'static str]),
    /// One or several of the known names.
    Names {
        /// The default.
        default: &'static str,
        /// All names.
        known: &'static [&'static str],
    },
    /// A text of a form of its own.
    Text {
        /// The default, as `read` returns it.
        default: &'static str,
        /// The form of the text on the command line, such as `ROWSxCOLUMNS`.
        form: &'static str,
        /// True if a file can have a table instead.
        can_be_table: bool,
        /// Reads a value and returns its usual text, or the reason why it is not allowed.
        read: fn(&OptionValue) -> Result<String, String>,
    },
    /// A heuristic from a file, instead of the player's own terms. A player has at most one option of this kind
    /// or the next, and its key is [`HEURISTIC`].
    Heuristic {
        /// Reads the content of a heuristic file. Paths of errors start in this file.
        read: ReadHeuristic,
    },
    /// The external program that plays.
    Program,
}

impl OptionKind {
    /// True if its value is an [`Extension`]. Files store extensions outside of the player's table.
    pub fn is_extension(&self) -> bool {
        matches!(self, OptionKind::Heuristic { .. } | OptionKind::Program)
    }
}

/// Reads a heuristic from the content of its file.
pub type ReadHeuristic = fn(&toml::Table) -> Result<Arc<dyn CustomHeuristic>, FieldError>;

/// The key of every option whose value is an [`Extension`].
pub const HEURISTIC: &str = "heuristic";

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
            is_stored_at_default: true,
            several: Some("depths"),
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
            is_stored_at_default: true,
            several: None,
        }
    }

    /// The same option, which can also have several values: this key has a list of them.
    pub const fn in_lists(self, key: &'static str) -> Self {
        PlayerOption {
            several: Some(key),
            ..self
        }
    }

    /// The same option, with a default that depends on the depth.
    pub const fn with_default_at(self, default_at: fn(Depth) -> OptionValue) -> Self {
        PlayerOption {
            default_at: Some(default_at),
            ..self
        }
    }

    /// Its flag on the command line, without the leading dashes.
    pub fn flag(&self) -> String {
        self.key.replace('_', "-")
    }

    /// The default value. For an extension it is the text `built-in`, which is not a valid value in files.
    pub fn default(&self) -> OptionValue {
        match self.kind {
            OptionKind::Depth(depths) => depths.default.into(),
            OptionKind::Number { default, .. } => OptionValue::Number(default),
            OptionKind::Whole { default, .. } => OptionValue::Whole(default.into()),
            OptionKind::Switch { default } => OptionValue::Switch(default),
            OptionKind::Choice(names) => OptionValue::Text(names[0].to_owned()),
            OptionKind::Names { default, .. } | OptionKind::Text { default, .. } => {
                OptionValue::Text(default.to_owned())
            }
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
            OptionKind::Choice(_)
            | OptionKind::Text { .. }
            | OptionKind::Heuristic { .. }
            | OptionKind::Program => None,
            OptionKind::Names { .. } => {
                let names = text.split(',').map(|name| name.trim().to_owned());
                Some(OptionValue::List(names.collect()))
            }
        };
        value.unwrap_or_else(|| OptionValue::Text(text.to_owned()))
    }

    /// Checks a value and converts it to the form of the option's kind. A program is taken from `programs`.
    ///
    /// # Errors
    /// If the value is not allowed. The message contains the allowed values.
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
            (OptionKind::Text { read, .. }, _) => read(&value)
                .map(OptionValue::Text)
                .map_err(|message| format!("{key}: {message}")),
            (OptionKind::Names { known, .. }, _) => match value.clone().texts() {
                Some(names) => self.checked_names(known, names),
                None => Err(unknown(key, &value.to_string(), known)),
            },
        };
        checked.map_err(|message| FieldError::new([key], message))
    }

    /// The heuristic or program, given the content of its file.
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

/// Checked values of the options of a player. Missing options have their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options(pub(super) Vec<(&'static str, OptionValue)>);

impl Options {
    /// The given value of an option; `None` if it has its default.
    pub fn given(&self, option: &PlayerOption) -> Option<&OptionValue> {
        let found = self.0.iter().find(|(key, _)| *key == option.key);
        found.map(|(_, value)| value)
    }

    /// The value of an option, given or default.
    pub fn value(&self, option: &PlayerOption) -> OptionValue {
        self.given(option)
            .cloned()
            .unwrap_or_else(|| option.default())
    }

    /// The default of an option for a player with these options; `declared` are the options of the player.
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

    /// The values of all options of a player, with defaults filled in, but without extensions. `declared` are
    /// the options of the player.
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

    /// The value of an [`OptionKind::Depth`].
    ///
    /// # Panics
    /// If the option is of another kind. The same is true for the methods below.
    pub fn depth(&self, option: &PlayerOption) -> Depth {
        depth_of(&self.value(option)).unwrap_or_else(|| other_kind(option))
    }

    /// The value of an [`OptionKind::Depth`] that cannot be adaptive.
    pub fn fixed_depth(&self, option: &PlayerOption) -> u8 {
        match self.depth(option) {
            Depth::Fixed(depth) => depth,
            Depth::Adaptive => other_kind(option),
        }
    }

    /// The value of an [`OptionKind::Number`].
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

    /// The value of an [`OptionKind::Choice`], as an index into its names.
    pub fn choice(&self, option: &PlayerOption) -> usize {
        let index = match (option.kind, self.value(option)) {
            (OptionKind::Choice(names), OptionValue::Text(name)) => {
                names.iter().position(|known| *known == name)
            }
            _ => None,
        };
        index.unwrap_or_else(|| other_kind(option))
    }

    /// The value of an [`OptionKind::Text`].
    pub fn text(&self, option: &PlayerOption) -> String {
        match self.value(option) {
            OptionValue::Text(text) => text,
            _ => other_kind(option),
        }
    }

    /// The value of a [`OptionKind::Names`].
    pub fn names(&self, option: &PlayerOption) -> Vec<String> {
        let names = self.value(option).texts();
        names.unwrap_or_else(|| other_kind(option))
    }

    /// The heuristic or program from a file; `None` if none is given.
    pub fn extension(&self) -> Option<&Extension> {
        self.0.iter().find_map(|(_, value)| match value {
            OptionValue::Extension(extension) => Some(extension),
            _ => None,
        })
    }

    /// The external program that plays; `None` if none is given.
    pub fn program(&self) -> Option<&Arc<Program>> {
        match self.extension()? {
            Extension::Program(program) => Some(program),
            Extension::Heuristic(_) => None,
        }
    }
}

fn other_kind<T>(option: &PlayerOption) -> T {
    unreachable!("`{}` is of another kind", option.key)
}
