//! Evaluation terms of open lines. Their default weights are 0.
//!
//! A line is [`Rules::connect`] cells in a row. It is open to a side if it contains at least one stone of this
//! side and no stone of the other side. There are two kinds of terms:
//!
//! - [`line`](PARAMETERS) values a line by the number of its stones.
//! - The other terms value a line by its empty cells, if there are at most three. They count the *ready* cells,
//!   which can be filled now, and the *kept* cells among the others, which the side will fill after all other
//!   columns are full (see `kept_threat`).
//!
//! A vertical line can be stopped with one stone, so it has separate weights. A vertical line with one empty
//! cell is a threat like any other.

use crate::games::connect_four::rules::{Bitboards, Rules};
use crate::heuristic::{ParameterRange, ParameterRow};

/// Largest number of empty cells of a line for the terms by empty cells.
const MOST_LACKING: usize = 3;

/// The table row of the weight of a line with this number of empty cells.
macro_rules! lacking {
    ($key:literal, three, $cells:literal) => {
        lacking!($key, "three stones", $cells, 20.0)
    };
    ($key:literal, two, $cells:literal) => {
        lacking!($key, "two stones", $cells, 50.0)
    };
    ($key:literal, one, $cells:literal) => {
        lacking!($key, "one stone", $cells, 100.0)
    };
    ($key:literal, $stones:literal, $cells:literal, $max:literal) => {
        (
            $key,
            concat!(
                "weight of an open line, not in a column, that lacks ",
                $stones,
                ", in thousands: ",
                $cells
            ),
            ParameterRange::weight(0.0, 0.0, $max),
        )
    };
}

/// Parameters of these terms.
pub(super) const PARAMETERS: [ParameterRow; 17] = [
    (
        "line",
        "weight of an open line with one stone, in thousands",
        ParameterRange::weight(0.0, 0.0, 5.0),
    ),
    (
        "line_growth",
        "ratio of the value of an open line with one stone more",
        ParameterRange::constant(3.0, 1.0, 10.0),
    ),
    lacking!("lacks_3_ready_0", three, "no cell can be filled now"),
    lacking!("lacks_3_ready_1", three, "one cell can be filled now"),
    lacking!("lacks_3_ready_2", three, "two cells can be filled now"),
    lacking!("lacks_3_ready_3", three, "all cells can be filled now"),
    lacking!(
        "lacks_2_ready_0_kept_0",
        two,
        "no cell can be filled now, none is kept (see kept_threat)"
    ),
    lacking!(
        "lacks_2_ready_0_kept_1",
        two,
        "no cell can be filled now, one is kept (see kept_threat)"
    ),
    lacking!(
        "lacks_2_ready_0_kept_2",
        two,
        "no cell can be filled now, both are kept (see kept_threat)"
    ),
    lacking!(
        "lacks_2_ready_1_kept_0",
        two,
        "one cell can be filled now, the other is not kept (see kept_threat)"
    ),
    lacking!(
        "lacks_2_ready_1_kept_1",
        two,
        "one cell can be filled now, the other is kept (see kept_threat)"
    ),
    lacking!("lacks_2_ready_2", two, "both cells can be filled now"),
    lacking!(
        "lacks_1_ready_0_kept_0",
        one,
        "the cell cannot be filled now and is not kept (see kept_threat)"
    ),
    lacking!(
        "lacks_1_ready_0_kept_1",
        one,
        "the cell cannot be filled now and is kept (see kept_threat)"
    ),
    lacking!("lacks_1_ready_1", one, "the cell can be filled now"),
    (
        "column_lacks_3",
        "weight of an open line in a column that lacks three stones, in thousands",
        ParameterRange::weight(0.0, 0.0, 20.0),
    ),
    (
        "column_lacks_2",
        "weight of an open line in a column that lacks two stones, in thousands",
        ParameterRange::weight(0.0, 0.0, 50.0),
    ),
];

/// Number of possible stone counts of a line, from 0 to a complete line.
const COUNTS: usize = Rules::MOST_IN_LINE as usize + 1;

