//! The content of the page of a run besides the curves of its search: the sentences, tables and charts of its report,
//! from the records so far. This module must not read generations, and must not word what a report words.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::contents;
use crate::chart::ChartInfo;
use crate::overview::commands::commands;
use crate::overview::{LiveStatus, overview_of, resolved};
use crate::player::{PlayerConfig, PlayerSpec};
use crate::report::Block;
use crate::results::GenerationRow;
use crate::run::summary::SearchResult;
use crate::run::{RunDirectory, RunError, RunKind, RunPlan, StoreError, View};
use crate::web::followed::list::{RunOverviews, ServedRun};

/// The sources of a page.
pub(super) struct Sources<'a> {
    pub(super) list: &'a RunOverviews,
    pub(super) directory: &'a RunDirectory,
    pub(super) plan: &'a dyn RunPlan,
    pub(super) state: LiveStatus,
    /// All generations of a search, or only the last one if not all have been read.
    pub(super) generations: Vec<GenerationRow>,
    /// The events of the run in words.
    pub(super) log: Vec<String>,
}

/// What is shown of a run, without what changes as others run.
#[derive(Serialize, JsonSchema)]
struct RunContent {
    /// Why it was begun.
    why: String,
    /// Charts that can be fetched.
    charts: Vec<ChartInfo>,
    #[serde(flatten)]
    search: Option<SearchTarget>,
    /// What the report says of the results so far.
    blocks: Vec<Block>,
    #[serde(flatten)]
    found: Option<SearchResult>,
    /// What happened, in words.
    log: Vec<String>,
}

/// Everything but the curves.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct RunPage<'a> {
    #[serde(flatten)]
    #[schemars(with = "RunContent")]
    results: &'a Value,
    /// The run.
    run: ServedRun,
    /// The runs inside of it.
    runs: Vec<ServedRun>,
    /// Names of the files that can be fetched.
    files: Vec<&'static str>,
    /// Commands that go on from it, each with what it does.
    commands: Vec<(String, &'static str)>,
}

/// What a run searches for.
#[derive(Serialize, JsonSchema)]
struct SearchTarget {
    /// The player in words.
    player: String,
    /// The player as `POST /api/advise` takes it; null for a program.
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    play: Option<PlayerConfig>,
    /// What the search maximises.
    objective: String,
}

/// The results so far.
///
/// # Errors
/// If a file of the run is damaged.
pub(super) fn results(sources: Sources) -> Result<Value, RunError> {
    let Sources {
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
    let page = RunContent {
        why: why.unwrap_or_default().trim().to_owned(),
        charts: charts(directory, plan, state),
        search: search.map(|(objective, player)| SearchTarget {
            player: player.describe(),
            play: play(player),
            objective,
        }),
        blocks,
        found,
        log,
    };
    list.overview_by(directory.root(), || overview_of(list.kinds, directory))?;
    Ok(json!(page))
}

/// The page with the current overview of the run and of its child runs.
///
/// # Errors
/// If a file of the run is damaged.
pub(super) fn complete<'a>(
    results: &'a Value,
    folder: &Path,
    list: &RunOverviews,
    root: &Path,
    state: LiveStatus,
    kind: &RunKind,
) -> Result<RunPage<'a>, StoreError> {
    let mut overview = list.overview(root)?;
    overview.state = state;
    let commands = commands(&overview, kind, &RunDirectory::open(root)?)?;
    let files = contents::names(root);
    Ok(RunPage {
        results,
        run: ServedRun::new(folder, overview),
        runs: list.inside(folder, root)?,
        files,
        commands,
    })
}

/// The charts that can be fetched. A complete run has them as files. Before that, the page draws those of a search
/// itself.
fn charts(directory: &RunDirectory, plan: &dyn RunPlan, state: LiveStatus) -> Vec<ChartInfo> {
    let is_written = |name: &str| directory.part(format!("charts/{name}.svg")).exists();
    let mut charts = plan.kind().all_charts();
    charts.retain(|chart| match state {
        LiveStatus::Complete => is_written(chart.name),
        _ => plan.kind().search.is_none(),
    });
    charts
}

/// The player in the form that the page for playing takes; of several settings the first. `None` for a program, which no
/// page may start.
fn play(player: &PlayerSpec) -> Option<PlayerConfig> {
    let one = player.at_setting_of(0);
    player.program().is_none().then(|| one.config())
}
