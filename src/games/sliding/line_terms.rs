//! Heuristic terms that depend on one line. This is their only definition. Tables are made from
//! these functions over all 65,536 lines, so the speed of a term does not affect searches.
//!
//! Every term must have the same value for a line and its mirror image; the tables depend on this,
//! and a test checks it. A term adds `weight * value` to the value of a board.

use crate::games::sliding::rows::Line;
use crate::heuristic::Declared;

/// `rank^power` for the ranks 0 to 15, with `0^power = 0`, so that empty cells have no effect.
pub type Powers = [f64; 16];

/// A term over one line.
pub struct LineTerm {
    /// Key of its weight.
    pub name: &'static str,
    /// What it measures, in one sentence.
    pub doc: &'static str,
    /// Its weight.
    pub weight: Declared,
    /// The exponent of its ranks, if it has one.
    pub power: Option<Declared>,
    /// Its value on a line, given the powers of the ranks.
    pub value: fn(Line, &Powers) -> f64,
}

/// See [`LineTerm::doc`] of the constant.
pub const LOST_PENALTY: LineTerm = LineTerm {
    name: "lost_penalty",
    doc: "constant value of each line: the penalty of a lost board, whose value is 0",
    // Without it a board with bad values of the other terms would have a lower value than a lost
    // board.
    weight: Declared::constant(200_000.0, 0.0, 1_000_000.0),
    power: None,
    value: |_, _| 1.0,
};

/// See [`LineTerm::doc`] of the constant.
pub const EMPTY: LineTerm = LineTerm {
    name: "empty",
    doc: "number of empty cells",
    weight: Declared::weight(270.0, 0.0, 3_000.0),
    power: None,
    value: |line, _| line.into_iter().filter(|&rank| rank == 0).count() as f64,
};

/// See [`LineTerm::doc`] of the constant.
pub const MERGES: LineTerm = LineTerm {
    name: "merges",
    doc: "number of tiles in runs of equal tiles, empty cells skipped: possible merges",
    weight: Declared::weight(700.0, 0.0, 5_000.0),
    power: None,
    value: merges,
};

/// See [`LineTerm::doc`] of the constant.
pub const MONOTONICITY: LineTerm = LineTerm {
    name: "monotonicity",
    doc: "minus the smaller of two sums along the line: the increases and the decreases of \
          rank^power",
    weight: Declared::weight(47.0, 0.0, 300.0),
    power: Some(Declared::power(4.0, 0.5, 6.0)),
    value: monotonicity,
};

/// See [`LineTerm::doc`] of the constant.
pub const RANK_SUM: LineTerm = LineTerm {
    name: "rank_sum",
    doc: "minus the sum of rank^power: prefers few large tiles to many small ones",
    weight: Declared::weight(11.0, 0.0, 150.0),
    power: Some(Declared::power(3.5, 0.5, 6.0)),
    value: |line, powers| -line.iter().map(|&rank| powers[rank as usize]).sum::<f64>(),
};

/// See [`LineTerm::doc`] of the constant.
pub const SMOOTHNESS: LineTerm = LineTerm {
    name: "smoothness",
    doc: "minus the sum of absolute rank differences of neighbouring tiles, empty cells skipped",
    weight: Declared::weight(0.0, 0.0, 2_000.0),
    power: None,
    value: smoothness,
};

/// See [`LineTerm::doc`] of the constant.
pub const LINE_END: LineTerm = LineTerm {
    name: "line_end",
    doc: "rank of the line's largest tile if it stands at an end of the line: on an edge of \
          the board for inner lines, in a corner for outer ones",
    weight: Declared::weight(0.0, 0.0, 2_000.0),
    power: None,
    value: line_end,
};

/// The sum of the lengths of all runs of at least 2 equal ranks, empty cells skipped.
fn merges(line: Line, _: &Powers) -> f64 {
    let mut counted = 0;
    let mut run = 0;
    let mut last = 0;
    for rank in line.into_iter().filter(|&rank| rank > 0) {
        run = if rank == last { run + 1 } else { 1 };
        // The second tile of a run counts for the first as well.
        counted += [0, 0, 2, 1, 1][run];
        last = rank;
    }
    f64::from(counted)
}

fn monotonicity(line: Line, powers: &Powers) -> f64 {
    let height = line.map(|rank| powers[rank as usize]);
    let mut falls = 0.0;
    let mut rises = 0.0;
    for (left, right) in [(0, 1), (1, 2), (2, 3)] {
        // Each difference is added to one of the two, as in the original.
        let fall = height[left] - height[right];
        falls += fall.max(0.0);
        rises += (-fall).max(0.0);
    }
    -f64::min(falls, rises)
}

fn smoothness(line: Line, _: &Powers) -> f64 {
    let mut sum = 0;
    let mut last = 0;
    for rank in line.into_iter().filter(|&rank| rank > 0) {
        if last > 0 {
            sum += rank.abs_diff(last);
        }
        last = rank;
    }
    -f64::from(sum)
}

fn line_end(line: Line, _: &Powers) -> f64 {
    let largest = line.into_iter().max().unwrap_or(0);
    if line[0] == largest || line[3] == largest {
        f64::from(largest)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::table::powers;
    use crate::games::twenty48::heuristic::TERMS;

    fn value(name: &str, line: Line, power: f64) -> f64 {
        let term = TERMS.lines.iter().find(|term| term.name == name);
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
            assert_eq!(value(name, line, power), expected, "{name} of {line:?}");
        }
    }

    #[test]
    fn a_line_and_its_mirror_image_have_one_value() {
        TERMS.check_mirror_images();
    }
}
