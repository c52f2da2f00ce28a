//! The slide of one line of 2048: the definition, and its table for all 65,536 lines. A line slides towards its
//! first cell. The rank of a tile is its log2; an empty cell has rank 0.

use std::sync::LazyLock;

use crate::games::sliding::rows::{Line, MAX_RANK, RowTable};

/// The result of sliding a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slide {
    /// The line after the slide.
    pub line: Line,
    /// Points of the merges: the sum of the created tiles.
    pub points: u32,
    /// True if two tiles of the largest rank have met and were not merged.
    pub capped: bool,
}

/// The rule of 2048. Tiles slide towards the first cell. Equal neighbours merge, each tile at most once, and
/// those nearest to the wall merge first.
///
/// Two tiles of [`MAX_RANK`] do not merge, because a nibble cannot encode the merged tile. `capped` is then
/// set.
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

/// The destination of the tile in each cell under [`slide`]; `None` for an empty cell. Two tiles with the same
/// destination merge there.
pub fn destinations(line: Line) -> [Option<usize>; 4] {
    let mut destinations = [None; 4];
    // `waits` is the rank of the last placed tile while it can still merge.
    let mut next = 0;
    let mut waits = None;
    for (cell, rank) in line.into_iter().enumerate().filter(|(_, rank)| *rank != 0) {
        if waits == Some(rank) && rank != MAX_RANK {
            destinations[cell] = Some(next - 1);
            waits = None;
        } else {
            destinations[cell] = Some(next);
            waits = Some(rank);
            next += 1;
        }
    }
    destinations
}

/// The table of [`slide`] for lines of four cells. It is computed at the first use.
pub fn rows() -> &'static RowTable {
    static TABLE: LazyLock<RowTable> = LazyLock::new(|| RowTable::build(|line| slide(line).line));
    &TABLE
}

/// The table of [`slide`] for lines of `length` cells, from 2 to 4.
pub fn slides(length: usize) -> &'static RowTable {
    fn table(length: usize) -> RowTable {
        RowTable::of_length(length, |line| slide(line).line)
    }
    static TWO: LazyLock<RowTable> = LazyLock::new(|| table(2));
    static THREE: LazyLock<RowTable> = LazyLock::new(|| table(3));
    match length {
        2 => &TWO,
        3 => &THREE,
        _ => rows(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::rows::{pack, reverse, unpack};

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

            let slides = rows().slides(index);
            assert_eq!(unpack(slides.to_first), slide(line).line);
            let mut to_last = slide(mirrored).line;
            to_last.reverse();
            assert_eq!(unpack(slides.to_last), to_last);
        }
    }

    #[test]
    fn tiles_that_go_where_the_destinations_say_make_the_line_of_the_rule() {
        for index in 0..=u16::MAX {
            let line = unpack(index);
            let mut made: Line = [0; 4];
            for (rank, to) in line.into_iter().zip(destinations(line)) {
                assert_eq!(rank == 0, to.is_none(), "{line:?}");
                let Some(to) = to else { continue };
                assert!(made[to] == 0 || made[to] == rank, "{line:?}");
                made[to] = if made[to] == 0 { rank } else { rank + 1 };
            }
            assert_eq!(made, slide(line).line, "{line:?}");
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
