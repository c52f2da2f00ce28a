//! Boards of up to nine cells up to symmetry: images, canonical boards, short keys, moves. This module
//! must not know probabilities.
//!
//! A board has the layout of [`Board`]: the cell in row r and column c is nibble 4r + c. Two boards have the same
//! value if one is a mirrored or turned image of the other, because the rules have no direction. Of these images the
//! canonical one has the smallest number.

use std::sync::LazyLock;

use crate::games::sliding::board::{Board, Direction};
use crate::games::sliding::rows::{LINES, of_every_line, pack, unpack};
use crate::games::twenty48::rules::slide;

/// A line after its slide towards the first cell, and the points of its merges.
#[derive(Clone, Copy)]
struct Slid {
    line: u16,
    points: u32,
}

/// The slides of all lines. A shorter line has empty cells at its end, which do not change its slide towards the
/// first cell.
fn slides() -> &'static [Slid; LINES] {
    static TABLE: LazyLock<Box<[Slid; LINES]>> = LazyLock::new(|| {
        of_every_line(|index| {
            let slid = slide(unpack(index));
            Slid {
                line: pack(slid.line),
                points: slid.points,
            }
        })
    });
    &TABLE
}

/// A board after a move: some image of it, and the points of the move.
#[derive(Clone, Copy)]
pub(super) struct After {
    pub(super) board: u64,
    pub(super) points: u32,
}

/// The geometry of boards with at most nine cells.
#[derive(Clone, Copy)]
pub(super) struct Grid<const ROWS: usize, const COLUMNS: usize> {
    slides: &'static [Slid; LINES],
}

/// The first cell of every row.
const FIRST_COLUMN: u64 = 0x000F_000F_000F_000F;

impl<const ROWS: usize, const COLUMNS: usize> Grid<ROWS, COLUMNS> {
    const CELLS: usize = ROWS * COLUMNS;

    pub(super) fn new() -> Self {
        const { assert!(ROWS <= 4 && COLUMNS <= 4 && ROWS * COLUMNS <= 9) };
        Grid { slides: slides() }
    }

    /// The low bit of each cell.
    const EACH: u64 = {
        let (mut cells, mut cell) = (0, 0);
        while cell < Self::CELLS {
            cells |= 1 << (16 * (cell / COLUMNS) + 4 * (cell % COLUMNS));
            cell += 1;
        }
        cells
    };

    /// A mask of the empty cells: the low bit of each.
    #[inline(always)]
    pub(super) fn empty_mask(board: u64) -> u64 {
        Board(board).empty_mask() & Self::EACH
    }

    /// The board with its columns in the opposite order.
    #[inline(always)]
    fn mirrored(board: u64) -> u64 {
        let last = 4 * (COLUMNS - 1);
        let ends = (board & FIRST_COLUMN) << last | (board >> last) & FIRST_COLUMN;
        let second = FIRST_COLUMN << 4;
        match COLUMNS {
            2 => ends,
            3 => ends | board & second,
            _ => ends | (board & second) << 4 | (board >> 4) & second,
        }
    }

    /// The board with its rows in the opposite order.
    #[inline(always)]
    fn flipped(board: u64) -> u64 {
        let last = 16 * (ROWS - 1);
        let ends = (board & 0xFFFF) << last | board >> last;
        let second = 0xFFFF_0000;
        match ROWS {
            2 => ends,
            3 => ends | board & second,
            _ => ends | (board & second) << 16 | (board >> 16) & second,
        }
    }

    /// The image with the smallest number.
    #[inline(always)]
    pub(super) fn canonical(board: u64) -> u64 {
        let smallest = |board: u64| {
            let flipped = Self::flipped(board);
            let [one, other] = [board, flipped].map(|board| board.min(Self::mirrored(board)));
            one.min(other)
        };
        if ROWS == COLUMNS {
            smallest(board).min(smallest(Board(board).transpose().0))
        } else {
            smallest(board)
        }
    }

    /// A number of 32 bits that is different for each board with the same sum of tiles. It has the ranks of the first
    /// eight cells. The ninth cell follows from the sum.
    #[inline(always)]
    pub(super) fn key(board: u64) -> u32 {
        let row = |row: usize| (board >> (16 * row) & 0xFFFF) << (4 * COLUMNS * row);
        (0..ROWS).fold(0, |key, at| key | row(at)) as u32
    }

    /// The board with this key and sum of tiles.
    #[inline(always)]
    pub(super) fn board(key: u32, sum: u32) -> u64 {
        let mask = (1 << (4 * COLUMNS)) - 1;
        let row = |row: usize| (u64::from(key) >> (4 * COLUMNS * row) & mask) << (16 * row);
        let board = (0..ROWS).fold(0, |board, at| board | row(at));
        if Self::CELLS < 9 {
            return board;
        }
        let last = sum - sum_of_tiles(board);
        board
            | if last == 0 {
                0
            } else {
                u64::from(last.ilog2()) << (4 * 10)
            }
    }

    /// The boards after all moves, in the order of [`Direction::ALL`]; `None` for an illegal move. Each is an image of
    /// the board after the move, so that only its symmetric properties may be used.
    #[inline(always)]
    pub(super) fn afters(&self, board: u64) -> [Option<After>; 4] {
        let across = Board(board).transpose().0;
        let flipped_across = Board(Self::flipped(board)).transpose().0;
        [
            self.slid::<COLUMNS>(across).map(turned),
            self.slid::<COLUMNS>(flipped_across).map(turned),
            self.slid::<ROWS>(board),
            self.slid::<ROWS>(Self::mirrored(board)),
        ]
    }

    /// The board after a move; `None` if the move is illegal.
    #[inline]
    pub(super) fn moved(&self, board: u64, direction: Direction) -> Option<After> {
        let after = self.afters(board)[direction as usize]?;
        let board = match direction {
            Direction::Up | Direction::Left => after.board,
            Direction::Down => Self::flipped(after.board),
            Direction::Right => Self::mirrored(after.board),
        };
        Some(After { board, ..after })
    }

    /// The board after all of its rows slid towards their first cells; `None` if nothing moves.
    #[inline(always)]
    fn slid<const LINES_OF_BOARD: usize>(&self, board: u64) -> Option<After> {
        let mut after = After {
            board: 0,
            points: 0,
        };
        for row in 0..LINES_OF_BOARD {
            let slid = self.slides[usize::from((board >> (16 * row)) as u16)];
            after.board |= u64::from(slid.line) << (16 * row);
            after.points += slid.points;
        }
        (after.board != board).then_some(after)
    }
}

#[inline(always)]
fn turned(after: After) -> After {
    After {
        board: Board(after.board).transpose().0,
        ..after
    }
}

/// The sum of the tiles of a board.
#[inline(always)]
pub(super) fn sum_of_tiles(board: u64) -> u32 {
    let mut sum = 0;
    let mut rest = board;
    while rest != 0 {
        let cell = rest.trailing_zeros() / 4;
        sum += 1 << (rest >> (4 * cell) & 0xF);
        rest &= !(0xF << (4 * cell));
    }
    sum
}
