//! The snake-path evaluation of 2048 (ChuitoChan/clojure-2048ai). Eight snake paths go through the board. The
//! value of a path is the sum of its tiles, where the weight of each cell is the weight of the previous cell
//! times a ratio. The best path decides.
//!
//! A snake goes through four parallel lines in alternating directions. Its value is the sum of `tile * ratio^i`
//! over its cells i = 0..15. This module computes it line by line, from tables of the values of all lines in
//! both directions. With the published ratio, which is a power of 2, every such sum is exact and equals the
//! original value bit for bit. With any other ratio, the order of the sum below is the definition.

use crate::games::sliding::rows::{LINES, Line, of_every_line, unpack};
use crate::games::twenty48::rules::Board;
use crate::heuristic::{self, Parameter, ParameterRange, ParameterRow, weights::Weights};

/// Key of the discount of the search.
pub const DISCOUNT: &str = "discount";

/// The parameters of the players that use this evaluation, with the published values.
const PARAMETERS: [ParameterRow; 2] = [
    (
        "ratio",
        "weight of a cell of the snake relative to the cell before it",
        ParameterRange::constant(0.25, 0.05, 0.95),
    ),
    (
        DISCOUNT,
        "divisor of the value of the next move; below 1, later positions have more weight",
        ParameterRange::constant(0.9, 0.5, 1.5),
    ),
];

/// The parameters of the players that use this evaluation.
pub fn parameters() -> Vec<Parameter> {
    heuristic::parameters(PARAMETERS)
}

/// The value of a parameter; a missing parameter has its published value.
pub fn setting(weights: &Weights, key: &str) -> f64 {
    weights.or_default(key, &parameters())
}

/// The cells of the eight paths. Two paths go along the rows from the first row, starting forwards and
/// backwards, and two from the last row. The other four do the same along the columns.
const PATHS: [[u8; 16]; 8] = {
    let mut paths = [[0; 16]; 8];
    let mut index = 0;
    while index < 128 {
        let (path, step) = (index / 16, index % 16);
        let (turn, place) = (step / 4, step % 4);
        let line = if path & 2 == 0 { turn } else { 3 - turn };
        let forwards = path % 2 == turn % 2;
        let place = if forwards { place } else { 3 - place };
        let cell = if path < 4 {
            4 * line + place
        } else {
            4 * place + line
        };
        paths[path][step] = cell as u8;
        index += 1;
    }
    paths
};

/// The paths in the order of the original: the rows of the board turned by 0, 90, 180 and 270 degrees, then the
/// rows of the same four boards transposed.
const ORIGINAL_ORDER: [usize; 8] = [0, 5, 3, 6, 4, 2, 7, 1];

/// The values of a line read forwards and backwards.
type Both = [f64; 2];

/// The evaluation for one ratio.
pub struct SnakePaths {
    /// For each line: the sum of `tile * ratio^i` over its four cells, read from the first cell and from the
    /// last cell.
    lines: Box<[Both; LINES]>,
    /// `ratio^4k`: the weights of lines k = 1, 2, 3 of a path.
    scale: [f64; 3],
}

impl SnakePaths {
    /// The evaluation for these weights.
    pub fn new(weights: &Weights) -> Self {
        let ratio = setting(weights, "ratio");
        let quarter = ratio * ratio * (ratio * ratio);
        let sum = |line: Line| {
            let [a, b, c, d] = line.map(tile);
            a + b * ratio + (c + d * ratio) * (ratio * ratio)
        };
        let both = |index| {
            let line = unpack(index);
            let [a, b, c, d] = line;
            [sum(line), sum([d, c, b, a])]
        };
        SnakePaths {
            lines: of_every_line(both),
            scale: [quarter, quarter * quarter, quarter * quarter * quarter],
        }
    }

    /// The value of a board, which is the value of its best path.
    #[inline]
    pub fn value(&self, board: Board) -> f64 {
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        let paths = self.paths(board);
        let [a, b, c, d] = [0, 2, 4, 6].map(|path| larger(paths[path], paths[path + 1]));
        larger(larger(a, b), larger(c, d))
    }

    /// The value of a board, and the first empty cell along its best path; `None` if the board is full. Among
    /// equal paths, the last in the order of the original decides.
    #[inline]
    pub fn value_and_critical_blank(&self, board: Board) -> (f64, Option<usize>) {
        let values = self.paths(board);
        let [first, others @ ..] = ORIGINAL_ORDER;
        let best = others.into_iter().fold(first, |best, path| {
            if values[path] >= values[best] {
                path
            } else {
                best
            }
        });
        let cells = PATHS[best].iter().map(|&cell| usize::from(cell));
        let blank = cells
            .into_iter()
            .find(|cell| board.0 >> (4 * cell) & 0xF == 0);
        (values[best], blank)
    }

