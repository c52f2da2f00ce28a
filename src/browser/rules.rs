//! Whether a page does what 2048 does. This module must not know how a page is read.

use super::Error;
use super::answer::PageBoard;
use crate::games::twenty48::rules::{Board, Direction};

/// After this number of moves that 2048 would not make, a page is not played any more.
const STRANGE: u32 = 3;

/// After this number of moves in a row that 2048 would make, earlier ones are forgotten. On a busy machine a page may be
/// read too early once in a while.
const IN_ORDER: u32 = 20;

/// Largest number of cells that a message names.
const MOST_NAMED: usize = 3;

/// What a page shows after a move, compared with what 2048 would show: the moved tiles and one new tile, a 2 or a 4. `None`
/// if that is the same.
pub(super) fn difference(before: Board, key: Direction, after: &PageBoard) -> Option<String> {
    let moved = before.moved(key).tiles().map(u64::from);
    let (rows, columns) = (after.rows, after.columns);
    if (rows, columns) != (4, 4) {
        return Some(format!("the board is {rows} x {columns} now"));
    }
    let cells = moved.iter().zip(&after.tiles).enumerate();
    let (mut new, mut wrong) = (0, Vec::new());
    for (cell, (&moved, &seen)) in cells.filter(|(_, (moved, seen))| moved != seen) {
        match (moved, seen) {
            (0, 2 | 4) => new += 1,
            _ => wrong.push(format!(
                "row {}, column {} has {} where 2048 has {}",
                cell / 4 + 1,
                cell % 4 + 1,
                named(seen),
                named(moved)
            )),
        }
    }
    match (wrong.is_empty(), new) {
        (true, 1) => None,
        (true, 0) => Some("no new tile appeared".to_owned()),
        (true, new) => Some(format!(
            "{new} new tiles appeared where 2048 has one, a 2 or a 4"
        )),
        (false, _) => {
            let more = wrong.len().saturating_sub(MOST_NAMED);
            wrong.truncate(MOST_NAMED);
            let more = if more > 0 {
                format!(", and {more} more cells differ")
            } else {
                String::new()
            };
            Some(wrong.join(", ") + &more)
        }
    }
}

fn named(tile: u64) -> String {
    match tile {
        0 => "no tile".to_owned(),
        tile => tile.to_string(),
    }
}

/// Counts the moves of a page that 2048 would not make.
#[derive(Debug, Default)]
pub(super) struct Watch {
    strange: u32,
    in_order: u32,
}

impl Watch {
    /// Takes note of a move and of what differed.
    ///
    /// # Errors
    /// If the page did too often what 2048 does not.
    pub(super) fn note(&mut self, key: Direction, differs: Option<String>) -> Result<(), Error> {
        let Some(what) = differs else {
            self.in_order += 1;
            if self.in_order >= IN_ORDER {
                self.strange = 0;
            }
            return Ok(());
        };
        self.strange += 1;
        self.in_order = 0;
        if self.strange < STRANGE {
            return Ok(());
        }
        Err(Error::Rules {
            moves: STRANGE,
            key: key.name(),
            what,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cells: &[(usize, u64)]) -> PageBoard {
        let mut tiles = vec![0; 16];
        for &(cell, tile) in cells {
            tiles[cell] = tile;
        }
        PageBoard {
            rows: 4,
            columns: 4,
            tiles,
        }
    }

    fn after(cells: &[(usize, u64)]) -> Option<String> {
        let before = of(&[(0, 2), (1, 2)]).board().unwrap();
        difference(before, Direction::Left, &of(cells))
    }

    #[test]
    fn a_move_is_compared_with_that_of_2048() {
        assert_eq!(after(&[(0, 4), (9, 2)]), None);
        assert_eq!(after(&[(0, 4), (9, 4)]), None);
        for (cells, said) in [
            (&[(0, 4)][..], "no new tile"),
            (&[(0, 4), (9, 2), (10, 2)], "2 new tiles"),
            (
                &[(0, 4), (9, 8)],
                "row 3, column 2 has 8 where 2048 has no tile",
            ),
            (&[(0, 2), (1, 2)], "row 1, column 1 has 2 where 2048 has 4"),
        ] {
            let text = after(cells).unwrap();
            assert!(text.contains(said), "{text}");
        }
        let all: Vec<(usize, u64)> = (0..16).map(|cell| (cell, 64)).collect();
        assert!(after(&all).unwrap().ends_with("and 13 more cells differ"));
    }

    #[test]
    fn a_page_with_other_rules_is_left_after_three_moves() {
        let strange = || Some("no new tile appeared".to_owned());
        let mut watch = Watch::default();
        let mut note = |differs| watch.note(Direction::Up, differs);
        assert!(note(strange()).is_ok() && note(None).is_ok() && note(strange()).is_ok());
        let said = note(strange()).unwrap_err().to_string();
        assert!(
            said.contains("`up`") && said.contains("no new tile"),
            "{said}"
        );
        // Some in a long game may have been read too early.
        let mut watch = Watch::default();
        for _ in 0..10 {
            watch.note(Direction::Up, strange()).unwrap();
            for _ in 0..IN_ORDER {
                watch.note(Direction::Up, None).unwrap();
            }
        }
    }
}
