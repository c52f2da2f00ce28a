//! The definition of [`crate::games::twenty48::search::endgame`], cell by cell.

use std::collections::HashMap;

use crate::games::sliding::chance::mean_over_spawns;
use crate::games::twenty48::rules::{Board, Direction};
use crate::games::twenty48::search::endgame::CERTAIN;

/// The rank of 128.
const TARGET: u8 = 7;

/// The cells of the large tiles (128 or more); `None` if the board is not an endgame.
fn large_cells(board: Board) -> Option<Vec<usize>> {
    let ranks = board.ranks();
    let large: Vec<usize> = (0..16).filter(|&cell| ranks[cell] >= TARGET).collect();
    let mut different: Vec<u8> = large.iter().map(|&cell| ranks[cell]).collect();
    different.sort_unstable();
    different.dedup();
    (large.len() == 8 && different.len() == 8 && different[0] == TARGET).then_some(large)
}

fn are_neighbours(one: usize, other: usize) -> bool {
    (one / 4).abs_diff(other / 4) + (one % 4).abs_diff(other % 4) == 1
}

/// The solver of endgames with one arrangement of the large tiles.
struct Endgame {
    /// The cells of the large tiles above 128, and their ranks.
    above: Vec<(usize, u8)>,
    /// The cell of the 128.
    target: usize,
    values: HashMap<Board, u16>,
}

impl Endgame {
    fn after_move(&mut self, board: Board) -> Option<u16> {
        let ranks = board.ranks();
        if self.above.iter().any(|&(cell, rank)| ranks[cell] != rank) {
            return None;
        }
        let others = (0..16).filter(|&cell| self.above.iter().all(|&(above, _)| above != cell));
        let targets = others.filter(|&cell| ranks[cell] >= TARGET);
        let targets: Vec<usize> = targets.collect();
        if targets == [self.target] {
            return Some(self.mean(board));
        }
        let is_next = |&one: &usize| targets.iter().any(|&other| are_neighbours(one, other));
        match targets.len() {
            1 => None,
            _ if targets.iter().any(is_next) => Some(CERTAIN),
            _ => Some(0),
        }
    }

    fn mean(&mut self, board: Board) -> u16 {
        let ranks = board.ranks();
        let mut weighted = 0;
        for cell in (0..16).filter(|&cell| ranks[cell] == 0) {
            for (rank, weight) in [(1, 9), (2, 1)] {
                let mut spawned = ranks;
                spawned[cell] = rank;
                weighted += weight * i64::from(self.value(Board::from_ranks(spawned)));
            }
        }
        mean_over_spawns(weighted, board.empty_cells()) as u16
    }

    fn value(&mut self, board: Board) -> u16 {
        if let Some(&value) = self.values.get(&board) {
            return value;
        }
        let values = self.move_values(board);
        let value = values.into_iter().flatten().max().unwrap_or(0);
        self.values.insert(board, value);
        value
    }

    fn move_values(&mut self, board: Board) -> [Option<u16>; 4] {
        Direction::ALL.map(|direction| {
            let moved = board.moved(direction);
            let is_legal = moved != board;
            is_legal.then(|| self.after_move(moved)).flatten()
        })
    }
}

/// The definition of [`crate::games::twenty48::search::endgame::Endgames::move_values`].
pub fn move_values(board: Board) -> Option<[Option<u16>; 4]> {
    let ranks = board.ranks();
    let large = large_cells(board)?;
    let (target, above): (Vec<usize>, Vec<usize>) =
        large.into_iter().partition(|&cell| ranks[cell] == TARGET);
    let mut endgame = Endgame {
        above: above.iter().map(|&cell| (cell, ranks[cell])).collect(),
        target: target[0],
        values: HashMap::new(),
    };
    Some(endgame.move_values(board))
}