/// Values by the number of ready cells (first index) and of kept cells (second index).
type ByCells<T> = [[T; MOST_LACKING]; MOST_LACKING];

/// Values of the parameters of these terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineWeights {
    line: f64,
    line_growth: f64,
    /// Index: number of empty cells minus 1, for one and two empty cells.
    lacks: [ByCells<f64>; MOST_LACKING - 1],
    /// For three empty cells. Index: number of ready cells. Kept cells are not counted.
    lacks_3: [f64; MOST_LACKING + 1],
    /// For vertical lines. Index: number of empty cells minus 2.
    column: [f64; MOST_LACKING - 1],
}

impl LineWeights {
    pub(super) fn new(setting: &impl Fn(&str) -> f64) -> Self {
        let key = |lacking: usize, ready: usize, kept: usize| {
            if ready == lacking {
                format!("lacks_{lacking}_ready_{ready}")
            } else {
                format!("lacks_{lacking}_ready_{ready}_kept_{kept}")
            }
        };
        let by_cells = |lacking: usize| {
            let value = |ready: usize, kept: usize| {
                if ready + kept <= lacking {
                    setting(&key(lacking, ready, kept))
                } else {
                    0.0
                }
            };
            std::array::from_fn(|ready| std::array::from_fn(|kept| value(ready, kept)))
        };
        LineWeights {
            line: setting("line"),
            line_growth: setting("line_growth"),
            lacks: std::array::from_fn(|index| by_cells(index + 1)),
            lacks_3: std::array::from_fn(|ready| setting(&format!("lacks_3_ready_{ready}"))),
            column: std::array::from_fn(|index| setting(&format!("column_lacks_{}", index + 2))),
        }
    }

    /// The weights of the terms by empty cells.
    fn of_lacking(&self) -> impl Iterator<Item = f64> {
        let lacks = self.lacks.as_flattened().as_flattened();
        let others = self.lacks_3.iter().chain(&self.column);
        lacks.iter().chain(others).copied()
    }

    fn is_nothing(&self) -> bool {
        self.line == 0.0 && !self.has_lacking()
    }

    fn has_lacking(&self) -> bool {
        self.of_lacking().any(|weight| weight != 0.0)
    }

    /// Value of an open line with this number of stones, in the unit of the evaluation (1000 per unit of
    /// weight).
    fn of_stones(&self, stones: u32) -> f64 {
        match stones {
            0 => 0.0,
            // `libm` gives the same bits on every platform.
            _ => 1000.0 * self.line * libm::pow(self.line_growth, f64::from(stones - 1)),
        }
    }

    /// Every value that a line can have.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> {
        let by_stones = (1..=Rules::MOST_IN_LINE).map(|stones| self.of_stones(stones));
        by_stones.chain(self.of_lacking().map(|weight| 1000.0 * weight))
    }
}

/// Values of open lines as integers.
#[derive(Clone, Debug)]
pub(super) struct OpenLines {
    /// Values by the number of stones; `None` if all are 0.
    stones: Option<[i64; COUNTS]>,
    /// Values by the empty cells; `None` if all are 0.
    lacking: Option<MissingStones>,
}

#[derive(Clone, Debug)]
struct MissingStones {
    lacks: [ByCells<i64>; MOST_LACKING - 1],
    lacks_3: [i64; MOST_LACKING + 1],
    column: [i64; MOST_LACKING - 1],
}

impl OpenLines {
    /// The values multiplied by `factor`; `None` if all are 0.
    pub(super) fn new(weights: &LineWeights, factor: f64) -> Option<Self> {
        if weights.is_nothing() {
            return None;
        }
        let whole = |value: f64| (factor * value) as i64;
        let thousands = |weight: f64| whole(1000.0 * weight);
        Some(OpenLines {
            stones: (weights.line != 0.0)
                .then(|| std::array::from_fn(|stones| whole(weights.of_stones(stones as u32)))),
            lacking: weights.has_lacking().then(|| MissingStones {
                lacks: weights.lacks.map(|of| of.map(|of| of.map(thousands))),
                lacks_3: weights.lacks_3.map(thousands),
                column: weights.column.map(thousands),
            }),
        })
    }

