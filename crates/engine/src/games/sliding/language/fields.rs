//! Typed access to the values of a TOML table. An error contains the path of the key.

use crate::field_error::FieldError;
use crate::suggestion::unknown;

/// A table and the keys that lead to it.
pub struct Fields<'a> {
    table: &'a toml::Table,
    path: Vec<String>,
}

impl<'a> Fields<'a> {
    /// The outermost table.
    pub fn new(table: &'a toml::Table) -> Self {
        let path = Vec::new();
        Fields { table, path }
    }

    /// The path of a key.
    pub fn path_of(&self, key: &str) -> Vec<String> {
        self.path.iter().cloned().chain([key.to_owned()]).collect()
    }

    /// An error at a key.
    pub fn error(&self, key: &str, message: impl Into<String>) -> FieldError {
        FieldError::new(self.path_of(key), message)
    }

    /// The keys of the table.
    pub fn keys(&self) -> Vec<&'a str> {
        self.table.keys().map(String::as_str).collect()
    }

    /// Checks that the table has no other keys than `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), FieldError> {
        let Some(given) = self.keys().into_iter().find(|key| !known.contains(key)) else {
            return Ok(());
        };
        Err(self.error(given, unknown("key", given, known)))
    }

    /// A value of any kind; `None` if the key is missing.
    pub fn value(&self, key: &str) -> Option<&'a toml::Value> {
        self.table.get(key)
    }

    fn get<T>(
        &self,
        key: &str,
        wanted: &str,
        read: impl Fn(&'a toml::Value) -> Option<T>,
    ) -> Result<Option<T>, FieldError> {
        let Some(value) = self.table.get(key) else {
            return Ok(None);
        };
        let wrong = || self.error(key, format!("`{key}` must be {wanted}"));
        read(value).map(Some).ok_or_else(wrong)
    }

    fn list<T>(
        &self,
        key: &str,
        wanted: &str,
        read: impl Fn(&'a toml::Value) -> Option<T>,
    ) -> Result<Option<Vec<T>>, FieldError> {
        self.get(key, wanted, |value| {
            value.as_array()?.iter().map(&read).collect()
        })
    }

    /// A text; `None` if the key is missing.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, FieldError> {
        self.get(key, "a text in quotes", toml::Value::as_str)
    }

    /// A text that must be present and not blank.
    pub fn needed_text(&self, key: &str) -> Result<&'a str, FieldError> {
        let text = self.text(key)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| {
            self.error(
                key,
                format!("`{key}` is missing or empty: a text is needed"),
            )
        })
    }

    /// The value of a keyword; `None` if the key is missing.
    pub fn one_of<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, FieldError> {
        let Some(given) = self.text(key)? else {
            return Ok(None);
        };
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == given) {
            return Ok(Some(*value));
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        Err(self.error(key, unknown(key, given, &known)))
    }

    /// A list of texts; empty if the key is missing.
    pub fn texts(&self, key: &str) -> Result<Vec<&'a str>, FieldError> {
        let texts = self.list(key, "a list of texts", toml::Value::as_str)?;
        Ok(texts.unwrap_or_default())
    }

    /// A boolean; `None` if the key is missing.
    pub fn truth(&self, key: &str) -> Result<Option<bool>, FieldError> {
        self.get(key, "true or false", toml::Value::as_bool)
    }

    /// A finite number; `None` if the key is missing.
    pub fn number(&self, key: &str) -> Result<Option<f64>, FieldError> {
        self.get(key, "a finite number", finite)
    }

    /// A list of `count` numbers. A single number is repeated; `None` if the key is missing.
    pub fn numbers(&self, key: &str, count: usize) -> Result<Option<Vec<f64>>, FieldError> {
        let wanted = format!("a finite number, or a list of {count}, one for each weight");
        self.get(key, &wanted, |value| match value.as_array() {
            None => finite(value).map(|number| vec![number; count]),
            Some(list) => {
                let numbers: Option<Vec<f64>> = list.iter().map(finite).collect();
                numbers.filter(|numbers| numbers.len() == count)
            }
        })
    }

    /// The same as [`Fields::numbers`]; the list may also be a list of rows, which have as many numbers together.
    pub fn numbers_in_rows(&self, key: &str, count: usize) -> Result<Option<Vec<f64>>, FieldError> {
        let rows = self.table.get(key).and_then(toml::Value::as_array);
        let rows = rows.map(|rows| rows.iter().map(toml::Value::as_array).collect());
        let Some(Some(rows)) = rows.map(|rows: Option<Vec<_>>| rows) else {
            return self.numbers(key, count);
        };
        let numbers: Option<Vec<f64>> = rows.into_iter().flatten().map(finite).collect();
        let numbers = numbers.filter(|numbers| numbers.len() == count);
        let wrong = || {
            let message = format!("the rows of `{key}` must have {count} finite numbers together");
            self.error(key, message)
        };
        numbers.map(Some).ok_or_else(wrong)
    }

    /// A list of whole numbers; `None` if the key is missing.
    pub fn whole_numbers(&self, key: &str) -> Result<Option<Vec<i64>>, FieldError> {
        self.list(key, "a list of whole numbers", toml::Value::as_integer)
    }

    /// A table; `None` if the key is missing.
    pub fn table(&self, key: &str) -> Result<Option<Fields<'a>>, FieldError> {
        let table = self.get(key, "a table", toml::Value::as_table)?;
        let path = self.path_of(key);
        Ok(table.map(|table| Fields { table, path }))
    }

    /// A list of tables; empty if the key is missing.
    pub fn tables(&self, key: &str) -> Result<Vec<Fields<'a>>, FieldError> {
        let wanted = format!("a list of tables, each as [[{key}]]");
        let tables = self.list(key, &wanted, toml::Value::as_table)?;
        let fields = |(at, table): (usize, &'a toml::Table)| {
            let path = [self.path_of(key), vec![at.to_string()]].concat();
            Fields { table, path }
        };
        let tables = tables.unwrap_or_default().into_iter().enumerate();
        Ok(tables.map(fields).collect())
    }
}

fn finite(value: &toml::Value) -> Option<f64> {
    let number = value
        .as_float()
        .or(value.as_integer().map(|number| number as f64));
    number.filter(|number| number.is_finite())
}
