//! Expectimax with limited depth, with heuristic tables.
//!
//! The value of a chance node is the mean over empty cells of 0.9 times the best value after a 2 plus 0.1 times
//! the best value after a 4, or the same with the random tiles of a variation. At the depth limit it is the static value of the board. The value of a max node is
//! the best value over the legal moves, and at least 0, which is the value of a lost board. (This is the search
//! of nneonneo/2048-ai; [`crate::reference::twenty48`] is its complete definition.)
//!
//! A chance node is *last* if all its children are leaves: either one layer remains, or the cut-off would cut
//! even the boards after a 2. Its value depends only on its board, and a kernel computes it in one call. Above
//! it are nodes of which only the boards after a 4 are cut; the kernel values these boards too.
//!
//! With [`Settings::reduction`] above 1 the search is selective. At a max node every move is first searched as
//! if its path were less probable, so that the cut-off ends it earlier. Then the move with the largest value is
//! searched in full, and this repeats until the largest value comes from a full search. Most of the work
//! therefore goes into the moves that the player would make. (Chess programs use similar reductions for late
//! moves.) Moves at the root are always searched in full.
//!
//! With [`Settings::reuse`] an entry of the transposition table also serves a node that is less probable or
//! needs less depth. Values then depend on the order of the nodes: first the 2s in the order of the cells, then
//! the 4s; after each tile the moves in the order of [`Direction::ALL`]. The table is cleared before each
//! decision, so that values depend on nothing else.
//!
//! Values are 32-bit fixed point. The mean of a chance node is computed exactly in 64 bits and rounded once, so
//! it does not depend on the order of summation or on the instruction set.

use crate::games::sliding::chance::{PathCosts, path_cost, rounded_mean};
use crate::games::sliding::kernels::Sum;
use crate::games::sliding::last_layer::LastLayer;
use crate::games::sliding::transposition::TranspositionTable;
use crate::games::sliding::{BoardTerms, first_best};
use crate::games::twenty48::rules::{Board, Direction, Mover, OnBoard, Policy, Rules, Usual};
use crate::games::twenty48::search::compiled::{CompiledSearch, LastLayerKernel};
use crate::games::twenty48::search::spawns::Spawns;
use crate::player::depth::Depth;
use crate::stop::Stop;

/// With this number of chance layers or fewer, the search does not check for a stop, because the subtree is
/// small.
const LAYERS_WITHOUT_STOP: u8 = 2;

/// The depth of a table entry for which the depth limit has ended no path. It serves any depth.
const ANY_DEPTH: u8 = u8::MAX;

/// The number of chance layers below the root move. The adaptive depth is the number of different tiles minus
/// 2, but at least 3.
pub fn chance_layers(depth: Depth, board: Board) -> u8 {
    match depth {
        Depth::Fixed(depth) => depth,
        Depth::Adaptive => (board.distinct_tiles().saturating_sub(2) as u8).max(3),
    }
}

/// Settings of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The search depth.
    pub depth: Depth,
    /// A chance node with a smaller path probability is a leaf; 0 means no cut-off. The probability is rounded
    /// to steps of 2^(-1/1024).
    pub cutoff: f64,
    /// The transposition table has `2^table_bits` entries of 16 bytes; 0 means no table.
    pub table_bits: u32,
    /// True if a table entry serves every node of its board that is at most as probable and needs at most the
    /// same depth. If false, an entry serves only nodes that have the same value.
    pub reuse: bool,
    /// The factor by which a path is taken to be less probable in the first search of a move, rounded like the
    /// probability; 1 means that all moves are searched in full. Without a cut-off it has no effect.
    pub reduction: f64,
}

impl Settings {
    /// The settings for a depth and a cut-off, with the default table size, and without reuse and reduction.
    pub fn new(depth: Depth, cutoff: f64) -> Self {
        Settings {
            depth,
            cutoff,
            table_bits: table_bits(depth),
            reuse: false,
            reduction: 1.0,
        }
    }
}

