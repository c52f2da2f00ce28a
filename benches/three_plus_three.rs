//! Times of 3+3: games, and searches beside their definitions. Items are games, positions or leaf
//! evaluations.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::Stop;
use tiletune::games::sliding::chance::NoBoardTerms;
use tiletune::games::sliding::random_moves::Random;
use tiletune::games::sliding::table::Heuristic;
use tiletune::games::three_plus_three::heuristic::TERMS;
use tiletune::games::three_plus_three::published::freedom::search::{Freedom, Reach, naive};
use tiletune::games::three_plus_three::rules::{Direction, Game, Position, play};
use tiletune::games::three_plus_three::search::expectimax::Expectimax;
use tiletune::heuristic::weights::Weights;
use tiletune::player::single_player::{Policy, SinglePlayerGame};
use tiletune::reference::three_plus_three;

use super::setup::seeds;

fn heuristic() -> Heuristic {
    Heuristic::new(&TERMS, &Weights::default()).unwrap()
}

/// Times whole games; items are games.
fn games<P: Policy<Position, Direction>>(
    bencher: Bencher,
    count: u64,
    policy: impl Fn(u64) -> P + Sync,
) {
    let seeds = seeds(count);
    bencher.counter(ItemsCount::new(count)).bench(|| {
        for &seed in &seeds {
            black_box(play(seed, &mut policy(seed), Stop::never()));
        }
    });
}

#[divan::bench]
fn games_at_random(bencher: Bencher) {
    games(bencher, 1000, Random::new);
}

#[divan::bench]
fn games_by_freedom_at_3_moves(bencher: Bencher) {
    games(bencher, 20, |_| Freedom::new(Reach::Moves(3), false));
}

#[divan::bench(sample_count = 10)]
fn games_by_the_rule_of_the_server(bencher: Bencher) {
    games(bencher, 2, |_| Freedom::new(Reach::Server, false));
}

#[divan::bench(args = [1, 2], sample_count = 10)]
fn games_by_expectimax(bencher: Bencher, depth: u8) {
    let heuristic = heuristic();
    games(bencher, 5, |_| {
        Expectimax::new(&heuristic, NoBoardTerms, depth)
    });
}

/// Every eighth position of some games.
fn positions() -> Vec<Position> {
    let mut positions = Vec::new();
    let mut search = Freedom::new(Reach::Moves(2), false);
    for seed in seeds(5) {
        let mut game = Game::new(seed);
        for turn in 0usize.. {
            let Some(direction) = search.choose(game.position()) else {
                break;
            };
            if turn.is_multiple_of(8) {
                positions.push(game.position());
            }
            game.play(direction);
        }
    }
    positions
}

#[divan::bench(args = [2, 3, 4])]
fn freedom(bencher: Bencher, moves: u8) {
    let positions = positions();
    // A different number means a different search. The last two moves of all sequences are not
    // played.
    let boards: u64 = match moves {
        2 => 0,
        3 => 1_905,
        _ => 20_802,
    };
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        let mut search = Freedom::new(Reach::Moves(moves), false);
        for &position in &positions {
            black_box(search.outlooks(position));
        }
        assert_eq!(search.leaf_evaluations(), boards);
    });
}

#[divan::bench(args = [2, 3, 4], sample_count = 3)]
fn freedom_one_sequence_at_a_time(bencher: Bencher, moves: u8) {
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        for &position in &positions {
            black_box(naive::outlooks(position, moves, false));
        }
    });
}

#[divan::bench(args = [0, 1, 2, 3])]
fn expectimax(bencher: Bencher, depth: u8) {
    let (heuristic, positions) = (heuristic(), positions());
    let leaves: u64 = match depth {
        0 => 627,
        1 => 7_091,
        2 => 82_035,
        _ => 850_620,
    };
    bencher.counter(ItemsCount::new(leaves)).bench(|| {
        let mut search = Expectimax::new(&heuristic, NoBoardTerms, depth);
        for &position in &positions {
            black_box(search.move_values(position));
        }
        assert_eq!(search.leaf_evaluations(), leaves);
    });
}

#[divan::bench(args = [0, 1, 2, 3], sample_count = 10)]
fn expectimax_of_the_textbook(bencher: Bencher, depth: u8) {
    let (heuristic, positions) = (heuristic(), positions());
    let leaves: u64 = match depth {
        0 => 627,
        1 => 7_091,
        2 => 82_035,
        _ => 978_686,
    };
    bencher.counter(ItemsCount::new(leaves)).bench(|| {
        let searched = positions
            .iter()
            .map(|&position| three_plus_three::move_values(&heuristic, position, depth).leaves);
        assert_eq!(searched.sum::<u64>(), leaves);
    });
}
