//! The kinds of run: a row for each, and the plan of a run of any kind. This module must not name one of them.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::TableName;
use super::games_table::GamesTable;
use super::manifest::{Seeds, Status};
use super::view::View;
use super::{Control, RunDirectory, RunError, StoreError, replay::Replay};
use crate::config::{ConfigError, Source};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{ChartInfo, Figure};
use tiletune_report::report::Block;
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::GenerationRow;

/// Parses, checks and resolves a configuration.
pub type Resolve = fn(&Catalogue, &Source, &Path) -> Result<Box<dyn RunPlan>, ConfigError>;

/// A kind of run, as it is registered.
pub struct Kind {
    /// Its name in the manifest.
    pub name: &'static str,
    /// The tables in the directories of its runs.
    pub tables: &'static [TableName],
    /// Parses, checks and resolves a configuration, whose relative paths are relative to the folder.
    pub plan: Resolve,
    /// Where it searches for weights, which it then has in `best.toml`; `None` if it does not search.
    pub search: Option<SearchPlace>,
    /// Its charts.
    pub charts: fn() -> Vec<ChartInfo>,
    /// The kind whose charts its runs have beside their own.
    pub charts_as: Option<&'static Kind>,
    /// Tables that are copied with the charts when a run is published beside its file; none if it cannot be.
    pub published: &'static [&'static str],
    /// How far a run without results is, from its directory and its resolved configuration.
    pub progress: fn(&RunDirectory, &toml::Table) -> Result<String, StoreError>,
    /// The main results of a run, so far as it has some.
    pub findings: fn(&RunDirectory) -> Result<Findings, StoreError>,
    /// Whether [`RunPlan::recorded_game`] has its games.
    pub shows_games: bool,
    /// Whether its tables are rows, of which [`RunPlan::replay`] can play the first games alone.
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

impl Kind {
    /// All charts that a run can have, its own first.
    pub fn all_charts(&self) -> Vec<ChartInfo> {
        let others = self.charts_as.into_iter().flat_map(|kind| (kind.charts)());
        (self.charts)().into_iter().chain(others).collect()
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// As in "a campaign".
impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&with_article(self.name))
    }
}

/// The name of a kind of run as in "an experiment".
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
pub struct Kinds(pub &'static [&'static Kind]);

impl Kinds {
    /// The kind of the run in a directory.
    ///
    /// # Errors
    /// If it is unknown, or the manifest is damaged.
    pub fn of(self, directory: &RunDirectory) -> Result<&'static Kind, StoreError> {
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
        resolved(directory, |source| {
            (kind.plan)(catalogue, source, directory.root())
        })
    }
}

/// What `resolve` makes of the resolved configuration of a directory.
pub(super) fn resolved<P>(
    directory: &RunDirectory,
    resolve: impl FnOnce(&Source) -> Result<P, ConfigError>,
) -> Result<P, StoreError> {
    let path = directory.resolved_path();
    directory.read_text("resolved.toml")?;
    // The program wrote the file: a mistake in it is damage, not a mistake of the user.
    let source = Source::read(&path).map_err(|error| StoreError::damaged(&path, error))?;
    let plan = resolve(&source).map_err(|error| StoreError::damaged(&path, error))?;
    let table: Result<toml::Table, _> = toml::from_str(&source.text);
    match table.is_ok_and(|table| table.contains_key("seed")) {
        true => Ok(plan),
        // It would be another one than that of the games.
        false => Err(StoreError::damaged(&path, "the seed is missing")),
    }
}

/// The plan of a run of any kind, resolved and checked.
pub trait RunPlan: Send + Sync {
    /// The kind of run.
    fn kind(&self) -> &'static Kind;

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

