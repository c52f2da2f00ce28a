//! Heuristics in files against the same terms in Rust: the values of all lines are equal bit for bit.

use tiletune::Weights;
use tiletune::games::sliding::Definition;
use tiletune::games::sliding::line_tables::LineValues;
use tiletune::games::sliding::rows::{Line, reverse, unpack};
use tiletune::games::twenty48::heuristic::BOARDS;

const SYMMETRIC: &str = r#"
about = "distance of equal tiles, second-largest tiles, sandwiches and parity"

[[term]]
name = "empty"
doc = "1 if the line has this number of empty cells"
value = "is(count(cells where r == 0))"
table = [1, 2, 3, 4]
weight = { default = [300.0, 550.0, 700.0, 800.0], min = -3000.0, max = 3000.0 }

[[term]]
name = "second"
doc = "minus the distance of the second-largest tile of a line from the largest"
value = """
-(max(tiles, r)
  - max(tiles(x) where count(tiles(y) where y > x) > 0 or count(tiles(z) where z == x) > 1, x))^power
"""
weight = { default = 50.0, min = 0.0, max = 2000.0 }
parameters.power = { default = 1.5, min = 0.5, max = 4.0, doc = "exponent of the distance" }

[[term]]
name = "sandwich"
doc = "minus the sum of rank^power over three neighbouring tiles of which only the middle one differs"
value = "-sum(tile_triples where a == c and b != a, max(a, b)^power)"
weight = { default = 30.0, min = 0.0, max = 2000.0 }
parameters.power = { default = 2.0, min = 0.5, max = 4.0, doc = "exponent of the larger rank" }

[[term]]
name = "equal"
doc = "pairs of equal tiles, less by a factor for each cell between them"
value = """
sum(tiles(x, p), sum(tiles(y, q) where y == x and q > p, knot(x) * exp(-decay * (q - p - 1))))
"""
knots = [1, 6, 11]
weight = { default = [300.0, 500.0, 700.0], min = -5000.0, max = 5000.0 }
parameters.decay = { default = 0.7, min = 0.0, max = 4.0, doc = "decay for each cell" }

[[term]]
name = "parity"
doc = "number of neighbouring tiles whose ranks differ by an odd number"
value = "count(tile_pairs where abs(a - b) / 2 != floor(abs(a - b) / 2))"
lines = "outer"
weight = { default = -20.0, min = -1000.0, max = 1000.0 }
"#;

const ANCHORED: &str = r#"
about = "long runs of equal tiles far from the corner"
lines = "anchored"

[[term]]
name = "run"
doc = "worth of a run by its length and rank, times its distance from the far end"
value = "sum(runs, table(n, 0, 1, 3, 6, 10) * interpolate(r, 1: 0, 8: 2.5, 15: 4) * (3 - j + i))"
lines = "each"
weight = { default = [0.3, -1.7, 2.9, 0.1], min = -100.0, max = 100.0 }
"#;

const DEFAULTS: [(&str, f64); 13] = [
    ("empty_1", 300.0),
    ("empty_2", 550.0),
    ("empty_3", 700.0),
    ("empty_4", 800.0),
    ("second", 50.0),
    ("second_power", 1.5),
    ("sandwich", 30.0),
    ("sandwich_power", 2.0),
    ("equal_1", 300.0),
    ("equal_6", 500.0),
    ("equal_11", 700.0),
    ("equal_decay", 0.7),
    ("parity", -20.0),
];

/// A rank to a power; 0 for an empty cell.
fn power(rank: u8, exponent: f64) -> f64 {
    match rank {
        0 => 0.0,
        rank => libm::pow(f64::from(rank), exponent),
    }
}

fn tiles(line: Line) -> Vec<u8> {
    line.into_iter().filter(|&rank| rank > 0).collect()
}

fn second(line: Line, exponent: f64) -> f64 {
    let mut ranks = line;
    ranks.sort_unstable();
    -power(ranks[3] - ranks[2], exponent)
}

fn sandwich(line: Line, exponent: f64) -> f64 {
    let mut sum = 0.0;
    for triple in tiles(line).windows(3) {
        if triple[0] == triple[2] && triple[1] != triple[0] {
            sum += power(triple[0].max(triple[1]), exponent);
        }
    }
    -sum
}

/// The share of each of the knots 1, 6 and 11 in the value at a rank.
fn shares(rank: u8) -> [f64; 3] {
    let rank = f64::from(rank);
    match rank {
        ..1.0 => [1.0, 0.0, 0.0],
        ..6.0 => [(6.0 - rank) / 5.0, (rank - 1.0) / 5.0, 0.0],
        ..11.0 => [0.0, (11.0 - rank) / 5.0, (rank - 6.0) / 5.0],
        _ => [0.0, 0.0, 1.0],
    }
}

fn equal(line: Line, knot: usize, decay: f64) -> f64 {
    let mut sum = 0.0;
    for first in 0..4 {
        let mut partners = 0.0;
        for other in first + 1..4 {
            if line[first] > 0 && line[first] == line[other] {
                let between = (other - first - 1) as f64;
                partners += shares(line[first])[knot] * libm::exp(-decay * between);
            }
        }
        sum += partners;
    }
    sum
}

