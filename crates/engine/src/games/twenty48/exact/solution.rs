//! A solution: values of moves that can be looked up. Its layers are in memory or in a file.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::grid::{Grid, sum_of_tiles};
use super::on_grid;
use super::problem::Problem;
use super::solution_file::SolutionFile;
use super::solve::{Layer, Solved, solve, solve_from, value_after};
use crate::games::sliding::{Board, Direction};
use crate::player::exact::Work;

/// The values of all positions of a problem.
pub struct Solution {
    problem: Problem,
    solved: Solved,
    layers: Layers,
}

enum Layers {
    Memory(BTreeMap<u32, Arc<Layer>>),
    /// Layers that have been looked up stay in memory.
    File(SolutionFile, Mutex<BTreeMap<u32, Arc<Layer>>>),
}

/// The layers that the positions of one sum of tiles lead to: rank of the random tile, its probability, its layer.
pub(super) type Above = Vec<(u8, f64, Arc<Layer>)>;

impl Solution {
    /// Solves a problem and has all values in memory. Returns `None` if a stop is requested.
    pub fn in_memory(problem: &Problem, work: &Work) -> Option<Self> {
        let mut layers = BTreeMap::new();
        let solved = solve(problem, work, &mut |sum, layer| {
            layers.insert(sum, Arc::clone(layer));
            Ok(())
        });
        Some(Solution {
            problem: *problem,
            // The function that keeps the layers has no errors.
            solved: solved.ok()??,
            layers: Layers::Memory(layers),
        })
    }

    /// The solution that a file has.
    pub(super) fn of_file(problem: &Problem, file: SolutionFile) -> Self {
        Solution {
            problem: *problem,
            solved: file.solved(),
            layers: Layers::File(file, Mutex::default()),
        }
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The expected score of perfect play from the start, or the probability of the goal.
    pub fn value(&self) -> f64 {
        self.solved.value
    }

    /// Number of positions up to symmetry.
    pub fn states(&self) -> u64 {
        self.solved.states
    }

    /// The value of each move, in the order of [`Direction::ALL`]: its points and the expected points after it, or the
    /// probability of the goal. `None` for an illegal move, and for all moves if the goal is reached. Also `None` for
    /// all moves after a request to stop.
    ///
    /// A position that no game reaches is solved alone, which takes longer.
    ///
    /// # Errors
    /// If the file of the solution cannot be read any more.
    pub fn move_values(&self, board: Board, work: &Work) -> io::Result<[Option<f64>; 4]> {
        let problem = &self.problem;
        if problem.goal.is_reached(board.0) {
            return Ok([None; 4]);
        }
        let sum = sum_of_tiles(board.0);
        if on_grid!(problem, is_listed(board, &*self.kept(sum)?)) {
            let above = self.above(sum, &mut |sum| self.kept(sum))?;
            return Ok(on_grid!(problem, values_of_moves(problem, board, &above)));
        }
        let mut values = [None; 4];
        for (value, direction) in values.iter_mut().zip(Direction::ALL) {
            *value = on_grid!(problem, value_alone(problem, board, direction, work));
        }
        Ok(values)
    }

    /// The layers after a random tile on a board of this sum of tiles.
    fn above(
        &self,
        sum: u32,
        layer: &mut dyn FnMut(u32) -> io::Result<Arc<Layer>>,
    ) -> io::Result<Above> {
        let tiles = self.problem.tiles().into_iter();
        tiles
            .map(|(rank, of)| Ok((rank, of, layer(sum + (1 << rank))?)))
            .collect()
    }

    fn kept(&self, sum: u32) -> io::Result<Arc<Layer>> {
        let (file, kept) = match &self.layers {
            Layers::Memory(layers) => return Ok(layers.get(&sum).cloned().unwrap_or_default()),
            Layers::File(file, kept) => (file, kept),
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layer) = kept.get(&sum) {
            return Ok(Arc::clone(layer));
        }
        let layer = Arc::new(file.layer(sum)?);
        kept.insert(sum, Arc::clone(&layer));
        Ok(layer)
    }
}

/// A walk through a solution by ascending sums of tiles. It has no more layers in memory than it needs.
pub(super) struct Walk<'a> {
    solution: &'a Solution,
    near: BTreeMap<u32, Arc<Layer>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(solution: &'a Solution) -> Self {
        Walk {
            solution,
            near: BTreeMap::new(),
        }
    }

    /// The layers after a random tile on a board of this sum of tiles.
    pub(super) fn above(&mut self, sum: u32) -> io::Result<Above> {
        self.near = self.near.split_off(&sum);
        let (solution, near) = (self.solution, &mut self.near);
        solution.above(sum, &mut |sum| {
            if let Some(layer) = near.get(&sum) {
                return Ok(Arc::clone(layer));
            }
            let layer = match &solution.layers {
                Layers::Memory(_) => solution.kept(sum)?,
                Layers::File(file, _) => Arc::new(file.layer(sum)?),
            };
            near.insert(sum, Arc::clone(&layer));
            Ok(layer)
        })
    }
}

fn is_listed<const ROWS: usize, const COLUMNS: usize>(board: Board, layer: &Layer) -> bool {
    let canonical = Grid::<ROWS, COLUMNS>::canonical(board.0);
    layer.get(Grid::<ROWS, COLUMNS>::key(canonical)).is_some()
}

/// The value of each move of a listed position, in the order of [`Direction::ALL`].
pub(super) fn values_of_moves<const ROWS: usize, const COLUMNS: usize>(
    problem: &Problem,
    board: Board,
    above: &Above,
) -> [Option<f64>; 4] {
    let afters = Grid::<ROWS, COLUMNS>::new().afters(board.0);
    afters.map(|after| {
        let after = after?;
        let value = value_after::<ROWS, COLUMNS>(problem.goal, after.board, above);
        Some(problem.goal.points(after.points) + value)
    })
}

/// The value of a move on any position, listed or not.
fn value_alone<const ROWS: usize, const COLUMNS: usize>(
    problem: &Problem,
    board: Board,
    direction: Direction,
    work: &Work,
) -> Option<f64> {
    let after = Grid::<ROWS, COLUMNS>::new().moved(board.0, direction)?;
    if problem.goal.is_reached(after.board) {
        return Some(1.0);
    }
    let starts = problem.spawned(after.board);
    let solved = solve_from(problem, &starts, work, &mut |_, _| Ok(()));
    Some(problem.goal.points(after.points) + solved.ok()??.value)
}