    /// Values of all paths, in the order of [`PATHS`].
    #[inline(always)]
    fn paths(&self, board: Board) -> [f64; 8] {
        let [a, b] = self.paths_along(board);
        let [c, d] = self.paths_along(board.transpose());
        [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
    }

    /// The four paths along the rows: two from the first row, then two from the last row.
    #[inline(always)]
    fn paths_along(&self, board: Board) -> [Both; 2] {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| self.lines[board.row(row) as usize]);
        [self.path([a, b, c, d]), self.path([d, c, b, a])]
    }

    /// The two paths through these lines, in this order: the first line is read forwards, or backwards.
    #[inline(always)]
    fn path(&self, [a, b, c, d]: [Both; 4]) -> Both {
        let [first, second, third] = self.scale;
        let through = |there: usize, back: usize| {
            a[there] + b[back] * first + c[there] * second + d[back] * third
        };
        [through(0, 1), through(1, 0)]
    }
}

fn tile(rank: u8) -> f64 {
    if rank == 0 {
        0.0
    } else {
        f64::from(1u32 << rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::rules::samples::{board_of, boards};
    use crate::games::vectors;
    use serde_json::Value;

    type Grid = [[u8; 4]; 4];

    fn transposed(grid: Grid) -> Grid {
        std::array::from_fn(|row| std::array::from_fn(|column| grid[column][row]))
    }

    /// The evaluation as its author writes it: turn, transpose, and sum along the rows.
    fn slow_value_and_blank(board: Board, ratio: f64) -> (f64, Option<usize>) {
        let ranks = board.ranks();
        let mut turned: Grid =
            std::array::from_fn(|row| std::array::from_fn(|column| (4 * row + column) as u8));
        let mut all = Vec::new();
        for _ in 0..4 {
            all.push(turned);
            turned.reverse();
            turned = transposed(turned);
        }
        all.extend(all.clone().into_iter().map(transposed));
        let mut best = (f64::NEG_INFINITY, None);
        for mut grid in all {
            grid[1].reverse();
            grid[3].reverse();
            let cells = grid.as_flattened().iter().map(|&cell| usize::from(cell));
            let mut factor = 1.0;
            let mut value = 0.0;
            for cell in cells.clone() {
                value += tile(ranks[cell]) * factor;
                factor *= ratio;
            }
            if value >= best.0 {
                best = (value, cells.clone().find(|&cell| ranks[cell] == 0));
            }
        }
        best
    }

    fn with_ratio(ratio: f64) -> SnakePaths {
        SnakePaths::new(&Weights::new([("ratio".into(), ratio)], &parameters()).unwrap())
    }

    #[test]
    fn the_fast_value_is_the_slow_one() {
        for ratio in [0.25, 0.5] {
            let paths = with_ratio(ratio);
            for board in boards(2000) {
                let slow = slow_value_and_blank(board, ratio);
                assert_eq!(paths.value_and_critical_blank(board), slow, "{board:?}");
                assert_eq!(paths.value(board), slow.0);
            }
        }
        let paths = with_ratio(0.37);
        for board in boards(2000) {
            let slow = slow_value_and_blank(board, 0.37).0;
            assert!(
                (paths.value(board) - slow).abs() <= 1e-14 * slow,
                "{board:?}"
            );
        }
    }

    #[test]
    fn values_and_blanks_are_those_of_the_original() {
        // Vectors from runs of the original program.
        let paths = SnakePaths::new(&Weights::default());
        let mut boards = 0;
        let mut check = |tiles: &Value, expected: &Value| {
            let position: Option<[usize; 2]> =
                serde_json::from_value(expected["pos"].clone()).unwrap();
            let blank = position.map(|[row, column]| 4 * row + column);
            let score = expected["score"].as_f64().unwrap();
            let board = board_of(tiles);
            assert_eq!(
                paths.value_and_critical_blank(board),
                (score, blank),
                "{board:?}"
            );
            boards += 1;
        };
        for record in vectors::records("snake_positions.jsonl") {
            check(&record["b"], &record);
            for (direction, after) in record["after"].as_object().unwrap() {
                check(&record["moves"][direction], after);
            }
        }
        assert!(boards > 500, "{boards}");
    }
}
