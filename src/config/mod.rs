//! Files that people write: campaigns, experiments and weights. Parsing, defaults, ranges; every mistake is
//! told with file, line, column, key and what was allowed.
//!
//! The sections of a campaign are owned by the modules that they configure; this module only puts
//! them together and checks what spans several.

pub mod campaign;
pub mod experiment;
pub mod reference;
pub mod weights_file;

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use miette::{Diagnostic, NamedSource, SourceSpan};
use serde::de::DeserializeOwned;
use toml::de::DeValue;

use crate::heuristic::weights::nearest;

/// A mistake in a file that a person wrote, or the lack of one.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum ConfigError {
    /// The file cannot be read as text.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// Something in the text is wrong.
    #[error("{message}")]
    Mistake {
        /// What is wrong and what is allowed.
        message: String,
        /// The text.
        #[source_code]
        source_code: NamedSource<String>,
        /// The place.
        #[label("here")]
        span: Option<SourceSpan>,
        /// A suggestion.
        #[help]
        help: Option<String>,
    },
    /// A `--set` that is no `key=value` or names no place.
    #[error("--set {given}: {reason}")]
    Set {
        /// The argument.
        given: String,
        /// What is wrong.
        reason: String,
    },
}

/// The text of a file with its name.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path or description, as shown in messages.
    pub name: String,
    /// Contents.
    pub text: String,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not UTF-8 text.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |reason: String| ConfigError::Unreadable {
            path: path.display().to_string(),
            reason,
        };
        let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        let text = String::from_utf8(bytes)
            .map_err(|error| unreadable(format!("not a text file ({})", error.utf8_error())))?;
        if text.contains('\0') {
            return Err(unreadable(
                "not a text file (it contains zero bytes)".into(),
            ));
        }
        if text.trim().is_empty() {
            return Err(unreadable("the file is empty".into()));
        }
        Ok(Source {
            name: path.display().to_string(),
            text,
        })
    }

    /// Parses the text.
    ///
    /// # Errors
    /// With the place, and for an unknown key the nearest known one.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        toml::from_str(&self.text).map_err(|error| {
            let message = in_users_words(error.message().trim_end());
            let help = nearest_of_expected(&message);
            self.mistake(message, error.span(), help)
        })
    }

    /// A mistake at the value of `path`, or at the nearest table around it that is in the text.
    pub fn mistake_at(&self, path: &[&str], message: impl Into<String>) -> ConfigError {
        self.mistake(message.into(), locate(&self.text, path), None)
    }

    /// Whether the text sets exactly this path.
    pub fn sets(&self, path: &[&str]) -> bool {
        let document: Result<toml::Table, _> = toml::from_str(&self.text);
        let Ok(document) = document else {
            return false;
        };
        let document = toml::Value::Table(document);
        let found = path.iter().try_fold(&document, |value, key| value.get(key));
        found.is_some()
    }

    fn mistake(
        &self,
        message: String,
        span: Option<Range<usize>>,
        help: Option<String>,
    ) -> ConfigError {
        // A span at the very end (a missing key) would have no line to show.
        let span = span.map(|span| span.start.min(self.text.len())..span.end.min(self.text.len()));
        ConfigError::Mistake {
            message,
            source_code: NamedSource::new(&self.name, self.text.clone()),
            span: span.map(SourceSpan::from),
            help,
        }
    }
}

/// Serde speaks of fields and of Rust's types; the reader of a message wrote keys and numbers.
fn in_users_words(message: &str) -> String {
    let message = message.replace(" field `", " key `");
    let whole_numbers = ["u8", "u16", "u32", "u64", "usize"];
    match message.rsplit_once(", expected ") {
        Some((start, expected)) if whole_numbers.contains(&expected) => {
            format!("{start}, expected a whole number, 0 or more")
        }
        Some((start, "f64")) => format!("{start}, expected a number"),
        Some((start, "bool")) => format!("{start}, expected true or false"),
        _ => message,
    }
}

/// Serde's message for an unknown key quotes it and then all known ones; the nearest is a guess at
/// what was meant.
fn nearest_of_expected(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (true, Some(given)) = (message.starts_with("unknown "), quoted.next()) else {
        return None;
    };
    nearest(given, quoted).map(|name| format!("did you mean `{name}`?"))
}

