//! The value of an option: as in files, on the command line, and in words.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::extension::Extension;
use crate::player::depth::Depth;

/// A value of an option, as in files.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number, true or false, a text, a list of texts (\"3\", not 3) or a table"
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
    /// A list of texts.
    List(Vec<String>),
    /// The values of an option at several settings of a player, see [`PlayerOption::several`].
    ///
    /// [`PlayerOption::several`]: super::PlayerOption::several
    Several(Vec<OptionValue>),
    /// The content of a heuristic or program file, not checked yet.
    Table(toml::Table),
    /// A checked heuristic or program. It is serialized as the table of its file.
    #[serde(skip_deserializing, serialize_with = "as_table")]
    Extension(Extension),
}

fn as_table<S: serde::Serializer>(extension: &Extension, serializer: S) -> Result<S::Ok, S::Error> {
    extension.table().serialize(serializer)
}

impl OptionValue {
    /// The content of the file of an extension, checked or not; `None` for other values.
    pub(super) fn table(&self) -> Option<&toml::Table> {
        match self {
            OptionValue::Table(table) => Some(table),
            OptionValue::Extension(extension) => Some(extension.table()),
            _ => None,
        }
    }

    /// The value as a list of texts; `None` if it is not text.
    pub fn texts(self) -> Option<Vec<String>> {
        match self {
            OptionValue::List(texts) => Some(texts),
            OptionValue::Text(text) => Some(vec![text]),
            _ => None,
        }
    }
}

/// Two extensions are equal if the contents of their files are equal.
impl PartialEq for OptionValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (OptionValue::Switch(one), OptionValue::Switch(other)) => one == other,
            (OptionValue::Whole(one), OptionValue::Whole(other)) => one == other,
            (OptionValue::Number(one), OptionValue::Number(other)) => one == other,
            (OptionValue::Text(one), OptionValue::Text(other)) => one == other,
            (OptionValue::List(one), OptionValue::List(other)) => one == other,
            (OptionValue::Several(one), OptionValue::Several(other)) => one == other,
            (one, other) => one.table().is_some() && one.table() == other.table(),
        }
    }
}

/// The form of the command line. The texts of a list are separated by commas.
impl fmt::Display for OptionValue {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            OptionValue::Switch(value) => write!(formatter, "{value}"),
            OptionValue::Whole(value) => write!(formatter, "{value}"),
            OptionValue::Number(value) => write!(formatter, "{value}"),
            OptionValue::Text(text) => formatter.write_str(text),
            OptionValue::List(texts) => formatter.write_str(&texts.join(",")),
            OptionValue::Several(values) => {
                let texts: Vec<String> = values.iter().map(Self::to_string).collect();
                formatter.write_str(&texts.join(","))
            }
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

/// The depth that a value represents; `None` if it is not a depth.
pub(super) fn depth_of(value: &OptionValue) -> Option<Depth> {
    match value {
        OptionValue::Whole(depth) => u8::try_from(*depth).ok().map(Depth::Fixed),
        OptionValue::Text(text) if *text == Depth::Adaptive.to_string() => Some(Depth::Adaptive),
        _ => None,
    }
}

/// A value for an error message about its type. A number and its text look alike, so the result names the type.
pub(in crate::player) fn in_words(value: &OptionValue) -> String {
    match value {
        OptionValue::Switch(value) => value.to_string(),
        OptionValue::Whole(number) => format!("the number {number}"),
        // `{:?}` writes 1.0 with its decimal point, so that it differs from a whole number.
        OptionValue::Number(number) => format!("the number {number:?}"),
        OptionValue::Text(text) => format!("the text \"{text}\""),
        OptionValue::List(_) | OptionValue::Several(_) => "a list".to_owned(),
        OptionValue::Table(_) | OptionValue::Extension(_) => "a table".to_owned(),
    }
}
