//! A series: the same campaign several times with different seeds. The spread between its runs shows how much of a
//! result is the luck of one search.
//!
//! Every run is a campaign in a separate run directory inside that of the series. After the last one the final means of
//! all runs race. Then the start weights and all tuned weights play the same hold-out games. The tuned weights of the
//! series are those of the winner of the race.
//!
//! Like a campaign, a series is a pure function of its resolved configuration. Its state is in the directories of its
//! runs and in its tables.
//!
//! ```
//! use std::path::Path;
//! use tiletune_runs::run::Session;
//! use tiletune_runs::config::Source;
//! use tiletune_runs::config::series::Series;
//! use tiletune_runs::run::{Control, Run, NullObserver};
//! use tiletune_tuning::evaluation::Progress;
//! use tiletune_tuning::evaluation::local::Local;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = r#"
//! why = "how much of a result is luck?"
//! name = "three"
//! seed = 1
//! player = { name = "expectimax", depth = 0 }
//! evaluation = { games = 10 }
//! optimizer = { population = 4 }
//! budget = { generations = 2 }
//! validation = { games = 20, race_games = 20 }
//! parameters = { empty = {}, merges = {} }
//! series = { repeat = 3 }
//! "#;
//! let source = Source::new("three.toml", text);
//! let series = Series::resolve(&source, Path::new(""))?;
//! let local = Local::new(series.campaign.player.clone(), None)?;
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let run = Run::begin(&series, &source.text, &folder.join("three"), Session::now(local.threads()))?;
//! let (progress, mut observer) = (Progress::default(), NullObserver);
//! let outcome = run.execute(&series, &local, &mut Control::new(&progress, &mut observer))?;
//! if let Some(spread) = outcome.results.spread {
//!     println!("between runs: {:.0}, noise: {:.0}", spread.between_runs_sd, spread.noise_sd);
//! }
//! # assert_eq!(outcome.results.runs.len(), 3);
//! # assert!(folder.join("three/runs/2/report.html").is_file());
//! # assert!(folder.join("three/report.html").is_file());
//! # Ok(())
//! # }
//! ```

mod best;
mod hold_out;
mod results;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::campaign::plan::Plan;
use crate::campaign::{
    self, HoldOutGames, Recommendation, Recommended, has_no_noise, last_line, race_means,
    race_table, recorded_validation,
};
use crate::config::campaign::Campaign;
use crate::config::series::Series;
use crate::config::weights_file::TUNED;
use crate::config::{ConfigError, Source};
use crate::run::games_table::GamesTable;
use crate::run::manifest::{Seeds, Status};
use crate::run::replay::Replay;
use crate::run::{
    Control, Output, RemainingWork, ReportSummary, RunDirectory, RunError, RunKind, RunPlan,
    SearchPlace, StoreError, VALIDATION, View, complete_child, draw_charts, kind, tables,
    write_report,
};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{CHARTS, Figure, SERIES_CHARTS, figures, infos};
use tiletune_report::number::grouped;
use tiletune_report::report::{Block, series as page};
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::series::SeriesResults;
use tiletune_tuning::results::{GenerationRow, RunData, Validation};

pub use results::{RESULTS, results};

/// The result of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesOutcome {
    /// The tuned weights of the winner of the race, and the search that found them.
    pub recommendation: Recommendation,
    /// The results of the runs, and their spread.
    pub results: SeriesResults,
    /// Comparison of start and tuned weights; `None` if the series has no hold-out games.
    pub validation: Option<Validation>,
}

impl Series {
    /// The registered kind of run.
    pub const KIND: RunKind = RunKind {
        name: "series",
        tables: &[&tables::RACE, &tables::HOLD_OUT],
        plan: kind::plan::<Series>,
        search: Some(SearchPlace::Children),
        charts: || infos(SERIES_CHARTS),
        charts_as: Some(&Campaign::KIND),
        published: &[],
        progress: |directory, resolved| {
            let repeat = resolved
                .get("series")
                .and_then(|series| series.get("repeat"));
            let repeat = repeat.and_then(toml::Value::as_integer).unwrap_or_default();
            let begun = (1..=repeat).filter(|run| directory.path(&format!("runs/{run}")).exists());
            Ok(format!("run {} of {repeat}", begun.count()))
        },
        findings: campaign::findings,
        shows_games: false,
        has_rows: false,
    };
}

