//! A whole campaign on a function with a known optimum in the place of the games: the optimizer,
//! the loop, the tables and the recommendation are shown to work apart from any player.

use std::path::Path;

use tiletune::campaign::{self, Outcome, Unobserved};
use tiletune::config::Source;
use tiletune::config::campaign::Campaign;
use tiletune::evaluation::{Batch, EvaluationError, Evaluator, Progress};
use tiletune::heuristic::weights::Weights;
use tiletune::random::{GameRng, fold};
use tiletune::record::{GameRecord, GameResult};
use tiletune::store::run_directory::{RunDirectory, TableName};

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
[player]
name = "expectimax"
[evaluation]
games = 4
[optimizer]
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
    fn evaluate<E>(
        &self,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        for (candidate, weights) in candidates.iter().enumerate() {
            let value = 1.0 - squared_distance(self.campaign, weights) / 5.0;
            let game = |&seed: &u64| {
                // Each candidate has its own luck on a seed, as in games.
                let luck = weights
                    .iter()
                    .fold(seed, |hash, (_, value)| fold(hash, value.to_bits()));
                let lot = f64::from(GameRng::new(luck).below(1000)) / 1000.0 - 0.5;
                GameRecord {
                    seed,
                    result: GameResult::scored(
                        (PEAK * (value + self.noise * (1.0 + lot))).round() as u64,
                        2,
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

fn run(campaign: &Campaign, noise: f64) -> (Outcome, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let directory =
        RunDirectory::create(&folder.path().join("run"), &TableName::ALL, |directory| {
            directory.write("resolved.toml", toml::to_string(&campaign.config).unwrap())
        });
    let directory = directory.unwrap();
    let sphere = Sphere { campaign, noise };
    let progress = Progress::default();
    let outcome = campaign::run(campaign, &sphere, &directory, &progress, &mut Unobserved).unwrap();
    (outcome, folder)
}

#[test]
fn a_campaign_on_a_sphere_reaches_its_optimum() {
    let campaign = resolve(CONFIG);
    let (outcome, _folder) = run(&campaign, 0.0);
    let distance = squared_distance(&campaign, &outcome.recommendation.weights).sqrt();
    assert!(distance < 1e-3, "{distance}");
    let validation = outcome.validation.unwrap();
    assert!(validation.difference.low > 0.0, "{validation:?}");
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
        assert!(folder.path().join("run/tables/games/race.parquet").exists());
    }
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
