//! The kinds of run: their registration ([`RunKind`]), the trait that each kind implements ([`RunPlan`]), and the
//! common lifecycle: begin, open, resume, execute, end. This module must not name a kind of run.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::games_table::{GamesTable, games_to_replay};
use super::manifest::{Manifest, Seeds, Session, Status};
use super::recorded::RecordedFactory;
use super::replay::Replay;
use super::summary::{
    Findings, Output, RecordedPlayer, RemainingWork, ReportSummary, ShownGame, View,
};
use super::tables::TableInfo;
use super::{Control, RunDirectory, RunError, StoreError, Task};
use crate::config::{ConfigError, Source};
use crate::inventory;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::program::folder;
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{ChartInfo, Figure};
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::GenerationRow;

/// Parses, checks and resolves a configuration.
pub type Resolve = fn(&Catalogue, &Source, &Path) -> Result<Box<dyn RunPlan>, ConfigError>;

/// [`RunKind::plan`] of a kind of run.
///
/// # Errors
/// As [`RunPlan::from_source`].
pub fn plan<P: RunPlan + 'static>(
    catalogue: &Catalogue,
    source: &Source,
    folder: &Path,
) -> Result<Box<dyn RunPlan>, ConfigError> {
    Ok(Box::new(P::from_source(catalogue, source, folder)?))
}

/// A registered kind of run.
pub struct RunKind {
    /// Its name in the manifest.
    pub name: &'static str,
    /// The tables in the directories of its runs.
    pub tables: &'static [&'static TableInfo],
    /// Parses, checks and resolves a configuration, whose relative paths are relative to the folder.
    pub plan: Resolve,
    /// Where it searches for weights; `None` if it does not search. `tuned.toml` contains the found weights.
    pub search: Option<SearchPlace>,
    /// Its charts.
    pub charts: fn() -> Vec<ChartInfo>,
    /// Another kind whose charts its runs have in addition to their own.
    pub charts_as: Option<&'static RunKind>,
    /// Tables that are copied with the charts when a run is published beside its file. Empty if runs of this kind
    /// cannot be published.
    pub published: &'static [&'static str],
    /// The progress of a run without results, from its directory and its resolved configuration.
    pub progress: fn(&RunDirectory, &toml::Table) -> Result<String, StoreError>,
    /// The main results of a run that exist so far.
    pub findings: fn(&RunDirectory) -> Result<Findings, StoreError>,
    /// Whether [`RunPlan::recorded_game`] returns its games.
    pub shows_games: bool,
    /// Whether its tables are rows. [`RunPlan::replay`] can replay the first games of each row only.
    pub has_rows: bool,
}

/// Where a kind of run searches for weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchPlace {
    /// The run itself has the generations.
    Run,
    /// The runs inside of it have them.
    Children,
}

impl RunKind {
    /// All charts that a run can have, its own first.
    pub fn all_charts(&self) -> Vec<ChartInfo> {
        let others = self.charts_as.into_iter().flat_map(|kind| (kind.charts)());
        (self.charts)().into_iter().chain(others).collect()
    }
}

impl fmt::Debug for RunKind {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// The name with its article, for example "a campaign".
impl fmt::Display for RunKind {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&with_article(self.name))
    }
}

/// The name of a kind of run with its article, for example "an experiment".
pub fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}

/// The kinds of run that a program knows.
#[derive(Clone, Copy, Debug)]
pub struct RunKinds(pub &'static [&'static RunKind]);

impl RunKinds {
    /// The kind of the run in a directory.
    ///
    /// # Errors
    /// If it is unknown, or the manifest is damaged.
    pub fn of(self, directory: &RunDirectory) -> Result<&'static RunKind, StoreError> {
        let manifest = directory.manifest()?;
        let known = self.0.iter().find(|kind| kind.name == manifest.kind);
        known.copied().ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|kind| kind.name).collect();
            let (kind, version) = (&manifest.kind, &manifest.first.version);
            let (this, known) = (env!("CARGO_PKG_VERSION"), known.join(", "));
            let reason = format!(
                "a run of the kind `{kind}`, written by tiletune {version}; this program (tiletune {this}) knows: \
                 {known}"
            );
            StoreError::unusable(directory.root(), reason)
        })
    }

    /// The plan of the run in a directory.
    ///
    /// # Errors
    /// If its kind is unknown, or its resolved configuration is damaged.
    pub fn plan(
        self,
        catalogue: &Catalogue,
        directory: &RunDirectory,
    ) -> Result<Box<dyn RunPlan>, StoreError> {
        let kind = self.of(directory)?;
        inventory::note_move(directory.root(), catalogue.programs());
        resolved(directory, |source| {
            (kind.plan)(catalogue, source, directory.root())
        })
    }
}

