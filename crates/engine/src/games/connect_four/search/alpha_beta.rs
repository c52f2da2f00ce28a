//! Alpha-beta search for gravity four in a row. It uses the string evaluation and works to any depth.
//!
//! The depth counts stones. The value of a position for the side to move is
//!
//! - [`WIN`] plus the depth left before the winning stone, if it wins;
//! - the negative of that number, if it loses;
//! - 0, if the board is full;
//! - the static evaluation, at the depth limit;
//! - otherwise the largest value after a move.
//!
//! An earlier win therefore has a larger value, and a value depends only on the position and the depth.
//!
//! Contract: if the value of plain negamax (see the tests) is inside the window, the search returns it.
//! Otherwise it returns a bound on the same side of the window.

use crate::games::connect_four::heuristic::sum::StringValues;
use crate::games::connect_four::rules::{Bitboards, Policy, Rules, Turn};
use crate::games::connect_four::search::ordering::{Ordered, hash};
use crate::stop::Stop;

/// The value of a win with no depth left. Static evaluations are smaller.
pub const WIN: i64 = i64::MAX / 2;

/// Larger than every value. `-INFINITY - 1` can still be negated without overflow.
const INFINITY: i64 = i64::MAX - 1;

/// At this depth and below, the search does not check for a stop, because the subtree is small.
const DEPTH_WITHOUT_STOP: u8 = 2;

/// True if the value is a win or a loss within the search depth.
pub fn is_decided(value: i64) -> bool {
    value.abs() >= WIN
}

/// The search of one player in one game.
pub struct AlphaBeta<'a> {
    /// The static evaluation at the depth limit.
    pub(in crate::games::connect_four) values: &'a StringValues,
    rules: Rules,
    depth: u8,
    table: PositionTable,
    stop: Stop<'a>,
    nodes: u64,
    leaves: u64,
}

