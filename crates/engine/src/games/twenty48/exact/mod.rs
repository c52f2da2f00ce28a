//! Exact values on boards of up to nine cells: perfect play, and the expected result of any player whose moves depend
//! on the position alone. No game is played.
//!
//! - [`problem`]: what is solved
//! - `grid`: boards up to symmetry
//! - `layers`, [`mod@solve`]: the positions that can be reached, and their values
//! - [`solution`], `solution_file`: values that can be looked up; the file that keeps them
//! - [`known`]: the solutions of this process, and the folder of their files
//! - [`agent`]: what the players of the game need
//! - [`moves`]: the best move of values; the moves of a player as probabilities
//! - [`policy`], `losses`: the exact result of a player, and where it loses against perfect play

pub mod agent;
mod grid;
pub mod known;
mod layers;
mod losses;
pub mod moves;
pub mod policy;
pub mod problem;
pub mod solution;
mod solution_file;
pub mod solve;

/// Calls a function that is generic over the rows and columns of a board with those of a problem.
macro_rules! on_grid {
    ($problem:expr, $function:ident($($argument:expr),*)) => {
        match ($problem.shape.rows(), $problem.shape.columns()) {
            (2, 2) => $function::<2, 2>($($argument),*),
            (2, 3) => $function::<2, 3>($($argument),*),
            (3, 2) => $function::<3, 2>($($argument),*),
            (2, 4) => $function::<2, 4>($($argument),*),
            (4, 2) => $function::<4, 2>($($argument),*),
            (3, 3) => $function::<3, 3>($($argument),*),
            (rows, columns) => panic!("a board of {rows}x{columns} has too many cells"),
        }
    };
}
use on_grid;

pub use problem::{Goal, MOST_CELLS, Problem};
pub use solution::Solution;

#[cfg(test)]
mod tests;
