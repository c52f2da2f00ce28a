//! The charts of a campaign. Each is one file here and one line in [`CHARTS`].

mod correlation;
mod diagnostics;
mod fitness;
mod max_tile;
mod outcomes;
mod parameters;
mod score_distribution;
mod signal;

// Shared by several of them.
mod endings;
mod search;

use super::definition::Chart;

/// Every chart of a campaign, in the order of the report.
pub const CHARTS: &[Chart] = &[
    fitness::CHART,
    diagnostics::CHART,
    signal::CHART,
    parameters::CHART,
    correlation::CHART,
    max_tile::CHART,
    outcomes::CHART,
    score_distribution::CHART,
];
