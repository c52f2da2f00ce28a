//! The expectimax of 2048 by depth, and two textbook versions: without and with a transposition
//! table. Items are positions.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::Stop;
use tiletune::games::sliding::chance::{AllBoardTerms, BoardTerms, NoBoardTerms};
use tiletune::games::sliding::heuristic::Heuristic;
use tiletune::games::twenty48::heuristic::TERMS;
use tiletune::games::twenty48::rules::{Board, Policy};
use tiletune::games::twenty48::search::batch;
use tiletune::games::twenty48::search::compiled::CompiledSearch;
use tiletune::games::twenty48::search::expectimax::{Expectimax, Settings};
use tiletune::heuristic::weights::Weights;
use tiletune::player::depth::Depth;
use tiletune::reference::twenty48::{NodeResult, move_values, move_values_with_table};
use tiletune::simd::InstructionSet;

use super::setup::{self, all_line_terms, positions, positions_of_games, seeds};

/// Leaf evaluations by depth: of tiletune, of the textbook version, of the textbook version with a
/// table.
const LEAVES: [[u64; 3]; 4] = [
    [1_012, 1_012, 1_012],
    [46_783, 46_783, 46_783],
    [976_927, 2_703_119, 1_042_440],
    [641_113, 12_262_527, 652_727],
];

/// All positions, or fewer where a search is slow.
fn positions_for(depth: u8) -> Vec<Board> {
    let every = if depth < 3 { 1 } else { 20 };
    positions().into_iter().step_by(every).collect()
}

fn compiled(depth: u8, set: InstructionSet) -> CompiledSearch {
    let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
    CompiledSearch::new(heuristic, Depth::Fixed(depth), set)
}

fn search(bencher: Bencher, depth: u8, set: InstructionSet) {
    let (compiled, positions) = (compiled(depth, set), positions_for(depth));
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let mut search = Expectimax::new(
            &compiled,
            NoBoardTerms,
            Settings::new(Depth::Fixed(depth), 0.0),
        );
        for &board in &positions {
            black_box(search.move_values(board));
        }
        assert_eq!(
            Policy::leaf_evaluations(&search),
            LEAVES[usize::from(depth)][0]
        );
    });
}

#[divan::bench(args = [0, 1, 2, 3])]
fn tiletune(bencher: Bencher, depth: u8) {
    search(bencher, depth, InstructionSet::chosen());
}

#[divan::bench(args = InstructionSet::ALL)]
fn one_layer_by(bencher: Bencher, set: InstructionSet) {
    search(bencher, 1, set);
}

fn textbook(
    bencher: Bencher,
    depth: u8,
    kind: usize,
    move_values: fn(&Heuristic, Board, u8, f64) -> NodeResult,
) {
    let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
    let positions = positions_for(depth);
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let searched = positions
            .iter()
            .map(|&board| move_values(&heuristic, board, depth, 0.0));
        let leaves: u64 = searched.map(|searched| searched.leaves).sum();
        assert_eq!(leaves, LEAVES[usize::from(depth)][kind]);
    });
}

#[divan::bench(args = [0, 1, 2, 3], sample_count = 5)]
fn plain_textbook(bencher: Bencher, depth: u8) {
    textbook(bencher, depth, 1, move_values);
}

#[divan::bench(args = [0, 1, 2, 3], sample_count = 5)]
fn textbook_with_table(bencher: Bencher, depth: u8) {
    textbook(bencher, depth, 2, move_values_with_table);
}

fn whole_games(bencher: Bencher, moves: u64, heuristic: Heuristic, set: InstructionSet) {
    let compiled = CompiledSearch::new(heuristic, Depth::Fixed(0), set);
    let seeds = seeds(2048);
    bencher.counter(ItemsCount::new(moves)).bench(|| {
        let games = batch::best_moves(&seeds, &compiled, Stop::never());
        let played = games.iter().flatten().map(|game| u64::from(game.moves));
        assert_eq!(played.sum::<u64>(), moves);
    });
}

/// Games without look-ahead; items are moves.
#[divan::bench(args = [InstructionSet::Portable, InstructionSet::Avx512])]
fn games_without_look_ahead(bencher: Bencher, set: InstructionSet) {
    let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
    whole_games(bencher, 737_230, heuristic, set);
}

/// Games without look-ahead with anchored line tables; items are moves.
#[divan::bench(args = [InstructionSet::Portable, InstructionSet::Avx512])]
fn anchored_games_without_look_ahead(bencher: Bencher, set: InstructionSet) {
    whole_games(bencher, 636_866, setup::anchored(), set);
}

/// Leaf evaluations by depth on the positions of games. They do not depend on the values.
const LEAVES_OF_GAMES: [u64; 3] = [22_486, 717_065, 12_878_168];

fn positions_of_games_by(bencher: Bencher, depth: u8, heuristic: Heuristic) {
    let fixed = Depth::Fixed(depth);
    let compiled = CompiledSearch::new(heuristic, fixed, InstructionSet::chosen());
    let positions = positions_of_games();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let settings = Settings::new(fixed, 0.0);
        let leaves = if compiled.heuristic().whole.is_some() {
            let terms = AllBoardTerms::of(compiled.heuristic());
            leaves_of(Expectimax::new(&compiled, terms, settings), &positions)
        } else {
            leaves_of(
                Expectimax::new(&compiled, NoBoardTerms, settings),
                &positions,
            )
        };
        assert_eq!(leaves, LEAVES_OF_GAMES[usize::from(depth)]);
    });
}

fn leaves_of<T: BoardTerms>(mut search: Expectimax<T>, positions: &[Board]) -> u64 {
    for &board in positions {
        black_box(search.move_values(board));
    }
    Policy::leaf_evaluations(&search)
}

/// Symmetric line tables, for comparison with `anchored`.
#[divan::bench(args = [0, 1, 2])]
fn symmetric(bencher: Bencher, depth: u8) {
    let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
    positions_of_games_by(bencher, depth, heuristic);
}

/// Symmetric line tables with separate values of outer and inner lines.
#[divan::bench(args = [0, 1, 2])]
fn symmetric_outer_and_inner(bencher: Bencher, depth: u8) {
    positions_of_games_by(
        bencher,
        depth,
        Heuristic::new(&TERMS, &all_line_terms()).unwrap(),
    );
}

/// Anchored line tables.
#[divan::bench(args = [0, 1, 2])]
fn anchored(bencher: Bencher, depth: u8) {
    positions_of_games_by(bencher, depth, setup::anchored());
}

/// A weight matrix from a file: separate tables for rows and columns.
#[divan::bench(args = [0, 1, 2])]
fn matrix(bencher: Bencher, depth: u8) {
    let heuristic = setup::of_file("2048-matrix.toml", &[]);
    positions_of_games_by(bencher, depth, heuristic);
}

/// Terms of the whole board from a file: five sums and a largest value.
#[divan::bench(args = [0, 1, 2])]
fn whole_board(bencher: Bencher, depth: u8) {
    let heuristic = setup::of_file("2048-ai.toml", &[]);
    positions_of_games_by(bencher, depth, heuristic);
}

/// Terms of the whole board from the same file: four sums.
#[divan::bench(args = [0, 1, 2])]
fn whole_board_with_four_sums(bencher: Bencher, depth: u8) {
    let heuristic = setup::of_file("2048-ai.toml", &[("empty", 0.0), ("largest", 0.0)]);
    positions_of_games_by(bencher, depth, heuristic);
}
