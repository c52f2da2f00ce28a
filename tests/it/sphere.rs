//! Complete campaigns on a function with a known optimum instead of games: they test optimizer, loop,
//! tables and recommendation without a player.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use tiletune::Session;
use tiletune::campaign::{CampaignOutcome, Challenger, SearchEnd};
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
    /// Range of a number that every set of weights has of its own, on all seeds, as on a small board.
    roughness: f64,
    /// A parameter that is better by 0.1 at exactly 0.
    switch: Option<&'a str>,
    /// Is added to the values of a generation of more than 12 candidates, as the first one after a restart is.
    after_restart: f64,
}

/// A random number from 0 to 1 that belongs to these weights and this seed.
fn uniform(weights: &Weights, seed: u64) -> f64 {
    let of_both = weights
        .iter()
        .fold(seed, |hash, (_, value)| fold(hash, value.to_bits()));
    f64::from(GameRng::new(of_both).below(1000)) / 1000.0
}

impl<'a> Sphere<'a> {
    fn new(campaign: &'a Campaign, noise: f64) -> Self {
        Sphere {
            campaign,
            noise,
            roughness: 0.0,
            switch: None,
            after_restart: 0.0,
        }
    }

    /// The mean score of weights, without the constant part of the noise, divided by the peak.
    fn value(&self, weights: &Weights) -> f64 {
        let rough = self.roughness * uniform(weights, 0);
        let is_off = |name: &str| weights.get(name) == Some(0.0);
        let switched = if self.switch.is_some_and(is_off) {
            0.1
        } else {
            0.0
        };
        1.0 - squared_distance(self.campaign, weights) / 5.0 + rough + switched
    }
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
            let is_larger = candidates.len() > 12;
            let after_restart = if is_larger { self.after_restart } else { 0.0 };
            let value = self.value(weights) + after_restart;
            let game = |&seed: &u64| {
                // Each candidate has its own random number on a seed, as in games.
                let noise = uniform(weights, seed) - 0.5;
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
    run_on(&Sphere::new(campaign, noise))
}

fn run_on(sphere: &Sphere) -> (CampaignOutcome, tempfile::TempDir) {
    let campaign = sphere.campaign;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let directory = RunDirectory::create(&root, Campaign::KIND.tables, |_| Ok(())).unwrap();
    let (progress, mut unobserved) = (Progress::default(), NullObserver);
    let mut control = Control::new(&progress, &mut unobserved);
    let outcome = campaign
        .execute(
            &Only::new(&campaign.player, sphere),
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
fn the_mean_from_before_a_restart_is_recommended_if_the_search_does_not_come_back_to_its_level() {
    let text = CONFIG
        .replace("sigma = 0.3", "")
        .replace("name = \"cma-es\"", "name = \"mirrored-cma-es\"")
        .replace("generations = 120", "games = 20000")
        .replace("[validation]", "[validation]\nchallengers = 0");
    let campaign = resolve(&text);
    for (after_restart, is_earlier) in [(-0.5, true), (0.5, false)] {
        let sphere = Sphere {
            after_restart,
            ..Sphere::new(&campaign, 0.2)
        };
        let (outcome, folder) = run_on(&sphere);
        let events = std::fs::read_to_string(folder.path().join("run/events.jsonl")).unwrap();
        assert!(events.contains("\"event\":\"restarted\""), "{events}");
        let is_told = events.contains("\"event\":\"earlier-mean\"");
        assert_eq!(is_told, is_earlier, "{after_restart}: {events}");
        // The last generation has the center of the latest distribution.
        let last = outcome.last_generation.unwrap();
        let is_latest = last.center == outcome.recommendation.values;
        assert_eq!(is_latest, !is_earlier, "{after_restart}");
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

/// A campaign of the default optimizer with this budget of games. Its final mean has challengers.
fn challenged(games: u32) -> String {
    CONFIG
        .replace("name = \"cma-es\"\npopulation = 12\nsigma = 0.3\n", "")
        .replace("games = 4\n", "")
        .replace("generations = 120", &format!("games = {games}"))
}

#[test]
fn a_race_against_challengers_is_part_of_the_budget() {
    let mut raced = 0;
    for budget in (120..3000).step_by(97) {
        let (outcome, _folder) = run(&resolve(&challenged(budget)), 0.2);
        let mut all = outcome.recommendation.games;
        if let Some(race) = outcome.race {
            let games: Vec<u32> = race.finalists.iter().map(|one| one.games).collect();
            assert!(
                games.len() <= 6 && games.iter().all(|games| *games >= 4),
                "{games:?}"
            );
            all += u64::from(games.iter().sum::<u32>());
            raced += 1;
        }
        // What is left is less than a generation and its share of a race.
        let most = u64::from(budget);
        assert!(all <= most && 10 * all >= 8 * most, "{all} of {budget}");
    }
    assert!(raced > 20, "{raced} races");
}

#[test]
fn a_race_against_challengers_finds_points_that_are_better_than_a_mean() {
    // Neighbouring points differ by as much as a quarter of the way from the start to the optimum.
    let mean_of = |challengers: u32, roughness: f64| {
        let value = |seed: u64| {
            let text = challenged(3000)
                .replace("seed = 0", &format!("seed = {seed}"))
                .replace(
                    "[validation]",
                    &format!("[validation]\nchallengers = {challengers}"),
                );
            let campaign = resolve(&text);
            let sphere = Sphere {
                roughness,
                ..Sphere::new(&campaign, 0.2)
            };
            sphere.value(&run_on(&sphere).0.recommendation.weights)
        };
        (1..=6).map(value).sum::<f64>() / 6.0
    };
    let [without, with] = [0, 2].map(|challengers| mean_of(challengers, 0.2));
    println!("rough: {without} {with}");
    assert!(with > without + 0.02, "{with} {without}");
    let [without, with] = [0, 2].map(|challengers| mean_of(challengers, 0.0));
    println!("smooth: {without} {with}");
    assert!(with > without - 0.01, "{with} {without}");
}

#[test]
fn a_term_that_is_better_off_is_turned_off_and_another_is_not() {
    // At 0 the sphere is lower by 0.05, so only with the switch it is better there.
    let linear = "[parameters.rank_sum]\nmin = 0\nmax = 300\nscale = \"linear\"";
    for (switch, expected) in [(Some("rank_sum"), 5..=6), (None, 0..=0)] {
        let is_off = |seed: u64| {
            let text = challenged(2000)
                .replace("seed = 0", &format!("seed = {seed}"))
                .replace("[parameters.rank_sum]", linear);
            let campaign = resolve(&text);
            let sphere = Sphere {
                switch,
                ..Sphere::new(&campaign, 0.2)
            };
            let (outcome, _folder) = run_on(&sphere);
            let is_off = outcome.recommendation.weights.get("rank_sum") == Some(0.0);
            assert_eq!(outcome.winner_is == Some(Challenger::WithoutTerm), is_off);
            is_off
        };
        let off = (1..=6).filter(|seed| is_off(*seed)).count();
        assert!(expected.contains(&off), "{switch:?}: {off} of 6");
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
    // Flat fitness ends every restart soon; the restarts are different enough that some are eliminated.
    let restarts = "restarts = \"ipop\"\nstop_rules.tolerance_fitness = 1e12\nsigma = 0.3";
    let text = CONFIG.replace("sigma = 0.3", restarts);
    let outcome = interrupted(&text.replace("generations = 120", "generations = 60"));
    let race = outcome.race.as_ref().unwrap();
    assert!(race.survivors() < race.finalists.len(), "{race:?}");
    interrupted(&challenged(3000));
}

/// Asserts that a campaign whose race was interrupted, and whose hold-out games were, ends as one that was not. Returns
/// how.
fn interrupted(text: &str) -> CampaignOutcome {
    let folder = tempfile::tempdir().unwrap();
    let campaign = resolve(text);
    let begin = |name: &str| {
        let root = folder.path().join(name);
        (
            Run::begin(&campaign, CONFIG, &root, Session::now(1)).unwrap(),
            root,
        )
    };
    let execute = |run: Run, stop_at: Option<Phase>| {
        let sphere = Sphere::new(&campaign, 0.02);
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
    outcome
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
    let sphere = Sphere::new(campaign, 0.0);
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
