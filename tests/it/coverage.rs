//! Coverage of the printed 95 % intervals on scores of real games: how often an interval from n games
//! contains the truth of the population that the games are drawn from. The test is ignored, because it takes
//! minutes. Its last result stands in `docs/statistics.md`.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use tiletune::config::weights_file::{self, published};
use tiletune::random::Stream;
use tiletune::results::{PairedDifference, Verdict};
use tiletune::stats::bootstrap::{Resampling, mean_interval};
use tiletune::stats::difference::{median_difference, paired_difference};
use tiletune::stats::games::results;
use tiletune::stats::intervals::{Interval, median_interval, share_interval, t_interval};
use tiletune::stats::points::points_interval;
use tiletune::stats::summary::{mean, median, standard_error};
use tiletune::{Catalogue, Evaluate, Local, PlayerConfig, Progress, Weights};

/// Samples of a cell of the table, for intervals with resamples and for those without.
const WITH_RESAMPLES: u32 = 2000;
const WITHOUT_RESAMPLES: u32 = 20_000;
/// Bootstrap resamples of an interval.
const RESAMPLES: u32 = 1000;
/// Observations in a sample.
const SIZES: [usize; 4] = [30, 100, 300, 1000];
/// If this part of the samples or less has an interval, its coverage is not printed.
const SMALLEST_PART: f64 = 0.1;

/// What the intervals of a row of the table must cover.
#[derive(Clone, Copy)]
struct Bounds {
    least: f64,
    most: f64,
    replications: u32,
}

const NOMINAL: Bounds = Bounds {
    least: 0.93,
    most: 0.97,
    replications: WITH_RESAMPLES,
};
/// The same without resamples.
const EXACT: Bounds = Bounds {
    replications: WITHOUT_RESAMPLES,
    ..NOMINAL
};
/// Of shares: they may cover more.
const AT_LEAST: Bounds = Bounds { most: 1.0, ..EXACT };
/// Of sparse differences: they may cover more.
const SPARSE: Bounds = Bounds {
    most: 1.0,
    ..NOMINAL
};
/// Shares of verdicts where there is no difference.
const FALSE_VERDICTS: Bounds = Bounds {
    least: 0.0,
    most: 0.07,
    replications: WITH_RESAMPLES,
};

/// Results of a player, or of two players on the same seeds (tuned, start).
type Pairs = Vec<[f64; 2]>;

fn player(name: &str, game: &str, options: &[(&str, i32)]) -> PlayerConfig {
    let config = PlayerConfig::new(name, Some(game));
    let with = |config: PlayerConfig, &(key, value): &(&str, i32)| config.with(key, value);
    options.iter().fold(config, with)
}

/// The results of two sets of weights of a player on the same seeds.
fn played(config: &PlayerConfig, weights: [&Weights; 2], count: u64) -> Pairs {
    let player = Catalogue::builtin().player(config).expect("a player");
    let seeds = player.players().game_seeds(1, Stream::Evaluate, 0, count);
    let local = Local::new(player, None).expect("threads");
    let [tuned, start] = weights.map(|weights| {
        let games = local.games(weights, &seeds, &Progress::default());
        results(&games.expect("games"))
    });
    tuned.into_iter().zip(start).map(Into::into).collect()
}

/// The published weights of a player with some of them changed.
fn changed(config: &PlayerConfig, values: &[(&str, f64)]) -> Weights {
    let player = Catalogue::builtin().player(config).expect("a player");
    let changed = published(&player).with(values.iter().copied(), &player.parameters());
    changed.expect("weights")
}

fn sample(population: &Pairs, n: usize, stream: &mut Xoshiro256PlusPlus) -> [Vec<f64>; 2] {
    let all = population.len() as u128;
    let draw = |_| population[((u128::from(stream.next_u64()) * all) >> 64) as usize];
    let drawn: Vec<[f64; 2]> = (0..n).map(draw).collect();
    [0, 1].map(|side| drawn.iter().map(|pair| pair[side]).collect())
}

/// The table, printed row by row.
struct Table {
    /// Rows with a cell outside of their bounds.
    outside: Vec<String>,
}

