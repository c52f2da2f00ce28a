//! The table `[optimizer]` of a file: the name of an optimizer, its population, and its own options.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Table;

use tiletune_engine::field_error::FieldError;

/// Settings of the optimizer; every key may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Optimizer")]
#[serde(default)]
pub struct OptimizerConfig {
    /// Which optimizer; if empty, the default one. It is filled in with the other defaults.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Candidates per generation (of the first restart, if there are several), 2 to 100000; if left out,
    /// that of [`default_population`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<usize>,
    /// What happens if all candidates of the first generations have the same fitness.
    pub without_signal: WithoutSignal,
    /// The options that only this optimizer has.
    #[serde(flatten)]
    #[schemars(skip)]
    pub options: Table,
}

/// What happens if all candidates of the first generations have the same fitness, so that the search has nothing to
/// follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutSignal {
    /// The run stops and says what to do; it can be resumed.
    #[default]
    Stop,
    /// The search goes on.
    GoOn,
}

/// Default number of candidates per generation for `dimension` free parameters: three times 4 + floor(3 ln n),
/// which is the number of the CMA-ES tutorial (equation 48), and at least 20.
///
/// The number of the tutorial is for functions without noise. Under noise, small populations stop at a worse
/// point, with any number of games.
pub fn default_population(dimension: usize) -> usize {
    let of_tutorial = 4 + (3.0 * libm::log(dimension as f64)) as usize;
    (3 * of_tutorial).max(20)
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        OptimizerConfig {
            name: String::new(),
            population: None,
            without_signal: WithoutSignal::default(),
            options: Table::new(),
        }
    }
}

impl OptimizerConfig {
    /// Number of candidates per generation for `dimension` free parameters.
    pub(super) fn population_for(&self, dimension: usize) -> usize {
        self.population
            .unwrap_or_else(|| default_population(dimension))
    }
}

/// The error for a setting that is out of range. `key` is a dotted path in the optimizer's table.
pub(super) fn not_allowed(key: &str, value: &dyn std::fmt::Display, allowed: &str) -> FieldError {
    let message = format!("{key} = {value} is not allowed: {allowed}");
    FieldError::new(key.split('.'), message)
}

/// Reads the own options of an optimizer.
///
/// # Errors
/// The first key whose value has a wrong type.
pub(super) fn options<T: DeserializeOwned>(config: &OptimizerConfig) -> Result<T, FieldError> {
    let read: Result<T, _> = config.options.clone().try_into();
    read.map_err(|error| {
        let at = wrong_key::<T>(&[], &config.options);
        at.unwrap_or_else(|| FieldError::new([""; 0], error.message()))
    })
}

/// Finds the first key whose value cannot be read. Each key is tried alone, which works because all keys have
/// defaults.
fn wrong_key<T: DeserializeOwned>(path: &[&str], table: &Table) -> Option<FieldError> {
    table.iter().find_map(|(key, value)| {
        let path = [path, &[key]].concat();
        let inner = value
            .as_table()
            .and_then(|inner| wrong_key::<T>(&path, inner));
        inner.or_else(|| {
            let alone = path.iter().rev().fold(value.clone(), |value, key| {
                Table::from_iter([((*key).to_owned(), value)]).into()
            });
            let error = alone.try_into::<T>().err()?;
            Some(FieldError::new(path, error.message()))
        })
    })
}
