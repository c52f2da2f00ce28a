//! Terms of open lines and threats, beyond the strings of the published evaluation. Their default
//! weights are 0.
//!
//! A line of [`Rules::connect`] cells is open to a side if it contains no stone of the other side.
//! A threat is an empty cell that would complete a line. A threat is kept if its side fills the
//! cell once all other columns are full, because the other side must then play just below it
//! (zugzwang; V. Allis, A Knowledge-based Approach of Connect-Four, 1988). That is a rule for one column
//! alone. For all of them: nobody wants to fill the cell below a threat of the other side, so first the
//! cells are filled that are not below the lowest threat of their column. The side that must move when
//! none of them is left is squeezed.

use crate::games::connect_four::rules::{Position, Rules};
use crate::heuristic::{Declared, Listed};

/// Parameters of these terms.
pub(super) const PARAMETERS: [Listed; 10] = [
    (
        "line",
        "weight of an open line with one stone, in thousands",
        Declared::weight(0.0, 0.0, 5.0),
    ),
    (
        "line_growth",
        "ratio of the value of an open line with one stone more",
        Declared::constant(3.0, 1.0, 10.0),
    ),
    (
        "threat",
        "weight of a threat (a cell that would complete a line), in thousands: factor of \
         1 / d^threat_power",
        Declared::weight(0.0, 0.0, 100.0),
    ),
    (
        "threat_power",
        "exponent of the distance of a threat",
        Declared::power(1.0, 0.0, 5.0),
    ),
    (
        "kept_threat",
        "weight of a threat that its side fills once all other columns are full, in thousands",
        Declared::weight(0.0, 0.0, 100.0),
    ),
    (
        "stacked_threats",
        "weight of two threats on top of each other, in thousands",
        Declared::weight(0.0, 0.0, 100.0),
    ),
    (
        "ready_threat",
        "weight of threats that the side to move can fill now, in thousands",
        Declared::weight(0.0, 0.0, 1000.0),
    ),
    (
        "fork",
        "weight of two threats that the other side can fill now, in thousands",
        Declared::weight(0.0, 0.0, 1000.0),
    ),
    (
        "zugzwang",
        "weight of a threat, the lowest in its column, against a side that will be squeezed, in \
         thousands: factor of 1 / (1 + the moves until then)^zugzwang_power",
        Declared::weight(0.0, 0.0, 1000.0),
    ),
    (
        "zugzwang_power",
        "exponent of the number of moves until a side is squeezed",
        Declared::power(0.5, 0.0, 3.0),
    ),
];

/// Largest value of a line or a threat. Their sums stay far below those of strings.
const LARGEST: f64 = 1e14;

/// Number of different counts of stones in a line, from 0 to a complete line.
const COUNTS: usize = Rules::MOST_IN_LINE as usize + 1;

/// Number of different distances of a cell, from 0 to the rows of the highest board.
const DISTANCES: usize = 32;

/// Values of the parameters of these terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreatWeights {
    line: f64,
    line_growth: f64,
    threat: f64,
    threat_power: f64,
    kept_threat: f64,
    stacked_threats: f64,
    ready_threat: f64,
    fork: f64,
    zugzwang: f64,
    zugzwang_power: f64,
}

impl ThreatWeights {
    pub(super) fn new(setting: impl Fn(&str) -> f64) -> Self {
        ThreatWeights {
            line: setting("line"),
            line_growth: setting("line_growth"),
            threat: setting("threat"),
            threat_power: setting("threat_power"),
            kept_threat: setting("kept_threat"),
            stacked_threats: setting("stacked_threats"),
            ready_threat: setting("ready_threat"),
            fork: setting("fork"),
            zugzwang: setting("zugzwang"),
            zugzwang_power: setting("zugzwang_power"),
        }
    }

    fn is_nothing(&self) -> bool {
        let of_cells = self.of_cells();
        let weights = of_cells.iter().chain([&self.line, &self.threat]);
        weights.into_iter().all(|weight| *weight == 0.0)
    }

