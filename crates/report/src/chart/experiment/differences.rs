//! Charts: the difference between each row of an experiment and its baseline on the same seeds, also for rows whose
//! weights are tuned again.

use crate::chart::dots::{self, Dot, DotAxis, Group, unit};
use crate::chart::figure::Figure;
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use tiletune_tuning::results::PairedDifference;
use tiletune_tuning::results::experiment::{Comparison, ExperimentResults, RowResult};

pub(super) const DIFFERENCE: Chart<ExperimentResults> = Chart {
    name: "difference",
    title: "Players against their baselines",
    about: "Mean difference between each player and its baseline on the same seeds, with simultaneous \
            95 % intervals (none where too few games differ); one panel for each group.",
    place: Section::Results,
    draw: difference,
};

pub(super) const RETUNED: Chart<ExperimentResults> = Chart {
    name: "retuned",
    title: "Fixed weights and weights tuned again",
    about: "Difference between each player with fixed weights and its baseline, and between the row with \
            its weights tuned again and the baseline tuned again (the control), with simultaneous 95 % \
            intervals.",
    place: Section::Results,
    draw: retuned,
};

fn difference(results: &ExperimentResults) -> Option<Figure> {
    let (unit, decimals) = unit(results);
    let compared = compared(&results.rows);
    let (_, first) = compared.first()?;
    let interval = match first.comparisons {
        1 => "95 % interval".to_owned(),
        comparisons => format!("95 % over all {comparisons} comparisons (Bonferroni)"),
    };
    let measure = DotAxis {
        title: format!("player - baseline, {unit} a game"),
        interval: &interval,
        is_shared: false,
    };
    let groups = results.groups().filter_map(|rows| group(rows, decimals));
    let table = table!(compared, |(name, one)| {
        "row": name,
        "baseline": one.baseline,
        "difference": one.difference.mean,
        "low": one.difference.low,
        "high": one.difference.high,
        "comparisons": one.comparisons,
        "verdict": one.difference.verdict.name(),
    });
    let caption = caption::of_experiment(results);
    let caption = format!("{caption} Paired differences on the same seeds.");
    Some(dots::figure(
        &groups.collect::<Vec<_>>(),
        &measure,
        caption,
        table,
    ))
}

/// The compared rows with their names.
fn compared(rows: &[RowResult]) -> Vec<(&str, &Comparison)> {
    let rows = rows.iter();
    rows.filter_map(|row| Some((row.name.as_str(), row.comparison.as_ref()?)))
        .collect()
}

/// The compared rows of neighbours, under a heading that names their baseline.
fn group(neighbours: &[RowResult], decimals: usize) -> Option<Group<'_>> {
    let compared = compared(neighbours);
    let (_, first) = compared.first()?;
    let is_shared = compared
        .iter()
        .all(|(_, one)| one.baseline == first.baseline);
    let follows = |pair: &[RowResult]| {
        let comparison = pair[1].comparison.as_ref();
        comparison.is_some_and(|one| one.baseline == pair[0].name)
    };
    let against = if is_shared {
        format!("against {}", first.baseline)
    } else if neighbours.windows(2).all(follows) {
        "each against the one before".to_owned()
    } else {
        "each against another one".to_owned()
    };
    let heading = match &neighbours[0].group {
        Some(group) => format!("{group}, {against}"),
        None => against,
    };
    let dots = compared.into_iter();
    let dots = dots.map(|(name, one)| Dot::of_difference(name, &one.difference, decimals));
    Some(Group {
        heading,
        dots: dots.collect(),
    })
}

/// A drawn difference.
struct Bar<'a> {
    row: &'a str,
    /// Label beside the bar. If the previous row has the same fixed weights, only the differing part.
    label: &'a str,
    against: &'a str,
    difference: &'a PairedDifference,
}

fn retuned(results: &ExperimentResults) -> Option<Figure> {
    let (unit, decimals) = unit(results);
    let bars = bars(results);
    bars.first()?;
    let measure = DotAxis {
        title: format!("row - compared row, {unit} a game"),
        interval: "95 % over all comparisons (Bonferroni)",
        is_shared: false,
    };
    let dots = bars.iter();
    let dots = dots.map(|bar| Dot::of_difference(bar.label, bar.difference, decimals));
    let group = Group {
        heading: "fixed weights against the baseline; tuned again against the control".to_owned(),
        dots: dots.collect(),
    };
    let table = table!(&bars, |bar| {
        "row": bar.row,
        "against": bar.against,
        "difference": bar.difference.mean,
        "low": bar.difference.low,
        "high": bar.difference.high,
        "verdict": bar.difference.verdict.name(),
    });
    let caption = format!(
        "{} Paired differences on the same seeds. The intervals do not contain the differences \
         between tuning seeds.",
        caption::of_experiment(results)
    );
    Some(dots::figure(&[group], &measure, caption, table))
}

/// The differences of the rows with fixed weights, and after each those of the rows that are tuned again. The control
/// is compared with the baseline.
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
