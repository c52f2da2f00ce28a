//! Complete campaigns on a function with a known optimum instead of games: they test optimizer, loop,
//! tables and recommendation without a player.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use tiletune::Session;
use tiletune::campaign::{CampaignOutcome, SearchEnd};
use tiletune::evaluation::{Only, Order, Sink, SinkClosed};
use tiletune::random::{GameRng, fold};
use tiletune::record::Phase;
use tiletune::results::{GenerationRow, Verdict};
use tiletune::run::{RunPlan, Task, manifest::Status};
use tiletune::{
    Batch, Campaign, Control, EvaluationError, Evaluator, GameRecord, GameResult, NullObserver,
    Observer, Progress, Run, RunDirectory, RunError, Source, Weights,
};

/// Score of the optimum; a score falls with the squared distance from it.
const PEAK: f64 = 1e9;

/// The optimum: two parameters on a log scale, two linear ones, one at its bound.
const OPTIMUM: [(&str, f64); 5] = [
    ("empty", 30.0),
    ("merges", 2000.0),
    ("monotonicity", 60.0),
    ("monotonicity_power", 1.5),
    ("rank_sum", 150.0),
];

const CONFIG: &str = r#"
why = "a sphere in the place of games"
name = "sphere"
seed = 0
start = { games = 0 }
[player]
name = "expectimax"
[evaluation]
games = 4
[optimizer]
name = "cma-es"
population = 12
sigma = 0.3
[budget]
generations = 120
[validation]
games = 50
[parameters.empty]
min = 1
max = 3000
scale = "log"
[parameters.merges]
min = 1
max = 5000
scale = "log"
[parameters.monotonicity]
[parameters.monotonicity_power]
[parameters.rank_sum]
"#;

/// Distance from the optimum in units of the bounds, squared.
fn squared_distance(campaign: &Campaign, weights: &Weights) -> f64 {
    let space = &campaign.space;
    let values: Vec<f64> = space
        .names()
        .iter()
        .map(|name| weights.get(name).unwrap())
        .collect();
    let optimum: Vec<f64> = OPTIMUM.iter().map(|(_, value)| *value).collect();
    let (at, best) = (space.unit(&values), space.unit(&optimum));
    at.iter().zip(best).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// Scores weights by their distance from the optimum, with noise that depends on the seed.
struct Sphere<'a> {
    campaign: &'a Campaign,
    noise: f64,
}

impl Evaluator for Sphere<'_> {
    fn play(
        &self,
        _: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        for (candidate, weights) in candidates.iter().enumerate() {
            if progress.is_stopped() {
                return Err(EvaluationError::Interrupted);
            }
            let value = 1.0 - squared_distance(self.campaign, weights) / 5.0;
            let game = |&seed: &u64| {
                // Each candidate has its own random number on a seed, as in games.
                let seed_of_noise = weights
                    .iter()
                    .fold(seed, |hash, (_, value)| fold(hash, value.to_bits()));
                let noise = f64::from(GameRng::new(seed_of_noise).below(1000)) / 1000.0 - 0.5;
                GameRecord {
                    seed,
                    result: GameResult::scored(
                        (PEAK * (value + self.noise * (1.0 + noise))).round() as u64,
                    ),
                    moves: 1,
                    leaf_evaluations: 0,
                }
            };
            let games: Vec<GameRecord> = seeds.iter().map(game).collect();
            progress.add_games(games.len() as u64);
            sink(Batch {
                candidate,
                first_game: 0,
                games: &games,
            })?;
        }
        Ok(())
    }
}

fn resolve(text: &str) -> Campaign {
    let source = Source::new("sphere.toml", text);
    Campaign::resolve(&source, Path::new("")).unwrap()
}

/// Executes a campaign without charts and report.
fn run(campaign: &Campaign, noise: f64) -> (CampaignOutcome, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let directory = RunDirectory::create(&root, Campaign::KIND.tables, |_| Ok(())).unwrap();
    let sphere = Sphere { campaign, noise };
    let (progress, mut unobserved) = (Progress::default(), NullObserver);
    let mut control = Control::new(&progress, &mut unobserved);
    let outcome = campaign
        .execute(
            &Only::new(&campaign.player, &sphere),
            &directory,
            &mut control,
        )
        .unwrap();
    (outcome, folder)
}

