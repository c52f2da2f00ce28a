//! The report of an experiment: its table of results, what the columns mean, and what single parameters and rows
//! that are tuned again show.

use std::collections::BTreeSet;

use super::block::{Block, Table, charts, paragraphs};
use super::{retuned, sensitivity, with_interval};
use crate::chart::Rendered;
use crate::number::{grouped, p_value};
use tiletune_tuning::results::Outcomes;
use tiletune_tuning::results::experiment::{Comparison, ExperimentResults, RowResult};
use tiletune_tuning::stats::difference::FEWEST_OBSERVATIONS;
use tiletune_tuning::stats::sequential::FEWEST_DIFFERENT;

/// The report with all that a page shows.
pub fn report(results: &ExperimentResults, drawn: &[Rendered]) -> Vec<Block> {
    let mut blocks: Vec<Block> = paragraphs(&results.why).collect();
    blocks.extend(self::results(results));
    blocks.extend(charts(drawn));
    blocks
}

/// The results: what a terminal shows, too.
pub fn results(results: &ExperimentResults) -> Vec<Block> {
    let mut blocks = vec![Block::Table(table(results)), Block::Note(notes(results))];
    blocks.extend(sensitivity::blocks(results));
    blocks.extend(retuned::blocks(results));
    blocks
}

/// The table of results: only the columns that this experiment has.
fn table(results: &ExperimentResults) -> Table {
    let columns = columns(results);
    let row = |row| columns.iter().map(|column| (column.text)(row)).collect();
    let rows = results.rows.iter().map(row).collect();
    Table::new("Results", columns.iter().map(|column| &column.title), rows)
}

/// What the columns of the table mean.
fn notes(results: &ExperimentResults) -> String {
    let mut notes = format!(
        "A row is a player with its settings. Every row plays the games of `tiletune evaluate --seed {}`; se is the standard error of \
         the mean {}.",
        results.seed,
        Unit::of(results).name
    );
    if !results.unplayed.is_empty() {
        notes += &format!(" Not yet played: {}.", results.unplayed.join(", "));
    }
    if results.unjudged > 0 {
        notes += &format!(
            " Positions that the yardstick has not judged yet: {}.",
            grouped(results.unjudged.into(), 0)
        );
    }
    if results.rows.iter().any(|row| row.agreement.is_some()) {
        notes += " Agreement: two-sample chi-square test of the largest tiles against the reference \
                  distribution. Cells with fewer than 5 expected games are pooled. p (Holm) is \
                  corrected for the number of rows. A large p does not show that two distributions are equal. \
                  The last column says how far apart the shares of any tile can still be, in percentage \
                  points, with 95 % confidence for all rows together.";
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
            1 => format!(" The difference is paired {paired}, with a 95 % interval."),
            comparisons => format!(
                " The {comparisons} differences are paired {paired}, with simultaneous 95 % \
                 intervals (Bonferroni)."
            ),
        };
        notes += &format!(
            " An interval is the wider of Student's t and the bootstrap (BCa). Where fewer than \
             {FEWEST_DIFFERENT} {} differ there is none, but the exact sign test. A verdict needs \
             {FEWEST_OBSERVATIONS} {0}.",
            results.observed()
        );
    }
    let kept = results.rows.iter().any(|row| row.kept.is_some());
    if kept {
        notes += " A move keeps the outcome if no other move leads to a better one, as the yardstick \
                  judges. McNemar's test counts the positions in which only one of two rows keeps it.";
    }
    if results.tile.is_some() || kept {
        notes += " Intervals of shares are exact (Clopper and Pearson), 95 %.";
    }
    notes
}

/// What a game is counted in.
#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    decimals: usize,
}