    /// The weights of threats that do not depend on distance.
    fn of_cells(&self) -> [f64; 5] {
        [
            self.kept_threat,
            self.stacked_threats,
            self.ready_threat,
            self.fork,
            self.zugzwang,
        ]
    }

    /// Value of an open line with this number of stones.
    fn of_line(&self, stones: u32) -> f64 {
        match stones {
            0 => 0.0,
            // From `libm`: the same bits on every platform.
            _ => 1000.0 * self.line * libm::pow(self.line_growth, f64::from(stones - 1)),
        }
    }

    /// Value of a threat whose cell is filled by the `distance`-th stone from now in its column.
    fn of_threat(&self, distance: u32) -> f64 {
        1000.0 * self.threat / libm::pow(f64::from(distance), self.threat_power)
    }

    /// Value of a lowest threat against a side that is squeezed after this number of moves.
    fn of_zugzwang(&self, moves: u32) -> f64 {
        1000.0 * self.zugzwang / libm::pow(f64::from(1 + moves), self.zugzwang_power)
    }

    /// Checks that evaluations with these values do not overflow on any board.
    pub(super) fn check(&self, to_move: f64) -> Result<(), String> {
        let lines = (1..=Rules::MOST_IN_LINE).map(|stones| self.of_line(stones));
        let threats = [1, DISTANCES as u32].map(|distance| self.of_threat(distance));
        let squeezed = [0, 63].map(|moves| self.of_zugzwang(moves));
        let others = self.of_cells().map(|weight| 1000.0 * weight);
        for value in lines.chain(threats).chain(squeezed).chain(others) {
            let largest = value.abs() * to_move.abs().max(1.0);
            if largest.is_nan() || largest > LARGEST {
                return Err(format!(
                    "a line or a threat would have value {largest:e}, more than {LARGEST:e}"
                ));
            }
        }
        Ok(())
    }
}

/// Values of lines and threats on a board, in integers.
#[derive(Clone, Debug)]
pub(super) struct Threats {
    /// Cells at an even height; the bottom row has height 0.
    even: u64,
    /// Number of cells outside a column.
    other_columns: u32,
    line: [i64; COUNTS],
    threat: [i64; DISTANCES],
    kept_threat: i64,
    stacked_threats: i64,
    ready_threat: i64,
    fork: i64,
    /// By the number of moves until a side is squeezed.
    zugzwang: [i64; 64],
    has_zugzwang: bool,
}

impl Threats {
    /// The values times `factor`; `None` if all are 0.
    pub(super) fn new(rules: &Rules, weights: &ThreatWeights, factor: f64) -> Option<Box<Self>> {
        if weights.is_nothing() {
            return None;
        }
        let whole = |value: f64| (factor * value) as i64;
        let even = (0..rules.rows()).step_by(2);
        let even = even.fold(0, |cells, height| cells | rules.bottom() << height);
        Some(Box::new(Threats {
            even,
            other_columns: rules.number_of_cells() - rules.rows(),
            line: std::array::from_fn(|stones| whole(weights.of_line(stones as u32))),
            threat: std::array::from_fn(|distance| match distance {
                0 => 0,
                _ => whole(weights.of_threat(distance as u32)),
            }),
            kept_threat: whole(1000.0 * weights.kept_threat),
            stacked_threats: whole(1000.0 * weights.stacked_threats),
            ready_threat: whole(1000.0 * weights.ready_threat),
            fork: whole(1000.0 * weights.fork),
            zugzwang: std::array::from_fn(|moves| whole(weights.of_zugzwang(moves as u32))),
            has_zugzwang: weights.zugzwang != 0.0,
        }))
    }

