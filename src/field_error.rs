//! What is wrong with one field of what a user asked for: the error of every check of a setting.
//!
//! Knows neither files nor places in them; [`config`](crate::config) finds the place.

/// A field with a wrong value, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FieldError {
    /// The keys that lead to the field, the outermost first; an element of an array has its index as
    /// key. Empty if the error is about all fields together.
    pub path: Vec<String>,
    /// What is wrong and what is allowed.
    pub message: String,
}

impl FieldError {
    /// An error of the field at a path of keys.
    pub fn new<K: ToString>(path: impl IntoIterator<Item = K>, message: impl Into<String>) -> Self {
        FieldError {
            path: path.into_iter().map(|key| key.to_string()).collect(),
            message: message.into(),
        }
    }

    /// The same error as seen from outside of the table at `path`.
    pub fn within<K: ToString>(self, path: impl IntoIterator<Item = K>) -> Self {
        let outer = path.into_iter().map(|key| key.to_string());
        FieldError {
            path: outer.chain(self.path).collect(),
            message: self.message,
        }
    }
}
