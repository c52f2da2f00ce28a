//! The charts of a campaign. Each chart is a constant and a function in a file of this folder, and an entry in
//! [`CHARTS`].

mod correlation;
mod endings;
mod generations;
mod importance;
mod parameters;
mod score_distribution;

use super::definition::Chart;

/// Every chart of a campaign, in the order of the report.
pub const CHARTS: &[Chart] = &[
    endings::MAX_TILE,
    endings::OUTCOMES,
    score_distribution::CHART,
    generations::FITNESS,
    parameters::CHART,
    importance::EFFECTS,
    generations::DIAGNOSTICS,
    generations::SIGNAL,
    importance::SLICES,
    correlation::CHART,
];
