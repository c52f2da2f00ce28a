//! Chart: the change of the score if one parameter is moved. Each parameter has a panel; the most important one comes
//! first.

use crate::chart::axis::Axis;
use crate::chart::dots::{unit, verdict};
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use crate::number::{compact, signed};
use tiletune_tuning::results::experiment::ExperimentResults;
use tiletune_tuning::results::sensitivity::{ParameterMove, Sensitivity};

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "importance",
    title: "One parameter moved, the others kept",
    about: "Mean difference from the unmoved weights at other values of one parameter, with \
            simultaneous 95 % intervals; one panel for each parameter, that with the largest loss first.",
    place: Section::Results,
    draw,
};

const PANEL_HEIGHT: f64 = 210.0;
/// Distance of the outermost values from the edges of a panel, as a share of the distance between these values.
const ROOM: f64 = 0.1;

fn draw(results: &ExperimentResults) -> Option<Figure> {
    let parameters = &results.sensitivity;
    parameters.first()?;
    let (unit, decimals) = unit(results);
    let moves = || {
        parameters
            .iter()
            .flat_map(|one| one.moves.iter().map(move |moved| (one, moved)))
    };
    // All panels have the same scale, so that they are comparable.
    let ends = moves().flat_map(|(_, moved)| interval(moved));
    let y = Axis::linear("", ends.chain([0.0]), 4);
    let panel = |parameter| panel(parameter, y.clone(), decimals);
    let panels = parameters.iter().map(panel).collect();
    let table = table!(moves(), |(of, moved)| {
        "parameter": of.parameter,
        "baseline": of.baseline,
        "unmoved_value": of.value,
        "value": moved.value,
        "factor": moved.factor,
        "difference": moved.difference.mean,
        "low": moved.difference.low,
        "high": moved.difference.high,
        "verdict": moved.difference.verdict.name(),
    });
    let caption = format!(
        "{} Difference in {unit} from the unmoved weights on the same seeds.",
        caption::of_experiment(results)
    );
    Some(Figure::new(parameters.len().min(3), panels, caption, table))
}

/// The ends of the interval, or the difference if there is none.
fn interval(moved: &ParameterMove) -> [f64; 2] {
    let difference = &moved.difference;
    difference.interval().unwrap_or([difference.mean; 2])
}

fn panel(parameter: &Sensitivity, y: Axis, decimals: usize) -> Panel {
    let unmoved = place(parameter, parameter.value);
    let places = |moved: &ParameterMove| [place(parameter, moved.value), moved.difference.mean];
    let mut line: Vec<[f64; 2]> = parameter.moves.iter().map(places).collect();
    line.push([unmoved, 0.0]);
    line.sort_by(|one, other| one[0].total_cmp(&other[0]));
    let mut marks = vec![
        Mark::level(Color::Grey, 0.0),
        Mark::line(Color::Grey, 1.25, line),
    ];
    for moved in &parameter.moves {
        let [x, mean] = places(moved);
        let (color, means) = verdict(moved.difference.verdict);
        let all = "95 % over all comparisons (Bonferroni)";
        marks.push(Mark::upright(Color::Ink, x, interval(moved)).named(all));
        marks.push(Mark::dot(color, x, mean).named(means));
    }
    marks.push(Mark::dot(Color::Ink, unmoved, 0.0).named("unmoved"));
    let now = compact(parameter.value);
    let note = parameter.worst().map_or(format!("now {now}"), |worst| {
        let difference = signed(worst.difference.mean, decimals);
        format!(
            "now {now}; lowest: {difference} at {}",
            compact(worst.value)
        )
    });
    Panel::new(PANEL_HEIGHT, axis(parameter), y, marks)
        .headed(&parameter.parameter)
        .noted(note)
}

/// Whether the values are drawn as multiples of the unmoved value.
fn has_ratios(parameter: &Sensitivity) -> bool {
    let mut moves = parameter.moves.iter();
    moves.all(|moved| moved.factor.is_some_and(|factor| factor > 0.0))
}

/// The place of a value: multiples of the unmoved value at equal ratios, other values at equal steps.
fn place(parameter: &Sensitivity, value: f64) -> f64 {
    if has_ratios(parameter) {
        (value / parameter.value).log2()
    } else {
        value - parameter.value
    }
}

/// The axis with a label for each value.
fn axis(parameter: &Sensitivity) -> Axis {
    let (title, unit) = if has_ratios(parameter) {
        ("value / present value", parameter.value)
    } else {
        ("value", 1.0)
    };
    let tick = |value: f64| (place(parameter, value), compact(round(value / unit)));
    let moves = parameter.moves.iter().map(|moved| tick(moved.value));
    let mut ticks: Vec<(f64, String)> = moves.chain([tick(parameter.value)]).collect();
    // The label of the present value has priority, then those of the outermost values.
    ticks.sort_by(|one, other| other.0.abs().total_cmp(&one.0.abs()));
    ticks.rotate_right(1);
    let places = || ticks.iter().map(|(place, _)| *place);
    let low = places().fold(f64::INFINITY, f64::min);
    let high = places().fold(f64::NEG_INFINITY, f64::max);
    let room = ROOM * (high - low);
    Axis {
        ticks,
        has_priorities: true,
        ..Axis::between(title, (low - room, high + room), 1)
    }
}

/// Rounds to three decimals, which is enough for labels of factors.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
