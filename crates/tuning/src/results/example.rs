//! Artificial runs for tests: one like a real campaign, and unusual ones.

use std::collections::BTreeMap;

use crate::results::compare::{Challenge, ComparedPlayer, ComparisonResults, Measure};
use crate::results::experiment::{
    Comparison, ExperimentResults, McNemarTest, MoveAccuracy, RowResult,
};
use crate::results::importance::{Importance, ParameterImportance, SlicePoint};
use crate::results::pruning::{PruneStep, Pruned};
use crate::results::retuned::{Retuned, RetunedRow};
use crate::results::sensitivity::{ParameterMove, Sensitivity};
use crate::results::*;
use crate::stats::bootstrap::Resampling;
use crate::stats::difference::{paired_difference, verdict};
use crate::stats::games::{results, summarize};
use crate::stats::intervals::{Interval, t_interval};
use crate::stats::paired_test::PairedTest;
use tiletune_engine::heuristic::Scale;
use tiletune_engine::record::{GameRecord, GameResult, Outcome};

/// Pseudo-random numbers, evenly distributed in 0..1. The sequence is the same in every test run.
pub struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An approximately standard normal number.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

const NAMES: [&str; 15] = [
    "empty_cells",
    "monotonicity",
    "smoothness",
    "merges",
    "sum",
    "max_tile_in_corner",
    "snake_order",
    "edge_distance",
    "freedom",
    "isolation",
    "power",
    "distinct_tiles",
    "second_largest_tile_beside_the_largest_in_a_row",
    "lost_penalty",
    "tempo",
];

/// A finished campaign.
pub fn run(parameters: usize, generations: u32, games: usize) -> RunData {
    let mut noise = Noise(parameters as u64 * 1_000 + u64::from(generations));
    let parameters = example_parameters(parameters);
    let rows = (0..generations)
        .map(|generation| row(generation, &parameters, &mut noise))
        .collect();
    let hold_out_start = hold_out(games, 9_400.0, &mut noise);
    let hold_out_tuned = hold_out(games, 14_100.0, &mut noise);
    let tuned = parameters
        .iter()
        .map(|each| if each.fixed { each.start } else { target(each) });
    RunData {
        name: "expectimax-six".to_owned(),
        why: "How far do six hand-written terms go when their weights are tuned?".to_owned(),
        game: "2048".to_owned(),
        player: "expectimax, depth 1".to_owned(),
        objective: "mean score (points)".to_owned(),
        objective_is_mean_score: true,
        seed: 7,
        hold_out_seed: 1_234_567,
        tuned: Some(tuned.collect()),
        diagnostics: DIAGNOSTICS,
        correlation: Some(correlation(&parameters, &mut noise)),
        generations: rows,
        validation: Some(validation(&hold_out_start, &hold_out_tuned)),
        importance: Some(importance(&parameters)),
        inactive: Vec::new(),
        at_bounds: Vec::new(),
        earlier: Vec::new(),
        start_level: None,
        notices: Vec::new(),
        unmeasured: None,
        parameters,
        hold_out_start,
        hold_out_tuned,
        facts: vec![
            (
                "Status".to_owned(),
                "finished: step size below 1e-3".to_owned(),
            ),
            ("Version".to_owned(), "0.1.0".to_owned()),
        ],
    }
}

const DIAGNOSTICS: &[Diagnostic] = &[
    Diagnostic {
        name: "sigma",
        label: "step size σ",
        unit: "1 = the whole width of a parameter’s bounds",
        meaning: "step size of the search",
        scale: Scale::Log,
    },
    Diagnostic {
        name: "axis_ratio",
        label: "axis ratio",
        unit: "longest to shortest axis of the distribution",
        meaning: "how stretched the search distribution is",
        scale: Scale::Log,
    },
];

fn diagnostics(sigma: f64, axis_ratio: f64) -> Vec<(String, f64)> {
    vec![
        ("sigma".to_owned(), sigma),
        ("axis_ratio".to_owned(), axis_ratio),
    ]
}

