//! Searches with noise by the default optimizer and its number of games.

use tiletune_engine::random::{GameRng, Players};
use tiletune_tuning::evaluation::EvaluationConfig;
use tiletune_tuning::evaluation::schedule::Schedule;
use tiletune_tuning::optimizer::{Noise, OptimizerConfig, Optimizers, Problem};
use tiletune_tuning::stats::signal::Signal;

/// Searches with so many games, and with options of the optimizer. `play` returns the fitness of a point, the mean of so many
/// games, and the variance of its noise. Returns the recommended point.
fn search(
    problem: Problem,
    mut left: usize,
    options: &str,
    play: impl Fn(&[f64], u32, &mut GameRng) -> [f64; 2],
) -> Vec<f64> {
    let mut rng = GameRng::new(problem.seed);
    let optimizers = Optimizers::builtin();
    let config = OptimizerConfig {
        options: options.parse().unwrap(),
        ..OptimizerConfig::default()
    };
    let entry = optimizers.entry(&config).unwrap();
    let parameters = problem.start.len();
    let mut optimizer = optimizers.build(&config, problem).unwrap();
    let mut evaluation = EvaluationConfig::default();
    evaluation.begin_with(entry.games_min, entry.signal);
    let mut schedule = Schedule::new(&evaluation, Players::One, parameters).of_real_scores();
    while optimizer.stop_reason().is_none() {
        let (games, population) = (schedule.games(), optimizer.ask());
        let Some(rest) = left.checked_sub(games as usize * population.len()) else {
            break;
        };
        left = rest;
        let played = population
            .iter()
            .map(|point| play(&inside(point), games, &mut rng));
        let (fitness, variances): (Vec<f64>, Vec<f64>) = played
            .map(|[fitness, variance]| (fitness, variance))
            .unzip();
        let measured = (variances.iter().sum::<f64>() / fitness.len() as f64).sqrt();
        let of_value = schedule.noise(&fitness, games, measured).unwrap_or(0.0);
        optimizer.tell(&fitness, Noise { of_value, games });
        schedule.tell(&Signal::of(&fitness, of_value), games);
        if optimizer.ended_restarts().len() > optimizer.restart() as usize {
            schedule.restart();
        }
    }
    inside(&optimizer.finalists()[0].point)
}

/// The share of won games and the variance of its noise, with the sample variance of the games.
fn share(chance: f64, games: u32, rng: &mut GameRng) -> [f64; 2] {
    let won = (0..games)
        .filter(|_| f64::from(rng.below(1_000_000)) < 1e6 * chance)
        .count();
    let share = won as f64 / f64::from(games);
    [share, share * (1.0 - share) / f64::from(games.max(2) - 1)]
}

/// The point in the unit box: values are folded at the bounds.
fn inside(point: &[f64]) -> Vec<f64> {
    let fold = |x: &f64| {
        let x = x.rem_euclid(2.0);
        x.min(2.0 - x)
    };
    point.iter().map(fold).collect()
}

#[test]
fn whole_numbers_are_right() {
    let values =
        |point: &[f64]| -> Vec<i32> { point.iter().map(|x| (3.0 * x).round() as i32).collect() };
    let right = (0..8).filter(|&seed| {
        let best: Vec<i32> = (0..3)
            .map(|place| (seed / 4i32.pow(place) * 3 + 2) % 4)
            .collect();
        let problem = Problem::new(vec![1.0 / 3.0; 3], seed as u64);
        let problem = problem.with_boundaries(vec![vec![1.0 / 6.0, 0.5, 5.0 / 6.0]; 3]);
        let wrong = |point: &[f64]| -> i32 {
            let pairs = values(point).into_iter().zip(&best);
            pairs.map(|(value, best)| (value - best).abs()).sum()
        };
        let chance = |point: &[f64]| 0.8 - 0.08 * f64::from(wrong(point));
        let found = search(problem, 8_000, "", |point, games, rng| {
            share(chance(point), games, rng)
        });
        wrong(&found) == 0
    });
    // With a tenth of signal, as for scores, two of eight.
    assert!(right.count() >= 7);
}

#[test]
fn numbers_come_near_their_optimum() {
    let best = [0.4, 0.7, 0.55, 0.3];
    let chance = |point: &[f64]| {
        let pairs = point.iter().zip(&best);
        let distance: f64 = pairs.map(|(x, best)| (x - best).powi(2)).sum();
        0.1 + 0.7 * (-distance / 0.32).exp()
    };
    let found = |seed| {
        let problem = Problem::new(vec![0.15; 4], seed);
        chance(&search(problem, 8_000, "", |point, games, rng| {
            share(chance(point), games, rng)
        }))
    };
    let mean = (0..8).map(found).sum::<f64>() / 8.0;
    // With a tenth of signal and the shrinking updates, as for scores, the mean is 0.748.
    assert!(mean > 0.77, "{mean}");
}

#[test]
fn more_games_find_more_under_constant_noise() {
    let best = [0.63, 0.53, 0.3, 0.75];
    let loss = |point: &[f64]| {
        let pairs = point.iter().zip(&best);
        pairs
            .map(|(x, best)| 100.0 * (x - best).powi(2))
            .sum::<f64>()
    };
    // A game has a standard deviation of 6: the sum of twelve uniform numbers has one of 1.
    let play = |point: &[f64], games: u32, rng: &mut GameRng| {
        let uniform = |rng: &mut GameRng| f64::from(rng.below(1_000_000)) / 1e6 - 0.5;
        let sum: f64 = (0..12 * games).map(|_| uniform(rng)).sum();
        let games = f64::from(games);
        [6.0 * sum / games - loss(point), 36.0 / games]
    };
    let mean = |games, options| {
        let found = (0..8).map(|seed| {
            let problem = Problem::new(vec![0.2; 4], seed);
            loss(&search(problem, games, options, play))
        });
        found.sum::<f64>() / 8.0
    };
    let [few, many] = [2_000, 32_000].map(|games| mean(games, ""));
    let without_restarts = mean(32_000, "restarts = 'none'");
    assert!(many < 0.3 * few, "{many} {few}");
    assert!(many < 0.3 * without_restarts, "{many} {without_restarts}");
}
