//! Moves as numbers: the best one of their values, and the probability with which a player makes each.

use crate::games::sliding::Direction;

/// Values that differ by less, in points or in probability, count as equal: they are sums of rounded numbers.
pub(super) const EQUAL: f64 = 1e-9;

/// The first of the best moves, given the values in the order of [`Direction::ALL`].
pub fn best_move(values: [Option<f64>; 4]) -> Option<Direction> {
    let best = values.into_iter().flatten().reduce(f64::max)?;
    let mut moves = Direction::ALL.into_iter().zip(values);
    let is_best =
        |(_, value): &(Direction, Option<f64>)| value.is_some_and(|value| value >= best - EQUAL);
    moves.find(is_best).map(|(direction, _)| direction)
}

/// The probability of each move on a position, in the order of [`Direction::ALL`]. All are 0 if the game is over.
pub type Shares = [f64; 4];

/// The shares of a player that always makes this move.
pub fn only(chosen: Option<Direction>) -> Shares {
    let mut shares = [0.0; 4];
    if let Some(direction) = chosen {
        shares[direction as usize] = 1.0;
    }
    shares
}

/// The shares of a player that chooses uniformly among the legal moves.
pub fn uniform(is_legal: [bool; 4]) -> Shares {
    let count = is_legal.iter().filter(|legal| **legal).count();
    is_legal.map(|legal| if legal { 1.0 / count as f64 } else { 0.0 })
}
