//! How a move is chosen: [`expectimax`] over the heuristic tables, its slow definition
//! [`textbook`], and two players without a look-ahead in [`simple`]; [`whole_games`]
//! plays many games at a time where there is no look-ahead.
//!
//! Published programs: [`expectimax_faithful`] decides as nneonneo/2048-ai does; [`minimax_six`] is
//! the minimax of the six-feature study with its faults mended, [`minimax_published`] with them;
//! [`snake`] is that of ChuitoChan/clojure-2048ai, in both forms.
//!
//! Other games: [`three_plus_three`]; for gravity four in a row [`alpha_beta`] over a static
//! evaluation, the exact solver [`perfect`], and the players of xmxoxo/connect4 as they decide,
//! [`strings_published`].
//!
//! Searches are generic and monomorphised; they know rules and heuristics, never players' names,
//! files or threads.

pub mod alpha_beta;
pub mod chance;
mod connect_four;
pub mod expectimax;
pub mod expectimax_faithful;
mod last_layer;
pub mod minimax_published;
pub mod minimax_six;
pub mod perfect;
pub mod prepared;
pub mod simple;
pub mod snake;
pub mod strings_published;
pub mod textbook;
pub mod three_plus_three;
mod transposition;
pub mod whole_games;

use crate::game::twenty48::Direction;

/// The move of the largest value, the first of equals; values in the order of [`Direction::ALL`],
/// `None` for an illegal move.
pub fn first_best<T: PartialOrd>(values: [Option<T>; 4]) -> Option<Direction> {
    let mut best: Option<(Direction, T)> = None;
    for (direction, value) in Direction::ALL.into_iter().zip(values) {
        if let Some(value) = value
            && best.as_ref().is_none_or(|(_, largest)| value > *largest)
        {
            best = Some((direction, value));
        }
    }
    best.map(|(direction, _)| direction)
}
