//! Tables from weights, and static values of boards.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::heuristic::table::Heuristic;
use tiletune::heuristic::weights::Weights;
use tiletune::search::expectimax::Depth;
use tiletune::search::prepared::Prepared;
use tiletune::simd::InstructionSet;

use super::setup::{all_line_terms, positions};

#[divan::bench]
fn tables_of_the_published_weights() -> Heuristic {
    Heuristic::new(black_box(&Weights::default()))
}

#[divan::bench]
fn tables_of_all_line_terms(bencher: Bencher) {
    let weights = all_line_terms();
    bencher.bench(|| Heuristic::new(black_box(&weights)));
}

/// What a kernel reads, from tables that there are.
#[divan::bench]
fn tables_of_the_last_layer(bencher: Bencher) {
    let heuristic = Heuristic::new(&all_line_terms());
    let set = InstructionSet::chosen();
    bencher.bench(|| Prepared::new(heuristic.clone(), Depth::Fixed(1), set));
}

/// Items are boards.
#[divan::bench]
fn static_values(bencher: Bencher) {
    let heuristic = Heuristic::new(&Weights::default());
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let values = positions.iter().map(|&board| heuristic.value(board));
        black_box(values.fold(0, i32::wrapping_add))
    });
}
