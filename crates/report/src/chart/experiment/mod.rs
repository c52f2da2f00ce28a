//! The charts of an experiment. Each chart is a constant and a function in a file of this folder, and an entry in
//! [`EXPERIMENT_CHARTS`].

mod differences;
mod importance;
mod largest_tile;
mod results;

use super::definition::Chart;
use tiletune_tuning::results::experiment::ExperimentResults;

/// Every chart of an experiment, in the order of the report.
pub const EXPERIMENT_CHARTS: &[Chart<ExperimentResults>] = &[
    results::SCORES,
    results::RESULTS,
    differences::DIFFERENCE,
    differences::RETUNED,
    importance::CHART,
    results::MISTAKES,
    largest_tile::REACH,
    largest_tile::PANELS,
    largest_tile::OVERLAY,
];