fn parity(line: Line) -> f64 {
    let tiles = tiles(line);
    let odd = tiles.windows(2).filter(|pair| pair[0] % 2 != pair[1] % 2);
    odd.count() as f64
}

/// The value of a line: weight times value, added up in the order of the terms.
fn value(line: Line, is_outer: bool, number: impl Fn(&str) -> f64) -> f64 {
    let empty = line.iter().filter(|&&rank| rank == 0).count();
    let mut value = 0.0;
    if empty > 0 {
        value += number(&format!("empty_{empty}"));
    }
    value += number("second") * second(line, number("second_power"));
    value += number("sandwich") * sandwich(line, number("sandwich_power"));
    for (knot, key) in ["equal_1", "equal_6", "equal_11"].into_iter().enumerate() {
        value += number(key) * equal(line, knot, number("equal_decay"));
    }
    if is_outer {
        value += number("parity") * parity(line);
    }
    value
}

fn run(line: Line, place: usize) -> f64 {
    let cells = line.into_iter().enumerate();
    let tiles: Vec<(usize, u8)> = cells.filter(|&(_, rank)| rank > 0).collect();
    let mut sum = 0.0;
    for run in tiles.chunk_by(|(_, one), (_, next)| one == next) {
        let (position, rank) = run[0];
        let of_length = [0.0, 1.0, 3.0, 6.0, 10.0][run.len()];
        let rank = f64::from(rank);
        let of_rank = match rank {
            ..8.0 => 2.5 * ((rank - 1.0) / 7.0),
            _ => 2.5 + 1.5 * ((rank - 8.0) / 7.0),
        };
        sum += of_length * of_rank * (3 - position + place) as f64;
    }
    sum
}

fn assert_equal(pairs: &[(&str, f64)]) {
    let table = SYMMETRIC.parse().unwrap();
    let definition = Definition::read(&table, BOARDS).unwrap();
    let owned = pairs.iter().map(|&(key, value)| (key.to_owned(), value));
    let weights = Weights::new(owned, definition.parameters()).unwrap();
    let LineValues::Symmetric { outer, inner } = definition.line_values(&weights) else {
        panic!("the heuristic is symmetric");
    };
    let inner = inner.unwrap();
    for (values, lines) in [(&outer, "_outer"), (&inner, "_inner")] {
        let number = |key: &str| {
            let given = |key: &str| pairs.iter().find(|(known, _)| *known == key);
            let default = || DEFAULTS.iter().find(|(known, _)| *known == key);
            let found = given(&format!("{key}{lines}")).or_else(|| given(key));
            found.or_else(default).unwrap().1
        };
        for index in 0..=u16::MAX {
            // A line is summed in the same direction as its mirror image.
            let line = unpack(index.min(reverse(index)));
            let expected = value(line, lines == "_outer", number);
            let found = values[usize::from(index)];
            assert_eq!(
                found.to_bits(),
                expected.to_bits(),
                "{line:?}{lines}: {found}, not {expected}"
            );
        }
    }
}

#[test]
fn defaults_give_the_values_of_the_functions() {
    assert_equal(&[]);
}

#[test]
fn weights_give_the_values_of_the_functions() {
    assert_equal(&[
        ("empty_1", 1220.6658456152454),
        ("empty_3", -0.1),
        ("second", 0.4003439748030244),
        ("second_power", 0.9977459666114988),
        ("sandwich_power", 0.5020670697791513),
        ("equal_6", 3589.5520074718465),
        ("equal_11", -4701.374424631704),
        ("equal_decay", 3.400063286664416),
        ("parity", -178.98661445201736),
    ]);
}

#[test]
fn outer_and_inner_weights_give_the_values_of_the_functions() {
    assert_equal(&[
        ("second_outer", 12.3),
        ("second_inner", 0.0),
        ("second_power_outer", 0.7),
        ("second_power_inner", 2.9),
        ("sandwich_power_outer", 3.3),
        ("sandwich_power_inner", 1.1),
        ("equal_6_outer", 61.7),
        ("equal_6_inner", -0.3),
        ("equal_decay_outer", 0.0),
        ("equal_decay_inner", 1.9),
    ]);
}

#[test]
fn anchored_lines_have_the_values_of_the_function() {
    let table = ANCHORED.parse().unwrap();
    let definition = Definition::read(&table, BOARDS).unwrap();
    let LineValues::Anchored(lines) = definition.line_values(&Weights::default()) else {
        panic!("the heuristic is anchored");
    };
    for (place, weight) in [0.3, -1.7, 2.9, 0.1].into_iter().enumerate() {
        for index in 0..=u16::MAX {
            let line = unpack(index);
            let expected = 0.0 + weight * run(line, place);
            let found = lines[place][usize::from(index)];
            assert_eq!(
                found.to_bits(),
                expected.to_bits(),
                "{line:?} at {place}: {found}, not {expected}"
            );
        }
    }
}
