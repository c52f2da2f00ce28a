//! The restarts of a search. Charts draw a divider between two of them, and no line joins them.

use tiletune_tuning::results::GenerationRow;

/// The places between the generations of two restarts.
pub(super) fn boundaries(rows: &[GenerationRow]) -> impl Iterator<Item = f64> {
    rows.windows(2)
        .filter(|pair| pair[0].restart != pair[1].restart)
        .map(|pair| f64::from(pair[1].generation) - 0.5)
}

/// The generations of each restart.
pub(super) fn restarts(rows: &[GenerationRow]) -> impl Iterator<Item = &[GenerationRow]> {
    rows.chunk_by(|one, next| one.restart == next.restart)
}
