//! Plays games of 2048 on from given positions, to see where heuristics lose them.
//!
//! ```sh
//! echo '{"id": 1, "weights": "configs/weights/expectimax-adaptive.toml", "cutoff": 1e-3, "seed": 7,
//!        "board": [16384, 8192, 0, 0, 4096, 2048, 0, 0, 1024, 512, 0, 0, 2, 2, 0, 0], "until": 32900}' |
//!     tr -d '\n' | cargo run --release --example play_from_positions
//! ```
//!
//! Each line of the input is a game, a JSON object. `weights` is a weights file, or `published`; the player is
//! `expectimax` at adaptive depth with this `cutoff`, and with `endgames` (false if left out). `changes`
//! replaces some weights, by key. `board` has the tiles
//! in rows; without it the game begins as usual. It ends once the sum of its tiles is at least `until`; with
//! `until_endgame` it also ends at the first endgame, as the option defines it. `record`
//! contains sums of tiles: the first position with at least each of them is printed, too.
//!
//! The output has a line for each game, in the order in which they end: whether the game was alive at the end
//! (`passed`), the sum of its tiles, the number of moves, the chance of the best move of that first endgame, and the
//! recorded positions. Games are played on all cores.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiletune::config::weights_file::{published, read};
use tiletune::games::twenty48::rules::{Board, Direction, Game, Spawns};
use tiletune::games::twenty48::search::endgame::{CERTAIN, Endgames};
use tiletune::player::Player;
use tiletune::{Catalogue, PlayerConfig, Stop};

/// The tiles of a board, in rows; 0 is an empty cell.
type Tiles = [u32; 16];

/// A line of the input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Job {
    id: Value,
    weights: PathBuf,
    #[serde(default)]
    changes: BTreeMap<String, f64>,
    cutoff: f64,
    #[serde(default)]
    endgames: bool,
    seed: u64,
    board: Option<Tiles>,
    until: Option<u64>,
    #[serde(default)]
    until_endgame: bool,
    #[serde(default)]
    record: Vec<u64>,
}

/// A line of the output.
#[derive(Serialize)]
struct Outcome {
    id: Value,
    passed: bool,
    tile_sum: u64,
    moves: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    chance: Option<f64>,
    boards: Vec<(u64, Tiles)>,
}

fn player(job: &Job) -> Result<Box<dyn Player>, Box<dyn Error + Send + Sync>> {
    let asked = PlayerConfig::new("expectimax", Some("2048"))
        .with("depth", "adaptive")
        .with("cutoff", job.cutoff)
        .with("endgames", job.endgames);
    let spec = Catalogue::builtin().player(&asked)?;
    let (spec, weights) = if job.weights.as_os_str() == "published" {
        (spec.clone(), published(&spec))
    } else {
        read(&job.weights, &spec)?
    };
    let changes = job
        .changes
        .iter()
        .map(|(key, &value)| (key.as_str(), value));
    let weights = weights.with(changes, &spec.parameters())?;
    Ok(spec.build(&weights)?)
}

fn board(tiles: Tiles) -> Result<Board, String> {
    let rank = |tile: u32| match tile {
        0 => Ok(0),
        _ if tile.is_power_of_two() && (2..=32768).contains(&tile) => Ok(tile.ilog2() as u8),
        _ => Err(format!(
            "{tile} is no tile: 0, or a power of two from 2 to 32768"
        )),
    };
    let mut ranks = [0; 16];
    for (place, tile) in ranks.iter_mut().zip(tiles) {
        *place = rank(tile)?;
    }
    Ok(Board::from_ranks(ranks))
}

/// The chance of the best move of an endgame; `None` if the board is none.
fn chance(board: Board) -> Option<f64> {
    let values = Endgames::default().move_values(board)?;
    let best = values.into_iter().flatten().max().unwrap_or(0);
    Some(f64::from(best) / f64::from(CERTAIN))
}

fn play(job: Job) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    let player = player(&job)?;
    let mut game = Game::new(job.seed, Spawns::TwosAndFours);
    if let Some(tiles) = job.board {
        // The score of such a game means nothing; it is not used.
        game.replace_board(board(tiles)?);
    }
    let mut wanted = job.record.iter().copied().peekable();
    let (mut boards, mut moves) = (Vec::new(), 0);
    loop {
        let now = game.board();
        let tile_sum = now.tiles().iter().map(|&tile| u64::from(tile)).sum();
        let passed = !now.is_over();
        let chance = job.until_endgame.then(|| chance(now)).flatten();
        if !passed || chance.is_some() || job.until.is_some_and(|until| tile_sum >= until) {
            let id = job.id;
            return Ok(Outcome {
                id,
                passed,
                tile_sum,
                moves,
                chance,
                boards,
            });
        }
        while let Some(sum) = wanted.next_if(|&sum| sum <= tile_sum) {
            boards.push((sum, now.tiles()));
        }
        let analysis = player.analyze(&now, 0, Stop::never())?;
        let best = analysis.and_then(|analysis| analysis.best);
        let is_best = |direction: &Direction| best.as_deref() == Some(direction.name());
        let direction = Direction::ALL.into_iter().find(is_best);
        game.play(direction.ok_or("the player has no move")?);
        moves += 1;
    }
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let lines: Vec<String> = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let job = |(index, line): (usize, &String)| {
        serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))
    };
    let jobs: Vec<Job> = lines
        .iter()
        .enumerate()
        .map(job)
        .collect::<Result<_, _>>()?;
    jobs.into_par_iter().with_max_len(1).try_for_each(|job| {
        let line = serde_json::to_string(&play(job)?)?;
        // A single write, so that lines of several threads do not mix.
        Ok(io::stdout()
            .lock()
            .write_all(format!("{line}\n").as_bytes())?)
    })
}
