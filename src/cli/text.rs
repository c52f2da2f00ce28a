//! Numbers and tables as text.

use std::time::Duration;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::number::{compact, count, grouped};
use crate::report::{deeper, verdict_in_words};
use crate::results::{Endings, GameSummary, PairedDifference, Validation};

/// A duration as `1 h 02 min`, `3 min 07 s` or `12 s`.
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

/// A word of a shell command, quoted if necessary.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A table with a header. The first column is aligned left, the others right.
pub(super) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Tables that compare start and tuned weights, and the paired difference in one sentence; if the objective
/// is not the mean result, another sentence for the objective. The verdict is about the objective.
pub(super) fn validation(validation: &Validation, is_mean_result: bool) -> String {
    let measure = validation.start.measure();
    let numbers = validation.start.numbers();
    let mut header = vec!["hold-out", "games", measure, "se", "median"];
    match numbers {
        Some(numbers) => header.extend(numbers.keys().map(String::as_str)),
        None => header.push("moves"),
    }
    let mut table = table(&header);
    for summary in [&validation.start, &validation.tuned] {
        let mut row = vec![
            summary.weights.clone(),
            count(summary.games),
            result(summary, summary.mean),
            result(summary, summary.standard_error),
            result(summary, summary.median),
        ];
        match summary.numbers() {
            Some(numbers) => row.extend(numbers.values().map(|mean| compact(*mean))),
            None => row.push(grouped(summary.mean_moves, 0)),
        }
        table.add_row(row);
    }
    let of_results = difference(&validation.difference, " points per game", |value| {
        result(&validation.tuned, value)
    });
    let objective = &validation.objective;
    let verdict = verdict_in_words(&objective.difference, validation.tuned.observed());
    let sentence = match is_mean_result {
        true => format!("{of_results}: {verdict}"),
        false => {
            let [start, tuned] = [objective.start, objective.tuned].map(compact);
            let of_objective = difference(&objective.difference, "", compact);
            let name = &objective.name;
            format!(
                "{measure}: {of_results}\n{name}: start {start}, tuned {tuned}; {of_objective}: \
                 {verdict}"
            )
        }
    };
    match numbers {
        Some(_) => format!("{table}\n{sentence}"),
        None => format!("{table}\n{}\n{sentence}", endings(validation)),
    }
}

/// A table of start and tuned weights at other search depths; `None` if no games were played there.
pub(super) fn deeper(validation: &Validation) -> Option<String> {
    let rows = deeper::rows(&validation.deeper);
    let mut table = table(&deeper::HEADER);
    table.add_rows(&rows);
    (!rows.is_empty()).then(|| table.to_string())
}

/// A difference tuned - start with its interval.
fn difference(difference: &PairedDifference, unit: &str, number: impl Fn(f64) -> String) -> String {
    let interval = match difference.interval() {
        Some(ends) => {
            let [low, high] = ends.map(&number);
            let resamples = count(difference.resamples);
            format!("95 % interval {low} to {high} (paired, {resamples} resamples)")
        }
        None => "no interval".into(),
    };
    format!(
        "tuned - start: {}{unit}, {interval}",
        number(difference.mean)
    )
}

/// A score, or the mean points of games of two players, which are between 0 and 1. The score of a program has any
/// magnitude.
pub(super) fn result(summary: &GameSummary, value: f64) -> String {
    match summary.endings {
        Endings::Scores { .. } => grouped(value, 0),
        Endings::Numbers { .. } => compact(value),
        Endings::Outcomes { .. } => grouped(value, 4),
    }
}

/// A table of games won, drawn and lost. For games of one player, a table of the share of games that
/// reached each tile.
fn endings(validation: &Validation) -> String {
    let sets = [&validation.start, &validation.tuned];
    if let [Some(start), Some(tuned)] = sets.map(|set| set.outcomes()) {
        let mut table = table(&["games", "start", "tuned"]);
        for (name, start, tuned) in [
            ("won", start.wins, tuned.wins),
            ("drawn", start.draws, tuned.draws),
            ("lost", start.losses, tuned.losses),
        ] {
            table.add_row([name.to_owned(), start.to_string(), tuned.to_string()]);
        }
        return table.to_string();
    }
    let mut tiles: Vec<u32> = sets
        .iter()
        .flat_map(|set| set.max_tile().keys().copied())
        .collect();
    tiles.sort_unstable();
    tiles.dedup();
    let mut table = table(&["largest tile at least", "start", "tuned"]);
    for tile in tiles {
        let [start, tuned] = sets.map(|set| {
            let share = f64::from(set.reaching(tile)) / f64::from(set.games);
            format!("{:.1} %", 100.0 * share)
        });
        table.add_row([tile.to_string(), start, tuned]);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        let text = |seconds| duration(Duration::from_secs(seconds));
        assert_eq!(text(12), "12 s");
        assert_eq!(text(187), "3 min 07 s");
        assert_eq!(text(3720), "1 h 02 min");
    }

    #[test]
    fn words_of_a_shell_are_quoted_where_they_must_be() {
        assert_eq!(quoted("results/mine-2.1"), "results/mine-2.1");
        assert_eq!(quoted("results/my run"), "'results/my run'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
