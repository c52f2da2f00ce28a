//! Weights in formats of other programs. This module returns text and must not write files.
//!
//! ```
//! use tiletune_runs::config::weights_file::parse;
//! use tiletune_runs::export;
//! use tiletune_runs::config::Source;
//!
//! # fn main() -> Result<(), tiletune_runs::config::ConfigError> {
//! let text = "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty = 2.5\nmerges = 7";
//! let (file, _, weights) = parse(&Source::new("weights.toml", text))?;
//! assert_eq!(export::csv(&file), "weight,value\nempty,2.5\nmerges,7\n");
//! assert_eq!(weights.to_string(), "empty 2.5, merges 7");
//! # Ok(())
//! # }
//! ```

mod c_header;
mod measured;

use serde_json::Value;

use crate::config::heuristic_file::HeuristicConfig;
use crate::config::weights_file::WeightsFile;

pub use c_header::c_header;

/// TOML: the weights file itself, provenance included.
pub fn toml(file: &WeightsFile) -> String {
    ::toml::to_string(&file.written())
        .unwrap_or_else(|error| unreachable!("weights can be serialised: {error}"))
}

/// JSON: one object with `game`, `player`, `weights` and, if there are any, `heuristic` and `provenance`. Seeds are
/// text.
pub fn json(file: &WeightsFile) -> String {
    let json = serde_json::to_value(file.written()).map(|mut json| {
        seeds_as_text(&mut json);
        format!("{json:#}\n")
    });
    json.unwrap_or_else(|error| unreachable!("weights can be serialised: {error}"))
}

/// Writes integers with keys `seed` and `.._seed` as text, because JSON readers may round them.
pub fn seeds_as_text(json: &mut Value) {
    match json {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::Number(seed) if key == "seed" || key.ends_with("_seed") => {
                        *value = seed.to_string().into();
                    }
                    value => seeds_as_text(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(seeds_as_text),
        _ => {}
    }
}

/// CSV with the columns `weight` and `value`. If the weights belong to a user's heuristic, also `heuristic` with its
/// key `about`. Values keep their exact bits.
pub fn csv(file: &WeightsFile) -> String {
    let mut table = ::csv::Writer::from_writer(Vec::new());
    let heuristic = file.heuristic.as_ref();
    let mut row = |key: &str, value: String, heuristic: Option<&str>| {
        let cells = [key, &value].into_iter().chain(heuristic);
        let written = table.write_record(cells);
        written.unwrap_or_else(|error| unreachable!("writing to memory does not fail: {error}"));
    };
    row("weight", "value".into(), heuristic.map(|_| "heuristic"));
    for (key, value) in &file.weights {
        row(
            key,
            value.to_string(),
            heuristic.map(HeuristicConfig::about),
        );
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
    fn a_heuristic_is_carried_or_named() {
        let table: ::toml::Table = "[terms.empty]\nvalue = 1".parse().unwrap();
        let own = WeightsFile {
            heuristic: Some(HeuristicConfig::Inline(table)),
            ..file()
        };
        let [toml, json] = [toml(&own), json(&own)];
        assert_eq!(::toml::from_str::<WeightsFile>(&toml).unwrap(), own);
        assert_eq!(serde_json::from_str::<WeightsFile>(&json).unwrap(), own);
        assert!(csv(&own).starts_with("weight,value,heuristic\nempty,0.1,own\n"));
    }

    #[test]
    fn integer_parameters_have_whole_numbers() {
        let parameters = "[parameters.n]\ninteger = true\n[parameters.x]\n";
        let values = [("n", 7.0), ("x", 3.0)].map(|(key, value)| (key.to_owned(), value));
        let whole = WeightsFile {
            weights: values.into(),
            heuristic: Some(HeuristicConfig::Inline(parameters.parse().unwrap())),
            ..file()
        };
        let [toml, json] = [toml(&whole), json(&whole)];
        assert!(toml.contains("n = 7\nx = 3.0\n"), "{toml}");
        assert!(json.contains("\"n\": 7,\n"), "{json}");
        assert_eq!(::toml::from_str::<WeightsFile>(&toml).unwrap(), whole);
        assert_eq!(serde_json::from_str::<WeightsFile>(&json).unwrap(), whole);
        // What a whole number cannot represent stays as it is.
        for value in [-0.0, 1e300, 2.5] {
            let weights = [("n".to_owned(), value)].into();
            let file = WeightsFile {
                weights,
                ..whole.clone()
            };
            let again: WeightsFile = ::toml::from_str(&super::toml(&file)).unwrap();
            assert_eq!(again.weights["n"].to_bits(), f64::to_bits(value));
        }
    }

    #[test]
    fn csv_has_a_row_a_weight() {
        assert_eq!(csv(&file()), "weight,value\nempty,0.1\nmerges,-3\n");
    }
}
