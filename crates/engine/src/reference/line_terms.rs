//! The line terms of the built-in heuristics as functions, and the values of lines as sums of the terms. The
//! files in `configs/heuristics` define the same terms; tests check that both are equal.

use crate::games::sliding::rows::{LINES, pack, reverse, unpack};
use crate::games::three_plus_three::rules::line_facts::FactTable;
use crate::games::three_plus_three::rules::{THREE, merged};
use crate::heuristic::weights::Weights;
use crate::heuristic::{POWER, Parameter};

/// `rank^power` for the ranks 0 to 15, with `0^power = 0`, so that empty cells have no effect.
pub type Powers = [f64; 16];

/// A term of one line.
pub struct LineTerm {
    /// Key of its weight.
    pub name: &'static str,
    /// Its value on a line of two to four cells. The second argument has the powers of the ranks.
    pub value: fn(&[u8], &Powers) -> f64,
}

const fn term(name: &'static str, value: fn(&[u8], &Powers) -> f64) -> LineTerm {
    LineTerm { name, value }
}

const LOST_PENALTY: LineTerm = term("lost_penalty", |_, _| 1.0);
const EMPTY: LineTerm = term("empty", |line, _| {
    line.iter().filter(|&&rank| rank == 0).count() as f64
});
const MERGES: LineTerm = term("merges", merges);
const MONOTONICITY: LineTerm = term("monotonicity", monotonicity);
const RANK_SUM: LineTerm = term("rank_sum", |line, powers| {
    -line.iter().map(|&rank| powers[rank as usize]).sum::<f64>()
});
const SMOOTHNESS: LineTerm = term("smoothness", smoothness);
const LINE_END: LineTerm = term("line_end", line_end);
const TWINS: LineTerm = term("twins", |line, _| {
    neighbours(line, |one, other| one == other && one >= THREE)
});
const ONE_TWO: LineTerm = term("one_two", |line, _| {
    neighbours(line, |one, other| {
        merged(one, other) == Some(THREE) && one != other
    })
});
const STEPS: LineTerm = term("steps", |line, _| {
    neighbours(line, |one, other| {
        one.min(other) >= THREE && one.abs_diff(other) == 1
    })
});
const WEDGED: LineTerm = term("wedged", wedged);
const OPEN: LineTerm = term("open", |line, _| {
    // Of games on 4x4 boards only.
    let line = line.try_into().unwrap_or([0; 4]);
    f64::from(FactTable::get().of(pack(line)).is_open())
});

/// The line terms of 2048.
pub const TWENTY48: &[LineTerm] = &[
    LOST_PENALTY,
    EMPTY,
    MERGES,
    MONOTONICITY,
    RANK_SUM,
    SMOOTHNESS,
    LINE_END,
];

/// The line terms of 3+3.
pub const THREE_PLUS_THREE: &[LineTerm] = &[
    LOST_PENALTY,
    EMPTY,
    MONOTONICITY,
    RANK_SUM,
    SMOOTHNESS,
    LINE_END,
    TWINS,
    ONE_TWO,
    STEPS,
    WEDGED,
    OPEN,
];

/// `rank^power` from `libm`, which gives the same bits on every platform. `0^power` is 0.
pub fn powers(power: f64) -> Powers {
    std::array::from_fn(|rank| match rank {
        0 => 0.0,
        rank => libm::pow(rank as f64, power),
    })
}

/// The values of all lines: the sum of `weight * term`, in the order of the terms. `lines` is the key suffix of
/// outer or of inner lines. A line has the value of its mirror image.
pub fn line_values(
    terms: &[LineTerm],
    parameters: &[Parameter],
    weights: &Weights,
    lines: &str,
) -> Vec<f64> {
    let number = |key: String| {
        let declared = parameters.iter().find(|known| known.key == key)?;
        Some(weights.effective(&key).unwrap_or(declared.default))
    };
    let mut values = vec![0.0; LINES];
    for term in terms {
        let weight = number(format!("{}{lines}", term.name)).unwrap_or_default();
        let power = number(format!("{}{POWER}{lines}", term.name)).unwrap_or(1.0);
        let powers = powers(power);
        if weight == 0.0 {
            continue;
        }
        for index in 0..=u16::MAX {
            let canonical = index.min(reverse(index));
            values[index as usize] += weight * (term.value)(&unpack(canonical), &powers);
        }
    }
    values
}

