//! The optimizer `mirrored-cma-es`: CMA-ES for few games. Next to `cma-es` it has mirrored samples, a smaller first
//! step, one game a candidate in most generations, scales that are learned faster than correlations, a second start if
//! parameters are few, whole numbers that do not freeze, and categories.
//!
//! ```text
//! Options     its options                                     mirrored.rs
//! Mirrored    one restart: ask, tell, stop rules              mirrored/search.rs
//! Evolution   mean, step size, covariance matrix, paths       mirrored/evolution.rs
//! Constants   learning rates and weights                      mirrored/constants.rs
//! Sampler     the samples of a generation                     mirrored/samples.rs
//! Selection   the candidates that the update follows          mirrored/selection.rs
//! Integers    a lower limit of the spread of whole numbers    mirrored/integers.rs
//! Categories  the probabilities of choices                    mirrored/categories.rs
//! ```
//!
//! The crate `cmaes` draws its samples itself, so the update is written here; a test compares it with that of the
//! crate on the same samples. Restarts, bounds and stop rules are those of `cma-es`.

mod categories;
mod constants;
mod evolution;
mod integers;
mod samples;
mod search;
mod selection;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{CmaEs, DIAGNOSTICS, Restarts, StopRules, as_given, check_learned, schema};
use crate::optimizer::config::{self, OptimizerConfig, not_allowed};
use crate::optimizer::first_points::{FOR_EACH_PARAMETER, FirstPoints, MOST_PARAMETERS};
use crate::optimizer::space::MARGIN;
use crate::optimizer::{Entry, Optimizer, Problem};
use integers::Integers;
use samples::Samples;
use search::{Mirrored, MirroredSettings};
use selection::Selection;
use tiletune_engine::field_error::FieldError;

pub(in crate::optimizer) static ENTRY: Entry = Entry {
    name: "mirrored-cma-es",
    about: "CMA-ES for few games: candidates in opposite pairs, a smaller first step, one game a candidate at \
            first, and a second start if parameters are few; whole numbers do not freeze, and parameters may have choices",
    diagnostics: DIAGNOSTICS,
    template: "# Initial step size; 1 is the whole width of a parameter's bounds. The default is 0.4 / sqrt(n) for n \
               parameters.\n# sigma = 0.1\n",
    takes_distribution: true,
    takes_choices: true,
    games_min: Some(1),
    signal: Some(0.1),
    of_generations: &[("restarts", "none")],
    challengers: |parameters| if parameters > MOST_PARAMETERS { 0 } else { 2 },
    options: schema::<Options>,
    fill_in,
    build,
};

/// The default step size is this divided by the square root of the number of free parameters. The distance of the
/// first candidates from the start is then about 0.4, whatever that number is.
const FIRST_DISTANCE: f64 = 0.4;

/// Largest distance from the bounds to which a start is moved.
const MOST_INSIDE: f64 = 0.25;

/// The options of `mirrored-cma-es`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "MirroredOptions")]
struct Options {
    /// Initial step size in unit coordinates (1 = the whole width of a parameter's bounds), 1e-6 to 1. If left
    /// out: 0.4 / sqrt(n) for n free parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    sigma: Option<f64>,
    /// How the steps of a generation depend on each other.
    samples: Samples,
    /// Which candidates the update follows.
    selection: Selection,
    /// Smallest distance of the given start from a bound, in initial steps, 0 to 2; at most a quarter of the whole width.
    /// The two candidates of a pair have the same value of a parameter that starts at a bound, because values are folded
    /// there.
    start_inside: f64,
    /// Whether the scale of each parameter is learned faster than the correlations (Akimoto and Hansen 2019).
    scales: bool,
    /// Number of uniform points of the first generation, 0 or 4 to 100000; their best quarter gives a second start. If left
    /// out: 6 for each free parameter if there are at most 10, and `sigma` and every `step` are left out, too; otherwise 0. There are none
    /// with several start points, an earlier distribution, constraints or categories.
    #[serde(skip_serializing_if = "Option::is_none")]
    uniform_points: Option<usize>,
    /// Learning rate of the mean (c_m in the tutorial), above 0, at most 1. Below 1 the mean averages
    /// over more generations, which helps under noise.
    #[serde(alias = "cm")]
    mean_learning_rate: f64,
    /// Which restart follows one that has ended; with `budget.generations` none, if this is left out.
    restarts: Restarts,
    /// Largest number of restarts, at most 16; the small ones of `bipop` do not count.
    max_restarts: u32,
    /// When a restart ends before the budget does.
    stop_rules: StopRules,
}

impl Default for Options {
    fn default() -> Self {
        let super::Options {
            mean_learning_rate,
            max_restarts,
            stop_rules,
            ..
        } = super::Options::default();
        Options {
            sigma: None,
            samples: Samples::default(),
            selection: Selection::default(),
            start_inside: 1.0,
            scales: true,
            uniform_points: None,
            mean_learning_rate,
            restarts: Restarts::Mean,
            max_restarts,
            stop_rules,
        }
    }
}

