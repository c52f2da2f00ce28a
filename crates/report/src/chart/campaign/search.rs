//! What the charts of a search share: curves over generations, which are broken between two restarts.

use crate::chart::axis::Axis;
use crate::chart::figure::Mark;
use tiletune_tuning::results::GenerationRow;

/// The generations of each restart.
pub(super) fn restarts(rows: &[GenerationRow]) -> impl Iterator<Item = &[GenerationRow]> {
    rows.chunk_by(|one, next| one.restart == next.restart)
}

/// A divider between two restarts.
pub(super) fn dividers(rows: &[GenerationRow]) -> Vec<Mark> {
    let pairs = rows.windows(2);
    let between = pairs.filter(|pair| pair[0].restart != pair[1].restart);
    let divider = |pair: &[GenerationRow]| {
        Mark::divider(f64::from(pair[1].generation) - 0.5).named("restart")
    };
    between.map(divider).collect()
}

/// The axis of the generations with about `count` ticks.
pub(super) fn axis(rows: &[GenerationRow], count: usize) -> Axis {
    let last = rows.last().map_or(0, |row| row.generation);
    Axis::generations("generation", last, count)
}

/// A value of each generation.
pub(super) fn curve(
    rows: &[GenerationRow],
    value: impl Fn(&GenerationRow) -> f64,
) -> Vec<[f64; 2]> {
    let point = |row: &GenerationRow| [f64::from(row.generation), value(row)];
    rows.iter().map(point).collect()
}

/// Two values of each generation.
pub(super) fn span(
    rows: &[GenerationRow],
    ends: impl Fn(&GenerationRow) -> [f64; 2],
) -> Vec<[f64; 3]> {
    let edge = |row: &GenerationRow| {
        let [low, high] = ends(row);
        [f64::from(row.generation), low, high]
    };
    rows.iter().map(edge).collect()
}
