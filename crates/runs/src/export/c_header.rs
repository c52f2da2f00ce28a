//! Weights as a C header. For the players that reproduce nneonneo/2048-ai, the header contains the constants of that
//! program. For other players and for programs, it contains one constant per weight.

use std::collections::BTreeMap;

use super::measured;
use crate::config::weights_file::WeightsFile;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::games::external;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::heuristic::{INNER, OUTER, Parameter};

/// The game of nneonneo/2048-ai.
const GAME: &str = "2048";
/// Players with the weights of that program.
const PLAYERS: [&str; 2] = ["expectimax", "expectimax-faithful"];

/// The constants of that program and the keys of their weights.
const CONSTANTS: [(&str, &str); 7] = [
    ("SCORE_LOST_PENALTY", "lost_penalty"),
    ("SCORE_MONOTONICITY_POWER", "monotonicity_power"),
    ("SCORE_MONOTONICITY_WEIGHT", "monotonicity"),
    ("SCORE_SUM_POWER", "rank_sum_power"),
    ("SCORE_SUM_WEIGHT", "rank_sum"),
    ("SCORE_MERGES_WEIGHT", "merges"),
    ("SCORE_EMPTY_WEIGHT", "empty"),
];

/// The header for the weights of a player. Missing weights have their defaults. A comment lists the depths at which the
/// weights were measured.
///
/// # Errors
/// If the weights belong to a user's heuristic, the constants of nneonneo/2048-ai cannot represent them, two weights
/// would have the same constant, or comparisons in their provenance are wrong.
pub fn c_header(
    file: &WeightsFile,
    weights: &Weights,
    parameters: &[Parameter],
) -> Result<String, FieldError> {
    // The table of a program only declares its parameters; it has no terms.
    if file.heuristic.is_some() && file.game != external::NAME {
        let message = "these weights belong to a heuristic of their own, which a C header cannot contain: its \
                       constants are those of the published terms; `toml` and `json` contain the heuristic";
        return Err(FieldError::new(["heuristic"], message));
    }
    if file.game != GAME || !PLAYERS.contains(&file.player.as_str()) {
        return plain(file, weights, parameters);
    }
    for (key, value) in weights.iter() {
        let base = key.strip_suffix(OUTER).or(key.strip_suffix(INNER));
        let known = CONSTANTS.map(|(_, key)| key);
        // Weight 0 has no effect.
        if !known.contains(&base.unwrap_or(key)) && value != 0.0 {
            let known = known.join(", ");
            let message = format!(
                "`{key}` = {value} has no constant in the C header, which has only {known}"
            );
            return Err(FieldError::new(["weights", key], message));
        }
    }
    let mut about = vec![
        "Weights for nneonneo/2048-ai, written by tiletune.".to_owned(),
        "These constants replace those of 2048.cpp.".to_owned(),
    ];
    about.extend(measured(file)?);
    let mut header = comment(&about);
    for (constant, key) in CONSTANTS {
        let value = c_float(key, one_value(key, weights, parameters)?)?;
        header += &format!("static const float {constant} = {value};\n");
    }
    Ok(header)
}

/// One constant per weight, named by its key in upper case. `_` replaces characters that a C name cannot contain.
fn plain(
    file: &WeightsFile,
    weights: &Weights,
    parameters: &[Parameter],
) -> Result<String, FieldError> {
    let is_split = |key: &str| weights.get(&format!("{key}{OUTER}")).is_some();
    let mut constants = BTreeMap::new();
    let mut lines = String::new();
    for known in parameters {
        let key = known.key.as_str();
        let value = match weights.get(key) {
            Some(value) => value,
            // A term without a value is split, or has its default.
            None if known.is_split() || is_split(key) => continue,
            None => known.default,
        };
        let name = identifier(key);
        let value = if known.integer {
            value.to_string()
        } else {
            format!("{value:?}")
        };
        lines += &format!("static const double {name} = {value};\n");
        if let Some(other) = constants.insert(name, key) {
            let message =
                format!("`{other}` and `{key}` would have the same constant in the C header");
            return Err(FieldError::new(["weights", key], message));
        }
    }
    let mut about = vec![format!(
        "Weights for the player {} of {}, written by tiletune.",
        file.player, file.game
    )];
    about.extend(measured(file)?);
    Ok(comment(&about) + &lines)
}

