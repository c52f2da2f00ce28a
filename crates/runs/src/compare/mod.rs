//! Comparisons: players with fixed weights, each compared with the first one in a sequential test.
//!
//! A pair is a game of both players on the same seed, or an opening from both sides in a game for two
//! players. Pairs are looked at in the order of their numbers, at predetermined numbers of pairs. So the
//! verdict, and which games are recorded, do not depend on threads and interruptions. Pairs that were
//! played beyond the verdict are dropped. [`stats::paired_test`](tiletune_tuning::stats::paired_test) is the test.
//!
//! ```
//! use tiletune_runs::config::compare::{ComparedConfig, Config};
//! use tiletune_tuning::results::compare::Verdict;
//! use tiletune_runs::run::Session;
//! use tiletune_engine::player::Config as PlayerConfig;
//! use tiletune_runs::config::compare::Comparison;
//! use tiletune_runs::run::{Control, Run, Unobserved};
//! use tiletune_tuning::evaluation::Progress;
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
//! # assert!(folder.join("run/report.html").is_file());
//! # Ok(())
//! # }
//! ```

mod blocks;
mod entrants;
mod games;
mod overview;
pub mod plan;
mod report;
mod results;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::config::compare::Comparison;
use crate::config::{ConfigError, Source};
use crate::run::games_table::{self, GamesTable};
use crate::run::manifest::{Seeds, Status};
use crate::run::replay::Replay;
use crate::run::{
    Control, Kind, Output, RemainingWork, ReportSummary, RunDirectory, RunError, RunPlan,
    StoreError, View, kind, tables,
};
use games::recorded;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{COMPARISON_CHARTS, Figure, infos};
use tiletune_report::report::compare as page;
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::GenerationRow;
use tiletune_tuning::results::compare::{ComparisonResults, Verdict};

pub use report::report;

impl Comparison {
    /// The kind of run, as it is registered.
    pub const KIND: Kind = Kind {
        name: "comparison",
        tables: &[&tables::PAIR_GAMES, &tables::PAIRS],
        plan: kind::plan::<Comparison>,
        search: None,
        charts: || infos(COMPARISON_CHARTS),
        charts_as: None,
        published: &[],
        progress: overview::progress,
        findings: overview::findings,
        shows_games: false,
        has_rows: false,
    };
}

impl RunPlan for Comparison {
    type Outcome = ComparisonResults;

    fn registered() -> &'static Kind {
        &Comparison::KIND
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
        self.players
            .iter()
            .map(|compared| &compared.player)
            .collect()
    }

    /// How many pairs a verdict takes is not known.
    fn remaining(&self, _directory: &RunDirectory) -> Result<RemainingWork, StoreError> {
        Ok(RemainingWork::default())
    }

    fn report(
        &self,
        directory: &RunDirectory,
        _status: Status,
        _stop: Stop,
    ) -> Result<ReportSummary, RunError> {
        let (results, charts) = report(self, directory)?;
        Ok(ReportSummary {
            charts,
            note: (!results.is_complete()).then(|| "the comparison is not complete".to_owned()),
        })
    }

    fn view(
        &self,
        directory: &RunDirectory,
        _generations: Vec<GenerationRow>,
    ) -> Result<View, RunError> {
        report::view(self, directory)
    }

    fn figures(
        &self,
        directory: &RunDirectory,
        _generations: Vec<GenerationRow>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Figure>, RunError> {
        report::figures(self, directory, is_wanted)
    }

    fn compare(
        &self,
        directory: &RunDirectory,
        _stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let played = recorded(self, directory)?;
        if directory.manifest()?.status == Status::Complete {
            let results = results::summarize(self, &played);
            replay.compare_file(directory, "results.json", &results)?;
        }
        Ok(())
    }

    fn tables<'a>(&'a self, directory: &'a RunDirectory) -> Result<Vec<GamesTable<'a>>, RunError> {
        Ok(recorded(self, directory)?.tables(self))
    }

    fn claim(
        &self,
        _catalogue: &Catalogue,
        _directory: &RunDirectory,
        _first: Option<u32>,
    ) -> Result<(Value, Option<u64>), RunError> {
        Ok((json!({ "comparison": self.config.name }), None))
    }

    /// The games of all recorded pairs; of a complete comparison also looks and verdicts.
    fn replay(
        &self,
        _catalogue: &Catalogue,
        directory: &RunDirectory,
        _first: Option<u32>,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Replay, RunError> {
        let recorded = recorded(self, directory)?;
        if recorded.pairs() == 0 {
            let reason = "no pair of this comparison is played yet; there is nothing to replay";
            return Err(StoreError::unusable(directory.root(), reason).into());
        }
        let mut replay = Replay::default();
        let again =
            games_table::replay(&recorded.tables(self), None, machines, control, &mut replay)?;
        if directory.manifest()?.status == Status::Complete {
            let results = results::summarize(self, &recorded.again(self, &again));
            replay.compare_file(directory, "results.json", &results)?;
        }
        Ok(replay)
    }

    fn from_source(
        catalogue: &Catalogue,
        source: &Source,
        _folder: &Path,
    ) -> Result<Self, ConfigError> {
        Comparison::resolve_with(catalogue, source)
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

    fn printed(
        &self,
        results: &ComparisonResults,
        directory: &RunDirectory,
    ) -> Result<Output, RunError> {
        Ok(Output {
            json: json!(Compared {
                results,
                run: directory.root().display().to_string(),
                verdict: results.verdict(),
            }),
            blocks: page::results(results),
            before: None,
            after: vec![format!(
                "report: {}",
                directory.path("report.html").display()
            )],
            code: match results.verdict() {
                Verdict::Better => 0,
                Verdict::Worse | Verdict::NoDifference => 3,
                Verdict::Undecided => 4,
            },
        })
    }
}

/// What `tiletune compare` prints.
#[derive(Serialize, JsonSchema)]
pub struct Compared<'a> {
    #[serde(flatten)]
    results: &'a ComparisonResults,
    /// The run directory.
    run: String,
    /// The best verdict on a challenger.
    verdict: Verdict,
}
