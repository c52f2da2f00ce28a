//! The snake player's search at its published depth. Items are positions.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::game::twenty48::Policy;
use tiletune::heuristic::Form;
use tiletune::heuristic::snake_path::{DISCOUNT, SnakePaths, setting};
use tiletune::heuristic::weights::Weights;
use tiletune::search::snake::Snake;

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
