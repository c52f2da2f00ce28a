//! Chart: rows with fixed weights beside the same rows with their weights tuned again.

use crate::chart::dots::{self, Dot, Group, Measure};
use crate::chart::figure::Figure;
use crate::chart::table::{Table, cell, known};
use crate::chart::{Chart, caption};
use tiletune_tuning::results::PairedDifference;
use tiletune_tuning::results::experiment::ExperimentResults;

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "retuned",
    title: "Fixed weights and weights tuned again",
    about: "Difference between each player with fixed weights and its baseline, and between the row with \
            its weights tuned again and the baseline tuned again (the control), with simultaneous 95 % \
            intervals.",
    draw,
};

/// A difference that is drawn.
struct Bar<'a> {
    row: &'a str,
    /// Beside the bar: of a row that follows its row with fixed weights, only what is different.
    label: &'a str,
    against: &'a str,
    difference: &'a PairedDifference,
}

fn draw(results: &ExperimentResults) -> Option<Figure> {
    let bars = bars(results);
    bars.first()?;
    let (title, decimals) = match results.is_between_two() {
        true => ("row - compared row, points a game", 3),
        false => ("row - compared row, score a game", 0),
    };
    let measure = Measure {
        title,
        interval: "95 % over all comparisons (Bonferroni)",
        is_shared: false,
        has_zero: true,
    };
    let dots = bars.iter();
    let dots = dots.map(|bar| Dot::of_difference(bar.label, bar.difference, decimals));
    let group = Group {
        heading: "fixed weights against the baseline; tuned again against the control".to_owned(),
        dots: dots.collect(),
    };
    let table = Table::of(
        &bars,
        &[
            ("row", &|bar| cell(bar.row)),
            ("against", &|bar| cell(bar.against)),
            ("difference", &|bar| cell(bar.difference.mean)),
            ("low", &|bar| known(bar.difference.low)),
            ("high", &|bar| known(bar.difference.high)),
            ("verdict", &|bar| cell(bar.difference.verdict.name())),
        ],
    );
    let caption = format!(
        "{} Paired differences on the same seeds. The intervals do not contain the differences \
         between tuning seeds.",
        caption::of_experiment(results)
    );
    Some(Figure::new(
        1,
        dots::panels(&[group], &measure),
        caption,
        table,
    ))
}

/// The differences: of each row with fixed weights, then of the rows that are tuned again. The control is
/// compared with the baseline.
fn bars(results: &ExperimentResults) -> Vec<Bar<'_>> {
    let mut bars = Vec::new();
    for of in &results.retuned {
        let baseline = of.baseline.as_str();
        bars.extend(of.fixed.as_ref().map(|difference| Bar {
            row: &of.row,
            label: &of.row,
            against: baseline,
            difference,
        }));
        for row in &of.retuned {
            let (against, difference) = match (&row.control, &row.against_control) {
                (Some(control), Some(difference)) => (control.as_str(), difference),
                (Some(_), None) => continue,
                (None, _) => (baseline, &row.difference),
            };
            let suffix = row.row.strip_prefix(of.row.as_str());
            let suffix = suffix.filter(|_| of.fixed.is_some());
            let label = suffix.map(|suffix| suffix.trim_matches([' ', '(', ')']));
            bars.push(Bar {
                row: &row.row,
                label: label.filter(|label| !label.is_empty()).unwrap_or(&row.row),
                against,
                difference,
            });
        }
    }
    bars
}
