//! Experiments: players compared on the same games with each other, with published results and with
//! reference distributions. This module must not search: where a row asks for it, a campaign tunes the
//! weights of the row first, in a run directory inside that of the experiment.
//!
//! Every row plays the games of `evaluate --seed`, so each of them can be replayed alone, and
//! differences between rows are paired. A row is complete if its table exists; until then its games are
//! in blocks. All results are computed from the tables.
//!
//! ```
//! use std::path::Path;
//! use tiletune_runs::run::Session;
//! use tiletune_runs::config::Source;
//! use tiletune_runs::config::experiment::Experiment;
//! use tiletune_runs::run::{Control, Run, Unobserved};
//! use tiletune_tuning::evaluation::Progress;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"
//! why = "what a simple rule is worth"
//! name = "greedy"
//! seed = 1
//! games = 50
//! baseline = "random"
//! row = [
//!   { name = "random", player = { name = "random" } },
//!   { name = "greedy", player = { name = "greedy" } },
//! ]
//! "#;
//! let source = Source::new("greedy.toml", text);
//! let experiment = Experiment::resolve(&source, Path::new(""))?;
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let threads = 2;
//! let run = Run::begin(&experiment, &source.text, &folder.join("greedy"), Session::now(threads))?;
//! let (progress, mut observer) = (Progress::default(), Unobserved);
//! let results = run.execute(&experiment, &threads, &mut Control::new(&progress, &mut observer))?;
//! for row in &results.rows {
//!     println!("{}: {} games", row.name, row.summary.games);
//! }
//! # assert_eq!(results.rows.len(), 2);
//! # assert!(folder.join("greedy/report.html").is_file());
//! # Ok(())
//! # }
//! ```

mod compared;
mod games;
mod oracle;
mod overview;
pub mod plan;
mod replay;
mod report;
pub mod results;
mod retuned;
mod sensitivity;
mod weights;

use std::path::Path;

use serde_json::{Value, json};

use crate::config::experiment::{Experiment, Row};
use crate::config::{ConfigError, Source};
use crate::run::games_table::{GamesTable, games_to_replay};
use crate::run::manifest::{Seeds, Status};
use crate::run::replay::Replay;
use crate::run::{
    Control, Kind, Output, RemainingWork, ReportSummary, RunDirectory, RunError, RunPlan,
    StoreError, View, kind, tables,
};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{EXPERIMENT_CHARTS, Figure, figures, infos};
use tiletune_report::report::experiment as page;
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::GenerationRow;
use tiletune_tuning::results::experiment::ExperimentResults;

pub use games::games_to_play;
pub use oracle::Judged;
pub use report::report;

/// The played games and judged positions of an experiment.
pub struct Played {
    /// The weights of every row: those that it plays with. For a row that is tuned again they are those
    /// that the tuning starts at until its campaign is complete.
    pub weights: Vec<Weights>,
    /// The games of every row in seed order; none if a row is not complete.
    pub games: Vec<Vec<GameRecord>>,
    /// The positions that the oracle has judged.
    pub judged: Vec<Judged>,
}

/// Reads the games and positions of a run directory.
///
/// # Errors
/// If a table is damaged or contains other games.
pub fn played(experiment: &Experiment, directory: &RunDirectory) -> Result<Played, StoreError> {
    let games = games::complete_rows(experiment, directory)?;
    Ok(Played {
        weights: weights::of_played(experiment, directory, &games)?,
        games,
        judged: oracle::judged(experiment, directory)?,
    })
}

impl Experiment {
    /// The kind of run, as it is registered.
    pub const KIND: Kind = Kind {
        name: "experiment",
        tables: &[&tables::ROWS, &tables::BLOCKS],
        plan: kind::plan::<Experiment>,
        search: None,
        charts: || infos(EXPERIMENT_CHARTS),
        charts_as: None,
        published: &["results.csv", "timing.csv", report::WEIGHTS],
        progress: overview::progress,
        findings: overview::findings,
        shows_games: false,
        has_rows: true,
    };
}

impl RunPlan for Experiment {
    type Outcome = ExperimentResults;

