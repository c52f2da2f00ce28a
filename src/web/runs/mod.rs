//! The routes of the runs of the results folder: their list, the page of a run, the news of a running run, its charts,
//! and the curves of several runs. They read files without the lock of the run.
//!
//! - `page`, `charts`, `curves`: the content; texts and figures are those of the report
//! - `contents`: candidates, files, the best runs
//! - `stream`: news, as server-sent events
//! - `game`: a recorded game, played again
//!
//! This module must not write a file, play a game that is not recorded, or start a process. A damaged run causes one message and does not
//! affect the other runs.

mod charts;
mod contents;
mod curves;
pub(super) mod game;
pub(super) mod page;
mod stream;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{self, Path, RawQuery};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

pub(super) use contents::attached;

use super::app::{App, beside};
use super::followed::list::{RunList, ServedRun};
use super::followed::place;
use super::followed::run::FollowedRun;
use super::refusal::Refusal;
use crate::chart::Figure;
use crate::overview::LiveStatus;
use crate::run::summary::HoldOutResult;
use crate::run::{RunDirectory, RunError, SearchPlace, StoreError};

/// Number of generations that are read at a time. Other requests for the same run wait for this.
const BATCH: usize = 500;
/// Largest number of runs whose curves are compared.
const MOST_COMPARED: usize = 12;

/// Number of generations in the figures of a long search, before all of them are read.
const SKETCHED: usize = 300;

const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/runs", get(list))
        .route("/api/runs/{run}", get(page))
        .route("/api/runs/{run}/events", get(events))
        .route("/api/runs/{run}/figures", get(figures))
        .route("/api/runs/{run}/charts/{chart}", get(chart))
        .route("/api/runs/{run}/game", post(game::game))
        .route("/api/compare", get(compare))
        .merge(contents::routes())
}

/// The run of a request.
struct RequestedRun {
    root: PathBuf,
    watched: Arc<FollowedRun>,
}

impl RequestedRun {
    fn find(app: &App, name: &str) -> Result<Self, Refusal> {
        let unknown = || Refusal::unknown(format!("there is no run `{name}`"));
        let root = place::directory(&app.results, name).ok_or_else(unknown)?;
        let watched = app.watch.registry.watched(&root);
        let watched = watched.map_err(|error| damaged(app, &error))?;
        Ok(RequestedRun { root, watched })
    }

    /// Reads all generations.
    fn read(&self) -> Result<(), StoreError> {
        while self.watched.refresh(BATCH)?.has_more {}
        Ok(())
    }
}

/// The refusal to show a run with damaged files.
fn damaged(app: &App, error: &dyn std::error::Error) -> Refusal {
    Refusal::wrong(message(app, error))
}

/// An error with its causes, without the path of the results folder.
fn message(app: &App, error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    let words = std::iter::once(error.to_string()).chain(causes.map(ToString::to_string));
    let mut message = String::new();
    for words in words.filter(|words| !words.is_empty()) {
        // Some errors repeat the text of their cause.
        if !message.contains(&words) {
            message += if message.is_empty() { "" } else { ": " };
            message += &words;
        }
    }
    place::message(&app.results, &message)
}

async fn list(extract::State(app): extract::State<Arc<App>>) -> Result<Json<RunList>, Refusal> {
    let list = beside(move || {
        if !app.results.is_dir() {
            return Ok(RunList::default());
        }
        let list = app.watch.list.all(&app.results);
        list.map_err(|error| damaged(&app, &error))
    });
    list.await.map(Json)
}

async fn page(
    extract::State(app): extract::State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let page = beside(move || {
        let run = RequestedRun::find(&app, &name)?;
        let page = read_page(&app, &run).and_then(|(results, state)| {
            let list = &app.watch.list;
            let kind = run.watched.plan.kind();
            let page = page::complete(&results, &app.results, list, &run.root, state, kind)?;
            Ok(json!(page))
        });
        page.map_err(|error| {
            app.watch.registry.forget(&run.root);
            damaged(&app, &error)
        })
    });
    page.await.map(Json)
}

/// The page of a run. It is computed again only when the run has changed.
fn read_page(app: &App, run: &RequestedRun) -> Result<(Arc<Value>, LiveStatus), RunError> {
    let mut look = run.watched.refresh(0)?;
    // Do not wait until the tables of a long search are read.
    if look.has_more && look.follower.complete_generations() <= BATCH {
        drop(look);
        look = run.watched.refresh(BATCH)?;
    }
    let key = (look.version, look.has_more);
    let state = look.state;
    if let Some((_, page)) = look.page.as_ref().filter(|(of, _)| *of == key) {
        return Ok((page.clone(), state));
    }
    let generations = if look.has_more {
        look.follower.last_generation()?.into_iter().collect()
    } else {
        look.follower.generations().to_vec()
    };
    let log = look.log(0);
    drop(look);
    let page = page::results(page::Sources {
        list: &app.watch.list,
        // The directory is opened after the refresh, so that it is not older than the state.
        directory: &RunDirectory::open(&run.root)?,
        plan: &*run.watched.plan,
        state,
        generations,
        log,
    })?;
    let page = Arc::new(page);
    run.watched.lock().page = Some((key, page.clone()));
    Ok((page, state))
}

