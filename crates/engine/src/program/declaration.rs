//! The declaration of an external program in a file: command, limits and parameters. This module must not start
//! a process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::field_error::FieldError;
use crate::heuristic::{INNER, OUTER, Parameter, Role, Scale};

/// The declaration of an external program: the keys of `[player]` with a `command`, and the parameters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// The program and its arguments. A program name with a `/` is relative to `folder`; a name without one is
    /// searched in `PATH`.
    pub command: Vec<String>,
    /// Working directory of the program. In files that tiletune writes, the path is absolute.
    #[serde(default)]
    pub folder: PathBuf,
    /// Timeout of a task and of the start of a process, in seconds.
    #[serde(default = "default_time_limit")]
    pub time_limit: f64,
    /// The name of the number that is the score; `None` means the first number of the program.
    pub score: Option<String>,
    /// True if the score is the negative of this number, so that the number is minimised.
    #[serde(default)]
    pub minimise: bool,
    /// Largest number of seeds in one task.
    #[serde(default = "default_seeds_per_task")]
    pub seeds_per_task: u32,
    /// What happens with a task for which the program gives no usable answer.
    #[serde(default)]
    pub on_failure: OnFailure,
    /// One sentence about the program.
    #[serde(default)]
    pub about: String,
    /// The declared parameters by name.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterDeclaration>,
}

/// What happens with a task for which the program gives no usable numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// The run stops with an error.
    #[default]
    Stop,
    /// The game has no result and counts as the worst result.
    Worst,
}

/// The declaration of a parameter, as stored in the files of runs and in weights files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterDeclaration {
    /// The value if none is given.
    pub default: f64,
    /// Lower bound for tuning.
    pub min: f64,
    /// Upper bound for tuning.
    pub max: f64,
    /// Scale for tuning.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub scale: Scale,
    /// True if only whole numbers are allowed.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub integer: bool,
    /// The choices of a category, whose values are their numbers from 0; empty for a number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// One sentence: what it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The keys of [`Declaration`], except `command` and the parameters.
pub const KEYS: [&str; 7] = [
    "folder",
    "time_limit",
    "score",
    "minimise",
    "seeds_per_task",
    "on_failure",
    "about",
];

/// Default timeout, in seconds.
pub const TIME_LIMIT: f64 = 60.0;

/// Largest allowed timeout: one day.
const LONGEST: f64 = 86_400.0;

/// Largest allowed number of seeds in one task.
const MOST_SEEDS: u32 = 1000;

/// Largest number of parameters.
const MOST_PARAMETERS: usize = 1000;

fn default_time_limit() -> f64 {
    TIME_LIMIT
}

fn default_seeds_per_task() -> u32 {
    1
}

impl Declaration {
    /// Reads a declaration from its table.
    ///
    /// # Errors
    /// The first key that is unknown, missing or out of range.
    pub fn read(table: &toml::Table) -> Result<Self, FieldError> {
        check_command(table)?;
        let read: Result<Declaration, _> = table.clone().try_into();
        let declaration = read.map_err(|error| {
            let message = error.message().to_owned();
            FieldError::new([""; 0], format!("the program: {message}"))
        })?;
        declaration.check()?;
        Ok(declaration)
    }

    fn check(&self) -> Result<(), FieldError> {
        let wrong = |key: &str, message: String| Err(FieldError::new([key], message));
        let has_text = |word: &String| !word.is_empty() && !word.contains('\0');
        if self.command.is_empty() || !self.command.iter().take(1).all(has_text) {
            let message = "command names no program: give the program and its arguments, as in \
                           [\"python3\", \"player.py\"]";
            return wrong("command", message.into());
        }
        if self.command.iter().any(|word| word.contains('\0')) {
            return wrong("command", "command contains a zero byte".into());
        }
        if !(0.001..=LONGEST).contains(&self.time_limit) {
            let limit = self.time_limit;
            let message = format!("time_limit {limit} is out of range: 0.001 to {LONGEST} seconds");
            return wrong("time_limit", message);
        }
        if !(1..=MOST_SEEDS).contains(&self.seeds_per_task) {
            let seeds = self.seeds_per_task;
            let message = format!("seeds_per_task {seeds} is out of range: 1 to {MOST_SEEDS}");
            return wrong("seeds_per_task", message);
        }
        if self.parameters.len() > MOST_PARAMETERS {
            let message = format!("too many parameters: at most {MOST_PARAMETERS}");
            return wrong("parameters", message);
        }
        let mut parameters = self.parameters.iter();
        parameters.try_for_each(|(name, declared)| check_parameter(name, declared))
    }

