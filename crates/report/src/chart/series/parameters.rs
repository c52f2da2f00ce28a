//! Chart: the tuned values of each free parameter in all runs of a series.

use super::legend;
use crate::chart::dots::{height_of_rows, rows};
use crate::chart::draw::{Axis, DrawError, Drawn, GREY, Layout, Mark, Page, START, TUNED, faint};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::number::grouped;
use tiletune_tuning::results::series::{Agreement, ParameterSpread, SeriesResults};

pub(super) const CHART: Chart<SeriesResults> = Chart {
    name: "runs-parameters",
    title: "Tuned parameters of all runs",
    about: "Tuned value of each free parameter in every run, from its lower to its upper bound on its own \
            scale, with the standard deviation between the runs.",
    draw,
};

fn draw(results: &SeriesResults) -> Result<Option<Figure>, DrawError> {
    let parameters = &results.parameters;
    if parameters.is_empty() {
        return Ok(None);
    }
    let layout = Layout {
        title: CHART.title,
        legend: legend(results, Mark::Dot),
        caption: format!(
            "Right: standard deviation between the runs in percent of the range between the bounds; \
             “agree” below {} %, “differ” above {} %. The initial step of the search was {} %. {}",
            grouped(100.0 * Agreement::AGREE_BELOW, 0),
            grouped(100.0 * Agreement::DIFFER_ABOVE, 0),
            grouped(100.0 * results.initial_step, 0),
            caption::of_series(results)
        ),
        body_height: height_of_rows(parameters.len()),
    };
    Figure::new(&layout, table(results), |page| draw_rows(page, results))
}

fn number(parameter: &ParameterSpread) -> String {
    let sd = grouped(100.0 * parameter.unit_sd, 0);
    match parameter.agreement {
        Some(agreement) => format!("{sd} % {}", agreement.name()),
        None => format!("{sd} %"),
    }
}

fn draw_rows(page: &Page<'_>, results: &SeriesResults) -> Drawn {
    let parameters = &results.parameters;
    let numbers: Vec<String> = parameters.iter().map(number).collect();
    let texts = parameters.iter().zip(&numbers);
    let texts = texts.map(|(parameter, number)| (&*parameter.name, &**number));
    let x = Axis::shares("place between the bounds", 1.0);
    let panel = rows(page, page.body, "", texts, x)?;
    let winner = results.recommended.map(|run| run as usize - 1);
    for (index, parameter) in parameters.iter().enumerate() {
        let y = (parameters.len() - index) as f64 - 0.5;
        panel.dot(parameter.unit_start, y, START)?;
        // The winner is drawn over the others.
        let values = &parameter.unit_values;
        values
            .iter()
            .try_for_each(|&value| panel.dot(value, y, faint(GREY, 0.7)))?;
        if let Some(&value) = winner.and_then(|index| values.get(index)) {
            panel.dot(value, y, TUNED)?;
        }
    }
    Ok(())
}

fn table(results: &SeriesResults) -> Table {
    let mut table = Table::new(["parameter", "run", "value", "unit"]);
    for parameter in &results.parameters {
        let mut row = |run: &str, value: f64, unit: f64| {
            table.row([parameter.name.clone(), cell(run), cell(value), cell(unit)]);
        };
        row("start", parameter.start, parameter.unit_start);
        let values = parameter.values.iter().zip(&parameter.unit_values);
        for (run, (value, unit)) in (1..).zip(values) {
            row(&format!("{run}"), *value, *unit);
        }
    }
    table
}