    /// The value of the open lines and threats of one side's stones. `distance` gives the distance
    /// of an empty cell.
    #[inline]
    pub(super) fn sum(
        &self,
        rules: &Rules,
        stones: u64,
        position: Position,
        distance: impl Fn(u64) -> usize,
    ) -> i64 {
        let mut sum = match rules.connect() {
            // A constant, so that the compiler unrolls the loops of the usual rules.
            4 => self.lines(rules, stones, position, 4),
            connect => self.lines(rules, stones, position, connect as usize),
        };
        let threats = rules.completions(stones, position);
        let mut rest = threats;
        while rest != 0 {
            let cell = rest & rest.wrapping_neg();
            rest ^= cell;
            sum += self.threat[distance(cell)];
        }
        let stacked = threats & (threats >> 1);
        sum += self.stacked_threats * i64::from(stacked.count_ones());
        let is_to_move = stones == position.own;
        let kept = threats & self.kept(is_to_move, position);
        sum += self.kept_threat * i64::from(kept.count_ones());
        if self.has_zugzwang {
            let others = rules.completions(position.stones() ^ stones, position);
            sum += self.zugzwang(rules, [threats, others], is_to_move, position);
        }
        let ready = (threats & rules.playable(position)).count_ones();
        sum + match is_to_move {
            true => self.ready_threat * i64::from(ready > 0),
            false => self.fork * i64::from(ready > 1),
        }
    }

    /// The value of the side's threats if it squeezes the other side.
    #[inline]
    fn zugzwang(
        &self,
        rules: &Rules,
        [threats, others]: [u64; 2],
        is_to_move: bool,
        position: Position,
    ) -> i64 {
        if threats & !rules.playable(position) == 0 {
            return 0;
        }
        let (lowest, moves) = squeeze(rules, threats | others, position);
        // The side to move is squeezed after an even number of moves.
        let squeezes = (moves % 2 == 1) == is_to_move;
        self.zugzwang[moves as usize] * i64::from(squeezes && lowest & threats != 0)
    }

    /// Cells that a side fills once all other columns are full.
    #[inline(always)]
    fn kept(&self, is_to_move: bool, position: Position) -> u64 {
        let stones_before_the_lowest = self
            .other_columns
            .wrapping_sub(position.stones().count_ones());
        let is_even = (stones_before_the_lowest & 1 == 0) == is_to_move;
        if is_even { self.even } else { !self.even }
    }

    #[inline(always)]
    fn lines(&self, rules: &Rules, stones: u64, position: Position, connect: usize) -> i64 {
        let free = rules.cells() & !(position.stones() ^ stones);
        let mut sum = 0;
        for step in rules.steps() {
            let mut open = free;
            // Number of stones in the line that begins at each cell, as binary digits.
            let mut digits = [stones, 0, 0, 0];
            // Cell by cell, because the shift over a whole line can exceed 64 bits.
            let (mut free, mut stones) = (free, stones);
            for _ in 1..connect {
                free >>= step;
                stones >>= step;
                open &= free;
                let mut carry = stones;
                for digit in &mut digits {
                    (*digit, carry) = (*digit ^ carry, *digit & carry);
                }
            }
            for (count, value) in self.line.iter().enumerate().take(connect).skip(1) {
                let mut lines = open;
                for (place, digit) in digits.iter().enumerate() {
                    lines &= if count >> place & 1 == 1 {
                        *digit
                    } else {
                        !digit
                    };
                }
                sum += value * i64::from(lines.count_ones());
            }
        }
        sum
    }
}

