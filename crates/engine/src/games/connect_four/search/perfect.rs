//! The exact solver of gravity four in a row.
//!
//! Scores use Pascal Pons's convention. The score is positive if the side to move wins: 1 if it wins with its
//! last stone, and 1 more for each stone that it has left. It is negative in the same way if the side to move
//! loses. A draw is 0.
//!
//! The method is Pascal Pons's (blog.gamesolver.org): alpha-beta with null windows on bitboards. Moves that
//! lose at once are not searched. Moves are ordered by the number of winning cells that they create, and a
//! table stores bounds. There are two differences: forced moves do not use the table, and before a search of
//! the replies, the table is probed for all of them.

use crate::games::connect_four::rules::{Bitboards, Policy, Rules, Turn};
use crate::games::connect_four::search::ordering::{Ordered, hash};
use crate::stop::Stop;

/// With this number of empty cells or fewer, the search does not check for a stop, because the subtree is
/// small.
const CELLS_WITHOUT_STOP: i32 = 14;

/// The solver and its table of bounds.
pub struct Perfect<'a> {
    pub(in crate::games::connect_four) rules: Rules,
    table: Bounds,
    stop: Stop<'a>,
    nodes: u64,
}

impl<'a> Perfect<'a> {
    /// A solver for one board, with an empty table.
    pub fn new(rules: Rules) -> Self {
        Perfect {
            rules,
            table: Bounds::new(),
            stop: Stop::never(),
            nodes: 0,
        }
    }

    /// Sets the token that stops the search. After a request, the search soon returns an arbitrary score.
    pub fn until(self, stop: Stop<'a>) -> Self {
        Perfect { stop, ..self }
    }

    /// Number of positions visited so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Number of empty cells.
    fn left(&self, position: Bitboards) -> i32 {
        self.rules.number_of_cells() as i32 - position.stones().count_ones() as i32
    }

    /// The exact score of a position in which nobody has won yet.
    pub fn score(&mut self, position: Bitboards) -> i32 {
        let left = self.left(position);
        if self.wins_at_once(position) {
            return (left + 1) / 2;
        }
        // Bisection: the score is in low..=high, and each search excludes a part of this range. The split is
        // not in the middle but nearer to 0, because a quick win is disproved after few positions.
        let (mut low, mut high) = (-(left / 2), (left - 1) / 2);
        while low < high {
            let middle = low + (high - low) / 2;
            let tried = if middle <= 0 {
                middle.min(low / 2)
            } else {
                middle.max(high / 2)
            };
            let found = self.search(position, tried, tried + 1);
            if found <= tried {
                high = found;
            } else {
                low = found;
            }
        }
        low
    }

    /// The score of each column for the side to move; `None` for a full column.
    pub fn column_scores(&mut self, position: Bitboards) -> Vec<Option<i32>> {
        let rules = self.rules;
        let columns = 0..rules.columns();
        columns
            .map(|column| {
                let stone = rules.stone(position, column)?;
                Some(self.score_of_move(position, stone))
            })
            .collect()
    }

    fn score_of_move(&mut self, position: Bitboards, stone: u64) -> i32 {
        let next = position.after(stone);
        if self.rules.is_won(next.other) {
            return (self.left(position) + 1) / 2;
        }
        -self.score(next)
    }

    /// A move with the best score; among equal moves, the one nearest to the middle. The board must not be
    /// full.
    pub fn best(&mut self, position: Bitboards) -> u64 {
        let score = self.score(position);
        let rules = self.rules;
        let mut stones = rules.from_the_middle(position);
        let keeps = |stone: &u64| {
            let next = position.after(*stone);
            if rules.is_won(next.other) {
                return true;
            }
            // A null window is enough to decide whether the move has the best score.
            !self.wins_at_once(next) && -self.search(next, -score, -score + 1) >= score
                || self.score_of_move(position, *stone) == score
        };
        match stones.find(keeps) {
            Some(stone) => stone,
            // After a request to stop, scores can contradict each other. The caller discards the move.
            None if self.stop.is_requested() => {
                let playable = rules.playable(position);
                playable & playable.wrapping_neg()
            }
            None => unreachable!("some move has the score of the position"),
        }
    }

    #[inline]
    fn wins_at_once(&self, position: Bitboards) -> bool {
        let playable = self.rules.playable(position);
        self.rules.completions(position.own, position) & playable != 0
    }

