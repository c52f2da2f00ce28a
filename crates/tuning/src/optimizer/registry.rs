//! The registry of optimizers. It checks a configuration and builds the optimizer.

use std::ops::RangeInclusive;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::config::{OptimizerConfig, WithoutSignal, not_allowed};
use super::first_points::FirstPoints;
use super::{Entry, Optimizer, Problem, cma_es, random_search};
use tiletune_engine::field_error::FieldError;

/// The keys that all optimizers have.
const COMMON: [&str; 3] = ["name", "population", "without_signal"];

/// Allowed sizes of the population.
const POPULATIONS: RangeInclusive<usize> = 2..=100_000;

/// The optimizers by name, in order.
#[derive(Clone, Debug)]
pub struct Optimizers(Vec<&'static Entry>);

impl Optimizers {
    /// The built-in optimizers; the first is the default.
    pub fn builtin() -> Self {
        Optimizers(vec![
            &cma_es::MIRRORED,
            &cma_es::ENTRY,
            &random_search::ENTRY,
        ])
    }

    /// The registry with one more optimizer.
    ///
    /// # Panics
    /// If it already has an optimizer of this name.
    #[must_use]
    pub fn with(mut self, entry: &'static Entry) -> Self {
        let (name, known) = (entry.name, self.names());
        assert!(!known.contains(&name), "two optimizers `{name}`");
        self.0.push(entry);
        self
    }

    /// All optimizers, in order.
    pub fn all(&self) -> &[&'static Entry] {
        &self.0
    }

    fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|entry| entry.name).collect()
    }

    /// The optimizer that a configuration names.
    ///
    /// # Errors
    /// If there is no optimizer of this name.
    pub fn entry(&self, config: &OptimizerConfig) -> Result<&'static Entry, FieldError> {
        let mut all = self.0.iter();
        let found = all.find(|entry| config.name.is_empty() || entry.name == config.name);
        found.copied().ok_or_else(|| {
            let allowed = format!("one of {}", self.names().join(", "));
            not_allowed("name", &format!("{:?}", config.name), &allowed)
        })
    }

    /// Checks all keys and fills in the defaults of the options.
    ///
    /// # Errors
    /// The first key that is unknown, that belongs to another optimizer, or that is out of range. The message
    /// contains what is allowed.
    pub fn fill_in(&self, config: &mut OptimizerConfig) -> Result<&'static Entry, FieldError> {
        let entry = self.entry(config)?;
        if let Some(population) = config.population
            && !POPULATIONS.contains(&population)
        {
            let allowed = "a whole number from 2 to 100000";
            return Err(not_allowed("population", &population, allowed));
        }
        self.check_keys(config, entry)?;
        entry.name.clone_into(&mut config.name);
        config.options = (entry.fill_in)(config)?;
        Ok(entry)
    }

    fn check_keys(&self, config: &OptimizerConfig, entry: &Entry) -> Result<(), FieldError> {
        let own = entry.keys();
        let Some(key) = config.options.keys().find(|key| !own.contains(key)) else {
            return Ok(());
        };
        let known: Vec<&str> = COMMON
            .into_iter()
            .chain(own.iter().map(String::as_str))
            .collect();
        let other = self.0.iter().find(|entry| entry.keys().contains(key));
        let message = if let Some(other) = other {
            let (other, name, known) = (other.name, entry.name, known.join(", "));
            format!("`{key}` is an option of the optimizer {other}; {name} has {known}")
        } else {
            let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
            format!("unknown key `{key}`, expected one of {}", known.join(", "))
        };
        Err(FieldError::new([key], message))
    }

    /// Builds the optimizer that a configuration names.
    ///
    /// # Errors
    /// If there is no optimizer of this name, and the errors of [`Entry::build`].
    ///
    /// # Panics
    /// Like [`Entry::build`].
    pub fn build(
        &self,
        config: &OptimizerConfig,
        problem: Problem,
    ) -> Result<Box<dyn Optimizer>, FieldError> {
        self.entry(config)?.build(config, problem)
    }

    /// The schema of the table: all keys, and for each optimizer the condition that it has only its own keys.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let names = self.names();
        let mut all = Map::new();
        all.insert(
            "name".into(),
            json!({
                "description": "The optimizer.", "enum": names, "default": names[0],
            }),
        );
        all.insert("population".into(), json!({
            "description": "Candidates per generation (of the first restart, if there are several).",
            "type": "integer", "minimum": POPULATIONS.start(), "maximum": POPULATIONS.end(),
        }));
        let without_signal = generator.subschema_for::<WithoutSignal>();
        all.insert("without_signal".into(), without_signal.into());
        let of_entry = self.0.iter().map(|entry| {
            let options = properties(entry, generator);
            let own = COMMON.into_iter().chain(options.keys().map(String::as_str));
            let own: Map<String, Value> = own.map(|key| (key.to_owned(), json!(true))).collect();
            // A key that several optimizers have is described as that of the first one.
            for (key, option) in options {
                all.entry(key).or_insert(option);
            }
            // A table without a name means the first optimizer.
            let required: &[&str] = if entry.name == names[0] {
                &[]
            } else {
                &["name"]
            };
            json!({
                "if": { "properties": { "name": { "const": entry.name } }, "required": required },
                "then": { "properties": own, "additionalProperties": false },
            })
        });
        let of_entry: Vec<Value> = of_entry.collect();
        json_schema!({
            "description": "Settings of the optimizer; every key may be left out.",
            "type": "object",
            "properties": all,
            "additionalProperties": false,
            "allOf": of_entry,
        })
    }
}