fn example_parameters(count: usize) -> Vec<Parameter> {
    let parameter = |index: usize| {
        let fixed = index == 4 && count > 5;
        let scale = if index % 3 == 1 {
            Scale::Log
        } else {
            Scale::Linear
        };
        let start = [2.5, 1.0, 300.0, -0.1][index % 4];
        let (min, max) = match (fixed, index % 4) {
            (true, _) => (start, start),
            (_, 0) => (0.1, 10.0),
            (_, 1) => (0.01, 100.0),
            (_, 2) => (1.0, 12_000.0),
            _ => (-1.0, 0.5),
        };
        let scale = if min <= 0.0 { Scale::Linear } else { scale };
        let mut parameter = Parameter {
            name: NAMES[index % 15].to_owned(),
            start,
            min,
            max,
            scale,
            integer: false,
            choices: Vec::new(),
            step: 1.0,
            fixed,
        };
        if !fixed {
            parameter.start = at(&parameter, 0.4);
        }
        parameter
    };
    (0..count).map(parameter).collect()
}

fn target(parameter: &Parameter) -> f64 {
    at(parameter, target_unit(parameter))
}

fn target_unit(parameter: &Parameter) -> f64 {
    0.2 + 0.6 * (parameter.name.len() % 5) as f64 / 4.0
}

fn at(parameter: &Parameter, unit: f64) -> f64 {
    match parameter.scale {
        Scale::Linear => parameter.min + unit * (parameter.max - parameter.min),
        Scale::Log => parameter.min * (parameter.max / parameter.min).powf(unit),
    }
}

fn row(generation: u32, parameters: &[Parameter], noise: &mut Noise) -> GenerationRow {
    let progress = 1.0 - (-f64::from(generation) / 30.0).exp();
    let mean = 8_000.0 + 6_000.0 * progress + 300.0 * noise.normal();
    let sigma = 0.3 * (1.0 - progress) + 0.004;
    let center = parameters.iter().map(|each| {
        let wobble = 0.1 * sigma * noise.normal();
        let unit = 0.4 + (target_unit(each) - 0.4) * progress + wobble;
        if each.fixed {
            each.start
        } else {
            at(each, unit.clamp(0.0, 1.0))
        }
    });
    let center: Vec<f64> = center.collect();
    GenerationRow {
        generation,
        restart: generation / 120,
        population: 14,
        refused: 0,
        failed_games: 0,
        games: if generation < 60 { 20 } else { 80 },
        best: mean + 900.0 + 200.0 * noise.next(),
        mean,
        median: mean + 20.0,
        worst: mean - 1_100.0 - 400.0 * noise.next(),
        noise: if generation < 60 { 600.0 } else { 300.0 },
        residual: if generation < 60 { 600.0 } else { 300.0 },
        signal: 1.0 - 0.8 * progress,
        signal_wanted: None,
        games_needed: 5.0 + 200.0 * progress,
        gain: 500.0 * (1.0 - progress),
        diagnostics: diagnostics(sigma, 1.0 + 12.0 * progress),
        center,
        spread: parameters
            .iter()
            .map(|each| if each.fixed { 0.0 } else { sigma })
            .collect(),
    }
}

fn hold_out(games: usize, typical: f64, noise: &mut Noise) -> Vec<GameRecord> {
    let game = |index| {
        let score = (typical * (0.45 * noise.normal()).exp()) as u64 / 4 * 4;
        let max_tile = 1_u32 << ((score as f64 / 1.3).log2() - 2.6).clamp(4.0, 15.0) as u32;
        GameRecord {
            seed: index as u64,
            result: GameResult::scored_with_tile(score, max_tile),
            moves: (score / 20) as u32,
            leaf_evaluations: score * 9,
        }
    };
    (0..games).map(game).collect()
}

fn correlation(parameters: &[Parameter], noise: &mut Noise) -> Correlation {
    let names: Vec<String> = parameters
        .iter()
        .filter(|each| !each.fixed)
        .map(|each| each.name.clone())
        .collect();
    let mut matrix = vec![vec![1.0; names.len()]; names.len()];
    let pairs = (0..names.len()).flat_map(|row| (0..row).map(move |column| (row, column)));
    for (row, column) in pairs {
        let value = (noise.normal() * 0.4).clamp(-0.99, 0.99);
        matrix[row][column] = value;
        matrix[column][row] = value;
    }
    Correlation { names, matrix }
}

