//! Predicts the winner if nobody makes a new threat.
//!
//! A threat is an empty cell that completes a line of a side. Assume that the set of threats does not change,
//! and that the sides play in turn, one stone each, by these rules:
//!
//! 1. If the side to move can fill one of its threats, it wins.
//! 2. Else, if a threat of the other side can be filled, it fills that cell. If there are several, it fills the
//!    first.
//! 3. Else it fills a free cell. A cell is free if neither it nor an empty cell below it is just below a
//!    threat.
//! 4. Else every move goes just below a threat (zugzwang). The side to move chooses a move that is not below a
//!    threat of the other side. For each such move, count the cells above the threat, up to the next cell that
//!    is a threat or just below a threat, or to the top of the column. The side takes the first move with an
//!    odd count, or else the first move. The other side must then fill the threat. If the count is odd, the
//!    other side is also the next in zugzwang.
//! 5. If there is no such move, the other side wins.
//!
//! Nobody wins on a full board. The order in which free cells are filled does not matter, so [`outcome`] fills
//! all of them at once; the test plays stone by stone. "First" means the order of the bits. In rare positions
//! the mirrored board therefore has another outcome.
//!
//! Source of the idea: V. Allis, A Knowledge-based Approach of Connect-Four, 1988. Its rules use the parity of
//! cells to find the side in zugzwang.

use crate::games::connect_four::rules::{Bitboards, Rules};

/// A predicted win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Win {
    /// True if the side to move wins.
    pub(super) of_side_to_move: bool,
    /// Number of stones played before the winning stone.
    pub(super) moves: u32,
}

/// The predicted win. `threats` are those of the side to move and of the other side. `None` if nobody wins.
#[inline]
pub(super) fn outcome(rules: &Rules, threats: [u64; 2], position: Bitboards) -> Option<Win> {
    let any = threats[0] | threats[1];
    let mut stones = position.stones();
    let before = stones.count_ones();
    let mut to_move = 0;
    loop {
        let empty = rules.cells() & !stones;
        if any & empty == 0 {
            return None;
        }
        let playable = (stones + rules.bottom()) & empty;
        let [own, other] = [threats[to_move], threats[1 - to_move]];
        let win = |winner: usize, stones: u64, more: u32| Win {
            of_side_to_move: winner == 0,
            moves: stones.count_ones() + more - before,
        };
        if playable & own != 0 {
            return Some(win(to_move, stones, 0));
        }
        let forced = playable & other;
        if forced != 0 {
            stones |= lowest(forced);
            to_move = 1 - to_move;
            continue;
        }
        let just_below = (any & empty) >> 1;
        let free = empty & !upwards(rules, just_below, empty);
        if free != 0 {
            stones |= free;
            to_move ^= (free.count_ones() & 1) as usize;
            continue;
        }
        let harmless = playable & !(other >> 1);
        if harmless == 0 {
            return Some(win(1 - to_move, stones, 1));
        }
        stones |= passing(harmless, empty & !any & !just_below);
        to_move = 1 - to_move;
    }
}

/// Chooses one of the moves `cells`, which are all just below a threat: the first one with an odd number of
/// consecutive `open` cells above the threat, or else the first.
#[inline]
fn passing(cells: u64, open: u64) -> u64 {
    let mut rest = cells;
    while rest != 0 {
        let cell = lowest(rest);
        rest ^= cell;
        // + 2: the cell above `cell` is the threat, and the count begins above the threat.
        let above = open >> (cell.trailing_zeros() + 2);
        if above.trailing_ones() % 2 == 1 {
            return cell;
        }
    }
    lowest(cells)
}

/// These empty cells, and all empty cells above them.
#[inline]
fn upwards(rules: &Rules, cells: u64, empty: u64) -> u64 {
    // The cells of a column are consecutive bits; the lowest cell is the lowest bit.
    (1..rules.rows()).fold(cells & empty, |cells, _| cells | (cells << 1) & empty)
}

#[inline]
fn lowest(cells: u64) -> u64 {
    cells & cells.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::rules::samples::{RULES, positions};

    /// The empty cells of a column from the bottom up. For each cell: whether it is a threat of side 0, and of
    /// side 1.
    type Column = Vec<[bool; 2]>;

    fn is_threat(cell: Option<&[bool; 2]>) -> bool {
        cell.is_some_and(|of| of.contains(&true))
    }

    /// Number of cells above the threat at index 1 of the column, up to the next cell that is a threat or just
    /// below a threat.
    fn cells_above(column: &Column) -> usize {
        let is_open =
            |&height: &usize| !is_threat(column.get(height)) && !is_threat(column.get(height + 1));
        (2..column.len()).take_while(is_open).count()
    }

    /// The slow definition, stone by stone.
    fn slow_outcome(mut columns: Vec<Column>) -> Option<Win> {
        let mut to_move = 0;
        for moves in 0.. {
            let other = 1 - to_move;
            let is_open = |column: &&Column| !column.is_empty();
            let first = |holds: &dyn Fn(&Column) -> bool| {
                let mut columns = columns.iter();
                columns.position(|column| !column.is_empty() && holds(column))
            };
            if first(&|column| column[0][to_move]).is_some() {
                let of_side_to_move = to_move == 0;
                return Some(Win {
                    of_side_to_move,
                    moves,
                });
            }
            columns.iter().find(is_open)?;
            let is_harmless = |column: &Column| !column[1][other];
            let chosen = first(&|column| column[0][other])
                .or_else(|| first(&|column| !is_threat(column.get(1))))
                .or_else(|| first(&|column| is_harmless(column) && cells_above(column) % 2 == 1))
                .or_else(|| first(&is_harmless));
            // If no move is safe, the other side wins after any move.
            let chosen = chosen.or_else(|| first(&|_| true));
            columns[chosen.unwrap()].remove(0);
            to_move = other;
        }
        unreachable!("a board has finitely many cells")
    }

    #[test]
    fn the_outcome_is_that_of_play_stone_by_stone() {
        let mut wins = [0; 3];
        for [rows, columns, connect] in RULES {
            let rules = Rules::new(rows, columns, connect).unwrap();
            for (number, turn) in positions(&rules, 2000).enumerate() {
                let position = turn.position;
                let empty = rules.cells() & !position.stones();
                // Real threats, and random ones at a density that real positions hardly have.
                let noise = |salt: u64| {
                    let bits = (number as u64 + salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    bits & bits.rotate_left(23) & empty
                };
                let threats = match number % 2 {
                    0 => [position.own, position.other]
                        .map(|stones| rules.completions(stones, position)),
                    _ => [noise(1), noise(7777)],
                };
                let column = |column: u32| -> Column {
                    let cells = (0..64).map(|bit| 1 << bit);
                    let cells = cells.filter(|cell| cell & empty & rules.column(column) != 0);
                    cells
                        .map(|cell: u64| threats.map(|of| of & cell != 0))
                        .collect()
                };
                let slow = slow_outcome((0..rules.columns()).map(column).collect());
                let fast = outcome(&rules, threats, position);
                assert_eq!(fast, slow, "{rules:?} {position:?} {threats:?}");
                wins[slow.map_or(2, |win| usize::from(win.of_side_to_move))] += 1;
            }
        }
        assert!(wins.iter().all(|&count| count > 1000), "{wins:?}");
    }
}