    /// The value of the open lines of one side. `stones` are the stones of this side, `kept` the cells it will
    /// fill.
    #[inline]
    pub(super) fn sum(&self, rules: &Rules, stones: u64, position: Bitboards, kept: u64) -> i64 {
        match rules.connect() {
            // A constant `connect` lets the compiler unroll the loops for the usual rules.
            4 => self.sum_of(rules, stones, position, kept, 4),
            connect => self.sum_of(rules, stones, position, kept, connect as usize),
        }
    }

    #[inline(always)]
    fn sum_of(
        &self,
        rules: &Rules,
        stones: u64,
        position: Bitboards,
        kept: u64,
        connect: usize,
    ) -> i64 {
        let by_stones = self.stones.as_ref();
        let by_lacking = self.lacking.as_ref();
        by_stones.map_or(0, |values| {
            of_stones(values, rules, stones, position, connect)
        }) + by_lacking.map_or(0, |values| {
            values.sum(rules, stones, position, kept, connect)
        })
    }
}

/// The value of the open lines by their number of stones.
#[inline(always)]
fn of_stones(
    values: &[i64; COUNTS],
    rules: &Rules,
    stones: u64,
    position: Bitboards,
    connect: usize,
) -> i64 {
    let free = rules.cells() & !(position.stones() ^ stones);
    let mut sum = 0;
    for step in rules.steps() {
        let open = all_of(free, step, connect);
        let digits = number_of(stones, step, connect);
        for (count, value) in values.iter().enumerate().take(connect).skip(1) {
            let lines = open & having(&digits, count);
            sum += value * i64::from(lines.count_ones());
        }
    }
    sum
}

impl MissingStones {
    #[inline(always)]
    fn sum(
        &self,
        rules: &Rules,
        stones: u64,
        position: Bitboards,
        kept: u64,
        connect: usize,
    ) -> i64 {
        let free = rules.cells() & !(position.stones() ^ stones);
        let ready = rules.playable(position);
        let kept = kept & free & !stones & !ready;
        let most = MOST_LACKING.min(connect - 1);
        let [beside, falling, up, rising] = rules.steps();
        let mut sum = 0;
        for step in [beside, falling, rising] {
            let open = all_of(free, step, connect);
            let digits = number_of(stones, step, connect);
            let ready = number_of(ready, step, connect);
            let kept = number_of(kept, step, connect);
            for (values, lacking) in self.lacks.iter().zip(1..=most) {
                let lines = open & having(&digits, connect - lacking);
                if lines == 0 {
                    continue;
                }
                for (count, values) in values.iter().enumerate().take(lacking + 1) {
                    let lines = lines & having(&ready, count);
                    for (more, value) in values.iter().enumerate().take(lacking + 1 - count) {
                        let lines = lines & having(&kept, more);
                        sum += value * i64::from(lines.count_ones());
                    }
                }
            }
            if most == MOST_LACKING {
                let lines = open & having(&digits, connect - MOST_LACKING);
                for (count, value) in self.lacks_3.iter().enumerate() {
                    let lines = lines & having(&ready, count);
                    sum += value * i64::from(lines.count_ones());
                }
            }
        }
        let open = all_of(free, up, connect);
        let digits = number_of(stones, up, connect);
        for (value, lacking) in self.column.iter().zip(2..=most) {
            let lines = open & having(&digits, connect - lacking);
            sum += value * i64::from(lines.count_ones());
        }
        sum
    }
}

/// A binary number for each cell, as bit planes: element 0 holds the lowest digit of every number.
type Digits = [u64; 4];

/// The cells at which a line starts that lies completely in `cells`.
#[inline(always)]
fn all_of(cells: u64, step: u32, connect: usize) -> u64 {
    // Shift cell by cell: a shift over the whole line can exceed 63 bits.
    let (mut all, mut cells) = (cells, cells);
    for _ in 1..connect {
        cells >>= step;
        all &= cells;
    }
    all
}