/// A key as a C name.
fn identifier(key: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    let name: String = key.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}

/// Lines about the measurements in the provenance of the weights, if there are some.
fn measured(file: &WeightsFile) -> Result<Vec<String>, FieldError> {
    let mut lines = measured::lines(file)?;
    if !lines.is_empty() {
        let title = "Mean results of this player in tiletune; in brackets the 95 % interval of the difference:";
        lines.insert(0, title.into());
    }
    Ok(lines)
}

/// A C comment in ASCII. Its lines cannot contain the end of the comment.
fn comment(lines: &[String]) -> String {
    let ascii = |line: &String| {
        let line = line.replace('\u{2212}', "-").replace("*/", "* /");
        let plain = |c: char| {
            if c.is_ascii() && !c.is_control() {
                c
            } else {
                '?'
            }
        };
        line.chars().map(plain).collect::<String>()
    };
    let lines: Vec<String> = lines.iter().map(ascii).collect();
    format!("/* {} */\n", lines.join("\n * "))
}

/// The common value for all lines, if outer and inner lines have the same value.
fn one_value(key: &str, weights: &Weights, parameters: &[Parameter]) -> Result<f64, FieldError> {
    let [outer, inner] = [OUTER, INNER].map(|lines| weights.effective(&format!("{key}{lines}")));
    let (Some(outer), Some(inner)) = (outer, inner) else {
        return Ok(weights.or_default(key, parameters));
    };
    if outer == inner {
        Ok(outer)
    } else {
        let message = format!(
            "`{key}{OUTER}` = {outer} and `{key}{INNER}` = {inner} differ, but the C header has one \
             constant for all lines"
        );
        Err(FieldError::new(["weights", key], message))
    }
}

