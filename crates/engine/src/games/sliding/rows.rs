//! Lines of sliding games, and tables of the slides of all 65,536 lines by the rule of a game.
//!
//! A line is four ranks (0 = empty; each game defines the tile of a rank), packed into 16 bits with
//! the first cell in the low nibble. On smaller boards there are lines of two and of three cells. The cells that a
//! short line does not have are the last ones, and 0.

/// Largest rank that a cell can contain. In 2048 it is the tile 32768.
///
/// Two such tiles do not merge, because a nibble cannot encode the merged tile, and a wrong tile or score must
/// never be shown. After a move that should have merged them, the game deviates from the rules, and its record
/// is marked `capped`.
pub const MAX_RANK: u8 = 15;

/// Number of different lines.
pub const LINES: usize = 1 << 16;

/// Four ranks; the first cell is nearest to the wall.
pub type Line = [u8; 4];

/// Unpacks a line from its index.
pub fn unpack(index: u16) -> Line {
    std::array::from_fn(|cell| (index >> (4 * cell) & 0xF) as u8)
}

/// Packs a line into its index.
pub fn pack(line: Line) -> u16 {
    line.into_iter()
        .rev()
        .fold(0, |index, rank| index << 4 | u16::from(rank))
}

/// The same line read from its other end.
pub fn reverse(index: u16) -> u16 {
    (index >> 12) | (index >> 4 & 0x00F0) | (index << 4 & 0x0F00) | (index << 12)
}

/// A line of `length` cells read from its other end.
pub fn reversed(index: u16, length: usize) -> u16 {
    reverse(index) >> (4 * (4 - length))
}

/// A table with a value for each line; the index is the packed line.
pub fn of_every_line<T>(value: impl FnMut(u16) -> T) -> Box<[T; LINES]> {
    let values: Box<[T]> = (0..=u16::MAX).map(value).collect();
    let values = values.try_into();
    values.unwrap_or_else(|_| unreachable!("one value per line"))
}

/// Both slides of a line. They are stored together, because searches need both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slides {
    /// The line slid towards its first cell.
    pub to_first: u16,
    /// The line slid towards its last cell.
    pub to_last: u16,
}

/// The slides of all lines.
pub struct RowTable(Box<[u32; LINES]>);

impl RowTable {
    /// The table of a rule. `rule` slides a line towards its first cell.
    pub fn build(rule: fn(Line) -> Line) -> Self {
        Self::of_length(4, rule)
    }

    /// The table of a rule for lines of `length` cells. Longer lines do not move.
    pub fn of_length(length: usize, rule: fn(Line) -> Line) -> Self {
        RowTable(of_every_line(|index| {
            if u32::from(index) >> (4 * length) != 0 {
                return u32::from(index) | u32::from(index) << 16;
            }
            let to_first = pack(rule(unpack(index)));
            let to_last = reversed(pack(rule(unpack(reversed(index, length)))), length);
            u32::from(to_first) | u32::from(to_last) << 16
        }))
    }

    /// Both slides of a line.
    #[inline(always)]
    pub fn slides(&self, index: u16) -> Slides {
        let slides = self.0[index as usize];
        Slides {
            to_first: slides as u16,
            to_last: (slides >> 16) as u16,
        }
    }

    /// The raw table. For each line, the lower half is the slide towards the first cell, the upper half the
    /// slide towards the last cell.
    pub fn joined(&self) -> &[u32; LINES] {
        &self.0
    }
}
