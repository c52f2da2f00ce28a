//! Chart: fitness by generation, against the start weights and the hold-out result.

use super::search::{axis, curve, dividers, restarts, span};
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::{Table, cell, known};
use crate::chart::{Chart, caption};
use crate::number::compact;
use tiletune_tuning::results::{GenerationRow, RunData};

pub(super) const CHART: Chart = Chart {
    name: "fitness",
    title: "Fitness by generation",
    about: "Best, mean and worst fitness of each generation, with the level of the start weights \
            and, if it is comparable, the hold-out result of the tuned weights.",
    draw,
};

/// Strength of the two bands.
const SPAN: f64 = 0.10;
const NOISE: f64 = 0.20;

fn draw(data: &RunData) -> Option<Figure> {
    let rows = &data.generations;
    let first = rows.first()?;
    // Before the hold-out games are played, the search is compared with its own beginning.
    let objective = data.validation.as_ref().map(|one| &one.objective);
    let (level, level_is) = match objective {
        Some(objective) => (objective.start, "start weights, hold-out games"),
        None => (first.mean, "mean of the first generation"),
    };
    let tuned = objective.map(|of| (of.tuned, of.tuned_interval.unwrap_or([of.tuned; 2])));

    let mut x = axis(rows, 10);
    let mut marks = dividers(rows);
    marks.extend(restarts(rows).flat_map(of_restart));
    let start = format!("{level_is}: {}", compact(level));
    marks.push(Mark::level(Color::Start, level).named(start));
    if let Some(objective) = objective {
        // To the right of the last generation, where it hides nothing.
        let beside = x.add_room();
        let value = compact(objective.tuned);
        let name = match objective.tuned_interval.map(|ends| ends.map(compact)) {
            Some([low, high]) => {
                format!("tuned weights, hold-out games, 95 % interval: {value} [{low}; {high}]")
            }
            None => format!("tuned weights, hold-out games: {value}"),
        };
        let ends = objective.tuned_interval;
        marks.extend(ends.map(|ends| Mark::upright(Color::Tuned, beside, ends)));
        marks.push(Mark::dot(Color::Tuned, beside, objective.tuned).named(name));
    }

    let values = rows.iter().flat_map(|row| {
        let [low, high] = noise(row);
        [row.best, row.worst, row.mean, low, high]
    });
    let values = values.chain([level]);
    let values = values.chain(
        tuned
            .iter()
            .flat_map(|(value, ends)| [*value, ends[0], ends[1]]),
    );
    let y = Axis::linear(format!("fitness: {}", data.objective), values, 6);

    // The levels that do not change are repeated in every row, so that a row is complete.
    let table = Table::of(
        rows,
        &[
            ("generation", &|row| cell(row.generation)),
            ("restart", &|row| cell(row.restart)),
            ("best", &|row| cell(row.best)),
            ("mean", &|row| cell(row.mean)),
            ("worst", &|row| cell(row.worst)),
            ("noise", &|row| cell(row.noise)),
            ("reference", &|_| cell(level)),
            ("reference_is", &|_| cell(level_is)),
            ("tuned_hold_out_mean", &|_| {
                known(tuned.map(|(value, _)| value))
            }),
            ("tuned_hold_out_low", &|_| {
                known(tuned.map(|(_, ends)| ends[0]))
            }),
            ("tuned_hold_out_high", &|_| {
                known(tuned.map(|(_, ends)| ends[1]))
            }),
        ],
    );
    let panel = Panel::new(420.0, x, y, marks);
    Some(Figure::new(1, vec![panel], caption::of_search(data), table))
}

fn noise(row: &GenerationRow) -> [f64; 2] {
    [row.mean - row.noise, row.mean + row.noise]
}

fn of_restart(rows: &[GenerationRow]) -> [Mark; 4] {
    let of_noise = "mean ± noise of one fitness value (standard error)";
    let all = span(rows, |row| [row.worst, row.best]);
    [
        Mark::band(Color::Ink, SPAN, all).named("worst to best"),
        Mark::band(Color::Ink, NOISE, span(rows, noise)).named(of_noise),
        Mark::line(Color::Best, 1.5, curve(rows, |row| row.best)).named("best"),
        Mark::line(Color::Ink, 2.0, curve(rows, |row| row.mean)).named("mean"),
    ]
}
