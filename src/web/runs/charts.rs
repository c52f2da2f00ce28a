//! The charts of a run as SVG: the written files of a complete run, else drawn from what is recorded so far; and the
//! figures of a search that grows, which its page draws. This module must not write files.

use std::collections::BTreeSet;

use crate::campaign;
use crate::chart::{CHARTS, COMPARISON_CHARTS, Chart, EXPERIMENT_CHARTS, Figure, SERIES_CHARTS};
use crate::compare;
use crate::config::campaign::Campaign;
use crate::config::compare::Comparison;
use crate::config::experiment::Experiment;
use crate::config::series::Series;
use crate::experiment;
use crate::player::PlayerSpec;
use crate::results::GenerationRow;
use crate::run::manifest::Status;
use crate::run::{Kind, RunDirectory, RunError, RunPlan, plan_of};
use crate::series;
use crate::stop::Stop;

/// About so many numbers are drawn at most, so that a page of a long search is not slow.
const NUMBERS: usize = 150_000;

/// The figures of a search of these generations.
///
/// # Errors
/// If a file of the run is damaged.
pub(super) fn figures(
    directory: &RunDirectory,
    generations: &[GenerationRow],
) -> Result<Vec<Figure>, RunError> {
    let plan: Campaign = plan_of(directory)?;
    let columns = 12 + 3 * plan.space.parameters().len();
    let most = (NUMBERS / columns).clamp(200, 1000);
    let data = campaign::load_with(&plan, directory, thinned(generations, most))?;
    Ok(CHARTS
        .iter()
        .filter_map(|chart| chart.figure(&data))
        .collect())
}

/// The generations, or of many so few that they can be drawn: of neighbours the first one and those with the
/// extremes, so that no peak is lost, and the first one of each restart.
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

/// Whether a run of this kind can have a chart of this name.
pub(super) fn is_known(kind: &Kind, name: &str) -> bool {
    let campaign = || named(CHARTS, name).is_some();
    match kind.name {
        "campaign" => campaign(),
        "series" => named(SERIES_CHARTS, name).is_some() || campaign(),
        "experiment" => named(EXPERIMENT_CHARTS, name).is_some(),
        _ => named(COMPARISON_CHARTS, name).is_some(),
    }
}

fn named<Data>(charts: &'static [Chart<Data>], name: &str) -> Option<&'static Chart<Data>> {
    charts.iter().find(|chart| chart.name == name)
}

/// The chart of this name; `None` if there are no data for it. `generations` returns those of a campaign.
///
/// # Errors
/// If a file of the run is damaged.
pub(super) fn svg(
    directory: &RunDirectory,
    name: &str,
    generations: impl FnOnce() -> Result<Vec<GenerationRow>, RunError>,
) -> Result<Option<Vec<u8>>, RunError> {
    let manifest = directory.manifest()?;
    let written = directory.part(format!("charts/{name}.svg"));
    if manifest.status == Status::Complete {
        return Ok(match written.exists() {
            true => Some(written.read()?),
            false => None,
        });
    }
    let drawn = match manifest.kind.as_str() {
        "campaign" => {
            let plan = plan_of(directory)?;
            let data = campaign::load_with(&plan, directory, generations()?)?;
            draw(CHARTS, name, &data)?
        }
        "series" => of_series(directory, name)?,
        "experiment" => {
            let plan: Experiment = plan_of(directory)?;
            let played = experiment::played(&plan, directory)?;
            let results = experiment::results::summarize(&plan, &played, Stop::never());
            draw(
                EXPERIMENT_CHARTS,
                name,
                &results.ok_or(RunError::Interrupted)?,
            )?
        }
        _ => {
            let plan: Comparison = plan_of(directory)?;
            let mut players = plan.players().into_iter().map(PlayerSpec::program);
            match players.any(|program| program.is_some()) {
                // No program is started to draw a chart.
                true => None,
                false => {
                    let results = compare::results_so_far(&plan, directory)?;
                    draw(COMPARISON_CHARTS, name, &results)?
                }
            }
        }
    };
    Ok(drawn.map(String::into_bytes))
}

fn of_series(directory: &RunDirectory, name: &str) -> Result<Option<String>, RunError> {
    let series: Series = plan_of(directory)?;
    let results = series::results(&series, directory, Stop::never())?;
    match (named(SERIES_CHARTS, name), results.recommended) {
        (Some(_), _) => draw(SERIES_CHARTS, name, &results),
        (None, Some(run)) => draw(CHARTS, name, &series::data(&series, directory, run)?),
        (None, None) => Ok(None),
    }
}

fn draw<Data>(
    charts: &'static [Chart<Data>],
    name: &str,
    data: &Data,
) -> Result<Option<String>, RunError> {
    match named(charts, name) {
        Some(chart) => Ok(chart.figure(data).map(|figure| figure.svg()).transpose()?),
        None => Ok(None),
    }
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
