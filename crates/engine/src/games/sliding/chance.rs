//! Arithmetic of chance nodes for all expectimax searches: path costs, means over random tiles, and board terms
//! as a type parameter.

use crate::games::sliding::{board::Board, heuristic::CompiledBoardTerm};

/// The cost of a probability: `-log2(p)` in units of 1/1024 bit, rounded.
pub fn path_cost(probability: f64) -> u16 {
    (-1024.0 * libm::log2(probability)).round() as u16
}

/// Costs of path probabilities. They are integers, so their sums are exact; see [`path_cost`].
#[derive(Clone, Copy, Debug)]
pub struct PathCosts {
    /// Costs of a random 2 and a random 4, by the number of empty cells.
    spawn: [[u16; 2]; 17],
    /// Paths with a larger cost are not searched.
    limit: u16,
}

impl PathCosts {
    /// The costs for a cut-off probability; `None` for cut-off 0, which means no cut-off.
    pub fn new(cutoff: f64) -> Option<Self> {
        (cutoff > 0.0).then(|| PathCosts {
            spawn: std::array::from_fn(|empty| {
                let cells = empty.max(1) as f64;
                [path_cost(0.9 / cells), path_cost(0.1 / cells)]
            }),
            limit: path_cost(cutoff),
        })
    }

    /// Costs of a random 2 and a random 4 with `empty` empty cells; 0 without a cut-off.
    pub fn spawn(costs: &Option<Self>, empty: u32) -> [u16; 2] {
        costs.map_or([0, 0], |costs| costs.spawn[empty as usize])
    }

    /// The smallest number of empty cells at which all children of a chance node with this path cost are cut
    /// off, even those after a 2, which are more probable. 17 if there is no such number.
    pub fn cut_from(costs: &Option<Self>, cost: u16) -> u32 {
        let Some(costs) = costs else { return 17 };
        // Costs rise with the number of empty cells.
        let is_searched = |[two, _]: &&[u16; 2]| cost + two <= costs.limit;
        costs.spawn.iter().take_while(is_searched).count() as u32
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
        let terms = self.iter();
        terms
            .map(|term| term.contribution[term.measure.of(board) as usize])
            .sum()
    }
}
