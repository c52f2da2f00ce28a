//! Weights in the forms that other programs read. Text in, text out: writing it somewhere is the
//! caller's.
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

pub use c_header::{Misfit, c_header};

/// TOML: the weights file itself, provenance included.
pub fn toml(file: &WeightsFile) -> String {
    ::toml::to_string(file).unwrap_or_else(|error| unreachable!("weights serialise: {error}"))
}

/// JSON: one object with `game`, `player`, `weights` and, if known, `provenance`.
pub fn json(file: &WeightsFile) -> String {
    let text = serde_json::to_string_pretty(file);
    text.unwrap_or_else(|error| unreachable!("weights serialise: {error}")) + "\n"
}

/// CSV: `weight,value`, one row a weight. Values read back to the same bits.
pub fn csv(file: &WeightsFile) -> String {
    let mut table = ::csv::Writer::from_writer(Vec::new());
    let mut row = |cells: [&str; 2]| {
        let written = table.write_record(cells);
        written.unwrap_or_else(|error| unreachable!("a row is written to memory: {error}"));
    };
    row(["weight", "value"]);
    for (key, value) in &file.weights {
        row([key, &value.to_string()]);
    }
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
