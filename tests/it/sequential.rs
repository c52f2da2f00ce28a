//! The sequential comparison on real scores, and on results that hardly vary: errors, power and number of pairs.
//! docs/statistics.md has the last result.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use tiletune::config::weights_file::published;
use tiletune::player::Players;
use tiletune::random::Stream;
use tiletune::results::compare::{Measure, Verdict};
use tiletune::stats::paired_test::PairedTest;
use tiletune::stats::power::pairs_needed;
use tiletune::stats::sequential::{Moments, NormalMixture, next_look};
use tiletune::{Catalogue, Evaluate, Local, PlayerConfig, Progress};

/// The usual difference of interest.
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
    let mut test = PairedTest::new(Measure::Score, None, ERROR, 1);
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

/// Random numbers.
type Draws = Xoshiro256PlusPlus;

fn uniform(stream: &mut Draws) -> f64 {
    ((stream.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// About a standard normal number.
fn normal(stream: &mut Draws) -> f64 {
    (0..12).map(|_| uniform(stream)).sum::<f64>() - 6.0
}

/// 1 with this probability, else -1.
fn sign(stream: &mut Draws, probability: f64) -> f64 {
    if uniform(stream) < probability {
        1.0
    } else {
        -1.0
    }
}

/// What the verdicts of a cell must be.
#[derive(Clone, Copy, Debug)]
enum Truth {
    /// The players are equal: called different in at most 5 %.
    Equal,
    /// The second is better by the difference of interest or more: found in at least 80 %, called worse in at most
    /// 2.5 %.
    Better,
    /// The same, but too rarely to promise that it is found.
    RarelyBetter,
    /// The mean difference is 0, but the players are not equal: large gains are rarer than small losses. Nothing is
    /// promised.
    Skewed,
}

/// A cell of the table.
struct Cell {
    name: String,
    measure: Measure,
    truth: Truth,
    pair: Pair,
}

/// Draws the results of a pair.
type Pair = Box<dyn Fn(&mut Draws) -> (f64, f64) + Sync>;

/// The cells: results of deterministic programs, players that rarely differ, means near 0, matches.
fn cells() -> Vec<Cell> {
    use Truth::{Better, Equal, RarelyBetter, Skewed};
    let mut cells = Vec::new();
    let mut cell = |name: &str, measure, truth, pair: Pair| {
        let name = name.to_owned();
        cells.push(Cell {
            name,
            measure,
            truth,
            pair,
        });
    };
    let score = Measure::Score;
    cell(
        "all differences 0",
        score,
        Equal,
        Box::new(|_| (1000.0, 1000.0)),
    );
    cell(
        "all differences 3 %",
        score,
        Better,
        Box::new(|_| (1000.0, 1030.0)),
    );
    cell(
        "all scores 0, or all 5",
        score,
        Better,
        Box::new(|_| (0.0, 5.0)),
    );
    let noisy = |step: f64| {
        move |stream: &mut Draws| {
            let noise = 200.0 * uniform(stream);
            (1000.1 + noise, 1000.1 + step + noise)
        }
    };
    cell(
        "differences 0 but for rounding",
        score,
        Equal,
        Box::new(noisy(1e-14)),
    );
    cell(
        "differences 3 % but for rounding",
        score,
        Better,
        Box::new(noisy(30.3)),
    );
    // 20 points are 2 %.
    for share in [0.001, 0.01, 0.1] {
        let percent = 100.0 * share;
        let found = if share < 0.01 { RarelyBetter } else { Better };
        for times in [1.0, 3.0] {
            let size = 20.0 * times / share;
            let rare = move |stream: &mut Draws, probability: f64| {
                let common = 900.0 + 200.0 * uniform(stream);
                let differs = uniform(stream) < share;
                let difference = if differs {
                    size * sign(stream, probability)
                } else {
                    0.0
                };
                (common, common + difference)
            };
            let name = format!("{percent} % differ by {size:.0}, all gains");
            // A little more, because the difference raises the mean of both.
            let gains = move |stream: &mut Draws| {
                let (one, other) = rare(stream, 1.0);
                (one, one + 1.05 * (other - one))
            };
            cell(&name, score, found, Box::new(gains));
            let name = format!("{percent} % differ by {size:.0}, half gains");
            cell(
                &name,
                score,
                Equal,
                Box::new(move |stream| rare(stream, 0.5)),
            );
        }
        let skewed = move |stream: &mut Draws| match uniform(stream) {
            draw if draw < 0.2 * share => (1000.0, 1000.0 + 80.0 / share),
            draw if draw < share => (1000.0, 1000.0 - 20.0 / share),
            _ => (1000.0, 1000.0),
        };
        let name = format!("{percent} % differ, a fifth of them gains, 4 times as large");
        cell(&name, score, Skewed, Box::new(skewed));
    }
    // 5 % of the pairs outweigh the others.
    let outweighed = |stream: &mut Draws| {
        let loses = uniform(stream) < 0.05;
        (1000.0, if loses { 1000.0 - 19.0 * 30.0 } else { 1030.0 })
    };
    cell(
        "95 % gain 30, 5 % lose 570",
        score,
        Equal,
        Box::new(outweighed),
    );
    let matches = |share: f64| move |stream: &mut Draws| (sign(stream, 0.5), sign(stream, share));
    cell("1 and −1, mean 0", score, Equal, Box::new(matches(0.5)));
    cell(
        "1 and −1, means 0 and 0.1",
        score,
        Better,
        Box::new(matches(0.5505)),
    );
    cell(
        "1 and −1, means 0 and 0.4",
        score,
        Better,
        Box::new(matches(0.7)),
    );
    let level = |level: f64, step: f64, deviation: f64| {
        move |stream: &mut Draws| {
            let [one, other] = [deviation * normal(stream), deviation * normal(stream)];
            (level + one, level + step + other)
        }
    };
    cell(
        "normal, mean −1000",
        score,
        Equal,
        Box::new(level(-1000.0, 0.0, 300.0)),
    );
    cell(
        "normal, −1000 and −979",
        score,
        Better,
        Box::new(level(-1000.0, 21.0, 300.0)),
    );
    cell(
        "normal, mean 10, sd 300",
        score,
        Equal,
        Box::new(level(10.0, 0.0, 300.0)),
    );
    cell(
        "normal, means −15 and 16, sd 300",
        score,
        Better,
        Box::new(level(-15.0, 31.0, 300.0)),
    );
    // Openings from both sides: 0, 1/4 .. 1.
    let opening = |gain: f64, share: f64| {
        move |stream: &mut Draws| {
            let differs = uniform(stream) < share;
            (
                0.5,
                if differs {
                    0.5 + 0.25 * sign(stream, gain)
                } else {
                    0.5
                },
            )
        }
    };
    let direct = Measure::Match;
    cell(
        "matches, all even",
        direct,
        Equal,
        Box::new(opening(0.5, 0.0)),
    );
    cell(
        "matches, 1 % not even",
        direct,
        Equal,
        Box::new(opening(0.5, 0.01)),
    );
    cell(
        "matches, 40 % not even",
        direct,
        Equal,
        Box::new(opening(0.5, 0.4)),
    );
    cell(
        "matches, 5 % won",
        direct,
        Better,
        Box::new(opening(1.0, 0.05)),
    );
    cell(
        "matches, 40 % not even, 51 % of points",
        direct,
        Better,
        Box::new(opening(0.55, 0.4)),
    );
    cells
}

/// A simulated comparison of a cell, with the players exchanged or not: verdict and pairs.
fn simulate(cell: &Cell, seed: u64, is_exchanged: bool) -> (Verdict, u64) {
    let mut stream = Draws::seed_from_u64(seed);
    let mut test = PairedTest::new(cell.measure, None, ERROR, 1);
    loop {
        let next = next_look(test.pairs()).min(MAX_PAIRS);
        for _ in test.pairs()..next {
            let (first, other) = (cell.pair)(&mut stream);
            match (is_exchanged, cell.measure) {
                (false, _) => test.add(first, other),
                (true, Measure::Match) => test.add(first, 1.0 - other),
                (true, _) => test.add(other, first),
            }
        }
        if let Some(verdict) = test.look(next == MAX_PAIRS) {
            return (verdict, test.pairs());
        }
    }
}

/// Checks all cells with a number of simulations each, of which half have the players exchanged; `slack` is added to
/// each limit for their noise. The rows are those of the table in docs/statistics.md.
fn check_cells(simulations: u64, slack: f64) {
    println!(
        "| results | better | worse | no difference | undecided | mean pairs |\n|---|---:|---:|---:|---:|---:|"
    );
    let mut wrong = Vec::new();
    for cell in cells() {
        let runs: Vec<(Verdict, u64)> = (0..simulations)
            .into_par_iter()
            .map(|seed| match simulate(&cell, seed, seed % 2 == 1) {
                (Verdict::Better, pairs) if seed % 2 == 1 => (Verdict::Worse, pairs),
                (Verdict::Worse, pairs) if seed % 2 == 1 => (Verdict::Better, pairs),
                same => same,
            })
            .collect();
        let share = |verdict| {
            let found = runs.iter().filter(|run| run.0 == verdict);
            found.count() as f64 / simulations as f64
        };
        let verdicts = [
            Verdict::Better,
            Verdict::Worse,
            Verdict::NoDifference,
            Verdict::Undecided,
        ];
        let [better, worse, none, undecided] = verdicts.map(share);
        let pairs = runs.iter().map(|run| run.1).sum::<u64>() / simulations;
        let [shown_better, shown_worse, shown_none, shown_undecided] =
            [better, worse, none, undecided].map(|share| format!("{:.1} %", 100.0 * share));
        println!(
            "| {} | {shown_better} | {shown_worse} | {shown_none} | {shown_undecided} | {pairs} |",
            cell.name
        );
        let is_right = match cell.truth {
            Truth::Equal => better + worse <= ERROR + slack,
            Truth::Better => better >= 0.8 - slack && worse <= ERROR / 2.0 + slack,
            Truth::RarelyBetter => worse <= ERROR / 2.0 + slack,
            Truth::Skewed => true,
        };
        if !is_right {
            wrong.push(format!(
                "{} ({:?}): {better}, {worse}",
                cell.name, cell.truth
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_few_comparisons_that_hardly_vary_have_the_promised_errors() {
    check_cells(30, 0.15);
}

#[test]
#[ignore = "takes minutes; prints a table of docs/statistics.md"]
fn comparisons_that_hardly_vary_have_the_promised_errors() {
    check_cells(5000, 0.0);
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
