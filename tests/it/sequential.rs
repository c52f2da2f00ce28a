//! The sequential comparison on real scores: errors, power and number of pairs. docs/statistics.md has
//! the last result.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use tiletune::config::weights_file::published;
use tiletune::player::Players;
use tiletune::random::Stream;
use tiletune::results::compare::Verdict;
use tiletune::stats::paired_test::{PairedTest, Range};
use tiletune::stats::power::pairs_needed;
use tiletune::stats::sequential::{Moments, NormalMixture, next_look};
use tiletune::{Catalogue, Evaluate, Local, PlayerConfig, Progress};

const MARGIN: f64 = 0.02;
const ERROR: f64 = 0.05;
const MAX_PAIRS: u64 = 50_000;
/// Number of games that the scores of a cell are drawn from.
const GAMES: u64 = 20_000;

/// Scores of the published weights.
fn scores(depth: i32, games: u64) -> Vec<f64> {
    let asked = PlayerConfig::new("expectimax", Some("2048")).with("depth", depth);
    let player = Catalogue::builtin().player(&asked).unwrap();
    let weights = published(&player);
    let seeds = Players::One.game_seeds(1, Stream::Calibration, 0, games);
    let local = Local::new(player, None).unwrap();
    let games = local.games(&weights, &seeds, &Progress::default());
    games.unwrap().iter().map(|game| game.value()).collect()
}

/// Draws pairs: both results are scores, the second larger by a share.
struct Pairs<'a> {
    scores: &'a [f64],
    effect: f64,
    stream: Xoshiro256PlusPlus,
}

impl Pairs<'_> {
    fn score(&mut self) -> f64 {
        let index = (u128::from(self.stream.next_u64()) * self.scores.len() as u128) >> 64;
        self.scores[index as usize]
    }

    fn next(&mut self) -> (f64, f64) {
        (self.score(), self.score() * (1.0 + self.effect))
    }
}

/// One simulated comparison: verdict, pairs, and the estimated difference as a share.
fn compare(mut pairs: Pairs) -> (Verdict, u64, f64) {
    let mut test = PairedTest::new(Range::Unlimited, MARGIN, ERROR, 1);
    loop {
        let next = next_look(test.pairs()).min(MAX_PAIRS);
        for _ in test.pairs()..next {
            let (first, other) = pairs.next();
            test.add(first, other);
        }
        if let Some(verdict) = test.look(next == MAX_PAIRS) {
            let look = test.path().last().unwrap();
            return (verdict, look.pairs, look.difference / look.first);
        }
    }
}

/// Whether a confidence sequence leaves 0 at some look.
fn leaves_zero(mut pairs: Pairs) -> bool {
    let (mut first, mut values, mut planned) = (Moments::default(), Moments::default(), None);
    while values.count() < MAX_PAIRS {
        for _ in values.count()..next_look(values.count()).min(MAX_PAIRS) {
            let (one, other) = pairs.next();
            first.add(one);
            values.add(other - one);
        }
        let sequence = *planned.get_or_insert_with(|| {
            let effect = MARGIN * first.mean();
            let fixed = pairs_needed(values.variance().sqrt(), effect, ERROR);
            NormalMixture::new(ERROR, 1, fixed)
        });
        let interval = sequence.interval(&values);
        if interval.low > 0.0 || interval.high < 0.0 {
            return true;
        }
    }
    false
}

/// The pairs of a fixed sample for the margin, at this true difference.
fn fixed_sample(scores: &[f64], effect: f64) -> f64 {
    let mut moments = Moments::default();
    moments.extend(scores.iter().copied());
    let variance = moments.variance() * (1.0 + (1.0 + effect) * (1.0 + effect));
    pairs_needed(variance.sqrt(), MARGIN * moments.mean(), ERROR)
}

/// Checks the comparisons of a population of scores with a number of simulations a cell; `slack` is
/// added to each limit for their noise.
fn check(name: &str, scores: &[f64], simulations: u64, slack: f64) {
    let pairs = |effect: f64, seed: u64| Pairs {
        scores,
        effect,
        stream: Xoshiro256PlusPlus::seed_from_u64(seed),
    };
    let share = |count: usize| count as f64 / simulations as f64;
    println!(
        "{name}: {} scores, {simulations} simulations a cell",
        scores.len()
    );
    println!("  true   better  worse   equal   undecided  pairs / fixed  estimate / true");
    for (effect, most, least_found) in [
        (0.0, 0.8, 0.0),
        (0.02, 0.85, 0.8),
        (0.05, 0.3, 0.8),
        (0.1, 0.12, 0.8),
    ] {
        let runs: Vec<_> = (0..simulations)
            .map(|seed| compare(pairs(effect, seed)))
            .collect();
        let of = |verdict| share(runs.iter().filter(|run| run.0 == verdict).count());
        let mean = runs.iter().map(|run| run.1 as f64).sum::<f64>() / simulations as f64;
        let used = mean / fixed_sample(scores, effect);
        let found = runs.iter().filter(|run| run.0 == Verdict::Better);
        let estimates: Vec<f64> = found.map(|run| run.2).collect();
        let exaggeration = estimates.iter().sum::<f64>() / estimates.len() as f64 / effect;
        println!(
            "  {:3.0} %  {:6.4}  {:6.4}  {:6.4}  {:6.4}     {used:6.3}         {exaggeration:.2}",
            100.0 * effect,
            of(Verdict::Better),
            of(Verdict::Worse),
            of(Verdict::NoDifference),
            of(Verdict::Undecided),
        );
        assert!(
            used <= most + slack,
            "{name}, {effect}: {used} of a fixed sample"
        );
        if effect == 0.0 {
            let called = of(Verdict::Better) + of(Verdict::Worse);
            assert!(
                called <= ERROR + slack,
                "{name}: equal players called different: {called}"
            );
        }
        let found = of(Verdict::Better);
        assert!(
            found >= least_found - slack,
            "{name}, {effect}: found {found}"
        );
    }
    let left = (0..simulations)
        .filter(|&seed| leaves_zero(pairs(0.0, seed)))
        .count();
    println!(
        "  equal players, the confidence sequence leaves 0: {:.4}",
        share(left)
    );
    assert!(share(left) <= ERROR + slack, "{name}");
}

#[test]
fn a_few_comparisons_have_the_promised_errors() {
    check("depth 0", &scores(0, 2000), 60, 0.12);
}

#[test]
#[ignore = "takes minutes"]
fn comparisons_of_real_scores_have_the_promised_errors() {
    check("depth 0", &scores(0, GAMES), 5000, 0.0);
    check("depth 1", &scores(1, GAMES), 5000, 0.0);
}
