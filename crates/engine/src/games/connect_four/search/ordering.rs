//! Shared by the searches of gravity four in a row: move ordering, and a hash of positions for tables. This
//! module must not evaluate positions.

use crate::games::connect_four::rules::Bitboards;

/// Largest number of columns. A board with this number has two rows.
const MOST_COLUMNS: usize = 21;

/// Moves sorted by decreasing priority, with a fixed capacity. The sort is stable.
pub(super) struct Ordered<P> {
    moves: [(P, u64); MOST_COLUMNS],
    length: usize,
}

impl<P: Copy + Default + PartialOrd> Ordered<P> {
    #[inline]
    pub(super) fn new() -> Self {
        Ordered {
            moves: [(P::default(), 0); MOST_COLUMNS],
            length: 0,
        }
    }

    /// Inserts a move after all moves of equal or higher priority.
    #[inline]
    pub(super) fn insert(&mut self, promise: P, stone: u64) {
        let mut place = self.length;
        while place > 0 && self.moves[place - 1].0 < promise {
            self.moves[place] = self.moves[place - 1];
            place -= 1;
        }
        self.moves[place] = (promise, stone);
        self.length += 1;
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        self.moves[..self.length].iter().map(|(_, stone)| *stone)
    }
}

/// A hash without collisions between positions of the same board. The upper bits are well mixed and serve as a
/// table index.
#[inline]
pub(super) fn hash(position: Bitboards) -> u64 {
    // The sum identifies a position. Multiplication by an odd number (2^64 divided by the golden ratio) is
    // invertible, so it keeps positions distinct.
    let key = position.own + position.stones();
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equally_promising_moves_stay_in_order() {
        let mut ordered = Ordered::new();
        for (promise, stone) in [(1, 10), (3, 11), (1, 12), (2, 13), (3, 14)] {
            ordered.insert(promise, stone);
        }
        assert!(ordered.iter().eq([11, 14, 13, 10, 12]));
    }
}
