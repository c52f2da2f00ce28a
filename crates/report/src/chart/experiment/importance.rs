//! Chart: how much the score changes if one parameter is moved, a panel for each parameter, the most
//! important first.

use crate::chart::dots::{verdict_color, verdict_legend};
use crate::chart::draw::{
    Axis, DrawError, Drawn, Frame, GREY, INK, Label, Layout, Legend, Mark, Page, Panel,
    SPACE_ABOVE, fitted, text_width,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::number::{compact, signed};
use tiletune_tuning::results::experiment::ExperimentResults;
use tiletune_tuning::results::sensitivity::{Moved, Sensitivity};

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "importance",
    title: "One parameter moved, the others kept",
    about: "Mean difference from the unmoved weights at other values of one parameter, with \
            simultaneous 95 % intervals; one panel for each parameter, that with the largest loss first.",
    draw,
};

const PANEL_HEIGHT: f64 = 210.0;
/// Space above a panel for the name of the parameter and its largest loss.
const HEADING: f64 = 44.0;
/// Space left of a panel for the labels of the differences.
const LEFT: f64 = 66.0;
/// Space below a panel for the labels and the title of its horizontal axis.
const BELOW: f64 = 46.0;
const TICK_SIZE: f64 = 11.0;
/// Smallest distance between two labels.
const BETWEEN_LABELS: f64 = 6.0;
/// Distance of the outermost values from the edges of a panel, as a share of the distance between them.
const ROOM: f64 = 0.1;

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let parameters = &results.sensitivity;
    if parameters.is_empty() {
        return Ok(None);
    }
    let columns = parameters.len().min(3);
    let rows = parameters.len().div_ceil(columns);
    let (unit, decimals) = match results.is_between_two() {
        true => ("points", 3),
        false => ("score", 0),
    };
    let layout = Layout {
        title: CHART.title,
        legend: verdict_legend([
            Legend::new(Mark::Dot, INK, "unmoved"),
            Legend::new(Mark::Line, INK, "95 % over all comparisons (Bonferroni)"),
        ]),
        caption: format!(
            "{} Difference in {unit} from the unmoved weights on the same seeds.",
            caption::of_experiment(results)
        ),
        body_height: PANEL_HEIGHT * rows as f64,
    };
    // The same scale everywhere, so that the panels are comparable.
    let moves = parameters.iter().flat_map(|one| &one.moves);
    let ends: Vec<f64> = moves.flat_map(interval).chain([0.0]).collect();
    Figure::new(&layout, table(parameters), |page| {
        for (index, parameter) in parameters.iter().enumerate() {
            let cell = page.body.cell(columns, rows, index);
            let y = Axis::linear("", ends.iter().copied(), 4);
            draw_parameter(page, cell, parameter, y, decimals)?;
        }
        Ok(())
    })
}

/// The ends of the interval, or the difference if there is none.
fn interval(moved: &Moved) -> [f64; 2] {
    let difference = &moved.difference;
    difference.interval().unwrap_or([difference.mean; 2])
}

fn draw_parameter(
    page: &Page<'_>,
    cell: Frame,
    parameter: &Sensitivity,
    y: Axis,
    decimals: usize,
) -> Drawn {
    let frame = Frame {
        left: cell.left + LEFT,
        top: cell.top + HEADING,
        right: cell.right - 14.0,
        bottom: cell.bottom - BELOW,
    };
    let x = axis(parameter, frame.right - frame.left)?;
    let panel = Panel::new(page, frame, x, y)?;
    panel.level(0.0, GREY)?;
    let places = |moved: &Moved| (place(parameter, moved.value), moved.difference.mean);
    let mut line: Vec<(f64, f64)> = parameter.moves.iter().map(places).collect();
    line.push((place(parameter, parameter.value), 0.0));
    line.sort_by(|one, other| one.0.total_cmp(&other.0));
    panel.line(&line, GREY, 1.25)?;
    for moved in &parameter.moves {
        let (x, [low, high]) = (place(parameter, moved.value), interval(moved));
        panel.whisker(x, low, high, INK)?;
        panel.dot(
            x,
            moved.difference.mean,
            verdict_color(moved.difference.verdict),
        )?;
    }
    panel.dot(place(parameter, parameter.value), 0.0, INK)?;
    draw_heading(page, cell, parameter, decimals)
}

