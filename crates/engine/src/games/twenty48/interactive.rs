//! Interactive games of 2048. Every game has a seed.

use crate::games::sliding::motion::motion;
use crate::games::twenty48::rules::{Board, Direction, Game, Spawns, destinations};
use crate::player::interactive::{
    Control, InteractiveGame, Motion, SinglePlayerInteractive, seed_needed,
};
use crate::player::options::Options;
use crate::player::position::PositionError;

/// See [`StartInteractive`](crate::player::StartInteractive).
///
/// # Errors
/// If there is no seed.
pub fn start_interactive(
    _: &Options,
    seed: Option<u64>,
) -> Result<Box<dyn InteractiveGame>, PositionError> {
    let game = Game::new(seed.ok_or_else(seed_needed)?, Spawns::TwosAndFours);
    let of_move = |before: Board, chosen: Direction, after: Board| -> Motion {
        motion(before, chosen, after, destinations)
    };
    Ok(Box::new(SinglePlayerInteractive::new(
        game,
        &Direction::ALL,
        Control::Directions,
        of_move,
    )))
}
