//! The minimax over six features with alpha-beta, at the depth of the study. Items are positions.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::games::twenty48::published::minimax_six::features::Forms;
use tiletune::games::twenty48::published::minimax_six::search::MinimaxSix;
use tiletune::games::twenty48::published::minimax_six::sum::SixFeatures;
use tiletune::games::twenty48::rules::Policy;
use tiletune::heuristic::weights::Weights;

use super::setup::positions;

#[divan::bench]
fn six_features_at_depth_6(bencher: Bencher) {
    const LEAVES: u64 = 109_160;
    let features = SixFeatures::new(&Weights::default(), Forms::default());
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let mut search = MinimaxSix::new(&features, 6);
        for &board in &positions {
            black_box(search.choose(board));
        }
        assert_eq!(search.leaf_evaluations(), LEAVES);
    });
}
