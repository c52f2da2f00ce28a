//! Whether a page does what 2048 does. This module must not know how a page is read.

use super::Error;
use super::answer::{LARGEST, PageBoard};
use crate::games::twenty48::rules::{Direction, Rules, SizedBoard, Variation};

/// After this number of moves that 2048 would not make, a page is not played any more.
const STRANGE: u32 = 3;

/// After this number of moves in a row that 2048 would make, earlier ones are forgotten. On a busy machine a page may be
/// read too early once in a while.
const IN_ORDER: u32 = 20;

/// Largest number of cells that a message names.
const MOST_NAMED: usize = 3;

/// What a page shows after a move, compared with what 2048 would show by these rules: the moved tiles and one new tile.
/// `None` if that is the same.
pub(super) fn difference(
    rules: &Variation,
    before: SizedBoard,
    key: Direction,
    after: &PageBoard,
) -> Option<String> {
    let (rows, columns) = (after.rows, after.columns);
    if (rows, columns) != (before.shape.rows(), before.shape.columns()) {
        return Some(format!("the board is {rows} x {columns} now"));
    }
    let board = rules.moved(before.board, key);
    let moved = SizedBoard { board, ..before }.tiles().map(u64::from);
    let is_random = |tile: u64| random_tiles(rules).any(|other| other == tile);
    let cells = moved.zip(after.tiles.iter().copied()).enumerate();
    let (mut new, mut wrong) = (0, Vec::new());
    for (cell, (moved, seen)) in cells.filter(|(_, (moved, seen))| moved != seen) {
        if moved == 0 && is_random(seen) {
            new += 1;
            continue;
        }
        wrong.push(format!(
            "row {}, column {} has {} where 2048 has {}",
            cell / columns + 1,
            cell % columns + 1,
            named(seen),
            named(moved)
        ));
    }
    match (wrong.is_empty(), new) {
        (true, 1) => None,
        (true, 0) => Some("no new tile appeared".to_owned()),
        (true, new) => {
            let tiles: Vec<String> = random_tiles(rules)
                .map(|tile| format!("a {tile}"))
                .collect();
            let tiles = tiles.join(" or ");
            Some(format!(
                "{new} new tiles appeared where 2048 has one, {tiles}"
            ))
        }
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

/// Whether no move is left by these rules, and none on the page either: two of the largest tiles of the players merge there.
///
/// # Errors
/// If the players do not know the board.
pub(super) fn is_stuck(rules: &Variation, shown: &PageBoard) -> Result<bool, Error> {
    let board = shown.board()?.board;
    let mut keys = Direction::ALL.into_iter();
    Ok(keys.all(|key| rules.moved(board, key) == board) && !shown.has_neighbours(LARGEST))
}

/// The tiles that can appear after a move.
fn random_tiles(rules: &Variation) -> impl Iterator<Item = u64> + '_ {
    let tiles = rules.spawn().tiles().iter();
    tiles.map(|tile| 1 << tile.rank)
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

    use crate::games::sliding::Shape;
    use crate::games::twenty48::rules::Spawn;

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
        after_with(Spawn::USUAL, cells)
    }

    fn after_with(spawn: Spawn, cells: &[(usize, u64)]) -> Option<String> {
        let before = of(&[(0, 2), (1, 2)]).board().unwrap();
        let rules = Variation::new(Shape::STANDARD, spawn, 2);
        difference(&rules, before, Direction::Left, &of(cells))
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
        let with_eights = "2:0.8,8:0.2".parse().unwrap();
        assert_eq!(after_with(with_eights, &[(0, 4), (9, 8)]), None);
        let two = after_with(with_eights, &[(0, 4), (9, 8), (10, 2)]).unwrap();
        assert!(two.ends_with("has one, a 2 or a 8"), "{two}");
        let all: Vec<(usize, u64)> = (0..16).map(|cell| (cell, 64)).collect();
        assert!(after(&all).unwrap().ends_with("and 13 more cells differ"));
    }

    #[test]
    fn a_move_of_a_smaller_board_is_compared_too() {
        let board = |tiles: &[u64]| PageBoard {
            rows: 2,
            columns: 3,
            tiles: tiles.to_vec(),
        };
        let before = board(&[2, 0, 4, 2, 0, 0]).board().unwrap();
        let rules = Variation::new(before.shape, Spawn::USUAL, 2);
        let after = |tiles: &[u64]| difference(&rules, before, Direction::Up, &board(tiles));
        assert_eq!(after(&[4, 0, 4, 0, 0, 2]), None);
        let text = after(&[4, 0, 4, 0, 0, 16]).unwrap();
        assert!(text.contains("row 2, column 3 has 16"), "{text}");
        let larger = of(&[(0, 4)]);
        let text = difference(&rules, before, Direction::Up, &larger).unwrap();
        assert!(text.contains("4 x 4 now"), "{text}");
    }

    #[test]
    fn a_board_without_moves_is_stuck() {
        let tiles: Vec<(usize, u64)> = (0..16).map(|at| (at, 2 << ((at + at / 4) % 2))).collect();
        let rules = Variation::new(Shape::STANDARD, Spawn::USUAL, 2);
        let stuck = |cells: &[(usize, u64)]| is_stuck(&rules, &of(cells)).unwrap();
        assert!(stuck(&tiles) && !stuck(&tiles[..15]));
        let two_largest = [&tiles[..14], &[(14, LARGEST), (15, LARGEST)]].concat();
        assert!(!stuck(&two_largest));
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
