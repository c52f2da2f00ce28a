//! What the searches of gravity four in a row share: moves in the order in which they are tried,
//! and the hash by which a table finds a position. Must not judge a position.

use crate::games::connect_four::rules::Position;

/// Most columns of a board: of two rows.
const MOST_COLUMNS: usize = 21;

/// Moves with the number by which they are ordered, the largest first.
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

    /// Puts a move behind those that are as promising.
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

/// A number that no other position of the board has, its upper bits well mixed: the place in a
/// table.
#[inline]
pub(super) fn hash(position: Position) -> u64 {
    // The sum names a position exactly; multiplying by an odd number (2^64 over the golden ratio)
    // loses nothing.
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