/// The first free parameter has the largest effect, the last one none that luck does not explain.
fn importance(parameters: &[Parameter]) -> Importance {
    let free = parameters.iter().enumerate().filter(|(_, one)| !one.fixed);
    let free: Vec<usize> = free.map(|(index, _)| index).collect();
    let of = |(place, index): (usize, &usize)| {
        let effect = 900.0 / (1.0 + place as f64);
        let [from, to] = [0.2, 0.8];
        let tuned = target_unit(&parameters[*index]);
        let fitted = |position: f64| -2.5 * effect * (position - tuned).powi(2);
        let point = |number: u32| {
            let position = from + 0.03 * f64::from(number);
            let difference = fitted(position);
            SlicePoint {
                position,
                difference,
                low: difference - 40.0,
                high: difference + 40.0,
            }
        };
        let candidate = |number: u32| {
            let position = 0.05 + 0.9 * f64::from(number * 7 % 40) / 40.0;
            let noise = 300.0 * (f64::from(number * 13 % 41) / 40.0 - 0.5);
            [position, fitted(position) + noise]
        };
        ParameterImportance {
            index: *index,
            effect,
            low: 0.8 * effect,
            high: 1.3 * effect,
            by_luck: if place + 1 == free.len() {
                1.2 * effect
            } else {
                100.0
            },
            from,
            to,
            slice: (0..=20).map(point).collect(),
            candidates: (0..40).map(candidate).collect(),
        }
    };
    Importance {
        candidates: 560,
        generations: 40,
        all_generations: 40,
        has_pairs: true,
        predicted: 0.62,
        parameters: free.iter().enumerate().map(of).collect(),
    }
}

fn validation(start: &[GameRecord], tuned: &[GameRecord]) -> Validation {
    let difference = paired_difference(&results(tuned), &results(start), Resampling::new(1_000, 1));
    let [start, tuned] =
        [("start", start), ("tuned", tuned)].map(|(name, set)| summarize(name, set));
    let observations = tuned.observations().into();
    let interval = t_interval(tuned.mean, tuned.standard_error, observations);
    Validation {
        objective: ObjectiveComparison {
            loss: None,
            name: format!("{} (points)", tuned.measure()),
            start: start.mean,
            tuned: tuned.mean,
            tuned_standard_error: tuned.standard_error,
            tuned_interval: interval.map(Interval::ends),
            difference,
        },
        exact: None,
        deeper: Vec::new(),
        settings: Vec::new(),
        look: None,
        selection: Some(Selection::new(15_600.0, 13_900.0, None).with_hold_out(14_100.0)),
        start,
        tuned,
        difference,
    }
}

/// A difference over 50 observations with this mean and interval.
pub fn difference(mean: f64, low: f64, high: f64) -> PairedDifference {
    let mut difference = PairedDifference {
        mean,
        low: Some(low),
        high: Some(high),
        resamples: 10_000,
        above: 30,
        below: 20,
        p_sign_test: None,
        ..sparse_difference(30, 20)
    };
    difference.verdict = verdict(&difference);
    difference
}

/// A difference over 50 observations: `above` are 0.1, `below` are -0.1, all others are 0.
pub fn sparse_difference(above: usize, below: usize) -> PairedDifference {
    let mut values = [0.0; 50];
    values[..above].fill(0.1);
    values[above..above + below].fill(-0.1);
    paired_difference(&values, &[0.0; 50], Resampling::new(100, 1))
}

/// A finished campaign of a game for two players in which half of the games are won.
pub fn between_two(parameters: usize, generations: u32, games: usize) -> RunData {
    let mut data = run(parameters, generations, games);
    for games in [&mut data.hold_out_start, &mut data.hold_out_tuned] {
        for (index, game) in games.iter_mut().enumerate() {
            let outcome = [Outcome::Win, Outcome::Loss, Outcome::Win, Outcome::Draw][index % 4];
            game.result = GameResult::Outcome(outcome);
        }
    }
    data.validation = Some(validation(&data.hold_out_start, &data.hold_out_tuned));
    data
}

/// Six terms, of which one can go.
pub fn pruned() -> Pruned {
    let step = |dropped: &str, terms: u32, mean: f64| PruneStep {
        dropped: dropped.to_owned(),
        terms,
        run: format!("step-{:02}", 6 - terms),
        value: 1_000.0 + mean.min(0.0),
        interval: Some([980.0 + mean, 1_020.0 + mean]),
        full: 1_000.0,
        difference: difference(mean, mean - 20.0, mean + 20.0),
        weights: BTreeMap::new(),
    };
    Pruned {
        run: "results/six".to_owned(),
        name: "six".to_owned(),
        game: "2048".to_owned(),
        player: "expectimax, depth 1".to_owned(),
        objective: "mean score (points)".to_owned(),
        games: 500,
        seed: 7,
        terms: 6,
        command: "tiletune tune --prune results/mine --out results/mine-pruned".into(),
        is_complete: true,
        steps: vec![step("smoothness", 5, 1.0), step("merges", 4, -60.0)],
    }
}

