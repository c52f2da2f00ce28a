//! The charts of a comparison. Each chart is a file of this folder and an entry in [`COMPARISON_CHARTS`].

mod difference;
mod path;

use super::definition::Chart;
use tiletune_tuning::results::compare::ComparisonResults;

/// Every chart of a comparison, in the order of the report.
pub const COMPARISON_CHARTS: &[Chart<ComparisonResults>] = &[path::CHART, difference::CHART];

/// The title of an axis of differences in percent or in points.
fn difference_axis(is_relative: bool) -> &'static str {
    if is_relative {
        "difference to the baseline in %"
    } else {
        "difference to the baseline in points"
    }
}
