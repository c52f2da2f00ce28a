//! The kinds of run: their registration ([`RunKind`]), the trait that each kind implements ([`RunPlan`]), and the
//! common lifecycle ([`Run`]). This module must not name a kind of run.

mod lifecycle;

use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::games_table::{GamesTable, games_to_replay};
use super::manifest::{Seeds, Status};
use super::recorded::RecordedFactory;
use super::replay::Replay;
use super::summary::{
    Findings, Output, RecordedPlayer, RemainingWork, ReportSummary, ShownGame, View,
};
use super::tables::TableInfo;
use super::{Control, RunDirectory, RunError, StoreError};
use crate::config::{ConfigError, Source};
use crate::inventory;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{ChartInfo, Figure};
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::GenerationRow;

pub use lifecycle::Run;
pub(super) use lifecycle::resolved_text;

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
            let outcome = self.execute(machines, run.directory(), control)?;
            run.restore(self, control)?;
            return self.printed(&outcome, run.directory());
        }
        let root = run.directory().root().to_owned();
        let outcome = run.execute(self, machines, control)?;
        self.printed(&outcome, &RunDirectory::open(&root)?)
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
