//! How a move of 3+3 is chosen: by [`freedom`], the number of ways in which the game may go on.

pub mod freedom;
