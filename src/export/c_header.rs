//! Weights as a C header: for the players that are nneonneo/2048-ai its constants, for others a constant
//! for each weight.

use crate::config::weights_file::WeightsFile;
use crate::heuristic::weights::Weights;
use crate::heuristic::{INNER, OUTER, Parameter};

/// The game of that program.
const GAME: &str = "2048";
/// Players with its weights.
const PLAYERS: [&str; 2] = ["expectimax", "expectimax-faithful"];

/// Constant of the program and the weight that it is.
const CONSTANTS: [(&str, &str); 7] = [
    ("SCORE_LOST_PENALTY", "lost_penalty"),
    ("SCORE_MONOTONICITY_POWER", "monotonicity_power"),
    ("SCORE_MONOTONICITY_WEIGHT", "monotonicity"),
    ("SCORE_SUM_POWER", "rank_sum_power"),
    ("SCORE_SUM_WEIGHT", "rank_sum"),
    ("SCORE_MERGES_WEIGHT", "merges"),
    ("SCORE_EMPTY_WEIGHT", "empty"),
];

/// Why weights do not fit the constants.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Misfit {
    /// The program has no such term.
    #[error(
        "`{key}` = {value} has no constant in the C header, whose terms are {}",
        constants()
    )]
    NoConstant {
        /// Key of the weight.
        key: String,
        /// Its value.
        value: f64,
    },
    /// Out of the range of C's float.
    #[error("`{key}` = {value} is out of the range of a C float")]
    NoFloat {
        /// Key of the weight.
        key: String,
        /// Its value.
        value: f64,
    },
    /// The program treats all lines alike.
    #[error(
        "`{key}{OUTER}` = {outer} and `{key}{INNER}` = {inner} differ, but the C header has one \
         constant for all lines"
    )]
    Split {
        /// Key without its suffix.
        key: String,
        /// Value on outer lines.
        outer: f64,
        /// Value on inner lines.
        inner: f64,
    },
}

fn constants() -> String {
    CONSTANTS.map(|(_, key)| key).join(", ")
}

/// The header for a player's weights; what they leave out has its default.
///
/// # Errors
/// If the weights say something that the constants cannot.
pub fn c_header(
    file: &WeightsFile,
    weights: &Weights,
    parameters: &[Parameter],
) -> Result<String, Misfit> {
    if file.game != GAME || !PLAYERS.contains(&file.player.as_str()) {
        return Ok(plain(file, weights, parameters));
    }
    for (key, value) in weights.iter() {
        let base = key
            .strip_suffix(OUTER)
            .or(key.strip_suffix(INNER))
            .unwrap_or(key);
        let is_constant = CONSTANTS.iter().any(|(_, known)| *known == base);
        // A term that is off is no loss.
        if !is_constant && value != 0.0 {
            return Err(Misfit::NoConstant {
                key: key.into(),
                value,
            });
        }
    }
    let mut lines = Vec::new();
    for (constant, key) in CONSTANTS {
        lines.push(format!(
            "static const float {constant} = {};",
            c_float(key, one_value(key, weights, parameters)?)?
        ));
    }
    Ok(format!(
        "/* Weights for nneonneo/2048-ai, written by tiletune: its heuristic constants, to stand in the\n \
         * place of those in 2048.cpp. */\n{}\n",
        lines.join("\n")
    ))
}

/// A constant for each weight, named by its key in upper case.
fn plain(file: &WeightsFile, weights: &Weights, parameters: &[Parameter]) -> String {
    let is_split = |key: &str| weights.get(&format!("{key}{OUTER}")).is_some();
    let constant = |known: &Parameter| {
        let value = match weights.get(&known.key) {
            Some(value) => value,
            // Without a value of its own a term is either split or has its default.
            None if known.is_split() || is_split(&known.key) => return None,
            None => known.default,
        };
        let name = known.key.to_uppercase();
        Some(format!("static const double {name} = {value:?};\n"))
    };
    format!(
        "/* Weights for the player {} of {}, written by tiletune. */\n{}",
        file.player,
        file.game,
        parameters.iter().filter_map(constant).collect::<String>()
    )
}

/// The value for all lines.
fn one_value(key: &str, weights: &Weights, parameters: &[Parameter]) -> Result<f64, Misfit> {
    let default = parameters.iter().find(|parameter| parameter.key == key);
    let default = default.map_or(0.0, |parameter| parameter.default);
    let on = |lines: &str| {
        weights
            .effective(&format!("{key}{lines}"))
            .unwrap_or(default)
    };
    let (outer, inner) = (on(OUTER), on(INNER));
    if outer == inner {
        Ok(outer)
    } else {
        Err(Misfit::Split {
            key: key.into(),
            outer,
            inner,
        })
    }
}

/// A C literal of type float, which keeps about seven digits: `270.0f`, `1.5e-5f`.
fn c_float(key: &str, value: f64) -> Result<String, Misfit> {
    let float = value as f32;
    if !float.is_finite() || (float == 0.0) != (value == 0.0) {
        return Err(Misfit::NoFloat {
            key: key.into(),
            value,
        });
    }
    Ok(format!("{float:?}f"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::heuristic::parameters;

    fn header(pairs: &[(&str, f64)]) -> Result<String, Misfit> {
        let pairs = pairs.iter().map(|(key, value)| (key.to_string(), *value));
        let weights = Weights::new(pairs, &parameters()).unwrap();
        let file = WeightsFile {
            game: "2048".into(),
            player: "expectimax".into(),
            weights: weights
                .iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
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
    fn other_players_have_a_constant_for_each_weight() {
        let registry = crate::games::three_plus_three::heuristic::TERMS.parameters();
        let changes = [("twins", 0.1), ("empty_outer", 2.0), ("empty_inner", 1e-7)];
        let weights = Weights::default().with(changes, &registry).unwrap();
        let file = WeightsFile {
            game: "three-plus-three".into(),
            player: "expectimax".into(),
            weights: Default::default(),
            provenance: None,
        };
        let header = c_header(&file, &weights, &registry).unwrap();
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
    fn what_the_constants_cannot_say_is_refused() {
        let misfit = header(&[("smoothness", 2.0)]).unwrap_err().to_string();
        assert!(
            misfit.starts_with("`smoothness` = 2 has no constant"),
            "{misfit}"
        );
        let misfit = header(&[("empty_outer", 2.0), ("empty_inner", 3.0)]).unwrap_err();
        assert!(matches!(misfit, Misfit::Split { .. }));
        let misfit = header(&[("empty", 1e300)]).unwrap_err();
        assert!(matches!(misfit, Misfit::NoFloat { .. }));
        let misfit = header(&[("corner", 2.0)]).unwrap_err();
        assert!(matches!(misfit, Misfit::NoConstant { .. }));
    }
}
