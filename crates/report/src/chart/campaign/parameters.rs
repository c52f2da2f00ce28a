//! Chart: the path of every free parameter, with one small panel for each.

use super::generations::{axis, curve, dividers, restarts, span};
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use crate::number::compact;
use crate::parameters::{by_change, place};
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::{GenerationRow, Parameter, RunData};

pub(super) const CHART: Chart = Chart {
    name: "parameters",
    title: "Parameters by generation",
    about: "Where the search looked for each free parameter, from its lower to its upper bound; the \
            most changed parameter first.",
    place: Section::Search,
    draw,
};

/// Opacity of the band.
const SPREAD: f64 = 0.18;

fn draw(data: &RunData) -> Option<Figure> {
    let rows = &data.generations;
    let is_free = |(_, parameter): &(usize, &Parameter)| !parameter.fixed;
    let free: Vec<(usize, &Parameter)> = by_change(data).into_iter().filter(is_free).collect();
    if rows.is_empty() || free.is_empty() {
        return None;
    }
    let columns = free.len().min(3);
    let height = if columns < 3 { 300.0 } else { 190.0 };
    let panels = free.iter();
    let panels = panels.map(|(index, parameter)| panel(data, *index, parameter, height));
    // The table keeps the order of the campaign.
    let mut listed = free.clone();
    listed.sort_by_key(|(index, _)| *index);
    let cells = rows
        .iter()
        .flat_map(|row| listed.iter().map(move |free| (row, *free)));
    let table = table!(cells, |(row, (index, parameter))| {
        "generation": row.generation,
        "restart": row.restart,
        "parameter": parameter.name,
        "center": center(row, index),
        "center_unit": place(parameter, center(row, index)),
        "spread_unit": spread(row, index),
    });
    let caption = caption::of_search(data);
    Some(Figure::new(columns, panels.collect(), caption, table))
}

fn panel(data: &RunData, index: usize, parameter: &Parameter, height: f64) -> Panel {
    let rows = &data.generations;
    let is_logarithmic = parameter.scale == Scale::Log;
    let y = Axis::bounded(parameter.min, parameter.max, is_logarithmic);
    let mut x = axis(rows, 5);
    let beside = x.add_room();
    let mut marks = dividers(rows);
    marks.extend(restarts(rows).flat_map(|rows| {
        let ends = span(rows, |row| {
            let spread = spread(row, index);
            [-spread, spread].map(|by| moved(parameter, center(row, index), by))
        });
        let line = curve(rows, |row| center(row, index));
        [
            Mark::band(Color::Ink, SPREAD, ends).named("± 1 standard deviation"),
            Mark::line(Color::Ink, 1.75, line)
                .named("mean of the distribution after each generation"),
        ]
    }));
    marks.push(Mark::level(Color::Start, parameter.start).named("start"));
    let tuned = data.tuned.as_ref().and_then(|values| values.get(index));
    let dot = tuned.map(|value| Mark::dot(Color::Tuned, beside, *value).named("tuned"));
    marks.extend(dot);

    let last = rows.last().and_then(|row| row.center.get(index));
    let (word, value) = match tuned {
        Some(value) => ("tuned", Some(value)),
        None => ("now", last),
    };
    let value = value.map_or("–".to_owned(), |value| compact(*value));
    let scale = if is_logarithmic { ", logarithmic" } else { "" };
    let start = compact(parameter.start);
    Panel::new(height, x, y, marks)
        .headed(&parameter.name)
        .noted(format!("start {start}, {word} {value}{scale}"))
}

fn center(row: &GenerationRow, index: usize) -> f64 {
    row.center.get(index).copied().unwrap_or(f64::NAN)
}

fn spread(row: &GenerationRow, index: usize) -> f64 {
    row.spread.get(index).copied().unwrap_or(f64::NAN)
}

/// The value that is `by` away from this one, in places between the bounds.
fn moved(parameter: &Parameter, value: f64, by: f64) -> f64 {
    match parameter.scale {
        Scale::Linear => value + by * (parameter.max - parameter.min),
        Scale::Log => value * (parameter.max / parameter.min).powf(by),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_scale() {
        let mut parameter = Parameter {
            name: "weight".to_owned(),
            start: 1.0,
            min: 0.1,
            max: 10.0,
            scale: Scale::Log,
            integer: false,
            choices: Vec::new(),
            step: 1.0,
            fixed: false,
        };
        for scale in [Scale::Log, Scale::Linear] {
            parameter.scale = scale;
            let middle = moved(&parameter, parameter.min, 0.5);
            assert!((place(&parameter, middle) - 0.5).abs() < 1e-12);
        }
    }
}
