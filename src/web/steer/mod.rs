//! The routes that start, stop and continue runs, with `serve --allow-start` only: as processes of their own
//! (`processes`), which outlive the page and the server.
//!
//! - `request`: what a page may ask for, and the campaign file or the arguments that follow from it
//!
//! A request names no command, no folder and no path: it names players and files of the results folder, and its values
//! are checked as those of a campaign file. A program outside of tiletune runs only if a campaign file that lies in the
//! results folder names it; the page cannot write such a file.

mod request;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{App, beside};
use super::followed::place;
use super::processes::Processes;
use super::refusal::Refusal;
use super::request::Body;
use crate::config::{Source, heuristic_file};
use crate::overview::LiveStatus;
use crate::run::RunDirectory;
use crate::run::manifest::utc;
use crate::run::shell::quoted;
use request::{
    CampaignFile, CampaignRequest, ComparisonRequest, ContinueRequest, ParametersRequest,
    RunRequest, ServedParameter,
};

/// Largest number of files that are offered.
const MOST_FILES: usize = 200;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/steer", get(about))
        .route("/api/steer/parameters", post(parameters))
        .route("/api/steer/plan", post(plan))
        .route("/api/steer/start", post(start))
        .route("/api/steer/stop", post(stop))
        .route("/api/steer/resume", post(resume))
        .route("/api/steer/compare", post(compare))
        .route("/api/steer/prune", post(prune))
}

/// Whether runs can be started, and from which files.
#[derive(Serialize, JsonSchema)]
pub(super) struct Steering {
    /// Whether the server was started with `--allow-start`.
    is_allowed: bool,
    /// Campaign files in the results folder.
    campaigns: Vec<String>,
    /// Heuristic files in the results folder.
    heuristics: Vec<String>,
    /// Runs that this server has started and that still run.
    running: Vec<String>,
}

/// What a start would do.
#[derive(Serialize, JsonSchema)]
pub(super) struct CampaignPreview {
    /// The campaign file.
    toml: String,
    /// The command that does the same.
    command: String,
    /// What `tiletune tune --dry-run` says.
    plan: String,
}

/// A run that was started.
#[derive(Serialize, JsonSchema)]
pub(super) struct Started {
    /// Its name.
    run: String,
    /// The command that does the same.
    command: String,
}

/// A request that was carried out.
#[derive(Serialize, JsonSchema)]
pub(super) struct Done {
    /// What happens now.
    said: &'static str,
}

fn allowed(app: &App) -> Result<&Processes, Refusal> {
    app.processes.as_ref().ok_or_else(|| {
        let message = "this server only watches; `tiletune serve --allow-start` lets its pages start, stop and continue runs";
        Refusal::new(StatusCode::FORBIDDEN, message)
    })
}

async fn about(State(app): State<Arc<App>>) -> Result<Json<Steering>, Refusal> {
    let about = beside(move || {
        let mut found = Steering {
            is_allowed: app.processes.is_some(),
            campaigns: Vec::new(),
            heuristics: Vec::new(),
            running: app
                .processes
                .as_ref()
                .map(Processes::running)
                .unwrap_or_default(),
        };
        if !found.is_allowed {
            return Ok(found);
        }
        let entries = std::fs::read_dir(&app.results)
            .into_iter()
            .flatten()
            .flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.ends_with(".toml") && !name.starts_with('.'))
            .collect();
        names.sort();
        for name in names.into_iter().take(MOST_FILES) {
            let Ok(source) = Source::read(&app.results.join(&name)) else {
                continue;
            };
            if heuristic_file::is_heuristic(&source) {
                found.heuristics.push(name);
            } else if request::is_campaign(&source) {
                found.campaigns.push(name);
            }
        }
        Ok(found)
    });
    about.await.map(Json)
}

async fn parameters(
    State(app): State<Arc<App>>,
    Body(wanted): Body<ParametersRequest>,
) -> Result<Json<Vec<ServedParameter>>, Refusal> {
    let found = beside(move || {
        allowed(&app)?;
        wanted.parameters(&app)
    });
    found.await.map(Json)
}

