//! Reads a [`Definition`] from a TOML table. Every error contains the key and, for an expression, the position
//! in its text.

use std::collections::BTreeSet;

use super::check;
use super::definition::{Definition, Term};
use super::fields::Fields;
use super::line_set::Number;
use super::read_whole::{best_image, board_term};
use super::term::{named, term};
use super::whole_term::WholeTerm;
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
        Self::read_with(table, boards, |definition, of_lines, whole| {
            check::values(definition, of_lines)?;
            check::whole_values(definition, whole)
        })
    }

    /// The same with another check of values.
    fn read_with(
        table: &toml::Table,
        boards: &'static [BoardTerm],
        check_values: impl Fn(&Self, &[Fields], &[&Fields]) -> Result<(), FieldError>,
    ) -> Result<Self, FieldError> {
        let fields = Fields::new(table);
        fields.only(&[
            "about",
            "lines",
            "boards",
            "parameters",
            "term",
            "board_term",
        ])?;
        let anchored = fields.one_of("lines", &[("symmetric", false), ("anchored", true)])?;
        let mut definition = Definition {
            table: table.clone(),
            about: fields.needed_text("about")?.to_owned(),
            anchored: anchored.unwrap_or(false),
            terms: Vec::new(),
            whole_terms: Vec::new(),
            boards: offered(&fields, boards)?,
            shared: Vec::new(),
            parameters: Vec::new(),
            fits: Default::default(),
        };
        definition.shared = named(&fields, None, "", false)?;
        let (of_lines, of_images): (Vec<Fields>, Vec<Fields>) = (fields.tables("term")?)
            .into_iter()
            .partition(|fields| fields.value("images").is_none());
        let of_board = fields.tables("board_term")?;
        let count = of_lines.len() + of_images.len() + of_board.len();
        if count == 0 || count > MOST_TERMS {
            let message = format!(
                "{count} terms: 1 to {MOST_TERMS} are allowed, each as [[term]] or [[board_term]]"
            );
            return Err(FieldError::new(["term"], message));
        }
        for fields in &of_lines {
            let term = term(fields, &definition)?;
            definition.terms.push(term);
        }
        for fields in &of_images {
            let term = best_image(fields, &definition)?;
            definition.whole_terms.push(term);
        }
        for fields in &of_board {
            let term = board_term(fields, &definition)?;
            definition.whole_terms.push(term);
        }
        let whole: Vec<&Fields> = of_images.iter().chain(&of_board).collect();
        definition.list_parameters(&of_lines, &whole)?;
        definition.check_shared()?;
        check::cost(&definition, &of_lines, &whole)?;
        check_values(&definition, &of_lines, &whole)?;
        Ok(definition)
    }

    /// Reads a heuristic that is part of the library. Its values are checked by a test and not here: the check takes as
    /// long as the rest of the start of a program.
    ///
    /// # Panics
    /// If the text is not valid.
    pub(in crate::games) fn built_in(text: &str, boards: &'static [BoardTerm]) -> Self {
        let table = text.parse::<toml::Table>();
        let table = table.unwrap_or_else(|error| unreachable!("a built-in heuristic: {error}"));
        Self::read_with(&table, boards, |_, _, _| Ok(()))
            .unwrap_or_else(|error| unreachable!("a built-in heuristic: {error}"))
    }

    /// Checks that at least one term reads each shared parameter.
    fn check_shared(&self) -> Result<(), FieldError> {
        for (place, number) in self.shared.iter().enumerate() {
            let reads = |term: &Term| {
                let own = term.parameters.len();
                term.value.parameters >> (own + place) & 1 == 1
            };
            let on_board = |term: &WholeTerm| {
                let own = term.parameters.len();
                let in_value = term.value.parameters >> (term.folds.len() + own + place) & 1 == 1;
                let mut in_lines = term.folds.iter().map(|fold| fold.value.parameters);
                in_value || in_lines.any(|read| read >> (own + place) & 1 == 1)
            };
            if !self.terms.iter().any(reads) && !self.whole_terms.iter().any(on_board) {
                let name = &number.name;
                let message = format!("no term reads the parameter `{name}`: leave it out");
                return Err(FieldError::new(["parameters", name], message));
            }
        }
        Ok(())
    }

    /// Collects the parameters: those of line terms, those of terms of the whole board, shared ones, then those of the
    /// board terms of the game. Checks that keys are unique.
    fn list_parameters(&mut self, fields: &[Fields], whole: &[&Fields]) -> Result<(), FieldError> {
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
        for (term, fields) in self.whole_terms.iter().zip(whole) {
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
