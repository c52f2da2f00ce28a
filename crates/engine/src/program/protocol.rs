//! The lines of protocol version 1: the greeting of a program, a task, and an answer. Each is one line of JSON.
//! This module must not know how lines are transferred.

use serde_json::{Map, Value};

use super::declaration::Declaration;
use crate::heuristic::Parameter;
use crate::heuristic::weights::Weights;
use crate::record::{GameRecord, MOST_NUMBERS, Missing, Names, Numbers};
use crate::suggestion::did_you_mean;

/// The protocol version.
pub const VERSION: u64 = 1;

/// Largest length of a line from a program, in bytes.
pub const LONGEST_LINE: u64 = 1 << 20;

/// Largest absolute value of a number, and the smallest one that is not counted as 0. The squares of such numbers can be
/// added without overflow, and divided.
const LARGEST: f64 = 1e100;
const SMALLEST: f64 = 1e-100;

/// Largest number of characters of a program's text in a message.
const SHOWN: usize = 200;

/// Names that a program must not use for its numbers, because the tables of games have columns with these
/// names.
pub const RESERVED_NUMBERS: [&str; 19] = [
    "finalist",
    "weights",
    "depth",
    "row_number",
    "phase",
    "generation",
    "candidate",
    "game",
    "seed",
    "row",
    "pair",
    "player",
    "outcome",
    "leaf_evaluations",
    "capped",
    "restart",
    "opponent",
    "side",
    "opening",
];

/// Key of an answer that reports an error. It stops the run.
const ERROR: &str = "error";

/// Key of an answer that refuses the weights.
const REFUSED: &str = "refused";

/// The greeting: the first line of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Greeting {
    /// Name of the program.
    pub program: String,
    /// Names of the parameters that the program knows.
    pub parameters: Vec<String>,
    /// Names of the numbers that it computes.
    pub numbers: Vec<String>,
    /// True if the program declares that its numbers do not depend on the seed.
    pub is_deterministic: bool,
}

impl Greeting {
    /// Reads a greeting.
    ///
    /// # Errors
    /// A message: what is wrong, and what is allowed.
    pub fn read(line: &str) -> Result<Self, String> {
        let object = object(line, "its first line")?;
        match object.get("protocol") {
            Some(version) if version.as_u64() == Some(VERSION) => (),
            Some(version) => {
                return Err(format!(
                    "it speaks version {version} of the protocol; this program speaks version {VERSION}"
                ));
            }
            None => {
                return Err(format!(
                    "its first line has no `protocol`: expected \
                     {{\"protocol\":{VERSION},\"program\":\"name\",\"parameters\":[..],\"numbers\":[..]}}, not \
                     {}",
                    shown(line)
                ));
            }
        }
        let program = object.get("program").and_then(Value::as_str);
        let program = program.ok_or("its first line has no text `program`, its name")?;
        let greeting = Greeting {
            program: program.to_owned(),
            parameters: names(&object, "parameters")?,
            numbers: names(&object, "numbers")?,
            is_deterministic: match object.get("deterministic") {
                None => false,
                Some(Value::Bool(is_deterministic)) => *is_deterministic,
                Some(other) => {
                    return Err(format!(
                        "its `deterministic` is {}; allowed: true, false",
                        shown(&other.to_string())
                    ));
                }
            },
        };
        greeting.check()?;
        Ok(greeting)
    }

    fn check(&self) -> Result<(), String> {
        if self.numbers.is_empty() || self.numbers.len() > MOST_NUMBERS {
            let count = self.numbers.len();
            return Err(format!(
                "it names {count} numbers; allowed: 1 to {MOST_NUMBERS}"
            ));
        }
        for (index, name) in self.numbers.iter().enumerate() {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            if name.is_empty() || name.len() > 100 || !name.chars().all(is_plain) {
                return Err(format!(
                    "number `{name}`: a name has 1 to 100 letters, digits, `_`, `-` and `.`"
                ));
            }
            if RESERVED_NUMBERS.contains(&name.as_str()) || [ERROR, REFUSED].contains(&&**name) {
                return Err(format!(
                    "number `{name}`: the tables or the protocol use this name; give another one"
                ));
            }
            if self.numbers[..index].contains(name) {
                return Err(format!("it names the number `{name}` twice"));
            }
        }
        Ok(())
    }