impl Entry {
    /// The keys of its own options.
    pub fn keys(&self) -> Vec<String> {
        let properties = properties(self, &mut SchemaGenerator::default());
        properties.into_iter().map(|(key, _)| key).collect()
    }

    /// Builds the optimizer.
    ///
    /// # Errors
    /// If an option is out of range, if the start is empty or not finite, or if the problem has an earlier
    /// distribution or categories that this optimizer does not accept.
    ///
    /// # Panics
    /// If the number of steps, of lists of boundaries or of categories differs from the number of coordinates, or if
    /// points have different lengths.
    pub fn build(
        &self,
        config: &OptimizerConfig,
        problem: Problem,
    ) -> Result<Box<dyn Optimizer>, FieldError> {
        let Problem {
            start,
            steps,
            others,
            boundaries,
            categories,
            ..
        } = &problem;
        assert_eq!(steps.len(), start.len(), "a step per coordinate");
        assert_eq!(boundaries.len(), start.len(), "boundaries per coordinate");
        assert_eq!(categories.len(), start.len(), "categories per coordinate");
        for point in others.iter().chain([start]) {
            assert_eq!(point.len(), start.len(), "points of one length");
            if point.is_empty() || point.iter().any(|x| !x.is_finite()) {
                let allowed = "one finite coordinate per free parameter, and at least one";
                return Err(not_allowed("start", &format!("{point:?}"), allowed));
            }
        }
        if problem.learned.is_some() && !self.takes_distribution {
            let message = format!(
                "the optimizer {} cannot begin with the distribution of an earlier search: leave out \
                 start.distribution, or name another optimizer",
                self.name
            );
            return Err(FieldError::new(["name"], message));
        }
        if !self.takes_choices && categories.iter().any(|places| !places.is_empty()) {
            let message = format!(
                "the optimizer {} cannot search parameters with `choices`: leave out optimizer.name, and the campaign \
                 takes one that can; or make these parameters fixed",
                self.name
            );
            return Err(FieldError::new(["name"], message));
        }
        // Errors of a setting are found here: from another start there are no others.
        let search = (self.build)(config, problem.clone())?;
        if others.is_empty() {
            return Ok(search);
        }
        let points = [start].into_iter().chain(others).cloned().collect();
        let (build, config, seed) = (self.build, config.clone(), problem.seed);
        let from_start = move |start: Vec<f64>, seed: u64| {
            let problem = Problem {
                start,
                seed,
                ..problem.clone()
            };
            let search = build(&config, problem);
            search.unwrap_or_else(|error| unreachable!("it was built before: {error}"))
        };
        Ok(Box::new(FirstPoints::given(
            points,
            seed,
            Box::new(from_start),
        )))
    }
}

