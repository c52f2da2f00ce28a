//! The settings of the optimizer with their defaults and ranges.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tiletune_engine::field_error::FieldError;

/// Settings of the optimizer; every key may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Optimizer")]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Candidates per generation (lambda) of the first restart, 2 to 100000; if left out, that of
    /// [`default_population`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<usize>,
    /// Initial step size in unit coordinates (1 = the whole width of a parameter's bounds), 1e-6 to 1.
    pub sigma: f64,
    /// Learning rate of the mean (c_m in the tutorial), above 0, at most 1. Below 1 the mean averages
    /// over more generations, which helps under noise.
    #[serde(alias = "cm")]
    pub mean_learning_rate: f64,
    /// Which restart follows one that has ended.
    pub restarts: Restarts,
    /// Largest number of restarts, at most 16; the small ones of `bipop` do not count.
    pub max_restarts: u32,
    /// When a restart ends before the budget does.
    pub stop_rules: StopRules,
}

/// Candidates per generation for `dimension` free parameters if the configuration gives no number: three
/// times the 4 + floor(3 ln n) of the tutorial (equation 48), and at least 20.
///
/// The tutorial's number is for functions without noise. Under noise, small populations stop at a worse
/// point, whatever the number of games.
pub fn default_population(dimension: usize) -> usize {
    let of_tutorial = 4 + (3.0 * libm::log(dimension as f64)) as usize;
    (3 * of_tutorial).max(20)
}

/// Which restart follows one that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Restarts {
    /// None.
    #[default]
    None,
    /// One with twice the population from a random start (Auger and Hansen 2005).
    Ipop,
    /// One of two regimes, whichever has used fewer evaluations: twice the population, as in `ipop`,
    /// or a small population with a small step size (Hansen 2009).
    Bipop,
}

/// The configurable rules that end a restart. A tolerance of 0 switches its rule off.
///
/// Game scores are noisy and discrete. Flat fitness is common and tells little, so the two rules about
/// the range of fitness are off by default. Five more rules are always on, because the search cannot
/// continue after them: see [`StopReason`](super::StopReason).
///
/// **If there are further restarts, each one must be able to end.** On a noisy objective the step size
/// may never shrink to `tolerance_coordinates`; only stagnation is certain to end a restart. Therefore
/// `stagnation` is on by default with restarts, and [`Config::check`] refuses restarts if all rules are
/// off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StopRules {
    /// Stop when fitness within the generation, and the best fitness over the last
    /// 10 + ceil(30 n / lambda) generations, both range over less than this (TolFun; fitness units).
    pub tolerance_fitness: f64,
    /// Stop when the best fitness of the last 10 + ceil(30 n / lambda) generations ranges over less
    /// than this (TolFunHist; fitness units).
    pub tolerance_history: f64,
    /// Stop when the standard deviation of the distribution is below this in every coordinate (TolX;
    /// unit coordinates); below `sigma` / 100.
    pub tolerance_coordinates: f64,
    /// Stop when neither the best nor the median fitness has improved: the median over the latest
    /// 30 % of a window against the one over its earliest 30 %, the window being the last fifth of the
    /// restart, at least 120 + ceil(30 n / lambda) and at most 20000 generations. If left out: on with
    /// restarts, off without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stagnation: Option<bool>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            population: None,
            sigma: 0.2,
            mean_learning_rate: 1.0,
            restarts: Restarts::None,
            max_restarts: 9,
            stop_rules: StopRules::default(),
        }
    }
}

impl Default for StopRules {
    fn default() -> Self {
        StopRules {
            tolerance_fitness: 0.0,
            tolerance_history: 0.0,
            tolerance_coordinates: 1e-5,
            stagnation: None,
        }
    }
}

/// The error of a setting outside its range; `key` is a dotted path within the optimizer's table.
pub(super) fn not_allowed(key: &str, value: &dyn fmt::Display, allowed: &str) -> FieldError {
    let message = format!("{key} = {value} is not allowed: {allowed}");
    FieldError::new(key.split('.'), message)
}

