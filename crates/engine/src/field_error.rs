//! The error that a check of one configuration field returns.
//!
//! This module must not know files. The reader of a file (`config`) translates the path of a field to a line
//! and a column.

use std::ops::Range;

/// An invalid value of a configuration field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FieldError {
    /// The keys that lead to the field, the outermost first. The key of an array element is its index. The path
    /// is empty if the error concerns the whole table.
    pub path: Vec<String>,
    /// The message: what is invalid, and what is allowed.
    pub message: String,
    /// The byte range of the error inside a text value; `None` means the whole value.
    pub at: Option<Range<usize>>,
}

impl FieldError {
    /// An error at a path of keys that concerns the whole value.
    pub fn new<K: ToString>(path: impl IntoIterator<Item = K>, message: impl Into<String>) -> Self {
        FieldError {
            path: path.into_iter().map(|key| key.to_string()).collect(),
            message: message.into(),
            at: None,
        }
    }

    /// The same error, limited to a byte range of the text value.
    pub fn at(self, part: Range<usize>) -> Self {
        let at = Some(part);
        FieldError { at, ..self }
    }

    /// The same error, with the keys of `path` in front: the path then starts at an outer table.
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
