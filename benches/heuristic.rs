//! Tables from weights, and static values of boards.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::games::sliding::table::Heuristic;
use tiletune::games::twenty48::heuristic::TERMS;
use tiletune::games::twenty48::search::compiled::CompiledSearch;
use tiletune::heuristic::weights::Weights;
use tiletune::player::depth::Depth;
use tiletune::simd::InstructionSet;

use super::setup::{all_line_terms, positions};

#[divan::bench]
fn tables_of_the_published_weights() -> Heuristic {
    Heuristic::new(&TERMS, black_box(&Weights::default()))
}

#[divan::bench]
fn tables_of_all_line_terms(bencher: Bencher) {
    let weights = all_line_terms();
    bencher.bench(|| Heuristic::new(&TERMS, black_box(&weights)));
}

/// The tables of a kernel, from existing line tables.
#[divan::bench]
fn tables_of_the_last_layer(bencher: Bencher) {
    let heuristic = Heuristic::new(&TERMS, &all_line_terms());
    let set = InstructionSet::chosen();
    bencher.bench(|| CompiledSearch::new(heuristic.clone(), Depth::Fixed(1), set));
}

/// Items are boards.
#[divan::bench]
fn static_values(bencher: Bencher) {
    let heuristic = Heuristic::new(&TERMS, &Weights::default());
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let values = positions.iter().map(|&board| heuristic.value(board));
        black_box(values.fold(0, i32::wrapping_add))
    });
}
