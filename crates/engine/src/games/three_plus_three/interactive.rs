//! Interactive games of 3+3. Every game has a seed.

use crate::games::sliding::Shape;
use crate::games::sliding::motion::motion;
use crate::games::three_plus_three::rules::{Direction, Game, Position, destinations};
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
    let game = Game::new(seed.ok_or_else(seed_needed)?);
    let of_move = |before: Position, chosen: Direction, after: Position| -> Motion {
        motion(
            Shape::STANDARD,
            before.board,
            chosen,
            after.board,
            destinations,
        )
    };
    Ok(Box::new(SinglePlayerInteractive::new(
        game,
        &Direction::ALL,
        Control::Directions,
        of_move,
    )))
}
