//! Comparisons of players with fixed weights. Each player is compared with the first one, the baseline, in a sequential
//! test.
//!
//! A pair is a game of both players on the same seed. In a game for two players it is an opening from both sides. The
//! test looks at the pairs in the order of their numbers, at predetermined numbers of pairs. So the verdict and the
//! recorded games do not depend on threads and interruptions. Pairs that were played after the verdict are dropped.
//! [`stats::paired_test`](tiletune_tuning::stats::paired_test) is the test.
//!
//! ```
//! use tiletune_runs::config::compare::{ComparedConfig, ComparisonConfig};
//! use tiletune_tuning::results::compare::Verdict;
//! use tiletune_runs::run::Session;
//! use tiletune_engine::player::PlayerConfig;
//! use tiletune_runs::config::compare::Comparison;
//! use tiletune_runs::run::{Control, Run, NullObserver};
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
//! let comparison = Comparison::new(ComparisonConfig::new(seed, vec![player("random"), player("greedy")]))?;
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let threads = 2;
//! let run = Run::begin(&comparison, "", &folder.join("run"), Session::now(threads))?;
//! let (progress, mut observer) = (Progress::default(), NullObserver);
//! let results = run.execute(&comparison, &threads, &mut Control::new(&progress, &mut observer))?;
//! assert_eq!(results.verdict(), Verdict::Better);
//! # assert!(folder.join("run/report.html").is_file());
//! # Ok(())
//! # }
//! ```

mod blocks;
mod entrants;
mod games;
pub mod plan;
mod results;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::config::compare::Comparison;
use crate::config::{ConfigError, Source};
use crate::run::games_table::{self, GamesTable};
use crate::run::manifest::{Seeds, Status};
use crate::run::replay::Replay;
use crate::run::tables::{self, Pair, pairs};
use crate::run::{
    Control, Output, RemainingWork, ReportSummary, RunDirectory, RunError, RunKind, RunPlan,
    StoreError, View, draw_charts, kind, write_report,
};
use games::{PairedGames, recorded};
use results::{RESULTS, summarize};
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{COMPARISON_CHARTS, Figure, figures, infos};
use tiletune_report::report::{Block, compare as page};
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::GenerationRow;
use tiletune_tuning::results::compare::{ComparisonResults, Verdict};

impl Comparison {
    /// The registered kind of run.
    pub const KIND: RunKind = RunKind {
        name: "comparison",
        tables: &[&tables::PAIR_GAMES, &tables::PAIRS],
        plan: kind::plan::<Comparison>,
        search: None,
        charts: || infos(COMPARISON_CHARTS),
        charts_as: None,
        published: &[],
        progress: results::progress,
        findings: results::findings,
        shows_games: false,
        has_rows: false,
    };
}

impl RunPlan for Comparison {
    type Outcome = ComparisonResults;

    fn registered() -> &'static RunKind {
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

    /// The number of pairs until a verdict is unknown.
    fn remaining(&self, _directory: &RunDirectory) -> Result<RemainingWork, StoreError> {
        Ok(RemainingWork::default())
    }

    fn report(
        &self,
        directory: &RunDirectory,
        _status: Status,
        stop: Stop,
    ) -> Result<ReportSummary, RunError> {
        let played = recorded(self, directory)?;
        let results = summarize(self, &played);
        directory.write_json(RESULTS, &results)?;
        write_pairs(&played, directory)?;
        let charts = draw_charts(directory, COMPARISON_CHARTS, &results, stop)?;
        let blocks = page::report(&results, &charts);
        let note = "the comparison is not complete";
        Ok(ReportSummary {
            note: (!results.is_complete()).then(|| note.to_owned()),
            ..write_report(directory, &results.name, &blocks, &charts)?
        })
    }

    fn view(
        &self,
        directory: &RunDirectory,
        _generations: Vec<GenerationRow>,
    ) -> Result<View, RunError> {
        let without = "The results of programs are shown when the comparison is complete.";
        let blocks = match results_without_programs(self, directory)? {
            Some(results) => page::results(&results),
            None => vec![Block::Text(without.to_owned())],
        };
        Ok(View {
            blocks,
            ..View::default()
        })
    }

    fn figures(
        &self,
        directory: &RunDirectory,
        _generations: Vec<GenerationRow>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Figure>, RunError> {
        let results = results_without_programs(self, directory)?;
        let figures = results.map(|results| figures(COMPARISON_CHARTS, &results, is_wanted));
        Ok(figures.unwrap_or_default())
    }

    fn check_results(
        &self,
        directory: &RunDirectory,
        _stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let played = recorded(self, directory)?;
        if directory.manifest()?.status == Status::Complete {
            let results = summarize(self, &played);
            replay.compare_file(directory, RESULTS, &results)?;
        }
        Ok(())
    }

    fn tables<'a>(&'a self, directory: &'a RunDirectory) -> Result<Vec<GamesTable<'a>>, RunError> {
        Ok(recorded(self, directory)?.tables(self))
    }

    /// Replays the games of all recorded pairs. For a complete comparison it also compares looks and verdicts.
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
            let results = summarize(self, &recorded.again(self, &again));
            replay.compare_file(directory, RESULTS, &results)?;
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
        Ok(summarize(self, &played))
    }

    fn printed(
        &self,
        results: &ComparisonResults,
        directory: &RunDirectory,
    ) -> Result<Output, RunError> {
        let report = format!("report: {}", directory.path("report.html").display());
        let (code, reason) = match results.verdict() {
            Verdict::Better => (0, None),
            Verdict::Worse | Verdict::NoDifference => (
                3,
                Some("exit code 3: no player is shown to be better than the baseline"),
            ),
            Verdict::Undecided => (4, Some("exit code 4: undecided")),
        };
        Ok(Output {
            json: json!(ComparisonOutput {
                results,
                run: directory.root().display().to_string(),
                verdict: results.verdict(),
            }),
            blocks: page::results(results),
            before: None,
            after: [Some(report), reason.map(str::to_owned)]
                .into_iter()
                .flatten()
                .collect(),
            code,
        })
    }
}

/// What `tiletune compare` prints.
#[derive(Serialize, JsonSchema)]
pub struct ComparisonOutput<'a> {
    #[serde(flatten)]
    results: &'a ComparisonResults,
    /// The run directory.
    run: String,
    /// The best verdict on a challenger.
    verdict: Verdict,
}

/// The results of the recorded games; `None` if they would require starting a program, because incomplete results need
/// the players.
fn results_without_programs(
    comparison: &Comparison,
    directory: &RunDirectory,
) -> Result<Option<ComparisonResults>, RunError> {
    let is_complete = directory.manifest()?.status == Status::Complete;
    let mut players = comparison.players.iter();
    if !is_complete && players.any(|compared| compared.player.program().is_some()) {
        return Ok(None);
    }
    Ok(Some(summarize(
        comparison,
        &recorded(comparison, directory)?,
    )))
}

/// Writes the table of the pairs of every player with the first player.
fn write_pairs(played: &PairedGames, directory: &RunDirectory) -> Result<(), StoreError> {
    for (index, test) in (1..).zip(&played.tests) {
        let of_player = (0..test.pairs()).filter_map(|pair| played.pair(index, pair));
        let of_player: Vec<Pair> = of_player.collect();
        if !of_player.is_empty() {
            tables::write(&directory.pairs_part(index)?, &pairs(&of_player))?;
        }
    }
    Ok(())
}
