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

    /// An error at an element of a list, or of lists in each other: one index for each of them.
    pub fn error_at(&self, key: &str, indices: &[usize], message: impl Into<String>) -> FieldError {
        let indices = indices.iter().map(usize::to_string);
        let path: Vec<String> = self.path_of(key).into_iter().chain(indices).collect();
        FieldError::new(path, message)
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

    /// A list of `count` numbers, or rows of equal length that have as many together. A single number is repeated; `None`
    /// if the key is missing.
    pub fn numbers(&self, key: &str, count: usize) -> Result<Option<Vec<f64>>, FieldError> {
        let Some(value) = self.table.get(key) else {
            return Ok(None);
        };
        let wanted = || match count {
            1 => format!("`{key}` must be a finite number"),
            _ => format!(
                "`{key}` must be a finite number, or a list of {count}, one for each weight"
            ),
        };
        let Some(list) = value.as_array() else {
            let number = finite(value).ok_or_else(|| self.error(key, wanted()))?;
            return Ok(Some(vec![number; count]));
        };
        let numbers = match self.rows(key)? {
            Some(rows) => rows.into_iter().flatten().collect(),
            None => self.row(key, &[], list)?,
        };
        if numbers.len() != count {
            let here = format!("; here there are {}", numbers.len());
            return Err(self.error(key, wanted() + &here));
        }
        Ok(Some(numbers))
    }

    /// A list of rows of numbers, which have equal lengths; `None` if the key is missing or its first element is no list.
    pub fn rows(&self, key: &str) -> Result<Option<Vec<Vec<f64>>>, FieldError> {
        let list = self.table.get(key).and_then(toml::Value::as_array);
        let Some(list) = list.filter(|list| list.first().is_some_and(toml::Value::is_array)) else {
            return Ok(None);
        };
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for (at, row) in list.iter().enumerate() {
            let numbers = row.as_array().map(Vec::as_slice).unwrap_or_default();
            let width = rows.first().map_or(numbers.len(), Vec::len);
            if !row.is_array() || numbers.len() != width {
                let message = format!(
                    "the rows of `{key}` must have equal lengths: row 1 has {}, {}",
                    many(width, "number"),
                    row_in_words(at, row)
                );
                return Err(self.error_at(key, &[at], message));
            }
            rows.push(self.row(key, &[at], numbers)?);
        }
        Ok(Some(rows))
    }

    /// The numbers of a list at a place inside of a key.
    fn row(
        &self,
        key: &str,
        place: &[usize],
        list: &[toml::Value],
    ) -> Result<Vec<f64>, FieldError> {
        let number = |(at, value): (usize, &toml::Value)| {
            let place = [place, &[at]].concat();
            let wrong = || self.error_at(key, &place, format!("`{key}` needs finite numbers"));
            finite(value).ok_or_else(wrong)
        };
        list.iter().enumerate().map(number).collect()
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

/// A row of a list of rows in words, by its number from 1.
pub fn row_in_words(index: usize, row: &toml::Value) -> String {
    let row = row.as_array();
    let has = row.map_or("is no list".to_owned(), |row| {
        format!("has {}", many(row.len(), "value"))
    });
    format!("row {} {has}", index + 1)
}

/// A number of things: `1 row`, `3 rows`.
pub fn many(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A finite number, whole or not.
pub fn finite(value: &toml::Value) -> Option<f64> {
    let whole = value.as_integer().map(|number| number as f64);
    let number = value.as_float().or(whole);
    number.filter(|number| number.is_finite())
}