    /// The exact score if it is inside the window from `alpha` to `beta`, otherwise a bound on the same side of
    /// the window. The side to move must not be able to win with its next stone.
    fn search(&mut self, position: Bitboards, mut alpha: i32, mut beta: i32) -> i32 {
        self.nodes += 1;
        let left = self.left(position);
        let safe = self.rules.safe_moves(position);
        if safe == 0 {
            // Either the board is full (score 0), or the other side wins with its next stone.
            return -(left / 2);
        }
        // Neither side can win with its next stone.
        if left <= 2 {
            return 0;
        }
        if left > CELLS_WITHOUT_STOP && self.stop.is_requested() {
            return 0;
        }
        if safe & (safe - 1) == 0 {
            // Forced move: the child is searched directly, without a table access.
            return -self.search(position.after(safe), -beta, -alpha);
        }
        // Neither side wins with its next stone, which limits the score.
        let (lowest, highest) = (-(left - 2) / 2, (left - 1) / 2);
        let slot = self.table.slot(position);
        let (known_low, known_high) = self.table.get(slot).unwrap_or((lowest, highest));
        alpha = alpha.max(known_low);
        beta = beta.min(known_high);
        if alpha >= beta {
            return if known_low >= beta { known_low } else { beta };
        }

        let mut moves = Ordered::new();
        for stone in self.rules.from_the_middle(position) {
            if stone & safe == 0 {
                continue;
            }
            let next = position.after(stone);
            // A bound of a reply that is already in the table can cause a cut-off without a search.
            if let Some((_, high)) = self.table.get(self.table.slot(next))
                && -high >= beta
            {
                self.table.put(slot, -high, known_high);
                return -high;
            }
            let promise = self.rules.completions(next.other, next).count_ones();
            moves.insert(promise, stone);
        }
        for stone in moves.iter() {
            let score = -self.search(position.after(stone), -beta, -alpha);
            if score >= beta {
                self.table.put(slot, score, known_high);
                return score;
            }
            alpha = alpha.max(score);
        }
        self.table.put(slot, known_low, alpha);
        alpha
    }
}

impl Policy for Perfect<'_> {
    fn choose(&mut self, turn: Turn) -> u64 {
        self.best(turn.position)
    }
}

/// Size of the table: 2^20 entries of 8 bytes. Four times as many entries halve the speed, because the search
/// then waits for memory outside of the cache.
const TABLE_BITS: u32 = 20;

/// A direct-mapped table of score bounds. An entry is one word: 16 bits for the two bounds, and above them the
/// part of the hash that is not the index. Together they identify the position, so an entry never matches
/// another position.
struct Bounds(Box<[u64]>);

/// An index in the table, and the tag that a matching entry has.
#[derive(Clone, Copy)]
struct Slot {
    index: usize,
    tag: u64,
}

impl Bounds {
    fn new() -> Self {
        Bounds(vec![0; 1 << TABLE_BITS].into_boxed_slice())
    }

    #[inline]
    fn slot(&self, position: Bitboards) -> Slot {
        // The hash identifies a position: its upper bits are the index, its lower bits the tag.
        let hash = hash(position);
        Slot {
            index: (hash >> (64 - TABLE_BITS)) as usize,
            tag: hash << TABLE_BITS >> TABLE_BITS,
        }
    }

    #[inline]
    fn get(&self, slot: Slot) -> Option<(i32, i32)> {
        let entry = self.0[slot.index];
        let [low, high] = [(entry >> 8) as u8, entry as u8];
        // Stored bounds are at least 1; 0 marks an empty entry.
        let is_known = entry >> 16 == slot.tag && low != 0;
        is_known.then(|| (i32::from(low) - BIAS, i32::from(high) - BIAS))
    }

    #[inline]
    fn put(&mut self, slot: Slot, low: i32, high: i32) {
        let [low, high] = [low, high].map(|bound| (bound + BIAS) as u64);
        self.0[slot.index] = slot.tag << 16 | low << 8 | high;
    }
}

