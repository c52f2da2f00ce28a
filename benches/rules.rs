//! The rules of 2048: slides of lines, moves of boards, random games.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::Stop;
use tiletune::games::sliding::rows::RowTable;
use tiletune::games::twenty48::rules::slide;
use tiletune::games::twenty48::search::batch;
use tiletune::simd::InstructionSet;

use super::setup::{positions, seeds};

#[divan::bench]
fn slides_of_all_lines() -> RowTable {
    RowTable::build(|line| slide(line).line)
}

/// Items are moves.
#[divan::bench]
fn all_moves(bencher: Bencher) {
    let positions = positions();
    let moves = 4 * positions.len();
    bencher.counter(ItemsCount::new(moves)).bench(|| {
        for &board in &positions {
            black_box(board.all_moved());
        }
    });
}

/// Items are moves.
#[divan::bench(args = [InstructionSet::Portable, InstructionSet::Avx512])]
fn random_games(bencher: Bencher, set: InstructionSet) {
    const MOVES: u64 = 2_431_234;
    let seeds = seeds(20_480);
    bencher.counter(ItemsCount::new(MOVES)).bench(|| {
        let batches = seeds.chunks(batch::BATCH_SIZE);
        let games = batches.filter_map(|seeds| batch::random(seeds, set, Stop::never()));
        let moves = games.flatten().map(|game| u64::from(game.moves));
        assert_eq!(moves.sum::<u64>(), MOVES);
    });
}
