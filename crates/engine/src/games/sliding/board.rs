//! The 4x4 board of ranks, and the directions of moves. The [`RowTable`] of each game defines what a slide does
//! to a line.

use std::fmt;

use crate::games::sliding::rows::{MAX_RANK, RowTable};
use crate::random::scale_to;

/// A board of 16 nibbles. Cell (row r, column c) is at bits 4(4r+c) and holds the rank of its tile (0 = empty;
/// each game defines the tile of a rank). Row r is bits 16r..16r+16:
///
/// ```text
///   bit 0                    bits of one row
///   |                        c=0  c=1  c=2   c=3
///   r=0  0x...._...._...._3210     0..  4..  8..  12..16
///   r=1  0x...._...._3210_....
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Board(pub u64);

/// A direction of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards row 0.
    Up,
    /// Towards row 3.
    Down,
    /// Towards column 0.
    Left,
    /// Towards column 3.
    Right,
}

impl Direction {
    /// All directions, in the order in which players try them. Among equal moves the first is played.
    pub const ALL: [Direction; 4] = [
        Direction::Up,
        Direction::Down,
        Direction::Left,
        Direction::Right,
    ];

    /// Name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Left => "left",
            Direction::Right => "right",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Board {
    /// The board with these ranks, row by row from the top left. Ranks must not exceed [`MAX_RANK`].
    pub fn from_ranks(ranks: [u8; 16]) -> Self {
        debug_assert!(ranks.iter().all(|&rank| rank <= MAX_RANK));
        Board(
            ranks
                .into_iter()
                .rev()
                .fold(0, |board, rank| board << 4 | u64::from(rank)),
        )
    }

    /// The ranks, row by row from the top left.
    pub fn ranks(self) -> [u8; 16] {
        std::array::from_fn(|cell| (self.0 >> (4 * cell) & 0xF) as u8)
    }

    /// The line of row `row`; its first cell is in the low nibble.
    #[inline(always)]
    pub fn row(self, row: usize) -> u16 {
        (self.0 >> (16 * row)) as u16
    }

    /// The transposed board: cell (r, c) moves to (c, r).
    ///
    /// The first step exchanges the off-diagonal nibbles of each 2x2 block. The second step exchanges the
    /// off-diagonal blocks:
    ///
    /// ```text
    ///   a b c d      a e c g      a e i m
    ///   e f g h  ->  b f d h  ->  b f j n
    ///   i j k l      i m k o      c g k o
    ///   m n o p      j n l p      d h l p
    /// ```
    #[inline(always)]
    pub fn transpose(self) -> Board {
        let kept = self.0 & 0xF0F0_0F0F_F0F0_0F0F;
        let up = self.0 & 0x0000_F0F0_0000_F0F0;
        let down = self.0 & 0x0F0F_0000_0F0F_0000;
        let blocks = kept | (up << 12) | (down >> 12);
        let kept = blocks & 0xFF00_FF00_00FF_00FF;
        let up = blocks & 0x00FF_00FF_0000_0000;
        let down = blocks & 0x0000_0000_FF00_FF00;
        Board(kept | (up >> 24) | (down << 24))
    }

    /// A mask of the empty cells: one bit per cell, the low bit of its nibble.
    #[inline(always)]
    pub fn empty_mask(self) -> u64 {
        // Folds the four bits of each nibble into its low bit.
        let pairs = self.0 | self.0 >> 1;
        !(pairs | pairs >> 2) & 0x1111_1111_1111_1111
    }

    /// Number of empty cells.
    #[inline(always)]
    pub fn empty_cells(self) -> u32 {
        self.empty_mask().count_ones()
    }

    /// Rank of the largest tile.
    pub fn max_rank(self) -> u8 {
        self.largest().0
    }

    /// Rank of the largest tile, and a mask of the cells with this rank (the low bit of each nibble).
    #[inline]
    pub fn largest(self) -> (u8, u64) {
        let (mut rank, mut cells) = (0, 0x1111_1111_1111_1111);
        // From the highest rank bit down: keeps the cells that have the bit, if there are any.
        for bit in [3, 2, 1, 0] {
            let set = self.0 >> bit & cells;
            let is_any = set != 0;
            rank |= u8::from(is_any) << bit;
            cells = if is_any { set } else { cells };
        }
        (rank, cells)
    }

    /// True if at least two tiles have rank [`MAX_RANK`].
    #[inline(always)]
    pub(in crate::games) fn has_two_of_max_rank(self) -> bool {
        let pairs = self.0 & self.0 >> 1;
        let largest = pairs & pairs >> 2 & 0x1111_1111_1111_1111;
        largest & largest.wrapping_sub(1) != 0
    }

    /// Number of different tiles on the board; empty cells do not count.
    pub fn distinct_tiles(self) -> u32 {
        let seen = self
            .ranks()
            .into_iter()
            .fold(0u16, |seen, rank| seen | 1 << rank);
        (seen & !1).count_ones()
    }

    /// The board after a move with the slides of `table`, before a tile appears. It equals `self` if the move
    /// is illegal.
    #[inline]
    pub fn moved_by(self, table: &RowTable, direction: Direction) -> Board {
        match direction {
            Direction::Left => self.rows_slid(table, false),
            Direction::Right => self.rows_slid(table, true),
            Direction::Up => self.transpose().rows_slid(table, false).transpose(),
            Direction::Down => self.transpose().rows_slid(table, true).transpose(),
        }
    }

    /// The boards after all moves, in the order of [`Direction::ALL`]. The result equals four calls of
    /// [`Board::moved_by`], but each line is looked up once for both directions.
    #[inline(always)]
    pub fn all_moved_by(self, table: &RowTable) -> [Board; 4] {
        let [left, right] = self.both_slid(table);
        let [up, down] = self.transpose().both_slid(table);
        [up.transpose(), down.transpose(), left, right]
    }

    /// Two boards: all rows slid towards their first cell, and towards their last cell.
    #[inline(always)]
    pub fn both_slid(self, table: &RowTable) -> [Board; 2] {
        let slides = [0, 1, 2, 3].map(|row| table.slides(self.row(row)));
        let joined = |rows: [u16; 4]| {
            let [a, b, c, d] = rows.map(u64::from);
            Board(a | b << 16 | c << 32 | d << 48)
        };
        [
            joined(slides.map(|slides| slides.to_first)),
            joined(slides.map(|slides| slides.to_last)),
        ]
    }

    #[inline(always)]
    fn rows_slid(self, table: &RowTable, to_last: bool) -> Board {
        let slid = |row: usize| {
            let slides = table.slides(self.row(row));
            let line = if to_last {
                slides.to_last
            } else {
                slides.to_first
            };
            u64::from(line) << (16 * row)
        };
        Board(slid(0) | slid(1) | slid(2) | slid(3))
    }
}

/// The nibbles of a board that contain line 0 of the other orientation.
pub const FIRST_CROSSING: u64 = 0x000F_000F_000F_000F;

/// Turns a line into column 0 of a board: nibble i moves to row i.
#[inline(always)]
pub fn spread(line: u16) -> u64 {
    let line = u64::from(line);
    (line | line << 12 | line << 24 | line << 36) & FIRST_CROSSING
}

/// Chooses one of the `cells` uniformly with 32 random bits. The mask has the low bit of each cell's nibble.
/// There is no branch, because the processor could not predict it.
#[inline(always)]
pub(in crate::games) fn cell_by(cells: u64, bits: u64) -> u64 {
    const EACH: u64 = 0x1111_1111_1111_1111;
    // Each nibble of `number` is the count of cells up to and including it; 16 is stored as 0.
    let number = cells.wrapping_mul(EACH);
    let count = ((number >> 60).wrapping_sub(1) & 0xF) as u32 + 1;
    let chosen = u64::from(scale_to(bits, count)) + 1;
    // A nibble of `differs` is 0 where the count equals the chosen one. Exactly one of these nibbles is in
    // `cells`.
    let differs = number ^ (chosen & 0xF).wrapping_mul(EACH);
    let differs = differs | differs >> 1;
    !(differs | differs >> 2) & cells
}

impl fmt::Debug for Board {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        for row in self.ranks().chunks(4) {
            writeln!(formatter, "{row:>2?}")?;
        }
        Ok(())
    }
}