/// The fastest size of the transposition table, as the exponent of a power of 2; 0 means no table. For adaptive
/// depth it is the fastest size with reductions; without reductions 18 is faster. A larger table saves little
/// work and does not fit into the cache. With one chance layer no node occurs twice.
pub fn table_bits(depth: Depth) -> u32 {
    match depth {
        Depth::Fixed(0 | 1) => 0,
        Depth::Fixed(2) => 12,
        Depth::Fixed(3) => 14,
        Depth::Fixed(4 | 5) | Depth::Adaptive => 16,
        Depth::Fixed(_) => 18,
    }
}

/// The path from the root to chance nodes.
#[derive(Clone, Copy)]
struct Path {
    cost: u16,
    /// With this number of empty cells or more, all children of the node are cut off.
    cut_from: u32,
}

impl Path {
    #[inline(always)]
    fn new(costs: &Option<PathCosts>, cost: u16) -> Self {
        let cut_from = PathCosts::cut_from(costs, cost);
        Path { cost, cut_from }
    }
}

/// The index of the largest value; among equal values, the first.
#[inline(always)]
fn first_largest(values: &[i32; 4]) -> usize {
    let [a, b, c, d] = *values;
    let first = usize::from(b > a);
    let last = 2 + usize::from(d > c);
    if values[last] > values[first] {
        last
    } else {
        first
    }
}

/// An expectimax search and its table, for one game.
pub struct Expectimax<'a, T, R = Usual> {
    rules: R,
    last_layer: LastLayer<'a, T, R>,
    /// Used instead of `last_layer` if it exists.
    kernel: Option<&'a LastLayerKernel>,
    depth: Depth,
    costs: Option<PathCosts>,
    table: TranspositionTable,
    reuse: bool,
    /// The additional path cost of the first search of a move; 0 means that all moves are searched in full.
    reduction: u16,
    /// True if the depth limit, and not only the cut-off, has ended a path below the current node.
    is_limited: bool,
    stop: Stop<'a>,
    leaf_evaluations: u64,
}

impl<'a, T: BoardTerms> Expectimax<'a, T> {
    /// A search for one game of 2048. `board_terms` must be those of the heuristic; their type says whether there
    /// are any.
    pub fn new(compiled: &'a CompiledSearch, board_terms: T, settings: Settings) -> Self {
        Expectimax::of(Usual::default(), compiled, board_terms, settings)
    }
}