/// Unusual runs for tests of charts, with their names.
pub fn odd_runs() -> Vec<(&'static str, RunData)> {
    let mut equal = run(2, 30, 40);
    for row in &mut equal.generations {
        (row.best, row.mean, row.median, row.worst, row.noise) = (5.0, 5.0, 5.0, 5.0, 0.0);
        row.diagnostics = diagnostics(0.3, 1.0);
    }
    let mut unfinite = run(6, 12, 1);
    for row in &mut unfinite.generations {
        (row.noise, row.worst) = (f64::NAN, f64::NEG_INFINITY);
    }
    unfinite.generations[3].mean = f64::NAN;
    unfinite.generations[5].diagnostics = diagnostics(0.0, 2.0);
    unfinite.generations[6].diagnostics = diagnostics(0.1, f64::INFINITY);
    let mut shares = run(3, 40, 200);
    shares.objective = "share of games won".to_owned();
    shares.objective_is_mean_score = false;
    if let Some(validation) = &mut shares.validation {
        let objective = &mut validation.objective;
        (objective.start, objective.tuned) = (0.1, 0.3);
        objective.tuned_interval = Some([0.25, 0.36]);
        objective.difference = difference(0.2, 0.15, 0.26);
    }
    for row in &mut shares.generations {
        for value in [&mut row.best, &mut row.mean, &mut row.worst, &mut row.noise] {
            *value = *value / 20_000.0 - 0.4;
        }
        row.noise = 0.03;
    }
    let mut zeros = run(1, 1, 1);
    for game in zeros
        .hold_out_start
        .iter_mut()
        .chain(&mut zeros.hold_out_tuned)
    {
        game.result = GameResult::scored_with_tile(0, 2);
    }
    zeros.validation = Some(validation(&zeros.hold_out_start, &zeros.hold_out_tuned));
    let mut running = run(6, 5, 0);
    (running.validation, running.correlation, running.tuned) = (None, None, None);
    running.importance = None;
    let mut long = run(15, 300, 3_000);
    long.name = "a campaign <with> a very long name & \"quotes\" ".repeat(4);
    long.player =
        "expectimax with every term of the catalogue, depth 3, probability cut-off 0.0001, \
                   transposition table of 16 MiB"
            .to_owned();
    long.parameters[0].name = "control\u{1}\ncharacters".to_owned();
    let mut bare = run(0, 0, 0);
    (bare.validation, bare.correlation, bare.tuned) = (None, None, None);
    bare.importance = None;
    vec![
        ("equal", equal),
        ("unfinite", unfinite),
        ("shares", shares),
        ("zeros", zeros),
        ("running", running),
        ("long", long),
        ("bare", bare),
    ]
}

/// An experiment with two groups of rows: `a` and `b` against `none`, and then two steps.
pub fn experiment() -> ExperimentResults {
    let row = |name: &str, group: &str, baseline: Option<&str>| RowResult {
        name: name.to_owned(),
        group: Some(group.to_owned()),
        player: "somebody".to_owned(),
        weights: BTreeMap::new(),
        summary: GameSummary {
            weights: name.to_owned(),
            games: 100,
            mean: 1_000.0,
            standard_error: 30.0,
            median: 1_000.0,
            mean_moves: 90.0,
            endings: Endings::Scores {
                max_tile: [(128, 10), (256, 40), (512, 50)].into(),
                capped: 0,
            },
        },
        reached: None,
        published: Some([(8, 30), (9, 70)].into()),
        reference: Some([(8, 300), (10, 700)].into()),
        agreement: None,
        comparison: baseline.map(|baseline| Comparison {
            baseline: baseline.to_owned(),
            difference: match name {
                "d" => sparse_difference(9, 0),
                _ => difference(5.0, -1.0, 11.0),
            },
            comparisons: 4,
        }),
        kept: Some(MoveAccuracy {
            positions: 50,
            kept: 40,
            share: 0.8,
            low: 0.67,
            high: 0.89,
            comparison: baseline.map(|baseline| McNemarTest {
                baseline: baseline.to_owned(),
                only_row: 9,
                only_baseline: 3,
                p: 0.146,
                p_holm: 0.292,
            }),
        }),
    };
    let (alone, steps) = ("each term alone", "step by step");
    ExperimentResults {
        name: "example".to_owned(),
        why: "to be drawn".to_owned(),
        seed: 7,
        tile: Some(256),
        rows: vec![
            row("none", alone, None),
            row("a", alone, Some("none")),
            row("b", alone, Some("none")),
            row("start", steps, None),
            row("c", steps, Some("start")),
            row("d", steps, Some("c")),
        ],
        unplayed: Vec::new(),
        retuned: retuned(),
        sensitivity: vec![
            sensitivity("important", 2.0, [(1.0, -250.0), (2.5, -40.0), (4.0, 30.0)]),
            sensitivity("off", 0.0, [(-5.0, -1.0), (2.5, 3.0), (10.0, 2.0)]),
        ],
        unjudged: 0,
    }
}

