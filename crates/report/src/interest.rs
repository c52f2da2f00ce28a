//! A difference of interest in words.

use crate::number::compact;
use tiletune_tuning::results::compare::ComparisonResults;
use tiletune_tuning::results::{DifferenceOfInterest, MarginUnit};

/// The difference in its unit: `2 %`, `50 points`, `0.1 standard deviations`.
pub fn in_unit(difference: DifferenceOfInterest) -> String {
    let value = compact(difference.value);
    match difference.unit {
        MarginUnit::Percent => format!("{value} %"),
        MarginUnit::Points => format!("{value} points"),
        MarginUnit::StandardDeviations => format!("{value} standard deviations"),
    }
}

/// The difference in its unit and in points: `2 % (141 points)`.
pub fn in_points(difference: DifferenceOfInterest) -> String {
    let text = in_unit(difference);
    match difference.unit {
        MarginUnit::Points => text,
        _ => format!("{text} ({} points)", compact(difference.points)),
    }
}

/// The difference of interest of a comparison. With several challengers it has the size in points for each.
pub(crate) fn of_comparison(results: &ComparisonResults) -> String {
    let fixed = results.challengers.iter().map(|one| one.interest);
    let fixed: Option<Vec<DifferenceOfInterest>> = fixed.collect();
    match (fixed.as_deref(), results.margin) {
        (Some([only]), _) => in_points(*only),
        (Some([first, others @ ..]), _) if others.iter().all(|one| one.unit == first.unit) => {
            in_unit(*first)
        }
        (_, Some(margin)) => margin.to_string(),
        _ => "2 %, or 0.1 standard deviations where the mean is near 0".to_owned(),
    }
}
