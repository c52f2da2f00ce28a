//! Positions and lines for tests.

use crate::games::connect_four::rules::{Rules, Turn};
use crate::random::GameRng;

/// Boards of the property tests: rows, columns, stones in line that win.
pub const RULES: [[u32; 3]; 11] = [
    [7, 6, 4],
    [6, 7, 4],
    [4, 4, 3],
    [5, 5, 4],
    [8, 7, 5],
    [3, 12, 6],
    [8, 7, 8],
    [7, 8, 4],
    [31, 2, 4],
    [20, 3, 4],
    [2, 21, 4],
];

/// Random positions with any number of stones. They include won positions, full boards, and positions in which
/// play continued for some moves after a win.
pub fn positions(rules: &Rules, count: u64) -> impl Iterator<Item = Turn> {
    let rules = *rules;
    (0..count).map(move |seed| {
        let mut rng = GameRng::new(seed);
        let mut turn = Turn::START;
        let mut after_the_end = rng.below(4);
        for _ in 0..rng.below(rules.number_of_cells() + 1) {
            if rules.is_over(turn.position) {
                if after_the_end == 0 {
                    break;
                }
                after_the_end -= 1;
            }
            let column = rng.below(rules.columns());
            if let Some(stone) = rules.stone(turn.position, column) {
                turn = turn.after(stone);
            }
        }
        turn
    })
}

/// All winning lines of the board, found cell by cell.
pub fn lines(rules: &Rules) -> Vec<u64> {
    let (rows, columns) = (rules.rows() as i32, rules.columns() as i32);
    let mut lines = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        for (down, right) in [(0, 1), (1, 1), (1, 0), (1, -1)] {
            let cells = (0..rules.connect() as i32).map(|k| (row + k * down, column + k * right));
            let on_board = |&(row, column): &(i32, i32)| {
                (0..rows).contains(&row) && (0..columns).contains(&column)
            };
            if cells.clone().all(|cell| on_board(&cell)) {
                let cells = cells.map(|(row, column)| rules.cell(row as u32, column as u32));
                lines.push(cells.fold(0, |line, cell| line | cell));
            }
        }
    }
    lines
}
