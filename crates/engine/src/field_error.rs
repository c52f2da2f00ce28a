//! The error of a check of one field of a configuration.
//!
//! This module must not know files; `config` finds the place of a field in a file.

use std::ops::Range;

/// A field with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FieldError {
    /// The keys that lead to the field, the outermost first. The key of an array element is its index.
    /// Empty if the error concerns all fields together.
    pub path: Vec<String>,
    /// What is invalid and what is allowed.
    pub message: String,
    /// The bytes concerned of a text; `None` for the whole value.
    pub at: Option<Range<usize>>,
}

impl FieldError {
    /// An error of the field at a path of keys.
    pub fn new<K: ToString>(path: impl IntoIterator<Item = K>, message: impl Into<String>) -> Self {
        FieldError {
            path: path.into_iter().map(|key| key.to_string()).collect(),
            message: message.into(),
            at: None,
        }
    }

    /// The same error, at a part of the text that is the value of the field.
    pub fn at(self, part: Range<usize>) -> Self {
        let at = Some(part);
        FieldError { at, ..self }
    }

    /// The same error, with a path that begins outside the table at `path`.
    pub fn within<K: ToString>(self, path: impl IntoIterator<Item = K>) -> Self {
        let outer = path.into_iter().map(|key| key.to_string());
        FieldError {
            path: outer.chain(self.path).collect(),
            ..self
        }
    }
}

/// [`FieldError::within`] for results.
pub trait Within {
    /// Prepends the keys of `path` to the path of an error.
    fn within<K: ToString>(self, path: impl IntoIterator<Item = K>) -> Self;
}

impl<T> Within for Result<T, FieldError> {
    fn within<K: ToString>(self, path: impl IntoIterator<Item = K>) -> Self {
        self.map_err(|error| error.within(path))
    }
}
