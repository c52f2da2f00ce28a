//! The report of an experiment: the answer to its question, the table of its results, the findings about moved
//! parameters and rows that are tuned again, and for those who want more the distributions and tests.

use std::collections::BTreeSet;

use super::block::{Block, Table, charts, paragraphs};
use super::{answer, failures, glossary, retuned, sensitivity, unit, with_interval};
use crate::chart::Rendered;
use crate::number::{grouped, p_value};
use tiletune_tuning::results::experiment::{Agreement, ExperimentResults, McNemarTest, RowResult};
use tiletune_tuning::results::{GameSummary, Outcomes};
use tiletune_tuning::stats::difference::FEWEST_OBSERVATIONS;
use tiletune_tuning::stats::sequential::FEWEST_DIFFERENT;

/// Columns of a row with their names.
type Cells = Vec<(String, String)>;

/// The full report of a page.
pub fn report(results: &ExperimentResults, drawn: &[Rendered]) -> Vec<Block> {
    let mut blocks: Vec<Block> = paragraphs(&results.why).collect();
    blocks.extend(self::results(results));
    blocks.extend(charts(drawn));
    blocks.extend(glossary::words(glossary::OF_EXPERIMENT));
    blocks
}

/// The results, which a terminal shows, too.
pub fn results(results: &ExperimentResults) -> Vec<Block> {
    let answers = answer::sentences(results).into_iter().map(Block::Verdict);
    let mut blocks: Vec<Block> = answers.collect();
    blocks.extend([Block::Table(table(results)), Block::Note(notes(results))]);
    let failed = results.rows.iter().filter_map(|row| {
        let summary = &row.summary;
        failures::failed_games(
            summary.failed(),
            summary.games,
            &format!("row {}", row.name),
        )
    });
    blocks.extend(failed.map(Block::Warning));
    blocks.extend(sensitivity::blocks(results));
    blocks.extend(retuned::blocks(results));
    let tests = notes_on_tests(results);
    let tests = (!tests.is_empty()).then_some(Block::Note(tests));
    let details = more(results).block().into_iter().chain(tests).collect();
    blocks.extend(Block::details("Distributions and tests", details));
    blocks
}

/// The table of results, with only the columns that this experiment has.
fn table(results: &ExperimentResults) -> Table {
    let rows = || results.rows.iter();
    let (unit, decimals) = unit(results);
    let compared = rows().filter_map(|row| row.comparison.as_ref());
    let baselines: BTreeSet<&str> = compared.map(|one| one.baseline.as_str()).collect();
    let positions = rows().find_map(|row| Some(row.kept.as_ref()?.positions));
    let row = |row: &RowResult| {
        let mut cells = cells_of_games(row, unit, decimals);
        let mut optional = |name: &str, text: Option<String>| {
            cells.push((name.to_owned(), text.unwrap_or_default()));
        };
        if let Some(tile) = results.tile {
            let reached = row
                .reached
                .map(|one| percent([one.share, one.low, one.high]));
            optional(&format!("reach {tile}"), reached);
        }
        let comparison = row.comparison.as_ref();
        let difference = comparison.map(|one| with_interval(&one.difference, decimals));
        match baselines.first() {
            None => {}
            Some(first) if baselines.len() == 1 => {
                optional(&format!("{unit} - {first}"), difference);
            }
            Some(_) => {
                optional("baseline", comparison.map(|one| one.baseline.clone()));
                optional(&format!("difference in {unit}"), difference);
            }
        }
        if let Some(positions) = positions {
            let kept = row.kept.as_ref();
            let kept = kept.map(|kept| percent([kept.share, kept.low, kept.high]));
            let positions = grouped(positions.into(), 0);
            optional(&format!("keep the outcome, of {positions}"), kept);
        }
        cells
    };
    Table::new("Results", rows().map(row))
}

/// The table of the distributions and tests, with only the columns that this experiment has.
fn more(results: &ExperimentResults) -> Table {
    let rows = || results.rows.iter();
    let mut tiles = rows().flat_map(|row| row.summary.max_tile().keys());
    let in_log2 = tiles.all(|tile| tile.is_power_of_two());
    let has_agreement = rows().any(|row| row.agreement.is_some());
    let has_mcnemar = rows().any(|row| mcnemar(row).is_some());
    let row = |row: &RowResult| {
        let mut cells = vec![("row".to_owned(), row.name.clone())];
        match row.summary.numbers() {
            Some(numbers) => cells.extend(
                numbers
                    .iter()
                    .map(|(name, mean)| (format!("mean {name}"), grouped(*mean, 4))),
            ),
            None => {
                let moves = grouped(row.summary.mean_moves, 1);
                cells.push(("mean moves".to_owned(), moves));
            }
        }
        if results.is_between_two() {
            cells.push(("won, drawn, lost".to_owned(), outcomes(row)));
        } else if row.summary.numbers().is_none() {
            cells.push(tiles_reached(row, in_log2));
        }
        if has_agreement {
            cells.extend(cells_of_agreement(row));
        }
        if has_mcnemar {
            let test = mcnemar(row);
            let only = test.map(|one| format!("{}, {}", one.only_row, one.only_baseline));
            let p = test.map(|one| p_value(one.p_holm));
            let names = ["only the row, only its baseline", "p (McNemar, Holm)"];
            cells.extend(named(names, [only, p]));
        }
        cells
    };
    Table::new("Distributions and tests", rows().map(row))
}