impl Table {
    /// Prints a row, a cell for each size: the share of samples for which `hit` says yes, of those for which
    /// it says anything.
    fn row(
        &mut self,
        name: &str,
        population: &Pairs,
        bounds: Bounds,
        mut hit: impl FnMut([Vec<f64>; 2], u64) -> Option<bool>,
    ) {
        let mut cells = Vec::new();
        for n in SIZES {
            let mut stream = Xoshiro256PlusPlus::seed_from_u64(n as u64);
            let (mut printed, mut hits) = (0, 0);
            for replication in 0..bounds.replications {
                let drawn = sample(population, n, &mut stream);
                if let Some(is_hit) = hit(drawn, u64::from(replication)) {
                    printed += 1;
                    hits += u32::from(is_hit);
                }
            }
            let part = f64::from(printed) / f64::from(bounds.replications);
            if part <= SMALLEST_PART {
                cells.push("–".to_owned());
                continue;
            }
            let share = f64::from(hits) / f64::from(printed);
            let part = if printed == bounds.replications {
                String::new()
            } else {
                format!(" ({:.0})", 100.0 * part)
            };
            if !(bounds.least..=bounds.most).contains(&share) {
                self.outside.push(format!("{name}, n = {n}: {share}"));
            }
            cells.push(format!("{:.1}{part}", 100.0 * share));
        }
        println!("| {name} | {} |", cells.join(" | "));
    }
}

fn contains(interval: Interval, truth: f64) -> bool {
    // The population is finite: round-off must not decide.
    let error = 1e-9 * truth.abs().max(1.0);
    interval.low <= truth + error && truth - error <= interval.high
}

fn of(population: &Pairs, side: usize) -> Vec<f64> {
    population.iter().map(|pair| pair[side]).collect()
}

fn rows_of_scores(table: &mut Table, name: &str, population: &Pairs) {
    let scores = of(population, 0);
    let (of_mean, of_median) = (mean(&scores), median(&scores));
    table.row(
        &format!("{name}: mean score"),
        population,
        NOMINAL,
        |[drawn, _], seed| {
            Some(contains(
                mean_interval(&drawn, Resampling::new(RESAMPLES, seed))?,
                of_mean,
            ))
        },
    );
    table.row(
        &format!("{name}: mean score, Student's t alone"),
        population,
        EXACT,
        |[drawn, _], _| {
            let (n, error) = (drawn.len() as u64, standard_error(&drawn));
            Some(contains(t_interval(mean(&drawn), error, n)?, of_mean))
        },
    );
    table.row(
        &format!("{name}: median score"),
        population,
        EXACT,
        |[drawn, _], _| Some(contains(median_interval(&drawn)?, of_median)),
    );
}

fn rows_of_differences(table: &mut Table, name: &str, population: &Pairs, bounds: Bounds) {
    let (tuned, start) = (of(population, 0), of(population, 1));
    let truth = mean(&tuned) - mean(&start);
    let covers = |difference: PairedDifference, truth: f64| {
        let [low, high] = difference.interval()?;
        Some(contains(Interval { low, high }, truth))
    };
    table.row(
        &format!("{name}: difference"),
        population,
        bounds,
        |[tuned, start], seed| {
            covers(
                paired_difference(&tuned, &start, Resampling::new(RESAMPLES, seed)),
                truth,
            )
        },
    );
    // Each pair turned about at random: there is no difference.
    let mut stream = Xoshiro256PlusPlus::seed_from_u64(77);
    table.row(
        &format!("{name}: false verdicts"),
        population,
        FALSE_VERDICTS,
        |[tuned, start], seed| {
            let pairs = tuned.into_iter().zip(start);
            let turn = |(one, other)| match stream.next_u64() >> 63 {
                0 => (one, other),
                _ => (other, one),
            };
            let (tuned, start): (Vec<f64>, Vec<f64>) = pairs.map(turn).unzip();
            let verdict =
                paired_difference(&tuned, &start, Resampling::new(RESAMPLES, seed)).verdict;
            Some(matches!(verdict, Verdict::Better | Verdict::Worse))
        },
    );
}

