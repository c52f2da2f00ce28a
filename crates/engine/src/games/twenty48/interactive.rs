//! Interactive games of 2048. Every game has a seed.

use crate::games::sliding::Shape;
use crate::games::sliding::motion::motion;
use crate::games::twenty48::rules::{
    Board, Direction, Game, Rules, SizedBoard, Usual, destinations,
};
use crate::games::twenty48::setup::variation;
use crate::player::interactive::{
    Control, InteractiveGame, Motion, MotionOf, SinglePlayerInteractive, seed_needed,
};
use crate::player::options::Options;
use crate::player::position::PositionError;

/// See [`StartInteractive`](crate::player::StartInteractive).
///
/// # Errors
/// If there is no seed.
pub fn start_interactive(
    options: &Options,
    seed: Option<u64>,
) -> Result<Box<dyn InteractiveGame>, PositionError> {
    let seed = seed.ok_or_else(seed_needed)?;
    let variation = variation(options);
    if variation.is_usual() {
        let game = Game::of(seed, Usual::default());
        let of_move = |before: Board, chosen: Direction, after: Board| -> Motion {
            motion(Shape::STANDARD, before, chosen, after, destinations)
        };
        return Ok(interactive(game, of_move));
    }
    let of_move = |before: SizedBoard, chosen: Direction, after: SizedBoard| -> Motion {
        motion(
            before.shape,
            before.board,
            chosen,
            after.board,
            destinations,
        )
    };
    Ok(interactive(Game::of(seed, variation), of_move))
}

fn interactive<R: Rules>(game: Game<R>, of_move: MotionOf<Game<R>>) -> Box<dyn InteractiveGame> {
    Box::new(SinglePlayerInteractive::new(
        game,
        &Direction::ALL,
        Control::Directions,
        of_move,
    ))
}
