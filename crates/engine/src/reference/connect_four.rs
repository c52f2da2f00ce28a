//! The strings of a player, found in the same way as in the original program. This is the slow definition of
//! [`crate::games::connect_four::heuristic::sum`].
//!
//! Cells are scanned row by row from the top. From each stone, strings extend in four directions: right; down
//! and right; down; down and left. A string consists of consecutive stones of the player and is at most as long
//! as a winning line. A string is dropped if an earlier string contains all of its cells, so the result depends
//! on the order of the scan.

use crate::games::connect_four::heuristic::StringWeights;
use crate::games::connect_four::rules::Rules;

/// Row, counted from the top, and column, counted from the left; both from 0.
pub type GridCell = [u32; 2];

/// A string of stones.
#[derive(Clone, Debug, PartialEq)]
pub struct StoneString {
    /// Its stones, in the order of the scan.
    pub cells: Vec<GridCell>,
    /// Distance of the cell before its first stone. It is 0 if the cell is occupied or not on the board.
    /// Otherwise it is the number of empty cells in its column from this cell downwards, including this cell.
    pub d1: u32,
    /// Distance of the cell after its last stone. It is 0 for every string as long as a winning line, because
    /// the original examines the last stone of the string instead.
    pub d2: u32,
}

impl StoneString {
    /// Number of stones.
    pub fn length(&self) -> u32 {
        self.cells.len() as u32
    }
}

/// A board in the form that the scan reads.
struct BoardScan<'a> {
    rules: &'a Rules,
    /// The cells, row by row from the top: 0 is empty, 1 and 2 are the players' stones.
    numbers: &'a [u8],
}

impl BoardScan<'_> {
    /// The number in a cell; `None` if the cell is not on the board.
    fn number(&self, [row, column]: [i64; 2]) -> Option<u8> {
        let (rows, columns) = (self.rules.rows().into(), self.rules.columns().into());
        let is_on_board = (0..rows).contains(&row) && (0..columns).contains(&column);
        is_on_board.then(|| self.numbers[(row * columns + column) as usize])
    }

    fn distance(&self, [row, column]: [i64; 2]) -> u32 {
        let below = (row..).map_while(|row| self.number([row, column]));
        below.take_while(|&number| number == 0).count() as u32
    }

    fn string(&self, start: GridCell, down: i64, right: i64, player: u8) -> StoneString {
        let [row, column] = start.map(i64::from);
        let place = |steps: i64| [row + steps * down, column + steps * right];
        let connect = i64::from(self.rules.connect());
        let stones = (0..connect).take_while(|&steps| self.number(place(steps)) == Some(player));
        let cells: Vec<GridCell> = stones
            .map(|steps| place(steps).map(|index| index as u32))
            .collect();
        let length = cells.len() as i64;
        StoneString {
            cells,
            d1: self.distance(place(-1)),
            d2: if length == connect {
                0
            } else {
                self.distance(place(length))
            },
        }
    }
}

/// The strings of a player (1 or 2), in the order in which they are found. `numbers` are the cells, row by row
/// from the top.
pub fn strings(rules: &Rules, numbers: &[u8], player: u8) -> Vec<StoneString> {
    let board = BoardScan { rules, numbers };
    let mut found: Vec<StoneString> = Vec::new();
    for row in 0..rules.rows() {
        for column in 0..rules.columns() {
            if board.number([row, column].map(i64::from)) != Some(player) {
                continue;
            }
            for (down, right) in [(0, 1), (1, 1), (1, 0), (1, -1)] {
                let string = board.string([row, column], down, right, player);
                let is_within = |other: &StoneString| {
                    string.cells.iter().all(|cell| other.cells.contains(cell))
                };
                if !found.iter().any(is_within) {
                    found.push(string);
                }
            }
        }
    }
    found
}

/// The score of a player (1 or 2): the sum of the values of its strings.
pub fn score(rules: &Rules, weights: &StringWeights, numbers: &[u8], player: u8) -> i64 {
    let strings = strings(rules, numbers, player).into_iter();
    strings
        .map(|string| weights.value(rules, string.length(), string.d1, string.d2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::vectors;
    use crate::heuristic::weights::Weights;

    type Listed = (Vec<GridCell>, [u32; 3], i64);

    #[test]
    fn strings_are_those_of_the_original() {
        // Vectors from runs of the original program, which sorts its strings by value.
        let (rules, weights) = (Rules::published(), StringWeights::new(&Weights::default()));
        for record in vectors::records("connect_four_positions.jsonl") {
            let numbers: Vec<u8> = serde_json::from_value(record["b"].clone()).unwrap();
            for (index, player) in [1, 2].into_iter().enumerate() {
                let found = strings(&rules, &numbers, player).into_iter();
                let mut listed: Vec<Listed> = found
                    .map(|string| {
                        let (length, d1, d2) = (string.length(), string.d1, string.d2);
                        let value = weights.value(&rules, length, d1, d2);
                        (string.cells, [length, d1, d2], value)
                    })
                    .collect();
                listed.sort_by_key(|(.., value)| -value);
                let expected: Vec<Listed> =
                    serde_json::from_value(record["chess"][index].clone()).unwrap();
                assert_eq!(listed, expected);
                let score = score(&rules, &weights, &numbers, player);
                assert_eq!(score, record["score"][index].as_i64().unwrap());
            }
        }
    }
}