#[test]
fn a_campaign_on_a_sphere_reaches_its_optimum() {
    let campaign = resolve(CONFIG);
    let (outcome, _folder) = run(&campaign, 0.0);
    let distance = squared_distance(&campaign, &outcome.recommendation.weights).sqrt();
    assert!(distance < 1e-3, "{distance}");
    let validation = outcome.validation.unwrap();
    assert_eq!(validation.verdict(), Verdict::Better, "{validation:?}");
}

#[test]
fn under_noise_the_mean_is_recommended_and_comes_near() {
    // The noise of a game has a range of a fifth of the whole; that of four has a standard deviation
    // of 0.03, as large as the loss at a distance of 0.4; the start is 1.08 away.
    let campaign = resolve(CONFIG);
    let (outcome, _folder) = run(&campaign, 0.2);
    let distance = squared_distance(&campaign, &outcome.recommendation.weights).sqrt();
    assert!(distance < 0.2, "{distance}");
}

#[test]
fn restarts_race_and_the_best_mean_is_recommended() {
    for restarts in ["ipop", "bipop"] {
        let text = CONFIG
            .replace(
                "sigma = 0.3",
                &format!("sigma = 0.3\nrestarts = \"{restarts}\""),
            )
            .replace("generations = 120", "generations = 300");
        let campaign = resolve(&text);
        let (outcome, folder) = run(&campaign, 0.0);
        let distance = squared_distance(&campaign, &outcome.recommendation.weights).sqrt();
        assert!(distance < 1e-3, "{restarts}: {distance}");
        let events = std::fs::read_to_string(folder.path().join("run/events.jsonl")).unwrap();
        assert!(events.contains("\"event\":\"restarted\""), "{events}");
        assert!(events.contains("\"event\":\"race-decided\""), "{events}");
        assert!(folder.path().join("run/tables/race/race.parquet").exists());
    }
}

#[test]
fn random_search_is_a_floor_that_is_above_the_start_and_below_cma_es() {
    let campaign = resolve(
        &CONFIG
            .replace("sigma = 0.3", "")
            .replace("cma-es", "random"),
    );
    let (outcome, folder) = run(&campaign, 0.0);
    let weights = &outcome.recommendation.weights;
    let [found, start] =
        [weights, &campaign.start].map(|one| squared_distance(&campaign, one).sqrt());
    assert!(0.01 < found && found < 0.7 * start, "{found} of {start}");
    // Without noise the best candidate is the recommended one, and its fitness is what is recorded.
    let last = outcome.last_generation.unwrap();
    let best = outcome.recommendation.best_seen.unwrap();
    assert_eq!(last.diagnostic("best_so_far"), Some(best.candidate.fitness));
    assert_eq!(outcome.recommendation.values, best.candidate.values);
    assert_eq!(outcome.race.unwrap().finalists.len(), 4);
    let end = std::fs::read_to_string(folder.path().join("run/distribution.json")).unwrap();
    assert!(end.contains("finalists") && !end.contains("matrix"));
}

#[test]
fn a_budget_of_games_is_not_exceeded() {
    let text = CONFIG.replace("generations = 120", "games = 1000");
    let campaign = resolve(&text);
    let (outcome, _folder) = run(&campaign, 0.0);
    // 12 candidates x 4 games a generation: 20 generations are 960 games.
    assert_eq!(
        (
            outcome.recommendation.generations,
            outcome.recommendation.games
        ),
        (20, 960)
    );
    // Nor where a restart doubles the population; flat fitness ends every run soon.
    let restarts = "restarts = \"ipop\"\nstop_rules.tolerance_fitness = 1e12\nsigma = 0.3";
    let text = text.replace("sigma = 0.3", restarts);
    for budget in (1000..3000).step_by(97) {
        let text = text.replace("games = 1000", &format!("games = {budget}"));
        let (outcome, _folder) = run(&resolve(&text), 0.0);
        assert!(outcome.recommendation.games <= budget, "{budget}");
    }
}