    fn registered() -> &'static Kind {
        &Experiment::KIND
    }

    fn resolved(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&self.config)
    }

    fn name(&self) -> &str {
        &self.config.name
    }

    fn seeds(&self) -> Seeds {
        Seeds::of(self.config.seed)
    }

    fn players(&self) -> Vec<&PlayerSpec> {
        self.rows.iter().map(|row| &row.player).collect()
    }

    fn files(&self) -> &[(&'static str, String)] {
        &self.files
    }

    fn remaining(&self, directory: &RunDirectory) -> Result<RemainingWork, StoreError> {
        Ok(RemainingWork::new(
            Some(games_to_play(self, directory)?),
            None,
            None,
        ))
    }

    fn report(
        &self,
        directory: &RunDirectory,
        _status: Status,
        stop: Stop,
    ) -> Result<ReportSummary, RunError> {
        let (results, charts) = report(self, directory, stop)?;
        let (played, unplayed) = (results.rows.len(), results.unplayed.len());
        let rows = played + unplayed;
        Ok(ReportSummary {
            charts,
            note: (unplayed > 0)
                .then(|| format!("{played} of {rows} rows have been played so far")),
        })
    }

    fn children(&self) -> Vec<(String, Box<dyn RunPlan>)> {
        let rows = self.rows.iter().enumerate();
        let child = |(index, row): (usize, &Row)| {
            let campaign = row.retuned.as_ref()?.campaign.clone();
            Some((
                weights::place(index),
                Box::new(campaign) as Box<dyn RunPlan>,
            ))
        };
        rows.filter_map(child).collect()
    }

    fn view(
        &self,
        directory: &RunDirectory,
        _generations: Vec<GenerationRow>,
    ) -> Result<View, RunError> {
        let results = report::results(self, directory, Stop::never())?;
        Ok(View {
            blocks: page::results(&results),
            ..View::default()
        })
    }

    fn figures(
        &self,
        directory: &RunDirectory,
        _generations: Vec<GenerationRow>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Figure>, RunError> {
        let results = report::results(self, directory, Stop::never())?;
        Ok(figures(EXPERIMENT_CHARTS, &results, is_wanted))
    }

    fn compare(
        &self,
        directory: &RunDirectory,
        stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let played = played(self, directory)?;
        if directory.manifest()?.status == Status::Complete {
            let results = results::summarize(self, &played, stop);
            let results = results.ok_or(RunError::Interrupted)?;
            replay.compare_file(directory, "results.json", &results)?;
        }
        Ok(())
    }

    fn tables<'a>(&'a self, directory: &'a RunDirectory) -> Result<Vec<GamesTable<'a>>, RunError> {
        Ok(replay::tables(self, directory, &played(self, directory)?))
    }

    fn where_to_look(&self, directory: &RunDirectory) -> Option<String> {
        let has_campaigns = self.rows.iter().any(|row| row.retuned.is_some());
        let run = directory.root().display();
        has_campaigns.then(|| format!("name a campaign of it; `tiletune runs {run}` lists them"))
    }

    fn claim(
        &self,
        _catalogue: &Catalogue,
        directory: &RunDirectory,
        first: Option<u32>,
    ) -> Result<(Value, Option<u64>), RunError> {
        let games = games_to_replay(&self.tables(directory)?, first);
        Ok((json!({ "experiment": self.config.name }), Some(games)))
    }

    fn replay(
        &self,
        _catalogue: &Catalogue,
        directory: &RunDirectory,
        first: Option<u32>,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Replay, RunError> {
        replay::replay(self, directory, first, machines, control)
    }

    fn printed(
        &self,
        results: &ExperimentResults,
        directory: &RunDirectory,
    ) -> Result<Output, RunError> {
        Ok(Output {
            json: json!(results),
            blocks: page::results(results),
            before: None,
            after: vec![format!(
                "report: {}",
                directory.path("report.html").display()
            )],
            code: 0,
        })
    }

    fn from_source(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        let experiment = Experiment::resolve_with(catalogue, source, folder)?;
        let drawn = oracle::positions(&experiment);
        drawn.map_err(|reason| source.mistake_at(&["yardstick", "moves"], reason))?;
        Ok(experiment)
    }

    fn execute(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<ExperimentResults, RunError> {
        let weights = weights::tune(self, machines, directory, control)?;
        let played = Played {
            games: games::play(self, &weights, machines, directory, control)?,
            judged: oracle::judge(self, &weights, machines.threads(), directory, control)?,
            weights,
        };
        results::summarize(self, &played, control.progress.stop()).ok_or(RunError::Interrupted)
    }

    fn report_outcome(
        &self,
        results: &ExperimentResults,
        directory: &RunDirectory,
        stop: Stop,
    ) -> Result<(), RunError> {
        report::write(results, directory, stop).map(drop)
    }
}
