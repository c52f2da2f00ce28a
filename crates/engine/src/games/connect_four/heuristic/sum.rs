//! The string evaluation on bitboards: the fast form of [`crate::reference::connect_four`].
//!
//! The scan of the definition counts these strings, in some order:
//!
//! - Each run of 2 or more stones that is shorter than a winning line: once.
//! - In a run as long as a winning line or longer: each winning line. Only the first line of the scan can have
//!   an open end, which is the end before it.
//! - Each single stone without an own neighbour to the left, to the right and in the three cells above it:
//!   once. Its ends are the cells to its left and right. (Of the strings of a single stone the scan keeps at
//!   most the first, which goes to the right. Strings from the cells above would contain the stone.)

use crate::games::connect_four::heuristic::StringWeights;
use crate::games::connect_four::heuristic::threats::{PositionThreats, Threats};
use crate::games::connect_four::rules::{Bitboards, Rules};

/// Values for one board: strings by their length and the distances of their ends, and the other terms.
pub struct StringValues {
    rules: Rules,
    /// Number of possible distances: the largest distance plus 1.
    distances: usize,
    usual: LineValues,
    /// Values for the side to move.
    to_move: LineValues,
    /// For each bit: all cells of its column.
    column: [u64; 64],
}

/// Values for one side.
struct LineValues {
    /// Values of strings, at index `(length * distances + d1) * distances + d2`; `None` if all are 0.
    strings: Option<Box<[i64]>>,
    /// Values of open lines and threats; `None` if all are 0.
    threats: Option<Box<Threats>>,
}

/// Finds the distances of the ends of strings.
struct Ends<'a> {
    empty: u64,
    playable: u64,
    column: &'a [u64; 64],
}

impl Ends<'_> {
    /// Distance of a cell, given as one bit: how many stones must fall into its column until it is filled. 0 if
    /// the cell is occupied or not on the board.
    #[inline(always)]
    fn distance(&self, cell: u64) -> usize {
        if cell & self.empty == 0 {
            return 0;
        }
        let height = cell.trailing_zeros();
        let lowest = self.playable & self.column[height as usize];
        (height + 1 - lowest.trailing_zeros()) as usize
    }
}

impl StringValues {
    /// Tabulates the values for a board.
    pub fn new(rules: Rules, weights: &StringWeights) -> Self {
        let line_values = |value: &dyn Fn(u32, u32, u32) -> i64, factor: f64| {
            let mut strings = Vec::new();
            for length in 0..=rules.connect() {
                for d1 in 0..=rules.rows() {
                    strings.extend((0..=rules.rows()).map(|d2| value(length, d1, d2)));
                }
            }
            LineValues {
                strings: (strings.iter().any(|value| *value != 0))
                    .then(|| strings.into_boxed_slice()),
                threats: Threats::new(&rules, &weights.threats, factor),
            }
        };
        let column_of = |bit: usize| match bit as u32 / rules.height() {
            column if column < rules.columns() => rules.column(column),
            _ => 0,
        };
        StringValues {
            rules,
            distances: rules.rows() as usize + 1,
            usual: line_values(&|length, d1, d2| weights.value(&rules, length, d1, d2), 1.0),
            to_move: line_values(
                &|length, d1, d2| weights.value_to_move(&rules, length, d1, d2),
                weights.to_move,
            ),
            column: std::array::from_fn(column_of),
        }
    }

    /// Rules of the board.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Scores of the side to move and of the other side. A score is the sum of the values of a side's strings
    /// and threats.
    pub fn scores(&self, position: Bitboards) -> [i64; 2] {
        let of_both = self.of_both(position);
        [position.own, position.other]
            .map(|stones| self.sum(&self.usual, stones, position, of_both))
    }

    /// Score of one side, given its stones.
    #[inline]
    pub fn score(&self, stones: u64, position: Bitboards) -> i64 {
        self.sum(&self.usual, stones, position, self.of_both(position))
    }

    /// The value of the position for the side to move: its score with the values of the side to
    /// move, minus the score of the other side.
    #[inline]
    pub fn difference(&self, position: Bitboards) -> i64 {
        let of_both = self.of_both(position);
        self.sum(&self.to_move, position.own, position, of_both)
            - self.sum(&self.usual, position.other, position, of_both)
    }

