//! Chart: the difference between each row of an experiment and its baseline on the same seeds.

use crate::chart::dots::{self, Dot, Group, Measure};
use crate::chart::figure::Figure;
use crate::chart::table::{Table, cell, known};
use crate::chart::{Chart, caption};
use tiletune_tuning::results::experiment::{Comparison, ExperimentResults, RowResult};

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "difference",
    title: "Players against their baselines",
    about: "Mean difference between each player and its baseline on the same seeds, with simultaneous \
            95 % intervals (none where too few games differ); one panel for each group.",
    draw,
};

/// A group of compared rows under a heading.
struct Compared<'a> {
    heading: String,
    rows: Vec<(&'a str, &'a Comparison)>,
}

fn draw(results: &ExperimentResults) -> Option<Figure> {
    let neighbours = results.rows.chunk_by(|one, next| one.group == next.group);
    let compared: Vec<Compared> = neighbours.filter_map(compared).collect();
    let all = || compared.iter().flat_map(|group| &group.rows);
    let (_, first) = all().next()?;
    let interval = match first.comparisons {
        1 => "95 % interval".to_owned(),
        comparisons => format!("95 % over all {comparisons} comparisons (Bonferroni)"),
    };
    let (title, decimals) = match results.is_between_two() {
        true => ("player - baseline, points a game", 3),
        false => ("player - baseline, score a game", 0),
    };
    let measure = Measure {
        title,
        interval: &interval,
        is_shared: false,
        has_zero: true,
    };
    let groups = compared.iter().map(|group| dots_of(group, decimals));
    let panels = dots::panels(&groups.collect::<Vec<_>>(), &measure);
    let table = Table::of(
        all(),
        &[
            ("row", &|(name, _)| cell(name)),
            ("baseline", &|(_, one)| cell(&one.baseline)),
            ("difference", &|(_, one)| cell(one.difference.mean)),
            ("low", &|(_, one)| known(one.difference.low)),
            ("high", &|(_, one)| known(one.difference.high)),
            ("comparisons", &|(_, one)| cell(one.comparisons)),
            ("verdict", &|(_, one)| cell(one.difference.verdict.name())),
        ],
    );
    let caption = caption::of_experiment(results);
    let caption = format!("{caption} Paired differences on the same seeds.");
    Some(Figure::new(1, panels, caption, table))
}

/// The compared rows of a group, under a heading that names what they are compared with.
fn compared(neighbours: &[RowResult]) -> Option<Compared<'_>> {
    let rows: Vec<(&str, &Comparison)> = neighbours
        .iter()
        .filter_map(|row| Some((row.name.as_str(), row.comparison.as_ref()?)))
        .collect();
    let (_, first) = rows.first()?;
    let is_shared = rows.iter().all(|(_, one)| one.baseline == first.baseline);
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
    Some(Compared { heading, rows })
}

fn dots_of<'a>(compared: &Compared<'a>, decimals: usize) -> Group<'a> {
    let dot = |&(name, comparison): &(&'a str, &Comparison)| {
        Dot::of_difference(name, &comparison.difference, decimals)
    };
    Group {
        heading: compared.heading.clone(),
        dots: compared.rows.iter().map(dot).collect(),
    }
}
