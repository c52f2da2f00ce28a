//! The routes of prunings, the folders that `tiletune tune --prune` writes: their list, the page of one, its chart and files.
//! This module must not write a file, and must not word what a report words.

use std::collections::BTreeMap;
use std::path::Path as Folder;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::app::{App, beside};
use super::followed::list::ServedRun;
use super::followed::place;
use super::refusal::Refusal;
use super::runs::attached;
use crate::chart::{PRUNING_CHARTS, Rendered, render};
use crate::plain_file;
use crate::prune::FILE;
use crate::report::{Block, pruned as report};
use crate::results::pruning::Pruned;

/// Largest number of prunings in the list.
const MOST: usize = 200;

/// The table of the chart.
const TABLE: &str = "pruning.csv";

/// The files that can be fetched, with their content types.
const FILES: [(&str, &str); 3] = [
    ("report.html", "text/html; charset=utf-8"),
    (FILE, "application/json"),
    (TABLE, "text/csv; charset=utf-8"),
];

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/pruned", get(list))
        .route("/api/pruned/{folder}", get(page))
        .route("/api/pruned/{folder}/chart.svg", get(chart))
        .route("/api/pruned/{folder}/files/{file}", get(file))
}

/// A pruning in the list.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedPruning {
    /// Name of its folder.
    path: String,
    /// Name of the campaign whose terms are left out.
    name: String,
    /// Number of terms before.
    terms: u32,
    /// Number of terms that are left without a shown loss.
    left: u32,
    /// Whether it is complete.
    is_complete: bool,
}

/// The page of a pruning.
#[derive(Serialize, JsonSchema)]
pub(super) struct PruningPage {
    /// Name of its folder.
    path: String,
    /// Name of the campaign whose terms are left out.
    name: String,
    /// Whether it is complete.
    is_complete: bool,
    /// What its report says, as in the page of a run.
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    blocks: Vec<Block>,
    /// Whether it has a chart.
    has_chart: bool,
    /// The runs of its steps, as in the list of runs.
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    runs: Vec<ServedRun>,
    /// Names of the files that can be fetched.
    files: Vec<&'static str>,
    /// The command that goes on with it.
    command: String,
}

/// Reads the results in a folder.
fn read(folder: &Folder) -> Result<Pruned, String> {
    let text = plain_file::read(&folder.join(FILE)).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

/// The folder of a request, with its results.
fn find(app: &App, name: &str) -> Result<(std::path::PathBuf, Pruned), Refusal> {
    let unknown = || Refusal::unknown(format!("there is no pruning `{name}`"));
    let folder = place::folder_with(&app.results, name, FILE).ok_or_else(unknown)?;
    let pruned = read(&folder)
        .map_err(|error| Refusal::wrong(format!("{name}/{FILE} is damaged: {error}")))?;
    Ok((folder, pruned))
}

async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<ListedPruning>>, Refusal> {
    let list = beside(move || {
        let entries = std::fs::read_dir(&app.results).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter(|name| place::folder_with(&app.results, name, FILE).is_some())
            .collect();
        names.sort();
        let listed = names.into_iter().take(MOST).filter_map(|path| {
            let pruned = read(&app.results.join(&path)).ok()?;
            Some(ListedPruning {
                left: pruned.smallest().map_or(pruned.terms, |step| step.terms),
                name: pruned.name,
                terms: pruned.terms,
                is_complete: pruned.is_complete,
                path,
            })
        });
        Ok(listed.collect())
    });
    list.await.map(Json)
}

async fn page(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<PruningPage>, Refusal> {
    let page = beside(move || {
        let (folder, pruned) = find(&app, &name)?;
        let runs = app.watch.list.inside(&app.results, &folder);
        let has_chart = !pruned.steps.is_empty();
        let is_there = |file: &&str| match *file {
            TABLE => has_chart,
            file => folder.join(file).is_file(),
        };
        let files = FILES.iter().map(|(file, _)| *file);
        Ok(PruningPage {
            blocks: report::report(&pruned, &[]),
            has_chart,
            runs: runs.map_err(|error| {
                Refusal::wrong(place::message(&app.results, &error.to_string()))
            })?,
            files: files.filter(is_there).collect(),
            name: pruned.name,
            is_complete: pruned.is_complete,
            command: pruned.command,
            path: name,
        })
    });
    page.await.map(Json)
}

/// The chart, drawn from the results: the folder can come from elsewhere, and an image of it is not trusted.
fn drawn(pruned: &Pruned) -> Result<Rendered, Refusal> {
    let mut drawn = render(PRUNING_CHARTS, pruned).map_err(Refusal::wrong)?;
    drawn
        .pop()
        .ok_or_else(|| Refusal::unknown("no step is complete yet"))
}

async fn chart(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<impl IntoResponse, Refusal> {
    let svg = beside(move || Ok(drawn(&find(&app, &name)?.1)?.svg));
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg.await?))
}

async fn file(
    State(app): State<Arc<App>>,
    Path((name, file)): Path<(String, String)>,
) -> Result<impl IntoResponse, Refusal> {
    let known = FILES.iter().find(|(known, _)| *known == file);
    let unknown = || Refusal::unknown(format!("a pruning has no file `{file}` to fetch"));
    let &(file, kind) = known.ok_or_else(unknown)?;
    let contents = beside(move || {
        let (folder, pruned) = find(&app, &name)?;
        let contents = match file {
            TABLE => drawn(&pruned)?.csv.into_bytes(),
            file => {
                let contents = plain_file::read(&folder.join(file));
                contents.map_err(|error| Refusal::unknown(format!("{file}: {error}")))?
            }
        };
        Ok((name, contents))
    });
    let (name, contents) = contents.await?;
    Ok((attached(&name, file, kind), contents))
}