/// The sum of the lengths of all runs of at least 2 equal ranks; empty cells are skipped.
fn merges(line: &[u8], _: &Powers) -> f64 {
    let mut counted = 0;
    let mut run = 0;
    let mut last = 0;
    for rank in line.iter().copied().filter(|&rank| rank > 0) {
        run = if rank == last { run + 1 } else { 1 };
        // The second tile of a run counts for the first as well.
        counted += [0, 0, 2, 1, 1][run];
        last = rank;
    }
    f64::from(counted)
}

fn monotonicity(line: &[u8], powers: &Powers) -> f64 {
    let height: Vec<f64> = line.iter().map(|&rank| powers[rank as usize]).collect();
    let mut falls = 0.0;
    let mut rises = 0.0;
    for pair in height.windows(2) {
        // As in the original, each difference is added to one of the two sums.
        let fall = pair[0] - pair[1];
        falls += fall.max(0.0);
        rises += (-fall).max(0.0);
    }
    -f64::min(falls, rises)
}

fn smoothness(line: &[u8], _: &Powers) -> f64 {
    let mut sum = 0;
    let mut last = 0;
    for rank in line.iter().copied().filter(|&rank| rank > 0) {
        if last > 0 {
            sum += rank.abs_diff(last);
        }
        last = rank;
    }
    -f64::from(sum)
}

fn line_end(line: &[u8], _: &Powers) -> f64 {
    let largest = line.iter().copied().max().unwrap_or(0);
    if line.first() == Some(&largest) || line.last() == Some(&largest) {
        f64::from(largest)
    } else {
        0.0
    }
}

/// Number of pairs of neighbouring cells for which `holds` is true.
fn neighbours(line: &[u8], holds: fn(u8, u8) -> bool) -> f64 {
    let pairs = line.windows(2);
    pairs.filter(|pair| holds(pair[0], pair[1])).count() as f64
}

/// Minus the number of wedged tiles. A tile is wedged if both neighbours are more than one rank larger. The
/// edge counts as a neighbour that is larger than every tile.
fn wedged(line: &[u8], _: &Powers) -> f64 {
    const EDGE: u8 = 255;
    let beside = |cell: usize| {
        [
            cell.checked_sub(1).map_or(EDGE, |before| line[before]),
            line.get(cell + 1).copied().unwrap_or(EDGE),
        ]
    };
    let is_wedged = |cell: &usize| {
        let rank = line[*cell];
        rank > 0 && beside(*cell).into_iter().all(|other| other > rank + 1)
    };
    -((0..line.len()).filter(is_wedged).count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, line: &[u8], power: f64) -> f64 {
        let term = TWENTY48.iter().find(|term| term.name == name);
        (term.unwrap().value)(line, &powers(power))
    }

    #[test]
    fn terms_measure_what_they_say() {
        for (name, line, power, expected) in [
            ("empty", [0, 3, 0, 1], 1.0, 2.0),
            ("merges", [2, 0, 2, 3], 1.0, 2.0),
            ("merges", [2, 2, 2, 2], 1.0, 4.0),
            ("merges", [1, 2, 1, 2], 1.0, 0.0),
            ("monotonicity", [1, 2, 3, 4], 4.0, 0.0),
            ("monotonicity", [3, 1, 2, 0], 2.0, -3.0),
            ("rank_sum", [0, 2, 3, 0], 2.0, -13.0),
            ("smoothness", [5, 0, 3, 4], 1.0, -3.0),
            ("line_end", [5, 0, 3, 4], 1.0, 5.0),
            ("line_end", [1, 7, 3, 4], 1.0, 0.0),
        ] {
            assert_eq!(value(name, &line, power), expected, "{name} of {line:?}");
        }
    }
}
