//! The report of an experiment: its table of results as text, and a page of Markdown around it.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::chart::Rendered;
use crate::number::grouped;
use crate::record::experiment::{ExperimentResults, KeptComparison, RowResult};

/// Header and rows of the table of results: only the columns that this experiment has.
pub fn table(results: &ExperimentResults) -> (Vec<String>, Vec<Vec<String>>) {
    let columns: Vec<Column> = columns(results);
    let header = columns.iter().map(|column| column.title.clone()).collect();
    let row = |row| columns.iter().map(|column| (column.text)(row)).collect();
    (header, results.rows.iter().map(row).collect())
}

/// A page of Markdown with the table, and the charts from the folder `charts/` beside it.
pub fn markdown(results: &ExperimentResults, charts: &[Rendered]) -> String {
    let (header, rows) = table(results);
    let mut text = format!("# {}\n\n{}\n\n", results.name, results.why.trim());
    // Writing to a string cannot fail.
    let _ = writeln!(text, "| {} |", header.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(header.len() - 1));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    let _ = writeln!(text, "\n{}", notes(results));
    for chart in charts {
        let _ = writeln!(text, "\n## {}\n\n{}\n", chart.title, chart.about);
        let _ = writeln!(text, "![{}](charts/{}.png)", chart.title, chart.name);
    }
    text
}

/// What the columns of the table mean.
pub fn notes(results: &ExperimentResults) -> String {
    let mut notes = format!(
        "Every row plays the games of `tiletune evaluate --seed {}`; se is the standard error of \
         the mean {}.",
        results.seed,
        Unit::of(results).name
    );
    if !results.unplayed.is_empty() {
        notes += &format!(" Not yet played: {}.", results.unplayed.join(", "));
    }
    if results.unjudged > 0 {
        notes += &format!(
            " The yardstick is still to judge {} positions.",
            grouped(results.unjudged.into(), 0)
        );
    }
    if results.rows.iter().any(|row| row.agreement.is_some()) {
        notes += " Agreement: two-sample chi-square test of the largest tiles against the reference \
                  distribution, cells under 5 expected games pooled; p (Holm) is corrected over the \
                  rows.";
    }
    let mut compared = results
        .rows
        .iter()
        .filter_map(|row| row.comparison.as_ref());
    if let Some(comparison) = compared.next() {
        let paired = match results.is_between_two() {
            true => "opening by opening",
            false => "game by game",
        };
        notes += &match comparison.comparisons {
            1 => format!(
                " The difference is paired {paired}; its interval is a bootstrap one, 95 %."
            ),
            comparisons => format!(
                " Differences are paired {paired}; the intervals of all {comparisons} hold \
                 together with 95 % (bootstrap, Bonferroni)."
            ),
        };
    }
    let kept = results.rows.iter().any(|row| row.kept.is_some());
    if kept {
        notes += " A move keeps the outcome if no other leads to a better one, by the yardstick that \
                  knows what they lead to; McNemar's test is over the positions in which only one of \
                  two rows does.";
    }
    if results.tile.is_some() || kept {
        notes += " Intervals of shares are Wilson's, 95 %.";
    }
    notes
}

/// What a game brings.
#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    decimals: usize,
}

impl Unit {
    fn of(results: &ExperimentResults) -> Self {
        let (name, decimals) = match results.is_between_two() {
            true => ("points", 4),
            false => ("score", 0),
        };
        Unit { name, decimals }
    }

    fn text(self, value: f64) -> String {
        grouped(value, self.decimals)
    }
}

struct Column {
    title: String,
    text: Box<dyn Fn(&RowResult) -> String>,
}

fn column(title: impl Into<String>, text: impl Fn(&RowResult) -> String + 'static) -> Column {
    Column {
        title: title.into(),
        text: Box::new(text),
    }
}

fn columns(results: &ExperimentResults) -> Vec<Column> {
    let mut columns = columns_of_games(results);
    columns.extend(columns_of_moves(results));
    columns
}

