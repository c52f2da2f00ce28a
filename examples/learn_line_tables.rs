//! Learns what lines are worth in the last moves before the tile 32768, and plays the search with it.
//!
//! ```sh
//! cargo run --release --example learn_line_tables -- WEIGHTS CUTOFF SEEDS [TRAINING_SEED] < POSITIONS
//! ```
//!
//! The value of a board is a sum over its lines, of tables by the place of the line. They are learned by
//! temporal-difference learning of the boards after a move (Szubert and Jaśkowski 2014), from made positions with the
//! tiles 16384 to 512. A trial ends as passed once the sum of the tiles is 32,900. The value that is learned is the
//! expected progress until then, in shares of 640, and 1 for passing. Nothing depends on time or threads.
//!
//! Each line of POSITIONS is a JSON object with a `board`, its tiles in rows, the largest in the first cell. Each is
//! played on with the learned tables and with the weights file, at adaptive depth, once for each of so many seeds. The
//! output is a table in CSV.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::str::FromStr;

use rayon::prelude::*;
use tiletune::config::weights_file::read;
use tiletune::games::sliding::NoBoardTerms;
use tiletune::games::sliding::heuristic::{Exact, Heuristic};
use tiletune::games::sliding::line_tables::LineValues;
use tiletune::games::twenty48::rules::{Board, Direction, Game, Policy, Spawns};
use tiletune::games::twenty48::search::compiled::CompiledSearch;
use tiletune::games::twenty48::search::expectimax::{Expectimax, Settings};
use tiletune::player::{Depth, Player};
use tiletune::random::GameRng;
use tiletune::simd::InstructionSet;
use tiletune::{Catalogue, PlayerConfig, Stop};

