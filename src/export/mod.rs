//! Weights in formats of other programs. This module returns text and must not write files.
//!
//! ```
//! use tiletune::config::weights_file::parse;
//! use tiletune::{Source, export};
//!
//! # fn main() -> Result<(), tiletune::ConfigError> {
//! let text = "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty = 2.5\nmerges = 7";
//! let (file, _, weights) = parse(&Source::new("weights.toml", text))?;
//! assert_eq!(export::csv(&file), "weight,value\nempty,2.5\nmerges,7\n");
//! assert_eq!(weights.to_string(), "empty 2.5, merges 7");
//! # Ok(())
//! # }
//! ```

mod c_header;

use crate::config::weights_file::WeightsFile;

pub use c_header::c_header;

/// TOML: the weights file itself, provenance included.
pub fn toml(file: &WeightsFile) -> String {
    ::toml::to_string(file)
        .unwrap_or_else(|error| unreachable!("weights can be serialised: {error}"))
}

/// JSON: one object with `game`, `player`, `weights` and, if known, `provenance`.
pub fn json(file: &WeightsFile) -> String {
    let text = serde_json::to_string_pretty(file);
    text.unwrap_or_else(|error| unreachable!("weights can be serialised: {error}")) + "\n"
}

/// CSV with the columns `weight` and `value`. Reading a value back gives the same bits.
pub fn csv(file: &WeightsFile) -> String {
    let mut table = ::csv::Writer::from_writer(Vec::new());
    let mut row = |key: &str, value: String| {
        let written = table.write_record([key, &value]);
        written.unwrap_or_else(|error| unreachable!("writing to memory does not fail: {error}"));
    };
    row("weight", "value".into());
    file.weights
        .iter()
        .for_each(|(key, value)| row(key, value.to_string()));
    let bytes = table.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> WeightsFile {
        WeightsFile {
            game: "2048".into(),
            player: "expectimax".into(),
            weights: [("empty".to_owned(), 0.1), ("merges".to_owned(), -3.0)].into(),
            heuristic: None,
            provenance: Some(::toml::from_str("campaign = \"x\"").unwrap()),
        }
    }

    #[test]
    fn toml_and_json_come_back() {
        assert_eq!(
            ::toml::from_str::<WeightsFile>(&toml(&file())).unwrap(),
            file()
        );
        assert_eq!(
            serde_json::from_str::<WeightsFile>(&json(&file())).unwrap(),
            file()
        );
    }

    #[test]
    fn csv_has_a_row_a_weight() {
        assert_eq!(csv(&file()), "weight,value\nempty,0.1\nmerges,-3\n");
    }
}
