//! Arithmetic of chance nodes for all expectimax searches: path costs, means over random tiles, and board terms
//! as a type parameter.

use crate::games::sliding::board::Board;
use crate::games::sliding::heuristic::{CompiledBoardTerm, Heuristic};
use crate::games::sliding::whole_board::WholeBoard;

/// The cost of a probability: `-log2(p)` in units of 1/1024 bit, rounded.
pub fn path_cost(probability: f64) -> u16 {
    (-1024.0 * libm::log2(probability)).round() as u16
}

/// Largest number of different random tiles.
pub const MOST_TILES: usize = 8;

/// Costs of path probabilities. They are integers, so their sums are exact; see [`path_cost`].
#[derive(Clone, Copy, Debug)]
pub struct PathCosts {
    /// Costs of each random tile, by the number of empty cells.
    spawn: [[u16; MOST_TILES]; 17],
    /// The smallest of these costs, by the number of empty cells.
    least: [u16; 17],
    /// Paths with a larger cost are not searched.
    limit: u16,
}

impl PathCosts {
    /// The costs for a cut-off probability and the probabilities of the random tiles; `None` for cut-off 0, which
    /// means no cut-off.
    pub fn new(cutoff: f64, tiles: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        (cutoff > 0.0).then(|| {
            let costs = |empty: usize| {
                let cells = empty.max(1) as f64;
                tiles
                    .clone()
                    .map(move |probability| path_cost(probability / cells))
            };
            PathCosts {
                spawn: std::array::from_fn(|empty| {
                    let mut of_tiles = [0; MOST_TILES];
                    for (place, cost) in of_tiles.iter_mut().zip(costs(empty)) {
                        *place = cost;
                    }
                    of_tiles
                }),
                least: std::array::from_fn(|empty| costs(empty).min().unwrap_or(0)),
                limit: path_cost(cutoff),
            }
        })
    }

    /// The cost of random tile number `tile` with `empty` empty cells; 0 without a cut-off.
    #[inline(always)]
    pub fn spawn(costs: &Option<Self>, empty: u32, tile: usize) -> u16 {
        match costs {
            Some(costs) => costs.spawn[empty as usize][tile],
            None => 0,
        }
    }

    /// The smallest number of empty cells at which all children of a chance node with this path cost are cut
    /// off, even those after the most probable tile. 17 if there is no such number.
    pub fn cut_from(costs: &Option<Self>, cost: u16) -> u32 {
        let Some(costs) = costs else { return 17 };
        // Costs rise with the number of empty cells.
        let is_searched = |least: &&u16| cost + **least <= costs.limit;
        costs.least.iter().take_while(is_searched).count() as u32
    }

    /// The cost of a path plus an additional cost `by`. The sum is limited to the largest searched cost, so
    /// that the additional cost alone never cuts off a node. A path that is already cut off keeps its cost.
    pub fn reduced(costs: &Option<Self>, cost: u16, by: u16) -> u16 {
        costs.map_or(cost, |costs| {
            cost.saturating_add(by).min(costs.limit).max(cost)
        })
    }

    /// True if a node with this path cost is cut off.
    pub fn cuts(costs: &Option<Self>, cost: u16) -> bool {
        costs.is_some_and(|costs| cost > costs.limit)
    }
}

/// The mean of `0.9 * value after a 2 + 0.1 * value after a 4` over `empty` cells, rounded to the nearest
/// integer. `weighted` is the sum of `9 * value after a 2 + value after a 4`. All values must be at least 0.
#[inline(always)]
pub fn mean_over_spawns(weighted: i64, empty: u32) -> i32 {
    rounded_mean(weighted, 10 * empty)
}

/// The mean of `number` values, rounded to the nearest integer. The values must be at least 0.
#[inline(always)]
pub fn rounded_mean(sum: i64, number: u32) -> i32 {
    let divisor = i64::from(number);
    ((sum + divisor / 2) / divisor) as i32
}

/// Board terms of a search as a type, so that a search without board terms is compiled without them.
pub trait BoardTerms {
    /// True if there are board terms.
    const ACTIVE: bool;
    /// Sum of the board terms of a board, in fixed point.
    fn value(&self, board: Board) -> i32;
    /// The sums of four boards.
    #[inline(always)]
    fn values(&self, boards: [Board; 4]) -> [i32; 4] {
        boards.map(|board| self.value(board))
    }
}

/// No board terms.
#[derive(Clone, Copy)]
pub struct NoBoardTerms;

impl BoardTerms for NoBoardTerms {
    const ACTIVE: bool = false;

    #[inline(always)]
    fn value(&self, _: Board) -> i32 {
        0
    }
}

impl BoardTerms for &[CompiledBoardTerm] {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn value(&self, board: Board) -> i32 {
        self.iter().map(|term| term.value(board)).sum()
    }
}

/// The board terms of the game and those of a file.
#[derive(Clone, Copy)]
pub struct AllBoardTerms<'a> {
    of_game: &'a [CompiledBoardTerm],
    whole: Option<&'a dyn WholeBoard>,
}

impl<'a> AllBoardTerms<'a> {
    /// The board terms of a heuristic.
    pub fn of(heuristic: &'a Heuristic) -> Self {
        AllBoardTerms {
            of_game: &heuristic.board_terms,
            whole: heuristic.whole.as_deref(),
        }
    }
}

impl BoardTerms for AllBoardTerms<'_> {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn value(&self, board: Board) -> i32 {
        self.of_game.value(board) + self.whole.map_or(0, |whole| whole.value(board))
    }

    #[inline(always)]
    fn values(&self, boards: [Board; 4]) -> [i32; 4] {
        let of_game = self.of_game.values(boards);
        let Some(whole) = self.whole else {
            return of_game;
        };
        let whole = whole.values(boards);
        std::array::from_fn(|board| of_game[board] + whole[board])
    }
}
