//! What the page of a run shows beside the curves of its search: the sentences, tables and charts of its report,
//! from what is recorded so far. This module must not read generations, nor word what a report words.

use std::path::Path;

use serde_json::{Value, json};

use crate::campaign;
use crate::chart::{CHARTS, COMPARISON_CHARTS, EXPERIMENT_CHARTS, SERIES_CHARTS};
use crate::compare;
use crate::config::campaign::Campaign;
use crate::config::compare::Comparison;
use crate::config::experiment::Experiment;
use crate::config::series::Series;
use crate::experiment;
use crate::overview::{State, overview_of, resolved};
use crate::player::PlayerSpec;
use crate::report::{
    Block, campaign as of_campaign, compare as of_comparison, experiment as of_experiment,
    series as of_series,
};
use crate::results::{GenerationRow, RunData};
use crate::run::follow::EVENTS;
use crate::run::logs;
use crate::run::{Kind, RunDirectory, RunError, RunPlan, StoreError, plan_of};
use crate::series;
use crate::stop::Stop;
use crate::web::followed::list::{List, run_json};

/// What a page is made of.
pub(super) struct Sources<'a> {
    pub(super) results: &'a Path,
    pub(super) list: &'a List,
    pub(super) directory: &'a RunDirectory,
    pub(super) state: State,
    /// The generations of a campaign: all, or the last one if not all have been read.
    pub(super) generations: Vec<GenerationRow>,
}

/// Everything but the curves.
///
/// # Errors
/// If a file of the run is damaged.
pub(super) fn page(sources: Sources) -> Result<Value, RunError> {
    let Sources {
        results,
        list,
        directory,
        state,
        generations,
    } = sources;
    let root = directory.root();
    let kind = list.kinds.of(directory)?;
    let resolved = resolved(directory)?;
    let mut page = json!({
        "why": resolved.get("why").and_then(toml::Value::as_str).unwrap_or_default().trim(),
        "charts": charts(directory, kind, state),
    });
    let of_kind = match kind.name {
        "campaign" => of_search_of(directory, generations)?,
        "series" => of_series_of(directory, state)?,
        "experiment" => of_rows(directory)?,
        _ => of_players(directory, state)?,
    };
    if let (Value::Object(page), Value::Object(of_kind)) = (&mut page, of_kind) {
        page.extend(of_kind);
    }
    list.overview_by(root, || overview_of(list.kinds, directory))?;
    Ok(renewed(&page, results, list, root, state)?)
}

/// The page with what a list says of the run, and of the runs inside of it, now.
///
/// # Errors
/// If a file of the run is damaged.
pub(super) fn renewed(
    page: &Value,
    results: &Path,
    list: &List,
    root: &Path,
    state: State,
) -> Result<Value, StoreError> {
    let mut overview = list.overview(root)?;
    overview.state = state;
    let mut page = page.clone();
    page["run"] = run_json(results, &overview);
    page["runs"] = json!(list.inside(results, root)?);
    Ok(page)
}

/// The charts that can be fetched. Those of a complete run are written; of another run only those are named
/// that the page does not draw itself.
fn charts(directory: &RunDirectory, kind: &Kind, state: State) -> Vec<Value> {
    let campaign = || {
        CHARTS
            .iter()
            .map(|chart| (chart.name, chart.title, chart.about))
    };
    let series = SERIES_CHARTS.iter();
    let series = series.map(|chart| (chart.name, chart.title, chart.about));
    let experiment = EXPERIMENT_CHARTS.iter();
    let experiment = experiment.map(|chart| (chart.name, chart.title, chart.about));
    let comparison = COMPARISON_CHARTS.iter();
    let comparison = comparison.map(|chart| (chart.name, chart.title, chart.about));
    let all: Vec<_> = match kind.name {
        "campaign" => campaign().collect(),
        "series" => series.chain(campaign()).collect(),
        "experiment" => experiment.collect(),
        _ => comparison.collect(),
    };
    let is_written = |name: &str| directory.part(format!("charts/{name}.svg")).exists();
    let is_drawn = matches!(kind.name, "experiment" | "comparison");
    let shown = all.into_iter().filter(|(name, ..)| match state {
        State::Complete => is_written(name),
        _ => is_drawn,
    });
    let json = |(name, title, about)| json!({ "name": name, "title": title, "about": about });
    shown.map(json).collect()
}

