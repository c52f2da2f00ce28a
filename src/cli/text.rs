//! Numbers and tables as people read them.

use std::time::Duration;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

pub(super) use crate::chart::number::grouped as number;
use crate::record::{HoldOutSummary, Validation};

/// As `1 h 02 min`, `3 min 07 s` or `12 s`.
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

/// A table with this header; the first column is text, the others are numbers.
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

/// Tile -> share of games whose largest tile is at least that, for the tiles that matter.
fn shares_reaching(summary: &HoldOutSummary) -> Vec<(u32, f64)> {
    let tiles = summary.max_tile.keys().copied();
    tiles
        .map(|tile| {
            let reached: u32 = summary.max_tile.range(tile..).map(|(_, games)| games).sum();
            (tile, f64::from(reached) / f64::from(summary.games))
        })
        .collect()
}

/// Start against tuned weights as a table and a sentence.
pub(super) fn validation(validation: &Validation) -> String {
    let mut table = table(&["hold-out", "games", "mean score", "se", "median", "moves"]);
    for summary in [&validation.start, &validation.tuned] {
        table.add_row([
            summary.weights.clone(),
            number(f64::from(summary.games), 0),
            number(summary.mean, 0),
            number(summary.standard_error, 0),
            number(summary.median, 0),
            number(summary.mean_moves, 0),
        ]);
    }
    let difference = &validation.difference;
    let verdict = if difference.low > 0.0 {
        "better"
    } else if difference.high < 0.0 {
        "worse"
    } else {
        "undecided: the interval holds 0"
    };
    let sentence = format!(
        "tuned - start: {} points a game, 95 % interval {} to {} (paired, {} resamples): {verdict}",
        number(difference.mean, 0),
        number(difference.low, 0),
        number(difference.high, 0),
        number(f64::from(difference.resamples), 0),
    );
    format!("{table}\n{}\n{sentence}", tiles(validation))
}

fn tiles(validation: &Validation) -> String {
    let (start, tuned) = (
        shares_reaching(&validation.start),
        shares_reaching(&validation.tuned),
    );
    let mut reached: Vec<u32> = start.iter().chain(&tuned).map(|(tile, _)| *tile).collect();
    reached.sort_unstable();
    reached.dedup();
    let mut table = table(&["largest tile at least", "start", "tuned"]);
    // A tile that is not in the list itself is reached as often as the next larger one that is.
    let share = |shares: &[(u32, f64)], tile| {
        let next = shares.iter().find(|(reached, _)| *reached >= tile);
        format!("{:.1} %", 100.0 * next.map_or(0.0, |(_, share)| *share))
    };
    for tile in reached {
        table.add_row([tile.to_string(), share(&start, tile), share(&tuned, tile)]);
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
}