/// Offset that makes every stored bound positive.
const BIAS: i32 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::heuristic::StringWeights;
    use crate::games::connect_four::heuristic::sum::StringValues;
    use crate::games::connect_four::rules::samples::positions;
    use crate::games::connect_four::rules::{Side, random_stone};
    use crate::games::connect_four::search::alpha_beta::AlphaBeta;
    use crate::games::vectors;
    use crate::heuristic::weights::Weights;
    use crate::random::GameRng;
    use std::collections::{HashMap, HashSet};
    use std::time::Instant;

    /// The definition of the score: plain negamax, with a table of all visited positions.
    fn negamax(rules: &Rules, position: Bitboards, seen: &mut HashMap<Bitboards, i32>) -> i32 {
        let left = rules.number_of_cells() as i32 - position.stones().count_ones() as i32;
        if rules.is_won(position.other) {
            // The previous stone has won; its side has this many stones left.
            return -((left + 2) / 2);
        }
        if left == 0 {
            return 0;
        }
        if let Some(score) = seen.get(&position) {
            return *score;
        }
        let stones = rules.from_the_middle(position);
        let scores = stones.map(|stone| -negamax(rules, position.after(stone), seen));
        let score = scores.max().unwrap();
        seen.insert(position, score);
        score
    }

    #[test]
    fn scores_are_those_of_plain_negamax() {
        for [rows, columns, connect] in [[4, 4, 3], [4, 4, 4], [3, 5, 3], [5, 4, 4], [4, 5, 4]] {
            let rules = Rules::new(rows, columns, connect).unwrap();
            let mut seen = HashMap::new();
            let mut solver = Perfect::new(rules);
            for turn in positions(&rules, 300) {
                let position = turn.position;
                if rules.is_over(position) || position.stones().count_ones() < 4 {
                    continue;
                }
                let slow: Vec<Option<i32>> = (0..columns)
                    .map(|column| {
                        let stone = rules.stone(position, column)?;
                        Some(-negamax(&rules, position.after(stone), &mut seen))
                    })
                    .collect();
                assert_eq!(solver.column_scores(position), slow, "{rules:?} {turn:?}");
                let best = slow.iter().flatten().max();
                assert_eq!(Some(&solver.score(position)), best);
                let chosen = rules.column_of(solver.best(position));
                let first = rules
                    .from_the_middle(position)
                    .map(|stone| rules.column_of(stone))
                    .find(|&column| slow[column as usize].as_ref() == best);
                assert_eq!(Some(chosen), first);
            }
        }
    }

    #[test]
    fn scores_are_the_known_ones() {
        // Vectors from an independent solver.
        let rules = Rules::published();
        let mut solver = Perfect::new(rules);
        for record in vectors::records("connect_four_perfect.jsonl") {
            let numbers: Vec<u8> = serde_json::from_value(record["b"].clone()).unwrap();
            let to_move = Side::BOTH[record["to_move"].as_u64().unwrap() as usize - 1];
            let turn = Turn::of_numbers(&rules, &numbers, to_move).unwrap();
            let expected: Vec<Option<i32>> =
                serde_json::from_value(record["scores"].clone()).unwrap();
            assert_eq!(solver.column_scores(turn.position), expected, "{record}");
        }
    }

    /// Positions with twelve stones in which nobody has won, after uniformly random moves from the empty board.
    fn random_positions(rules: Rules) -> impl Iterator<Item = Bitboards> {
        (0..).filter_map(move |seed| {
            let mut rng = GameRng::new(seed);
            let mut turn = Turn::START;
            for _ in 0..12 {
                turn = turn.after(random_stone(&rules, turn, &mut rng));
                if rules.is_over(turn.position) {
                    return None;
                }
            }
            Some(turn.position)
        })
    }

    /// Positions with twelve stones from games between two reasonable players, after an opening of a few random
    /// stones.
    fn played_positions(rules: Rules) -> impl Iterator<Item = Bitboards> {
        let values = StringValues::new(rules, &StringWeights::new(&Weights::default()));
        let mut known = HashSet::new();
        (0..).filter_map(move |seed| {
            let mut rng = GameRng::new(seed);
            let mut turn = Turn::START;
            let opening = rng.below(7);
            let mut player = AlphaBeta::new(&values, 6);
            for number in 0..12 {
                let stone = if number < opening {
                    random_stone(&rules, turn, &mut rng)
                } else {
                    player.choose(turn)
                };
                turn = turn.after(stone);
                if rules.is_over(turn.position) {
                    return None;
                }
            }
            known.insert(turn.position).then_some(turn.position)
        })
    }

    /// Median and maximum of a list of times.
    fn spread(seconds: &mut [f64]) -> String {
        seconds.sort_by(f64::total_cmp);
        let [median, most] = [seconds.len() / 2, seconds.len() - 1].map(|k| seconds[k]);
        format!("median {median:.3} s, worst {most:.3} s")
    }

    #[test]
    #[ignore = "takes minutes: the time of the hardest of many positions"]
    fn positions_of_twelve_stones_are_solved_in_time() {
        const COUNT: usize = 300;
        for [rows, columns] in [[7, 6], [6, 7]] {
            let rules = Rules::new(rows, columns, 4).unwrap();
            let random: Vec<_> = random_positions(rules).take(COUNT).collect();
            let played: Vec<_> = played_positions(rules).take(COUNT).collect();
            for (kind, positions) in [("random", random), ("played", played)] {
                let (mut score, mut all_columns, mut nodes) = (vec![], vec![], vec![]);
                for &position in &positions {
                    let mut solver = Perfect::new(rules);
                    let start = Instant::now();
                    solver.score(position);
                    score.push(start.elapsed().as_secs_f64());
                    solver.column_scores(position);
                    all_columns.push(start.elapsed().as_secs_f64());
                    nodes.push(solver.nodes());
                }
                println!(
                    "{rows} rows of {columns}, {COUNT} {kind} positions: score {}; then every \
                     column {}; most nodes {}",
                    spread(&mut score),
                    spread(&mut all_columns),
                    nodes.into_iter().max().unwrap()
                );
                assert!(all_columns.into_iter().all(|seconds| seconds < 10.0));
            }
        }
    }
}
