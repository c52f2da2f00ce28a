//! Chart: the tuned values of each free parameter in all runs of a series.

use super::{key, winner_last};
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use crate::number::grouped;
use tiletune_tuning::results::series::{Agreement, ParameterSpread, SeriesResults};

pub(super) const CHART: Chart<SeriesResults> = Chart {
    name: "runs-parameters",
    title: "Tuned parameters of all runs",
    about: "Tuned value of each free parameter in every run, from its lower to its upper bound on its own \
            scale, with the standard deviation between the runs.",
    place: Section::Results,
    draw,
};

fn draw(results: &SeriesResults) -> Option<Figure> {
    let parameters = &results.parameters;
    parameters.first()?;
    let x = Axis::shares("place between the bounds", 1.0);
    let texts = |parameter: &ParameterSpread| (parameter.name.clone(), number(parameter));
    let panel = Panel::of_rows("", x, parameters, texts, |parameter, y| {
        let start = Mark::dot(Color::Start, parameter.unit_start, y).named("start weights");
        let runs = (1..).zip(&parameter.unit_values).map(|(run, value)| {
            let (name, color) = key(results, run);
            let strength = if color == Color::Tuned { 1.0 } else { 0.7 };
            Mark::dot(color, *value, y).named(name).faint(strength)
        });
        [start].into_iter().chain(winner_last(runs)).collect()
    });
    let cells = parameters.iter().flat_map(|parameter| {
        let start = ("start".to_owned(), parameter.start, parameter.unit_start);
        let values = parameter.values.iter().zip(&parameter.unit_values);
        let runs = (1..).zip(values);
        let runs = runs.map(|(run, (value, unit))| (format!("{run}"), *value, *unit));
        [start]
            .into_iter()
            .chain(runs)
            .map(move |of| (&parameter.name, of))
    });
    let table = table!(cells, |(name, (run, value, unit))| {
        "parameter": name,
        "run": run,
        "value": value,
        "unit": unit,
    });
    let caption = format!(
        "Right: standard deviation between the runs in percent of the range between the bounds; \
         “agree” below {} %, “differ” above {} %. The initial step of the search was {} %. {}",
        grouped(100.0 * Agreement::AGREE_BELOW, 0),
        grouped(100.0 * Agreement::DIFFER_ABOVE, 0),
        grouped(100.0 * results.initial_step, 0),
        caption::of_series(results)
    );
    Some(panel.figure(caption, table))
}

fn number(parameter: &ParameterSpread) -> String {
    let sd = grouped(100.0 * parameter.unit_sd, 0);
    match parameter.agreement {
        // The places of choices say nothing.
        agreement if !parameter.choices.is_empty() => {
            agreement.map_or("", Agreement::name).to_owned()
        }
        Some(agreement) => format!("{sd} % {}", agreement.name()),
        None => format!("{sd} %"),
    }
}