/// Optional cells with the names of their columns.
fn named<const N: usize>(names: [&str; N], texts: [Option<String>; N]) -> Cells {
    let cells = names.into_iter().zip(texts);
    cells
        .map(|(name, text)| (name.to_owned(), text.unwrap_or_default()))
        .collect()
}

fn cells_of_agreement(row: &RowResult) -> Cells {
    let agreement = row.agreement;
    let test = agreement.and_then(|agreement| agreement.test);
    let points = |one: Agreement| format!("{:.1} points", 100.0 * one.largest_difference);
    named(
        [
            "chi-square (degrees)",
            "p",
            "p (Holm)",
            "shares differ by at most",
        ],
        [
            test.map(|test| format!("{:.2} ({})", test.chi_square, test.degrees)),
            test.map(|test| p_value(test.p)),
            test.map(|test| p_value(test.p_holm)),
            agreement.map(points),
        ],
    )
}

fn cells_of_games(row: &RowResult, unit: &str, decimals: usize) -> Cells {
    let GameSummary {
        games,
        mean,
        standard_error,
        ..
    } = row.summary;
    let [mean, error] = [mean, standard_error].map(|value| grouped(value, decimals));
    vec![
        ("row".to_owned(), row.name.clone()),
        ("games".to_owned(), grouped(f64::from(games), 0)),
        (format!("mean {unit} ± se"), format!("{mean} ± {error}")),
    ]
}

fn outcomes(row: &RowResult) -> String {
    let text = |ended: Outcomes| format!("{}, {}, {}", ended.wins, ended.draws, ended.losses);
    row.summary.outcomes().map(text).unwrap_or_default()
}

fn tiles_reached(row: &RowResult, in_log2: bool) -> (String, String) {
    let name = |tile: u32| if in_log2 { tile.ilog2() } else { tile };
    let tiles = row.summary.max_tile().iter();
    let tiles = tiles.map(|(tile, games)| format!("{}:{games}", name(*tile)));
    let title = if in_log2 {
        "log2 of the largest tile: games"
    } else {
        "largest tile: games"
    };
    (title.to_owned(), tiles.collect::<Vec<_>>().join(" "))
}

fn mcnemar(row: &RowResult) -> Option<&McNemarTest> {
    row.kept.as_ref()?.comparison.as_ref()
}

/// The meaning of the columns of results, and what is missing.
fn notes(results: &ExperimentResults) -> String {
    let mut notes = format!(
        "A row is a player with its settings. Every row plays the games of `tiletune evaluate --seed {}`; se is the standard error of \
         the mean {}.",
        results.seed,
        unit(results).0
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
    if results.rows.iter().any(|row| row.comparison.is_some()) {
        notes += " Differences have a 95 % interval in brackets.";
    }
    if results.rows.iter().any(|row| row.kept.is_some()) {
        notes += " A move keeps the outcome if no other move leads to a better one, as the yardstick judges.";
    }
    notes
}

/// The tests behind intervals, verdicts and p values.
fn notes_on_tests(results: &ExperimentResults) -> String {
    let mut notes = Vec::new();
    if results.rows.iter().any(|row| row.agreement.is_some()) {
        notes.push(
            "Agreement: two-sample chi-square test of the largest tiles against the games of an independent \
             implementation. Cells with fewer than 5 expected games are pooled. p (Holm) is corrected for the number of \
             rows. A large p does not show that two distributions are equal. The last column says how far apart the \
             shares of any tile can still be, in percentage points, with 95 % confidence for all rows together."
                .to_owned(),
        );
    }
    let mut rows = results.rows.iter();
    notes.extend(rows.find_map(|row| Some(paired(results, row.comparison.as_ref()?.comparisons))));
    let kept = results.rows.iter().any(|row| row.kept.is_some());
    if kept {
        let mcnemar =
            "McNemar's test counts the positions in which only one of two rows keeps the outcome.";
        notes.push(mcnemar.to_owned());
    }
    if results.tile.is_some() || kept {
        notes.push("Intervals of shares are exact (Clopper and Pearson), 95 %.".to_owned());
    }
    notes.join(" ")
}

/// How differences between rows are tested.
fn paired(results: &ExperimentResults, comparisons: u32) -> String {
    let observed = results.observed();
    let paired = if results.is_between_two() {
        "opening by opening"
    } else {
        "game by game"
    };
    let differences = match comparisons {
        1 => format!("The difference is paired {paired}, with a 95 % interval."),
        _ => format!(
            "The {comparisons} differences are paired {paired}, with simultaneous 95 % intervals (Bonferroni)."
        ),
    };
    format!(
        "{differences} An interval is the wider of Student's t and the bootstrap (BCa). Where fewer than \
         {FEWEST_DIFFERENT} {observed} differ there is none, but the exact sign test. A verdict needs \
         {FEWEST_OBSERVATIONS} {observed}."
    )
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