/// Ranks of the start positions; two 2s are added, and every second position is transposed.
const STARTS: [[u8; 16]; 5] = [
    [14, 13, 0, 0, 12, 11, 0, 0, 10, 9, 0, 0, 0, 0, 0, 0],
    [14, 13, 10, 0, 12, 11, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [14, 13, 12, 0, 11, 10, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [14, 13, 12, 11, 10, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [14, 13, 12, 0, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0],
];

/// The sum of the tiles at which a trial is passed.
const PASSED: u64 = 32_900;

/// The progress that counts as 1.
const UNIT: f32 = 640.0;

/// Chance layers, trials and learning rate of the parts of the learning.
const SCHEDULE: [(u32, u64, f32); 3] = [(0, 1_000_000, 0.5), (1, 300_000, 0.1), (1, 100_000, 0.02)];

/// The training seed unless another is given.
const TRAINING_SEED: u64 = 4_200_000_000;
const TRIAL_SEED: u64 = 4_300_000_000;

/// Points of one unit of the learned value in the search. A board that is not lost has a few more.
const POINTS: f64 = 1e6;
const ALIVE: f64 = 0.05;

/// Values of lines by place and line.
struct Lines(Vec<f32>);

impl Lines {
    /// The entries of a board.
    fn entries(board: Board) -> [usize; 8] {
        let columns = board.transpose();
        std::array::from_fn(|entry| {
            let place = entry % 4;
            let lines = if entry < 4 { board } else { columns };
            place << 16 | usize::from(lines.row(place))
        })
    }

    fn value(&self, board: Board) -> f32 {
        Self::entries(board)
            .iter()
            .map(|&entry| self.0[entry])
            .sum()
    }

    fn learn(&mut self, board: Board, target: f32, rate: f32) {
        let change = rate / 8.0 * (target - self.value(board));
        for entry in Self::entries(board) {
            self.0[entry] += change;
        }
    }

    /// The best move and the value of the board after it, by a search of so many chance layers.
    fn best(&self, board: Board, layers: u32) -> Option<(f32, Direction)> {
        let mut best: Option<(f32, Direction)> = None;
        for (direction, moved) in Direction::ALL.into_iter().zip(board.all_moved()) {
            if moved != board {
                let value = match layers {
                    0 => self.value(moved),
                    _ => self.mean(moved, layers - 1),
                };
                if best.is_none_or(|(largest, _)| value > largest) {
                    best = Some((value, direction));
                }
            }
        }
        best
    }

    fn mean(&self, board: Board, layers: u32) -> f32 {
        let ranks = board.ranks();
        let mut sum = 0.0;
        for cell in (0..16).filter(|&cell| ranks[cell] == 0) {
            for (rank, probability) in [(1, 0.9), (2, 0.1)] {
                let mut spawned = ranks;
                spawned[cell] = rank;
                let best = self.best(Board::from_ranks(spawned), layers);
                sum += probability * best.map_or(0.0, |(value, _)| value.max(0.0));
            }
        }
        sum / board.empty_cells() as f32
    }

    /// Learns from a trial; returns whether it passed.
    fn trial(&mut self, seed: u64, layers: u32, rate: f32) -> bool {
        let mut game = Game::new(seed, Spawns::TwosAndFours);
        game.replace_board(start(seed));
        let mut before: Option<(Board, u64)> = None;
        loop {
            let (board, sum) = (game.board(), tile_sum(game.board()));
            let best = self.best(board, layers);
            let (after, rest) = match best {
                _ if sum >= PASSED => (None, 1.0),
                None => (None, 0.0),
                Some((_, direction)) => {
                    let after = board.moved(direction);
                    (Some((after, sum)), self.value(after))
                }
            };
            if let Some((board, earlier)) = before {
                self.learn(board, (sum - earlier) as f32 / UNIT + rest, rate);
            }
            let Some((_, direction)) = best.filter(|_| after.is_some()) else {
                return sum >= PASSED;
            };
            before = after;
            game.play(direction);
        }
    }

    /// The tables for a search.
    fn heuristic(&self) -> Heuristic {
        let table = |place: usize| {
            let values = &self.0[place << 16..(place + 1) << 16];
            let points = |value: &f32| POINTS * (f64::from(*value) + ALIVE / 8.0);
            values.iter().map(points).collect()
        };
        let lines = LineValues::Anchored(std::array::from_fn(table));
        Heuristic::from_exact(&Exact::of_lines(lines))
    }
}

fn tile_sum(board: Board) -> u64 {
    board.tiles().iter().map(|&tile| u64::from(tile)).sum()
}

/// The start position of a trial.
fn start(seed: u64) -> Board {
    let mut random = GameRng::new(!seed);
    let mut ranks = STARTS[random.below(STARTS.len() as u32) as usize];
    for _ in 0..2 {
        let empty: Vec<usize> = (0..16).filter(|&cell| ranks[cell] == 0).collect();
        ranks[empty[random.below(empty.len() as u32) as usize]] = 1;
    }
    let board = Board::from_ranks(ranks);
    if random.below(2) == 0 {
        board.transpose()
    } else {
        board
    }
}

/// Plays on from a position: whether the trial passed, the sum of the tiles, and the number of moves.
fn play(
    board: Board,
    seed: u64,
    mut choose: impl FnMut(Board) -> Option<Direction>,
) -> (bool, u64, u32) {
    let mut game = Game::new(seed, Spawns::TwosAndFours);
    game.replace_board(board);
    let mut moves = 0;
    while !game.board().is_over() && tile_sum(game.board()) < PASSED {
        let direction = choose(game.board()).expect("a game that is not over has a move");
        game.play(direction);
        moves += 1;
    }
    (!game.board().is_over(), tile_sum(game.board()), moves)
}

/// The number of an argument.
fn number<T: FromStr<Err: Display>>(name: &str, text: &str) -> Result<T, String> {
    let number = text.parse();
    number.map_err(|error| format!("{name} {text:?}: {error}"))
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ([weights, cutoff, seeds] | [weights, cutoff, seeds, _]) = arguments.as_slice() else {
        return Err(
            "usage: learn_line_tables WEIGHTS CUTOFF SEEDS [TRAINING_SEED] < POSITIONS".into(),
        );
    };
    let cutoff: f64 = number("CUTOFF", cutoff)?;
    let seeds: u64 = number("SEEDS", seeds)?;
    let mut training_seed = match arguments.get(3) {
        Some(seed) => number("TRAINING_SEED", seed)?,
        None => TRAINING_SEED,
    };
    let asked = PlayerConfig::new("expectimax", Some("2048"))
        .with("depth", "adaptive")
        .with("cutoff", cutoff);
    let spec = Catalogue::builtin().player(&asked)?;
    let (spec, weights) = read(Path::new(weights), &spec)?;
    let given: Box<dyn Player> = spec.build(&weights)?;
    let mut positions = Vec::new();
    for line in io::stdin().lock().lines() {
        let line: serde_json::Value = serde_json::from_str(&line?)?;
        let tiles: [u32; 16] = serde_json::from_value(line["board"].clone())?;
        positions.push(Board::from_ranks(
            tiles.map(|tile| tile.checked_ilog2().unwrap_or(0) as u8),
        ));
    }

    let mut lines = Lines(vec![0.0; 4 << 16]);
    for (layers, trials, rate) in SCHEDULE {
        let mut passed = 0;
        for _ in 0..trials {
            passed += u64::from(lines.trial(training_seed, layers, rate));
            training_seed += 1;
        }
        eprintln!("learned from {trials} trials, {layers} chance layers, {passed} passed");
    }

    let depth = Depth::Adaptive;
    // As the player at adaptive depth.
    let settings = Settings {
        reuse: true,
        reduction: 10.0,
        ..Settings::new(depth, cutoff)
    };
    let learned = CompiledSearch::new(lines.heuristic(), depth, InstructionSet::chosen());
    println!("player,cutoff,position,seed,passed,tile_sum,moves");
    let trials = positions.len() as u64 * seeds;
    (0..trials).into_par_iter().try_for_each(|trial| {
        let place = trial % positions.len() as u64;
        let (board, seed) = (positions[place as usize], TRIAL_SEED + trial);
        let mut search = Expectimax::new(&learned, NoBoardTerms, settings);
        let best = |board: Board| {
            let analysis = given.analyze(&board, 0, Stop::never()).ok()??;
            let is_best =
                |direction: &Direction| Some(direction.name()) == analysis.best.as_deref();
            Direction::ALL.into_iter().find(is_best)
        };
        let played = [
            ("learned", play(board, seed, |board| search.choose(board))),
            ("weights", play(board, seed, best)),
        ];
        let rows = played.map(|(player, (passed, sum, moves))| {
            format!(
                "{player},{cutoff},{place},{seed},{},{sum},{moves}\n",
                u8::from(passed)
            )
        });
        io::stdout().lock().write_all(rows.concat().as_bytes())
    })?;
    Ok(())
}
