//! Batches of whole games for players without look-ahead. The vector kernels play them if the processor
//! supports them, otherwise the portable code, which is the definition. A kernel plays a batch in a fraction of
//! a second and cannot be stopped before its end.

use crate::games::sliding::AllBoardTerms;
use crate::games::sliding::random_moves::Random;
use crate::games::twenty48::kernels::{self, Tables, best_move_kernel, random_kernel};
use crate::games::twenty48::rules::{self, Board, Mover, Usual, rows};
use crate::games::twenty48::{
    search::compiled::CompiledSearch, search::expectimax::Expectimax, search::expectimax::Settings,
    search::simple::RandomMoves,
};
use crate::player::depth::Depth;
use crate::random::GameRng;
use crate::record::GameRecord;
use crate::simd::InstructionSet;
use crate::stop::Stop;

/// Number of games in a batch. With this many games, few lanes of a kernel are empty for long.
pub const BATCH_SIZE: usize = 1024;

/// Plays the games of `seeds` with uniformly random legal moves.
pub fn random(seeds: &[u64], set: InstructionSet, stop: Stop) -> Option<Vec<GameRecord>> {
    let kernel = random_kernel(set);
    let choices = |seed| Some(Random::new(seed).rng().clone());
    let player = |seed| RandomMoves::new(Usual::default(), seed);
    play(seeds, choices, player, kernel, stop)
}

/// Plays the games of `seeds` with the moves of the best static value, like [`Expectimax`] without look-ahead.
pub fn best_moves(seeds: &[u64], compiled: &CompiledSearch, stop: Stop) -> Option<Vec<GameRecord>> {
    let heuristic = compiled.heuristic();
    let tables = Tables {
        slides: rows().joined(),
        lines: heuristic.lines.by_place(),
    };
    let kernel = best_move_kernel(compiled.set(), heuristic.lines.is_by_axis());
    let kernel = kernel.filter(|_| heuristic.has_only_lines());
    let kernel = kernel.map(|kernel| {
        move |games: &mut [kernels::BatchedGame], four_below| kernel(games, four_below, tables)
    });
    let settings = Settings::new(Depth::Fixed(0), 0.0);
    if heuristic.whole.is_some() {
        let terms = AllBoardTerms::of(heuristic);
        let player = |_| Expectimax::new(compiled, terms, settings);
        return play(seeds, |_| None, player, kernel, stop);
    }
    let terms = heuristic.board_terms.as_slice();
    let player = |_| Expectimax::new(compiled, terms, settings);
    play(seeds, |_| None, player, kernel, stop)
}

/// Plays games with a kernel, if there is one. `player` plays the games that the kernel has stopped, or all
/// games if there is no kernel.
fn play<M: Mover>(
    seeds: &[u64],
    choices: impl Fn(u64) -> Option<GameRng>,
    player: impl Fn(u64) -> M,
    kernel: Option<impl Fn(&mut [kernels::BatchedGame], u64)>,
    stop: Stop,
) -> Option<Vec<GameRecord>> {
    let usual = Usual::default();
    let Some(kernel) = kernel else {
        return rules::play_many(seeds, usual, player, stop);
    };
    let start = |&seed: &u64| {
        let game = rules::Game::of(seed, usual);
        let (rng, fours) = game.spawns();
        kernels::BatchedGame {
            board: game.board().0,
            spawns: rng.state(),
            choices: choices(seed).map_or([0; 4], |rng| rng.state()),
            fours,
            ..kernels::BatchedGame::default()
        }
    };
    let mut games: Vec<kernels::BatchedGame> = seeds.iter().map(start).collect();
    kernel(&mut games, usual.spawns().four_below());
    let record = |(game, &seed): (&kernels::BatchedGame, &u64)| {
        let (board, moves) = (Board(game.board), game.moves as u32);
        if game.is_over {
            let record = <rules::Game>::record_of(board, game.fours, moves, seed, game.leaves);
            Some(record)
        } else {
            rules::play_many(&[seed], usual, &player, stop)?.pop()
        }
    };
    games.iter().zip(seeds).map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::heuristic::Heuristic;
    use crate::games::sliding::samples::{
        anchored_heuristics, heuristics_by_axis, heuristics_of_the_board,
    };
    use crate::games::twenty48::heuristic::{TERMS, parameters};
    use crate::heuristic::weights::Weights;
    use crate::simd::testable_sets;

    #[test]
    fn random_games_are_the_same_by_every_path() {
        let seeds: Vec<u64> = (0..5000).collect();
        let usual = Usual::default();
        let random_moves = |seed| RandomMoves::new(usual, seed);
        let expected = rules::play_many(&seeds, usual, random_moves, Stop::never());
        for set in testable_sets() {
            assert_eq!(random(&seeds, set, Stop::never()), expected);
            let first = random(&seeds[..3], set, Stop::never());
            assert_eq!(first.as_deref(), expected.as_deref().map(|all| &all[..3]));
        }
    }

    #[test]
    fn games_of_best_moves_are_the_same_by_every_path() {
        let seeds: Vec<u64> = (0..3000).collect();
        let richer = [("line_end_outer", 900.0), ("empty_inner", 100.0)];
        let board_term = [("corner", 1500.0)];
        let symmetric = [&[][..], &richer, &board_term].map(|changes| {
            let weights = Weights::default().with(changes.iter().copied(), &parameters());
            Heuristic::new(&TERMS, &weights.unwrap()).unwrap()
        });
        for heuristic in symmetric
            .into_iter()
            .chain(anchored_heuristics())
            .chain(heuristics_by_axis())
            .chain(heuristics_of_the_board())
        {
            let mut by_set = testable_sets().into_iter().map(|set| {
                let compiled = CompiledSearch::new(heuristic.clone(), Depth::Fixed(0), set);
                best_moves(&seeds, &compiled, Stop::never())
            });
            let portable = by_set.next().unwrap();
            assert!(by_set.all(|records| records == portable));
        }
    }

    #[test]
    fn games_that_a_kernel_leaves_are_played_by_the_player() {
        let seeds = [1, 2, 3];
        let usual = Usual::default();
        let random_moves = |seed| RandomMoves::new(usual, seed);
        let expected = rules::play_many(&seeds, usual, random_moves, Stop::never());
        let leaves_all = |_: &mut [kernels::BatchedGame], _| ();
        let played = play(
            &seeds,
            |_| None,
            random_moves,
            Some(leaves_all),
            Stop::never(),
        );
        assert_eq!(played, expected);

        for set in testable_sets() {
            let Some(kernel) = random_kernel(set) else {
                continue;
            };
            let mut long = [kernels::BatchedGame {
                board: 0x11,
                choices: [1, 2, 3, 4],
                spawns: [5, 6, 7, 8],
                moves: 7990,
                ..kernels::BatchedGame::default()
            }];
            kernel(&mut long, 0);
            assert_eq!((long[0].moves, long[0].is_over), (8000, false));
        }
    }
}