fn of_search_of(
    directory: &RunDirectory,
    generations: Vec<GenerationRow>,
) -> Result<Value, RunError> {
    let campaign: Campaign = plan_of(directory)?;
    let data = campaign::load_with(&campaign, directory, generations)?;
    let blocks = match data.tuned {
        Some(_) => of_campaign::results(&data),
        // Until then they would only say where the search began.
        None => of_campaign::about_search(&data),
    };
    let mut page = of_search(&data, &campaign, &blocks);
    let events: Vec<campaign::Event> = logs::read(&directory.path(EVENTS))?;
    let words = events.iter().map(ToString::to_string);
    page["log"] = words.collect::<Vec<String>>().into();
    Ok(page)
}

fn of_series_of(directory: &RunDirectory, state: State) -> Result<Value, RunError> {
    let series: Series = plan_of(directory)?;
    let campaign = &series.campaign;
    let results = match state {
        // Every generation of every run is read for it; until then the pages of the runs show them.
        State::Complete => Some(series::results(&series, directory, Stop::never())?),
        _ => None,
    };
    let results = results.and_then(|results| Some((results.recommended?, results)));
    let Some((run, results)) = results else {
        return Ok(plan_of_search(campaign));
    };
    let data = series::data(&series, directory, run)?;
    let blocks = of_series::results(&results, &data);
    Ok(of_search(&data, campaign, &blocks))
}

/// What is known of a campaign before it has found something.
fn plan_of_search(campaign: &Campaign) -> Value {
    json!({
        "player": campaign.player.describe(),
        "play": play(&campaign.player),
        "objective": campaign.objective.describe(),
        "blocks": [],
    })
}

fn of_search(data: &RunData, campaign: &Campaign, blocks: &[Block]) -> Value {
    let mut page = plan_of_search(campaign);
    page["blocks"] = json!(blocks);
    page["is_tuned"] = data.tuned.is_some().into();
    if let Some(validation) = &data.validation {
        let objective = &validation.objective;
        page["hold_out"] = json!({
            "start": objective.start,
            "tuned": objective.tuned,
            "interval": objective.tuned_interval,
            "verdict": objective.difference.verdict.name(),
        });
    }
    page
}

/// The player as the page for playing takes it.
fn play(player: &PlayerSpec) -> Value {
    match player.program() {
        // Programs are not started from a page.
        Some(_) => Value::Null,
        None => json!(player.config()),
    }
}

fn of_rows(directory: &RunDirectory) -> Result<Value, RunError> {
    let plan: Experiment = plan_of(directory)?;
    let played = experiment::played(&plan, directory)?;
    let results = experiment::results::summarize(&plan, &played, Stop::never());
    let results = results.ok_or(RunError::Interrupted)?;
    Ok(json!({ "blocks": of_experiment::results(&results) }))
}

fn of_players(directory: &RunDirectory, state: State) -> Result<Value, RunError> {
    let plan: Comparison = plan_of(directory)?;
    let has_programs = plan
        .players()
        .iter()
        .any(|player| player.program().is_some());
    if has_programs && state != State::Complete {
        // The results so far need the players, and no program is started to show a page.
        let sentence = "The results of programs are shown when the comparison is complete.";
        return Ok(json!({ "blocks": [Block::Text(sentence.to_owned())] }));
    }
    let results = compare::results_so_far(&plan, directory)?;
    Ok(json!({ "blocks": of_comparison::results(&results) }))
}
