//! Published players of 2048, a folder each: as the program decides, bit for bit, and with its
//! faults corrected where it has any.

pub mod expectimax_faithful;
pub mod minimax_six;
pub mod snake;