impl Options {
    /// The options of `cma-es` for this number of free parameters.
    fn common(&self, dimension: usize) -> super::Options {
        let default = FIRST_DISTANCE / (dimension as f64).sqrt();
        super::Options {
            sigma: self.sigma.unwrap_or(default),
            mean_learning_rate: self.mean_learning_rate,
            restarts: self.restarts,
            max_restarts: self.max_restarts,
            stop_rules: self.stop_rules.clone(),
        }
    }
}

impl Options {
    /// Number of uniform points before the search.
    ///
    /// # Errors
    /// If they are given for a problem that has none.
    fn uniform_points(&self, problem: &Problem) -> Result<usize, FieldError> {
        let n = problem.start.len();
        let are_useless = !problem.others.is_empty()
            || problem.learned.is_some()
            || problem.constraints.are_any()
            || problem.categories.iter().any(|places| !places.is_empty());
        // A step of a parameter, as `sigma`, says that its start is good.
        let is_trusted = self.sigma.is_some() || problem.steps.iter().any(|step| *step != 1.0);
        let is_default = !is_trusted && n <= MOST_PARAMETERS;
        match self.uniform_points {
            Some(count) if count > 0 && are_useless => {
                let allowed = "0 with several start points, an earlier distribution, constraints or categories";
                Err(not_allowed("uniform_points", &count, allowed))
            }
            Some(count) => Ok(count),
            None if is_default && !are_useless => Ok(n * FOR_EACH_PARAMETER),
            None => Ok(0),
        }
    }
}

/// Reads the options and checks them for a number of free parameters.
fn options(
    config: &OptimizerConfig,
    dimension: usize,
) -> Result<(Options, super::Options), FieldError> {
    let options: Options = config::options(config)?;
    let common = options.common(dimension);
    let checked = common.check(config.population);
    checked.map_err(|error| as_given(error, config))?;
    if !(0.0..=2.0).contains(&options.start_inside) {
        let allowed = "from 0 to 2 (initial steps)";
        return Err(not_allowed("start_inside", &options.start_inside, allowed));
    }
    if let Some(count) = options.uniform_points
        && count != 0
        && !(4..=100_000).contains(&count)
    {
        return Err(not_allowed(
            "uniform_points",
            &count,
            "0, or from 4 to 100000",
        ));
    }
    if options.samples == Samples::Independent && options.selection == Selection::Pairs {
        let allowed = "independent samples have no pairs; use \"ranks\", or other samples";
        return Err(not_allowed("selection", &"\"pairs\"", allowed));
    }
    Ok((options, common))
}

fn fill_in(config: &OptimizerConfig) -> Result<Table, FieldError> {
    // The number of parameters is not known here.
    let (options, _) = options(config, 1)?;
    Table::try_from(options).map_err(|error| FieldError::new([""; 0], error.to_string()))
}

fn build(config: &OptimizerConfig, problem: Problem) -> Result<Box<dyn Optimizer>, FieldError> {
    let dimension = problem.start.len();
    let numbers = problem.categories.iter().filter(|places| places.is_empty());
    let (options, common) = options(config, numbers.count().max(1))?;
    check_learned(&common, &problem)?;
    // Every candidate of the default population has its opposite.
    let population = match config.population {
        Some(population) => population,
        None => config.population_for(dimension).next_multiple_of(2),
    };
    let settings = MirroredSettings {
        samples: options.samples,
        selection: options.selection,
        scales: options.scales,
        integers: Integers {
            boundaries: problem.boundaries.clone(),
        },
        categories: problem.categories.clone(),
    };
    let points = options.uniform_points(&problem)?;
    let (start, seed) = (inside(&problem, &options, common.sigma), problem.seed);
    let from_start = move |start: Vec<f64>, seed: u64| -> Box<dyn Optimizer> {
        let problem = Problem {
            start,
            seed,
            ..problem.clone()
        };
        let (options, settings) = (common.clone(), settings.clone());
        Box::new(CmaEs::<Mirrored>::new(
            options, settings, population, problem,
        ))
    };
    Ok(match points {
        0 => from_start(start, seed),
        count => Box::new(FirstPoints::uniform(
            start,
            count,
            seed,
            Box::new(from_start),
        )),
    })
}

/// The start, at least some steps away from the bounds. A start that an earlier search has found stays where it is.
fn inside(problem: &Problem, options: &Options, sigma: f64) -> Vec<f64> {
    let numbers = problem.steps.iter().zip(&problem.categories);
    let moved = problem.start.iter().zip(numbers);
    let moved = moved.map(|(&at, (step, places))| {
        let distance = (options.start_inside * sigma * step).min(MOST_INSIDE);
        let stays = problem.learned.is_some() || !places.is_empty() || distance == 0.0;
        if stays {
            at
        } else {
            at.clamp(distance - MARGIN, 1.0 + MARGIN - distance)
        }
    });
    moved.collect()
}

#[cfg(test)]
mod tests;