async fn plan(
    State(app): State<Arc<App>>,
    Body(wanted): Body<CampaignRequest>,
) -> Result<Json<CampaignPreview>, Refusal> {
    let preview = beside(move || {
        let processes = allowed(&app)?;
        let file = wanted.file(&app)?;
        // Relative paths in a new file are those of the results folder, so its draft lies there, hidden.
        let draft = file
            .is_new
            .then(|| Draft::write(&app.results, &file))
            .transpose()?;
        let path = draft
            .as_ref()
            .map_or_else(|| app.results.join(&file.name), |draft| draft.0.clone());
        let mut arguments = vec!["tune".into(), path.into(), "--dry-run".into()];
        arguments.extend(file.settings.iter().map(Into::into));
        let said = processes.output(&arguments)?;
        let draft = draft.as_ref().map_or(file.name.as_str(), Draft::name);
        let shown = |text: String| place::message(&app.results, &text).replace(draft, &file.name);
        Ok(CampaignPreview {
            command: file.command(&app.results),
            plan: said
                .map(shown)
                .map_err(|words| Refusal::wrong(place::message(&app.results, &words)))?,
            toml: file.text,
        })
    });
    preview.await.map(Json)
}

async fn start(
    State(app): State<Arc<App>>,
    Body(wanted): Body<CampaignRequest>,
) -> Result<Json<Started>, Refusal> {
    let started = beside(move || {
        let processes = allowed(&app)?;
        let mut file = wanted.file(&app)?;
        std::fs::create_dir_all(&app.results).map_err(Refusal::wrong)?;
        file.save(&app.results)?;
        let run = free_name(&app.results, &file.run);
        let mut arguments = vec!["tune".into(), app.results.join(&file.name).into()];
        arguments.extend(file.settings.iter().map(Into::into));
        arguments.extend(["--out".into(), app.results.join(&run).into()]);
        processes.start(&app.results, &run, &arguments)?;
        Ok(Started {
            command: file.command(&app.results),
            run,
        })
    });
    started.await.map(Json)
}

/// A name of a run that no file or folder has: the name of the campaign and the time, as `tiletune tune` chooses it.
fn free_name(results: &Path, name: &str) -> String {
    let name = format!("{name}-{}", utc("%Y%m%dT%H%M%SZ"));
    let others = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(others);
    let is_free = |name: &String| results.join(name).symlink_metadata().is_err();
    names.find(is_free).unwrap_or(name)
}

async fn stop(
    State(app): State<Arc<App>>,
    Body(wanted): Body<RunRequest>,
) -> Result<Json<Done>, Refusal> {
    let stopped = beside(move || {
        let processes = allowed(&app)?;
        let root = directory(&app, &wanted.run)?;
        processes.stop(&wanted.run, &root)?;
        Ok(Done {
            said: "The run was asked to stop. What it has played is kept, and it can be continued.",
        })
    });
    stopped.await.map(Json)
}

async fn resume(
    State(app): State<Arc<App>>,
    Body(wanted): Body<ContinueRequest>,
) -> Result<Json<Started>, Refusal> {
    let resumed = beside(move || {
        let processes = allowed(&app)?;
        let root = directory(&app, &wanted.run)?;
        let opened = RunDirectory::open(&root).map_err(Refusal::wrong)?;
        let manifest = opened.manifest().map_err(Refusal::wrong)?;
        let state = LiveStatus::of(&root, manifest.status);
        if state == LiveStatus::Running {
            return Err(Refusal::wrong("this run is being written already"));
        }
        if state == LiveStatus::Complete && wanted.limit()?.is_none() {
            return Err(Refusal::wrong(
                "this run is complete; give more games, minutes or generations to go on with it",
            ));
        }
        expect_no_program(&app, &root)?;
        let mut arguments = vec!["resume".into(), root.clone().into()];
        let limit = wanted.limit()?;
        arguments.extend(limit.iter().flatten().map(Into::into));
        processes.start(&app.results, &wanted.run, &arguments)?;
        let words = limit.unwrap_or_default().join(" ");
        Ok(Started {
            command: format!("tiletune resume {} {words}", root.display())
                .trim_end()
                .to_owned(),
            run: wanted.run,
        })
    });
    resumed.await.map(Json)
}

