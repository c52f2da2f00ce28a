//! Arithmetic of chance nodes that all expectimax searches share: path costs, means over spawns,
//! and board terms as a type parameter.

use crate::games::sliding::{board::Board, heuristic::CompiledBoardTerm};

/// A probability as a cost, `-log2(p)` in 1/1024 bits.
pub fn path_cost(probability: f64) -> u16 {
    (-1024.0 * libm::log2(probability)).round() as u16
}

/// Path probability as a cost that adds up exactly, see [`path_cost`].
#[derive(Clone, Copy, Debug)]
pub struct PathCosts {
    /// Cost of a spawned 2 and of a spawned 4, by the number of empty cells.
    spawn: [[u16; 2]; 17],
    /// Largest cost that is still searched.
    limit: u16,
}

impl PathCosts {
    /// Costs for a cut-off; `None` for cut-off 0, which cuts nothing.
    pub fn new(cutoff: f64) -> Option<Self> {
        (cutoff > 0.0).then(|| PathCosts {
            spawn: std::array::from_fn(|empty| {
                let cells = empty.max(1) as f64;
                [path_cost(0.9 / cells), path_cost(0.1 / cells)]
            }),
            limit: path_cost(cutoff),
        })
    }

    /// Costs of a spawned 2 and of a spawned 4 with this many empty cells; 0 without a cut-off.
    pub fn spawn(costs: &Option<Self>, empty: u32) -> [u16; 2] {
        costs.map_or([0, 0], |costs| costs.spawn[empty as usize])
    }

    /// The smallest number of empty cells of a chance node of this path cost at which all its
    /// children are cut off: also those after a 2, the likelier ones. 17 if there is none.
    pub fn cut_from(costs: &Option<Self>, cost: u16) -> u32 {
        let Some(costs) = costs else { return 17 };
        // Costs rise with the number of empty cells.
        let is_searched = |[two, _]: &&[u16; 2]| cost + two <= costs.limit;
        costs.spawn.iter().take_while(is_searched).count() as u32
    }

    /// The cost of a path with a reduction, an additional cost. It does not exceed the limit, so that a
    /// reduction alone cuts no node. A path that is cut off keeps its cost.
    pub fn reduced(costs: &Option<Self>, cost: u16, by: u16) -> u16 {
        costs.map_or(cost, |costs| {
            cost.saturating_add(by).min(costs.limit).max(cost)
        })
    }

    /// Whether a node of this path cost is cut off.
    pub fn cuts(costs: &Option<Self>, cost: u16) -> bool {
        costs.is_some_and(|costs| cost > costs.limit)
    }
}

/// The mean over `empty` cells of `0.9 * twos + 0.1 * fours`, where `weighted` is the sum of
/// `9 * two + four`, rounded to the nearest integer. All values are at least 0.
#[inline(always)]
pub fn mean_over_spawns(weighted: i64, empty: u32) -> i32 {
    rounded_mean(weighted, 10 * empty)
}

/// The mean of `number` values that are at least 0, rounded to the nearest integer.
#[inline(always)]
pub fn rounded_mean(sum: i64, number: u32) -> i32 {
    let divisor = i64::from(number);
    ((sum + divisor / 2) / divisor) as i32
}

/// The board terms of a search, as a type: a search without board terms is compiled without them.
pub trait BoardTerms {
    /// Whether there are any.
    const ACTIVE: bool;
    /// Their sum on a board, in fixed point.
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
