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
//! use tiletune::Session;
//! use tiletune::{Control, Experiment, Progress, Run, Source, Unobserved};
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
//! # assert!(folder.join("greedy/report.md").is_file());
//! # Ok(())
//! # }
//! ```

mod compared;
mod games;
mod oracle;
pub mod plan;
mod replay;
mod report;
pub mod results;
mod retuned;
mod sensitivity;
mod verify;
mod weights;

use std::path::Path;

use crate::config::experiment::{Config, Experiment};
use crate::config::{ConfigError, Source};
use crate::run::TableName;
use crate::run::manifest::Seeds;
use crate::run::{Control, Kind, RunDirectory, RunError, RunPlan, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{Catalogue, PlayerSpec};
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::experiment::ExperimentResults;

pub use games::games_to_play;
pub use oracle::Judged;
pub use replay::{games_to_replay, replay};
pub use report::{WEIGHTS, report};

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

impl RunPlan for Experiment {
    const KIND: Kind = Kind::Experiment;
    const TABLES: &'static [TableName] = &[TableName::Games, TableName::Blocks];
    type Config = Config;
    type Outcome = ExperimentResults;

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

    fn config(&self) -> &Config {
        &self.config
    }

    fn name(&self) -> &str {
        &self.config.name
    }

    fn seeds(&self) -> Seeds {
        let seed = self.config.seed;
        Seeds {
            campaign: seed,
            hold_out: seed,
        }
    }

    fn players(&self) -> Vec<&PlayerSpec> {
        self.rows.iter().map(|row| &row.player).collect()
    }

    fn files(&self) -> &[(&'static str, String)] {
        &self.files
    }

    fn report(
        &self,
        results: &ExperimentResults,
        directory: &RunDirectory,
        stop: Stop,
    ) -> Result<(), RunError> {
        report::write(results, directory, stop).map(drop)
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
}