/// What the yardstick says of single moves, if there is one.
fn columns_of_moves(results: &ExperimentResults) -> Vec<Column> {
    let kept = || results.rows.iter().filter_map(|row| row.kept.as_ref());
    let Some(first) = kept().next() else {
        return Vec::new();
    };
    let title = format!(
        "keep the outcome, of {}",
        grouped(first.positions.into(), 0)
    );
    let mut columns = vec![column(title, |row| {
        row.kept.as_ref().map_or(String::new(), |kept| {
            percent([kept.share, kept.low, kept.high])
        })
    })];
    if kept().any(|kept| kept.comparison.is_some()) {
        let compared = |text: fn(&KeptComparison) -> String| {
            move |row: &RowResult| {
                let comparison = row.kept.as_ref().and_then(|kept| kept.comparison.as_ref());
                comparison.map_or(String::new(), text)
            }
        };
        columns.push(column(
            "only the row, only its baseline",
            compared(|one| format!("{}, {}", one.only_row, one.only_baseline)),
        ));
        columns.push(column(
            "p (McNemar, Holm)",
            compared(|one| probability(one.p_holm)),
        ));
    }
    columns
}

fn percent(share: [f64; 3]) -> String {
    let [share, low, high] = share.map(|share| 100.0 * share);
    format!("{share:.1} % ({low:.1} to {high:.1})")
}

fn columns_of_games(results: &ExperimentResults) -> Vec<Column> {
    let unit = Unit::of(results);
    let mut tiles = results.rows.iter().flat_map(|row| row.max_tile.keys());
    let in_log2 = tiles.all(|tile| tile.is_power_of_two());
    let largest_tile = match in_log2 {
        true => "log2 of the largest tile: games",
        false => "largest tile: games",
    };
    let mut columns = vec![
        column("row", |row| row.name.clone()),
        column("games", |row| grouped(f64::from(row.games), 0)),
        column(format!("mean {} ± se", unit.name), move |row| {
            let [mean, error] = [row.mean_score, row.se_score].map(|value| unit.text(value));
            format!("{mean} ± {error}")
        }),
        column("mean moves", |row| grouped(row.mean_moves, 1)),
        match results.is_between_two() {
            true => column("won, drawn, lost", |row| {
                row.outcomes.map_or(String::new(), |ended| {
                    format!("{}, {}, {}", ended.wins, ended.draws, ended.losses)
                })
            }),
            false => column(largest_tile, move |row| {
                let tiles = row.max_tile.iter();
                let name = |tile: u32| if in_log2 { tile.ilog2() } else { tile };
                let tiles = tiles.map(|(tile, games)| format!("{}:{games}", name(*tile)));
                tiles.collect::<Vec<_>>().join(" ")
            }),
        },
    ];
    if let Some(tile) = results.tile {
        columns.push(column(format!("reach {tile}"), |row| {
            row.reached.map_or(String::new(), |reached| {
                percent([reached.share, reached.low, reached.high])
            })
        }));
    }
    if results.rows.iter().any(|row| row.agreement.is_some()) {
        columns.push(column("chi-square (degrees)", |row| {
            row.agreement.map_or(String::new(), |test| {
                format!("{:.2} ({})", test.chi_square, test.degrees)
            })
        }));
        columns.push(column("p", |row| {
            row.agreement
                .map_or(String::new(), |test| probability(test.p))
        }));
        columns.push(column("p (Holm)", |row| {
            row.agreement
                .map_or(String::new(), |test| probability(test.p_holm))
        }));
    }
    let compared = || {
        results
            .rows
            .iter()
            .filter_map(|row| row.comparison.as_ref())
    };
    let baselines: BTreeSet<&str> = compared().map(|one| one.baseline.as_str()).collect();
    let Some(first) = baselines.first() else {
        return columns;
    };
    let title = match baselines.len() {
        1 => format!("{} - {first}", unit.name),
        _ => {
            columns.push(column("compared with", |row| {
                let comparison = row.comparison.as_ref();
                comparison.map_or(String::new(), |one| one.baseline.clone())
            }));
            format!("difference in {}", unit.name)
        }
    };
    columns.push(column(title, move |row| {
        row.comparison.as_ref().map_or(String::new(), |comparison| {
            let difference = comparison.difference;
            let [mean, low, high] =
                [difference.mean, difference.low, difference.high].map(|value| unit.text(value));
            format!("{mean} ({low} to {high})")
        })
    }));
    columns
}

fn probability(p: f64) -> String {
    match p {
        p if p < 1e-4 => format!("{p:.0e}"),
        p => format!("{p:.4}"),
    }
}
