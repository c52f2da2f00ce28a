//! Comparisons: players with fixed weights, each compared with the first one in a sequential test.
//!
//! A pair is a game of both players on the same seed, or an opening from both sides in a game for two
//! players. Pairs are looked at in the order of their numbers, at predetermined numbers of pairs. So the
//! verdict, and which games are recorded, do not depend on threads and interruptions. Pairs that were
//! played beyond the verdict are dropped. [`stats::paired_test`](tiletune_tuning::stats::paired_test) is the test.
//!
//! ```
//! use tiletune::config::compare::{ComparedConfig, Config};
//! use tiletune::results::compare::Verdict;
//! use tiletune::Session;
//! use tiletune::{Comparison, Control, PlayerConfig, Progress, Run, Unobserved};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let player = |name: &str| ComparedConfig {
//!     name: name.to_owned(),
//!     seeds: None,
//!     player: PlayerConfig::new(name, Some("2048")),
//!     weights: Default::default(),
//! };
//! let seed = 1;
//! let comparison = Comparison::new(Config::new(seed, vec![player("random"), player("greedy")]))?;
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let threads = 2;
//! let run = Run::begin(&comparison, "", &folder.join("run"), Session::now(threads))?;
//! let (progress, mut observer) = (Progress::default(), Unobserved);
//! let results = run.execute(&comparison, &threads, &mut Control::new(&progress, &mut observer))?;
//! assert_eq!(results.verdict(), Verdict::Better);
//! # assert!(folder.join("run/report.md").is_file());
//! # Ok(())
//! # }
//! ```

mod blocks;
mod entrants;
mod games;
pub mod plan;
mod replay;
mod report;
mod results;
mod verify;

use std::path::Path;

use crate::config::compare::{Comparison, Config};
use crate::config::{ConfigError, Source};
use crate::run::TableName;
use crate::run::manifest::Seeds;
use crate::run::{Control, Kind, RunDirectory, RunError, RunPlan};
use tiletune_engine::player::{Catalogue, PlayerSpec};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::compare::ComparisonResults;

pub use replay::replay;
pub use report::{report, results as results_so_far};

impl RunPlan for Comparison {
    const KIND: Kind = Kind::Comparison;
    const TABLES: &'static [TableName] = &[TableName::Games, TableName::Pairs];
    type Config = Config;
    type Outcome = ComparisonResults;

    /// The configuration names no files, so `folder` is not used.
    fn from_source(
        catalogue: &Catalogue,
        source: &Source,
        _folder: &Path,
    ) -> Result<Self, ConfigError> {
        Comparison::resolve_with(catalogue, source)
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
        self.players
            .iter()
            .map(|compared| &compared.player)
            .collect()
    }

    fn report(
        &self,
        _results: &ComparisonResults,
        directory: &RunDirectory,
        _stop: Stop,
    ) -> Result<(), RunError> {
        report(self, directory).map(drop)
    }

    fn execute(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<ComparisonResults, RunError> {
        let played = games::play(self, machines, directory, control)?;
        Ok(results::summarize(self, &played))
    }
}
