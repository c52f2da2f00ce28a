//! Published distributions: CSV files with the columns `row`, `max_tile` or `log2_max_tile`, and
//! `games`. Lines that begin with `#` are comments. This module must not know which rows an experiment
//! has.

use std::collections::BTreeMap;
use std::ops::Range;

use csv::{ReaderBuilder, StringRecord, Trim};

use super::{ConfigError, Source};
use tiletune_tuning::results::experiment::Histogram;

/// The header of a file with tiles.
const HEADER: &str = "row,max_tile,games";
/// The header of a file with binary logarithms of tiles.
const LOG2_HEADER: &str = "row,log2_max_tile,games";

/// The histograms of a file, by row.
///
/// # Errors
/// With the line of the first error.
pub fn parse(source: &Source) -> Result<BTreeMap<String, Histogram>, ConfigError> {
    let mut rows: BTreeMap<String, Histogram> = BTreeMap::new();
    let mut header = None;
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(Trim::All)
        .from_reader(source.text.as_bytes());
    let mut record = StringRecord::new();
    loop {
        let start = reader.position().byte() as usize;
        let line = || first_line(&source.text, start);
        let wrong = |message: String| Err(source.mistake(message, line(), None));
        match reader.read_record(&mut record) {
            Ok(true) if record.iter().eq([""]) => continue,
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return wrong(error.to_string()),
        }
        let Some(header) = header else {
            let mut known = [HEADER, LOG2_HEADER].into_iter();
            header = known.find(|known| record.iter().eq(known.split(',')));
            match header {
                Some(_) => continue,
                None => {
                    return wrong(format!(
                        "the first line must be `{HEADER}` or `{LOG2_HEADER}`"
                    ));
                }
            }
        };
        let is_log2 = header == LOG2_HEADER;
        let Some((row, tile, games)) = cells(&record, is_log2) else {
            let tile = if is_log2 {
                "whole number up to 31"
            } else {
                "tile"
            };
            return wrong(format!("expected a row name, a {tile} and a whole number"));
        };
        let histogram = rows.entry(row.to_owned()).or_default();
        if histogram.insert(tile, games).is_some() {
            return wrong(format!("row `{row}` has the tile {tile} twice"));
        }
    }
    match rows
        .iter()
        .find(|(_, games)| games.values().all(|games| *games == 0))
    {
        Some((row, _)) => Err(source.mistake(format!("row `{row}` has no games"), 0..0, None)),
        None => Ok(rows),
    }
}

/// The first line at or after `start` that is neither empty nor a comment.
fn first_line(text: &str, mut start: usize) -> Range<usize> {
    for line in text[start..].split_inclusive('\n') {
        if !line.trim().is_empty() && !line.starts_with('#') {
            return start..start + line.trim_end().len();
        }
        start += line.len();
    }
    start..start
}

fn cells(record: &StringRecord, is_log2: bool) -> Option<(&str, u32, u64)> {
    let [row, tile, games] = record.iter().collect::<Vec<_>>().try_into().ok()?;
    let tile: u32 = tile.parse().ok()?;
    let tile = if is_log2 {
        1u32.checked_shl(tile)?
    } else {
        tile
    };
    let games: u32 = games.parse().ok()?;
    (!row.is_empty()).then_some((row, tile, u64::from(games)))
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
            assert!(with(line).contains("expected a row name"), "{line}");
        }
        assert_eq!(with("a,5,3\na,5,1"), "row `a` has the tile 32 twice");
        assert_eq!(with("a,5,0"), "row `a` has no games");
    }

    #[test]
    fn names_may_be_quoted() {
        let rows =
            parsed("row,max_tile,games\r\n\"empty, \"\"alone\"\"\",8,3\r\n\r\nb , 4, 1").unwrap();
        assert_eq!(rows["empty, \"alone\""], [(8, 3)].into());
        assert_eq!(rows["b"], [(4, 1)].into());
    }

    #[test]
    fn mistakes_stand_at_their_line() {
        let place = |text: &str| {
            let source = Source::new("x.csv", text);
            let Err(ConfigError::Mistake { span, .. }) = parse(&source) else {
                panic!("no mistake in {text:?}");
            };
            text[span.offset()..span.offset() + span.len()].to_owned()
        };
        let text = "\n# a, \"remark\nrow,max_tile,games\n\n# b\r\n\"a, b\",x,3\r\nc,4,5\n";
        assert_eq!(place(text), "\"a, b\",x,3");
        assert_eq!(place("# only\nrows\n"), "rows");
        let open = "row,max_tile,games\na,4,1\n\"b,4,1\nc,4,1\n";
        assert_eq!(place(open), "\"b,4,1");
    }
}