    /// The threats of both sides; empty if threats have no value.
    #[inline]
    fn of_both(&self, position: Bitboards) -> PositionThreats {
        let threats = self.usual.threats.as_ref();
        threats.map_or_else(PositionThreats::default, |threats| {
            threats.of_both(&self.rules, position)
        })
    }

    #[inline]
    fn sum(
        &self,
        values: &LineValues,
        stones: u64,
        position: Bitboards,
        of_both: PositionThreats,
    ) -> i64 {
        let ends = Ends {
            empty: self.rules.cells() & !position.stones(),
            playable: self.rules.playable(position),
            column: &self.column,
        };
        let strings = values.strings.as_ref();
        let of_strings = strings.map_or(0, |values| match self.rules.connect() {
            // A constant `connect` lets the compiler unroll the loops for the usual rules.
            4 => self.sum_over_strings(values, stones, &ends, 4),
            connect => self.sum_over_strings(values, stones, &ends, connect as usize),
        });
        let threats = values.threats.as_ref();
        of_strings
            + threats.map_or(0, |threats| {
                let distance = |cell| ends.distance(cell);
                threats.sum(&self.rules, stones, position, of_both, distance)
            })
    }

    #[inline(always)]
    fn sum_over_strings(&self, values: &[i64], stones: u64, ends: &Ends, connect: usize) -> i64 {
        let value =
            |length: usize, d1, d2| values[(length * self.distances + d1) * self.distances + d2];
        let [right, falling, up, rising] = self.rules.steps();

        let beside = stones << right | stones >> right;
        let above = stones >> up | stones << falling | stones >> rising;
        let mut singles = stones & !(beside | above) & (ends.empty << right | ends.empty >> right);
        let mut sum = 0;
        while singles != 0 {
            // Isolates the lowest set bit, here and below.
            let stone = singles & singles.wrapping_neg();
            singles ^= stone;
            let [left, right] = [stone >> right, stone << right];
            sum += value(1, ends.distance(left), ends.distance(right));
        }

        // The flag is true if the scan meets the runs of this direction at their lowest bit first.
        for (step, from_the_lowest) in
            [(right, true), (falling, true), (up, false), (rising, false)]
        {
            let starts = stones & !(stones << step);
            // Stones followed by `length - 1` others.
            let mut run = stones & (stones >> step);
            let before = ends.empty << step;
            let mut after = ends.empty >> step;
            for length in 2..connect {
                let longer = stones & (run >> step);
                after >>= step;
                let mut strings = starts & run & !longer & (before | after);
                while strings != 0 {
                    let first = strings & strings.wrapping_neg();
                    strings ^= first;
                    let last = first << (step * (length as u32 - 1));
                    let [before, after] = [first >> step, last << step];
                    sum += value(length, ends.distance(before), ends.distance(after));
                }
                run = longer;
            }
            if run != 0 {
                sum += self.lines(values, run, step, from_the_lowest, ends);
            }
        }
        sum
    }

