//! What the page of a run shows beside the curves of its search: the sentences, tables and charts of its report,
//! from what is recorded so far. This module must not read generations, nor word what a report words.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::chart::ChartInfo;
use crate::kinds::KINDS;
use crate::overview::{State, overview_of, resolved};
use crate::player::{Config, PlayerSpec};
use crate::report::Block;
use crate::results::GenerationRow;
use crate::run::view::SearchResult;
use crate::run::{RunDirectory, RunError, RunPlan, StoreError, View};
use crate::web::followed::list::{List, run_json};

/// What a page is made of.
pub(super) struct Sources<'a> {
    pub(super) results: &'a Path,
    pub(super) list: &'a List,
    pub(super) directory: &'a RunDirectory,
    pub(super) plan: &'a dyn RunPlan,
    pub(super) state: State,
    /// The generations of a search: all, or the last one if not all have been read.
    pub(super) generations: Vec<GenerationRow>,
    /// The events of the run in words.
    pub(super) log: Vec<String>,
}

/// Everything but the curves.
#[derive(Serialize)]
struct Page {
    /// Why it was begun.
    why: String,
    /// Charts that can be fetched.
    charts: Vec<ChartInfo>,
    #[serde(flatten)]
    search: Option<Search>,
    /// What the report says of the results so far.
    blocks: Vec<Block>,
    #[serde(flatten)]
    found: Option<SearchResult>,
    /// What happened, in words.
    log: Vec<String>,
}

/// What a run searches for.
#[derive(Serialize)]
struct Search {
    /// The player in words.
    player: String,
    /// The player as `POST /api/advise` takes it; null for a program.
    play: Option<Config>,
    /// What the search maximises.
    objective: String,
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
        plan,
        state,
        generations,
        log,
    } = sources;
    let resolved = resolved(directory)?;
    let why = resolved.get("why").and_then(toml::Value::as_str);
    let View {
        blocks,
        objective,
        found,
    } = plan.view(directory, generations)?;
    let players = plan.players();
    let search = objective.zip(players.first());
    let page = Page {
        why: why.unwrap_or_default().trim().to_owned(),
        charts: charts(directory, plan, state),
        search: search.map(|(objective, player)| Search {
            player: player.describe(),
            play: play(player),
            objective,
        }),
        blocks,
        found,
        log,
    };
    let root = directory.root();
    list.overview_by(root, || overview_of(KINDS, directory))?;
    Ok(renewed(&json!(page), results, list, root, state)?)
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

/// The charts that can be fetched. Those of a complete run are written. Until then the page draws those of a search
/// itself.
fn charts(directory: &RunDirectory, plan: &dyn RunPlan, state: State) -> Vec<ChartInfo> {
    let is_written = |name: &str| directory.part(format!("charts/{name}.svg")).exists();
    let mut charts = plan.kind().all_charts();
    charts.retain(|chart| match state {
        State::Complete => is_written(chart.name),
        _ => plan.kind().search.is_none(),
    });
    charts
}

/// The player as the page for playing takes it. Programs are not started from a page.
fn play(player: &PlayerSpec) -> Option<Config> {
    player.program().is_none().then(|| player.config())
}
