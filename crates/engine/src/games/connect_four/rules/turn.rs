//! Positions of gravity four in a row with the side to move, and their form as numbers.

use std::fmt;

use crate::games::connect_four::rules::Rules;

/// The stones of a position, from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboards {
    /// Stones of the side to move.
    pub own: u64,
    /// Stones of the other side.
    pub other: u64,
}

impl Bitboards {
    /// The stones of both sides.
    #[inline]
    pub fn stones(self) -> u64 {
        self.own | self.other
    }

    /// The position after the side to move has placed `stone`, from the view of the other side.
    #[inline]
    pub fn after(self, stone: u64) -> Bitboards {
        Bitboards {
            own: self.other,
            other: self.own | stone,
        }
    }

    /// The same stones with the other side to move.
    #[inline]
    pub fn passed(self) -> Bitboards {
        Bitboards {
            own: self.other,
            other: self.own,
        }
    }
}

impl fmt::Debug for Bitboards {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{:#x} against {:#x}", self.own, self.other)
    }
}

/// A column, counted from 0. Its text form is counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column(pub u32);

impl fmt::Display for Column {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}", self.0 + 1)
    }
}

/// A position and the rules of its board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPosition {
    /// The board, and how many stones in line win.
    pub rules: Rules,
    /// The stones, and who is to move.
    pub turn: Turn,
}

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Player 1, who makes the first move of the game.
    First,
    /// Player 2.
    Second,
}

impl Side {
    /// Both sides, player 1 first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The other side.
    pub fn opponent(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// The number of the player, and of its stones in files: 1 or 2.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }
}

/// A position and the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The stones, from the view of the side to move.
    pub position: Bitboards,
    /// The side to move.
    pub to_move: Side,
}

impl Turn {
    /// The empty board; player 1 is to move.
    pub const START: Turn = Turn {
        position: Bitboards { own: 0, other: 0 },
        to_move: Side::First,
    };

    /// The position and side to move after `stone`.
    pub fn after(self, stone: u64) -> Turn {
        Turn {
            position: self.position.after(stone),
            to_move: self.to_move.opponent(),
        }
    }

    /// The stones of a player.
    pub fn stones_of(self, side: Side) -> u64 {
        if side == self.to_move {
            self.position.own
        } else {
            self.position.other
        }
    }

    /// The cells, row by row from the top: 0 is empty, 1 and 2 are the players' stones.
    pub fn numbers(self, rules: &Rules) -> Vec<u8> {
        let owner = |cell: u64| {
            let found = Side::BOTH
                .into_iter()
                .find(|&side| self.stones_of(side) & cell != 0);
            found.map_or(0, Side::number)
        };
        let cells = (0..rules.rows)
            .flat_map(|row| (0..rules.columns).map(move |column| rules.cell(row, column)));
        cells.map(owner).collect()
    }

    /// The position with these cells, given as in [`Turn::numbers`].
    ///
    /// # Errors
    /// If the number of cells does not fit the board, if a cell is not 0, 1 or 2, or if a stone lies on an
    /// empty cell.
    pub fn of_numbers(rules: &Rules, numbers: &[u8], to_move: Side) -> Result<Self, String> {
        let wanted = rules.number_of_cells();
        if numbers.len() != wanted as usize {
            return Err(format!(
                "the board has {} cells, not {} rows of {}",
                numbers.len(),
                rules.rows,
                rules.columns
            ));
        }
        let mut stones = [0; 2];
        for (index, &number) in (0..wanted).zip(numbers) {
            let (row, column) = (index / rules.columns, index % rules.columns);
            match number {
                0 => {}
                1 | 2 => stones[usize::from(number - 1)] |= rules.cell(row, column),
                _ => return Err(format!("{number} is not a cell: 0 (empty), 1 or 2")),
            }
        }
        let [first, second] = stones;
        let all = first | second;
        let floating = all & !(all << 1) & !rules.bottom;
        if floating != 0 {
            let column = rules.column_of(floating);
            return Err(format!(
                "in column {} a stone lies on an empty cell",
                column + 1
            ));
        }
        let position = Bitboards {
            own: first,
            other: second,
        };
        Ok(Turn {
            position: match to_move {
                Side::First => position,
                Side::Second => position.passed(),
            },
            to_move,
        })
    }
}
