//! Facts about the lines of 3+3: how a line contributes to the number of moves that a board allows, and to its
//! largest tile. They are packed into one number for each of the 65,536 lines.
//!
//! After a slide the last cell of a line is empty, unless the line is full and nothing in it merges. Such a
//! line is stuck in both directions. If at least one line moves in a direction, the number of cells for the
//! next tile is therefore the number of lines that are not stuck.

use std::ops::{Add, Sub};
use std::sync::LazyLock;

use crate::games::sliding::board::Board;
use crate::games::sliding::rows::{LINES, of_every_line, unpack};
use crate::games::three_plus_three::rules::{merged, rows};

/// Bit position: 1 if the line moves towards its first cell.
const TO_FIRST: u32 = 0;
/// Bit position: 1 if the line moves towards its last cell.
const TO_LAST: u32 = 3;
/// Bit position: 1 if the line is not stuck.
const OPEN: u32 = 6;
/// Mask of the three fields above. Each field has room for the sum over four lines.
const SUMS: u16 = 0x1FF;
/// Bit position of the rank of the largest tile after a slide. It is the same for both directions.
const LARGEST: u32 = 12;

/// The facts about one line. Their order is the order of the largest tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineFacts(u16);

impl LineFacts {
    /// Rank of the largest tile after a slide.
    #[inline(always)]
    pub fn largest(self) -> u8 {
        (self.0 >> LARGEST) as u8
    }

    /// True if a tile can appear at its end, because it has a gap or a possible merge.
    #[inline(always)]
    pub fn is_open(self) -> bool {
        self.0 >> OPEN & 1 == 1
    }

    /// The facts that are added up over the four lines of an orientation.
    #[inline(always)]
    pub fn sums(self) -> Sums {
        Sums(self.0 & SUMS)
    }
}

/// Sums of facts over the four lines of an orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums(u16);

impl Add for Sums {
    type Output = Sums;

    #[inline(always)]
    fn add(self, other: Sums) -> Sums {
        Sums(self.0 + other.0)
    }
}

impl Sub for Sums {
    type Output = Sums;

    #[inline(always)]
    fn sub(self, other: Sums) -> Sums {
        Sums(self.0 - other.0)
    }
}

impl Sums {
    /// Number of legal directions along these lines, 0 to 2.
    #[inline(always)]
    pub fn directions(self) -> u32 {
        u32::from(self.0 >> TO_FIRST & 7 != 0) + u32::from(self.0 >> TO_LAST & 7 != 0)
    }

    /// Number of moves along these lines, 0 to 8. A move counts once for each cell where the next tile can
    /// appear.
    #[inline(always)]
    pub fn moves(self) -> u32 {
        u32::from(self.0 >> OPEN) * self.directions()
    }
}

/// The facts about all lines.
pub struct FactTable(Box<[LineFacts; LINES]>);

impl FactTable {
    /// The table. It is computed at the first use.
    pub fn get() -> &'static FactTable {
        static TABLE: LazyLock<FactTable> = LazyLock::new(FactTable::build);
        &TABLE
    }

    fn build() -> Self {
        FactTable(of_every_line(|index| {
            let line = unpack(index);
            let slides = rows().slides(index);
            let sums = line.windows(2).filter_map(|pair| merged(pair[0], pair[1]));
            let largest = line.into_iter().chain(sums).max().unwrap_or(0);
            LineFacts(
                u16::from(slides.to_first != index) << TO_FIRST
                    | u16::from(slides.to_last != index) << TO_LAST
                    | u16::from(slides.to_first >> 12 == 0) << OPEN
                    | u16::from(largest) << LARGEST,
            )
        }))
    }

    /// The facts about a line.
    #[inline(always)]
    pub fn of(&self, line: u16) -> LineFacts {
        self.0[line as usize]
    }

    /// The sums over the rows, and over the columns, of a board.
    #[inline(always)]
    pub fn sums(&self, board: Board) -> [Sums; 2] {
        [board, board.transpose()].map(|board| {
            let sums = [0, 1, 2, 3].map(|row| self.of(board.row(row)).sums());
            sums[0] + sums[1] + (sums[2] + sums[3])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::board::Direction;
    use crate::games::three_plus_three::rules::samples::positions;
    use crate::games::three_plus_three::rules::spawn_cells;

    #[test]
    fn every_line_counts_as_it_slides() {
        for index in 0..=u16::MAX {
            let slides = rows().slides(index);
            let facts = FactTable::get().of(index);
            for slid in [slides.to_first, slides.to_last] {
                let largest = unpack(slid).into_iter().max();
                assert_eq!(Some(facts.largest()), largest);
            }
            assert_eq!(slides.to_first >> 12 == 0, facts.is_open());
            assert_eq!(slides.to_last & 0xF == 0, facts.is_open());
        }
    }

    #[test]
    fn sums_count_the_moves_of_a_board() {
        for position in positions(2000) {
            let legal = Direction::ALL
                .into_iter()
                .filter_map(|direction| Some((position.moved(direction)?, direction)));
            let places: Vec<u32> = legal
                .map(|(moved, direction)| spawn_cells(moved, direction).count_ones())
                .collect();
            let [rows, columns] = FactTable::get().sums(position.board);
            let directions = rows.directions() + columns.directions();
            assert_eq!(directions as usize, places.len());
            assert_eq!(rows.moves() + columns.moves(), places.iter().sum::<u32>());
        }
    }
}