    /// Value of the winning lines of one direction. `lines` holds the lowest stone of each line.
    #[cold]
    fn lines(
        &self,
        values: &[i64],
        lines: u64,
        step: u32,
        from_the_lowest: bool,
        ends: &Ends,
    ) -> i64 {
        let connect = self.rules.connect();
        let mut rest = lines;
        let mut sum = 0;
        while rest != 0 {
            let lowest = rest & rest.wrapping_neg();
            rest ^= lowest;
            let before = if from_the_lowest {
                lowest >> step
            } else {
                lowest << (step * (connect - 1)) << step
            };
            // If the cell before the line holds a stone of the same run, the end is closed, as with any stone.
            let distance = ends.distance(before);
            sum += values[(connect as usize * self.distances + distance) * self.distances];
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::heuristic::parameters;
    use crate::games::connect_four::rules::samples::{RULES, positions};
    use crate::heuristic::weights::Weights;

    /// Weights that give different values to all kinds of strings.
    fn odd_weights() -> Weights {
        let settings = [
            ("base", 7.3),
            ("length", 1.7),
            ("liberty", 0.9),
            ("liberty_power", 1.1),
            ("both", 2.3),
            ("both_power", 0.7),
            ("sum", 3.1),
            ("sum_power", 1.3),
            ("to_move", 1.25),
        ];
        Weights::default().with(settings, &parameters()).unwrap()
    }

    #[test]
    fn the_sum_is_that_of_the_scan() {
        for weights in [Weights::default(), odd_weights()] {
            let string_weights = StringWeights::new(&weights);
            for [rows, columns, connect] in RULES {
                let rules = Rules::new(rows, columns, connect).unwrap();
                let values = StringValues::new(rules, &string_weights);
                for turn in positions(&rules, 1000) {
                    let numbers = turn.numbers(&rules);
                    let slow = [turn.to_move, turn.to_move.opponent()].map(|side| {
                        crate::reference::connect_four::score(
                            &rules,
                            &string_weights,
                            &numbers,
                            side.number(),
                        )
                    });
                    assert_eq!(values.scores(turn.position), slow, "{rules:?} {numbers:?}");
                }
            }
        }
    }

    #[test]
    fn a_mirrored_board_has_the_same_scores() {
        for [rows, columns, connect] in RULES {
            let rules = Rules::new(rows, columns, connect).unwrap();
            let values = StringValues::new(rules, &StringWeights::new(&odd_weights()));
            for turn in positions(&rules, 500) {
                let position = turn.position;
                // For a complete line only the end before it counts, so the value of a won position is not
                // symmetric.
                if rules.is_won(position.own) || rules.is_won(position.other) {
                    continue;
                }
                let mirror = Bitboards {
                    own: rules.mirrored(position.own),
                    other: rules.mirrored(position.other),
                };
                assert_eq!(values.scores(mirror), values.scores(position));
                assert_eq!(values.difference(mirror), values.difference(position));
            }
        }
    }

    #[test]
    fn the_difference_counts_the_side_to_move_more() {
        let rules = Rules::published();
        let string_weights = StringWeights::new(&odd_weights());
        let values = StringValues::new(rules, &string_weights);
        for turn in positions(&rules, 300) {
            let numbers = turn.numbers(&rules);
            let strings =
                crate::reference::connect_four::strings(&rules, &numbers, turn.to_move.number())
                    .into_iter();
            let own = strings.map(|string| {
                string_weights.value_to_move(&rules, string.length(), string.d1, string.d2)
            });
            let other = crate::reference::connect_four::score(
                &rules,
                &string_weights,
                &numbers,
                turn.to_move.opponent().number(),
            );
            assert_eq!(values.difference(turn.position), own.sum::<i64>() - other);
        }
    }

    #[test]
    fn lines_and_threats_of_the_side_to_move_count_by_its_factor() {
        // Whole numbers and an exact factor: the sum of products then equals the product of the sum.
        let of_strings = [
            ("length", 0.0),
            ("liberty", 0.0),
            ("both", 0.0),
            ("sum", 0.0),
        ];
        let of_lines = [
            ("line", 1.0),
            ("line_growth", 2.0),
            ("lacks_2_ready_1_kept_1", 25.0),
            ("column_lacks_2", 8.0),
            ("threat", 5.0),
            ("threat_power", 0.0),
            ("fork_move", 68.0),
            ("coming_fork", 68.0),
            ("zugzwang", 300.0),
            ("zugzwang_power", 0.0),
        ];
        let with = |to_move: f64| {
            let settings = of_strings
                .into_iter()
                .chain(of_lines)
                .chain([("to_move", to_move)]);
            let weights = Weights::default().with(settings, &parameters()).unwrap();
            StringValues::new(Rules::published(), &StringWeights::new(&weights))
        };
        let (values, more) = (with(1.0), with(1.5));
        let mut differ = 0;
        for turn in positions(&Rules::published(), 500) {
            let [own, other] = values.scores(turn.position);
            assert_eq!(values.difference(turn.position), own - other);
            assert_eq!(more.difference(turn.position), own * 3 / 2 - other);
            differ += usize::from(own != 0);
        }
        assert!(differ > 300);
        // Neither strings nor another term: every board has the value 0.
        let nothing = Weights::default().with(of_strings, &parameters()).unwrap();
        let nothing = StringValues::new(Rules::published(), &StringWeights::new(&nothing));
        for turn in positions(&Rules::published(), 100) {
            assert_eq!(nothing.scores(turn.position), [0, 0]);
        }
    }
}
