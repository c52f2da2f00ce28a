//! Distributions from elsewhere: CSV files beside an experiment, with the columns `row`, `max_tile`
//! or `log2_max_tile`, and `games`. Lines that begin with `#` say where they come from.

use std::collections::BTreeMap;

use super::{ConfigError, Source};
use crate::record::experiment::Histogram;

/// The headers: with the largest tile, and with its log2.
const HEADER: &str = "row,max_tile,games";
/// See [`HEADER`].
const LOG2_HEADER: &str = "row,log2_max_tile,games";
/// log2 of the largest tile that any board here can hold is well below this.
const MOST: u32 = 31;

/// The histograms of a file by row.
///
/// # Errors
/// With the line of the first mistake.
pub fn parse(source: &Source) -> Result<BTreeMap<String, Histogram>, ConfigError> {
    let mut rows: BTreeMap<String, Histogram> = BTreeMap::new();
    let mut start = 0;
    let mut header = None;
    for line in source.text.split_inclusive('\n') {
        let text = line.trim();
        let span = start..start + line.trim_end().len();
        start += line.len();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = |message: String| Err(source.mistake(message, span.clone(), None));
        let Some(header) = header else {
            header = [HEADER, LOG2_HEADER]
                .into_iter()
                .find(|known| text == *known);
            if header.is_none() {
                return wrong(format!(
                    "the first line must be `{HEADER}` or `{LOG2_HEADER}`"
                ));
            }
            continue;
        };
        let is_log2 = header == LOG2_HEADER;
        let Some((row, tile, games)) = cells(text, is_log2) else {
            let tile = match is_log2 {
                true => format!("whole number up to {MOST}"),
                false => "tile".to_owned(),
            };
            return wrong(format!("not a row name, a {tile} and a whole number"));
        };
        let before = rows.entry(row.to_owned()).or_default().insert(tile, games);
        if before.is_some() {
            return wrong(format!("row `{row}` has the tile {tile} twice"));
        }
    }
    for (row, histogram) in &rows {
        if histogram.values().sum::<u64>() == 0 {
            return Err(source.mistake(format!("row `{row}` has no games"), 0..0, None));
        }
    }
    Ok(rows)
}

/// Row, tile and games.
fn cells(text: &str, is_log2: bool) -> Option<(&str, u32, u64)> {
    let mut cells = text.split(',').map(str::trim);
    let row = cells.next().filter(|row| !row.is_empty())?;
    let tile: u32 = cells.next()?.parse().ok()?;
    let tile = match is_log2 {
        true => (tile <= MOST).then(|| 1 << tile)?,
        false => tile,
    };
    let games: u32 = cells.next()?.parse().ok()?;
    cells
        .next()
        .is_none()
        .then_some((row, tile, u64::from(games)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<BTreeMap<String, Histogram>, String> {
        let source = Source::new("x.csv", text);
        parse(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_are_gathered_and_mistakes_told() {
        let text = "# made by hand\nrow,log2_max_tile,games\na,5,3\na,6,4\nb,5,1\n";
        let rows = parsed(text).unwrap();
        assert_eq!(rows["a"], [(32, 3), (64, 4)].into());
        assert_eq!(rows["b"], [(32, 1)].into());
        let rows = parsed("row,max_tile,games\na,768,3\n").unwrap();
        assert_eq!(rows["a"], [(768, 3)].into());
        assert!(parsed("a,5,3\n").unwrap_err().contains("the first line"));
        let with = |line: &str| parsed(&format!("{LOG2_HEADER}\n{line}\n")).unwrap_err();
        for line in ["a,5", "a,5,3,1", "a,x,3", "a,5,-3", ",5,3", "a,32,1"] {
            assert!(with(line).contains("not a row name"), "{line}");
        }
        assert_eq!(with("a,5,3\na,5,1"), "row `a` has the tile 32 twice");
        assert_eq!(with("a,5,0"), "row `a` has no games");
    }
}
