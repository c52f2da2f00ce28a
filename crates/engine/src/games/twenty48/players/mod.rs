//! The players of 2048 that are not published programs.

mod expectimax;
mod perfect;
mod simple;

pub use expectimax::{CHANCE_LAYERS, EXPECTIMAX, cutoff};
pub use perfect::PERFECT;
pub use simple::{GREEDY, RANDOM};

use crate::field_error::FieldError;
use crate::games::twenty48::rules::Rules;
use crate::games::twenty48::setup;
use crate::player::Options;

/// Checks the options of a player as a whole.
///
/// # Errors
/// If the first tiles do not fit on the board, or if endgames are to be solved on another board than the usual one.
/// The error names the option.
pub(super) fn check(options: &Options) -> Result<(), FieldError> {
    setup::check(options)?;
    let endgames = &expectimax::ENDGAMES;
    if options.switch(endgames) && !setup::variation(options).is_usual() {
        let message = "endgames are solved on the usual board with the usual random tiles only: leave \
                       `endgames` out";
        return Err(FieldError::new([endgames.key], message));
    }
    Ok(())
}