fn draw_heading(page: &Page<'_>, cell: Frame, parameter: &Sensitivity, decimals: usize) -> Drawn {
    let left = cell.left + LEFT - SPACE_ABOVE;
    let name = fitted(&parameter.parameter, 12.0, true, cell.right - left - 12.0)?;
    page.text((left, cell.top + 12.0), Label::new(&name, 12.0).bold())?;
    let Some(worst) = parameter.worst() else {
        return Ok(());
    };
    let difference = signed(worst.difference.mean, decimals);
    let [now, at] = [parameter.value, worst.value].map(compact);
    let text = format!("now {now}; lowest: {difference} at {at}");
    let text = fitted(&text, 11.0, false, cell.right - left - 4.0)?;
    page.text(
        (left, cell.top + 28.0),
        Label::new(&text, 11.0).colored(GREY),
    )
}

/// Whether the values are drawn as multiples of the unmoved value.
fn has_ratios(parameter: &Sensitivity) -> bool {
    let mut moves = parameter.moves.iter();
    moves.all(|moved| moved.factor.is_some_and(|factor| factor > 0.0))
}

/// Where a value lies: multiples of the unmoved value at equal ratios, other values at equal steps.
fn place(parameter: &Sensitivity, value: f64) -> f64 {
    match has_ratios(parameter) {
        true => (value / parameter.value).log2(),
        false => value - parameter.value,
    }
}

/// The axis of a panel of this width. Labels that would touch another one are left out.
fn axis(parameter: &Sensitivity, width: f64) -> Result<Axis, DrawError> {
    let (title, unit) = match has_ratios(parameter) {
        true => ("value / present value", parameter.value),
        false => ("value", 1.0),
    };
    let tick = |value: f64| (place(parameter, value), compact(round(value / unit)));
    let moves = parameter.moves.iter().map(|moved| tick(moved.value));
    let mut ticks: Vec<(f64, String)> = moves.chain([tick(parameter.value)]).collect();
    // That of the present value has priority, then the outermost ones.
    ticks.sort_by(|one, other| other.0.abs().total_cmp(&one.0.abs()));
    ticks.rotate_right(1);
    let places = || ticks.iter().map(|(place, _)| *place);
    let low = places().fold(f64::INFINITY, f64::min);
    let high = places().fold(f64::NEG_INFINITY, f64::max);
    let room = ROOM * (high - low);
    let mut axis = Axis::between(title, (low - room, high + room), 1);
    let pixels = width / (axis.range.1 - axis.range.0);
    axis.ticks.clear();
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for (place, label) in ticks {
        let half = text_width(&label, TICK_SIZE, false)? / 2.0 + BETWEEN_LABELS / 2.0;
        let middle = place * pixels;
        if taken
            .iter()
            .all(|(other, beside)| (middle - other).abs() >= half + beside)
        {
            taken.push((middle, half));
            axis.ticks.push((place, label));
        }
    }
    Ok(axis)
}

/// To three decimals; labels of factors need no more.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn table(parameters: &[Sensitivity]) -> Table {
    let mut table = Table::new([
        "parameter",
        "baseline",
        "unmoved_value",
        "value",
        "factor",
        "difference",
        "low",
        "high",
        "verdict",
    ]);
    for parameter in parameters {
        for moved in &parameter.moves {
            let difference = &moved.difference;
            table.row([
                cell(&parameter.parameter),
                cell(&parameter.baseline),
                cell(parameter.value),
                cell(moved.value),
                moved.factor.map(cell).unwrap_or_default(),
                cell(difference.mean),
                difference.low.map(cell).unwrap_or_default(),
                difference.high.map(cell).unwrap_or_default(),
                cell(difference.verdict.name()),
            ]);
        }
    }
    table
}
