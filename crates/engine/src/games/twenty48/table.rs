//! 2048 at a table. Every game has a seed.

use crate::games::sliding::motion::motion;
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns, destinations};
use crate::player::options::Options;
use crate::player::position::PositionError;
use crate::player::table::{Control, Motion, SinglePlayerTable, Table, seed_needed};

/// See [`LayOut`](crate::player::LayOut).
///
/// # Errors
/// Without a seed.
pub fn lay_out(_: &Options, seed: Option<u64>) -> Result<Box<dyn Table>, PositionError> {
    let game = Game::new(seed.ok_or_else(seed_needed)?, Spawns::TwosAndFours);
    let of_move = |before: Board, chosen: Direction, after: Board| -> Motion {
        motion(before, chosen, after, destinations)
    };
    Ok(Box::new(SinglePlayerTable::new(
        game,
        &Direction::ALL,
        Control::Directions,
        of_move,
    )))
}
