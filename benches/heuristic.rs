//! Tables from weights, and static values of boards.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::games::sliding::Definition;
use tiletune::games::sliding::table::Heuristic;
use tiletune::games::twenty48::heuristic::{BOARDS, TERMS};
use tiletune::games::twenty48::search::compiled::CompiledSearch;
use tiletune::heuristic::Role;
use tiletune::heuristic::weights::Weights;
use tiletune::player::depth::Depth;
use tiletune::simd::InstructionSet;

use super::setup::{all_line_terms, positions};

#[divan::bench]
fn tables_of_the_published_weights() -> Heuristic {
    Heuristic::new(&TERMS, black_box(&Weights::default())).unwrap()
}

#[divan::bench]
fn tables_of_all_line_terms(bencher: Bencher) {
    let weights = all_line_terms();
    bencher.bench(|| Heuristic::new(&TERMS, black_box(&weights)).unwrap());
}

/// A heuristic of 60 linear weights and 5 terms with a power.
const LARGE: &str = r#"
about = "60 linear weights, 5 terms with a power"
[[term]]
name = "merges"
doc = "merges by rank"
value = "sum(tile_pairs where a == b, knot(a))"
knots = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
weight = { min = 0, max = 1 }
[[term]]
name = "chains"
doc = "neighbouring ranks"
value = "sum(tile_pairs where abs(a - b) == 1, knot(max(a, b)))"
knots = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
weight = { min = 0, max = 1 }
[[term]]
name = "ends"
doc = "tiles in end cells"
value = "sum(tiles where j == 0 or j == 3, knot(r))"
knots = [1, 3, 5, 6, 7, 8, 9, 11, 13, 15]
weight = { min = 0, max = 1 }
[[term]]
name = "middles"
doc = "tiles in middle cells"
value = "sum(tiles where j == 1 or j == 2, knot(r))"
knots = [1, 3, 5, 6, 7, 8, 9, 11, 13, 15]
weight = { min = 0, max = 1 }
[[term]]
name = "empties"
doc = "empty cells"
value = "is(count(cells where r == 0))"
table = [0, 1, 2, 3, 4]
weight = { min = 0, max = 1 }
[[term]]
name = "largest"
doc = "largest tile"
value = "is(max(cells, r))"
table = [8, 10, 12, 13, 14]
weight = { min = 0, max = 1 }
[[term]]
name = "monotonicity"
doc = "monotonicity"
value = "-min(sum(pairs, max(a^power - b^power, 0)), sum(pairs, max(b^power - a^power, 0)))"
weight = { min = 0, max = 1 }
parameters.power = { default = 3.7, min = 0.5, max = 6 }
[[term]]
name = "rank_sum"
doc = "potential"
value = "-sum(cells, (r / 10)^power)"
weight = { min = 0, max = 1 }
parameters.power = { default = 3.2, min = 0.5, max = 6 }
[[term]]
name = "steps"
doc = "differences"
value = "-sum(tile_pairs, abs(a^power - b^power))"
weight = { min = 0, max = 1 }
parameters.power = { default = 1.4, min = 0.5, max = 6 }
[[term]]
name = "valleys"
doc = "depth of valleys"
value = "-sum(triples where b > 0 and a > b and c > b, min(a, c)^power - b^power)"
weight = { min = 0, max = 1 }
parameters.power = { default = 2.5, min = 0.5, max = 6 }
[[term]]
name = "top"
doc = "largest tile"
value = "max(cells, r)^power"
weight = { min = 0, max = 1 }
parameters.power = { default = 2.1, min = 0.5, max = 6 }
"#;

fn definition(text: &str) -> Definition {
    let table = text.parse().expect("TOML");
    Definition::read(&table, BOARDS).expect("a heuristic")
}

/// Parsing and checking a heuristic, which happens once.
#[divan::bench(args = ["2048", "2048-ranks", "2048-anchored"])]
fn reading(bencher: Bencher, name: &str) {
    let text = match name {
        "2048" => include_str!("../crates/engine/data/heuristics/2048.toml"),
        "2048-ranks" => include_str!("../configs/heuristics/2048-ranks.toml"),
        _ => include_str!("../configs/heuristics/2048-anchored.toml"),
    };
    bencher.bench(|| definition(black_box(text)));
}

/// A weight other than 0 for every column, on outer and inner lines apart or on all.
fn weights(definition: &Definition, apart: bool) -> Weights {
    let all = definition.parameters();
    let chosen = all
        .iter()
        .filter(|known| known.role == Role::Weight && known.is_split() == apart);
    let numbered = chosen.enumerate();
    let pairs = numbered.map(|(place, known)| (known.key.as_str(), 1.0 + place as f64));
    Weights::default().with(pairs, all).expect("its keys")
}

/// A candidate of 60 linear weights and 5 powers, outer and inner lines apart.
#[divan::bench]
fn tables_of_a_large_heuristic(bencher: Bencher) {
    let definition = definition(LARGE);
    let weights = weights(&definition, true);
    bencher.bench(|| Heuristic::new(&definition, black_box(&weights)).unwrap());
}

/// The exact values of the four tables of an anchored heuristic.
#[divan::bench]
fn values_of_an_anchored_heuristic(bencher: Bencher) {
    let definition = definition(include_str!("../configs/heuristics/2048-anchored.toml"));
    let weights = weights(&definition, false);
    bencher.bench(|| definition.line_values(black_box(&weights)));
}

/// The tables of a kernel, from existing line tables.
#[divan::bench]
fn tables_of_the_last_layer(bencher: Bencher) {
    let heuristic = Heuristic::new(&TERMS, &all_line_terms()).unwrap();
    let set = InstructionSet::chosen();
    bencher.bench(|| CompiledSearch::new(heuristic.clone(), Depth::Fixed(1), set));
}

/// Items are boards.
#[divan::bench]
fn static_values(bencher: Bencher) {
    let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let values = positions.iter().map(|&board| heuristic.value(board));
        black_box(values.fold(0, i32::wrapping_add))
    });
}
