//! Evaluation terms of threats. The published evaluation does not have them, so their default weights are 0.
//!
//! A threat is an empty cell that would complete a line. A threat is *kept* if its side fills the cell after
//! all other columns are full, because the other side must then play the cell just below (V. Allis, A
//! Knowledge-based Approach of Connect-Four, 1988). That rule looks at one column alone. The module `zugzwang`
//! looks at all columns together.

use crate::games::connect_four::heuristic::lines::{LineWeights, OpenLines};
use crate::games::connect_four::heuristic::zugzwang::{self, Win};
use crate::games::connect_four::rules::{Bitboards, Rules};
use crate::heuristic::{ParameterRange, ParameterRow};

/// Parameters of these terms.
pub(super) const PARAMETERS: [ParameterRow; 10] = [
    (
        "threat",
        "weight of a threat (a cell that would complete a line), in thousands: factor of \
         1 / d^threat_power",
        ParameterRange::weight(0.0, 0.0, 100.0),
    ),
    (
        "threat_power",
        "exponent of the distance of a threat",
        ParameterRange::power(1.0, 0.0, 5.0),
    ),
    (
        "kept_threat",
        "weight of a threat that its side fills once all other columns are full, in thousands",
        ParameterRange::weight(0.0, 0.0, 100.0),
    ),
    (
        "stacked_threats",
        "weight of two threats on top of each other, in thousands",
        ParameterRange::weight(0.0, 0.0, 100.0),
    ),
    (
        "ready_threat",
        "weight of threats that the side to move can fill now, in thousands",
        ParameterRange::weight(0.0, 0.0, 1000.0),
    ),
    (
        "fork",
        "weight of two threats that the other side can fill now, in thousands",
        ParameterRange::weight(0.0, 0.0, 1000.0),
    ),
    (
        "fork_move",
        "weight of each move of the side to move that makes a fork (two threats that can be filled, or one \
         with another on top) while the other side cannot win at once, in thousands",
        ParameterRange::weight(0.0, 0.0, 100.0),
    ),
    (
        "coming_fork",
        "weight of each such move of the other side, if it were to move, in thousands",
        ParameterRange::weight(0.0, 0.0, 100.0),
    ),
    (
        "zugzwang",
        "weight of a win if no new threats are made and zugzwang decides, in thousands: factor of \
         1 / (1 + the moves until then)^zugzwang_power",
        ParameterRange::weight(0.0, 0.0, 1000.0),
    ),
    (
        "zugzwang_power",
        "exponent of the number of moves until this win",
        ParameterRange::power(0.5, 0.0, 3.0),
    ),
];

/// Largest value of a line or a threat. Sums of these values stay far below the limit for strings.
const LARGEST: f64 = 1e14;

/// Number of possible distances of a cell: 0 to 31, the rows of the highest board.
const DISTANCES: usize = 32;

/// Values of the parameters of these terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreatWeights {
    lines: LineWeights,
    threat: f64,
    threat_power: f64,
    kept_threat: f64,
    stacked_threats: f64,
    ready_threat: f64,
    fork: f64,
    fork_move: f64,
    coming_fork: f64,
    zugzwang: f64,
    zugzwang_power: f64,
}

impl ThreatWeights {
    pub(super) fn new(setting: impl Fn(&str) -> f64) -> Self {
        ThreatWeights {
            lines: LineWeights::new(&setting),
            threat: setting("threat"),
            threat_power: setting("threat_power"),
            kept_threat: setting("kept_threat"),
            stacked_threats: setting("stacked_threats"),
            ready_threat: setting("ready_threat"),
            fork: setting("fork"),
            fork_move: setting("fork_move"),
            coming_fork: setting("coming_fork"),
            zugzwang: setting("zugzwang"),
            zugzwang_power: setting("zugzwang_power"),
        }
    }

    /// True if all weights of threats are 0.
    fn is_nothing(&self) -> bool {
        let of_cells = self.of_cells();
        of_cells
            .iter()
            .chain([&self.threat])
            .all(|weight| *weight == 0.0)
    }

    /// The weights that do not depend on distance.
    fn of_cells(&self) -> [f64; 7] {
        [
            self.kept_threat,
            self.stacked_threats,
            self.ready_threat,
            self.fork,
            self.fork_move,
            self.coming_fork,
            self.zugzwang,
        ]
    }

