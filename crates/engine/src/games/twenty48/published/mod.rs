//! Published players of 2048, one folder each. A program is reproduced bit for bit with its faults.
//! If it has faults, a second player has them corrected.

pub mod expectimax_faithful;
pub mod minimax_six;
pub mod snake;