fn row_of_medians(table: &mut Table, name: &str, population: &Pairs) {
    let truth = median(&of(population, 0)) - median(&of(population, 1));
    let name = format!("{name}: difference of medians");
    table.row(&name, population, NOMINAL, |[tuned, start], seed| {
        let [low, high] =
            median_difference(&tuned, &start, 1, Resampling::new(RESAMPLES, seed)).interval()?;
        Some(contains(Interval { low, high }, truth))
    });
}

fn row_of_points(table: &mut Table, name: &str, population: &Pairs) {
    let truth = mean(&of(population, 0));
    let name = format!("{name}: points");
    table.row(&name, population, AT_LEAST, |[points, _], _| {
        Some(contains(points_interval(&points), truth))
    });
}

fn rows_of_shares(table: &mut Table) {
    for share in [0.005, 0.05, 0.5, 0.95] {
        let size = 20_000;
        let reached = (share * f64::from(size)) as i32;
        let one = |index| [f64::from(u8::from(index < reached)); 2];
        let population = (0..size).map(one).collect();
        let name = format!("share of {} %", 100.0 * share);
        table.row(&name, &population, AT_LEAST, |[drawn, _], _| {
            let interval = share_interval(drawn.iter().sum(), drawn.len() as u64);
            Some(contains(interval, share))
        });
    }
}

#[test]
#[ignore = "takes minutes; prints the table of docs/statistics.md"]
fn intervals_cover_the_truth() {
    let table = &mut Table {
        outside: Vec::new(),
    };
    println!("| interval | n = 30 | 100 | 300 | 1000 |\n|---|---:|---:|---:|---:|");
    for (depth, count) in [(0, 50_000), (1, 20_000)] {
        let expectimax = player("expectimax", "2048", &[("depth", depth)]);
        let less = changed(&expectimax, &[("empty", 200.0)]);
        let population = played(&expectimax, [&changed(&expectimax, &[]), &less], count);
        let name = format!("2048, depth {depth}");
        rows_of_scores(table, &name, &population);
        rows_of_differences(table, &name, &population, NOMINAL);
        row_of_medians(table, &name, &population);
    }
    let three = player("expectimax", "three-plus-three", &[("depth", 0)]);
    let weights = changed(&three, &[]);
    rows_of_scores(table, "3+3", &played(&three, [&weights, &weights], 20_000));
    rows_of_shares(table);

    // The board for which the weights were tuned.
    let options = [("depth", 2), ("rows", 7), ("columns", 6)];
    let strings = player("strings", "connect-four", &options);
    let path = "configs/weights/connect-four-strings-tuned.toml";
    let spec = Catalogue::builtin().player(&strings).expect("a player");
    let (_, tuned) = weights_file::read(path.as_ref(), &spec).expect("weights");
    // From many to few different results.
    for (term, value) in [
        ("zugzwang", 0.0),
        ("lacks_3_ready_3", 0.0),
        ("stacked_threats", 0.0),
        ("fork_move", 0.0),
    ] {
        let other = tuned
            .with([(term, value)], &spec.parameters())
            .expect("weights");
        let population = played(&strings, [&tuned, &other], 20_000);
        let different = population.iter().filter(|[one, other]| one != other);
        let percent = 100.0 * different.count() as f64 / population.len() as f64;
        let name = format!("connect-four, `{term} = {value}` ({percent:.1} % differ)");
        rows_of_differences(table, &name, &population, SPARSE);
        if term == "zugzwang" {
            row_of_points(table, "connect-four, tuned weights", &population);
        }
    }
    let even = changed(&strings, &[]);
    let weaker = tuned
        .with([("zugzwang", 0.0)], &spec.parameters())
        .expect("weights");
    let population = played(&strings, [&weaker, &even], 20_000);
    row_of_points(table, "connect-four, `zugzwang = 0`", &population);
    let turned: Pairs = population
        .iter()
        .map(|&[one, other]| [other, one])
        .collect();
    row_of_points(table, "connect-four, published weights", &turned);
    let outside = &table.outside;
    assert!(outside.is_empty(), "{}", outside.join("\n"));
}
