//! Tests of `mirrored-cma-es` with functions whose optimum is known, and with made-up games.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;
use crate::optimizer::{Learned, Noise, Parameter, Space};
use crate::stats::signal::Signal;
use tiletune_engine::heuristic::Scale;

fn config(text: &str) -> OptimizerConfig {
    let config = format!("name = 'mirrored-cma-es'\n{text}");
    toml::from_str(&config).unwrap()
}

fn new(text: &str, problem: Problem) -> Box<dyn Optimizer> {
    ENTRY.build(&config(text), problem).unwrap()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// An ellipsoid with a ridge: a condition number of 1e4 and correlated axes.
fn ellipsoid(x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    let axes = x.iter().enumerate();
    let squares: f64 = axes
        .map(|(i, x)| 10f64.powf(4.0 * i as f64 / last) * x * x)
        .sum();
    squares + x.iter().sum::<f64>().powi(2)
}

/// A curved valley to the optimum at 0.
fn rosenbrock(x: &[f64]) -> f64 {
    let term = |w: &[f64]| 100.0 * ((w[0] + 1.0).powi(2) - w[1] - 1.0).powi(2) + w[0].powi(2);
    x.windows(2).map(term).sum()
}

fn parameter(name: String, start: f64, [min, max]: [f64; 2]) -> Parameter {
    Parameter {
        name,
        start,
        min,
        max,
        scale: Scale::Linear,
        integer: false,
        choices: Vec::new(),
        step: 1.0,
        fixed: false,
    }
}

fn space(dimension: usize) -> Space {
    let one = |i| parameter(format!("p{i}"), 2.0, [-3.0, 5.0]);
    Space::new((0..dimension).map(one).collect()).unwrap()
}

/// Minimises a function until the optimizer stops, or for some generations. Returns the values at the center.
fn minimise(
    optimizer: &mut dyn Optimizer,
    space: &Space,
    generations: u32,
    mut loss: impl FnMut(&[f64]) -> f64,
) -> Vec<f64> {
    for _ in 0..generations {
        if optimizer.stop_reason().is_some() {
            break;
        }
        let population = optimizer.ask();
        let fitness = population.iter().map(|x| -loss(&space.decode(x)));
        optimizer.tell(&fitness.collect::<Vec<_>>(), Noise::NONE);
    }
    space.decode(&optimizer.distribution().center)
}

/// A function, and the fraction of its initial value that may remain.
type Goal = (fn(&[f64]) -> f64, f64);

#[test]
fn known_optima_are_found_with_all_kinds_of_samples() {
    let functions: [Goal; 3] = [(sphere, 1e-8), (ellipsoid, 1e-6), (rosenbrock, 1e-4)];
    for options in [
        "samples = 'mirrored'",
        "samples = 'orthogonal'",
        "samples = 'independent'",
        "selection = 'pairs'",
        "scales = false",
    ] {
        for (loss, left) in functions {
            let space = space(6);
            let text = format!("{options}\nsigma = 0.2");
            let mut losses: Vec<f64> = (0..3)
                .map(|seed| {
                    let mut optimizer = new(&text, Problem::new(space.start(), seed));
                    loss(&minimise(&mut *optimizer, &space, 250, loss))
                })
                .collect();
            losses.sort_by(f64::total_cmp);
            assert!(losses[1] < left * loss(&[2.0; 6]), "{options}: {losses:?}");
        }
    }
}

#[test]
fn the_first_candidates_are_opposite_pairs_at_a_fixed_distance() {
    for n in [4, 16] {
        let start = vec![0.5; n];
        let mut optimizer = new("uniform_points = 0", Problem::new(start.clone(), 3));
        assert!((optimizer.initial_step() - 0.4 / (n as f64).sqrt()).abs() < 1e-12);
        assert_eq!(optimizer.population() % 2, 0);
        for pair in optimizer.ask().chunks(2) {
            for (one, other) in pair[0].iter().zip(&pair[1]) {
                assert!((one + other - 1.0).abs() < 1e-12);
            }
        }
    }
    let steps = vec![0.5, 2.0];
    let problem = Problem::new(vec![0.5; 2], 3).with_steps(steps);
    let spread = new("sigma = 0.1", problem).distribution().spread;
    assert_eq!(spread, [0.05, 0.2]);
}

#[test]
fn a_start_at_a_bound_is_moved_inside() {
    let start = vec![-0.05, 0.06, 0.5, 1.05];
    let center = |text: &str| {
        new(text, Problem::new(start.clone(), 3))
            .distribution()
            .center
    };
    assert_eq!(center("sigma = 0.1\nstart_inside = 0"), start);
    for (options, nearest) in [("", 0.05), ("start_inside = 1.5", 0.1)] {
        let moved = center(&format!("sigma = 0.1\n{options}"));
        for (found, at) in moved.iter().zip(&start) {
            let expected = at.clamp(nearest, 1.0 - nearest);
            assert!((found - expected).abs() < 1e-12, "{moved:?}");
        }
    }
    // A wide step does not move it to the middle.
    assert!((center("sigma = 1")[0] - 0.2).abs() < 1e-12);
    // A start that an earlier search has found stays where it is.
    let learned = Learned {
        spread: vec![Some(0.1); 4],
        correlation: (0..4)
            .map(|i| (0..4).map(|j| f64::from(i == j)).collect())
            .collect(),
    };
    let problem = Problem::new(start.clone(), 3).with_learned(Some(learned));
    assert_eq!(new("", problem).distribution().center, start);
}

/// A scale is one number for each coordinate and C has many, so unequal scales are learned with fewer evaluations; a
/// rotated valley, where scales say nothing, is found as well ([`known_optima_are_found_with_all_kinds_of_samples`]).
#[test]
fn unequal_scales_are_learned_faster_than_correlations() {
    let unequal = |x: &[f64]| -> f64 {
        let axes = x.iter().enumerate();
        axes.map(|(i, x)| 10f64.powf(i as f64 / 5.0) * x * x).sum()
    };
    let space = space(20);
    let left = |options: &str| -> f64 {
        let one = |seed| {
            let mut optimizer = new(options, Problem::new(space.start(), seed));
            libm::log(unequal(&minimise(&mut *optimizer, &space, 150, unequal)))
        };
        (0..3).map(one).sum::<f64>() / 3.0
    };
    let (with, without) = (left("scales = true"), left("scales = false"));
    assert!(with < without - 3.0, "{with} {without}");
}

#[test]
fn it_begins_with_what_an_earlier_search_has_learned() {
    let learned = Learned {
        spread: vec![Some(0.03), None],
        correlation: vec![vec![1.0, 0.5], vec![0.5, 1.0]],
    };
    let problem = Problem::new(vec![0.4, 0.6], 1).with_learned(Some(learned));
    let optimizer = new("sigma = 0.1", problem);
    let distribution = optimizer.distribution();
    assert_eq!(distribution.center, [0.4, 0.6]);
    let correlation = distribution.correlation.unwrap();
    let expected = [
        (distribution.spread[0], 0.03),
        (distribution.spread[1], 0.1),
        (correlation[0][1], 0.5),
    ];
    for (found, expected) in expected {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn a_search_goes_on_from_one_that_has_converged_with_a_new_parameter() {
    // The axes of the earlier distribution differ by a factor of 100,000, and its spread is that of an end.
    for seed in 0..20 {
        let correlation = |i: usize, j: usize| if i == j { 1.0 } else { 1.0 - 1e-10 };
        let row = |i| {
            (0..5).map(move |j| {
                if i == 4 || j == 4 {
                    f64::from(i == j)
                } else {
                    correlation(i, j)
                }
            })
        };
        let learned = Learned {
            spread: vec![Some(2e-5), Some(3e-5), Some(1e-5), Some(2e-5), None],
            correlation: (0..5).map(|i| row(i).collect()).collect(),
        };
        let problem = Problem::new(vec![0.4; 5], seed).with_learned(Some(learned));
        let mut optimizer = new("", problem);
        let fitness = |x: &Vec<f64>| -x.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>();
        for _ in 0..20 {
            let told: Vec<f64> = optimizer.ask().iter().map(fitness).collect();
            optimizer.tell(&told, Noise::NONE);
            assert_eq!(optimizer.stop_reason(), None);
        }
        let center = optimizer.distribution().center;
        assert!((center[4] - 0.5).abs() < 0.02, "{center:?}");
    }
}

/// Five whole numbers from 0 to 3 and five numbers that matter ten thousand times as much.
fn mixed() -> (Space, impl Fn(&[f64]) -> f64) {
    let of = |i: usize| Parameter {
        integer: i < 5,
        choices: Vec::new(),
        ..parameter(
            format!("p{i}"),
            0.0,
            if i < 5 { [0.0, 3.0] } else { [-1.0, 1.0] },
        )
    };
    let loss = |x: &[f64]| {
        let whole: f64 = x[..5].iter().map(|k| (k - 2.0).powi(2)).sum();
        let sharp = x[5..].iter().enumerate();
        let sharp = sharp.map(|(i, x)| 10f64.powf(4.0 + i as f64 / 2.0) * (x - 0.25).powi(2));
        whole + sharp.sum::<f64>()
    };
    (Space::new((0..10).map(of).collect()).unwrap(), loss)
}

#[test]
fn whole_numbers_do_not_freeze() {
    let (space, loss) = mixed();
    let found = |has_boundaries: bool| {
        let right = |seed| {
            let problem = Problem::new(space.start(), seed);
            let problem = if has_boundaries {
                problem.with_boundaries(space.boundaries())
            } else {
                problem
            };
            let mut optimizer = new("population = 30", problem);
            let values = minimise(&mut *optimizer, &space, 600, &loss);
            values[..5] == [2.0; 5]
        };
        (0..6).filter(|seed| right(*seed)).count()
    };
    assert_eq!(found(true), 6);
    // What it is for.
    assert!(found(false) <= 3);
}

/// Three categories of three choices and five numbers. The choices decide where the sphere of the numbers has its
/// middle, and how deep it is. The deepest one is that of the choices 2, 0 and 1.
fn spheres() -> (Space, impl Fn(&[f64]) -> f64) {
    let category = |i: usize| Parameter {
        integer: true,
        choices: ["a", "b", "c"].map(str::to_owned).into(),
        ..parameter(format!("c{i}"), 0.0, [0.0, 2.0])
    };
    let number = |i: usize| parameter(format!("x{i}"), 0.0, [-1.0, 1.0]);
    let parameters = (0..3).map(category).chain((0..5).map(number));
    let loss = |values: &[f64]| {
        let (chosen, numbers) = values.split_at(3);
        let depth = |(right, choice): (f64, &f64)| 0.15 * (choice - right).abs();
        let depths: f64 = [2.0, 0.0, 1.0].into_iter().zip(chosen).map(depth).sum();
        let middles = numbers.iter().zip(chosen.iter().cycle());
        let squares = middles.map(|(x, choice)| (x - 0.2 * (choice - 1.0)).powi(2));
        depths + squares.sum::<f64>()
    };
    (Space::new(parameters.collect()).unwrap(), loss)
}

/// The choices that a search of 4,000 evaluations recommends. The noise is twice the step between two depths.
fn choices_found(text: &str, seed: u64) -> Vec<f64> {
    let (space, loss) = spheres();
    let problem = Problem::new(space.start(), seed).with_categories(space.categories());
    let mut optimizer = new(text, problem);
    let mut noise = Gaussian::new(seed);
    let generations = 4000 / optimizer.population() as u32;
    let noisy = |values: &[f64]| loss(values) + 0.3 * noise.normal();
    minimise(&mut *optimizer, &space, generations, noisy)[..3].to_vec()
}

#[test]
fn the_right_choices_are_found_under_noise() {
    let right = |seed: &u64| choices_found("", *seed) == [2.0, 0.0, 1.0];
    let count = (0..10).filter(right).count();
    assert!(count >= 9, "{count}");
}

#[test]
fn categories_alone_are_searched_too() {
    let (space, loss) = spheres();
    let alone = Space::new(space.parameters()[..3].to_vec()).unwrap();
    let problem = Problem::new(alone.start(), 5).with_categories(alone.categories());
    let mut optimizer = new("", problem);
    let whole = |chosen: &[f64]| loss(&[chosen, &[0.0; 5]].concat());
    let values = minimise(&mut *optimizer, &alone, 60, whole);
    // The choice b has the middle 0, where the numbers are.
    let best = |values: &[f64]| whole(values);
    let all = (0..27).map(|code| [code % 3, code / 3 % 3, code / 9].map(f64::from));
    let least = all
        .map(|values| best(&values))
        .fold(f64::INFINITY, f64::min);
    assert_eq!(best(&values), least);
    assert_eq!(optimizer.stop_reason(), None);
}

#[test]
fn a_search_with_choices_or_whole_numbers_stays_at_its_smallest_steps() {
    let (with_choices, of_choices) = spheres();
    let whole = |i: usize| Parameter {
        integer: true,
        ..parameter(format!("p{i}"), 0.0, [0.0, 5.0])
    };
    let of_whole = |x: &[f64]| x.iter().map(|k| (k - 3.0).abs()).sum::<f64>();
    let stays = |space: &Space, loss: &dyn Fn(&[f64]) -> f64| {
        for (text, seed) in [("", 1), ("", 2), ("restarts = 'ipop'", 3)] {
            let problem = Problem::new(space.start(), seed)
                .with_boundaries(space.boundaries())
                .with_categories(space.categories());
            let mut optimizer = new(text, problem);
            minimise(&mut *optimizer, space, 1500, loss);
            // IPOP has used up all of its restarts.
            assert_eq!(optimizer.stop_reason().is_some(), !text.is_empty());
            assert_eq!(optimizer.restart() > 0, !text.is_empty());
        }
    };
    stays(&with_choices, &of_choices);
    for count in [1, 3] {
        let space = Space::new((0..count).map(whole).collect()).unwrap();
        stays(&space, &of_whole);
    }
}

#[test]
fn a_constraint_at_the_optimum_is_reached_by_both_optimizers() {
    // The optimum without the constraint is low = 0.8, high = 0.2; with it 0.5 for both.
    let number = |name: &str, start| parameter(name.into(), start, [0.0, 1.0]);
    let space = Space::new(vec![number("low", 0.1), number("high", 0.6)]).unwrap();
    let rules = ["low < high".to_owned()];
    let space = space.with_rules(&rules, &Default::default(), &[]).unwrap();
    let loss = |x: &[f64]| {
        assert!(x[0] < x[1], "{x:?}");
        (x[0] - 0.8).powi(2) + (x[1] - 0.2).powi(2)
    };
    for name in ["cma-es", "mirrored-cma-es"] {
        for seed in 0..3 {
            let problem = Problem::new(space.start(), seed).with_constraints(space.constraints());
            let config: OptimizerConfig = toml::from_str(&format!("name = '{name}'")).unwrap();
            let optimizers = crate::optimizer::Optimizers::builtin();
            let mut optimizer = optimizers.build(&config, problem).unwrap();
            let values = minimise(&mut *optimizer, &space, 80, loss);
            let is_near = values.iter().all(|value| (value - 0.5).abs() < 0.01);
            assert!(is_near, "{name}, {seed}: {values:?}");
        }
    }
}

#[test]
fn mistakes_name_the_key_and_what_is_allowed() {
    let wrong = |text: &str| {
        let error = ENTRY.build(&config(text), Problem::new(vec![0.5; 2], 1));
        error.err().unwrap().to_string()
    };
    assert!(wrong("sigma = 2.0").starts_with("sigma = 2 is not allowed: from 1e-6 to 1"));
    assert!(wrong("samples = 'pairs'").contains("`mirrored`, `orthogonal`, `independent`"));
    assert!(wrong("cm = 0.0").starts_with("mean_learning_rate = 0"));
    assert!(wrong("start_inside = -1.0").contains("from 0 to 2"));
    assert!(wrong("samples = 'independent'\nselection = 'pairs'").contains("have no pairs"));
    let endless =
        "restarts = 'ipop'\nstop_rules = { stagnation = false, tolerance_coordinates = 0.0 }";
    assert!(wrong(endless).contains("must be able to end"));
    let filled_in = (ENTRY.fill_in)(&config("cm = 0.5")).unwrap();
    assert_eq!(filled_in["samples"].as_str(), Some("mirrored"));
    assert_eq!(filled_in["mean_learning_rate"].as_float(), Some(0.5));
    assert!(!filled_in.contains_key("sigma"));
}

/// Random numbers for made-up games.
struct Gaussian(Xoshiro256PlusPlus);

impl Gaussian {
    fn new(seed: u64) -> Self {
        Gaussian(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Nearly N(0, 1): a sum of 12 uniform numbers.
    fn normal(&mut self) -> f64 {
        let mut uniform = || (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }
}

#[test]
fn the_step_size_neither_grows_nor_falls_where_fitness_is_noise() {
    let mean_growth = |text: &str, value: fn(f64) -> f64| {
        let growth = |seed| {
            let mut noise = Gaussian::new(seed);
            let mut optimizer = new(text, Problem::new(vec![0.5; 6], seed));
            for _ in 0..12 {
                let fitness: Vec<f64> = (0..optimizer.population())
                    .map(|_| value(noise.normal()))
                    .collect();
                optimizer.tell(&fitness, Noise::of_one_game(1.0));
            }
            (optimizer.diagnostics()[0] / optimizer.initial_step()).ln()
        };
        (0..300).map(growth).sum::<f64>() / 300.0
    };
    let options = [
        "samples = 'mirrored'",
        "samples = 'independent'",
        "selection = 'pairs'",
    ];
    // Scores, and games of which nine of ten are won: most candidates have equal fitness.
    let values: [fn(f64) -> f64; 2] = [|normal| normal, |normal| f64::from(normal > -1.28)];
    for value in values {
        let growth = options.map(|options| mean_growth(&format!("sigma = 0.02\n{options}"), value));
        // Luck takes up to 3 % a generation from C. With the mass of independent samples the mirrored ones would lose more
        // than half of the step size in addition.
        for one in growth {
            assert!(
                (one - growth[1]).abs() < 0.3 && one.abs() < 0.5,
                "{growth:?}"
            );
        }
    }
}

#[test]
fn luck_in_won_and_lost_games_hardly_shrinks_the_distribution() {
    let shrinks = |value: fn(f64) -> f64| {
        let text = "sigma = 0.02\nuniform_points = 0\nrestarts = 'none'";
        let mut noise = Gaussian::new(3);
        let mut optimizer = new(text, Problem::new(vec![0.5; 6], 3));
        let volume = |optimizer: &dyn Optimizer| {
            let spread = optimizer.distribution().spread;
            spread.iter().map(|one| one.ln()).sum::<f64>() / spread.len() as f64
        };
        let before = volume(&*optimizer);
        for _ in 0..150 {
            let count = optimizer.next_population();
            let fitness: Vec<f64> = (0..count).map(|_| value(noise.normal())).collect();
            optimizer.tell(&fitness, Noise::of_one_game(1.0));
        }
        before - volume(&*optimizer)
    };
    let (kept, shrunk) = (
        shrinks(|normal| f64::from(normal > 0.0)),
        shrinks(|normal| normal),
    );
    assert!(kept < 0.5 * shrunk && shrunk > 1.0, "{kept} {shrunk}");
}

/// Rastrigin's function, whose local optima lie at distance 1, with the optimum 0 at 1.
fn rastrigin(x: &[f64]) -> f64 {
    let term = |x: &f64| {
        let z = x - 1.0;
        z * z + 10.0 - 10.0 * (std::f64::consts::TAU * z).cos()
    };
    x.iter().map(term).sum()
}

/// Searches the minimum of Rastrigin's function with noise of standard deviation 2 a game and the schedule of
/// `games = "auto"`. Returns the loss of the best finalist, and the number of restarts.
fn restarts_under_noise(text: &str, seed: u64, budget: f64) -> (f64, u32) {
    let one = |i| parameter(format!("p{i}"), 4.0, [-5.12, 5.12]);
    let space = Space::new((0..3).map(one).collect()).unwrap();
    let mut noise = Gaussian::new(seed);
    let mut optimizer = new(text, Problem::new(space.start(), seed));
    let (mut games, mut signal, mut used) = (2.0f64, None, 0.0);
    while optimizer.stop_reason().is_none() {
        let played = games.round();
        used += played * optimizer.next_population() as f64;
        if used > budget {
            break;
        }
        let population = optimizer.ask();
        let deviation = 2.0 / played.sqrt();
        let value = |x: &Vec<f64>| deviation * noise.normal() - rastrigin(&space.decode(x));
        let fitness: Vec<f64> = population.iter().map(value).collect();
        let noise_of_value = Noise {
            of_value: deviation,
            games: played as u32,
        };
        optimizer.tell(&fitness, noise_of_value);
        // The rule of `games = "auto"`, without the division by the mean.
        let latest = Signal::of(&fitness, deviation).variance();
        let smoothed = signal.map_or(latest, |before: f64| 0.2 * latest + 0.8 * before);
        let needed = (4.0 / smoothed).min(1e7);
        games = needed.clamp(games / 1.3, games * 1.3).clamp(2.0, 400.0);
        signal = Some(smoothed);
        if optimizer.ended_restarts().len() > optimizer.restart() as usize {
            (games, signal) = (2.0, None);
        }
    }
    let finalists = optimizer.finalists();
    let losses = finalists
        .iter()
        .map(|one| rastrigin(&space.decode(&one.point)));
    (losses.fold(f64::INFINITY, f64::min), optimizer.restart())
}

#[test]
fn restarts_take_place_under_noise() {
    for seed in 0..5 {
        let (loss, restarts) = restarts_under_noise("restarts = 'ipop'", seed, 600_000.0);
        println!("seed {seed}: loss {loss:.3} after {restarts} restarts");
        assert!(restarts >= 2 && loss < 0.2, "{seed}: {loss} {restarts}");
    }
}

#[test]
fn restarts_take_place_with_whole_numbers() {
    let one = |i: usize| Parameter {
        integer: i == 2,
        ..parameter(
            format!("p{i}"),
            [-4.0, 4.0, 0.0][i],
            [[-5.0, 5.0], [-5.0, 5.0], [0.0, 5.0]][i],
        )
    };
    let space = Space::new((0..3).map(one).collect()).unwrap();
    for seed in 0..5 {
        let problem = Problem::new(space.start(), seed).with_boundaries(space.boundaries());
        let mut optimizer = new("restarts = 'ipop'", problem);
        // Hardly any noise, which a search with one game a candidate does not know.
        let mut noise = Gaussian::new(seed);
        let mut left = 4000;
        while left > optimizer.next_population() {
            let population = optimizer.ask();
            left -= population.len();
            let value = |at: &Vec<f64>| {
                let x = space.decode(at);
                let numbers = rastrigin(&[x[0] - 1.3, x[1] + 2.2]);
                0.01 * noise.normal() - numbers - (x[2] - 3.0).abs()
            };
            let told: Vec<f64> = population.iter().map(value).collect();
            optimizer.tell(&told, Noise::NONE);
        }
        // Without a limit to the generations at the smallest steps there are none.
        println!("seed {seed}: {} restarts", optimizer.restart());
        assert!(optimizer.restart() > 0, "{seed}");
    }
}

#[test]
#[ignore = "a measurement: prints the cost of an ask and of a tell with 80 parameters"]
fn cost_of_an_ask_with_80_parameters() {
    for categories in [0, 20] {
        cost_of_an_ask(categories);
    }
}

/// Prints the cost with 80 parameters, so many of which are categories of four choices.
fn cost_of_an_ask(categories: usize) {
    let choices = |index: usize| {
        if index < categories {
            vec![0.2, 0.4, 0.6, 0.8]
        } else {
            Vec::new()
        }
    };
    let problem = Problem::new(vec![0.5; 80], 1);
    let problem = problem.with_categories((0..80).map(choices).collect());
    let mut optimizer = new("", problem);
    let mut noise = Gaussian::new(1);
    let (mut ask, mut tell) = (Vec::new(), Vec::new());
    for _ in 0..101 {
        let fitness: Vec<f64> = (0..optimizer.population())
            .map(|_| noise.normal())
            .collect();
        let begin = std::time::Instant::now();
        optimizer.ask();
        ask.push(begin.elapsed());
        let begin = std::time::Instant::now();
        optimizer.tell(&fitness, Noise::of_one_game(1.0));
        tell.push(begin.elapsed());
    }
    ask.sort();
    tell.sort();
    println!(
        "{categories} categories: median ask {:?}, median tell {:?}",
        ask[50], tell[50]
    );
}

#[test]
fn the_earlier_mean_is_recommended_until_the_new_one_has_reached_its_level() {
    let mut noise = Gaussian::new(5);
    let mut optimizer = new("uniform_points = 0", Problem::new(vec![0.5; 6], 5));
    let mut told = |optimizer: &mut dyn Optimizer, level: f64| {
        let fitness = (0..optimizer.next_population()).map(|_| level + noise.normal());
        optimizer.tell(&fitness.collect::<Vec<f64>>(), Noise::of_one_game(1.0));
    };
    let first_population = optimizer.population();
    while optimizer.ended_restarts().is_empty() {
        told(&mut *optimizer, 50.0);
    }
    assert_eq!(optimizer.next_population(), 2 * first_population);
    let mean = optimizer.finalists()[0].point.clone();
    for _ in 0..12 {
        told(&mut *optimizer, 20.0);
    }
    let [only] = &optimizer.finalists()[..] else {
        panic!("there is one finalist");
    };
    assert_eq!((only.restart, &only.point), (0, &mean));
    assert_ne!(optimizer.distribution().center, mean);
    for _ in 0..12 {
        told(&mut *optimizer, 60.0);
    }
    let only = &optimizer.finalists()[0];
    assert_eq!(
        (only.restart, &only.point),
        (1, &optimizer.distribution().center)
    );
}

#[test]
fn a_new_beginning_of_fewer_generations_than_parameters_can_be_recommended() {
    for (level, recommended) in [(20.0, 0), (50.0, 1), (60.0, 1)] {
        let mut noise = Gaussian::new(5);
        let mut optimizer = new("uniform_points = 0", Problem::new(vec![0.5; 30], 5));
        let mut told = |optimizer: &mut dyn Optimizer, level: f64| {
            let fitness = (0..optimizer.next_population()).map(|_| level + noise.normal());
            optimizer.tell(&fitness.collect::<Vec<f64>>(), Noise::of_one_game(1.0));
        };
        while optimizer.ended_restarts().is_empty() {
            told(&mut *optimizer, 50.0);
        }
        for _ in 0..12 {
            told(&mut *optimizer, level);
        }
        assert_eq!(optimizer.finalists()[0].restart, recommended, "{level}");
    }
}

#[test]
fn a_search_with_categories_does_not_begin_again() {
    let restarts = |problem: Problem| {
        let mut noise = Gaussian::new(5);
        let mut optimizer = new("uniform_points = 0", problem);
        for _ in 0..100 {
            let fitness = (0..optimizer.next_population()).map(|_| noise.normal());
            optimizer.tell(&fitness.collect::<Vec<f64>>(), Noise::of_one_game(1.0));
        }
        optimizer.ended_restarts().len()
    };
    let numbers = Problem::new(vec![0.5; 3], 5);
    let category = numbers.clone();
    let category = category.with_categories(vec![vec![0.2, 0.8], vec![], vec![]]);
    assert!(restarts(numbers) > 0);
    assert_eq!(restarts(category), 0);
}