/// Where the text sets `path`, or the longest beginning of it that the text has. An element of an
/// array is named by its number.
fn locate(text: &str, path: &[&str]) -> Option<Range<usize>> {
    let document = toml::de::DeTable::parse(text).ok()?;
    let mut parts = path.iter();
    let first = parts.next()?;
    let (name, mut value) = document
        .get_ref()
        .iter()
        .find(|(name, _)| name.get_ref() == first)?;
    let place =
        |name: &toml::Spanned<Cow<str>>, value: &toml::Spanned<DeValue>| match value.get_ref() {
            DeValue::Table(_) => name.span(),
            _ => name.span().start..value.span().end,
        };
    let mut found = place(name, value);
    for key in parts {
        match value.get_ref() {
            DeValue::Table(table) => {
                let Some((name, inner)) = table.iter().find(|(name, _)| name.get_ref() == key)
                else {
                    break;
                };
                found = place(name, inner);
                value = inner;
            }
            DeValue::Array(array) => {
                let Some(inner) = key.parse().ok().and_then(|index: usize| array.get(index)) else {
                    break;
                };
                found = inner.span();
                value = inner;
            }
            _ => break,
        }
    }
    Some(found)
}

/// Whether a name can be part of a directory's name.
fn names_a_directory(name: &str) -> bool {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_safe)
}

/// The text with `key=value` settings applied; keys are dotted paths, values TOML or plain text.
///
/// # Errors
/// If a setting has no `=`, an empty key, or leads through a value that is no table; or if the
/// text itself is not TOML.
pub fn apply_settings(source: Source, settings: &[String]) -> Result<Source, ConfigError> {
    if settings.is_empty() {
        return Ok(source);
    }
    let mut document: toml::Table = source.parse()?;
    for given in settings {
        let wrong = |reason: &str| ConfigError::Set {
            given: given.clone(),
            reason: reason.into(),
        };
        let (path, value) = given
            .split_once('=')
            .ok_or_else(|| wrong("not of the form key=value"))?;
        let mut keys: Vec<&str> = path.trim().split('.').collect();
        if keys.iter().any(|key| key.is_empty()) {
            return Err(wrong("a part of the key is empty"));
        }
        let last = keys.pop().unwrap_or_default();
        let mut table = &mut document;
        for key in keys {
            let entry = table
                .entry(key)
                .or_insert_with(|| toml::Table::new().into());
            table = entry
                .as_table_mut()
                .ok_or_else(|| wrong(&format!("`{key}` is a value, not a table")))?;
        }
        table.insert(last.to_owned(), parse_value(value.trim()));
    }
    Ok(Source {
        name: format!("{} with --set", source.name),
        text: document.to_string(),
    })
}

fn parse_value(text: &str) -> toml::Value {
    match toml::from_str::<toml::Table>(&format!("value = {text}")) {
        Ok(mut table) => table.remove("value").unwrap_or_else(|| text.into()),
        Err(_) => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found() {
        let text = "a = 1\n[b.c]\nd = [1, 2]\n[[e]]\nf = 1\n[[e]]\nf = 2\n";
        let place = |path: &[&str]| locate(text, path).map(|span| &text[span]);
        assert_eq!(place(&["a"]), Some("a = 1"));
        assert_eq!(place(&["b", "c", "d"]), Some("d = [1, 2]"));
        assert_eq!(place(&["b", "c", "missing"]), Some("c"));
        assert_eq!(place(&["missing"]), None);
        assert_eq!(place(&["b", "c", "d", "1"]), Some("2"));
        assert_eq!(place(&["e", "1", "f"]), Some("f = 2"));
        assert_eq!(place(&["e", "1", "missing"]), Some("[[e]]"));
    }

    #[test]
    fn settings_replace_and_add() {
        let source = Source {
            name: "x.toml".into(),
            text: "a = 1\n[b]\nc = 2\n".into(),
        };
        let set = |setting: &str| apply_settings(source.clone(), &[setting.to_owned()]);
        assert_eq!(set("b.c=3").unwrap().text, "a = 1\n\n[b]\nc = 3\n");
        assert!(set("b.d.e=word").unwrap().text.contains("e = \"word\""));
        let reason = |setting| set(setting).unwrap_err().to_string();
        assert_eq!(reason("b"), "--set b: not of the form key=value");
        assert_eq!(reason("a.b=1"), "--set a.b=1: `a` is a value, not a table");
        assert_eq!(reason("a..b=1"), "--set a..b=1: a part of the key is empty");
    }
}
