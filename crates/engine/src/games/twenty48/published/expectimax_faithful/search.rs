//! The search of nneonneo/2048-ai, reproduced without changes. With f32 values, its table and its cut-off,
//! every value equals the original value bit for bit. [`crate::games::twenty48::search::expectimax`] is the
//! faster search; this one shows what the original decides.
//!
//! An entry of the table is used for a chance node if the same board was searched at the same or a smaller
//! distance from the root, with any path probability. A value therefore depends on the order in which nodes are
//! visited. The order here is the original order.
//!
//! The original merges two tiles of 32768 into one 32768, and so does this search. The game does not merge them
//! (see [`MAX_RANK`]). A move that is legal only because of such a merge is never chosen.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use crate::games::sliding::{Line, MAX_RANK, RowTable, first_best};
use crate::games::twenty48::published::expectimax_faithful::lines::OriginalLines;
use crate::games::twenty48::rules::{Board, Direction, Policy};
use crate::games::twenty48::search::expectimax::chance_layers;
use crate::player::depth::Depth;
use crate::stop::Stop;

/// The cut-off of the original. A chance node with a smaller probability is a leaf.
pub const CUTOFF: f64 = 1e-4;

/// The original adds this number to the value of a legal root move, so that it is larger than the value of an
/// illegal move.
const LEGAL: f64 = 1e-6;

/// With this number of chance layers or fewer, the search does not check for a stop, because the subtree is
/// small.
const LAYERS_WITHOUT_STOP: u8 = 2;

fn original_slide(line: Line) -> Line {
    let mut after = [0; 4];
    let mut tiles = line.into_iter().filter(|&rank| rank != 0).peekable();
    for cell in &mut after {
        let Some(rank) = tiles.next() else { break };
        let merges = tiles.next_if_eq(&rank).is_some();
        *cell = (rank + u8::from(merges)).min(MAX_RANK);
    }
    after
}

/// A hash by one multiplication. The upper half of the product is mixed well enough for boards.
#[derive(Default)]
struct BoardHasher(u64);

impl Hasher for BoardHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 << 8 | u64::from(byte));
        }
    }

    fn write_u64(&mut self, board: u64) {
        let product = board.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ product >> 32;
    }
}

#[derive(Clone, Copy)]
struct TableEntry {
    /// Number of chance layers above the node.
    layer: u8,
    value: f32,
}

/// The original's search.
pub struct FaithfulExpectimax<'a> {
    lines: &'a OriginalLines,
    depth: Depth,
    cutoff: f32,
    table: Option<HashMap<u64, TableEntry, BuildHasherDefault<BoardHasher>>>,
    stop: Stop<'a>,
    leaf_evaluations: u64,
}

impl<'a> FaithfulExpectimax<'a> {
    /// A search. `cutoff` 0 means no cut-off. Without `table` every node is searched again.
    pub fn new(lines: &'a OriginalLines, depth: Depth, cutoff: f64, table: bool) -> Self {
        FaithfulExpectimax {
            lines,
            depth,
            cutoff: cutoff as f32,
            table: table.then(HashMap::default),
            stop: Stop::never(),
            leaf_evaluations: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary value.
    pub fn until(self, stop: Stop<'a>) -> Self {
        FaithfulExpectimax { stop, ..self }
    }

    /// Values of the moves in the order of [`Direction::ALL`]; `None` for a move that is illegal in the rules
    /// of this library.
    pub fn move_values(&mut self, board: Board) -> [Option<f32>; 4] {
        let limit = chance_layers(self.depth, board);
        Direction::ALL.map(|direction| {
            (board.moved(direction) != board).then(|| {
                // The original clears its table before each root move.
                if let Some(table) = &mut self.table {
                    table.clear();
                }
                let moved = original_moves(board)[direction as usize];
                let value = self.chance(moved, 0, limit, 1.0);
                (f64::from(value) + LEGAL) as f32
            })
        })
    }

    /// The value of a chance node with `layer` chance layers above it, on a path with this probability.
    fn chance(&mut self, board: Board, layer: u8, limit: u8, probability: f32) -> f32 {
        if layer >= limit || probability < self.cutoff {
            self.leaf_evaluations += 1;
            return self.lines.value(board);
        }
        let known = self.table.as_ref().and_then(|table| table.get(&board.0));
        if let Some(known) = known
            && known.layer <= layer
        {
            return known.value;
        }
        if limit - layer > LAYERS_WITHOUT_STOP && self.stop.is_requested() {
            return 0.0;
        }
        let empty = board.empty_cells() as f32;
        let each = probability / empty;
        let mut sum = 0f32;
        let mut cells = board.empty_mask();
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            sum += self.best(Board(board.0 | cell), layer + 1, limit, each * 0.9) * 0.9;
            sum += self.best(Board(board.0 | cell << 1), layer + 1, limit, each * 0.1) * 0.1;
        }
        let value = sum / empty;
        if let Some(table) = &mut self.table {
            table.insert(board.0, TableEntry { layer, value });
        }
        value
    }

    fn best(&mut self, board: Board, layer: u8, limit: u8, probability: f32) -> f32 {
        let mut best = 0f32;
        for moved in original_moves(board) {
            if moved != board {
                best = best.max(self.chance(moved, layer, limit, probability));
            }
        }
        best
    }
}

/// The boards after all moves of the original, in the order of [`Direction::ALL`].
#[inline]
fn original_moves(board: Board) -> [Board; 4] {
    static TABLE: LazyLock<RowTable> = LazyLock::new(|| RowTable::build(original_slide));
    board.all_moved_by(&TABLE)
}

impl Policy<Board, Direction> for FaithfulExpectimax<'_> {
    /// The move with the largest value; among equal moves, the first.
    fn choose(&mut self, board: Board) -> Option<Direction> {
        first_best(self.move_values(board))
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaf_evaluations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::chance::NoBoardTerms;
    use crate::games::sliding::heuristic::Heuristic;
    use crate::games::twenty48::heuristic::TERMS;
    use crate::games::twenty48::rules::samples::board_of;
    use crate::games::twenty48::search::compiled::CompiledSearch;
    use crate::games::twenty48::search::expectimax::{Expectimax, Settings};
    use crate::games::vectors;
    use crate::heuristic::weights::Weights;
    use crate::simd::InstructionSet;
    use serde_json::Value;

    /// Vectors from runs of the original program.
    fn golden() -> Vec<(Board, Value)> {
        let text = vectors::text("expectimax_boards.json");
        let records: Vec<Value> = serde_json::from_str(&text).unwrap();
        let records = records.into_iter();
        records
            .map(|record| (board_of(&record["b"]), record))
            .collect()
    }

    /// Values in the form of the original: 0 for an illegal move.
    fn with_zeros(values: [Option<f32>; 4]) -> [f32; 4] {
        values.map(|value| value.unwrap_or(0.0))
    }

    fn expected(values: &Value) -> [f32; 4] {
        // Nine decimal digits identify every f32.
        let values: [f64; 4] = serde_json::from_value(values.clone()).unwrap();
        values.map(|value| value as f32)
    }

    #[test]
    fn slides_are_those_of_the_original() {
        let text = vectors::text("expectimax_rows.csv");
        let hex = |text: &str| u16::from_str_radix(text, 16).unwrap();
        let table = RowTable::build(original_slide);
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let slides = table.slides(hex(fields[0]));
            assert_eq!(slides.to_first, hex(fields[3]), "{line}");
            assert_eq!(slides.to_last, hex(fields[4]), "{line}");
        }
        assert_eq!(original_slide([15, 15, 15, 15]), [15, 15, 0, 0]);
    }

