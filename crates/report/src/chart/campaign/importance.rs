//! Charts: how much each parameter matters by the candidates of the search, and the slices of the fitted function with
//! the candidates.

use crate::chart::axis::Axis;
use crate::chart::dots::{self, Dot, DotAxis, Group};
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use crate::number::compact;
use crate::parameters::value_at;
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::importance::{Importance, ParameterImportance};
use tiletune_tuning::results::{Parameter, RunData};

pub(super) const EFFECTS: Chart = Chart {
    name: "parameter-importance",
    title: "How much each parameter matters",
    about: "How far the fitted fitness changes along each parameter, over the middle four fifths of the values that the \
            search tried, the other parameters being at their tuned values; with 95 % bootstrap intervals.",
    place: Section::Search,
    draw: effects,
};

pub(super) const SLICES: Chart = Chart {
    name: "slices",
    title: "Candidates along each parameter",
    about: "The fitted fitness along each parameter, as a difference from the tuned value, and candidates of the search: \
            what the fit says at their value plus what it does not explain of them.",
    place: Section::Details,
    draw: slices,
};

const PANEL_HEIGHT: f64 = 200.0;
/// Opacity of the band and of the candidates.
const FAINT: f64 = 0.2;
const CANDIDATE: f64 = 0.35;

fn effects(data: &RunData) -> Option<Figure> {
    let importance = data.importance.as_ref()?;
    let parameters = &importance.parameters;
    let dot = |one: &'_ ParameterImportance| {
        let (color, means) = if one.is_shown() {
            (Color::Tuned, "more than luck explains")
        } else {
            (Color::Grey, "no more than luck explains")
        };
        let [effect, low, high] = [one.effect, one.low, one.high].map(compact);
        Dot {
            name: &data.parameters[one.index].name,
            value: one.effect,
            low: one.low,
            high: one.high,
            color,
            means,
            number: format!("{effect} ({low} to {high})"),
        }
    };
    let table = table!(parameters, |one| {
        "parameter": data.parameters[one.index].name,
        "effect": one.effect,
        "low": one.low,
        "high": one.high,
        "by_luck": one.by_luck,
        "from": value_at(&data.parameters[one.index], one.from),
        "to": value_at(&data.parameters[one.index], one.to),
    });
    let group = Group {
        heading: String::new(),
        dots: parameters.iter().map(dot).collect(),
    };
    let measure = DotAxis {
        title: "change of the fitted fitness".to_owned(),
        interval: "95 % bootstrap interval",
        is_shared: true,
    };
    let caption = captioned(data, importance);
    (!parameters.is_empty()).then(|| dots::figure(&[group], &measure, caption, table))
}

fn captioned(data: &RunData, importance: &Importance) -> String {
    format!(
        "{} Fitted to {} candidates of {} generations.",
        caption::of_search(data),
        importance.candidates,
        importance.generations
    )
}

fn slices(data: &RunData) -> Option<Figure> {
    let importance = data.importance.as_ref()?;
    let parameters = &importance.parameters;
    parameters.first()?;
    // All panels have the same scale, so that they are comparable.
    let slices = parameters.iter().flat_map(|one| &one.slice);
    let ends = slices.flat_map(|point| [point.low, point.high, point.difference]);
    let candidates = parameters.iter().flat_map(|one| &one.candidates);
    let y = Axis::linear("", ends.chain(candidates.map(|[_, y]| *y)), 4);
    let panel = |one: &ParameterImportance| panel(&data.parameters[one.index], one, y.clone());
    let panels: Vec<Panel> = parameters.iter().map(panel).collect();
    let points = parameters.iter();
    let points = points.flat_map(|one| one.slice.iter().map(move |point| (one.index, point)));
    let table = table!(points, |(index, point)| {
        "parameter": data.parameters[index].name,
        "value": value_at(&data.parameters[index], point.position),
        "difference": point.difference,
        "low": point.low,
        "high": point.high,
    });
    let caption = captioned(data, importance);
    Some(Figure::new(panels.len().min(3), panels, caption, table))
}

fn panel(parameter: &Parameter, one: &ParameterImportance, y: Axis) -> Panel {
    let is_logarithmic = parameter.scale == Scale::Log;
    let x = Axis::bounded(parameter.min, parameter.max, is_logarithmic);
    let at = |position: f64| value_at(parameter, position);
    let slice = one.slice.iter();
    let band = slice.map(|point| [at(point.position), point.low, point.high]);
    let mut marks = vec![
        Mark::level(Color::Grey, 0.0),
        Mark::band(Color::Tuned, FAINT, band.collect()).named("95 % bootstrap interval"),
    ];
    marks.extend(one.candidates.iter().map(|&[position, difference]| {
        Mark::dot(Color::Grey, at(position), difference)
            .named("candidate")
            .faint(CANDIDATE)
    }));
    let line = one.slice.iter();
    let line = line.map(|point| [at(point.position), point.difference]);
    marks.push(Mark::line(Color::Tuned, 1.75, line.collect()).named("fitted fitness"));
    let scale = if is_logarithmic { ", logarithmic" } else { "" };
    let luck = if one.is_shown() {
        ""
    } else {
        ", luck explains it"
    };
    Panel::new(PANEL_HEIGHT, x, y, marks)
        .headed(&parameter.name)
        .noted(format!("effect {}{luck}{scale}", compact(one.effect)))
}