    /// The parameters, sorted by name.
    pub fn parameters(&self) -> Vec<Parameter> {
        let role = |declared: &ParameterDeclaration| {
            let has_zero = (declared.min..=declared.max).contains(&0.0);
            if declared.choices.is_empty() && has_zero {
                Role::Weight
            } else {
                Role::Setting
            }
        };
        let parameter = |(name, declared): (&String, &ParameterDeclaration)| Parameter {
            role: role(declared),
            scale: declared.scale,
            integer: declared.integer || !declared.choices.is_empty(),
            choices: declared.choices.clone(),
            ..Parameter::new(
                name,
                declared.doc.clone(),
                declared.default,
                declared.min,
                declared.max,
            )
        };
        self.parameters.iter().map(parameter).collect()
    }

    /// The path or name with which the program is started.
    pub fn program(&self) -> PathBuf {
        let program = Path::new(&self.command[0]);
        if program.components().count() > 1 {
            self.folder.join(program)
        } else {
            program.to_owned()
        }
    }

    /// The command in words, for descriptions.
    pub fn words(&self) -> String {
        let mut words = self.command.join(" ");
        if self.minimise {
            let number = self.score.as_deref().unwrap_or("its number");
            words += &format!(", minimising {number}");
        }
        words
    }

    /// The command and its folder, for a message about the program that will be started.
    pub fn command_in_folder(&self) -> String {
        format!("`{}` in {}", self.command.join(" "), self.folder.display())
    }

    /// The timeout of a task.
    pub fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.time_limit)
    }

    /// The timeout of the start of a process. If tasks may fail, a short timeout for tasks does not apply,
    /// because a process that does not start stops the run.
    pub fn start_limit(&self) -> Duration {
        match self.on_failure {
            OnFailure::Stop => self.limit(),
            OnFailure::Worst => Duration::from_secs_f64(self.time_limit.max(TIME_LIMIT)),
        }
    }
}

fn check_command(table: &toml::Table) -> Result<(), FieldError> {
    let words = table.get("command").and_then(toml::Value::as_array);
    let is_list = words.is_some_and(|words| words.iter().all(toml::Value::is_str));
    if is_list || !table.contains_key("command") {
        Ok(())
    } else {
        let message = "command must be a list of texts (\"3\", not 3): the program and its arguments, as in \
                       [\"python3\", \"player.py\"]";
        Err(FieldError::new(["command"], message))
    }
}

fn check_parameter(name: &str, declared: &ParameterDeclaration) -> Result<(), FieldError> {
    let wrong = |message: String| Err(FieldError::new(["parameters", name], message));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if name.is_empty() || name.len() > 100 || !name.chars().all(is_plain) {
        return wrong(format!(
            "parameter `{name}`: a name has 1 to 100 letters, digits, `_`, `-` and `.`"
        ));
    }
    if name.ends_with(OUTER) || name.ends_with(INNER) {
        return wrong(format!(
            "parameter `{name}`: names that end with `{OUTER}` or `{INNER}` are for heuristics: rename it"
        ));
    }
    let numbers = [declared.default, declared.min, declared.max];
    if numbers.iter().any(|number| !number.is_finite()) {
        return wrong(format!(
            "parameter `{name}`: default, min and max must be finite"
        ));
    }
    if declared.integer && numbers.iter().any(|number| number.fract() != 0.0) {
        return wrong(format!(
            "parameter `{name}`: default, min and max must be whole numbers for an integer parameter"
        ));
    }
    let checked = check_choices(&declared.choices, declared.default);
    checked.or_else(|message| wrong(format!("parameter `{name}`: {message}")))
}

/// Largest number of choices of a category.
const MOST_CHOICES: usize = 100;