/// Requests a stop when a phase begins.
struct StopAt<'a>(&'a Progress, Phase);

impl Observer for StopAt<'_> {
    fn task_begins(&mut self, task: Task) {
        if matches!(task, Task::Phase { phase, .. } if phase == self.1) {
            self.0.request_stop();
        }
    }
}

#[test]
fn a_race_that_is_interrupted_or_already_played_ends_the_same() {
    let folder = tempfile::tempdir().unwrap();
    // Flat fitness ends every restart soon; the restarts are different enough that some are eliminated.
    let restarts = "restarts = \"ipop\"\nstop_rules.tolerance_fitness = 1e12\nsigma = 0.3";
    let text = CONFIG.replace("sigma = 0.3", restarts);
    let campaign = resolve(&text.replace("generations = 120", "generations = 60"));
    let begin = |name: &str| {
        let root = folder.path().join(name);
        (
            Run::begin(&campaign, CONFIG, &root, Session::now(1)).unwrap(),
            root,
        )
    };
    let execute = |run: Run, stop_at: Option<Phase>| {
        let sphere = Sphere {
            campaign: &campaign,
            noise: 0.02,
        };
        let progress = Progress::default();
        let (mut unobserved, mut stops) =
            (NullObserver, stop_at.map(|phase| StopAt(&progress, phase)));
        let observer: &mut dyn Observer = match &mut stops {
            Some(stops) => stops,
            None => &mut unobserved,
        };
        let only = Only::new(&campaign.player, &sphere);
        run.execute(&campaign, &only, &mut Control::new(&progress, observer))
    };
    let (run, straight) = begin("straight");
    let outcome = execute(run, None).unwrap();
    let race = outcome.race.as_ref().unwrap();
    assert!(race.finalists.len() >= 3, "{race:?}");
    assert!(race.survivors() < race.finalists.len(), "{race:?}");

    let (run, interrupted) = begin("interrupted");
    assert!(matches!(
        execute(run, Some(Phase::Race)),
        Err(RunError::Interrupted)
    ));
    assert!(!interrupted.join("tables/race/race.parquet").exists());
    assert!(matches!(
        execute(resumed(&interrupted), Some(Phase::HoldOut)),
        Err(RunError::Interrupted)
    ));
    assert!(interrupted.join("tables/race/race.parquet").exists());
    assert_eq!(execute(resumed(&interrupted), None).unwrap(), outcome);
    for file in [
        "best.toml",
        "events.jsonl",
        "validation.json",
        "tables/finalists.parquet",
        "tables/race/race.parquet",
    ] {
        let [one, other] = [&straight, &interrupted].map(|root| std::fs::read(root.join(file)));
        assert_eq!(one.unwrap(), other.unwrap(), "{file}");
    }
}

#[test]
fn games_that_pay_grow_as_the_search_converges() {
    let text = CONFIG.replace("games = 4\n", "games_max = 100\n");
    let campaign = resolve(&text);
    let (outcome, _folder) = run(&campaign, 0.2);
    let last = outcome.last_generation.unwrap();
    // At the optimum nothing is left but noise.
    assert_eq!((last.games, last.signal < 0.5), (100, true), "{last:?}");
    assert!(last.games_needed > 100.0, "{last:?}");
    let distance = squared_distance(&campaign, &outcome.recommendation.weights).sqrt();
    assert!(distance < 0.2, "{distance}");
    // The last optimum lies at its bound.
    let at_bounds = outcome.recommendation.at_bounds;
    let selection = outcome.recommendation.selection.unwrap();
    assert!(
        selection.best_seen > selection.hold_out.unwrap(),
        "{selection:?}"
    );
    assert!(
        at_bounds
            .iter()
            .all(|at| at.key == "rank_sum" && at.is_upper),
        "{at_bounds:?}"
    );
}

/// A clock on which every generation takes 25 seconds; requests a stop after some generations.
struct Clock<'a> {
    seconds: &'a Cell<u64>,
    progress: &'a Progress,
    stop_after: Option<u32>,
}

