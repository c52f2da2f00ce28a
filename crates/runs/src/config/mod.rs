//! Input files: campaigns, experiments, comparisons and weights. This module parses them, fills in defaults and
//! checks ranges. An error names file, line, column, key and the allowed values.
//!
//! The sections of a campaign belong to the modules that they configure. This module combines them, and checks
//! conditions that involve several sections.
//!
//! ```
//! use std::path::Path;
//! use tiletune_runs::config::Source;
//! use tiletune_runs::config::campaign::Campaign;
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
mod choices;
pub mod compare;
pub mod comparisons;
mod document;
mod error;
pub mod experiment;
pub mod heuristic_file;
pub mod provenance;
pub mod reference;
pub mod schema;
pub mod series;
pub mod shipped;
pub mod template;
mod toml_words;
pub mod weights_file;

use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::path::{Component, Path, PathBuf};

use crate::{inventory, plain_file};
use document::{Document, Setting};
use tiletune_engine::field_error::FieldError;
use tiletune_engine::player::Players;
use tiletune_report::visible::is_line;

pub use error::ConfigError;

/// A file: its name, its text and the values that the command line sets in it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path or description, as shown in messages.
    pub name: String,
    /// Contents without the settings.
    pub text: String,
    /// The folder for relative paths of the file, unless the reader uses another one.
    folder: PathBuf,
    settings: Vec<Setting>,
}

impl Source {
    /// A text and its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source {
            name: name.into(),
            text: text.into(),
            folder: PathBuf::new(),
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
        let bytes = plain_file::read_input(path).map_err(|error| unreadable(error.to_string()))?;
        let bytes = inventory::checked(path, bytes).map_err(|reason| ConfigError::Damaged {
            path: path.display().to_string(),
            reason,
        })?;
        let text = String::from_utf8(bytes)
            .map_err(|error| unreadable(format!("not a text file ({})", error.utf8_error())))?;
        let problem = match text.trim() {
            "" => "the file is empty",
            text if text.contains('\0') => "not a text file (it contains zero bytes)",
            _ => {
                let folder = path.parent().map(Path::to_owned).unwrap_or_default();
                let source = Source::new(path.display().to_string(), text);
                return Ok(Source { folder, ..source });
            }
        };
        Err(unreadable(problem.into()))
    }

    /// Adds `key=value` settings; later ones replace earlier ones. Keys are dotted paths; list elements
    /// are counted from 0. Values are TOML or plain text; an empty value removes the key.
    ///
    /// # Errors
    /// If a setting has no `=` or an empty key.
    pub fn with_settings(mut self, settings: &[String]) -> Result<Self, ConfigError> {
        for given in settings {
            // One byte after the text, so that an error at the end of the text belongs to the text.
            let last = self.settings.last();
            let start = last.map_or(self.text.len() + 1, Setting::end);
            self.settings.push(Setting::new(given, start)?);
        }
        Ok(self)
    }

    /// Adds the setting that an option of the command line stands for. Messages about it name the option as it was
    /// `typed`.
    ///
    /// # Errors
    /// As [`Source::with_settings`].
    pub fn with_option(self, typed: &str, setting: &str) -> Result<Self, ConfigError> {
        let mut source = self.with_settings(&[setting.to_owned()])?;
        if let Some(last) = source.settings.last_mut() {
            last.name_option(typed);
        }
        Ok(source)
    }

    /// Whether the file, with its settings, has a value at exactly this path. False if the file cannot be parsed.
    pub fn has(&self, path: &[&str]) -> bool {
        Document::parse(self).is_ok_and(|document| document.has(path))
    }

    /// An error at the value of `path`, or at the innermost table on the path that exists.
    pub fn mistake_at(&self, path: &[&str], message: impl Into<String>) -> ConfigError {
        match Document::parse(self) {
            Ok(document) => document.mistake_at(path, message),
            Err(error) => error,
        }
    }

    /// An error at a part of the text.
    fn mistake(
        &self,
        message: impl Into<String>,
        span: Range<usize>,
        help: Option<String>,
    ) -> ConfigError {
        ConfigError::mistake(&self.name, &self.text, span, message.into(), help)
    }
}

/// A path in a file of `folder`, without unnecessary `..` components as in `configs/../a.toml`.
fn joined(folder: &Path, path: &Path) -> PathBuf {
    let joined = folder.join(path);
    let mut short = PathBuf::new();
    for part in joined.components() {
        let leaves = part == Component::ParentDir
            && matches!(short.components().next_back(), Some(Component::Normal(_)));
        if leaves {
            short.pop();
        } else {
            short.push(part);
        }
    }
    // After a symbolic link `..` can lead to another folder, so the short path is used only if it is equivalent.
    match (joined.canonicalize(), short.canonicalize()) {
        (Ok(long), Ok(same)) if long == same => short,
        (Err(_), Err(_)) => short,
        _ => joined,
    }
}

/// Whether a name of a campaign or an experiment can have this character.
fn is_safe(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// The name of a campaign whose file has none: that of the file without its ending, with `-` for what a name of a
/// directory must not have.
fn name_of_file(file: &str) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default();
    let stem = stem.to_string_lossy();
    let stem = stem.replace(|c| !is_safe(c), "-");
    match stem.trim_start_matches('.') {
        "" => "campaign".to_owned(),
        name => name.to_owned(),
    }
}

/// Checks name and seed of a campaign or an experiment.
fn check_name_and_seed(name: &str, seed: u64) -> Result<(), FieldError> {
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_safe) {
        let message = format!(
            "name `{name}` cannot name a directory: allowed are ASCII letters, digits, `-`, `_` and `.`, \
             but no `.` at the beginning"
        );
        return Err(FieldError::new(["name"], message));
    }
    check_range("seed", seed, 0..=i64::MAX as u64)
}

/// Checks a name that is shown on one line.
fn check_name(key: &str, name: &str) -> Result<(), FieldError> {
    if name.is_empty() || !is_line(name) {
        let message = "a name must not be empty or have control characters or marks of direction";
        return Err(FieldError::new([key], message));
    }
    Ok(())
}

/// Checks that the value of `key` is in a range.
fn check_range<T: Display + PartialOrd>(
    key: &str,
    value: T,
    allowed: RangeInclusive<T>,
) -> Result<(), FieldError> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let (least, most) = allowed.into_inner();
    let message = format!("{key} {value} is out of range: {least} to {most}");
    Err(FieldError::new([key], message))
}

/// Largest number of draws of a bootstrap (resamples times games). It takes about half a minute.
pub(crate) const MOST_DRAWS: u64 = 10_000_000_000;

/// Checks that a bootstrap of this number of games does not take too long.
fn check_resamples(resamples: u32, games: u32) -> Result<(), FieldError> {
    let most = MOST_DRAWS / u64::from(games.max(1));
    if u64::from(resamples) <= most {
        return Ok(());
    }
    let message = format!(
        "resamples {resamples} is too large for {games} games: at most {most} (resamples times games: at \
         most {MOST_DRAWS})"
    );
    Err(FieldError::new(["resamples"], message))
}

/// Checks that games of two players come in pairs, one game for each side of an opening.
pub fn check_openings(key: &str, games: u32, players: Players) -> Result<(), FieldError> {
    if players.whole(games) == games {
        return Ok(());
    }
    let message = format!("{key} {games} is odd: every opening is played from both sides");
    Err(FieldError::new([key], message))
}
