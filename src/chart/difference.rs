//! Chart: every row of an experiment against its baseline, on the same seeds.

use super::axis::Axis;
use super::legend::{Legend, Mark};
use super::page::{self, Drawn, Label, Layout, Page, fitted};
use super::palette::{BEST, GREY, INK, START};
use super::panel::Panel;
use super::table::{Table, cell};
use super::{Chart, DrawError, Figure, caption};
use crate::record::experiment::{Comparison, ExperimentResults};
use plotters::style::text_anchor::HPos;

const TITLE: &str = "Score against the baseline";

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "difference",
    title: TITLE,
    about: "Mean difference of each row's score to the baseline's on the same seeds, with intervals \
            that hold together with 95 %.",
    draw,
};

const ROW_HEIGHT: f64 = 26.0;
/// Space for the names of the rows.
const NAMES: f64 = 190.0;

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let rows: Vec<(&str, Comparison)> = results
        .rows
        .iter()
        .filter_map(|row| Some((row.name.as_str(), row.comparison?)))
        .collect();
    let (Some(baseline), Some((_, first))) = (&results.baseline, rows.first()) else {
        return Ok(None);
    };
    let layout = Layout {
        title: TITLE,
        legend: vec![
            Legend::new(Mark::Dot, BEST, "better"),
            Legend::new(Mark::Dot, START, "worse"),
            Legend::new(Mark::Dot, GREY, "undecided"),
            Legend::new(
                Mark::Line,
                INK,
                format!(
                    "95 % over all {} comparisons (bootstrap, Bonferroni)",
                    first.comparisons
                ),
            ),
        ],
        caption: format!(
            "{} Baseline: {baseline}. Paired differences on the same seeds.",
            caption::of_experiment(results)
        ),
        body_height: 90.0 + ROW_HEIGHT * rows.len() as f64,
    };
    let svg = page::draw(&layout, |page| draw_panel(page, &rows))?;
    let mut table = Table::new(["row", "difference", "low", "high", "comparisons"]);
    for (name, comparison) in &rows {
        let difference = comparison.difference;
        let numbers = [difference.mean, difference.low, difference.high].map(cell);
        let keys = std::iter::once(cell(name)).chain(numbers);
        table.row(keys.chain([cell(comparison.comparisons)]));
    }
    Ok(Some(Figure { svg, table }))
}

fn draw_panel(page: &Page<'_>, rows: &[(&str, Comparison)]) -> Drawn {
    let mut frame = page.body.inside();
    frame.left += NAMES - super::panel::LEFT;
    let ends = rows.iter().flat_map(|(_, comparison)| {
        let difference = comparison.difference;
        [0.0, difference.low, difference.high]
    });
    let x = Axis::linear("row - baseline, points a game", ends, 7);
    let mut y = Axis::between("", (0.0, rows.len() as f64), 1);
    y.ticks.clear();
    let panel = Panel::new(page, frame, x, y)?;
    panel.dashes((0.0, 0.0), (0.0, rows.len() as f64), GREY)?;
    for (index, (name, comparison)) in rows.iter().enumerate() {
        let y = (rows.len() - index) as f64 - 0.5;
        let difference = comparison.difference;
        let color = match (difference.low, difference.high) {
            (low, _) if low > 0.0 => BEST,
            (_, high) if high < 0.0 => START,
            _ => GREY,
        };
        panel.line(&[(difference.low, y), (difference.high, y)], INK, 1.5)?;
        panel.dot(difference.mean, y, color)?;
        let height = frame.bottom - frame.top;
        let middle = frame.bottom - height * y / rows.len() as f64;
        let name = fitted(name, 11.0, false, NAMES - 16.0)?;
        let label = Label {
            across: HPos::Right,
            ..Label::new(&name, 11.0)
        };
        page.text((frame.left - 8.0, middle), label)?;
    }
    Ok(())
}
