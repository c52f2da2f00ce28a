//! Experiments: players compared with each other on the same games, with published results and with reference
//! distributions. This module must not search. If a row requests it, a campaign first tunes the weights of the row, in
//! a run directory inside that of the experiment.
//!
//! Every row plays the games of `evaluate --seed`. So each row can be replayed alone, and differences between rows are
//! paired. A row is complete if its table exists; until then its games are in blocks. All results are computed from the
//! tables.
//!
//! ```
//! use std::path::Path;
//! use tiletune_runs::run::Session;
//! use tiletune_runs::config::Source;
//! use tiletune_runs::config::experiment::Experiment;
//! use tiletune_runs::run::{Control, Run, NullObserver};
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
//! let (progress, mut observer) = (Progress::default(), NullObserver);
//! let results = run.execute(&experiment, &threads, &mut Control::new(&progress, &mut observer))?;
//! for row in &results.rows {
//!     println!("{}: {} games", row.name, row.summary.games);
//! }
//! # assert_eq!(results.rows.len(), 2);
//! # assert!(folder.join("greedy/report.html").is_file());
//! # Ok(())
//! # }
//! ```

mod comparisons;
mod games;
mod oracle;
pub mod plan;
mod report;
pub mod results;
mod weights;

use std::path::Path;

use serde_json::json;

use crate::config::experiment::{Experiment, Row};
use crate::config::{ConfigError, Source};
use crate::run::games_table::{self, GamesTable};
use crate::run::manifest::{Seeds, Status};
use crate::run::replay::Replay;
use crate::run::{
    Control, Output, RemainingWork, ReportSummary, RunDirectory, RunError, RunKind, RunPlan,
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
pub use oracle::JudgedPosition;

/// The played games and judged positions of an experiment.
pub struct ExperimentData {
    /// The weights with which every row plays. For a row that is tuned again, the start weights of its campaign until
    /// the campaign is complete.
    pub weights: Vec<Weights>,
    /// The games of every row in seed order; empty if the row is not complete.
    pub games: Vec<Vec<GameRecord>>,
    /// The positions that the oracle has judged.
    pub judged: Vec<JudgedPosition>,
}

impl ExperimentData {
    /// The tables of the complete rows.
    fn tables(
        &self,
        experiment: &Experiment,
        directory: &RunDirectory,
    ) -> Vec<GamesTable<'static>> {
        let rows = experiment.rows.iter().zip(&self.games).enumerate();
        let rows = rows.filter(|(_, (_, games))| !games.is_empty());
        let table = |(index, (row, games)): (usize, (&Row, &Vec<_>))| {
            let label = format!(
                "{} (`{}`)",
                directory.name_of(&directory.row_part(index)),
                row.name
            );
            let weights = self.weights[index].clone();
            GamesTable::of_weights(label, row.player.clone(), weights, games.clone())
        };
        rows.map(table).collect()
    }
}

/// Reads the games and positions of a run directory.
///
/// # Errors
/// If a table is damaged or contains other games.
pub fn played(
    experiment: &Experiment,
    directory: &RunDirectory,
) -> Result<ExperimentData, StoreError> {
    let games = games::complete_rows(experiment, directory)?;
    Ok(ExperimentData {
        weights: weights::of_played(experiment, directory, &games)?,
        games,
        judged: oracle::judged(experiment, directory)?,
    })
}

impl Experiment {
    /// The registered kind of run.
    pub const KIND: RunKind = RunKind {
        name: "experiment",
        tables: &[&tables::ROWS, &tables::BLOCKS],
        plan: kind::plan::<Experiment>,
        search: None,
        charts: || infos(EXPERIMENT_CHARTS),
        charts_as: None,
        published: &["results.csv", "timing.csv", report::WEIGHTS],
        progress: report::progress,
        findings: report::findings,
        shows_games: false,
        has_rows: true,
    };
}

impl RunPlan for Experiment {
    type Outcome = ExperimentResults;

    fn registered() -> &'static RunKind {
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
        let results = report::results(self, directory, stop)?;
        let (played, unplayed) = (results.rows.len(), results.unplayed.len());
        let rows = played + unplayed;
        Ok(ReportSummary {
            note: (unplayed > 0)
                .then(|| format!("{played} of {rows} rows have been played so far")),
            ..report::write(&results, directory, stop)?
        })
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

    fn check_results(
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
        Ok(played(self, directory)?.tables(self, directory))
    }

    /// The campaigns of rows that are tuned again.
    fn children(&self) -> Vec<(String, Box<dyn RunPlan>)> {
        let rows = self.rows.iter().enumerate();
        let campaigns = rows.filter_map(|(index, row)| {
            let campaign = row.retuned.as_ref()?.campaign.clone();
            Some((
                weights::place(index),
                Box::new(campaign) as Box<dyn RunPlan>,
            ))
        });
        campaigns.collect()
    }

    fn where_to_look(&self, directory: &RunDirectory) -> Option<String> {
        let has_campaigns = self.rows.iter().any(|row| row.retuned.is_some());
        let run = directory.root().display();
        has_campaigns.then(|| format!("name a campaign of it; `tiletune runs {run}` lists them"))
    }

    fn replay(
        &self,
        _catalogue: &Catalogue,
        directory: &RunDirectory,
        first: Option<u32>,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Replay, RunError> {
        let recorded = played(self, directory)?;
        let tables = recorded.tables(self, directory);
        if tables.is_empty() {
            let reason = "no row of this experiment is complete; there is nothing to replay";
            return Err(StoreError::unusable(directory.root(), reason).into());
        }
        let mut replay = Replay::default();
        let mut again =
            games_table::replay(&tables, first, machines, control, &mut replay)?.into_iter();
        if first.is_some() {
            return Ok(replay);
        }
        let (count, threads) = (recorded.judged.len(), machines.threads());
        let judged: Vec<JudgedPosition> =
            oracle::judge_again(self, &recorded.weights, count, threads, control)?;
        replay.compare(&directory.path(oracle::JUDGED), &recorded.judged, &judged)?;
        if directory.manifest()?.status == Status::Complete {
            let of_row = |games: &Vec<_>| {
                if games.is_empty() {
                    Vec::new()
                } else {
                    again.next().unwrap_or_default()
                }
            };
            let again = ExperimentData {
                games: recorded.games.iter().map(of_row).collect(),
                judged,
                weights: recorded.weights,
            };
            let results = results::summarize(self, &again, control.progress.stop());
            let results = results.ok_or(RunError::Interrupted)?;
            replay.compare_file(directory, "results.json", &results)?;
        }
        Ok(replay)
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
        let played = ExperimentData {
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