fn properties(entry: &Entry, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let schema = (entry.options)(generator);
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimizer::config::default_population;

    fn filled_in(text: &str) -> Result<OptimizerConfig, FieldError> {
        let mut config: OptimizerConfig = toml::from_str(text).unwrap();
        Optimizers::builtin().fill_in(&mut config).map(|_| config)
    }

    #[test]
    fn a_config_round_trips() {
        assert_eq!(
            toml::from_str::<OptimizerConfig>("").unwrap(),
            OptimizerConfig::default()
        );
        for text in ["population = 20\nrestarts = \"bipop\"", "name = \"random\""] {
            let config = filled_in(text).unwrap();
            let written = toml::to_string(&config).unwrap();
            assert_eq!(filled_in(&written).unwrap(), config, "{written}");
        }
    }

    #[test]
    fn the_default_population_grows_with_the_dimension() {
        let sizes = [1, 2, 3, 6, 14, 30].map(default_population);
        assert_eq!(sizes, [20, 20, 21, 27, 33, 42]);
    }

    #[test]
    fn mistakes_name_the_key_and_what_is_allowed() {
        let wrong = |text: &str| {
            let FieldError { path, message, .. } = filled_in(text).unwrap_err();
            (path.join("."), message)
        };
        let at = |key: &str, message: &str| (key.to_owned(), message.to_owned());
        let known = Optimizers::builtin().names().join(", ");
        assert!(known.starts_with("mirrored-cma-es, cma-es, "), "{known}");
        let message = format!("name = \"randum\" is not allowed: one of {known}");
        assert_eq!(wrong("name = 'randum'"), at("name", &message));
        let message = "population = 1 is not allowed: a whole number from 2 to 100000";
        assert_eq!(wrong("population = 1"), at("population", message));
        let message = "`sigma` is an option of the optimizer mirrored-cma-es; random has name, population, without_signal";
        assert_eq!(wrong("name = 'random'\nsigma = 0.1"), at("sigma", message));
        assert_eq!(
            wrong("name = 'random'\nstop_rules.stagnation = true").0,
            "stop_rules"
        );
        let (path, message) = wrong("step_size = 1.0");
        assert!(message.starts_with(
            "unknown key `step_size`, expected one of `name`, `population`, `without_signal`, "
        ));
        assert_eq!(path, "step_size");
        let (path, message) =
            wrong("sigma = 0.1\nstop_rules = { stagnation = false, tol_x = 1.0 }");
        assert!(message.contains("`tol_x`"), "{message}");
        assert_eq!(path, "stop_rules.tol_x");
        let (path, message) = wrong("sigma = 'x'\nrestarts = 'none'");
        assert!(message.contains("expected f64"), "{message}");
        assert_eq!(path, "sigma");
        assert_eq!(wrong("restarts = 'always'").0, "restarts");
    }

    #[test]
    fn a_bad_start_is_refused_by_every_optimizer() {
        for name in Optimizers::builtin().names() {
            let config = filled_in(&format!("name = '{name}'")).unwrap();
            let error = |start| {
                Optimizers::builtin()
                    .build(&config, Problem::new(start, 1))
                    .err()
                    .unwrap()
                    .to_string()
            };
            assert!(error(vec![]).starts_with("start = [] is not allowed"));
            assert!(error(vec![f64::NAN]).contains("finite coordinate"));
        }
        let config: OptimizerConfig = toml::from_str("sigma = 2.0").unwrap();
        let problem = Problem::new(vec![0.5], 1);
        assert!(Optimizers::builtin().build(&config, problem).is_err());
    }
}