async fn events(
    extract::State(app): extract::State<Arc<App>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Refusal> {
    let last = headers.get(LAST_EVENT).and_then(|id| id.to_str().ok());
    let from = last.map(str::parse::<usize>).transpose();
    let from = from
        .map_err(|_| Refusal::wrong("Last-Event-ID is not an id of this server: a whole number"))?;
    let finding = app.clone();
    let run = beside(move || RequestedRun::find(&finding, &name)).await?;
    Ok(stream::stream(app, run.watched, from.unwrap_or_default()))
}

async fn figures(
    extract::State(app): extract::State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let figures = beside(move || {
        let run = RequestedRun::find(&app, &name)?;
        read_figures(&run).map_err(|error| damaged(&app, &error))
    });
    figures.await.map(Json)
}

/// The figures of a search, with the number of their generations. For a long search whose tables are not read yet, it
/// uses a selection of generations instead of waiting.
fn read_figures(run: &RequestedRun) -> Result<Value, RunError> {
    let look = run.watched.refresh(0)?;
    let is_sketch = look.has_more && look.follower.complete_generations() > BATCH;
    let rows = if is_sketch {
        look.follower.sketch(SKETCHED)?
    } else {
        drop(look);
        run.read()?;
        run.watched.lock().follower.generations().to_vec()
    };
    let directory = RunDirectory::open(&run.root)?;
    let plan = &*run.watched.plan;
    let figures = match plan.kind().search {
        Some(SearchPlace::Run) => charts::figures(&directory, plan, &rows)?,
        _ => Vec::new(),
    };
    let generations = rows.last().map_or(0, |row| row.generation + 1);
    Ok(json!({ "figures": figures, "generations": generations, "is_sketch": is_sketch }))
}

async fn chart(
    extract::State(app): extract::State<Arc<App>>,
    Path((name, file)): Path<(String, String)>,
) -> Result<impl IntoResponse, Refusal> {
    let svg = beside(move || {
        let run = RequestedRun::find(&app, &name)?;
        let unknown = || Refusal::unknown(format!("the run has no chart `{file}`"));
        let chart = file.strip_suffix(".svg").ok_or_else(unknown)?;
        let plan = &*run.watched.plan;
        let charts = plan.kind().all_charts();
        if charts.iter().all(|known| known.name != chart) {
            return Err(unknown());
        }
        let drawn = RunDirectory::open(&run.root).map_err(RunError::from);
        let drawn = drawn.and_then(|directory| {
            charts::svg(&directory, plan, chart, || {
                run.read()?;
                Ok(run.watched.lock().follower.generations().to_vec())
            })
        });
        drawn
            .map_err(|error| damaged(&app, &error))?
            .ok_or_else(unknown)
    });
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg.await?))
}

async fn compare(
    extract::State(app): extract::State<Arc<App>>,
    RawQuery(query): RawQuery,
) -> Result<Json<ComparedRuns>, Refusal> {
    let names = names(query.as_deref().unwrap_or_default())?;
    let curves = beside(move || {
        let curves = names.iter().map(|name| {
            let run = RequestedRun::find(&app, name)?;
            curve(&app, &run).map_err(|error| damaged(&app, &error))
        });
        curves.collect::<Result<Vec<_>, Refusal>>()
    });
    let (runs, curves): (Vec<ComparedRun>, Vec<_>) = curves.await?.into_iter().unzip();
    let figures = curves::figures(&curves);
    Ok(Json(ComparedRuns { runs, figures }))
}

/// Curves of several runs.
#[derive(Serialize, JsonSchema)]
pub(super) struct ComparedRuns {
    /// The runs, in the order of the request.
    runs: Vec<ComparedRun>,
    /// Two figures of the mean fitness of all runs: by training games, and by generations (see docs/web.md).
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    figures: [Figure; 2],
}

/// A run whose curve is compared.
#[derive(Serialize, JsonSchema)]
struct ComparedRun {
    /// The run.
    run: ServedRun,
    /// What the search maximises.
    #[schemars(with = "Option<String>")]
    objective: Value,
    /// The objective in the hold-out games; null before they are played.
    #[schemars(with = "Option<HoldOutResult>")]
    hold_out: Value,
}

/// A curve with its name.
type Curve = (String, Vec<curves::Point>);

/// The overview of a run, and its curve with its name.
fn curve(app: &App, run: &RequestedRun) -> Result<(ComparedRun, Curve), RunError> {
    run.read()?;
    let overview = app.watch.list.overview(&run.root)?;
    let (page, _) = read_page(app, run)?;
    let about = ComparedRun {
        run: ServedRun::new(&app.results, overview),
        objective: page["objective"].clone(),
        hold_out: page["hold_out"].clone(),
    };
    let points = curves::points(run.watched.lock().follower.generations());
    let name = about.run.name();
    Ok((about, (name, points)))
}

/// The values of `run` in the query of a URL.
fn names(query: &str) -> Result<Vec<String>, Refusal> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let runs = pairs.filter_map(|(key, value)| (key == "run").then(|| value.into_owned()));
    let names: Vec<String> = runs.collect();
    match names.len() {
        1..=MOST_COMPARED => Ok(names),
        _ => Err(Refusal::wrong(format!(
            "name 1 to {MOST_COMPARED} runs, each as `run=NAME`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_name_runs() {
        let of = |query: &str| names(query).ok();
        let two = ["a b", "series/runs/1"].map(str::to_owned).to_vec();
        assert_eq!(of("run=a+b&x=y&run=series%2Fruns%2f1"), Some(two));
        let many = "run=a&".repeat(13);
        for refused in ["", "runs=a", many.as_str()] {
            assert!(of(refused).is_none(), "{refused}");
        }
    }
}