    /// Further files that the configuration names: name and contents.
    fn files(&self) -> &[(&'static str, String)] {
        &[]
    }

    /// What is still to be played in a directory of this run.
    ///
    /// # Errors
    /// If a file of the directory is damaged.
    fn left(&self, directory: &RunDirectory) -> Result<Left, StoreError>;

    /// Plays the missing games, as [`TypedPlan::execute`](super::TypedPlan::execute).
    ///
    /// # Errors
    /// As that.
    fn play<'a>(
        &'a self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<Box<dyn Ended + 'a>, RunError>;

    /// Draws the charts and writes the results and the report of the games that are played, with this status of the
    /// run. Plays no game.
    ///
    /// # Errors
    /// If `stop` is requested, a file of the directory is damaged, a chart cannot be drawn, or a file cannot be
    /// written.
    fn report(
        &self,
        directory: &RunDirectory,
        status: Status,
        stop: Stop,
    ) -> Result<Reported, RunError>;

    /// The parameters of the generations in its directory; none if it has no generations.
    fn parameters(&self) -> Vec<&str> {
        Vec::new()
    }

    /// What a page shows of the run as far as it is played, with the generations that the page has read. Plays no
    /// game and starts no program.
    ///
    /// # Errors
    /// If a file of the directory is damaged.
    fn view(
        &self,
        directory: &RunDirectory,
        generations: Vec<GenerationRow>,
    ) -> Result<View, RunError>;

    /// The wanted ones of [`Kind::all_charts`] that have data, as [`RunPlan::view`].
    ///
    /// # Errors
    /// As that.
    fn figures(
        &self,
        directory: &RunDirectory,
        generations: Vec<GenerationRow>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Figure>, RunError>;

    /// The plans of the runs inside of this one, with their places.
    fn children(&self) -> Vec<(String, Box<dyn RunPlan>)> {
        Vec::new()
    }

    /// Compares what follows from other files of the directory with what is recorded: keys and seeds with
    /// the configuration, fitness and results with the games. Plays no game.
    ///
    /// # Errors
    /// If `stop` is requested, or a table contradicts the configuration or another table.
    fn compare(
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

    /// The game with this number, from 0, of those that someone has played.
    ///
    /// # Errors
    /// If the run has no such game, or is damaged.
    fn recorded_game(
        &self,
        directory: &RunDirectory,
        _played_by: PlayedBy,
        _game: u32,
    ) -> Result<ShownGame, RunError> {
        let kind = self.kind();
        let elsewhere = self.where_to_look(directory);
        let reason =
            format!("this is {kind}, and only games of a campaign can be shown{elsewhere}");
        Err(StoreError::unusable(directory.root(), reason).into())
    }

    /// Where games can be seen, if not in this run.
    fn where_to_look(&self, _directory: &RunDirectory) -> String {
        SEEDS_OF_GAMES.to_owned()
    }

    /// What [`RunPlan::replay`] will compare, and the number of games, if it is known.
    ///
    /// # Errors
    /// If nothing is claimed, or a file of the directory is damaged.
    fn claim(
        &self,
        catalogue: &Catalogue,
        directory: &RunDirectory,
        first: Option<u32>,
    ) -> Result<(Value, Option<u64>), RunError>;

    /// Plays the games that the results rest on again, all of them, and computes the results from these games. With
    /// `first`, which only a kind with rows has, plays the first games of each row and nothing else.
    ///
    /// # Errors
    /// If a stop was requested through `control`, there is nothing to play, or a file of the directory is damaged.
    fn replay(
        &self,
        catalogue: &Catalogue,
        directory: &RunDirectory,
        first: Option<u32>,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Replay, RunError>;
}

/// The outcome of a run of any kind.
pub trait Ended {
    /// Draws the charts and writes the report.
    ///
    /// # Errors
    /// As [`RunPlan::report`].
    fn report(&self, directory: &RunDirectory, stop: Stop) -> Result<(), RunError>;

    /// What is printed of it.
    ///
    /// # Errors
    /// If a file of the directory is damaged.
    fn printed(&self, directory: &RunDirectory) -> Result<Printed, RunError>;
}

/// What is printed of the outcome of a run.
pub struct Printed {
    /// The result as an object.
    pub json: Value,
    /// The result as text.
    pub blocks: Vec<Block>,
    /// A message before the result, whose last line is the most important one.
    pub before: Option<String>,
    /// Messages after the result.
    pub after: Vec<String>,
    /// The exit code; a verdict can have one of its own.
    pub code: u8,
}

/// What is still to be played, at most; `None` where it is not limited or not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Left {
    /// Games.
    pub games: Option<u64>,
    /// Generations of a search, those that are played included.
    pub generations: Option<u32>,
    /// Time of a search.
    pub time: Option<Duration>,
}

impl Left {
    /// With a limit of the time in minutes.
    pub fn new(games: Option<u64>, generations: Option<u32>, minutes: Option<f64>) -> Self {
        let time = minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
        Left {
            games,
            generations,
            time,
        }
    }
}

/// The main results of a run in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// All in one line; `None` without results.
    pub headline: Option<String>,
    /// Results by what they are of: start and tuned weights, rows, players.
    pub all: Vec<(String, String)>,
}

/// The player of a recorded game of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayedBy {
    /// A candidate of a generation, both counted from 0.
    Candidate {
        /// The generation.
        generation: u32,
        /// The candidate within it.
        candidate: u32,
    },
    /// A finalist of the race between restarts, counted from 0.
    Finalist(u32),
    /// The start weights, on the hold-out seeds.
    Start,
    /// The recommended weights, on the hold-out seeds.
    Tuned,
    /// The start weights at another search depth, on the first of the hold-out seeds.
    StartAt(u8),
    /// The recommended weights at another search depth, on the first of the hold-out seeds.
    TunedAt(u8),
}

/// A recorded game that can be shown move by move.
pub struct ShownGame {
    /// The player.
    pub player: PlayerSpec,
    /// Its weights.
    pub weights: Weights,
    /// Seed and result.
    pub record: GameRecord,
    /// Which game it is.
    pub title: String,
}

/// Where the games of a player with fixed weights can be seen.
pub const SEEDS_OF_GAMES: &str = ": `evaluate` has the seeds of its games, and `play --player P --seed S --game-index I` shows one";

/// What `report.html` was written with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reported {
    /// The names of the charts.
    pub charts: Vec<&'static str>,
    /// What a user should know of it.
    pub note: Option<String>,
}
