//! Files that people write: campaigns, experiments and weights. Parsing, defaults, ranges; every
//! mistake is reported with file, line, column, key and what is allowed.
//!
//! The sections of a campaign are owned by the modules that they configure; this module only puts
//! them together and checks what spans several.
//!
//! ```
//! use std::path::Path;
//! use tiletune::{Campaign, Source};
//!
//! let text = r#"
//! why = "three weights"
//! name = "three"
//! player = { name = "expectimax" }
//! budget = { generations = 10 }
//! parameters = { empty = {}, merges = {}, monotonicty = {} }
//! "#;
//! let error = Campaign::resolve(&Source::new("three.toml", text), Path::new("")).err();
//! let message = error.map(|error| error.to_string()).unwrap_or_default();
//! assert!(message.contains("unknown parameter `monotonicty`; did you mean `monotonicity`?"));
//!
//! let text = text.replace("monotonicty", "monotonicity");
//! let campaign = Campaign::resolve(&Source::new("three.toml", text), Path::new(""));
//! assert!(campaign.is_ok_and(|campaign| campaign.space.dimension() == 3));
//! ```

pub mod campaign;
mod document;
mod error;
pub mod experiment;
pub mod reference;
pub mod weights_file;

use std::ops::Range;
use std::path::Path;

use crate::field_error::FieldError;
use document::{Document, Setting};

pub use error::ConfigError;

/// The text of a file with its name, and what the command line sets in it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path or description, as shown in messages.
    pub name: String,
    /// Contents, as their author wrote them.
    pub text: String,
    settings: Vec<Setting>,
}

impl Source {
    /// A text with its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source {
            name: name.into(),
            text: text.into(),
            settings: Vec::new(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is not UTF-8 text, or is empty.
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
        Ok(Source::new(path.display().to_string(), text))
    }

    /// The same text with `key=value` settings, later ones over earlier ones. Keys are dotted paths,
    /// where an element of a list has its number, from 0; values are TOML or plain text.
    ///
    /// # Errors
    /// If a setting has no `=` or an empty key.
    pub fn with_settings(mut self, settings: &[String]) -> Result<Self, ConfigError> {
        for given in settings {
            // A mistake at the very end of the text is one of the text.
            let end = self
                .settings
                .last()
                .map_or(self.text.len() + 1, Setting::end);
            self.settings.push(Setting::new(given, end)?);
        }
        Ok(self)
    }

    /// A mistake at the value of `path`, or at the nearest table around it that is in the text.
    pub fn mistake_at(&self, path: &[&str], message: impl Into<String>) -> ConfigError {
        match Document::parse(self) {
            Ok(document) => document.mistake_at(path, message),
            Err(error) => error,
        }
    }

    /// A mistake in a part of the text.
    fn mistake(
        &self,
        message: impl Into<String>,
        span: Range<usize>,
        help: Option<String>,
    ) -> ConfigError {
        ConfigError::mistake(&self.name, &self.text, span, message.into(), help)
    }
}

/// What campaigns and experiments have in common: a name that can name a directory, and a seed.
fn check_name_and_seed(name: &str, seed: u64) -> Result<(), FieldError> {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_safe) {
        let message = format!(
            "name `{name}` cannot name a directory: letters, digits, `-`, `_` and `.` are allowed, \
             and no `.` at the beginning"
        );
        return Err(FieldError::new(["name"], message));
    }
    if seed > i64::MAX as u64 {
        let message = format!("seed {seed} is out of range: 0 to {}", i64::MAX);
        return Err(FieldError::new(["seed"], message));
    }
    Ok(())
}