/// For each cell: how many of the cells of the line that starts there are in `cells`.
#[inline(always)]
fn number_of(cells: u64, step: u32, connect: usize) -> Digits {
    let mut digits = [cells, 0, 0, 0];
    let mut cells = cells;
    for _ in 1..connect {
        cells >>= step;
        // Adds one bit to every number at once, with carry (a ripple-carry adder on bit planes).
        let mut carry = cells;
        for digit in &mut digits {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }
    digits
}

/// The cells whose number is `number`.
#[inline(always)]
fn having(digits: &Digits, number: usize) -> u64 {
    digits
        .iter()
        .enumerate()
        .fold(u64::MAX, |cells, (place, digit)| {
            cells
                & match number >> place & 1 {
                    1 => *digit,
                    _ => !digit,
                }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::rules::samples::{RULES, lines, positions};

    /// Weights that are all different, so that a mix-up changes the sum.
    fn weights() -> LineWeights {
        let keys: Vec<&str> = PARAMETERS.iter().map(|(key, ..)| *key).collect();
        let setting = |key: &str| {
            let place = keys.iter().position(|known| *known == key);
            let place = place.unwrap_or_else(|| panic!("{key} is not declared"));
            1.0 + 0.37 * (place * place) as f64
        };
        LineWeights::new(&setting)
    }

    /// The slow definition, line by line and cell by cell.
    fn slow(
        weights: &LineWeights,
        rules: &Rules,
        stones: u64,
        position: Bitboards,
        kept: u64,
    ) -> i64 {
        let other = position.stones() ^ stones;
        let playable = rules.playable(position);
        let mut sum = 0;
        for line in lines(rules) {
            let count = (line & stones).count_ones();
            if line & other != 0 || count == 0 || count == rules.connect() {
                continue;
            }
            sum += weights.of_stones(count) as i64;
            let cells: Vec<u64> = (0..64).map(|bit| 1 << bit).collect();
            let cells = cells.into_iter().filter(|cell| cell & line & !stones != 0);
            let (ready, later): (Vec<u64>, Vec<u64>) = cells.partition(|cell| cell & playable != 0);
            let lacking = ready.len() + later.len();
            if lacking > MOST_LACKING {
                continue;
            }
            let is_in_a_column = line & (line << 1) != 0;
            let kept = later.iter().filter(|cell| **cell & kept != 0).count();
            let weight = match (is_in_a_column, lacking) {
                (true, 1) => 0.0,
                (true, _) => weights.column[lacking - 2],
                (false, MOST_LACKING) => weights.lacks_3[ready.len()],
                (false, _) => weights.lacks[lacking - 1][ready.len()][kept],
            };
            sum += (1000.0 * weight) as i64;
        }
        sum
    }

    #[test]
    fn the_sum_is_that_over_lines_and_cells() {
        let both = weights();
        let none = LineWeights::new(&|_| 0.0);
        let by_stones = LineWeights {
            lacks: none.lacks,
            lacks_3: none.lacks_3,
            column: none.column,
            ..both
        };
        let by_lacking = LineWeights { line: 0.0, ..both };
        for weights in [both, by_stones, by_lacking] {
            let fast = OpenLines::new(&weights, 1.0).unwrap();
            for [rows, columns, connect] in RULES {
                let rules = Rules::new(rows, columns, connect).unwrap();
                for (number, turn) in positions(&rules, 500).enumerate() {
                    let position = turn.position;
                    let kept = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    for stones in [position.own, position.other] {
                        let expected = slow(&weights, &rules, stones, position, kept);
                        let sum = fast.sum(&rules, stones, position, kept);
                        assert_eq!(sum, expected, "{rules:?} {position:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_weight_belongs_to_a_line() {
        let weights = weights();
        let mut values: Vec<u64> = weights.of_lacking().map(f64::to_bits).collect();
        values.sort_unstable();
        values.dedup();
        // All parameters except `line` and `line_growth`, plus the 0 of impossible combinations.
        assert_eq!(values.len(), PARAMETERS.len() - 2 + 1);
        assert!(OpenLines::new(&LineWeights::new(&|_| 0.0), 1.0).is_none());
    }
}
