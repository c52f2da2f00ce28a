//! How one line of 2048 slides: the slow rule, and the tables over all 65,536 lines that the
//! players use.
//!
//! A line is four ranks (rank = log2 of the tile, 0 = empty), packed into 16 bits with the first
//! cell in the low nibble. The rule slides towards the first cell.

use std::sync::LazyLock;

/// Largest rank that a cell can hold: 15, the tile 32768.
///
/// Two such tiles do not merge here (65536 has no encoding, and a wrong tile or score must never
/// be shown). From the move on that keeps two of them apart the game is no longer the game that
/// others play, and its record is marked `capped`.
pub const MAX_RANK: u8 = 15;

/// Number of different lines.
pub const LINES: usize = 1 << 16;

/// Four ranks, the cell nearest the wall first.
pub type Line = [u8; 4];

/// What a slide makes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slide {
    /// The line afterwards.
    pub line: Line,
    /// Points for the merges: the sum of the tiles made.
    pub points: u32,
    /// Whether two tiles of the largest rank met and were kept apart.
    pub capped: bool,
}

/// The rule of 2048, written for reading: tiles slide towards the first cell; equal neighbours
/// merge once, those nearest the wall first.
///
/// Two tiles of [`MAX_RANK`] would make a tile that the board cannot hold. They stay apart, and
/// the slide says so.
pub fn slide(line: Line) -> Slide {
    let mut result = Slide {
        line: [0; 4],
        points: 0,
        capped: false,
    };
    let mut tiles = line.into_iter().filter(|&rank| rank != 0).peekable();
    let mut next = 0;
    while let Some(rank) = tiles.next() {
        let meets_equal = tiles.peek() == Some(&rank);
        result.line[next] = rank;
        if meets_equal && rank == MAX_RANK {
            result.capped = true;
        } else if meets_equal {
            tiles.next();
            result.line[next] = rank + 1;
            result.points += 1 << (rank + 1);
        }
        next += 1;
    }
    result
}

/// The line behind an index.
pub fn unpack(index: u16) -> Line {
    std::array::from_fn(|cell| (index >> (4 * cell) & 0xF) as u8)
}

/// The index of a line.
pub fn pack(line: Line) -> u16 {
    line.into_iter()
        .rev()
        .fold(0, |index, rank| index << 4 | u16::from(rank))
}

/// The same line read from its other end.
pub fn reverse(index: u16) -> u16 {
    (index >> 12) | (index >> 4 & 0x00F0) | (index << 4 & 0x0F00) | (index << 12)
}

/// Both slides of a line; kept together because a search asks for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slides {
    /// After sliding towards the first cell.
    pub to_first: u16,
    /// After sliding towards the last cell.
    pub to_last: u16,
}

/// The slides of every line.
pub struct RowTable(Box<[u32; LINES]>);

impl RowTable {
    /// The table of the process, made from [`slide`] on first use.
    pub fn get() -> &'static RowTable {
        static TABLE: LazyLock<RowTable> =
            LazyLock::new(|| RowTable::build(|line| slide(line).line));
        &TABLE
    }

    /// The table of a rule that slides a line towards its first cell.
    pub fn build(rule: fn(Line) -> Line) -> Self {
        let slides = (0..=u16::MAX).map(|index| {
            let to_first = pack(rule(unpack(index)));
            let to_last = reverse(pack(rule(unpack(reverse(index)))));
            u32::from(to_first) | u32::from(to_last) << 16
        });
        let table: Box<[u32]> = slides.collect();
        Self(
            table
                .try_into()
                .unwrap_or_else(|_| unreachable!("one entry per line")),
        )
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

    /// The table itself: of every line the slide towards the first cell in the lower half, that
    /// towards the last in the upper one.
    pub fn joined(&self) -> &[u32; LINES] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slide_follows_the_rule() {
        for (before, after, points) in [
            ([0, 0, 0, 0], [0, 0, 0, 0], 0),
            ([0, 1, 0, 1], [2, 0, 0, 0], 4),
            ([1, 1, 1, 0], [2, 1, 0, 0], 4),
            ([1, 1, 1, 1], [2, 2, 0, 0], 8),
            ([2, 1, 1, 3], [2, 2, 3, 0], 4),
            ([14, 14, 0, 15], [15, 15, 0, 0], 32768),
        ] {
            let slid = slide(before);
            assert_eq!(
                (slid.line, slid.points, slid.capped),
                (after, points, false)
            );
        }
    }

    #[test]
    fn the_largest_tiles_stay_apart_and_say_so() {
        let slid = slide([0, 15, 0, 15]);
        assert_eq!(
            slid,
            Slide {
                line: [15, 15, 0, 0],
                points: 0,
                capped: true
            }
        );
    }

    #[test]
    fn every_entry_of_the_table_is_the_rule() {
        for index in 0..=u16::MAX {
            let line = unpack(index);
            assert_eq!(pack(line), index);
            let mut mirrored = line;
            mirrored.reverse();
            assert_eq!(unpack(reverse(index)), mirrored);

            let slides = RowTable::get().slides(index);
            assert_eq!(unpack(slides.to_first), slide(line).line);
            let mut to_last = slide(mirrored).line;
            to_last.reverse();
            assert_eq!(unpack(slides.to_last), to_last);
        }
    }

    #[test]
    fn a_slide_keeps_the_sum_of_the_tiles() {
        let sum = |line: Line| -> u32 {
            let tiles = line.into_iter().filter(|&rank| rank > 0);
            tiles.map(|rank| 1 << rank).sum()
        };
        for index in 0..=u16::MAX {
            let line = unpack(index);
            assert_eq!(sum(line), sum(slide(line).line), "{line:?}");
        }
    }
}