/// Refuses a run that plays with a program: a run directory can come from elsewhere, so what it names is not started by a
/// click.
fn expect_no_program(app: &App, root: &Path) -> Result<(), Refusal> {
    let watched = app.watch.registry.watched(root).map_err(Refusal::wrong)?;
    let players = watched.plan.players();
    if players.iter().all(|player| player.program().is_none()) {
        return Ok(());
    }
    let message = "this run plays with a program outside of tiletune; go on with it in a terminal";
    Err(Refusal::new(StatusCode::FORBIDDEN, message))
}

/// Leaves out the terms of a campaign one by one. The answer names the folder.
async fn prune(
    State(app): State<Arc<App>>,
    Body(wanted): Body<ContinueRequest>,
) -> Result<Json<Started>, Refusal> {
    let started = beside(move || {
        let processes = allowed(&app)?;
        let root = directory(&app, &wanted.run)?;
        expect_no_program(&app, &root)?;
        let name = wanted.run.rsplit('/').next().unwrap_or(&wanted.run);
        let folder = free_name(&app.results, &format!("{name}-pruned"));
        let limit = wanted.limit()?.unwrap_or_default();
        let mut arguments = vec!["tune".into(), "--prune".into(), root.clone().into()];
        arguments.extend(limit.iter().map(Into::into));
        arguments.extend(["--out".into(), app.results.join(&folder).into()]);
        processes.start(&app.results, &format!("{folder}/step-01"), &arguments)?;
        let root = quoted(&root.to_string_lossy());
        let command = format!("tiletune tune --prune {root} {}", limit.join(" "));
        Ok(Started {
            command: command.trim_end().to_owned(),
            run: folder,
        })
    });
    started.await.map(Json)
}

async fn compare(
    State(app): State<Arc<App>>,
    Body(wanted): Body<ComparisonRequest>,
) -> Result<Json<Started>, Refusal> {
    let started = beside(move || {
        let processes = allowed(&app)?;
        let mut arguments = wanted.arguments(&app)?;
        let shown: Vec<String> = arguments
            .iter()
            .map(|one| quoted(&one.to_string_lossy()))
            .collect();
        std::fs::create_dir_all(&app.results).map_err(Refusal::wrong)?;
        let run = free_name(&app.results, "compare");
        arguments.extend(["--out".into(), app.results.join(&run).into()]);
        processes.start(&app.results, &run, &arguments)?;
        Ok(Started {
            command: format!("tiletune {}", shown.join(" ")),
            run,
        })
    });
    started.await.map(Json)
}

/// The directory of a run.
fn directory(app: &App, run: &str) -> Result<PathBuf, Refusal> {
    let found = place::directory(&app.results, run);
    found.ok_or_else(|| Refusal::unknown(format!("there is no run `{run}`")))
}

/// A hidden campaign file of the results folder that goes when it is dropped.
struct Draft(PathBuf);

impl Draft {
    fn write(results: &Path, file: &CampaignFile) -> Result<Self, Refusal> {
        std::fs::create_dir_all(results).map_err(Refusal::wrong)?;
        let name = format!(".draft-{:x}-{}", crate::random::drawn_seed(), file.name);
        let path = results.join(name);
        std::fs::write(&path, &file.text).map_err(Refusal::wrong)?;
        Ok(Draft(path))
    }

    fn name(&self) -> &str {
        let name = self.0.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A file that is left over is hidden, and harms nobody.
        let _ = std::fs::remove_file(&self.0);
    }
}
