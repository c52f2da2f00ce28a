//! The solver and the exact results of players against plain recursion, and against games that are played.

use std::collections::HashMap;

use super::agent::exact;
use super::moves::{Shares, best_move, only, uniform};
use super::policy;
use super::*;
use crate::games::sliding::{Board, Direction};
use crate::games::twenty48::rules::{Game, Rules, Spawn, Variation};
use crate::games::twenty48::search::simple::Greedy;
use crate::heuristic::weights::Weights;
use crate::player::exact::{Exact, Work};
use crate::player::single_player::Policy;
use crate::player::{Catalogue, Player, PlayerConfig};
use crate::record::GameResult;
use crate::stop::Stop;

mod files;

fn problem(shape: &str, spawn: &str, goal: Goal) -> Problem {
    Problem {
        spawn: spawn.parse().unwrap(),
        goal,
        ..Problem::usual(shape.parse().unwrap())
    }
}

fn rules(problem: &Problem) -> Variation {
    Variation::new(problem.shape, problem.spawn, problem.first_tiles)
}

fn work() -> Work<'static> {
    Work::quiet(2, Stop::never())
}

fn solved(problem: &Problem) -> Solution {
    Solution::in_memory(problem, &work()).unwrap()
}

/// The definition of perfect play: a plain recursion over boards, without symmetry, sums and keys.
struct Definition {
    problem: Problem,
    known: HashMap<u64, f64>,
}

impl Definition {
    fn new(problem: Problem) -> Self {
        Definition {
            problem,
            known: HashMap::new(),
        }
    }

    fn value(&mut self, board: u64) -> f64 {
        if self.problem.goal.is_reached(board) {
            return 1.0;
        }
        if let Some(value) = self.known.get(&board) {
            return *value;
        }
        let values = self.move_values(board).into_iter().flatten();
        let value = values.fold(0.0, f64::max);
        self.known.insert(board, value);
        value
    }

    fn move_values(&mut self, board: u64) -> [Option<f64>; 4] {
        let rules = rules(&self.problem);
        Direction::ALL.map(|direction| {
            let after = rules.moved(Board(board), direction);
            if after.0 == board {
                return None;
            }
            if self.problem.goal.is_reached(after.0) {
                return Some(1.0);
            }
            let spawned = self.problem.spawned(after.0);
            let mean: f64 = spawned
                .iter()
                .map(|(next, of)| of * self.value(*next))
                .sum();
            Some(self.problem.goal.points(Board(board).points_of(direction)) + mean)
        })
    }

    fn start(&mut self) -> f64 {
        let starts = self.problem.starts();
        starts
            .iter()
            .map(|(start, of)| of * self.value(*start))
            .sum()
    }
}

fn assert_near(one: f64, other: f64) {
    assert!(
        (one - other).abs() <= 1e-9 * one.abs().max(1.0),
        "{one} {other}"
    );
}

const USUAL: &str = "2:0.9,4:0.1";

#[test]
fn values_are_those_of_plain_recursion_and_of_others() {
    // The expected scores are from an independent program, the probabilities are published (jdleesmiller, 2018).
    for (shape, goal, expected, digits) in [
        ("2x2", Goal::Score, 66.964149, 1e-6),
        ("2x3", Goal::Score, 480.258272, 1e-6),
        ("3x2", Goal::Score, 480.258272, 1e-6),
        ("2x2", Goal::Reach(4), 0.9625, 1e-4),
        ("2x2", Goal::Reach(5), 0.0829, 1e-4),
    ] {
        let problem = problem(shape, USUAL, goal);
        let value = solved(&problem).value();
        assert!((value - expected).abs() < digits, "{shape} {goal}: {value}");
        assert_near(value, Definition::new(problem).start());
    }
    for (shape, spawn, first_tiles, goal) in [
        ("2x2", "2:1", 1, Goal::Score),
        ("2x2", "2:0.5,8:0.3,64:0.2", 3, Goal::Score),
        ("2x3", "4:0.8,16:0.2", 4, Goal::Score),
        ("3x2", "2:0.7,8:0.3", 1, Goal::Reach(6)),
        ("2x2", "2:0.9,4:0.1", 2, Goal::Reach(2)),
    ] {
        let problem = Problem {
            first_tiles,
            ..problem(shape, spawn, goal)
        };
        assert_near(solved(&problem).value(), Definition::new(problem).start());
    }
}

#[test]
fn values_of_moves_are_those_of_plain_recursion_for_any_position() {
    for goal in [Goal::Score, Goal::Reach(6)] {
        let problem = problem("2x3", USUAL, goal);
        let (solution, mut definition) = (solved(&problem), Definition::new(problem));
        // A game reaches the first three, but not the last two: they are solved alone.
        for board in [
            0x0012_0321,
            0x0100_0002,
            0x0521_0431,
            0x0777_0777,
            0x0000_0009,
        ] {
            let values = solution.move_values(Board(board), &work()).unwrap();
            let expected = if goal.is_reached(board) {
                [None; 4]
            } else {
                definition.move_values(board)
            };
            for (value, expected) in values.into_iter().zip(expected) {
                assert_eq!(value.is_some(), expected.is_some(), "{board:x}");
                assert_near(value.unwrap_or(0.0), expected.unwrap_or(0.0));
            }
        }
    }
}

