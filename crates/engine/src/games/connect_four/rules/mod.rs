//! Rules of gravity four in a row on bitboards: moves, wins and draws. They must not depend on heuristics or
//! searches.
//!
//! Two players take turns to drop stones into the columns of an upright board. A stone falls to the lowest
//! empty cell of its column. The first player with [`Rules::connect`] stones in a straight line (row, column or
//! diagonal) wins. A full board is a draw. The numbers of rows, columns and stones in line are parameters.
//! [`Rules::default`] is the usual board, [`Rules::published`] the board of xmxoxo/connect4.
//!
//! [`Turn`] is a position with the side to move. [`Match`] is a game from the opening of its seed to its
//! record.

mod game;
mod turn;
mod view;

pub use game::{Match, Opening, Policy, play, random_stone};
pub use turn::{Bitboards, BoardPosition, Column, Side, Turn};

/// Number of bits of a bitboard.
const BITS: u32 = u64::BITS;

/// Size of the board and length of a winning line.
///
/// A board is two bitboards in Pascal Pons's layout. The columns follow each other from the left, each from the
/// bottom up, with one additional row on top that is always empty. This row separates the columns: no line can
/// continue from the top of one column into the bottom of the next.
///
/// ```text
///   7 rows, 6 columns        index of a cell = column * (rows + 1) + height
///    7  15  23  31  39  47   never a stone
///    6  14  22  30  38  46   top row
///    :   :   :   :   :   :
///    1   9  17  25  33  41
///    0   8  16  24  32  40   bottom row
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    rows: u32,
    columns: u32,
    connect: u32,
    /// All cells.
    cells: u64,
    /// Cells of the bottom row.
    bottom: u64,
}

impl Rules {
    /// Rows of the usual board.
    pub const USUAL_ROWS: u32 = 6;
    /// Columns of the usual board.
    pub const USUAL_COLUMNS: u32 = 7;
    /// Stones in line that win on the usual board.
    pub const USUAL_CONNECT: u32 = 4;

    /// The board of xmxoxo/connect4: 7 rows and 6 columns.
    pub fn published() -> Self {
        Self::built_in(7, 6)
    }

    fn built_in(rows: u32, columns: u32) -> Self {
        let rules = Rules::new(rows, columns, Self::USUAL_CONNECT);
        rules.unwrap_or_else(|error| unreachable!("{error}"))
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::built_in(Self::USUAL_ROWS, Self::USUAL_COLUMNS)
    }
}

/// The reason why rules are not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The board is too small.
    #[error("{rows} rows and {columns} columns are too few: at least 2 of each")]
    TooSmall {
        /// Requested number of rows.
        rows: u32,
        /// Requested number of columns.
        columns: u32,
    },
    /// The board does not fit into 64 bits.
    #[error(
        "a board of {rows} rows and {columns} columns is too large: (rows + 1) * columns must be at \
         most 64"
    )]
    TooLarge {
        /// Requested number of rows.
        rows: u32,
        /// Requested number of columns.
        columns: u32,
    },
    /// A line of this length is not allowed.
    #[error("{connect} in line is out of range: 3 to {most} on this board")]
    Connect {
        /// Requested number of stones in line.
        connect: u32,
        /// Largest number that fits the board and is allowed.
        most: u32,
    },
}

impl Rules {
    /// Largest allowed number of stones in line.
    pub const MOST_IN_LINE: u32 = 8;