    /// Checks that the greeting fits a declaration, and finds the number that is the score.
    ///
    /// # Errors
    /// If the program does not know a declared parameter, or does not compute the score.
    pub fn fits(&self, declaration: &Declaration) -> Result<Scoring, String> {
        let known = || self.parameters.iter().map(String::as_str);
        for name in declaration.parameters.keys() {
            if !self.parameters.contains(name) {
                let near = did_you_mean(name, known());
                let known = self.parameters.join(", ");
                return Err(format!(
                    "it does not know the parameter `{name}`{near} (it knows: {known})"
                ));
            }
        }
        let place = match &declaration.score {
            None => 0,
            Some(name) => {
                let place = self.numbers.iter().position(|number| number == name);
                place.ok_or_else(|| {
                    let near = did_you_mean(name, self.numbers.iter().map(String::as_str));
                    let numbers = self.numbers.join(", ");
                    format!("it gives no number `{name}`{near} (it gives: {numbers})")
                })?
            }
        };
        // The column `score` of tables contains the value by which games are compared, so no other number may
        // have this name.
        let is_taken = |(index, name): (usize, &String)| {
            name == "score" && (index != place || declaration.minimise)
        };
        if self.numbers.iter().enumerate().any(is_taken) {
            return Err(
                "its number `score` is not the score, which is larger for better weights: give the number \
                 another name"
                    .into(),
            );
        }
        let others = self.numbers.iter().filter(|name| *name != "score");
        let others: Vec<&String> = others.collect();
        Ok(Scoring {
            numbers: self.numbers.clone(),
            place,
            minimise: declaration.minimise,
            others: Names::new(&others),
        })
    }
}

/// The meaning of a program's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoring {
    numbers: Vec<String>,
    /// Index of the number that is the score.
    place: usize,
    minimise: bool,
    /// Names of the numbers except `score`.
    others: Names,
}

/// The weights of a task as JSON, with the value of every parameter. A number has the fewest digits that give
/// the same value when read again. Values of integer parameters have no decimal point, because many languages
/// do not read `8.0` as an integer.
///
/// # Errors
/// If the value of an integer parameter is not a whole number.
pub fn weights(weights: &Weights, parameters: &[Parameter]) -> Result<String, String> {
    let pair = |parameter: &Parameter| {
        let (key, value) = (&parameter.key, weights.value(parameter));
        if !parameter.choices.is_empty() {
            let text = Value::from(choice(parameter, value)?);
            return Ok(format!("{}:{text}", Value::from(key.as_str())));
        }
        let number = match (parameter.integer, value.fract() == 0.0) {
            // Adding 0 turns -0 into 0.
            (true, true) => (value + 0.0).to_string(),
            (true, false) => {
                return Err(format!(
                    "{key} is an integer parameter: {value} is not a whole number"
                ));
            }
            (false, _) => Value::from(value).to_string(),
        };
        Ok(format!("{}:{number}", Value::from(key.as_str())))
    };
    let pairs: Vec<String> = parameters.iter().map(pair).collect::<Result<_, String>>()?;
    Ok(format!("{{{}}}", pairs.join(",")))
}

/// The choice with this number.
fn choice(parameter: &Parameter, number: f64) -> Result<&str, String> {
    let choices = &parameter.choices;
    let is_whole = number.fract() == 0.0 && number >= 0.0;
    let found = choices.get(number as usize).filter(|_| is_whole);
    found.map(String::as_str).ok_or_else(|| {
        let numbered = choices.iter().enumerate();
        let numbered = numbered.map(|(number, choice)| format!("{number} = {choice}"));
        let allowed: Vec<String> = numbered.collect();
        let (key, allowed) = (&parameter.key, allowed.join(", "));
        format!("{key} is {number}, which is no choice: {allowed}")
    })
}

/// The line of a task, with its line break. Seeds are texts, because JSON numbers above 2^53 can lose digits.
pub fn task(weights: &str, seeds: &[u64]) -> String {
    let seeds: Vec<String> = seeds.iter().map(|seed| format!("\"{seed}\"")).collect();
    format!(
        "{{\"weights\":{weights},\"seeds\":[{}]}}\n",
        seeds.join(",")
    )
}

/// The answer to a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// One game for each seed. A game without usable numbers is [missing](GameRecord::missing).
    pub games: Vec<GameRecord>,
    /// The reason for the first missing game; `None` if no game is missing.
    pub missing: Option<String>,
}