/// The definition of the result of a player: expected score, and probability of each largest tile.
fn played(
    rules: &Variation,
    board: u64,
    shares: &dyn Fn(u64) -> Shares,
    known: &mut HashMap<u64, (f64, [f64; 16])>,
) -> (f64, [f64; 16]) {
    if let Some(result) = known.get(&board) {
        return *result;
    }
    let problem = Problem::of(rules, Goal::Score).unwrap();
    let (mut score, mut largest) = (0.0, [0.0; 16]);
    let all = shares(board);
    if all == [0.0; 4] {
        largest[usize::from(Board(board).max_rank())] = 1.0;
    }
    for (direction, share) in Direction::ALL.into_iter().zip(all) {
        if share == 0.0 {
            continue;
        }
        score += share * f64::from(Board(board).points_of(direction));
        for (next, of) in problem.spawned(rules.moved(Board(board), direction).0) {
            let below = played(rules, next, shares, known);
            score += share * of * below.0;
            (0..16).for_each(|rank| largest[rank] += share * of * below.1[rank]);
        }
    }
    known.insert(board, (score, largest));
    (score, largest)
}

#[test]
fn results_of_players_are_those_of_plain_recursion() {
    for (shape, spawn) in [("2x2", USUAL), ("2x3", USUAL), ("3x2", "2:0.8,8:0.2")] {
        let problem = problem(shape, spawn, Goal::Score);
        let rules = rules(&problem);
        let greedy = |board: u64| only(Greedy(rules).choose(rules.position(Board(board))));
        let random = |board: u64| {
            uniform(Direction::ALL.map(|of| rules.moved(Board(board), of) != Board(board)))
        };
        let players: [(&str, &(dyn Fn(u64) -> Shares + Sync)); 2] =
            [("greedy", &greedy), ("random", &random)];
        for (name, shares) in players {
            let (mut known, mut score, mut largest) = (HashMap::new(), 0.0, [0.0; 16]);
            for (start, of) in problem.starts() {
                let of_start = played(&rules, start, shares, &mut known);
                score += of * of_start.0;
                (0..16).for_each(|rank| largest[rank] += of * of_start.1[rank]);
            }
            let player = built(name, shape, spawn);
            let result = player
                .exact_result()
                .compute(true, &work())
                .unwrap()
                .unwrap();
            assert_near(result.mean, score);
            for (rank, of) in largest.into_iter().enumerate() {
                assert_near(result.largest.get(&(1 << rank)).copied().unwrap_or(0.0), of);
            }
            let losses = result.losses.unwrap();
            assert_near(losses.points, result.perfect - result.mean);
            assert!(losses.positions[0].points > losses.positions[1].points);
        }
    }
}

fn built(name: &str, shape: &str, spawn: &str) -> Box<dyn Player> {
    let config = PlayerConfig::new(name, Some("2048"))
        .with("board", shape)
        .with("spawn", spawn);
    let spec = Catalogue::builtin().player(&config).unwrap();
    spec.build(&Weights::default()).unwrap()
}

/// Games of a player agree with its exact result: the mean score within five standard errors, and so the share of the
/// most frequent largest tile.
fn games_agree(name: &str, shape: &str, spawn: &str, games: u64) -> Exact {
    let player = built(name, shape, spawn);
    let exact = player
        .exact_result()
        .compute(false, &work())
        .unwrap()
        .unwrap();
    let seeds: Vec<u64> = (0..games).collect();
    let records = player.play_many(&seeds, Stop::never()).unwrap();
    let (tile, share) = exact
        .largest
        .iter()
        .max_by(|one, other| one.1.total_cmp(other.1))
        .unwrap();
    let (mut sum, mut squares, mut with_tile) = (0.0, 0.0, 0.0);
    for record in records {
        let GameResult::Score {
            score, max_tile, ..
        } = record.result
        else {
            panic!("a game without score");
        };
        sum += score as f64;
        squares += (score as f64).powi(2);
        with_tile += f64::from(u8::from(max_tile == Some(*tile)));
    }
    let count = games as f64;
    let mean = sum / count;
    let error = ((squares / count - mean * mean) / count).sqrt();
    assert!(
        (mean - exact.mean).abs() < 5.0 * error,
        "{name}: {mean} ± {error}, exact {}",
        exact.mean
    );
    let error = (share * (1.0 - share) / count).sqrt();
    assert!(
        (with_tile / count - share).abs() < 5.0 * error,
        "{name}: {with_tile} with {tile}, exact {share}"
    );
    exact
}

