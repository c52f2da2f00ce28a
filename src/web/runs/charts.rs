//! The charts of a run as SVG: the written files of a complete run, else drawn from what is recorded so far. This
//! module must not write files.

use crate::campaign;
use crate::chart::{CHARTS, COMPARISON_CHARTS, Chart, EXPERIMENT_CHARTS, SERIES_CHARTS};
use crate::compare;
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

/// Whether a run of this kind can have a chart of this name.
pub(super) fn is_known(kind: Kind, name: &str) -> bool {
    let campaign = || named(CHARTS, name).is_some();
    match kind {
        Kind::Campaign => campaign(),
        Kind::Series => named(SERIES_CHARTS, name).is_some() || campaign(),
        Kind::Experiment => named(EXPERIMENT_CHARTS, name).is_some(),
        Kind::Comparison => named(COMPARISON_CHARTS, name).is_some(),
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
    let drawn = match manifest.kind {
        Kind::Campaign => {
            let plan = plan_of(directory)?;
            let data = campaign::load_with(&plan, directory, generations()?)?;
            draw(CHARTS, name, &data)?
        }
        Kind::Series => of_series(directory, name)?,
        Kind::Experiment => {
            let plan: Experiment = plan_of(directory)?;
            let played = experiment::played(&plan, directory)?;
            let results = experiment::results::summarize(&plan, &played, Stop::never());
            draw(
                EXPERIMENT_CHARTS,
                name,
                &results.ok_or(RunError::Interrupted)?,
            )?
        }
        Kind::Comparison => {
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
        Some(chart) => Ok(chart.svg(data)?),
        None => Ok(None),
    }
}