impl Config {
    /// Checks the ranges.
    ///
    /// # Errors
    /// The first key that is out of range, its value, and what is allowed.
    pub fn check(&self) -> Result<(), FieldError> {
        let rules = &self.stop_rules;
        let require = |holds: bool, key, value: &dyn fmt::Display, allowed| match holds {
            true => Ok(()),
            false => Err(not_allowed(key, value, allowed)),
        };
        if let Some(population) = self.population {
            let allowed = "a whole number from 2 to 100000";
            let holds = (2..=100_000).contains(&population);
            require(holds, "population", &population, allowed)?;
        }
        let holds = (1e-6..=1.0).contains(&self.sigma);
        let allowed = "from 1e-6 to 1 (unit coordinates)";
        require(holds, "sigma", &self.sigma, allowed)?;
        let rate = self.mean_learning_rate;
        let holds = rate.is_normal() && rate > 0.0 && rate <= 1.0;
        require(holds, "mean_learning_rate", &rate, "above 0, at most 1")?;
        let holds = self.max_restarts <= 16;
        require(holds, "max_restarts", &self.max_restarts, "from 0 to 16")?;
        let largest = self.population.unwrap_or(2) << self.max_restarts;
        let holds = self.restarts == Restarts::None || largest <= 10_000_000;
        let allowed = "population doubled max_restarts times must not exceed 10000000";
        require(holds, "max_restarts", &self.max_restarts, allowed)?;

        let tolerance = |key, value: f64| {
            let holds = value.is_finite() && value >= 0.0;
            require(holds, key, &value, "0 (off) or a positive number")
        };
        tolerance("stop_rules.tolerance_fitness", rules.tolerance_fitness)?;
        tolerance("stop_rules.tolerance_history", rules.tolerance_history)?;
        // A small restart of `bipop` may begin with a hundredth of the step size.
        let holds = (0.0..self.sigma / 100.0).contains(&rules.tolerance_coordinates);
        let key = "stop_rules.tolerance_coordinates";
        let allowed = "0 (off) or positive and below sigma / 100";
        require(holds, key, &rules.tolerance_coordinates, allowed)?;

        let ends = self.stagnation()
            || rules.tolerance_fitness > 0.0
            || rules.tolerance_history > 0.0
            || rules.tolerance_coordinates > 0.0;
        let holds = self.restarts == Restarts::None || ends;
        let allowed =
            "with restarts, each of them must be able to end: switch on this rule or a tolerance";
        require(holds, "stop_rules.stagnation", &false, allowed)
    }

    /// Whether the stagnation rule is on, its default resolved.
    pub fn stagnation(&self) -> bool {
        let with_restarts = self.restarts != Restarts::None;
        self.stop_rules.stagnation.unwrap_or(with_restarts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_round_trips_and_unknown_keys_are_refused() {
        assert_eq!(toml::from_str::<Config>("").unwrap(), Config::default());
        let text = "population = 20\nrestarts = \"bipop\"\n[stop_rules]\nstagnation = false\n";
        let config: Config = toml::from_str(text).unwrap();
        assert_eq!(config.restarts, Restarts::Bipop);
        assert_eq!(config.sigma, 0.2);
        let written = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<Config>(&written).unwrap(), config);
        assert!(toml::from_str::<Config>("step_size = 1.0").is_err());
        assert!(toml::from_str::<Config>("[stop_rules]\ntol_x = 1.0").is_err());
    }

    #[test]
    fn the_default_population_grows_with_the_dimension() {
        let sizes = [1, 2, 3, 6, 14, 30].map(default_population);
        assert_eq!(sizes, [20, 20, 21, 27, 33, 42]);
    }

    #[test]
    fn mistakes_name_key_value_and_range() {
        let message = |change: fn(&mut Config)| {
            let mut config = Config::default();
            assert_eq!(config.check(), Ok(()));
            change(&mut config);
            config.check().unwrap_err().to_string()
        };
        assert_eq!(
            message(|c| c.population = Some(1)),
            "population = 1 is not allowed: a whole number from 2 to 100000"
        );
        assert_eq!(
            message(|c| c.sigma = 0.0),
            "sigma = 0 is not allowed: from 1e-6 to 1 (unit coordinates)"
        );
        assert!(message(|c| c.sigma = f64::NAN).starts_with("sigma = NaN"));
        assert!(message(|c| c.mean_learning_rate = 0.0).starts_with("mean_learning_rate = 0"));
        assert!(message(|c| c.mean_learning_rate = 1.5).ends_with("above 0, at most 1"));
        assert!(message(|c| c.max_restarts = 17).ends_with("from 0 to 16"));
        assert!(
            message(|c| c.stop_rules.tolerance_fitness = -1.0).contains("tolerance_fitness = -1")
        );
        assert!(
            message(|c| c.stop_rules.tolerance_history = f64::NAN).contains("tolerance_history")
        );
        assert!(message(|c| c.stop_rules.tolerance_coordinates = 0.1).contains("sigma / 100"));
        let endless = |c: &mut Config| {
            c.restarts = Restarts::Ipop;
            c.stop_rules.tolerance_coordinates = 0.0;
            c.stop_rules.stagnation = Some(false);
        };
        assert!(message(endless).contains("must be able to end"));
    }
}
