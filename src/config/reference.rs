//! Distributions from elsewhere: CSV files beside an experiment, with the columns `row`,
//! `log2_max_tile` and `games`. Lines that begin with `#` say where they come from.

use std::collections::BTreeMap;

use super::{ConfigError, Source};
use crate::record::experiment::Histogram;

const HEADER: &str = "row,log2_max_tile,games";
/// log2 of the largest tile that any board here can hold is well below this.
const MOST: u32 = 31;

/// The histograms of a file by row.
///
/// # Errors
/// With the line of the first mistake.
pub fn parse(source: &Source) -> Result<BTreeMap<String, Histogram>, ConfigError> {
    let mut rows: BTreeMap<String, Histogram> = BTreeMap::new();
    let mut start = 0;
    let mut header_seen = false;
    for line in source.text.split_inclusive('\n') {
        let text = line.trim();
        let span = start..start + line.trim_end().len();
        start += line.len();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = |message: String| Err(source.mistake(message, Some(span.clone()), None));
        if !header_seen {
            if text != HEADER {
                return wrong(format!("the first line must be `{HEADER}`"));
            }
            header_seen = true;
            continue;
        }
        let Some((row, rank, games)) = cells(text) else {
            return wrong(format!(
                "not a row name, a whole number up to {MOST} and a whole number"
            ));
        };
        let before = rows.entry(row.to_owned()).or_default().insert(rank, games);
        if before.is_some() {
            return wrong(format!("row `{row}` has 2^{rank} twice"));
        }
    }
    for (row, histogram) in &rows {
        if histogram.values().sum::<u64>() == 0 {
            return Err(source.mistake(format!("row `{row}` has no games"), None, None));
        }
    }
    Ok(rows)
}

fn cells(text: &str) -> Option<(&str, u32, u64)> {
    let mut cells = text.split(',').map(str::trim);
    let row = cells.next().filter(|row| !row.is_empty())?;
    let rank = cells.next()?.parse().ok().filter(|rank| *rank <= MOST)?;
    let games: u32 = cells.next()?.parse().ok()?;
    cells
        .next()
        .is_none()
        .then_some((row, rank, u64::from(games)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<BTreeMap<String, Histogram>, String> {
        let source = Source {
            name: "x.csv".into(),
            text: text.into(),
        };
        parse(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_are_gathered_and_mistakes_told() {
        let text = "# made by hand\nrow,log2_max_tile,games\na,5,3\na,6,4\nb,5,1\n";
        let rows = parsed(text).unwrap();
        assert_eq!(rows["a"], [(5, 3), (6, 4)].into());
        assert_eq!(rows["b"], [(5, 1)].into());
        assert!(parsed("a,5,3\n").unwrap_err().contains("the first line"));
        let with = |line: &str| parsed(&format!("{HEADER}\n{line}\n")).unwrap_err();
        for line in ["a,5", "a,5,3,1", "a,x,3", "a,5,-3", ",5,3", "a,32,1"] {
            assert!(with(line).contains("not a row name"), "{line}");
        }
        assert_eq!(with("a,5,3\na,5,1"), "row `a` has 2^5 twice");
        assert_eq!(with("a,5,0"), "row `a` has no games");
    }
}