/// A comparison of three players: one is better than the first, one is equally good.
pub fn comparison(measure: Measure) -> ComparisonResults {
    let mut noise = Noise(7);
    let scale = if measure == Measure::Score {
        1000.0
    } else {
        1.0
    };
    let margin = Some(Margin {
        value: 5.0,
        unit: MarginUnit::Percent,
    });
    let games = |name: &str| {
        let games = hold_out(40, 9_400.0, &mut Noise(3));
        Some(summarize(name, &games))
    };
    let player = |name: &str, seeds| ComparedPlayer {
        name: name.to_owned(),
        player: "expectimax, depth 1".to_owned(),
        weights: BTreeMap::new(),
        seeds,
        games: games(name),
    };
    let mut challenge = |name: &str, factor: f64| {
        let mut test = PairedTest::new(measure, margin, 0.05, 2);
        while test.verdict().is_none() {
            for _ in 0..100 {
                let first = if measure == Measure::Match {
                    0.5
                } else {
                    noise.next()
                };
                test.add(scale * first, scale * factor * noise.next());
            }
            test.look(test.pairs() >= 20_000);
        }
        Challenge {
            player: name.to_owned(),
            verdict: test.verdict(),
            interest: test.interest(),
            fixed_sample: test.fixed_sample(),
            path: test.path().to_vec(),
        }
    };
    ComparisonResults {
        name: "compare".to_owned(),
        game: "2048".to_owned(),
        opponents: (measure == Measure::Points).then(|| "strings".to_owned()),
        seed: 7,
        measure,
        loss: None,
        margin,
        error: 0.05,
        max_pairs: 20_000,
        challengers: vec![challenge("tuned", 1.2), challenge("another", 1.0)],
        players: vec![
            player("published", 0),
            player("tuned", 0),
            player("another", 2),
        ],
    }
}

/// The sensitivity of a parameter that is set to some values, with these mean differences.
fn sensitivity(parameter: &str, value: f64, moves: [(f64, f64); 3]) -> Sensitivity {
    let moved = |(to, mean): (f64, f64)| ParameterMove {
        row: format!("{parameter} = {to}"),
        value: to,
        factor: (value != 0.0).then(|| to / value),
        difference: difference(mean, mean - 25.0, mean + 25.0),
    };
    let losses = moves.iter().map(|(_, mean)| -mean);
    let largest_loss = losses.fold(f64::NEG_INFINITY, f64::max);
    let matters = largest_loss > 25.0;
    Sensitivity {
        parameter: parameter.to_owned(),
        baseline: "none".to_owned(),
        value,
        moves: moves.map(moved).into(),
        largest_loss,
        matters,
        improves: moves.iter().any(|(_, mean)| *mean > 25.0),
        not_shown_to_matter: [if matters { value } else { moves[0].0 }, moves[2].0],
    }
}

/// A row with fixed weights that is tuned again with two seeds, and its control.
fn retuned() -> Vec<Retuned> {
    let difference = |mean: f64| difference(mean, mean - 25.0, mean + 25.0);
    let row = |of: &str, seed: u64, mean: f64, against_control: Option<f64>| RetunedRow {
        row: format!("{of} (retuned, seed {seed})"),
        seed,
        training_games: 2000,
        difference: difference(mean),
        control: against_control.map(|_| format!("none (retuned, seed {seed})")),
        against_control: against_control.map(difference),
    };
    vec![
        Retuned {
            row: "none".to_owned(),
            baseline: "none".to_owned(),
            fixed: None,
            retuned: vec![row("none", 1, 30.0, None), row("none", 2, -10.0, None)],
        },
        Retuned {
            row: "a".to_owned(),
            baseline: "none".to_owned(),
            fixed: Some(difference(-200.0)),
            retuned: vec![
                row("a", 1, -40.0, Some(-70.0)),
                row("a", 2, -20.0, Some(-10.0)),
            ],
        },
    ]
}
