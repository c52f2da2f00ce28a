//! Who wins if nobody makes a new threat.
//!
//! A threat is an empty cell that completes a line of a side. From a position on, let the threats stay
//! as they are, and let both sides play as follows, one stone after the other:
//!
//! 1. If a threat of the side to move can be filled, it wins.
//! 2. Else it fills a threat of the other side that can be filled, of several the first one.
//! 3. Else it fills a free cell. A cell is free if neither it nor an empty cell below it is just below a
//!    threat.
//! 4. Else every move goes just below a threat (zugzwang). The side to move takes a move that is not below
//!    a threat of the other side: the first one above whose threat an odd number of cells follows, up to
//!    the next cell that is a threat or just below one, or to the top of the column; else the first one.
//!    The other side must then fill the threat. If the number is odd, the other side is also the next
//!    one in zugzwang.
//! 5. If there is no such move, the other side wins.
//!
//! A full board is won by nobody. The order in which free cells are filled does not matter, so
//! [`outcome`] fills all of them at once; the test plays stone by stone. "First" is the order of the
//! cells' bits, so in rare positions a mirrored board has another outcome.
//!
//! Source of the idea: V. Allis, A Knowledge-based Approach of Connect-Four, 1988, where rules about
//! the parity of cells say who is squeezed.

use crate::games::connect_four::rules::{Bitboards, Rules};

/// A win by these rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Win {
    /// Whether the side to move wins.
    pub(super) of_side_to_move: bool,
    /// Number of stones before the winning one.
    pub(super) moves: u32,
}

/// The win to which the threats of both sides, those of the side to move first, lead; `None` if
/// nobody wins.
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

/// Of these cells just below a threat the first with an odd number of `open` cells in a row above the
/// threat, or else the first.
#[inline]
fn passing(cells: u64, open: u64) -> u64 {
    let mut rest = cells;
    while rest != 0 {
        let cell = lowest(rest);
        rest ^= cell;
        let above = open >> (cell.trailing_zeros() + 2);
        if above.trailing_ones() % 2 == 1 {
            return cell;
        }
    }
    lowest(cells)
}

/// These empty cells and all empty cells above them.
#[inline]
fn upwards(rules: &Rules, cells: u64, empty: u64) -> u64 {
    // A column is a run of bits, its lowest cell the lowest bit.
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

    /// The empty cells of a column from the bottom: of which side each is a threat.
    type Column = Vec<[bool; 2]>;

    fn is_threat(cell: Option<&[bool; 2]>) -> bool {
        cell.is_some_and(|of| of.contains(&true))
    }

    /// Number of cells above the threat that is second in its column, up to the next cell that is a
    /// threat or just below one.
    fn cells_above(column: &Column) -> usize {
        let is_open =
            |&height: &usize| !is_threat(column.get(height)) && !is_threat(column.get(height + 1));
        (2..column.len()).take_while(is_open).count()
    }

    /// The definition, stone by stone.
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
            // If there is no harmless cell, any stone lets the other side win.
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
                // Real threats, and denser ones that hardly occur.
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
