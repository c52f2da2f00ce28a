//! Where a search began anew: lines must not join two restarts.

use crate::record::GenerationRow;

/// Places between two generations of different restarts.
pub(super) fn boundaries(rows: &[GenerationRow]) -> impl Iterator<Item = f64> {
    rows.windows(2)
        .filter(|pair| pair[0].run != pair[1].run)
        .map(|pair| f64::from(pair[1].generation) - 0.5)
}

/// The generations of each restart; a line must not join two of them.
pub(super) fn restarts(rows: &[GenerationRow]) -> impl Iterator<Item = &[GenerationRow]> {
    rows.chunk_by(|one, next| one.run == next.run)
}
