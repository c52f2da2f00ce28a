//! The tiles that a move of a sliding game moves, for animations. This module must not depend on the rules of a
//! game: each game passes a function with the destinations of the tiles of a line.

use crate::games::sliding::board::{Board, Direction};
use crate::games::sliding::rows::Line;
use crate::player::interactive::Motion;

/// The motion of a move from `before` to `after`. `destinations` returns, for each tile of a line that slides
/// towards its first cell, the cell where the tile ends.
pub(in crate::games) fn motion(
    before: Board,
    direction: Direction,
    after: Board,
    destinations: fn(Line) -> [Option<usize>; 4],
) -> Motion {
    let (before, after) = (before.ranks(), after.ranks());
    let mut is_reached = [false; 16];
    let mut moved = Vec::new();
    for line in 0..4 {
        // Cells of the line; the first one is at the wall to which the line slides.
        let cells = [0, 1, 2, 3].map(|step| match direction {
            Direction::Left => 4 * line + step,
            Direction::Right => 4 * line + 3 - step,
            Direction::Up => 4 * step + line,
            Direction::Down => 4 * (3 - step) + line,
        });
        let destinations = destinations(cells.map(|cell| before[cell]));
        for (from, to) in cells.into_iter().zip(destinations) {
            let Some(to) = to.map(|step| cells[step]) else {
                continue;
            };
            is_reached[to] = true;
            if from != to {
                moved.push((from, to));
            }
        }
    }
    let appeared = (0..16).filter(|&cell| after[cell] != 0 && !is_reached[cell]);
    Motion {
        moved,
        appeared: appeared.collect(),
    }
}
