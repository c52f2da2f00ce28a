//! The charts of a run as SVG: the files of a complete run, otherwise drawn from the records so far. Also the figures
//! of a running search, which its page draws. This module must not write files.

use std::collections::BTreeSet;

use crate::chart::Figure;
use crate::results::GenerationRow;
use crate::run::manifest::Status;
use crate::run::{RunDirectory, RunError, RunPlan};

/// Limit of the drawn numbers, so that the page of a long search stays fast.
const NUMBERS: usize = 150_000;

/// The figures of a search with these generations.
///
/// # Errors
/// If a file of the run is damaged.
pub(super) fn figures(
    directory: &RunDirectory,
    plan: &dyn RunPlan,
    generations: &[GenerationRow],
) -> Result<Vec<Figure>, RunError> {
    let columns = 12 + 3 * plan.parameters().len();
    let most = (NUMBERS / columns).clamp(200, 1000);
    plan.figures(directory, thinned(generations, most), &|_| true)
}

/// All generations, or a selection if there are too many to draw. Of each group of neighbours the selection has the
/// first one and those with the extremes, so that no peak is lost. It also has the first generation of each restart.
fn thinned(rows: &[GenerationRow], most: usize) -> Vec<GenerationRow> {
    if rows.len() <= most {
        return rows.to_vec();
    }
    let together = rows.len().div_ceil(most / 4);
    let mut kept = BTreeSet::from([rows.len() - 1]);
    let restarts = rows.windows(2).enumerate();
    let restarts = restarts.filter(|(_, pair)| pair[0].restart != pair[1].restart);
    kept.extend(restarts.map(|(index, _)| index + 1));
    for first in (0..rows.len()).step_by(together) {
        let places = first..rows.len().min(first + together);
        let lowest = |value: fn(&GenerationRow) -> f64| {
            let by =
                |one: &usize, other: &usize| value(&rows[*one]).total_cmp(&value(&rows[*other]));
            places.clone().min_by(by)
        };
        let extremes = [
            Some(first),
            lowest(|row| -row.best),
            lowest(|row| row.worst),
            lowest(|row| row.mean),
        ];
        kept.extend(extremes.into_iter().flatten());
    }
    kept.into_iter().map(|index| rows[index].clone()).collect()
}

/// The chart with this name; `None` if there is no data for it. `generations` returns the generations of a search.
///
/// # Errors
/// If a file of the run is damaged.
pub(super) fn svg(
    directory: &RunDirectory,
    plan: &dyn RunPlan,
    name: &str,
    generations: impl FnOnce() -> Result<Vec<GenerationRow>, RunError>,
) -> Result<Option<Vec<u8>>, RunError> {
    if directory.manifest()?.status == Status::Complete {
        let written = directory.part(format!("charts/{name}.svg"));
        return Ok(written.exists().then(|| written.read()).transpose()?);
    }
    let figures = plan.figures(directory, generations()?, &|one| one == name)?;
    let drawn = figures.first().map(Figure::svg).transpose()?;
    Ok(drawn.map(String::into_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::example;

    #[test]
    fn many_generations_are_thinned_without_losing_peaks() {
        let mut rows = example::run(2, 5000, 2).generations;
        rows[3333].best = 1e9;
        rows[4444].worst = -1e9;
        let thin = thinned(&rows, 1000);
        assert!((250..=1001).contains(&thin.len()), "{}", thin.len());
        for generation in [0, 3333, 4444, 4999] {
            assert!(thin.iter().any(|row| row.generation == generation));
        }
        assert!(
            thin.windows(2)
                .all(|pair| pair[0].generation < pair[1].generation)
        );
        assert_eq!(thinned(&rows[..1000], 1000).len(), 1000);
    }
}