/// Reads the answer to a task with these seeds.
///
/// # Errors
/// A message: what is wrong, and what is allowed.
pub fn answer(line: &str, seeds: &[u64], scoring: &Scoring) -> Result<Answer, String> {
    let object = object(line, "its answer");
    let object = object.or_else(|error| self::object(&finite(line), "").map_err(|_| error))?;
    let words = |key: &str| {
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        object.get(key).map(|value| shown(&text(value)))
    };
    if let Some(error) = words(ERROR) {
        return Err(format!("it says: {error}"));
    }
    if let Some(why) = words(REFUSED) {
        return Ok(Answer {
            games: scoring.missing(Missing::Refused, seeds),
            missing: Some(format!("it refuses the weights: {why}")),
        });
    }
    let unknown = object.keys().find(|name| !scoring.numbers.contains(name));
    if let Some(name) = unknown {
        return Err(format!(
            "its answer has the number `{name}`, which its first line does not name"
        ));
    }
    let columns = scoring.numbers.iter();
    let columns = columns.map(|name| column(&object, name, seeds.len()));
    let columns: Vec<Vec<Option<f64>>> = columns.collect::<Result<_, _>>()?;
    let is_missing = |column: &Vec<Option<f64>>| column.iter().any(Option::is_none);
    let missing = columns.iter().position(is_missing).map(|place| {
        let name = &scoring.numbers[place];
        let value = object[name].as_array().and_then(|given| {
            let index = columns[place].iter().position(Option::is_none)?;
            given.get(index)
        });
        let value = match value {
            None | Some(Value::Null) => "null, NaN or infinite".to_owned(),
            Some(value) => shown(&value.to_string()),
        };
        format!(
            "`{name}` is {value} in its answer: a number from -{LARGEST:e} to {LARGEST:e} is needed, numbers \
             must be finite"
        )
    });
    let record = |(index, &seed): (usize, &u64)| {
        let numbers: Option<Vec<f64>> = columns.iter().map(|column| column[index]).collect();
        let Some(numbers) = numbers else {
            return scoring.missing_game(Missing::Failed, seed);
        };
        let number = numbers[scoring.place];
        // `-number` would turn 0 into -0, which tables show as another number.
        let score = if scoring.minimise {
            0.0 - number
        } else {
            number
        };
        let others = numbers.iter().zip(&scoring.numbers);
        let others = others.filter(|(_, name)| *name != "score");
        let others: Vec<f64> = others.map(|(number, _)| *number).collect();
        GameRecord::of_program(seed, Numbers::new(score, scoring.others.clone(), &others))
    };
    Ok(Answer {
        games: seeds.iter().enumerate().map(record).collect(),
        missing,
    })
}

impl Scoring {
    /// Games of these seeds without a result.
    pub fn missing(&self, missing: Missing, seeds: &[u64]) -> Vec<GameRecord> {
        let seeds = seeds.iter();
        seeds
            .map(|&seed| self.missing_game(missing, seed))
            .collect()
    }

    fn missing_game(&self, missing: Missing, seed: u64) -> GameRecord {
        GameRecord::of_program(seed, Numbers::missing(missing, self.others.clone()))
    }
}

/// The numbers with one name, one for each seed; `None` for a number that is not usable.
fn column(
    object: &Map<String, Value>,
    name: &str,
    seeds: usize,
) -> Result<Vec<Option<f64>>, String> {
    let given = object.get(name).and_then(Value::as_array);
    let given = given
        .ok_or_else(|| format!("its answer has no array `{name}` with a number for each seed"))?;
    if given.len() != seeds {
        let count = given.len();
        return Err(format!(
            "its answer has {count} numbers `{name}` for {seeds} seeds"
        ));
    }
    let number = |value: &Value| match value {
        Value::Null => Ok(None),
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| number.abs() <= LARGEST);
            Ok(number.map(|number| if number.abs() < SMALLEST { 0.0 } else { number }))
        }
        _ => {
            let value = shown(&value.to_string());
            Err(format!(
                "`{name}` is {value} in its answer: a number from -{LARGEST:e} to {LARGEST:e} is needed"
            ))
        }
    };
    given.iter().map(number).collect()
}

/// Replaces numbers that are not finite by `null`. JSON libraries of many languages write NaN, nan, Infinity,
/// -inf or 1e999. Strings are not changed.
fn finite(line: &str) -> String {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let (mut replaced, mut rest, mut is_text) = (String::new(), line, false);
    while let Some(first) = rest.chars().next() {
        let length = match rest.find(|c| !is_of_word(c)) {
            _ if is_text || !is_of_word(first) => first.len_utf8(),
            end => end.unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(length);
        let is_infinite = |number: f64| !number.is_finite();
        if is_text && first == '\\' {
            // An escaped character belongs to the backslash.
            let escaped = after.chars().next().map_or(0, char::len_utf8);
            replaced += &rest[..length + escaped];
            rest = &after[escaped..];
            continue;
        }
        is_text ^= first == '"';
        replaced += if !is_text && word.parse().is_ok_and(is_infinite) {
            "null"
        } else {
            word
        };
        rest = after;
    }
    replaced
}

fn object(line: &str, what: &str) -> Result<Map<String, Value>, String> {
    // Some libraries start their output with a byte order mark.
    match serde_json::from_str(line.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(format!("{what} is not a JSON object: {}", shown(line))),
        Err(_) => {
            let why = "stdout is for the protocol alone, messages belong on stderr";
            Err(format!("{what} is not JSON ({why}): {}", shown(line)))
        }
    }
}

fn names(object: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let given = object.get(key).and_then(Value::as_array);
    let texts = given.and_then(|given| {
        let texts = given.iter().map(|name| name.as_str().map(str::to_owned));
        texts.collect::<Option<Vec<String>>>()
    });
    texts.ok_or_else(|| format!("its first line has no array of texts `{key}`"))
}

/// The beginning of a text from a program, for a message, without control characters.
pub fn shown(text: &str) -> String {
    shown_to(text, SHOWN)
}

/// The same with at most `most` characters.
pub fn shown_to(text: &str, most: usize) -> String {
    let text = text.trim_end();
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let short: String = plain.clone().take(most).collect();
    if plain.count() > most {
        format!("`{short}` ...")
    } else {
        format!("`{short}`")
    }
}

#[cfg(test)]
mod tests;