impl Observer for Clock<'_> {
    fn task_begins(&mut self, task: Task) {
        if matches!(task, Task::Generation(_)) {
            self.seconds.set(self.seconds.get() + 25);
        }
    }

    fn generation_ends(&mut self, row: &GenerationRow) {
        if Some(row.generation + 1) == self.stop_after {
            self.progress.request_stop();
        }
    }
}

/// Executes a run by that clock, and counts the games.
fn execute(
    run: Run,
    campaign: &Campaign,
    stop_after: Option<u32>,
) -> (Result<CampaignOutcome, RunError>, u64) {
    let sphere = Sphere {
        campaign,
        noise: 0.0,
    };
    let (seconds, progress) = (Cell::new(0), Progress::default());
    let mut observer = Clock {
        seconds: &seconds,
        progress: &progress,
        stop_after,
    };
    let clock = || Duration::from_secs(seconds.get());
    let mut control = Control {
        clock: &clock,
        ..Control::new(&progress, &mut observer)
    };
    let only = Only::new(&campaign.player, &sphere);
    let ended = run.execute(campaign, &only, &mut control);
    (ended, progress.games())
}

fn resumed(root: &Path) -> Run {
    let mut run = Run::open(root).unwrap();
    run.resume(Session::now(1)).unwrap();
    run
}

#[test]
fn a_budget_of_minutes_ends_the_search_once_and_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let campaign = resolve(&CONFIG.replace("generations = 120", "minutes = 2"));
    let run = Run::begin(&campaign, CONFIG, &root, Session::now(1)).unwrap();
    let (ended, _) = execute(run, &campaign, Some(2));
    assert!(matches!(ended, Err(RunError::Interrupted)));

    // Two generations of 25 seconds are behind it; with three more the two minutes are over.
    let (ended, _) = execute(resumed(&root), &campaign, None);
    let outcome = ended.unwrap();
    assert_eq!(outcome.stopped_by, SearchEnd::Minutes);
    assert_eq!(outcome.recommendation.generations, 5);
    let events = std::fs::read_to_string(root.join("events.jsonl")).unwrap();
    let ended = r#"{"event":"search-ended","generations":5,"reason":"minutes","#;
    assert_eq!(events.matches(ended).count(), 1, "{events}");

    // A process that knows nothing of those minutes does not go on searching.
    std::fs::remove_file(root.join("timing.jsonl")).unwrap();
    crate::common::adopt(&root, Status::Interrupted);
    let (again, _) = execute(resumed(&root), &campaign, None);
    assert_eq!(again.unwrap(), outcome);
    let unchanged = std::fs::read_to_string(root.join("events.jsonl")).unwrap();
    assert_eq!(unchanged, events);
}

#[test]
fn a_run_is_complete_only_once_it_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let campaign = resolve(&CONFIG.replace("generations = 120", "generations = 3"));
    let run = Run::begin(&campaign, CONFIG, &root, Session::now(1)).unwrap();
    std::fs::write(root.join("charts"), "in the way of the folder").unwrap();
    let (ended, games) = execute(run, &campaign, None);
    assert!(matches!(ended, Err(RunError::Store(_))));
    // The last ones look for parameters without effect: four games of the tuned weights, which are alike.
    assert_eq!(games, 3 * 12 * 4 + 2 * 50 + 4);
    let manifest = RunDirectory::open(&root).unwrap().manifest().unwrap();
    assert_eq!(manifest.status, Status::Failed);
    assert!(!root.join("report.html").exists());

    std::fs::remove_file(root.join("charts")).unwrap();
    let (ended, games) = execute(resumed(&root), &campaign, None);
    ended.unwrap();
    // One of the last generation, one of any and one of each hold-out set, to see that this program plays
    // them alike.
    assert_eq!(games, 4, "games were played again");
    assert!(Run::open(&root).unwrap().is_complete());
    let report = std::fs::read_to_string(root.join("report.html")).unwrap();
    assert!(report.contains("complete"));
    assert!(root.join("charts/fitness.svg").is_file());
}