/// The lowest threat of each column that cannot be filled at once, and the number of empty cells that are
/// neither these threats, nor just below, nor above them.
#[inline]
fn squeeze(rules: &Rules, threats: u64, position: Position) -> (u64, u32) {
    let playable = rules.playable(position);
    let empty = rules.cells() & !position.stones();
    let later = threats & !playable;
    // A column is a run of bits, its lowest cell the lowest bit: all cells from a threat upwards.
    let mut from_threats = later;
    for _ in 1..rules.rows() {
        from_threats |= (from_threats << 1) & empty;
    }
    let lowest = later & !(from_threats << 1);
    let free = empty & !from_threats & !(lowest >> 1);
    (lowest, free.count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::rules::Turn;
    use crate::games::connect_four::rules::samples::{RULES, lines, positions};

    const WEIGHTS: ThreatWeights = ThreatWeights {
        line: 0.31,
        line_growth: 2.3,
        threat: 4.1,
        threat_power: 0.7,
        kept_threat: 7.7,
        stacked_threats: 23.0,
        ready_threat: 111.0,
        fork: 57.0,
        zugzwang: 41.0,
        zugzwang_power: 0.4,
    };

    /// The cells that complete a line of these stones, each once.
    fn threats_of(rules: &Rules, position: Position, stones: u64) -> Vec<u64> {
        let of_line = |line: u64| {
            let is_threat = (line & stones).count_ones() + 1 == rules.connect();
            (is_threat && line & position.stones() & !stones == 0)
                .then_some(line & !position.stones())
        };
        let mut threats: Vec<u64> = lines(rules).into_iter().filter_map(of_line).collect();
        threats.sort_unstable();
        threats.dedup();
        threats
    }

    /// The empty cells of a column from the bottom, each of a side: whether it is a threat of `stones`, and
    /// whether of the other ones.
    fn columns(rules: &Rules, position: Position, stones: u64) -> Vec<Vec<[bool; 2]>> {
        let of = [stones, position.stones() ^ stones];
        let of = of.map(|stones| threats_of(rules, position, stones));
        let column = |column| {
            let empty = rules.column(column) & !position.stones();
            let cells = (0..64).map(|bit| 1 << bit).filter(|cell| cell & empty != 0);
            cells
                .map(|cell| [0, 1].map(|side| of[side].contains(&cell)))
                .collect()
        };
        (0..rules.columns()).map(column).collect()
    }

    /// The value of zugzwang, column by column.
    fn slow_zugzwang(rules: &Rules, position: Position, stones: u64) -> i64 {
        let (mut moves, mut has_lowest) = (0, false);
        for cells in columns(rules, position, stones) {
            let mut later = cells.iter().skip(1);
            match later.position(|of| of.contains(&true)) {
                // The first of `later` has one cell below it.
                Some(below) => {
                    moves += below;
                    has_lowest |= cells[below + 1][0];
                }
                None => moves += cells.len(),
            }
        }
        let squeezed_is_to_move = moves.is_multiple_of(2);
        match has_lowest && squeezed_is_to_move != (stones == position.own) {
            true => WEIGHTS.of_zugzwang(moves as u32) as i64,
            false => 0,
        }
    }

    /// Line by line and cell by cell.
    fn slow(rules: &Rules, turn: Turn, stones: u64) -> i64 {
        let position = turn.position;
        let (other, empty) = (position.stones() ^ stones, !position.stones());
        let mut sum = slow_zugzwang(rules, position, stones);
        for line in lines(rules) {
            let count = (line & stones).count_ones();
            if line & other == 0 && count < rules.connect() {
                sum += WEIGHTS.of_line(count) as i64;
            }
        }
        let threats = threats_of(rules, position, stones);
        for &cell in &threats {
            let column = rules.column(rules.column_of(cell));
            let until = column & empty & (cell | (cell - 1));
            sum += WEIGHTS.of_threat(until.count_ones()) as i64;
            if threats.contains(&(cell << 1)) {
                sum += 23_000;
            }
            let before = (rules.cells() & !column & empty).count_ones() + until.count_ones() - 1;
            let is_to_move = stones == position.own;
            if before.is_multiple_of(2) == is_to_move {
                sum += 7_700;
            }
        }
        let is_ready = |cell: &&u64| **cell & rules.playable(position) != 0;
        match (
            stones == position.own,
            threats.iter().filter(is_ready).count(),
        ) {
            (true, 1..) => sum + 111_000,
            (false, 2..) => sum + 57_000,
            _ => sum,
        }
    }

    #[test]
    fn the_sum_is_that_over_lines_and_cells() {
        for [rows, columns, connect] in RULES {
            let rules = Rules::new(rows, columns, connect).unwrap();
            let threats = Threats::new(&rules, &WEIGHTS, 1.0).unwrap();
            for turn in positions(&rules, 1000) {
                let position = turn.position;
                let empty = !position.stones();
                for stones in [position.own, position.other] {
                    let distance = |cell: u64| {
                        let column = rules.column(rules.column_of(cell));
                        (column & empty & (cell | (cell - 1))).count_ones() as usize
                    };
                    let fast = threats.sum(&rules, stones, position, distance);
                    assert_eq!(fast, slow(&rules, turn, stones), "{rules:?} {position:?}");
                }
            }
        }
    }
}
