//! Choices of parameters in a file: `choices = ["a", "b"]`. Inside of the program a choice is its number from 0. So texts
//! are replaced by numbers before anything reads the file, and the bounds are filled in.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use tiletune_engine::suggestion::did_you_mean;

/// The numbers of choices. The tree of a file borrows its texts.
const NUMBERS: &str = "n = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, \
     27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, \
     52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, \
     77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99]";

/// Texts with their place in the text of the file.
type Choices = (Range<usize>, Vec<String>);

/// A mistake with its place in the text.
pub(super) type Misplaced = (Range<usize>, String);

/// Replaces choices by their numbers: in `start` and `default` of a parameter with choices, and in the tables `values` and
/// `points` of `[start]`. Lists of choices that are not texts are left alone: reading them gives an error.
pub(super) fn replace(root: &mut Spanned<DeValue>) -> Result<(), Misplaced> {
    let DeValue::Table(root) = root.get_mut() else {
        return Ok(());
    };
    // Weights of a program contain its declaration.
    if let Some(declaration) = root.get_mut("heuristic") {
        replace(declaration)?;
    }
    let mut all = Vec::new();
    // In the declaration of a program, a category begins with its first choice.
    let is_declaration = root.contains_key("command");
    if let Some(DeValue::Table(parameters)) = root.get_mut("parameters").map(Spanned::get_mut) {
        for (name, parameter) in parameters {
            let DeValue::Table(parameter) = parameter.get_mut() else {
                continue;
            };
            let Some((span, choices)) = choices_of(parameter)? else {
                continue;
            };
            for key in ["start", "default"] {
                if let Some(value) = parameter.get_mut(key) {
                    number(value, &choices)?;
                }
            }
            let mut fill_in = |key, value| {
                let key = Spanned::new(span.clone(), Cow::Borrowed(key));
                parameter
                    .entry(key)
                    .or_insert(Spanned::new(span.clone(), value));
            };
            fill_in("min", numbered(0));
            fill_in("max", numbered(choices.len() - 1));
            fill_in("integer", DeValue::Boolean(true));
            if is_declaration {
                fill_in("default", numbered(0));
            }
            all.push((name.get_ref().clone().into_owned(), choices));
        }
    }
    let Some(DeValue::Table(start)) = root.get_mut("start").map(Spanned::get_mut) else {
        return Ok(());
    };
    let mut tables = Vec::new();
    for (key, value) in start {
        match (key.get_ref().as_ref(), value.get_mut()) {
            ("values", DeValue::Table(values)) => tables.push(values),
            ("points", DeValue::Array(points)) => {
                let points = points.iter_mut().map(Spanned::get_mut);
                tables.extend(points.filter_map(|point| match point {
                    DeValue::Table(values) => Some(values),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    for values in tables {
        for (name, choices) in &all {
            if let Some(value) = values.get_mut(name.as_str()) {
                number(value, choices)?;
            }
        }
    }
    Ok(())
}

/// The choices of a parameter with their place, if it has a list of texts.
fn choices_of(parameter: &DeTable) -> Result<Option<Choices>, Misplaced> {
    let Some(list) = parameter.get("choices") else {
        return Ok(None);
    };
    let texts = list.get_ref().as_array().map(|list| {
        let texts = list.iter().map(|text| text.get_ref().as_str());
        texts
            .map(|text| text.map(str::to_owned))
            .collect::<Option<Vec<_>>>()
    });
    match texts.flatten() {
        None => Ok(None),
        Some(texts) if (2..=100).contains(&texts.len()) => Ok(Some((list.span(), texts))),
        Some(texts) => {
            let message = format!(
                "`choices` needs 2 to 100 texts; here there are {}",
                texts.len()
            );
            Err((list.span(), message))
        }
    }
}

/// Replaces a text by the number of the choice that it names.
fn number(value: &mut Spanned<DeValue>, choices: &[String]) -> Result<(), Misplaced> {
    let Some(text) = value.get_ref().as_str() else {
        return unambiguous(value, choices);
    };
    let Some(number) = choices.iter().position(|choice| choice == text) else {
        let near = did_you_mean(text, choices.iter().map(String::as_str));
        let message = format!(
            "`{text}` is no choice{near} (choices: {})",
            choices.join(", ")
        );
        return Err((value.span(), message));
    };
    *value.get_mut() = numbered(number);
    Ok(())
}

/// Fails if a whole number is the number of one choice and the text of another. In the files of a run numbers of choices are
/// written with a decimal point.
fn unambiguous(value: &Spanned<DeValue>, choices: &[String]) -> Result<(), Misplaced> {
    let Some(number) = value.get_ref().as_integer() else {
        return Ok(());
    };
    let text = number.as_str();
    let named = text
        .parse()
        .ok()
        .and_then(|number: usize| choices.get(number));
    let is_text = choices.iter().any(|choice| choice == text);
    if !is_text || named.is_some_and(|named| named == text) {
        return Ok(());
    }
    let other = named.map_or_else(String::new, |named| {
        format!(", or \"{named}\" for choice number {text}")
    });
    Err((
        value.span(),
        format!("write the choice as a text: \"{text}\"{other}"),
    ))
}

/// The number of a choice as a value.
fn numbered(number: usize) -> DeValue<'static> {
    let parsed = DeTable::parse(NUMBERS).map(Spanned::into_inner);
    let list = parsed.ok().and_then(|mut table| table.remove("n"));
    let list = list.map(Spanned::into_inner);
    let found = list.and_then(|list| list.as_array()?.get(number).cloned());
    found.map_or(DeValue::Boolean(false), Spanned::into_inner)
}

/// The choices of categories in earlier weights and in the campaign that begins with them. A category keeps its text, so
/// its number follows from both lists.
pub(super) struct Carrying<'a> {
    /// The files of the earlier weights that can declare choices, the first one first.
    pub(super) earlier: Vec<toml::Table>,
    /// The choices of a parameter of the campaign, none if it is a number; `None` if nothing says what it is.
    pub(super) now: &'a dyn Fn(&str) -> Option<Vec<String>>,
}

impl Carrying<'_> {
    /// The number here of the value of a parameter there.
    ///
    /// # Errors
    /// If the campaign lacks the choice, or the parameter is a category on one side only.
    pub(super) fn carried(&self, key: &str, value: f64) -> Result<f64, String> {
        let earlier = self.earlier.iter().find_map(|table| declared(table, key));
        match (earlier, (self.now)(key)) {
            (Some(earlier), Some(now)) => carried(key, value, &earlier, &now),
            _ => Ok(value),
        }
    }
}

/// The choices of a parameter that a campaign or a weights file declares, none if it is a number; `None` if it declares
/// no such parameter.
fn declared(file: &toml::Table, key: &str) -> Option<Vec<String>> {
    let of_heuristic = file.get("heuristic").and_then(|of| of.get("parameters"));
    let tables = [file.get("parameters"), of_heuristic].into_iter().flatten();
    let mut found = tables.filter_map(|table| table.get(key)).peekable();
    found.peek()?;
    let lists = found.filter_map(|one| one.get("choices")?.as_array());
    let texts = |list: &Vec<toml::Value>| {
        list.iter()
            .filter_map(|text| Some(text.as_str()?.to_owned()))
            .collect()
    };
    Some(lists.map(texts).next().unwrap_or_default())
}

fn carried(key: &str, value: f64, earlier: &[String], now: &[String]) -> Result<f64, String> {
    if earlier == now {
        return Ok(value);
    }
    let text = earlier.get(value as usize);
    let number = now.iter().position(|choice| Some(choice) == text);
    match (text, number) {
        (Some(_), Some(number)) => Ok(number as f64),
        (Some(text), None) if now.is_empty() => Err(format!(
            "`{key}` is the choice `{text}` there, and a number here"
        )),
        (Some(text), None) => Err(format!(
            "`{key}` is `{text}` there, which is no choice here (choices: {})",
            now.join(", ")
        )),
        (None, _) => Err(format!(
            "`{key}` is the number {value} there, and has choices here"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_keeps_its_text() {
        let texts = |list: &[&str]| {
            list.iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        let earlier = texts(&["slow", "exact", "fast"]);
        let to = |value, choices: &[&str]| carried("m", value, &earlier, &texts(choices));
        assert_eq!(to(1.0, &["slow", "wild", "exact"]), Ok(2.0));
        assert_eq!(to(1.0, &["slow", "exact", "fast"]), Ok(1.0));
        for (value, choices) in [(1.0, &["slow", "fast"][..]), (1.0, &[]), (7.0, &["slow"])] {
            assert!(to(value, choices).is_err(), "{value} {choices:?}");
        }
        assert_eq!(carried("m", 0.5, &[], &[]), Ok(0.5));
        assert!(carried("m", 1.0, &[], &earlier).is_err());
    }

    #[test]
    fn a_declaration_in_weights_needs_only_its_choices() {
        let text = "[heuristic]\ncommand = ['a']\n[heuristic.parameters.c]\nchoices = ['a', 'b']\n\
                    [heuristic.parameters.d]\nchoices = ['a', 'b']\ndefault = 'b'";
        let table = DeTable::parse(text).unwrap();
        let mut root = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        replace(&mut root).unwrap();
        let parameters = &root.get_ref()["heuristic"].get_ref()["parameters"];
        for (name, default) in [("c", "0"), ("d", "1")] {
            let parameter = parameters.get_ref()[name].get_ref();
            for (key, value) in [("default", default), ("min", "0"), ("max", "1")] {
                let found = parameter[key].get_ref().as_integer().unwrap();
                assert_eq!(found.as_str(), value, "{name} {key}");
            }
        }
    }

    #[test]
    fn a_number_that_is_the_text_of_another_choice_is_refused() {
        let found = |start: &str| {
            let text = format!("[parameters.c]\nchoices = ['4', '8', '2', '1']\nstart = {start}");
            let table = DeTable::parse(&text).unwrap();
            let mut root = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
            replace(&mut root).map_err(|(_, message)| message)
        };
        let two = "write the choice as a text: \"1\", or \"8\" for choice number 1".to_owned();
        assert_eq!(found("1"), Err(two));
        assert_eq!(
            found("8"),
            Err("write the choice as a text: \"8\"".to_owned())
        );
        for start in ["0", "2", "3", "1.0", "'1'"] {
            assert_eq!(found(start), Ok(()), "{start}");
        }
    }

    #[test]
    fn every_number_is_there() {
        for number in 0..100 {
            let value = numbered(number);
            assert_eq!(value.as_integer().unwrap().as_str(), number.to_string());
        }
    }
}