impl<'a> AlphaBeta<'a> {
    /// A search to a depth of `depth` stones, at least 1.
    pub fn new(values: &'a StringValues, depth: u8) -> Self {
        AlphaBeta {
            values,
            rules: *values.rules(),
            depth: depth.max(1),
            table: PositionTable::for_depth(depth),
            stop: Stop::never(),
            nodes: 0,
            leaves: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary value.
    pub fn until(self, stop: Stop<'a>) -> Self {
        AlphaBeta { stop, ..self }
    }

    /// Number of positions visited so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The value of each column, searched with a full window; `None` for a full column.
    pub fn column_values(&mut self, position: Bitboards) -> Vec<Option<i64>> {
        let rules = self.rules;
        let columns = 0..rules.columns();
        columns
            .map(|column| {
                let stone = rules.stone(position, column)?;
                Some(self.value_of_move(position, stone, -INFINITY, INFINITY))
            })
            .collect()
    }

    /// The best move; among equal moves, the one nearest to the middle. The board must not be full.
    pub fn best(&mut self, position: Bitboards) -> u64 {
        let rules = self.rules;
        // The search order follows the static value. `places` has the order from the middle, for ties.
        let places: Vec<u64> = rules.from_the_middle(position).collect();
        let mut ordered = Ordered::new();
        for &stone in &places {
            ordered.insert(self.promise(position, stone), stone);
        }
        let mut best = (-INFINITY, usize::MAX);
        for stone in ordered.iter() {
            let place = places.iter().position(|&known| known == stone);
            let place = place.unwrap_or_else(|| unreachable!("ordered from the same list"));
            // A move nearer to the middle wins a tie, so its window includes the best value.
            let beaten = best.0 - i64::from(place < best.1);
            let value = self.value_of_move(position, stone, beaten, INFINITY);
            if value > beaten {
                best = (value, place);
            }
        }
        places[best.1]
    }

    fn value_of_move(&mut self, position: Bitboards, stone: u64, alpha: i64, beta: i64) -> i64 {
        let next = position.after(stone);
        if self.rules.is_won(next.other) {
            return WIN + i64::from(self.depth);
        }
        -self.value(next, self.depth - 1, -beta, -alpha)
    }

    /// The static value after the move, for the side that moves. Moves are ordered by it.
    fn promise(&mut self, position: Bitboards, stone: u64) -> i64 {
        self.leaves += 1;
        -self.values.difference(position.after(stone))
    }

    /// The value of a position in which nobody has won yet.
    fn value(&mut self, position: Bitboards, depth: u8, mut alpha: i64, mut beta: i64) -> i64 {
        self.nodes += 1;
        if position.stones() == self.rules.cells() {
            return 0;
        }
        if depth == 0 {
            self.leaves += 1;
            return self.values.difference(position);
        }
        if depth > DEPTH_WITHOUT_STOP && self.stop.is_requested() {
            return 0;
        }
        let playable = self.rules.playable(position);
        if self.rules.completions(position.own, position) & playable != 0 {
            return WIN + i64::from(depth);
        }
        // At depth 1 the children are leaves: ordering them would cost as much as searching them.
        if depth == 1 {
            return self.best_of(
                position,
                self.rules.from_the_middle(position),
                1,
                alpha,
                beta,
            );
        }
        let safe = self.rules.safe_moves(position);
        if safe == 0 {
            return -(WIN + i64::from(depth - 1));
        }
        // The other moves lose at once, and this is their value.
        let lowest = -(WIN + i64::from(depth - 1));
        let known = self.table.get(position, depth);
        if let Some(known) = known {
            match known.bound {
                Bound::Exact => return known.value,
                Bound::Lower => alpha = alpha.max(known.value),
                Bound::Upper => beta = beta.min(known.value),
            }
            if alpha >= beta {
                return known.value;
            }
        }
        let mut ordered = Ordered::new();
        for stone in self.rules.from_the_middle(position) {
            if stone & safe != 0 {
                ordered.insert(self.promise(position, stone), stone);
            }
        }
        let value = self
            .best_of(position, ordered.iter(), depth, alpha, beta)
            .max(lowest);
        let bound = match () {
            () if value >= beta => Bound::Lower,
            () if value <= alpha => Bound::Upper,
            () => Bound::Exact,
        };
        self.table.put(position, depth, value, bound);
        value
    }

    /// The largest value after these moves. None of them may win at once.
    fn best_of(
        &mut self,
        position: Bitboards,
        stones: impl Iterator<Item = u64>,
        depth: u8,
        mut alpha: i64,
        beta: i64,
    ) -> i64 {
        let mut best = -INFINITY;
        for stone in stones {
            let value = -self.value(position.after(stone), depth - 1, -beta, -alpha);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

impl Policy for AlphaBeta<'_> {
    fn choose(&mut self, turn: Turn) -> u64 {
        self.best(turn.position)
    }

    fn leaf_evaluations(&self) -> u64 {
        self.leaves
    }
}

/// How a value in the table relates to the true value.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Bound {
    #[default]
    Exact,
    /// The true value is at least this value.
    Lower,
    /// The true value is at most this value.
    Upper,
}

#[derive(Clone, Copy, Default)]
struct SearchedPosition {
    position: Bitboards,
    value: i64,
    /// 0 marks an empty entry.
    depth: u8,
    bound: Bound,
}

/// A direct-mapped transposition table. An entry is used only for exactly the same position and depth, so the
/// table never changes a value. Each search object, and therefore each game, has a separate table.
struct PositionTable {
    entries: Box<[SearchedPosition]>,
    shift: u32,
}

/// Smallest depth at which positions repeat often enough for a table.
const LEAST_DEPTH_WITH_TABLE: u8 = 4;

impl PositionTable {
    fn for_depth(depth: u8) -> Self {
        let bits = if depth < LEAST_DEPTH_WITH_TABLE {
            0
        } else {
            (2 * u32::from(depth) + 4).min(18)
        };
        let size = if bits == 0 { 0 } else { 1 << bits };
        PositionTable {
            entries: vec![SearchedPosition::default(); size].into_boxed_slice(),
            // A shift by 64 would overflow.
            shift: 64 - bits.max(1),
        }
    }

    fn slot(&self, position: Bitboards) -> usize {
        (hash(position) >> self.shift) as usize
    }

    fn get(&self, position: Bitboards, depth: u8) -> Option<SearchedPosition> {
        let known = *self.entries.get(self.slot(position))?;
        (known.depth == depth && known.position == position).then_some(known)
    }

    fn put(&mut self, position: Bitboards, depth: u8, value: i64, bound: Bound) {
        let slot = self.slot(position);
        if let Some(entry) = self.entries.get_mut(slot) {
            *entry = SearchedPosition {
                position,
                value,
                depth,
                bound,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::heuristic::StringWeights;
    use crate::games::connect_four::rules::samples::{RULES, positions};
    use crate::heuristic::weights::Weights;

    /// The definition of the value: plain negamax.
    fn negamax(values: &StringValues, position: Bitboards, depth: u8) -> i64 {
        let rules = values.rules();
        if rules.is_won(position.other) {
            return -(WIN + i64::from(depth) + 1);
        }
        if position.stones() == rules.cells() {
            return 0;
        }
        if depth == 0 {
            return values.difference(position);
        }
        let stones = rules.from_the_middle(position);
        let values = stones.map(|stone| -negamax(values, position.after(stone), depth - 1));
        values.max().unwrap()
    }

    #[test]
    fn values_and_choice_are_those_of_plain_negamax() {
        for [rows, columns, connect] in RULES {
            let rules = Rules::new(rows, columns, connect).unwrap();
            let values = StringValues::new(rules, &StringWeights::new(&Weights::default()));
            let most = if columns > 7 { 3 } else { 5 };
            for depth in 1..=most {
                // One search object for all positions: entries left in its table must not change values.
                let mut search = AlphaBeta::new(&values, depth);
                let count = [0, 200, 200, 100, 40, 30][usize::from(depth)];
                for turn in positions(&rules, count) {
                    let position = turn.position;
                    if rules.is_over(position) {
                        continue;
                    }
                    let slow: Vec<Option<i64>> = (0..columns)
                        .map(|column| {
                            let stone = rules.stone(position, column)?;
                            Some(-negamax(&values, position.after(stone), depth - 1))
                        })
                        .collect();
                    assert_eq!(search.column_values(position), slow, "{rules:?} {turn:?}");
                    let chosen = rules.column_of(search.best(position));
                    let largest = slow.iter().flatten().max();
                    let first = rules
                        .from_the_middle(position)
                        .map(|stone| rules.column_of(stone))
                        .find(|&column| slow[column as usize].as_ref() == largest);
                    assert_eq!(Some(chosen), first, "{rules:?} {turn:?} {slow:?}");
                }
            }
        }
    }

    #[test]
    fn a_sooner_win_is_worth_more() {
        // Player 1 has three stones in the bottom row and can also prepare a second line.
        let rules = Rules::published();
        let values = StringValues::new(rules, &StringWeights::new(&Weights::default()));
        let mut turn = Turn::START;
        for column in [0, 0, 1, 1, 2, 2] {
            turn = turn.after(rules.stone(turn.position, column).unwrap());
        }
        for depth in 1..=6 {
            let mut search = AlphaBeta::new(&values, depth);
            assert_eq!(rules.column_of(search.best(turn.position)), 3);
            let found = search.column_values(turn.position);
            assert_eq!(found[3], Some(WIN + i64::from(depth)));
            assert!(
                found
                    .iter()
                    .flatten()
                    .all(|&value| value <= found[3].unwrap())
            );
        }
    }
}
