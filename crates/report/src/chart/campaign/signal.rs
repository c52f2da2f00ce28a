//! Chart: share of the signal and number of games by generation.

use super::search::{axis, curve, dividers, restarts};
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::{Table, cell};
use crate::chart::{Chart, caption};
use tiletune_tuning::results::{GenerationRow, RunData};

pub(super) const CHART: Chart = Chart {
    name: "signal",
    title: "Signal and games by generation",
    about: "Share of the differences in fitness that is due to the candidates and not to luck; games of \
            each candidate, and the number at which that share would be one half.",
    draw,
};

/// Numbers of games needed above this share of the largest number played are not drawn.
const HIGHEST: f64 = 4.0;

fn draw(data: &RunData) -> Option<Figure> {
    let rows = &data.generations;
    rows.first()?;
    let table = Table::of(
        rows,
        &[
            ("generation", &|row| cell(row.generation)),
            ("restart", &|row| cell(row.restart)),
            ("signal", &|row| cell(row.signal)),
            ("games", &|row| cell(row.games)),
            ("games_needed", &|row| cell(row.games_needed)),
            ("gain", &|row| cell(row.gain)),
        ],
    );
    let panels = vec![share(rows), games(rows)];
    Some(Figure::new(1, panels, caption::of_search(data), table))
}

fn share(rows: &[GenerationRow]) -> Panel {
    let y = Axis::shares("signal share of the variance of fitness", 1.0);
    let mut marks = dividers(rows);
    marks.push(Mark::level(Color::Reference, 0.5).named("one half"));
    marks.extend(restarts(rows).map(|rows| {
        let line = curve(rows, |row| row.signal);
        Mark::line(Color::Ink, 2.0, line).named("signal share")
    }));
    Panel::new(260.0, axis(rows, 10), y, marks)
}

fn games(rows: &[GenerationRow]) -> Panel {
    let played = |row: &GenerationRow| f64::from(row.games);
    let most = HIGHEST * rows.iter().map(played).fold(1.0, f64::max);
    let needed = |row: &GenerationRow| row.games_needed.clamp(1.0, most);
    let values = rows.iter().flat_map(|row| [played(row), needed(row)]);
    let y = Axis::logarithmic("games of each candidate", values);
    let mut marks = dividers(rows);
    marks.extend(restarts(rows).flat_map(|rows| {
        let [needed, played] = [curve(rows, needed), curve(rows, played)];
        [
            Mark::line(Color::Reference, 1.5, needed).named("games needed for one half"),
            Mark::line(Color::Ink, 2.0, played).named("games played"),
        ]
    }));
    Panel::new(260.0, axis(rows, 10), y, marks)
}
