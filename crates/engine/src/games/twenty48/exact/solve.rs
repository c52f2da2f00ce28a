//! The values of perfect play, by dynamic programming over the sum of tiles, from the largest sum down.
//!
//! The value of a position is the best value over its legal moves, or 0 if there is none. The value of a move is its
//! points plus the mean over the random tiles of the values of the positions after them. With the goal of a tile, the
//! value is the probability of that tile: 1 as soon as it is there, and points do not count. (`definition` in the tests
//! is the plain recursion.)

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use super::grid::{After, Grid, sum_of_tiles};
use super::layers::{afters, each_empty, in_parts, reachable};
use super::on_grid;
use super::problem::{Goal, Problem};
use crate::player::exact::{Phase, Progress, Work};

/// The values of the positions of one sum of tiles.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Keys of the canonical positions, sorted.
    pub keys: Vec<u32>,
    /// The value of each.
    pub values: Vec<f64>,
}

impl Layer {
    /// The value of a canonical position.
    #[inline(always)]
    pub(super) fn get(&self, key: u32) -> Option<f64> {
        self.keys.binary_search(&key).ok().map(|at| self.values[at])
    }

    /// The value of a canonical position that a move of a listed position leads to.
    #[inline(always)]
    fn value(&self, key: u32) -> f64 {
        self.get(key)
            .expect("every position that a move leads to is listed")
    }
}

/// The value of the start, and the number of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// The value of perfect play from the start.
    pub value: f64,
    /// Number of canonical positions.
    pub states: u64,
}

/// Receives the layers of a solution with their sums of tiles, from the largest sum down.
pub type Keep<'a> = &'a mut dyn FnMut(u32, &Arc<Layer>) -> io::Result<()>;

/// Solves a problem. The layers are passed to `keep`. Returns `None` if a stop is requested.
///
/// # Errors
/// Those of `keep`.
///
/// # Panics
/// If [`Problem::check`] refuses the problem.
pub fn solve(problem: &Problem, work: &Work, keep: Keep) -> io::Result<Option<Solved>> {
    solve_from(problem, &problem.starts(), work, keep)
}

/// Solves a problem from other start positions, given with their probabilities.
pub(super) fn solve_from(
    problem: &Problem,
    starts: &[(u64, f64)],
    work: &Work,
    keep: Keep,
) -> io::Result<Option<Solved>> {
    let (rows, columns) = (problem.shape.rows(), problem.shape.columns());
    debug_assert!(rows * columns <= super::MOST_CELLS);
    on_grid!(problem, solve_on(problem, starts, work, keep))
}

fn solve_on<const ROWS: usize, const COLUMNS: usize>(
    problem: &Problem,
    starts: &[(u64, f64)],
    work: &Work,
    keep: Keep,
) -> io::Result<Option<Solved>> {
    let Some(mut layers) = reachable::<ROWS, COLUMNS>(problem, starts, work) else {
        return Ok(None);
    };
    let tiles = problem.tiles();
    let largest = tiles.last().map_or(0, |(rank, _)| 1u32 << rank);
    let is_reached = |start: &&(u64, f64)| problem.goal.is_reached(start.0);
    let mut solved = Solved {
        value: starts.iter().filter(is_reached).map(|(_, of)| of).sum(),
        states: 0,
    };
    // The layers that the next one can lead to.
    let mut above: BTreeMap<u32, Arc<Layer>> = BTreeMap::new();
    while let Some((sum, keys)) = layers.pop_last() {
        if work.stop.is_requested() {
            return Ok(None);
        }
        above.retain(|&of, _| of <= sum + largest);
        let spawns = tiles.iter().map(|&(rank, of)| {
            let layer = above.get(&(sum + (1 << rank))).cloned();
            (rank, of, layer.unwrap_or_default())
        });
        let spawns: Vec<_> = spawns.collect();
        let values = values_of_layer::<ROWS, COLUMNS>(problem.goal, sum, &keys, &spawns, work);
        let layer = Arc::new(Layer { keys, values });
        for (start, of) in starts {
            if sum_of_tiles(*start) == sum && !problem.goal.is_reached(*start) {
                let canonical = Grid::<ROWS, COLUMNS>::canonical(*start);
                solved.value += of * layer.value(Grid::<ROWS, COLUMNS>::key(canonical));
            }
        }
        solved.states += layer.keys.len() as u64;
        keep(sum, &layer)?;
        (work.progress)(Progress {
            phase: Phase::Values,
            states: solved.states,
        });
        above.insert(sum, layer);
    }
    Ok(Some(solved))
}

/// The layers after a random tile: its rank, its probability, its layer.
type SpawnLayers = [(u8, f64, Arc<Layer>)];

fn values_of_layer<const ROWS: usize, const COLUMNS: usize>(
    goal: Goal,
    sum: u32,
    keys: &[u32],
    spawns: &SpawnLayers,
    work: &Work,
) -> Vec<f64> {
    let grid = Grid::<ROWS, COLUMNS>::new();
    let board = |key: &u32| Grid::<ROWS, COLUMNS>::board(*key, sum);
    let after_keys = afters(grid, keys, sum, work.threads);
    let after_values = in_parts(&after_keys, work.threads, |keys| {
        let value = |key| value_after::<ROWS, COLUMNS>(goal, board(key), spawns);
        keys.iter().map(value).collect::<Vec<f64>>()
    });
    let after = Layer {
        keys: after_keys,
        values: after_values.concat(),
    };
    let values = in_parts(keys, work.threads, |keys| {
        let best = |key| {
            let moves = grid.afters(board(key)).into_iter().flatten();
            let value = |of: After| {
                let canonical = Grid::<ROWS, COLUMNS>::canonical(of.board);
                goal.points(of.points) + after.value(Grid::<ROWS, COLUMNS>::key(canonical))
            };
            moves.map(value).fold(0.0, f64::max)
        };
        keys.iter().map(best).collect::<Vec<f64>>()
    });
    values.concat()
}

/// The value of a board after a move, without the points of the move. `spawns` has the layer after a tile of each rank.
#[inline(always)]
pub(super) fn value_after<const ROWS: usize, const COLUMNS: usize>(
    goal: Goal,
    after: u64,
    spawns: &SpawnLayers,
) -> f64 {
    if goal.is_reached(after) {
        return 1.0;
    }
    let mut total = 0.0;
    for (rank, of, layer) in spawns {
        let mut sum = 0.0;
        each_empty::<ROWS, COLUMNS>(after, |cell| {
            let board = after | (cell * u64::from(*rank));
            sum += if goal.is_reached(board) {
                1.0
            } else {
                let canonical = Grid::<ROWS, COLUMNS>::canonical(board);
                layer.value(Grid::<ROWS, COLUMNS>::key(canonical))
            };
        });
        total += of * sum;
    }
    let empty = Grid::<ROWS, COLUMNS>::empty_mask(after).count_ones();
    total / f64::from(empty)
}