impl RunPlan for Series {
    type Outcome = SeriesOutcome;

    fn registered() -> &'static RunKind {
        &Series::KIND
    }

    fn resolved(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&self.config)
    }

    fn name(&self) -> &str {
        &self.campaign.config.name
    }

    fn seeds(&self) -> Seeds {
        self.campaign.seeds()
    }

    fn players(&self) -> Vec<&PlayerSpec> {
        vec![&self.campaign.player]
    }

    fn exact_players(&self) -> Vec<&PlayerSpec> {
        self.campaign.exact_players()
    }

    fn remaining(&self, directory: &RunDirectory) -> Result<RemainingWork, StoreError> {
        let validation = &self.campaign.config.validation;
        let hold_out = u64::from(validation.games) * u64::from(1 + self.repeat());
        let mut games = Some(hold_out);
        for number in self.numbers() {
            let run = self.run(number);
            let plan = Plan::of(&run, played_games(&run, directory, number)?, None);
            let of_run = plan.and_then(Plan::expected_games);
            games = games.zip(of_run).map(|(games, of_run)| games + of_run);
        }
        let generations = Plan::of(&self.campaign, 0, None).and_then(|plan| plan.generations);
        let minutes = self.campaign.config.budget.minutes;
        let minutes = minutes.map(|minutes| minutes * f64::from(self.repeat()));
        Ok(RemainingWork::new(games, generations, minutes))
    }

    fn report(
        &self,
        directory: &RunDirectory,
        status: Status,
        stop: Stop,
    ) -> Result<ReportSummary, RunError> {
        let results = results(self, directory, stop)?;
        directory.write_json(RESULTS, &results)?;
        let run = results.winner.unwrap_or(1);
        let mut data = self.data(directory, run, status)?;
        data.facts = facts(directory, &results, status)?;
        let mut charts = draw_charts(directory, SERIES_CHARTS, &results, stop)?;
        charts.extend(draw_charts(directory, CHARTS, &data, stop)?);
        let title = format!("{}, {} runs", results.name, results.repeat);
        let blocks = page::report(&results, &data, &charts);
        Ok(write_report(directory, &title, &blocks, &charts)?)
    }

    /// An incomplete series does not read every generation of every run, because the pages of the runs show them.
    fn view(
        &self,
        directory: &RunDirectory,
        _generations: Vec<GenerationRow>,
    ) -> Result<View, RunError> {
        let status = directory.manifest()?.status;
        if status == Status::Complete {
            let results = results(self, directory, Stop::never())?;
            if let Some(run) = results.winner {
                let data = self.data(directory, run, status)?;
                return Ok(View::of_search(&data, page::results(&results, &data)));
            }
        }
        Ok(View {
            objective: Some(self.campaign.objective_in_words()),
            ..View::default()
        })
    }

    fn figures(
        &self,
        directory: &RunDirectory,
        _generations: Vec<GenerationRow>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Figure>, RunError> {
        let results = results(self, directory, Stop::never())?;
        let mut all = figures(SERIES_CHARTS, &results, is_wanted);
        if let Some(run) = results.winner
            && CHARTS.iter().any(|chart| is_wanted(chart.name))
        {
            let data = self.data(directory, run, directory.manifest()?.status)?;
            all.extend(figures(CHARTS, &data, is_wanted));
        }
        Ok(all)
    }

    fn children(&self) -> Vec<(String, Box<dyn RunPlan>)> {
        let child = |number| {
            (
                place(number),
                Box::new(self.run(number)) as Box<dyn RunPlan>,
            )
        };
        self.numbers().map(child).collect()
    }

    fn check_results(
        &self,
        directory: &RunDirectory,
        stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let results = results(self, directory, stop)?;
        if directory.manifest()?.status == Status::Complete {
            replay.compare_file(directory, RESULTS, &results)?;
        }
        let recorded: Option<Validation> = directory.read_json(VALIDATION)?;
        if let (Some(recorded), Some(winner)) = (recorded, results.winner) {
            let (campaign, tuned) = (&self.campaign, hold_out::name(winner));
            let at = (campaign.config.validation.look, None);
            let mut validation = recorded_validation(campaign, directory, at, &tuned, stop)?;
            let value = validation.objective.tuned;
            validation.selection = recorded.selection.map(|one| one.with_hold_out(value));
            replay.compare_file(directory, VALIDATION, &validation)?;
        }
        Ok(())
    }

    fn tables<'a>(&'a self, directory: &'a RunDirectory) -> Result<Vec<GamesTable<'a>>, RunError> {
        let campaign = &self.campaign;
        let mut tables = Vec::new();
        if directory.race_part().exists() {
            let values = move || {
                // The finalists are counted from 0.
                let of_run = |run| Ok((run - 1, values_of(self, directory, run)?));
                self.numbers().map(of_run).collect()
            };
            tables.push(race_table(campaign, directory, values)?);
        }
        let games = |name| HoldOutGames::new(campaign, directory, None, name);
        tables.extend(games(hold_out::START.to_owned()).table(|| Ok(campaign.start.clone()))?);
        for run in self.numbers() {
            let weights = move || Ok(campaign.weights(&values_of(self, directory, run)?));
            tables.extend(games(hold_out::name(run)).table(weights)?);
        }
        Ok(tables)
    }

    fn where_to_look(&self, directory: &RunDirectory) -> Option<String> {
        let first = directory.path(&place(1));
        Some(format!("name a run of it, such as {}", first.display()))
    }

    fn claim(
        &self,
        catalogue: &Catalogue,
        directory: &RunDirectory,
        first: Option<u32>,
    ) -> Result<(Value, u64), RunError> {
        self.campaign.claim(catalogue, directory, first)
    }

    /// Replays the hold-out games of the start weights and of the winner of the race, but not those of the other runs.
    fn replay(
        &self,
        catalogue: &Catalogue,
        directory: &RunDirectory,
        _first: Option<u32>,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Replay, RunError> {
        let winner = results(self, directory, control.progress.stop())?.winner;
        let winner = winner
            .ok_or_else(|| StoreError::unusable(directory.root(), "the race is not decided"))?;
        campaign::replay_run(
            catalogue,
            directory,
            &hold_out::name(winner),
            machines,
            control,
        )
    }

    fn printed(
        &self,
        outcome: &SeriesOutcome,
        directory: &RunDirectory,
    ) -> Result<Output, RunError> {
        let results = &outcome.results;
        let games: u64 = results.runs.iter().map(|run| run.training_games).sum();
        let done = format!(
            "{} runs, {} training games; the tuned weights are those of run {}; report: {}",
            results.repeat,
            grouped(games as f64, 0),
            results.winner.unwrap_or_default(),
            directory.path("report.html").display()
        );
        let status = directory.manifest()?.status;
        let data = self.data(directory, results.winner.unwrap_or(1), status)?;
        let validation = outcome.validation.as_ref();
        let tuned = &outcome.recommendation.weights;
        let recommended = Recommended::by(validation, None);
        let warning = last_line(
            &self.campaign,
            directory,
            [&self.campaign.start, tuned],
            validation,
            None,
        );
        Ok(Output {
            json: json!(SeriesOutput {
                run: directory.root().display().to_string(),
                recommended,
                weights: match recommended {
                    Recommended::Tuned => tuned.iter().collect(),
                    // A series does not go on, so it has no earlier looks.
                    Recommended::Earlier | Recommended::Start =>
                        self.campaign.start.iter().collect(),
                },
                tuned: tuned.iter().collect(),
                series: results,
                validation,
            }),
            blocks: Block::verdict_last(page::results(results, &data)),
            before: None,
            after: std::iter::once(done).chain(warning).collect(),
            code: 0,
        })
    }

    fn from_source(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        Series::resolve_with(catalogue, source, folder)
    }

    fn execute(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<SeriesOutcome, RunError> {
        let campaign = &self.campaign;
        let values = tune(self, machines, directory, control)?;
        let is_deterministic = is_deterministic(self, directory)?;
        let evaluator = &*machines.evaluator(&self.campaign.player)?;
        let rules = results::race_rules(self, directory, is_deterministic)?;
        let winner = race_means(evaluator, campaign, directory, &values, rules, control)?.winner;
        let mut results = results(self, directory, control.progress.stop())?;
        let mut recommendation = best::recommendation(self, directory, &results, &values[winner])?;
        if !directory.part(VALIDATION).exists() {
            best::write(campaign, directory, &results, &recommendation, None)?;
        }
        let mut validation = None;
        if campaign.config.validation.games > 0 {
            let tuned: Vec<Weights> = values.iter().map(|one| campaign.weights(one)).collect();
            let mut validated = hold_out::play(
                self,
                evaluator,
                directory,
                (&tuned, winner),
                is_deterministic,
                control,
            )?;
            recommendation.conclude(&mut validated);
            directory.write_json(VALIDATION, &validated)?;
            results = self::results(self, directory, control.progress.stop())?;
            best::write(
                campaign,
                directory,
                &results,
                &recommendation,
                Some(&validated),
            )?;
            validation = Some(validated);
        }
        Ok(SeriesOutcome {
            recommendation,
            results,
            validation,
        })
    }
}

impl Series {
    /// The start weights and those of a run, as if the series were a campaign. Plays no game.
    fn data(
        &self,
        directory: &RunDirectory,
        run: u32,
        status: Status,
    ) -> Result<RunData, StoreError> {
        let data = campaign::data(&self.campaign, directory, &hold_out::name(run), status)?;
        // Notices about the search come from the directory of the run.
        let of_run = directory.path(&place(run));
        let notices = if RunDirectory::is_begun(&of_run) {
            campaign::of_run(&RunDirectory::open(&of_run)?)?
        } else {
            Vec::new()
        };
        Ok(RunData { notices, ..data })
    }
}

fn facts(
    directory: &RunDirectory,
    results: &SeriesResults,
    status: Status,
) -> Result<Vec<(String, String)>, StoreError> {
    let games: u64 = results.runs.iter().map(|run| run.training_games).sum();
    let mut facts = vec![
        ("status".to_owned(), status.name().to_owned()),
        ("runs".into(), results.repeat.to_string()),
        ("training games".into(), games.to_string()),
    ];
    facts.extend(campaign::of_session(&directory.manifest()?));
    Ok(facts)
}

/// The tuned values of the parameters of a run.
fn values_of(series: &Series, directory: &RunDirectory, run: u32) -> Result<Vec<f64>, StoreError> {
    let child = RunDirectory::open(&directory.path(&place(run)))?;
    let tuned = campaign::load(&series.run(run), &child)?.tuned;
    let missing = || StoreError::damaged(child.root(), "the run has no tuned weights");
    tuned.ok_or_else(missing)
}

/// Completes all runs. Returns the tuned values of the parameters of each run.
fn tune(
    series: &Series,
    machines: &dyn EvaluatorFactory,
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<Vec<Vec<f64>>, RunError> {
    let repeat = series.repeat();
    let run = |number| {
        let run = series.run(number);
        let child = (&*place(number), &*format!("run {number} of {repeat}"));
        let directory = complete_child(directory, child, &run, machines, control)?;
        let tuned = campaign::load(&run, &directory)?.tuned;
        let missing = || StoreError::damaged(&directory.path(TUNED), "the file is missing");
        Ok(tuned.ok_or_else(missing)?)
    };
    series.numbers().map(run).collect()
}

/// Whether the results of all runs were independent of the seed.
fn is_deterministic(series: &Series, directory: &RunDirectory) -> Result<bool, StoreError> {
    let of_run = |run| has_no_noise(&RunDirectory::open(&directory.path(&place(run)))?);
    let all: Result<Vec<bool>, StoreError> = series.numbers().map(of_run).collect();
    Ok(!all?.contains(&false))
}

/// Number of training games that a run has played.
///
/// # Errors
/// If its directory is damaged.
pub fn played_games(
    run: &Campaign,
    directory: &RunDirectory,
    number: u32,
) -> Result<u64, StoreError> {
    let root = directory.path(&place(number));
    if !RunDirectory::is_begun(&root) {
        return Ok(0);
    }
    let generations = campaign::generations(run, &RunDirectory::open(&root)?)?;
    Ok(campaign::training_games(&generations))
}

/// The path of a run in the directory of the series.
fn place(number: u32) -> String {
    format!("runs/{number}")
}

/// What `tiletune tune` prints at the end of a series.
#[derive(Serialize, JsonSchema)]
pub struct SeriesOutput<'a> {
    /// The run directory.
    run: String,
    /// Which weights are recommended: those of `best.toml`.
    recommended: Recommended,
    /// The recommended weights by key.
    weights: BTreeMap<&'a str, f64>,
    /// The tuned weights by key: those of the winner of the race.
    tuned: BTreeMap<&'a str, f64>,
    /// The results of all runs.
    series: &'a SeriesResults,
    /// Start weights against tuned weights in the hold-out games.
    validation: Option<&'a Validation>,
}
