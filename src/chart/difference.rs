//! Chart: every row of an experiment against its baseline, on the same seeds; a panel a group of
//! rows.

use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::legend::{Legend, Mark};
use super::number::signed;
use super::page::{self, Drawn, Frame, Label, Layout, Page, fitted};
use super::palette::{BEST, GREY, INK, START};
use super::panel::{self, Panel};
use super::table::{Table, cell};
use super::{Chart, DrawError, Figure, caption};
use crate::record::experiment::{Comparison, ExperimentResults, RowResult};

const TITLE: &str = "Rows against their baselines";

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "difference",
    title: TITLE,
    about: "Mean difference of each row to its baseline on the same seeds, with intervals that hold \
            together with 95 %; a panel a group of rows.",
    draw,
};

const ROW_HEIGHT: f64 = 26.0;
/// Space for the names of the rows.
const NAMES: f64 = 190.0;
/// Space for the differences as numbers.
const NUMBERS: f64 = 76.0;

/// A row that is compared.
struct Row<'a> {
    name: &'a str,
    comparison: &'a Comparison,
}

/// Rows that are drawn in one panel.
struct Group<'a> {
    heading: String,
    rows: Vec<Row<'a>>,
}

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let groups = groups(results);
    let Some(first) = groups.first() else {
        return Ok(None);
    };
    let interval = match first.rows[0].comparison.comparisons {
        1 => "95 % (bootstrap)".to_owned(),
        comparisons => format!("95 % over all {comparisons} comparisons (bootstrap, Bonferroni)"),
    };
    let heights: Vec<f64> = groups
        .iter()
        .map(|group| panel::ABOVE + panel::BELOW + ROW_HEIGHT * group.rows.len() as f64)
        .collect();
    let layout = Layout {
        title: TITLE,
        legend: vec![
            Legend::new(Mark::Dot, BEST, "better"),
            Legend::new(Mark::Dot, START, "worse"),
            Legend::new(Mark::Dot, GREY, "undecided"),
            Legend::new(Mark::Line, INK, interval),
        ],
        caption: format!(
            "{} Paired differences on the same seeds.",
            caption::of_experiment(results)
        ),
        body_height: heights.iter().sum(),
    };
    let (unit, decimals) = match results.is_between_two() {
        true => ("points a game", 3),
        false => ("score a game", 0),
    };
    let svg = page::draw(&layout, |page| {
        let mut top = page.body.top;
        for (group, height) in groups.iter().zip(&heights) {
            let frame = Frame {
                top,
                bottom: top + height,
                ..page.body
            };
            draw_panel(page, frame, group, unit, decimals)?;
            top += height;
        }
        Ok(())
    })?;
    let mut table = Table::new([
        "row",
        "baseline",
        "difference",
        "low",
        "high",
        "comparisons",
    ]);
    for row in groups.iter().flat_map(|group| &group.rows) {
        let Comparison {
            baseline,
            difference,
            comparisons,
        } = row.comparison;
        let numbers = [difference.mean, difference.low, difference.high].map(cell);
        let keys = [cell(row.name), cell(baseline)];
        table.row(keys.into_iter().chain(numbers).chain([cell(comparisons)]));
    }
    Ok(Some(Figure { svg, table }))
}

/// The rows that are compared, by the headings that neighbours share.
fn groups(results: &ExperimentResults) -> Vec<Group<'_>> {
    let neighbours = results.rows.chunk_by(|one, next| one.group == next.group);
    neighbours.filter_map(group).collect()
}

fn group(neighbours: &[RowResult]) -> Option<Group<'_>> {
    let compared = neighbours.iter().filter_map(|row| {
        let comparison = row.comparison.as_ref()?;
        let name = row.name.as_str();
        Some(Row { name, comparison })
    });
    let rows: Vec<Row> = compared.collect();
    let baseline = &rows.first()?.comparison.baseline;
    let is_shared = rows.iter().all(|row| row.comparison.baseline == *baseline);
    let heading = match &neighbours[0].group {
        Some(group) => group.clone(),
        None if is_shared => format!("against {baseline}"),
        None => "each against its own baseline".to_owned(),
    };
    Some(Group { heading, rows })
}

fn draw_panel(
    page: &Page<'_>,
    frame: Frame,
    group: &Group<'_>,
    unit: &str,
    decimals: usize,
) -> Drawn {
    let mut frame = frame.inside();
    frame.left += NAMES - panel::LEFT;
    frame.right -= NUMBERS;
    let rows = &group.rows;
    let ends = rows.iter().flat_map(|row| {
        let difference = row.comparison.difference;
        [0.0, difference.low, difference.high]
    });
    let x = Axis::linear(format!("row - baseline, {unit}"), ends, 7);
    let mut y = Axis::between("", (0.0, rows.len() as f64), 1);
    y.ticks.clear();
    let panel = Panel::new(page, frame, x, y)?;
    let heading = Label {
        bold: true,
        ..Label::new(&group.heading, 12.0)
    };
    page.text((frame.left, frame.top - 14.0), heading)?;
    panel.dashes((0.0, 0.0), (0.0, rows.len() as f64), GREY)?;
    for (index, row) in rows.iter().enumerate() {
        let y = (rows.len() - index) as f64 - 0.5;
        let difference = row.comparison.difference;
        let color = match (difference.low, difference.high) {
            (low, _) if low > 0.0 => BEST,
            (_, high) if high < 0.0 => START,
            _ => GREY,
        };
        panel.line(&[(difference.low, y), (difference.high, y)], INK, 1.5)?;
        panel.dot(difference.mean, y, color)?;
        let height = frame.bottom - frame.top;
        let middle = frame.bottom - height * y / rows.len() as f64;
        let name = fitted(row.name, 11.0, false, NAMES - 16.0)?;
        let label = Label {
            across: HPos::Right,
            ..Label::new(&name, 11.0)
        };
        page.text((frame.left - 8.0, middle), label)?;
        let number = signed(difference.mean, decimals);
        let label = Label {
            across: HPos::Right,
            ..Label::new(&number, 11.0)
        };
        page.text((frame.right + NUMBERS, middle), label)?;
    }
    Ok(())
}
