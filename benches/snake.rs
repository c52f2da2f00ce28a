//! The snake player's search at its published depth. Items are positions.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::games::twenty48::published::snake::path::{DISCOUNT, SnakePaths, setting};
use tiletune::games::twenty48::published::snake::search::Snake;
use tiletune::games::twenty48::rules::Policy;
use tiletune::heuristic::Form;
use tiletune::heuristic::weights::Weights;

use super::setup::positions;

#[divan::bench]
fn three_further_moves(bencher: Bencher) {
    const LEAVES: u64 = 47_100;
    let weights = Weights::default();
    let (paths, discount) = (SnakePaths::new(&weights), setting(&weights, DISCOUNT));
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let mut search = Snake::new(&paths, 3, discount, Form::Published);
        for &board in &positions {
            black_box(search.choose(board));
        }
        assert_eq!(search.leaf_evaluations(), LEAVES);
    });
}
