//! Random moves of 3+3.

use crate::games::sliding::{board::Direction, random_moves::Random};
use crate::games::three_plus_three::rules::Position;
use crate::player::single_player::Policy;

impl Policy<Position, Direction> for Random {
    fn choose(&mut self, position: Position) -> Option<Direction> {
        self.pick(|direction| position.moved(direction).is_some())
    }
}
