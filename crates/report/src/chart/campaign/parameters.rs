//! Chart: the path of every free parameter, one small panel each.

use super::restart::{boundaries, restarts};
use crate::chart::draw::{
    Axis, DIVIDER, DrawError, Drawn, Frame, GREY, INK, Label, Layout, Legend, Mark, Page, Panel,
    SEARCH, START, TUNED, faint, fitted, round_values,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::number::compact;
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::{GenerationRow, Parameter, RunData};

pub(super) const CHART: Chart = Chart {
    name: "parameters",
    title: "Parameters by generation",
    about: "Where the search looked for each free parameter, from its lower to its upper bound.",
    draw,
};

/// Strength of the band.
const SPREAD: f64 = 0.18;
/// Space above a panel for its name and its values.
const HEADING: f64 = 46.0;
/// Space left of a panel for its bounds.
const BOUNDS: f64 = 58.0;

fn draw(data: &RunData) -> Result<Option<Figure>, DrawError> {
    let free: Vec<usize> = (0..data.parameters.len())
        .filter(|&index| !data.parameters[index].fixed)
        .collect();
    if data.generations.is_empty() || free.is_empty() {
        return Ok(None);
    }
    let columns = free.len().min(3);
    let height = if columns < 3 { 300.0 } else { 190.0 };
    let rows = free.len().div_ceil(columns);
    let layout = Layout {
        title: CHART.title,
        legend: legend(data),
        caption: caption::of_search(data),
        body_height: height * rows as f64,
    };
    Figure::new(&layout, table(data, &free), |page| {
        free.iter().enumerate().try_for_each(|(place, &index)| {
            draw_parameter(page, page.body.cell(columns, rows, place), data, index)
        })
    })
}

fn legend(data: &RunData) -> Vec<Legend> {
    let mut legend = vec![
        Legend::new(
            Mark::Line,
            SEARCH,
            "mean of the distribution after each generation",
        ),
        Legend::new(Mark::Area, faint(INK, SPREAD), "± 1 standard deviation"),
        Legend::new(Mark::Dashes, START, "start"),
    ];
    if data.tuned.is_some() {
        legend.push(Legend::new(Mark::Dot, TUNED, "tuned"));
    }
    if boundaries(&data.generations).next().is_some() {
        legend.push(Legend::new(Mark::Line, DIVIDER, "restart"));
    }
    legend
}

/// The vertical axis is in the unit coordinates of the search; its labels are real values.
fn draw_parameter(page: &Page<'_>, cell: Frame, data: &RunData, index: usize) -> Drawn {
    let parameter = &data.parameters[index];
    let frame = Frame {
        left: cell.left + BOUNDS,
        top: cell.top + HEADING,
        right: cell.right - 14.0,
        bottom: cell.bottom - 42.0,
    };
    let rows = &data.generations;
    let last = rows.last().map_or(0, |row| row.generation);
    let mut x = Axis::generations("generation", last, 5);
    let beside = x.add_room();
    let mut y = Axis::between("", (-0.02, 1.02), 2);
    y.ticks = labelled(parameter)
        .into_iter()
        .map(|value| (to_unit(parameter, value), compact(value)))
        .collect();
    let panel = Panel::new(page, frame, x, y)?;

    boundaries(rows).try_for_each(|x| panel.divider(x))?;
    restarts(rows).try_for_each(|rows| draw_path(&panel, parameter, rows, index))?;
    panel.level(to_unit(parameter, parameter.start), START)?;
    if let Some(value) = data.tuned.as_ref().and_then(|values| values.get(index)) {
        panel.dot(beside, to_unit(parameter, *value), TUNED)?;
    }
    draw_heading(page, cell, data, index)
}

fn draw_path(
    panel: &Panel<'_>,
    parameter: &Parameter,
    rows: &[GenerationRow],
    index: usize,
) -> Drawn {
    let (mut line, mut band) = (Vec::new(), Vec::new());
    for row in rows {
        let x = f64::from(row.generation);
        let (unit, spread) = (center(parameter, row, index), spread(row, index));
        line.push((x, unit));
        band.push((x, unit - spread, unit + spread));
    }
    panel.band(&band, faint(INK, SPREAD))?;
    panel.line(&line, SEARCH, 1.75)
}

fn draw_heading(page: &Page<'_>, cell: Frame, data: &RunData, index: usize) -> Drawn {
    let parameter = &data.parameters[index];
    let left = cell.left + 2.0;
    let name = fitted(&parameter.name, 12.0, true, cell.right - left - 12.0)?;
    page.text((left, cell.top + 14.0), Label::new(&name, 12.0).bold())?;
    let now = data
        .generations
        .last()
        .and_then(|row| row.center.get(index));
    let (word, value) = match data.tuned.as_ref().and_then(|values| values.get(index)) {
        Some(value) => ("tuned", Some(value)),
        None => ("now", now),
    };
    let scale = match parameter.scale {
        Scale::Linear => "",
        Scale::Log => ", logarithmic",
    };
    let value = value.map_or("–".to_owned(), |value| compact(*value));
    let values = format!("start {}, {word} {value}{scale}", compact(parameter.start));
    let values = Label::new(&values, 11.0).colored(GREY);
    page.text((left, cell.top + 30.0), values)
}

fn center(parameter: &Parameter, row: &GenerationRow, index: usize) -> f64 {
    row.center
        .get(index)
        .map_or(f64::NAN, |value| to_unit(parameter, *value))
}

fn spread(row: &GenerationRow, index: usize) -> f64 {
    row.spread.get(index).copied().unwrap_or(f64::NAN)
}

/// Place of a value between the bounds, 0 to 1, on the parameter's own scale.
fn to_unit(parameter: &Parameter, value: f64) -> f64 {
    let (low, high, value) = match parameter.scale {
        Scale::Linear => (parameter.min, parameter.max, value),
        Scale::Log => (parameter.min.ln(), parameter.max.ln(), value.ln()),
    };
    (value - low) / (high - low)
}

/// The values that the axis labels: both bounds and the middle, or round values of a logarithmic scale.
fn labelled(parameter: &Parameter) -> Vec<f64> {
    let (min, max) = (parameter.min, parameter.max);
    match parameter.scale {
        Scale::Linear => vec![min, (min + max) / 2.0, max],
        Scale::Log => round_values(min, max),
    }
}

fn table(data: &RunData, free: &[usize]) -> Table {
    let mut table = Table::new([
        "generation",
        "restart",
        "parameter",
        "center",
        "center_unit",
        "spread_unit",
    ]);
    for row in &data.generations {
        for &index in free {
            let parameter = &data.parameters[index];
            table.row([
                cell(row.generation),
                cell(row.restart),
                parameter.name.clone(),
                cell(row.center.get(index).copied().unwrap_or(f64::NAN)),
                cell(center(parameter, row, index)),
                cell(spread(row, index)),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_labels_follow_the_scale() {
        let mut parameter = Parameter {
            name: "weight".to_owned(),
            start: 1.0,
            min: 0.1,
            max: 10.0,
            scale: Scale::Log,
            integer: false,
            step: 1.0,
            fixed: false,
        };
        assert!((to_unit(&parameter, 1.0) - 0.5).abs() < 1e-12);
        assert_eq!(labelled(&parameter), [0.1, 1.0, 10.0]);
        parameter.scale = Scale::Linear;
        assert_eq!(labelled(&parameter), [0.1, 5.05, 10.0]);
        assert!((to_unit(&parameter, 5.05) - 0.5).abs() < 1e-12);
    }
}