/// A C literal of type float, with about seven digits: `270.0f`, `1.5e-5f`.
fn c_float(key: &str, value: f64) -> Result<String, FieldError> {
    let float = value as f32;
    if !float.is_finite() || (float == 0.0) != (value == 0.0) {
        let message = format!("`{key}` = {value} is out of the range of a C float");
        return Err(FieldError::new(["weights", key], message));
    }
    Ok(format!("{float:?}f"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::games::twenty48::heuristic::parameters;

    fn header(pairs: &[(&str, f64)]) -> Result<String, FieldError> {
        let pairs = pairs.iter().map(|(key, value)| (key.to_string(), *value));
        let weights = Weights::new(pairs, &parameters()).unwrap();
        let file = WeightsFile {
            game: "2048".into(),
            player: "expectimax".into(),
            weights: weights.to_map(),
            heuristic: None,
            provenance: None,
        };
        c_header(&file, &weights, &parameters())
    }

    #[test]
    fn published_weights_give_the_published_constants() {
        let expected = "\
static const float SCORE_LOST_PENALTY = 200000.0f;
static const float SCORE_MONOTONICITY_POWER = 4.0f;
static const float SCORE_MONOTONICITY_WEIGHT = 47.0f;
static const float SCORE_SUM_POWER = 3.5f;
static const float SCORE_SUM_WEIGHT = 11.0f;
static const float SCORE_MERGES_WEIGHT = 700.0f;
static const float SCORE_EMPTY_WEIGHT = 270.0f;
";
        assert!(header(&[]).unwrap().ends_with(expected));
        let equal_split = [
            ("empty_outer", 270.0),
            ("empty_inner", 270.0),
            ("smoothness", 0.0),
        ];
        assert!(header(&equal_split).unwrap().ends_with(expected));
    }

    #[test]
    fn the_header_says_where_the_weights_were_measured() {
        let text = include_str!("../../../../configs/weights/expectimax-published-form.toml");
        let mut file: WeightsFile = toml::from_str(text).unwrap();
        let weights = Weights::new(file.weights.clone(), &parameters()).unwrap();
        let header = c_header(&file, &weights, &parameters()).unwrap();
        for line in [
            " * depth 2: 89,464, start of the campaign 86,657, difference +2,808 (313 to 5,303), 2,000 games",
            " * depth 4, cut-off 1e-4: 195,306, published weights 206,068, difference -10,762 (-29,049 to 7,524), \
             200 games */",
        ] {
            assert!(header.lines().any(|other| other == line), "{header}");
        }
        let compared = toml::toml! {
            compared = [{ with = "*/ ü\n", games = 1, mean = 1.0, with_mean = 1.0, difference = 0.0 }]
        };
        file.provenance = Some(compared);
        let header = c_header(&file, &weights, &parameters()).unwrap();
        assert_eq!(header.matches("*/").count(), 1);
        assert!(header.is_ascii());
    }

    #[test]
    fn other_players_have_a_constant_for_each_weight() {
        let registry = tiletune_engine::games::three_plus_three::heuristic::TERMS.parameters();
        let changes = [("twins", 0.1), ("empty_outer", 2.0), ("empty_inner", 1e-7)];
        let weights = Weights::default().with(changes, registry).unwrap();
        let file = WeightsFile {
            game: "three-plus-three".into(),
            player: "expectimax".into(),
            weights: Default::default(),
            heuristic: None,
            provenance: None,
        };
        let header = c_header(&file, &weights, registry).unwrap();
        for line in [
            "/* Weights for the player expectimax of three-plus-three, written by tiletune. */",
            "static const double TWINS = 0.1;",
            "static const double EMPTY_OUTER = 2.0;",
            "static const double EMPTY_INNER = 1e-7;",
            "static const double MONOTONICITY = 47.0;",
        ] {
            assert!(header.lines().any(|other| other == line), "{header}");
        }
        assert!(!header.contains("EMPTY ="), "{header}");
        assert!(!header.contains("TWINS_OUTER"), "{header}");
    }

    #[test]
    fn programs_have_a_constant_for_each_weight() {
        let header = |keys: [&str; 3]| {
            let tables =
                keys.map(|key| format!("[parameters.\"{key}\"]\ndefault = 7\nmin = 0\nmax = 9\n"));
            let declaration = format!("command = [\"play\"]\n{}", tables.concat());
            let text = format!(
                "game = \"external\"\nplayer = \"program\"\n[weights]\n[heuristic]\n{}",
                declaration.replace("[parameters", "[heuristic.parameters")
            );
            let file: WeightsFile = toml::from_str(&text).unwrap();
            let parameters = keys.map(|key| Parameter {
                key: key.into(),
                default: 7.0,
                integer: key == "2-fold",
                ..parameters()[0].clone()
            });
            c_header(&file, &Weights::default(), &parameters)
        };
        let text = header(["lmr.base", "2-fold", "Space"]).unwrap();
        for name in ["LMR_BASE", "_2_FOLD", "SPACE"] {
            assert!(
                text.contains(&format!("static const double {name} = ")),
                "{text}"
            );
        }
        assert!(text.contains(" _2_FOLD = 7;"), "{text}");
        assert!(text.contains(" SPACE = 7.0;"), "{text}");
        let misfit = header(["Space", "a.b", "a-B"]).unwrap_err().to_string();
        assert!(
            misfit.contains("`a.b` and `a-B` would have the same constant"),
            "{misfit}"
        );
    }

    #[test]
    fn what_the_constants_cannot_say_is_refused() {
        let misfit = header(&[("smoothness", 2.0)]).unwrap_err().to_string();
        assert!(
            misfit.starts_with("`smoothness` = 2 has no constant"),
            "{misfit}"
        );
        for (weights, said) in [
            (
                &[("empty_outer", 2.0), ("empty_inner", 3.0)][..],
                "differ, but",
            ),
            (&[("empty", 1e300)], "out of the range of a C float"),
            (&[("corner", 2.0)], "`corner` = 2 has no constant"),
        ] {
            let misfit = header(weights).unwrap_err().to_string();
            assert!(misfit.contains(said), "{misfit}");
        }
    }
}
