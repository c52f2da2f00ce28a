//! Times of gravity four in a row: games, searches with asserted work, and the static evaluation
//! beside its definition.
//!
//! Items are games, nodes or positions.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tiletune::Stop;
use tiletune::games::connect_four::heuristic::sum::StringValues;
use tiletune::games::connect_four::heuristic::{StringWeights, parameters};
use tiletune::games::connect_four::rules::{Match, Policy, Rules, Turn, play};
use tiletune::games::connect_four::search::RandomStones;
use tiletune::games::connect_four::search::alpha_beta::AlphaBeta;
use tiletune::games::connect_four::search::perfect::Perfect;
use tiletune::heuristic::weights::Weights;
use tiletune::random::{Players, Stream};
use tiletune::reference::connect_four;

fn weights() -> StringWeights {
    StringWeights::new(&Weights::default())
}

fn values() -> StringValues {
    StringValues::new(Rules::published(), &weights())
}

/// Times whole games of a player against one that plays at random; items are games.
fn games<P: Policy>(bencher: Bencher, count: u64, policy: impl Fn(u64) -> P + Sync) {
    let rules = Rules::published();
    let seeds = Players::Two.game_seeds(1, Stream::Evaluate, 0, count);
    bencher.counter(ItemsCount::new(count)).bench(|| {
        for &seed in &seeds {
            // A separate seed, because the opening and the player use `seed`.
            let mut opponent = RandomStones::new(rules, !seed);
            let mut player = policy(seed);
            black_box(play(rules, seed, &mut player, &mut opponent, Stop::never()));
        }
    });
}

#[divan::bench]
fn games_at_random(bencher: Bencher) {
    games(bencher, 1000, |seed| {
        RandomStones::new(Rules::published(), seed)
    });
}

#[divan::bench(args = [2, 4, 6])]
fn games_by_strings(bencher: Bencher, depth: u8) {
    let values = values();
    games(bencher, 20, |_| AlphaBeta::new(&values, depth));
}

/// Positions with this many stones, from games between two players that search two stones.
fn positions_of(stones: u32, count: u64) -> Vec<Turn> {
    let (rules, values) = (Rules::published(), values());
    let seeds = Players::Two.game_seeds(1, Stream::Evaluate, 0, 2 * count);
    let reached = seeds.into_iter().step_by(2).filter_map(|seed| {
        let mut game = Match::new(rules, seed);
        let mut player = AlphaBeta::new(&values, 2);
        while game.turn().position.stones().count_ones() < stones {
            if game.outcome().is_some() {
                return None;
            }
            game.play(player.choose(game.turn()));
        }
        game.outcome().is_none().then(|| game.turn())
    });
    reached.collect()
}

#[divan::bench(args = [2, 5, 8], sample_count = 10)]
fn strings(bencher: Bencher, depth: u8) {
    let (values, turns) = (values(), positions_of(12, 20));
    // A different number means a different search.
    let nodes: u64 = match depth {
        2 => 423,
        5 => 7_513,
        _ => 73_328,
    };
    bencher.counter(ItemsCount::new(nodes)).bench(|| {
        let searched = turns.iter().map(|turn| {
            let mut search = AlphaBeta::new(&values, depth);
            black_box(search.best(turn.position));
            search.nodes()
        });
        assert_eq!(searched.sum::<u64>(), nodes);
    });
}

#[divan::bench(args = [12, 20], sample_count = 5)]
fn perfect(bencher: Bencher, stones: u32) {
    let turns = positions_of(stones, 20);
    let nodes: u64 = match stones {
        12 => 6_957_069,
        _ => 173_622,
    };
    bencher.counter(ItemsCount::new(nodes)).bench(|| {
        let mut solver = Perfect::new(Rules::published());
        for turn in &turns {
            black_box(solver.score(turn.position));
        }
        assert_eq!(solver.nodes(), nodes);
    });
}

#[divan::bench]
fn evaluation(bencher: Bencher) {
    let (values, turns) = (values(), positions_of(16, 100));
    bencher.counter(ItemsCount::new(turns.len())).bench(|| {
        for turn in &turns {
            black_box(values.scores(black_box(turn.position)));
        }
    });
}

/// Open lines, threats, forks and zugzwang, without strings.
#[divan::bench]
fn evaluation_with_threats(bencher: Bencher) {
    let weights = [
        ("length", 0.0),
        ("liberty", 0.0),
        ("both", 0.0),
        ("sum", 0.0),
        ("lacks_2_ready_1_kept_1", 25.0),
        ("threat", 6.0),
        ("stacked_threats", 29.0),
        ("fork_move", 68.0),
        ("coming_fork", 10.0),
        ("zugzwang", 327.0),
    ];
    let weights = Weights::default().with(weights, &parameters());
    let weights = StringWeights::new(&weights.expect("keys of the registry"));
    let (values, turns) = (
        StringValues::new(Rules::published(), &weights),
        positions_of(16, 100),
    );
    bencher.counter(ItemsCount::new(turns.len())).bench(|| {
        for turn in &turns {
            black_box(values.scores(black_box(turn.position)));
        }
    });
}

#[divan::bench]
fn evaluation_by_the_scan(bencher: Bencher) {
    let (rules, weights, values) = (Rules::published(), weights(), values());
    let turns = positions_of(16, 100);
    let boards: Vec<_> = turns
        .iter()
        .map(|turn| (turn, turn.numbers(&rules)))
        .collect();
    bencher.counter(ItemsCount::new(boards.len())).bench(|| {
        for (turn, numbers) in &boards {
            let to_move = turn.to_move;
            let scores = [to_move, to_move.opponent()].map(|side| {
                connect_four::score(&rules, &weights, black_box(numbers), side.number())
            });
            assert_eq!(scores, values.scores(turn.position));
        }
    });
}
