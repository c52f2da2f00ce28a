//! Heuristics for tests.

use crate::games::sliding::board_terms::{CORNER, EDGE, MAX_TILE};
use crate::games::sliding::heuristic::{Exact, Heuristic};
use crate::games::sliding::line_tables::LineValues;
use crate::games::sliding::rows::LINES;
use crate::random::GameRng;

/// Four separate line tables with random values from -50,000 to 100,000 points.
pub(crate) fn random_lines(seed: u64) -> LineValues {
    let mut rng = GameRng::new(seed);
    let mut table = || {
        (0..LINES)
            .map(|_| f64::from(rng.below(150_001)) - 5e4)
            .collect()
    };
    LineValues::Anchored([table(), table(), table(), table()])
}

/// Two anchored heuristics with random line values: one without board terms, one with the three terms of the
/// largest tile.
pub(crate) fn anchored_heuristics() -> [Heuristic; 2] {
    let largest = [(&MAX_TILE, 700.0), (&EDGE, 900.0), (&CORNER, 1500.0)];
    [vec![], largest.to_vec()].map(|board_terms| {
        Heuristic::from_exact(&Exact {
            lines: random_lines(1 + board_terms.len() as u64),
            board_terms,
        })
    })
}
