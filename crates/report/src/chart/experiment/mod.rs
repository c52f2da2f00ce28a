//! The charts of an experiment. Each is one file here and one line in [`EXPERIMENT_CHARTS`].

mod difference;
mod importance;
mod mistakes;
mod overlay;
mod reach;
mod results;
mod retuned;
mod rows;
mod scores;

use super::definition::Chart;
use tiletune_tuning::results::experiment::ExperimentResults;

/// Every chart of an experiment, in the order of the report.
pub const EXPERIMENT_CHARTS: &[Chart<ExperimentResults>] = &[
    overlay::CHART,
    rows::CHART,
    scores::CHART,
    results::CHART,
    reach::CHART,
    difference::CHART,
    retuned::CHART,
    importance::CHART,
    mistakes::CHART,
];
