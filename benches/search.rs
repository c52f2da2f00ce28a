//! Tables, moves, games and searches, timed. Each search is timed beside the textbook version of
//! itself, and its work is asserted, so that a faster number for less work is seen.
//!
//! `cargo bench` runs it; a name after `--` selects.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::game::rng::{Players, Stream};
use tiletune::game::twenty48::{Board, Direction, Game, Spawns, play};
use tiletune::heuristic::parameters;
use tiletune::heuristic::table::Heuristic;
use tiletune::heuristic::weights::Weights;
use tiletune::search::chance::NoBoardTerms;
use tiletune::search::expectimax::{Depth, Expectimax};
use tiletune::search::prepared::Prepared;
use tiletune::search::simple::Random;
use tiletune::search::textbook;
use tiletune::simd::InstructionSet;

fn main() {
    divan::main();
}

/// Positions from games that try the directions in turn, a few of each.
fn positions() -> Vec<Board> {
    let mut boards = Vec::new();
    for seed in Players::One.game_seeds(1, Stream::Evaluate, 0, 20) {
        let mut game = Game::new(seed, Spawns::TwosAndFours);
        for turn in 0usize.. {
            let Some(&direction) = Direction::ALL
                .iter()
                .cycle()
                .skip(turn % 4)
                .take(4)
                .find(|&&direction| game.board().moved(direction) != game.board())
            else {
                break;
            };
            game.play(direction);
            if turn % 8 == 0 {
                boards.push(game.board());
            }
        }
    }
    boards
}

/// Every line term, outer and inner lines apart.
fn fifteen() -> Weights {
    let split = [
        "empty",
        "merges",
        "monotonicity",
        "rank_sum",
        "smoothness",
        "line_end",
    ];
    let registry = parameters();
    let changes = registry.iter().filter_map(|parameter| {
        let base = parameter
            .key
            .strip_suffix("_outer")
            .or(parameter.key.strip_suffix("_inner"))?;
        split
            .contains(&base)
            .then_some((parameter.key.as_str(), parameter.max / 3.0))
    });
    Weights::default()
        .with(changes, &registry)
        .expect("keys of the registry")
}

#[divan::bench]
fn tables_of_the_published_weights(bencher: Bencher) {
    bencher.bench(|| Heuristic::new(black_box(&Weights::default())));
}

#[divan::bench]
fn tables_of_all_line_terms_split(bencher: Bencher) {
    let weights = fifteen();
    bencher.bench(|| Heuristic::new(black_box(&weights)));
}

#[divan::bench]
fn random_games(bencher: Bencher) {
    let seeds = Players::One.game_seeds(1, Stream::Evaluate, 0, 1000);
    let moves: u64 = seeds
        .iter()
        .map(|&seed| u64::from(play(seed, Spawns::TwosAndFours, &mut Random::new(seed)).moves))
        .sum();
    bencher.counter(ItemsCount::new(moves)).bench(|| {
        let played = seeds
            .iter()
            .map(|&seed| u64::from(play(seed, Spawns::TwosAndFours, &mut Random::new(seed)).moves));
        assert_eq!(played.sum::<u64>(), moves);
    });
}

/// Leaf evaluations of the textbook search over all positions, which the fast one must match
/// where it keeps no transposition table.
fn leaves(heuristic: &Heuristic, positions: &[Board], depth: u8) -> u64 {
    let searched = positions
        .iter()
        .map(|&board| textbook::move_values(heuristic, board, depth, 0.0));
    searched.map(|searched| searched.leaves).sum()
}

#[divan::bench(args = [0, 1, 2])]
fn expectimax(bencher: Bencher, depth: u8) {
    let heuristic = Heuristic::new(&Weights::default());
    let positions = positions();
    let textbook_leaves = leaves(&heuristic, &positions, depth);
    let fixed = Depth::Fixed(depth);
    let prepared = Prepared::new(heuristic, fixed, InstructionSet::chosen());
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let mut search = Expectimax::new(&prepared, NoBoardTerms, fixed, 0.0);
        for &board in &positions {
            black_box(search.move_values(board));
        }
        let leaves = tiletune::game::twenty48::Policy::leaf_evaluations(&search);
        if depth < 2 {
            assert_eq!(leaves, textbook_leaves);
        } else {
            assert!(leaves > textbook_leaves / 4 && leaves <= textbook_leaves);
        }
    });
}

#[divan::bench(args = [0, 1, 2])]
fn expectimax_of_the_textbook(bencher: Bencher, depth: u8) {
    let heuristic = Heuristic::new(&Weights::default());
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        for &board in &positions {
            black_box(textbook::move_values(&heuristic, board, depth, 0.0));
        }
    });
}
