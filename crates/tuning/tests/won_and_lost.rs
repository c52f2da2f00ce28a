//! Searches by games that are won or lost, with the default optimizer and its number of games.

use tiletune_engine::random::{GameRng, Players};
use tiletune_tuning::evaluation::EvaluationConfig;
use tiletune_tuning::evaluation::schedule::Schedule;
use tiletune_tuning::optimizer::{OptimizerConfig, Optimizers, Problem};
use tiletune_tuning::stats::signal::Signal;

/// Searches with 8,000 games; `chance` is the probability of a won game at a point. Returns the recommended point.
fn search(problem: Problem, chance: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let mut rng = GameRng::new(problem.seed);
    let optimizers = Optimizers::builtin();
    let config = OptimizerConfig::default();
    let entry = optimizers.entry(&config).unwrap();
    let parameters = problem.start.len();
    let mut optimizer = optimizers.build(&config, problem).unwrap();
    let mut evaluation = EvaluationConfig::default();
    evaluation.begin_with(entry.games_min, entry.signal);
    let mut schedule = Schedule::new(&evaluation, Players::One, parameters).of_real_scores();
    let mut left = 8000usize;
    loop {
        let (games, population) = (schedule.games(), optimizer.ask());
        let Some(rest) = left.checked_sub(games as usize * population.len()) else {
            return inside(&optimizer.distribution().center);
        };
        left = rest;
        let mut share = |point: &Vec<f64>| {
            let chance = chance(&inside(point));
            let won = (0..games)
                .filter(|_| f64::from(rng.below(1_000_000)) < 1e6 * chance)
                .count();
            won as f64 / f64::from(games)
        };
        let fitness: Vec<f64> = population.iter().map(&mut share).collect();
        // The mean variance of a share, with the sample variance of its games.
        let variance = |share: &f64| share * (1.0 - share) / f64::from(games.max(2) - 1);
        let variances: f64 = fitness.iter().map(variance).sum();
        let measured = (variances / fitness.len() as f64).sqrt();
        let noise = schedule.noise(&fitness, games, measured).unwrap_or(0.0);
        optimizer.tell(&fitness, noise);
        schedule.tell(&Signal::of(&fitness, noise), games);
        if optimizer.stop_reason().is_some() {
            return inside(&optimizer.distribution().center);
        }
    }
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
        let found = search(problem, |point| 0.8 - 0.08 * f64::from(wrong(point)));
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
    let found = |seed| chance(&search(Problem::new(vec![0.15; 4], seed), chance));
    let mean = (0..8).map(found).sum::<f64>() / 8.0;
    // With a tenth of signal and the shrinking updates, as for scores, the mean is 0.748.
    assert!(mean > 0.77, "{mean}");
}