impl Unit {
    fn of(results: &ExperimentResults) -> Self {
        let (name, decimals) = match results.is_between_two() {
            true => ("points", 4),
            false
                if results
                    .rows
                    .iter()
                    .any(|row| row.summary.numbers().is_some()) =>
            {
                ("score", 4)
            }
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

/// Where a value stands that not every row has.
type Value<T> = fn(&RowResult) -> Option<&T>;

/// A column that stays empty in rows without the value.
fn optional<T: 'static>(
    title: impl Into<String>,
    value: Value<T>,
    text: impl Fn(&T) -> String + 'static,
) -> Column {
    column(title, move |row| value(row).map(&text).unwrap_or_default())
}

fn columns(results: &ExperimentResults) -> Vec<Column> {
    let mut columns = columns_of_games(results);
    if let Some(tile) = results.tile {
        let value: Value<_> = |row| row.reached.as_ref();
        columns.push(optional(format!("reach {tile}"), value, |reached| {
            percent([reached.share, reached.low, reached.high])
        }));
    }
    columns.extend(columns_of_agreement(results));
    columns.extend(columns_of_comparison(results));
    columns.extend(columns_of_moves(results));
    columns
}

fn columns_of_games(results: &ExperimentResults) -> Vec<Column> {
    let unit = Unit::of(results);
    let mut columns = vec![
        column("row", |row| row.name.clone()),
        column("games", |row| grouped(f64::from(row.summary.games), 0)),
        column(format!("mean {} ± se", unit.name), move |row| {
            let [mean, error] = [row.summary.mean, row.summary.standard_error];
            let [mean, error] = [mean, error].map(|value| unit.text(value));
            format!("{mean} ± {error}")
        }),
        column("mean moves", |row| grouped(row.summary.mean_moves, 1)),
    ];
    if results.is_between_two() {
        columns.push(column("won, drawn, lost", |row| {
            let ended = row.summary.outcomes();
            let text =
                |ended: Outcomes| format!("{}, {}, {}", ended.wins, ended.draws, ended.losses);
            ended.map(text).unwrap_or_default()
        }));
        return columns;
    }
    let mut tiles = results
        .rows
        .iter()
        .flat_map(|row| row.summary.max_tile().keys());
    let in_log2 = tiles.all(|tile| tile.is_power_of_two());
    let title = match in_log2 {
        true => "log2 of the largest tile: games",
        false => "largest tile: games",
    };
    columns.push(column(title, move |row| {
        let name = |tile: u32| if in_log2 { tile.ilog2() } else { tile };
        let tiles = row.summary.max_tile().iter();
        let tiles = tiles.map(|(tile, games)| format!("{}:{games}", name(*tile)));
        tiles.collect::<Vec<_>>().join(" ")
    }));
    columns
}

/// The test against a reference distribution, if a row has one.
fn columns_of_agreement(results: &ExperimentResults) -> Vec<Column> {
    if results.rows.iter().all(|row| row.agreement.is_none()) {
        return Vec::new();
    }
    let value: Value<_> = |row| row.agreement.as_ref()?.test.as_ref();
    let agreement: Value<_> = |row| row.agreement.as_ref();
    vec![
        optional("chi-square (degrees)", value, |test| {
            format!("{:.2} ({})", test.chi_square, test.degrees)
        }),
        optional("p", value, |test| p_value(test.p)),
        optional("p (Holm)", value, |test| p_value(test.p_holm)),
        optional("shares differ by at most", agreement, |one| {
            format!("{:.1} points", 100.0 * one.largest_difference)
        }),
    ]
}

/// The differences to baselines, if a row has one.
fn columns_of_comparison(results: &ExperimentResults) -> Vec<Column> {
    let unit = Unit::of(results);
    let value: Value<_> = |row| row.comparison.as_ref();
    let compared = results.rows.iter().filter_map(value);
    let baselines: BTreeSet<&str> = compared.map(|one| one.baseline.as_str()).collect();
    let Some(first) = baselines.first() else {
        return Vec::new();
    };
    let difference =
        move |comparison: &Comparison| with_interval(&comparison.difference, unit.decimals);
    match baselines.len() {
        1 => vec![optional(
            format!("{} - {first}", unit.name),
            value,
            difference,
        )],
        _ => vec![
            optional("compared with", value, |one| one.baseline.clone()),
            optional(format!("difference in {}", unit.name), value, difference),
        ],
    }
}

/// What the yardstick says of single moves, if there is one.
fn columns_of_moves(results: &ExperimentResults) -> Vec<Column> {
    let value: Value<_> = |row| row.kept.as_ref();
    let Some(first) = results.rows.iter().find_map(value) else {
        return Vec::new();
    };
    let positions = grouped(first.positions.into(), 0);
    let title = format!("keep the outcome, of {positions}");
    let mut columns = vec![optional(title, value, |kept| {
        percent([kept.share, kept.low, kept.high])
    })];
    let value: Value<_> = |row| row.kept.as_ref()?.comparison.as_ref();
    if results.rows.iter().any(|row| value(row).is_some()) {
        columns.push(optional("only the row, only its baseline", value, |one| {
            format!("{}, {}", one.only_row, one.only_baseline)
        }));
        columns.push(optional("p (McNemar, Holm)", value, |one| {
            p_value(one.p_holm)
        }));
    }
    columns
}

fn percent(share: [f64; 3]) -> String {
    let [share, low, high] = share.map(|share| 100.0 * share);
    format!("{share:.1} % ({low:.1} to {high:.1})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::html;
    use crate::report::tests::text_of;
    use tiletune_tuning::results::example;

    #[test]
    fn the_words_of_the_page_are_the_recorded_ones() {
        let results = example::experiment();
        let page = html(&results.name, &report(&results, &[]));
        insta::assert_snapshot!("experiment", text_of(&page));
    }
}
