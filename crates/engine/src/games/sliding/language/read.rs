//! Reads a [`Definition`] from a TOML table. Every error contains the key and, for an expression, the position
//! in its text.

use std::collections::BTreeSet;

use super::check;
use super::definition::{Definition, Number, Term};
use super::fields::Fields;
use super::term::{named, term};
use crate::field_error::FieldError;
use crate::games::sliding::board_terms::BoardTerm;
use crate::suggestion;

/// Largest number of line terms.
const MOST_TERMS: usize = 200;

impl Definition {
    /// Reads a heuristic. `boards` are the board terms of the game.
    ///
    /// # Errors
    /// The first error: an unknown or duplicate key or name, an invalid expression, a cost above the limit, a
    /// value that is not finite on some line, or a missing mirror symmetry.
    pub fn read(table: &toml::Table, boards: &'static [BoardTerm]) -> Result<Self, FieldError> {
        let fields = Fields::new(table);
        fields.only(&["about", "lines", "boards", "parameters", "term"])?;
        let anchored = fields.one_of("lines", &[("symmetric", false), ("anchored", true)])?;
        let mut definition = Definition {
            table: table.clone(),
            about: fields.needed_text("about")?.to_owned(),
            anchored: anchored.unwrap_or(false),
            terms: Vec::new(),
            boards: offered(&fields, boards)?,
            shared: Vec::new(),
            parameters: Vec::new(),
        };
        definition.shared = named(&fields, None, "")?;
        let terms = fields.tables("term")?;
        if terms.is_empty() || terms.len() > MOST_TERMS {
            let message = format!(
                "{} terms: 1 to {MOST_TERMS} are allowed, each as [[term]]",
                terms.len()
            );
            return Err(FieldError::new(["term"], message));
        }
        for fields in &terms {
            let term = term(fields, &definition)?;
            definition.terms.push(term);
        }
        definition.list_parameters(&terms)?;
        definition.check_shared()?;
        check::cost(&definition, &terms)?;
        check::values(&definition, &terms)?;
        Ok(definition)
    }

    /// Reads a heuristic that is part of the library.
    ///
    /// # Panics
    /// If the text is not valid.
    pub(in crate::games) fn built_in(text: &str, boards: &'static [BoardTerm]) -> Self {
        let table = text.parse::<toml::Table>();
        let table = table.unwrap_or_else(|error| unreachable!("a built-in heuristic: {error}"));
        Definition::read(&table, boards)
            .unwrap_or_else(|error| unreachable!("a built-in heuristic: {error}"))
    }

    /// Checks that at least one term reads each shared parameter.
    fn check_shared(&self) -> Result<(), FieldError> {
        for (place, number) in self.shared.iter().enumerate() {
            let reads = |term: &Term| {
                let own = term.parameters.len();
                term.value.parameters >> (own + place) & 1 == 1
            };
            if !self.terms.iter().any(reads) {
                let name = &number.name;
                let message = format!("no term reads the parameter `{name}`: leave it out");
                return Err(FieldError::new(["parameters", name], message));
            }
        }
        Ok(())
    }

    /// Collects the parameters: those of the terms, then shared ones, then those of board terms. Checks that
    /// keys are unique.
    fn list_parameters(&mut self, fields: &[Fields]) -> Result<(), FieldError> {
        let mut keys = BTreeSet::new();
        let mut add = |number: &Number, path: Vec<String>| {
            for parameter in number.listed() {
                if !keys.insert(parameter.key.clone()) {
                    let message = format!("two parameters have the key `{}`", parameter.key);
                    return Err(FieldError::new(path, message));
                }
                self.parameters.push(parameter);
            }
            Ok(())
        };
        for (term, fields) in self.terms.iter().zip(fields) {
            for number in term.weights.iter().chain(&term.parameters) {
                add(number, fields.path_of("name"))?;
            }
        }
        for number in &self.shared {
            add(number, vec!["parameters".into(), number.name.clone()])?;
        }
        for term in &self.boards {
            let parameter = term.weight.parameter(term.name, term.doc);
            let number = Number {
                name: String::new(),
                parameter,
                splits: false,
            };
            add(&number, vec!["boards".into()])?;
        }
        Ok(())
    }
}

/// The board terms that a file selects.
fn offered(
    fields: &Fields,
    boards: &'static [BoardTerm],
) -> Result<Vec<&'static BoardTerm>, FieldError> {
    let known: Vec<&str> = boards.iter().map(|term| term.name).collect();
    let mut found: Vec<&BoardTerm> = Vec::new();
    for (at, name) in fields.texts("boards")?.into_iter().enumerate() {
        let term = boards.iter().find(|term| term.name == name);
        let message = match term {
            None => suggestion::unknown("term over boards", name, &known),
            Some(term) if found.iter().any(|other| other.name == term.name) => {
                format!("`{name}` is there twice")
            }
            Some(term) => {
                found.push(term);
                continue;
            }
        };
        return Err(FieldError::new(
            ["boards".to_owned(), at.to_string()],
            message,
        ));
    }
    Ok(found)
}
