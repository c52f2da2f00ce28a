//! The tiles that a move of a sliding game moves, for animations. This module must not depend on the rules of a
//! game: each game passes a function with the destinations of the tiles of a line.

use crate::games::sliding::board::{Board, Direction};
use crate::games::sliding::rows::Line;
use crate::games::sliding::shape::Shape;
use crate::player::interactive::Motion;

/// The motion of a move from `before` to `after` on a board of a size. `destinations` returns, for each tile of a line that slides
/// towards its first cell, the cell where the tile ends.
pub(in crate::games) fn motion(
    shape: Shape,
    before: Board,
    direction: Direction,
    after: Board,
    destinations: fn(Line) -> [Option<usize>; 4],
) -> Motion {
    let (before, after) = (before.ranks(), after.ranks());
    let mut is_reached = [false; 16];
    let mut moved = Vec::new();
    let (rows, columns) = (shape.rows(), shape.columns());
    let (count, length) = match direction {
        Direction::Left | Direction::Right => (rows, columns),
        Direction::Up | Direction::Down => (columns, rows),
    };
    // The number of a cell in reading order, from its number in a board of 4x4 cells.
    let shown = |cell: usize| columns * (cell / 4) + cell % 4;
    for line in 0..count {
        // Cells of the line; the first one is at the wall to which the line slides.
        let cell = |step: usize| match direction {
            Direction::Left => 4 * line + step,
            Direction::Right => 4 * line + columns - 1 - step,
            Direction::Up => 4 * step + line,
            Direction::Down => 4 * (rows - 1 - step) + line,
        };
        let mut ranks: Line = [0; 4];
        for (step, rank) in ranks.iter_mut().enumerate().take(length) {
            *rank = before[cell(step)];
        }
        for (step, to) in destinations(ranks).into_iter().enumerate() {
            let Some(to) = to.map(cell) else {
                continue;
            };
            is_reached[to] = true;
            if cell(step) != to {
                moved.push((shown(cell(step)), shown(to)));
            }
        }
    }
    let appeared = shape
        .cells()
        .filter(|&cell| after[cell] != 0 && !is_reached[cell]);
    Motion {
        moved,
        appeared: appeared.map(shown).collect(),
    }
}