/// Checks the choices of a category and the number of one of them. Nothing is wrong without choices.
///
/// # Errors
/// A message: what is wrong, and what is allowed.
pub fn check_choices(choices: &[String], chosen: f64) -> Result<(), String> {
    let count = choices.len();
    if count == 1 || count > MOST_CHOICES {
        return Err(format!(
            "a category has 2 to {MOST_CHOICES} choices, not {count}"
        ));
    }
    for (index, choice) in choices.iter().enumerate() {
        if choice.is_empty() || choice.len() > 100 || choice.contains(char::is_control) {
            return Err(format!(
                "the choice {choice:?}: a choice has 1 to 100 bytes, none of them a control character"
            ));
        }
        if choices[..index].contains(choice) {
            return Err(format!("the choice `{choice}` is given twice"));
        }
    }
    let is_number = chosen.fract() == 0.0 && chosen >= 0.0 && chosen < count as f64;
    if count > 0 && !is_number {
        let last = count - 1;
        return Err(format!(
            "{chosen} is no choice: write one of {}, or its number from 0 to {last}",
            choices.join(", ")
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Declaration, FieldError> {
        Declaration::read(&text.parse().unwrap())
    }

    #[test]
    fn a_table_is_read_with_its_defaults() {
        let text = "command = ['./a', 'b']\nfolder = '/x'\nscore = 'loss'\nminimise = true\n\
                    [parameters.p]\ndefault = 1\nmin = 0\nmax = 2\nscale = 'log'\ndoc = 'why'";
        let declaration = read(text).unwrap();
        assert_eq!(declaration.program(), Path::new("/x/./a"));
        assert_eq!(declaration.words(), "./a b, minimising loss");
        assert_eq!(declaration.limit(), Duration::from_secs(60));
        let short = read("command = ['a']\ntime_limit = 1\non_failure = 'worst'").unwrap();
        let limits = [short.limit(), short.start_limit()];
        assert_eq!(limits, [1, 60].map(Duration::from_secs));
        let parameter = &declaration.parameters()[0];
        assert_eq!((parameter.key.as_str(), parameter.scale), ("p", Scale::Log));
        // A name without a path is searched in PATH.
        assert_eq!(
            read("command = ['a']\nfolder = '/x'").unwrap().program(),
            Path::new("a")
        );
    }

    #[test]
    fn what_cannot_be_0_cannot_be_switched_off() {
        let role = |keys: &str| {
            let text = format!("command = ['a']\n[parameters.p]\n{keys}");
            read(&text).unwrap().parameters()[0].role
        };
        assert_eq!(role("default = 1\nmin = 0\nmax = 2"), Role::Weight);
        assert_eq!(role("default = 1\nmin = -1\nmax = 2"), Role::Weight);
        assert_eq!(role("default = 1\nmin = 0.5\nmax = 2"), Role::Setting);
        assert_eq!(role("default = -1\nmin = -2\nmax = -1"), Role::Setting);
        let choice = "default = 0\nmin = 0\nmax = 1\nchoices = ['a', 'b']";
        assert_eq!(role(choice), Role::Setting);
    }

    #[test]
    fn a_wrong_key_is_named() {
        for (text, path, part) in [
            ("command = []", "command", "names no program"),
            ("command = ['']", "command", "names no program"),
            ("command = 7", "command", "a list of texts"),
            ("command = 'a'", "command", "a list of texts"),
            ("command = ['a']\ntime_limit = 0", "time_limit", "0.001 to"),
            (
                "command = ['a']\ntime_limit = nan",
                "time_limit",
                "0.001 to",
            ),
            (
                "command = ['a']\nseeds_per_task = 0",
                "seeds_per_task",
                "1 to 1000",
            ),
            ("command = ['a']\nspeed = 1", "", "speed"),
            ("folder = 'a'", "", "command"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.path.join("."), path, "{text}");
            assert!(error.message.contains(part), "{text}: {error}");
        }
        for name in ["x_outer", "'a b'", "''"] {
            let text =
                format!("command = ['a']\n[parameters.{name}]\ndefault = 1\nmin = 0\nmax = 2");
            let error = read(&text).unwrap_err();
            assert_eq!(error.path[0], "parameters", "{name}: {error}");
        }
    }
}