    #[test]
    fn values_are_those_of_the_original_to_the_bit() {
        let lines = OriginalLines::new(&Weights::default());
        for (name, cutoff, table) in [
            ("orig", CUTOFF, true),
            ("nott", CUTOFF, false),
            ("pure", 0.0, false),
        ] {
            for limit in 1..=3 {
                let depth = Depth::Fixed(limit);
                let mut search = FaithfulExpectimax::new(&lines, depth, cutoff, table);
                for (board, record) in golden() {
                    let values = with_zeros(search.move_values(board));
                    let expected = expected(&record[name][usize::from(limit) - 1]);
                    assert_eq!(values, expected, "{name} {limit} {board:?}");
                }
            }
        }
    }

    #[test]
    fn values_and_moves_at_the_original_depth_are_its_own() {
        let lines = OriginalLines::new(&Weights::default());
        let mut search = FaithfulExpectimax::new(&lines, Depth::Adaptive, CUTOFF, true);
        for (board, record) in golden() {
            let default = &record["default"];
            assert_eq!(default["limit"], chance_layers(Depth::Adaptive, board));
            let values = with_zeros(search.move_values(board));
            assert_eq!(values, expected(&default["s"]), "{board:?}");
            let chosen = search
                .choose(board)
                .map_or(-1, |direction| direction as i64);
            assert_eq!(default["best"], chosen, "{board:?}");
        }
    }

    #[test]
    fn without_table_and_cutoff_it_agrees_with_our_own_search() {
        let lines = OriginalLines::new(&Weights::default());
        let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
        for limit in 1..=3 {
            let depth = Depth::Fixed(limit);
            let mut faithful = FaithfulExpectimax::new(&lines, depth, 0.0, false);
            let compiled = CompiledSearch::new(heuristic.clone(), depth, InstructionSet::chosen());
            let mut ours = Expectimax::new(&compiled, NoBoardTerms, Settings::new(depth, 0.0));
            for (board, _) in golden() {
                let values = faithful.move_values(board).into_iter();
                for (value, own) in values.zip(ours.move_values(board)) {
                    assert_eq!(value.is_some(), own.is_some(), "{board:?}");
                    let own = heuristic.points(f64::from(own.unwrap_or(0)));
                    let difference = f64::from(value.unwrap_or(0.0)) - own;
                    // A value is at most 2^21, where f32 has steps of 1/8, and each chance layer adds up to 30
                    // rounded terms. The largest difference on these boards is 0.54.
                    assert!(difference.abs() <= 1.0, "{value:?} {own:?} {board:?}");
                }
            }
        }
    }

    #[test]
    fn a_move_that_only_the_original_allows_is_not_chosen() {
        let lines = OriginalLines::new(&Weights::default());
        let mut search = FaithfulExpectimax::new(&lines, Depth::Fixed(1), CUTOFF, true);
        let board = Board::from_ranks([15, 15, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        assert!(board.is_over());
        assert_eq!(search.choose(board), None);
    }
}
