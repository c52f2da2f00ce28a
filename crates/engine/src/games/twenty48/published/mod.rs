//! Published players of 2048, one folder each. A program is reproduced bit for bit, with its errors. If it has
//! errors, a second player is the corrected version.

pub mod expectimax_faithful;
pub mod minimax_six;
pub mod snake;