/// Calls `resolve` with the resolved configuration of a directory.
fn resolved<P>(
    directory: &RunDirectory,
    resolve: impl FnOnce(&Source) -> Result<P, ConfigError>,
) -> Result<P, StoreError> {
    let path = directory.resolved_path();
    directory.read_text("resolved.toml")?;
    // The program wrote the file: a mistake in it is damage, not a mistake of the user.
    let source = Source::read(&path).map_err(|error| StoreError::damaged(&path, error))?;
    let plan = resolve(&source).map_err(|error| StoreError::damaged(&path, error))?;
    let table: Result<toml::Table, _> = toml::from_str(&source.text);
    if table.is_ok_and(|table| table.contains_key("seed")) {
        return Ok(plan);
    }
    // A plan without seed gets another seed than that of the games.
    Err(StoreError::damaged(&path, "the seed is missing"))
}

/// The resolved and checked plan of a run. Every kind of run implements this trait.
pub trait RunPlan: ErasedPlan + Send + Sync {
    /// The result of a complete run.
    type Outcome
    where
        Self: Sized;

    /// The kind of run.
    fn registered() -> &'static RunKind
    where
        Self: Sized;

    /// Parses, checks and resolves a configuration with players of a catalogue. Its relative paths are
    /// relative to `folder`.
    ///
    /// # Errors
    /// The first mistake, with its position.
    fn from_source(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError>
    where
        Self: Sized;

    /// The configuration with every default filled in: `resolved.toml`.
    ///
    /// # Errors
    /// If a value cannot be written as TOML.
    fn resolved(&self) -> Result<String, toml::ser::Error>;

    /// Its name; part of the default output directory.
    fn name(&self) -> &str;

    /// The seeds for the manifest.
    fn seeds(&self) -> Seeds;

    /// The players of the run.
    fn players(&self) -> Vec<&PlayerSpec>;

    /// Those of the players whose exact results the run computes beside its games.
    fn exact_players(&self) -> Vec<&PlayerSpec> {
        Vec::new()
    }

    /// Further files that the configuration names: name and contents.
    fn files(&self) -> &[(&'static str, String)] {
        &[]
    }

    /// The remaining work of this run in a directory.
    ///
    /// # Errors
    /// If a file of the directory is damaged.
    fn remaining(&self, directory: &RunDirectory) -> Result<RemainingWork, StoreError>;

    /// Plays the missing games of the directory. The tables do not depend on interruptions.
    /// [`Run::execute`] also draws the charts and updates the manifest.
    ///
    /// # Errors
    /// If a stop was requested through `control`, the directory cannot be written, or its tables are
    /// not those of this plan.
    fn execute(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<Self::Outcome, RunError>
    where
        Self: Sized;

    /// The printed output of an outcome.
    ///
    /// # Errors
    /// If a file of the directory is damaged.
    fn printed(
        &self,
        outcome: &Self::Outcome,
        directory: &RunDirectory,
    ) -> Result<Output, RunError>
    where
        Self: Sized;

    /// Draws the charts, and writes the results and the report from the games that are played so far. `status` is the
    /// status of the run in the report. Plays no game.
    ///
    /// # Errors
    /// If `stop` is requested, a file of the directory is damaged, a chart cannot be drawn, or a file cannot be
    /// written.
    fn report(
        &self,
        directory: &RunDirectory,
        status: Status,
        stop: Stop,
    ) -> Result<ReportSummary, RunError>;

    /// Writes the report of a complete run whose outcome is known.
    ///
    /// # Errors
    /// As [`RunPlan::report`].
    fn report_outcome(
        &self,
        _outcome: &Self::Outcome,
        directory: &RunDirectory,
        stop: Stop,
    ) -> Result<(), RunError>
    where
        Self: Sized,
    {
        self.report(directory, Status::Complete, stop).map(drop)
    }

    /// Names of the parameters of its generations; empty if it has no generations.
    fn parameters(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The current state of the run for a web page, with the generations that the page has read. Plays no game and
    /// starts no program.
    ///
    /// # Errors
    /// If a file of the directory is damaged.
    fn view(
        &self,
        directory: &RunDirectory,
        generations: Vec<GenerationRow>,
    ) -> Result<View, RunError>;

    /// The wanted figures of [`RunKind::all_charts`] that have data. Plays no game and starts no program, like
    /// [`RunPlan::view`].
    ///
    /// # Errors
    /// As [`RunPlan::view`].
    fn figures(
        &self,
        directory: &RunDirectory,
        generations: Vec<GenerationRow>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Figure>, RunError>;

    /// Paths and plans of the child runs.
    fn children(&self) -> Vec<(String, Box<dyn RunPlan>)> {
        Vec::new()
    }

    /// Compares recorded values with those that follow from other files of the directory: keys and seeds from the
    /// configuration, fitness and results from the games. Plays no game.
    ///
    /// # Errors
    /// If `stop` is requested, or a table contradicts the configuration or another table.
    fn check_results(
        &self,
        directory: &RunDirectory,
        stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError>;

    /// The tables of recorded games.
    ///
    /// # Errors
    /// If a table is damaged.
    fn tables<'a>(&'a self, directory: &'a RunDirectory) -> Result<Vec<GamesTable<'a>>, RunError>;

    /// The game with this number (from 0) among the games of a recorded player.
    ///
    /// # Errors
    /// If the run has no such game, or is damaged.
    fn recorded_game(
        &self,
        directory: &RunDirectory,
        _played_by: RecordedPlayer,
        _game: u32,
    ) -> Result<ShownGame, RunError> {
        let kind = self.kind();
        let elsewhere = self.where_to_look(directory);
        let elsewhere = elsewhere.as_deref().unwrap_or(
            "`evaluate` has the seeds of its games, and `play --player P --seed S --game-index I` shows one",
        );
        let reason =
            format!("this is {kind}, and only games of a campaign can be shown: {elsewhere}");
        Err(StoreError::unusable(directory.root(), reason).into())
    }

    /// A hint where games can be shown, if this run has none.
    fn where_to_look(&self, _directory: &RunDirectory) -> Option<String> {
        None
    }

    /// The claim that [`RunPlan::replay`] will check, and its number of games.
    ///
    /// # Errors
    /// If there is no claim, or a file of the directory is damaged.
    fn claim(
        &self,
        _catalogue: &Catalogue,
        directory: &RunDirectory,
        first: Option<u32>,
    ) -> Result<(Value, u64), RunError> {
        let games = games_to_replay(&self.tables(directory)?, first);
        Ok((json!({ (self.kind().name): self.name() }), games))
    }

    /// Replays all games of the results, and computes the results from these games. With `first`, which only kinds with
    /// rows support, replays only the first games of each row.
    ///
    /// # Errors
    /// If a stop was requested through `control`, there is nothing to replay, or a file of the directory is damaged.
    fn replay(
        &self,
        catalogue: &Catalogue,
        directory: &RunDirectory,
        first: Option<u32>,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Replay, RunError>;
}

/// A plan of any kind, without the type of its outcome. Every [`RunPlan`] implements this trait.
pub trait ErasedPlan {
    /// The kind of run.
    fn kind(&self) -> &'static RunKind;

    /// Executes a run like [`Run::execute`]; returns the printed output. A complete run is not played again, and its
    /// files stay as they are, except that missing or damaged charts, results and reports are written again.
    ///
    /// # Errors
    /// As [`Run::execute`].
    fn complete(
        &self,
        run: Run,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Output, RunError>;
}

impl<P: RunPlan> ErasedPlan for P {
    fn kind(&self) -> &'static RunKind {
        P::registered()
    }

    fn complete(
        &self,
        mut run: Run,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Output, RunError> {
        if run.is_complete() {
            let recorded = RecordedFactory(machines);
            let has_program = self.players().iter().any(|one| one.program().is_some());
            let machines: &dyn EvaluatorFactory = if has_program { &recorded } else { machines };
            let outcome = self.execute(machines, &run.directory, control)?;
            run.restore(self, control)?;
            return self.printed(&outcome, &run.directory);
        }
        let root = run.directory.root().to_owned();
        let outcome = run.execute(self, machines, control)?;
        self.printed(&outcome, &RunDirectory::open(&root)?)
    }
}

/// The contents of `resolved.toml` in the directory `root`.
pub(super) fn resolved_text(plan: &dyn RunPlan, root: &Path) -> Result<String, StoreError> {
    let resolved = plan.resolved();
    resolved.map_err(|error| StoreError::damaged(root, error))
}

/// A run directory that is locked for writing.
pub struct Run {
    directory: RunDirectory,
    manifest: Manifest,
}

impl Run {
    /// Creates the directory of a run with its first files; it must not exist or must be empty.
    /// `verbatim` is the text of the configuration file; `session` is recorded in the manifest.
    ///
    /// # Errors
    /// If the directory is not empty or cannot be written; then nothing is created.
    pub fn begin(
        plan: &dyn RunPlan,
        verbatim: &str,
        root: &Path,
        session: Session,
    ) -> Result<Self, StoreError> {
        let mut manifest = Manifest::new(plan.kind().name, session, plan.seeds());
        let has_program = plan
            .players()
            .into_iter()
            .any(|player| player.program().is_some());
        let directory = RunDirectory::create(root, plan.kind().tables, |directory| {
            // After a symbolic link the meaning of `..` is known only once the directory is there.
            let root = folder::plain(directory.root()).ok();
            manifest.root = root.filter(|_| has_program);
            directory.write("config.toml", verbatim)?;
            directory.write("resolved.toml", resolved_text(plan, directory.root())?)?;
            for (name, contents) in plan.files() {
                directory.write(name, contents)?;
            }
            manifest.write(directory.root())
        })?;
        Ok(Run {
            directory,
            manifest,
        })
    }

    /// Opens a run for writing: locks it and removes the unfinished files of a killed process.
    ///
    /// # Errors
    /// If it is not a run directory, another process is writing it, or it has another format.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        let directory = RunDirectory::open_for_writing(root)?;
        let manifest = directory.manifest()?;
        Ok(Run {
            directory,
            manifest,
        })
    }

    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether all games are played, and charts and report are written.
    pub fn is_complete(&self) -> bool {
        self.manifest.status == Status::Complete
    }

    /// Records that this process continues a run that another one began.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn resume(&mut self, session: Session) -> Result<(), StoreError> {
        self.manifest.resumed.push(session);
        self.manifest.status = Status::Running;
        self.manifest.write(self.directory.root())
    }

    /// Records that this process continues a run with a changed configuration.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn resume_with(&mut self, plan: &dyn RunPlan, session: Session) -> Result<(), StoreError> {
        let resolved = resolved_text(plan, self.directory.root())?;
        self.resume(session)?;
        self.directory.write("resolved.toml", resolved)
    }

    /// Executes the run, or the rest of it: plays the missing games, draws the charts and writes the
    /// report. After that the run is complete; until then it can be resumed.
    ///
    /// # Errors
    /// As [`RunPlan::execute`] and [`RunPlan::report`]. The manifest records the status.
    pub fn execute<P: RunPlan>(
        mut self,
        plan: &P,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<P::Outcome, RunError> {
        for program in plan.players().into_iter().filter_map(PlayerSpec::program) {
            program.log_to(&self.directory.program_log());
        }
        let begin = Instant::now();
        let played = loop {
            let played = plan.execute(machines, &self.directory, control);
            let Err(RunError::False { since }) = played else {
                break played;
            };
            if let Err(error) = self.directory.discard_since(since) {
                break Err(error.into());
            }
            // The wrong games are older than this run, so the parent run must also discard results.
            if since < begin {
                break Err(RunError::False { since });
            }
        };
        let ended = played.and_then(|outcome| {
            control.observer.task_begins(Task::Report);
            plan.report_outcome(&outcome, &self.directory, control.progress.stop())?;
            Ok(outcome)
        });
        // The configuration can have changed since the run began.
        self.manifest.seeds = plan.seeds();
        self.manifest.end(match ended {
            Ok(_) => Status::Complete,
            Err(RunError::Interrupted) => Status::Interrupted,
            Err(_) => Status::Failed,
        });
        let written = self.manifest.write(self.directory.root());
        // If both fail, the first error is reported.
        let outcome = ended?;
        written?;
        Ok(outcome)
    }
}

impl Run {
    /// Writes missing or damaged charts, results and reports of a complete run again.
    ///
    /// # Errors
    /// As [`RunPlan::report`], or if this program does not write the same files.
    pub(super) fn restore(
        &mut self,
        plan: &dyn RunPlan,
        control: &mut Control,
    ) -> Result<(), RunError> {
        let damaged = self.directory.damaged_results()?;
        if damaged.is_empty() {
            return Ok(());
        }
        control.observer.task_begins(Task::Report);
        plan.report(&self.directory, Status::Complete, control.progress.stop())?;
        // The list of files has grown, and the manifest records its length.
        self.manifest.write(self.directory.root())?;
        if let Some(left) = self.directory.damaged_results()?.first() {
            let path = self.directory.path(left);
            return Err(RunError::differs(
                path.display(),
                "does not write this file",
            ));
        }
        let names: Vec<&str> = damaged.iter().map(|name| name.as_str()).collect();
        control.observer.restored(self.directory.root(), &names);
        Ok(())
    }
}

/// The plan of a run directory, with built-in players.
///
/// # Errors
/// If the directory is of another kind of run, or its resolved configuration is damaged.
pub fn plan_of<P: RunPlan>(directory: &RunDirectory) -> Result<P, StoreError> {
    plan_of_with(&Catalogue::builtin(), directory)
}

/// The plan of a run directory, with players of any catalogue.
///
/// # Errors
/// As [`plan_of`].
pub fn plan_of_with<P: RunPlan>(
    catalogue: &Catalogue,
    directory: &RunDirectory,
) -> Result<P, StoreError> {
    let kind = directory.manifest()?.kind;
    if kind != P::registered().name {
        let reason = format!(
            "the directory of {}, not of {}",
            with_article(&kind),
            P::registered()
        );
        return Err(StoreError::unusable(directory.root(), reason));
    }
    inventory::note_move(directory.root(), catalogue.programs());
    resolved(directory, |source| {
        P::from_source(catalogue, source, directory.root())
    })
}