impl<'a, T: BoardTerms, R: Rules> Expectimax<'a, T, R> {
    /// A search for one game with these rules. `compiled` must be compiled for them.
    pub fn of(rules: R, compiled: &'a CompiledSearch, board_terms: T, settings: Settings) -> Self {
        let costs = PathCosts::new(settings.cutoff, rules.probabilities());
        Expectimax {
            rules,
            last_layer: LastLayer::new(rules, compiled.heuristic(), board_terms),
            kernel: compiled.last_layer(),
            depth: settings.depth,
            reduction: costs.map_or(0, |_| path_cost(1.0 / settings.reduction)),
            costs,
            table: TranspositionTable::new(settings.table_bits),
            reuse: settings.reuse,
            is_limited: false,
            stop: Stop::never(),
            leaf_evaluations: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary value.
    pub fn until(self, stop: Stop<'a>) -> Self {
        Expectimax { stop, ..self }
    }

    /// Values of the moves in the order of [`Direction::ALL`], in fixed point; `None` for an illegal move.
    pub fn move_values(&mut self, board: Board) -> [Option<i32>; 4] {
        let depth = self.begin(board);
        Direction::ALL.map(|direction| {
            let moved = self.rules.moved(board, direction);
            (moved != board).then(|| self.root(moved, depth))
        })
    }

    /// Starts a decision; returns its depth.
    fn begin(&mut self, board: Board) -> u8 {
        if self.reuse {
            self.table.clear();
        }
        chance_layers(self.depth, board)
    }

    /// The value of a move at the root, given the board after it.
    fn root(&mut self, board: Board, depth: u8) -> i32 {
        if depth == 0 {
            self.leaf_evaluations += 1;
            return self.last_layer.value(board, board.transpose());
        }
        self.chance(board, depth, Path::new(&self.costs, 0))
    }

    /// The value of a chance node above the leaves.
    #[inline(always)]
    fn chance(&mut self, board: Board, depth: u8, path: Path) -> i32 {
        let empty = self.rules.empty_cells(board);
        if depth == 1 || empty >= path.cut_from {
            self.is_limited |= empty < path.cut_from;
            self.last(board, path.cost)
        } else {
            self.inner(board, empty, depth, path.cost)
        }
    }

    /// The value of a last chance node. It does not depend on the path, so it is stored with path cost 0.
    #[inline(always)]
    fn last(&mut self, board: Board, cost: u16) -> i32 {
        if !self.table.is_enabled() {
            return self.last_mean(board);
        }
        let known = if self.reuse {
            self.table
                .get_at_least(board, 1, cost)
                .map(|(value, _)| value)
        } else {
            self.table.get(board, 1, 0)
        };
        known.unwrap_or_else(|| {
            let value = self.last_mean(board);
            self.table.put(board, 1, 0, value);
            value
        })
    }

    /// The value of a chance node with further chance nodes below it.
    fn inner(&mut self, board: Board, empty: u32, depth: u8, cost: u16) -> i32 {
        if !self.table.is_enabled() {
            return self.mean(board, empty, depth, cost);
        }
        if self.reuse {
            if let Some((value, depth)) = self.table.get_at_least(board, depth, cost) {
                self.is_limited |= depth != ANY_DEPTH;
                return value;
            }
        } else if let Some(value) = self.table.get(board, depth, cost) {
            return value;
        }
        let outside = std::mem::replace(&mut self.is_limited, false);
        let value = self.mean(board, empty, depth, cost);
        let searched = if self.is_limited || !self.reuse {
            depth
        } else {
            ANY_DEPTH
        };
        self.is_limited |= outside;
        self.table.put(board, searched, cost, value);
        value
    }

    fn mean(&mut self, board: Board, empty: u32, depth: u8, cost: u16) -> i32 {
        if depth > LAYERS_WITHOUT_STOP && self.stop.is_requested() {
            return 0;
        }
        let mut weighted = 0;
        let rules = self.rules;
        for (number, (rank, weight)) in rules.tiles().into_iter().enumerate() {
            let cost = cost + PathCosts::spawn(&self.costs, empty, number);
            weighted += weight
                * if PathCosts::cuts(&self.costs, cost) {
                    self.sum_of_leaves(board, rank)
                } else {
                    self.sum_of_best(board, rank, depth - 1, cost)
                };
        }
        rounded_mean(weighted, rules.total() * empty)
    }

    /// The sum over the empty cells of the best value after a tile of this rank.
    fn sum_of_best(&mut self, board: Board, rank: u16, depth: u8, cost: u16) -> i64 {
        let spawns = Spawns::new(board, rank, &self.rules);
        if self.table.is_enabled() {
            for &moved in spawns.all_moved() {
                self.table.prefetch(moved);
            }
        }
        let full = Path::new(&self.costs, cost);
        let mut sum = 0;
        if self.reduction == 0 || depth == 1 {
            for moved in spawns.iter() {
                let values = moved.iter().map(|&moved| self.chance(moved, depth, full));
                sum += i64::from(values.fold(0, i32::max));
            }
        } else {
            let reduced_cost = PathCosts::reduced(&self.costs, cost, self.reduction);
            let reduced = Path::new(&self.costs, reduced_cost);
            for moved in spawns.iter() {
                sum += i64::from(self.best(moved, depth, full, reduced));
            }
        }
        sum
    }

    /// The value of the best of the boards after a move, with reduced first searches; 0 if there is no board.
    /// Unused elements of `values` are 0 and come last, so one of them is chosen only if there is no board.
    #[inline(always)]
    fn best(&mut self, moved: &[Board], depth: u8, full: Path, reduced: Path) -> i32 {
        if let &[only] = moved {
            return self.chance(only, depth, full);
        }
        let mut values = [0; 4];
        let mut is_full = [true; 4];
        for (at, &board) in moved.iter().enumerate() {
            // The value of a last node is the same in both searches.
            is_full[at] = self.rules.empty_cells(board) >= full.cut_from;
            let path = if is_full[at] { full } else { reduced };
            values[at] = self.chance(board, depth, path);
        }
        loop {
            let at = first_largest(&values);
            if is_full[at] {
                return values[at];
            }
            values[at] = self.chance(moved[at], depth, full);
            is_full[at] = true;
        }
    }

    /// The sum over the empty cells of the best static value after a tile of this rank. Where there is a kernel,
    /// it is a 4, because the more probable 2s are cut only together with the 4s.
    fn sum_of_leaves(&mut self, board: Board, rank: u16) -> i64 {
        let sum = match self.kernel {
            Some(kernel) => kernel.fours(board),
            None => self.portable_sum_of_leaves(board, rank),
        };
        self.leaf_evaluations += sum.leaves;
        sum.weighted
    }

    /// The sum of a last chance node without a kernel. It is a function of its own, so that the code with a kernel
    /// stays small enough to be inlined.
    #[inline(never)]
    fn portable_sum(&self, board: Board) -> Sum {
        self.last_layer.sum(board, self.rules.tiles())
    }

    /// The sum of [`Expectimax::sum_of_leaves`] without a kernel.
    #[inline(never)]
    fn portable_sum_of_leaves(&self, board: Board, rank: u16) -> Sum {
        self.last_layer.sum(board, [(rank, 1)])
    }

    fn last_mean(&mut self, board: Board) -> i32 {
        let sum = match self.kernel {
            Some(kernel) => kernel.sum(board),
            None => self.portable_sum(board),
        };
        self.leaf_evaluations += sum.leaves;
        let empty = self.rules.empty_cells(board);
        rounded_mean(sum.weighted, self.rules.total() * empty)
    }
}

impl<T: BoardTerms, R: Rules> Policy<R::Position, Direction> for Expectimax<'_, T, R> {
    /// The move with the largest value; among equal moves, the first.
    fn choose(&mut self, position: R::Position) -> Option<Direction> {
        first_best(self.move_values(position.board()))
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaf_evaluations
    }
}

impl<T: BoardTerms, R: Rules> Mover for Expectimax<'_, T, R> {
    #[inline(always)]
    fn next(&mut self, board: Board) -> Option<Board> {
        if self.depth == Depth::Fixed(0) {
            return self.next_at_once(board);
        }
        let depth = self.begin(board);
        let mut best = None;
        for moved in self.rules.all_moved(board) {
            if moved != board {
                let value = self.root(moved, depth);
                if best.is_none_or(|(largest, _)| value > largest) {
                    best = Some((value, moved));
                }
            }
        }
        best.map(|(_, moved)| moved)
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaf_evaluations
    }
}

impl<T: BoardTerms, R: Rules> Expectimax<'_, T, R> {
    /// The board after the move with the largest static value. No branch depends on which move is legal or
    /// best, because the processor could not predict it.
    #[inline(always)]
    fn next_at_once(&mut self, board: Board) -> Option<Board> {
        let rows = board.both_slid(self.rules.rows());
        let columns = board.transpose().both_slid(self.rules.columns());
        let [up, down] = columns.map(|columns| (columns.transpose(), columns));
        let [left, right] = rows.map(|rows| (rows, rows.transpose()));
        let mut best = (i64::MIN, board);
        let boards = [up, down, left, right];
        let values = self.last_layer.values(boards);
        for ((moved, _), value) in boards.into_iter().zip(values) {
            let value = i64::from(value);
            let is_legal = moved != board;
            self.leaf_evaluations += u64::from(is_legal);
            let is_better = is_legal & (value > best.0);
            best = if is_better { (value, moved) } else { best };
        }
        (best.1 != board).then_some(best.1)
    }
}

#[cfg(test)]
mod tests;