#[test]
fn played_games_agree_with_the_exact_results() {
    games_agree("greedy", "2x3", USUAL, 20_000);
    games_agree("random", "3x2", "2:0.5,4:0.3,8:0.2", 20_000);
    games_agree("expectimax", "2x2", USUAL, 5_000);
    let perfect = games_agree("perfect", "2x2", USUAL, 5_000);
    assert_near(perfect.mean, perfect.perfect);
}

#[test]
#[ignore = "takes a minute: a million games"]
fn a_million_games_agree_with_the_exact_results() {
    for name in ["greedy", "expectimax", "perfect", "random"] {
        let exact = games_agree(name, "2x3", USUAL, 1_000_000);
        println!(
            "{name} on 2x3: {:.6}, {:.2} % of perfect play",
            exact.mean,
            100.0 * exact.share()
        );
    }
}

#[test]
#[ignore = "takes a minute: solves 3x3; shows its time"]
fn three_by_three_is_solved_in_time() {
    for (shape, goal, expected, digits) in [
        ("2x4", Goal::Score, 2641.873036, 1e-6),
        ("3x3", Goal::Score, 5468.486797, 1e-6),
        ("3x3", Goal::Reach(8), 0.99571, 1e-5),
        ("3x3", Goal::Reach(9), 0.73677, 1e-5),
        ("3x3", Goal::Reach(10), 0.01134, 1e-5),
    ] {
        let start = std::time::Instant::now();
        let problem = problem(shape, USUAL, goal);
        let solved = solve::solve(&problem, &work(), &mut |_, _| Ok(()))
            .unwrap()
            .unwrap();
        println!(
            "{problem}: {solved:?} in {:.1} s",
            start.elapsed().as_secs_f64()
        );
        assert!((solved.value - expected).abs() < digits);
    }
}

#[test]
fn a_result_does_not_depend_on_the_number_of_threads() {
    let player = built("random", "2x3", "2:0.8,4:0.15,8:0.05");
    let of = |threads| {
        let result = player
            .exact_result()
            .compute(true, &Work::quiet(threads, Stop::never()));
        let result = result.unwrap().unwrap();
        let losses = result.losses.unwrap();
        (
            result.mean.to_bits(),
            result.largest,
            losses.points.to_bits(),
            losses.situations,
        )
    };
    assert_eq!(of(1), of(3));
}

#[test]
fn perfect_play_for_a_tile_stops_there() {
    let config = PlayerConfig::new("perfect", Some("2048"))
        .with("board", "2x2")
        .with("maximise", "reach:16");
    let spec = Catalogue::builtin().player(&config).unwrap();
    let player = spec.build(&Weights::default()).unwrap();
    let result = player
        .exact_result()
        .compute(false, &work())
        .unwrap()
        .unwrap();
    let value = solved(&problem("2x2", USUAL, Goal::Reach(4))).value();
    assert_near(result.largest[&16], value);
    assert_eq!(result.largest.keys().max(), Some(&16));
    let game = player.play(1, Stop::never()).unwrap();
    assert!(matches!(
        game.result,
        GameResult::Score {
            max_tile: Some(8 | 16),
            ..
        }
    ));
}

#[test]
fn of_equal_moves_the_first_is_best() {
    assert_eq!(
        best_move([None, Some(1.0), Some(1.0 + 1e-12), None]),
        Some(Direction::Down)
    );
    assert_eq!(
        best_move([Some(0.5), Some(1.0), None, Some(2.0)]),
        Some(Direction::Right)
    );
    assert_eq!(best_move([None; 4]), None);
}

#[test]
fn larger_boards_and_other_players_are_refused_with_the_reason() {
    let refused = |config: PlayerConfig| {
        let spec = Catalogue::builtin().player(&config).unwrap();
        match spec.build(&Weights::default()) {
            Ok(player) => player.exact_result().compute(false, &work()).unwrap_err(),
            Err(error) => error,
        }
    };
    for (name, board) in [("perfect", "4x4"), ("perfect", "3x4"), ("greedy", "4x4")] {
        let message = refused(PlayerConfig::new(name, Some("2048")).with("board", board));
        assert!(
            message.contains("at most 9 cells") && message.contains(board),
            "{message}"
        );
    }
    let message = refused(PlayerConfig::new("snake", Some("2048")));
    assert!(message.contains("built-in player of 2048"), "{message}");
}

#[test]
fn starts_are_all_ways_to_place_the_first_tiles() {
    let problem = Problem {
        spawn: Spawn::USUAL,
        ..problem("2x2", USUAL, Goal::Score)
    };
    let starts = problem.starts();
    assert_eq!(starts.len(), 6 * 4);
    assert_near(starts.iter().map(|(_, of)| of).sum(), 1.0);
    // The start of every game is one of them.
    let rules = rules(&problem);
    for seed in 0..50 {
        let board = Game::of(seed, rules).board();
        assert!(
            starts.iter().any(|(start, _)| *start == board.0),
            "{board:?}"
        );
    }
    assert!(
        exact(
            &rules,
            policy::Player::Perfect(&solved(&problem)),
            false,
            &work()
        )
        .is_ok()
    );
}