    /// Value of a threat whose cell would be filled by the `distance`-th stone in its column from now on.
    fn of_threat(&self, distance: u32) -> f64 {
        1000.0 * self.threat / libm::pow(f64::from(distance), self.threat_power)
    }

    /// Value of a win by zugzwang after this number of stones.
    fn of_zugzwang(&self, moves: u32) -> f64 {
        1000.0 * self.zugzwang / libm::pow(f64::from(1 + moves), self.zugzwang_power)
    }

    /// Checks that no evaluation with these values can overflow, on any board.
    pub(super) fn check(&self, to_move: f64) -> Result<(), String> {
        let threats = [1, DISTANCES as u32].map(|distance| self.of_threat(distance));
        let wins = [0, 63].map(|moves| self.of_zugzwang(moves));
        let others = self.of_cells().map(|weight| 1000.0 * weight);
        let lines = self.lines.values();
        for value in lines.chain(threats).chain(wins).chain(others) {
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

/// Values of lines and threats on a board, as integers.
#[derive(Clone, Debug)]
pub(super) struct Threats {
    /// Cells at an even height. The bottom row has height 0.
    even: u64,
    /// Number of cells of the board without one column.
    other_columns: u32,
    lines: Option<OpenLines>,
    /// Values of threats; `None` if all are 0.
    cells: Option<ThreatValues>,
}

/// The threats of a position. They are computed once and used for the values of both sides.
#[derive(Clone, Copy, Default)]
pub(super) struct PositionThreats {
    /// Threats of the side to move, and of the other side.
    threats: [u64; 2],
    /// The win by zugzwang; `None` if nobody wins, or if the weight of zugzwang is 0.
    win: Option<Win>,
}

#[derive(Clone, Debug)]
struct ThreatValues {
    /// Value by distance.
    threat: [i64; DISTANCES],
    kept_threat: i64,
    stacked_threats: i64,
    ready_threat: i64,
    fork: i64,
    fork_move: i64,
    coming_fork: i64,
    /// Value by the number of stones before the win; `None` if all are 0.
    zugzwang: Option<[i64; 64]>,
}

impl Threats {
    /// The values multiplied by `factor`; `None` if all are 0.
    pub(super) fn new(rules: &Rules, weights: &ThreatWeights, factor: f64) -> Option<Box<Self>> {
        let lines = OpenLines::new(&weights.lines, factor);
        let cells = (!weights.is_nothing()).then(|| ThreatValues::new(weights, factor));
        if lines.is_none() && cells.is_none() {
            return None;
        }
        let even = (0..rules.rows()).step_by(2);
        let even = even.fold(0, |cells, height| cells | rules.bottom() << height);
        Some(Box::new(Threats {
            even,
            other_columns: rules.number_of_cells() - rules.rows(),
            lines,
            cells,
        }))
    }

    /// Computes what the values of both sides share.
    #[inline]
    pub(super) fn of_both(&self, rules: &Rules, position: Bitboards) -> PositionThreats {
        let Some(cells) = &self.cells else {
            return PositionThreats::default();
        };
        let threats =
            [position.own, position.other].map(|stones| rules.completions(stones, position));
        let win = match cells.zugzwang {
            Some(_) => zugzwang::outcome(rules, threats, position),
            None => None,
        };
        PositionThreats { threats, win }
    }

    /// The value of the open lines and threats of one side, given its stones. `distance` returns the distance
    /// of an empty cell.
    #[inline]
    pub(super) fn sum(
        &self,
        rules: &Rules,
        stones: u64,
        position: Bitboards,
        of_both: PositionThreats,
        distance: impl Fn(u64) -> usize,
    ) -> i64 {
        let is_to_move = stones == position.own;
        let kept = self.kept(is_to_move, position);
        let lines = self.lines.as_ref();
        let lines = lines.map_or(0, |lines| lines.sum(rules, stones, position, kept));
        let cells = self.cells.as_ref();
        lines
            + cells.map_or(0, |cells| {
                cells.sum(rules, is_to_move, position, kept, of_both, distance)
            })
    }

    /// The cells that a side fills after all other columns are full.
    #[inline(always)]
    fn kept(&self, is_to_move: bool, position: Bitboards) -> u64 {
        // If all other columns are filled first, `other_columns - stones + height` stones are played before the
        // cell at `height`. The side to move fills the cell if this number is even. Only its parity is used, so
        // the subtraction may wrap.
        let stones_before_the_lowest = self
            .other_columns
            .wrapping_sub(position.stones().count_ones());
        let is_even = (stones_before_the_lowest & 1 == 0) == is_to_move;
        if is_even { self.even } else { !self.even }
    }
}

impl ThreatValues {
    fn new(weights: &ThreatWeights, factor: f64) -> Self {
        let whole = |value: f64| (factor * value) as i64;
        ThreatValues {
            threat: std::array::from_fn(|distance| match distance {
                0 => 0,
                _ => whole(weights.of_threat(distance as u32)),
            }),
            kept_threat: whole(1000.0 * weights.kept_threat),
            stacked_threats: whole(1000.0 * weights.stacked_threats),
            ready_threat: whole(1000.0 * weights.ready_threat),
            fork: whole(1000.0 * weights.fork),
            fork_move: whole(1000.0 * weights.fork_move),
            coming_fork: whole(1000.0 * weights.coming_fork),
            zugzwang: (weights.zugzwang != 0.0)
                .then(|| std::array::from_fn(|moves| whole(weights.of_zugzwang(moves as u32)))),
        }
    }

    /// The value of the threats of the side to move (`is_to_move`) or of the other side.
    #[inline]
    fn sum(
        &self,
        rules: &Rules,
        is_to_move: bool,
        position: Bitboards,
        kept: u64,
        of_both: PositionThreats,
        distance: impl Fn(u64) -> usize,
    ) -> i64 {
        let [to_move, other] = of_both.threats;
        let (of_side, threats, others) = if is_to_move {
            (position, to_move, other)
        } else {
            (position.passed(), other, to_move)
        };
        let mut sum = 0;
        let mut rest = threats;
        while rest != 0 {
            let cell = rest & rest.wrapping_neg();
            rest ^= cell;
            sum += self.threat[distance(cell)];
        }
        let stacked = threats & (threats >> 1);
        sum += self.stacked_threats * i64::from(stacked.count_ones());
        sum += self.kept_threat * i64::from((threats & kept).count_ones());
        let ready = (threats & rules.playable(position)).count_ones();
        let (of_ready, of_fork_move) = if is_to_move {
            (self.ready_threat * i64::from(ready > 0), self.fork_move)
        } else {
            (self.fork * i64::from(ready > 1), self.coming_fork)
        };
        sum += of_ready;
        if of_fork_move != 0 {
            sum += of_fork_move * i64::from(fork_moves(rules, of_side, others));
        }
        if let Some(values) = &self.zugzwang {
            let win = of_both.win.filter(|win| win.of_side_to_move == is_to_move);
            sum += win.map_or(0, |win| values[win.moves as usize]);
        }
        sum
    }
}

/// Number of moves of `position.own` that create a fork, under the assumption that this side is to move. Moves
/// after which the other side can win at once are not counted. A fork is two threats that can be filled, or one
/// that can be filled with another threat directly above it. Existing threats count too. `others` are the
/// threats of the other side.
#[inline]
fn fork_moves(rules: &Rules, position: Bitboards, others: u64) -> u32 {
    let mut rest = rules.safe_moves_against(position, others);
    let mut count = 0;
    while rest != 0 {
        let stone = rest & rest.wrapping_neg();
        rest ^= stone;
        let next = position.after(stone);
        let threats = rules.completions(next.other, next);
        let ready = threats & rules.playable(next);
        let is_fork = ready & ready.wrapping_sub(1) != 0 || (ready << 1) & threats != 0;
        count += u32::from(is_fork);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::rules::Turn;
    use crate::games::connect_four::rules::samples::{RULES, lines, positions};

    const KEYS: [(&str, f64); 10] = [
        ("threat", 4.1),
        ("threat_power", 0.7),
        ("kept_threat", 7.7),
        ("stacked_threats", 23.0),
        ("ready_threat", 111.0),
        ("fork", 57.0),
        ("fork_move", 17.0),
        ("coming_fork", 13.0),
        ("zugzwang", 41.0),
        ("zugzwang_power", 0.4),
    ];

    /// Weights of threats only: those whose key satisfies `holds`. Lines have a separate test.
    fn weights(holds: impl Fn(&str) -> bool) -> ThreatWeights {
        ThreatWeights::new(|key| {
            let known = KEYS.iter().find(|(known, _)| *known == key && holds(key));
            known.map_or(0.0, |(_, value)| *value)
        })
    }

    /// The cells that complete a line of these stones, each listed once.
    fn threats_of(rules: &Rules, position: Bitboards, stones: u64) -> Vec<u64> {
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

    /// The slow definition: moves that create two threats that can be filled, or one directly below another,
    /// after which the other side cannot win at once.
    fn slow_fork_moves(rules: &Rules, position: Bitboards) -> i64 {
        let ready = |position: Bitboards, stones: u64| {
            let threats = threats_of(rules, position, stones).into_iter();
            threats
                .filter(|cell| cell & rules.playable(position) != 0)
                .collect::<Vec<_>>()
        };
        let moves = rules.from_the_middle(position).filter(|&stone| {
            let next = position.after(stone);
            let own = ready(next, next.other);
            let above = own
                .iter()
                .any(|cell| threats_of(rules, next, next.other).contains(&(cell << 1)));
            ready(next, next.own).is_empty() && (own.len() > 1 || above)
        });
        moves.count() as i64
    }

    /// The slow definition, cell by cell.
    fn slow(weights: &ThreatWeights, rules: &Rules, turn: Turn, stones: u64) -> i64 {
        let position = turn.position;
        let (other, empty) = (position.stones() ^ stones, !position.stones());
        let is_to_move = stones == position.own;
        let of_side = Bitboards { own: stones, other };
        let of_fork_move = if is_to_move {
            weights.fork_move
        } else {
            weights.coming_fork
        };
        let mut sum = slow_fork_moves(rules, of_side) * (1000.0 * of_fork_move) as i64;
        let both = [position.own, position.other].map(|stones| rules.completions(stones, position));
        if let Some(win) = zugzwang::outcome(rules, both, position)
            && win.of_side_to_move == is_to_move
        {
            sum += weights.of_zugzwang(win.moves) as i64;
        }
        let threats = threats_of(rules, position, stones);
        for &cell in &threats {
            let column = rules.column(rules.column_of(cell));
            let until = column & empty & (cell | (cell - 1));
            sum += weights.of_threat(until.count_ones()) as i64;
            if threats.contains(&(cell << 1)) {
                sum += (1000.0 * weights.stacked_threats) as i64;
            }
            let before = (rules.cells() & !column & empty).count_ones() + until.count_ones() - 1;
            if before.is_multiple_of(2) == is_to_move {
                sum += (1000.0 * weights.kept_threat) as i64;
            }
        }
        let is_ready = |cell: &&u64| **cell & rules.playable(position) != 0;
        match (is_to_move, threats.iter().filter(is_ready).count()) {
            (true, 1..) => sum + (1000.0 * weights.ready_threat) as i64,
            (false, 2..) => sum + (1000.0 * weights.fork) as i64,
            _ => sum,
        }
    }

    #[test]
    fn the_sum_is_that_over_cells() {
        let sets = [
            weights(|_| true),
            weights(|key| key != "zugzwang"),
            weights(|key| key == "fork_move"),
            weights(|key| key == "coming_fork"),
            weights(|key| key.starts_with("zugzwang")),
        ];
        for (index, weights) in sets.into_iter().enumerate() {
            let count = if index == 0 { 1000 } else { 200 };
            for [rows, columns, connect] in RULES {
                let rules = Rules::new(rows, columns, connect).unwrap();
                let threats = Threats::new(&rules, &weights, 1.0).unwrap();
                for turn in positions(&rules, count) {
                    let position = turn.position;
                    let empty = !position.stones();
                    let of_both = threats.of_both(&rules, position);
                    for stones in [position.own, position.other] {
                        let distance = |cell: u64| {
                            let column = rules.column(rules.column_of(cell));
                            (column & empty & (cell | (cell - 1))).count_ones() as usize
                        };
                        let fast = threats.sum(&rules, stones, position, of_both, distance);
                        let slow = slow(&weights, &rules, turn, stones);
                        assert_eq!(fast, slow, "{index} {rules:?} {position:?}");
                    }
                }
            }
        }
    }
}
