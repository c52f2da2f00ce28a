//! The blocks of pairs that are recorded together. They depend only on the comparison, and every look is at the end of
//! a block.

use std::ops::Range;

use tiletune_tuning::stats::sequential::next_look;

/// Number of blocks between two looks for players that play one game at a time. These players are slow, and a killed
/// process must lose less than a block of each thread's games.
const BLOCKS_OF_SLOW_PLAYERS: u64 = 5;

/// Consecutive pairs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PairBlock {
    /// Number of the block.
    pub(super) number: usize,
    /// Its pairs, from 0.
    pub(super) pairs: Range<u64>,
    /// Whether a look follows.
    pub(super) is_look: bool,
}

/// The blocks of a comparison with at most `max_pairs` pairs. `batch` is the largest number of games that a player
/// plays at a time.
pub(super) fn blocks(max_pairs: u64, batch: usize) -> Vec<PairBlock> {
    let parts = match batch {
        1 => BLOCKS_OF_SLOW_PLAYERS,
        _ => 1,
    };
    let mut blocks = Vec::new();
    let mut look = 0;
    while look < max_pairs {
        let next = next_look(look).min(max_pairs);
        let size = (next - look).div_ceil(parts);
        let mut start = look;
        while start < next {
            let end = (start + size).min(next);
            blocks.push(PairBlock {
                number: blocks.len(),
                pairs: start..end,
                is_look: end == next,
            });
            start = end;
        }
        look = next;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_consecutive_and_end_at_looks() {
        for (max_pairs, batch) in [
            (100, 1),
            (250, 1),
            (7_777, 1),
            (50_000, 512),
            (1_000_000, 1),
        ] {
            let blocks = blocks(max_pairs, batch);
            let mut end = 0;
            for (number, block) in blocks.iter().enumerate() {
                assert_eq!((block.number, block.pairs.start), (number, end));
                assert!(!block.pairs.is_empty());
                end = block.pairs.end;
            }
            assert_eq!(end, max_pairs);
            let looks = blocks.iter().filter(|block| block.is_look);
            let looks: Vec<u64> = looks.map(|block| block.pairs.end).collect();
            let last = looks.len() - 1;
            assert!((0..last).all(|at| looks[at].is_multiple_of(100)));
            assert_eq!((looks[0], looks[last]), (100, max_pairs));
            assert!(blocks.len() < 800);
        }
        assert_eq!(blocks(100, 1)[1].pairs, 20..40);
    }
}
