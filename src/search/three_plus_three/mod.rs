//! How a move of 3+3 is chosen: by [`freedom`], the number of ways in which the game may go on, or by
//! [`expectimax`] over heuristic tables, whose slow definition is [`textbook`].

pub mod expectimax;
pub mod freedom;
pub mod textbook;