    /// A board of `rows` rows and `columns` columns on which `connect` stones in line win.
    ///
    /// # Errors
    /// If the board is too small, does not fit into 64 bits, or is too small for such a line.
    pub fn new(rows: u32, columns: u32, connect: u32) -> Result<Self, RulesError> {
        if rows < 2 || columns < 2 {
            return Err(RulesError::TooSmall { rows, columns });
        }
        let bits = (rows.checked_add(1)).and_then(|height| height.checked_mul(columns));
        if bits.is_none_or(|bits| bits > BITS) {
            return Err(RulesError::TooLarge { rows, columns });
        }
        let most = rows.max(columns).min(Self::MOST_IN_LINE);
        if !(3..=most).contains(&connect) {
            return Err(RulesError::Connect { connect, most });
        }
        let bottom = (0..columns).fold(0, |bottom, column| bottom | 1 << (column * (rows + 1)));
        Ok(Rules {
            rows,
            columns,
            connect,
            // Multiplying copies one column of `rows` bits to each bottom cell.
            cells: bottom * ((1 << rows) - 1),
            bottom,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Number of stones in line that win.
    pub fn connect(&self) -> u32 {
        self.connect
    }

    /// Number of cells.
    pub fn number_of_cells(&self) -> u32 {
        self.rows * self.columns
    }

    /// All cells.
    #[inline]
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Cells of the bottom row.
    pub fn bottom(&self) -> u64 {
        self.bottom
    }

    /// Distance in bits between neighbours in a row: the cells of a column and the empty row on top.
    #[inline]
    pub fn height(&self) -> u32 {
        self.rows + 1
    }

    /// Distances in bits between neighbours along a row, a falling diagonal, a column and a rising diagonal, in
    /// this order.
    #[inline]
    pub fn steps(&self) -> [u32; 4] {
        [self.height(), self.rows, 1, self.height() + 1]
    }

    /// The cells of a column, counted from 0.
    #[inline]
    pub fn column(&self, column: u32) -> u64 {
        ((1 << self.rows) - 1) << (column * self.height())
    }

    /// The cell at a row, counted from 0 at the top, and a column, counted from 0 at the left.
    pub fn cell(&self, row: u32, column: u32) -> u64 {
        1 << (column * self.height() + self.rows - 1 - row)
    }

    /// The column of a stone, counted from 0.
    #[inline]
    pub fn column_of(&self, stone: u64) -> u32 {
        stone.trailing_zeros() / self.height()
    }

    /// The cells into which a stone can fall: at most one in each column.
    #[inline]
    pub fn playable(&self, position: Bitboards) -> u64 {
        // The addition carries through the stones of a column and sets the lowest empty cell.
        (position.stones() + self.bottom) & self.cells
    }

    /// The cell into which a stone falls in a column; `None` if the column is full.
    #[inline]
    pub fn stone(&self, position: Bitboards, column: u32) -> Option<u64> {
        let stone = self.playable(position) & self.column(column);
        (stone != 0).then_some(stone)
    }

    /// The cells into which a stone can fall, from the middle column outwards. Players try their moves in this
    /// order.
    pub fn from_the_middle(&self, position: Bitboards) -> impl Iterator<Item = u64> + use<> {
        let (rules, playable) = (*self, self.playable(position));
        let columns = (0..self.columns).map(move |index| rules.middle_out(index));
        columns
            .map(move |column| playable & rules.column(column))
            .filter(|&stone| stone != 0)
    }

    /// The columns from the middle outwards, of two the left one first: 3, 2, 4, 1, 5, 0 for six columns.
    #[inline]
    fn middle_out(&self, index: u32) -> u32 {
        let (middle, step) = (self.columns / 2, index.div_ceil(2));
        // Alternately to the left and to the right. An even number of columns has one more on the left.
        if index % 2 == 1 {
            middle - step
        } else {
            middle + step
        }
    }

    /// The stones of the mirrored board (left and right exchanged).
    pub fn mirrored(&self, stones: u64) -> u64 {
        let column = |from: u32| stones >> (from * self.height()) & self.column(0);
        (0..self.columns).fold(0, |mirrored, column_to| {
            mirrored | column(self.columns - 1 - column_to) << (column_to * self.height())
        })
    }

    /// True if these stones contain a winning line.
    #[inline]
    pub fn is_won(&self, stones: u64) -> bool {
        let line = |step: u32| (1..self.connect).fold(stones, |run, _| run & (run >> step));
        // After k steps of `line`, the set bits are the cells where a run of k + 1 stones starts.
        self.steps().into_iter().any(|step| line(step) != 0)
    }

    /// The stones of all winning lines; 0 if there is no winning line.
    pub fn winning_lines(&self, stones: u64) -> u64 {
        let of_direction = |step: u32| {
            // Find the starts of lines as in `is_won`, then extend each start to its whole line.
            let starts = (1..self.connect).fold(stones, |run, _| run & (run >> step));
            (1..self.connect).fold(starts, |run, _| run | (run << step))
        };
        let lines = self.steps().into_iter().map(of_direction);
        lines.fold(0, |all, lines| all | lines)
    }

    /// The empty cells, playable or not, where a stone would complete a line with `stones`.
    #[inline]
    pub fn completions(&self, stones: u64, position: Bitboards) -> u64 {
        // Constants let the compiler unroll the loops, and make the shifts cheap.
        let found = match (self.rows, self.connect) {
            (7, 4) => completing([8, 7, 1, 9], stones, 4),
            (6, 4) => completing([7, 6, 1, 8], stones, 4),
            (_, connect) => completing(self.steps(), stones, connect as usize),
        };
        found & self.cells & !position.stones()
    }

    /// The moves after which the other side cannot win at once; 0 if there is none. A move that wins is not
    /// treated specially.
    #[inline]
    pub fn safe_moves(&self, position: Bitboards) -> u64 {
        self.safe_moves_against(position, self.completions(position.other, position))
    }

    /// The same as [`Rules::safe_moves`] with known threats: the [completions](Self::completions) of the other
    /// side.
    #[inline]
    pub fn safe_moves_against(&self, position: Bitboards, threats: u64) -> u64 {
        let playable = self.playable(position);
        let forced = playable & threats;
        let blocking = match forced {
            0 => playable,
            // Two threats cannot both be blocked.
            _ if forced & (forced - 1) != 0 => 0,
            _ => forced,
        };
        // A stone just below a threat lets the other side fill the threat.
        blocking & !(threats >> 1)
    }

    /// True if the game is over: a player has won or the board is full.
    pub fn is_over(&self, position: Bitboards) -> bool {
        position.stones() == self.cells || self.is_won(position.own) || self.is_won(position.other)
    }
}

/// The cells, occupied or not, where a stone would make a line of `connect` with `stones`.
#[inline(always)]
fn completing(steps: [u32; 4], stones: u64, connect: usize) -> u64 {
    let mut found = 0;
    for step in steps {
        // Element k: the cells with at least k consecutive stones directly before, or after, in this direction.
        let mut below = [u64::MAX; Rules::MOST_IN_LINE as usize];
        let mut above = below;
        for k in 1..connect {
            below[k] = (stones & below[k - 1]) << step;
            above[k] = (stones & above[k - 1]) >> step;
        }
        for k in 0..connect {
            found |= below[k] & above[connect - 1 - k];
        }
    }
    found
}

#[cfg(test)]
pub mod samples;

#[cfg(test)]
mod tests {
    use super::samples::{RULES, lines, positions};
    use super::*;

    #[test]
    fn an_error_names_the_allowed_values() {
        for (size, message) in [
            (
                [1, 6, 4],
                "1 rows and 6 columns are too few: at least 2 of each",
            ),
            (
                [8, 8, 4],
                "a board of 8 rows and 8 columns is too large: (rows + 1) * columns must be at most 64",
            ),
            (
                [u32::MAX, 6, 4],
                "a board of 4294967295 rows and 6 columns is too large: (rows + 1) * columns must \
                 be at most 64",
            ),
            ([7, 6, 2], "2 in line is out of range: 3 to 7 on this board"),
            (
                [4, 12, 9],
                "9 in line is out of range: 3 to 8 on this board",
            ),
            ([2, 2, 3], "3 in line is out of range: 3 to 2 on this board"),
        ] {
            let [rows, columns, connect] = size;
            let error = Rules::new(rows, columns, connect).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        for [rows, columns, connect] in [[7, 6, 4], [6, 7, 4], [8, 7, 5], [7, 8, 3], [31, 2, 8]] {
            Rules::new(rows, columns, connect).unwrap();
        }
    }

    #[test]
    fn columns_are_tried_from_the_middle() {
        let order = |columns| {
            let rules = Rules::new(4, columns, 3).unwrap();
            let stones = rules.from_the_middle(Bitboards::default());
            stones
                .map(|stone| rules.column_of(stone))
                .collect::<Vec<_>>()
        };
        assert_eq!(order(6), [3, 2, 4, 1, 5, 0]);
        assert_eq!(order(7), [3, 2, 4, 1, 5, 0, 6]);
    }

    #[test]
    fn wins_and_completions_are_those_of_the_lines() {
        for rules in
            RULES.map(|[rows, columns, connect]| Rules::new(rows, columns, connect).unwrap())
        {
            let lines = lines(&rules);
            for Turn { position, .. } in positions(&rules, 300) {
                for stones in [position.own, position.other] {
                    let is_won = lines.iter().any(|line| stones & line == *line);
                    assert_eq!(rules.is_won(stones), is_won, "{rules:?} {position:?}");
                    let mut expected = 0;
                    for line in &lines {
                        let missing = line & !stones;
                        if missing.count_ones() == 1 && missing & position.stones() == 0 {
                            expected |= missing;
                        }
                    }
                    // If a line is already complete, other cells can be reported too.
                    let completions = rules.completions(stones, position);
                    assert_eq!(completions & expected, expected, "{rules:?} {position:?}");
                    if !is_won {
                        assert_eq!(completions, expected, "{rules:?} {position:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn positions_come_back_from_their_numbers() {
        let rules = Rules::new(6, 7, 4).unwrap();
        for turn in positions(&rules, 200) {
            let numbers = turn.numbers(&rules);
            assert_eq!(Turn::of_numbers(&rules, &numbers, turn.to_move), Ok(turn));
        }
        let mut numbers = vec![0; 42];
        numbers[35 - 7] = 1;
        let error = Turn::of_numbers(&rules, &numbers, Side::First).unwrap_err();
        assert_eq!(error, "in column 1 a stone lies on an empty cell");
        numbers[35] = 3;
        let error = Turn::of_numbers(&rules, &numbers, Side::First).unwrap_err();
        assert_eq!(error, "3 is not a cell: 0 (empty), 1 or 2");
        let error = Turn::of_numbers(&rules, &numbers[1..], Side::First).unwrap_err();
        assert_eq!(error, "the board has 41 cells, not 6 rows of 7");
    }

    #[test]
    fn a_stone_falls_to_the_lowest_empty_cell() {
        let rules = Rules::published();
        let mut turn = Turn::START;
        for height in (0..7).rev() {
            let stone = rules.stone(turn.position, 2).unwrap();
            assert_eq!(stone, rules.cell(height, 2));
            turn = turn.after(stone);
        }
        assert_eq!(rules.stone(turn.position, 2), None);
        assert_eq!(rules.playable(turn.position).count_ones(), 5);
    }
}
