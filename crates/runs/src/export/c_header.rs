//! Weights as a C header: one constant per weight. Every name begins with `tiletune_` (that of a macro with `TILETUNE_`), so
//! that it is no keyword, no name of a usual header and no name of the program that includes it. For the players that
//! reproduce nneonneo/2048-ai, the header can also define the constants of that program, if they can represent the weights.

use std::collections::BTreeMap;

use super::measured;
use crate::config::weights_file::WeightsFile;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::heuristic::{INNER, OUTER, Parameter};
use tiletune_report::report::confidence;

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

/// Options of a player that change the game, if they are given.
const RULES: [&str; 3] = ["board", "spawn", "first_tiles"];

/// The beginning of every name.
const PREFIX: &str = "tiletune_";

/// The macro that asks a header for the names of nneonneo/2048-ai.
const OF_2048_CPP: &str = "TILETUNE_2048_CPP";

/// The header for the weights of a player. Missing weights have their defaults. A comment lists the depths at which the
/// weights were measured, the names that differ from the keys of their weights, and the texts of choices.
///
/// # Errors
/// If two weights would have the same constant, or comparisons in their provenance are wrong.
pub fn c_header(
    file: &WeightsFile,
    weights: &Weights,
    parameters: &[Parameter],
) -> Result<String, FieldError> {
    let keyed = keyed(weights, parameters)?;
    let reproduces = file.game == GAME && PLAYERS.contains(&file.player.as_str());
    let mut about = vec![format!(
        "Weights for the player {} of {}, written by tiletune.",
        file.player, file.game
    )];
    let rules = rules(file);
    about.extend(rules.as_ref().map(|rules| format!("They are for {rules}.")));
    let mut names = String::new();
    // That program plays on the usual board only.
    if reproduces && file.heuristic.is_none() && rules.is_none() {
        match constants(weights, parameters) {
            Ok(constants) => {
                about.push(format!(
                    "Define {OF_2048_CPP} before the header is included to get the constants of 2048.cpp in \
                     nneonneo/2048-ai."
                ));
                names = format!("\n#ifdef {OF_2048_CPP}\n{constants}#endif\n");
            }
            Err(misfit) => about.push(format!(
                "The constants of 2048.cpp in nneonneo/2048-ai cannot represent them: {misfit}."
            )),
        }
    }
    if file.heuristic.is_some() && file.game != "external" {
        about.push("The terms of their heuristic file are not part of this header.".to_owned());
    }
    about.extend(keyed.notes);
    about.extend(measured(file)?);
    let (comment, guard, lines) = (comment(&about), guard(file), keyed.lines);
    Ok(format!(
        "{comment}#ifndef {guard}\n#define {guard}\n\n{lines}{names}\n#endif\n"
    ))
}

/// The options of the board that the weights were tuned or measured with: `board 3x4, spawn 2:0.8,4:0.2`; `None` if they
/// are the usual ones.
fn rules(file: &WeightsFile) -> Option<String> {
    let player = file.provenance.as_ref()?.get("player")?.as_table()?;
    let given = RULES
        .iter()
        .filter_map(|key| Some((key, player.get(*key)?)));
    let given = given.map(|(key, value)| {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        format!("{} {value}", key.replace('_', " "))
    });
    let given: Vec<String> = given.collect();
    (!given.is_empty()).then(|| given.join(", "))
}

/// The macro that keeps a header from being read twice. Headers of other players are read beside it.
fn guard(file: &WeightsFile) -> String {
    let name = as_name(&format!("{}_{}", file.game, file.player));
    format!("TILETUNE_{}_H", name.to_ascii_uppercase())
}

/// The constants of nneonneo/2048-ai, or the reason why they cannot represent the weights.
fn constants(weights: &Weights, parameters: &[Parameter]) -> Result<String, String> {
    for (key, value) in weights.iter() {
        let base = key.strip_suffix(OUTER).or(key.strip_suffix(INNER));
        let known = CONSTANTS.map(|(_, key)| key);
        // Weight 0 has no effect.
        if !known.contains(&base.unwrap_or(key)) && value != 0.0 {
            return Err(format!("`{key}` is not one of them"));
        }
    }
    let constant = |(constant, key): (&str, &str)| {
        let value = c_float(key, one_value(key, weights, parameters)?)?;
        Ok(format!("static const float {constant} = {value};\n"))
    };
    CONSTANTS.into_iter().map(constant).collect()
}

/// The constants of weights by their keys.
struct Keyed {
    /// A line for each constant.
    lines: String,
    /// A sentence for each constant whose name is not the prefix and the key, and for each category.
    notes: Vec<String>,
}

/// One constant per weight, with the key of the weight in its name as far as C allows that.
fn keyed(weights: &Weights, parameters: &[Parameter]) -> Result<Keyed, FieldError> {
    let is_split = |key: &str| weights.get(&format!("{key}{OUTER}")).is_some();
    let (mut keys, mut notes, mut lines) = (BTreeMap::new(), Vec::new(), String::new());
    for known in parameters {
        let key = known.key.as_str();
        let value = match weights.get(key) {
            Some(value) => value,
            // A term without a value is split, or has its default.
            None if known.is_split() || is_split(key) => continue,
            None => known.default,
        };
        let name = format!("{PREFIX}{}", as_name(key));
        let (of, value) = literal(value, known.integer);
        lines += &format!("static const {of} {name} = {value};\n");
        if name.strip_prefix(PREFIX) != Some(key) {
            notes.push(format!("The constant of {key} is {name}."));
        }
        if !known.choices.is_empty() {
            let choices = known.choices.iter().enumerate();
            let choices = choices.map(|(number, choice)| format!("{number} is {choice}"));
            notes.push(format!(
                "{key}: {}.",
                choices.collect::<Vec<_>>().join(", ")
            ));
        }
        if let Some(other) = keys.insert(name, key) {
            let message = format!(
                "`{other}` and `{key}` would have the same constant in the C header; `json`, `toml` and `csv` have both"
            );
            return Err(FieldError::new(["weights", key], message));
        }
    }
    Ok(Keyed { lines, notes })
}

/// A part of a C name: `_` replaces every character that is not an ASCII letter or digit.
fn as_name(key: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    key.chars().map(plain).collect()
}

/// The type and the literal of a value.
fn literal(value: f64, is_integer: bool) -> (&'static str, String) {
    let (whole, most) = (value as i64, f64::from(i32::MAX));
    if !is_integer || whole as f64 != value || whole == i64::MAX || whole == i64::MIN {
        ("double", format!("{value:?}"))
    } else if value.abs() <= most {
        ("int", whole.to_string())
    } else {
        ("long long", whole.to_string())
    }
}

/// Lines about the measurements in the provenance of the weights, if there are some.
fn measured(file: &WeightsFile) -> Result<Vec<String>, FieldError> {
    let mut lines = measured::lines(file)?;
    if !lines.is_empty() {
        let look = || {
            let hold_out = file.provenance.as_ref()?.get("hold_out")?;
            u32::try_from(hold_out.get("look")?.as_integer()?).ok()
        };
        let confidence = look().map_or("95 %".to_owned(), confidence);
        let title = format!(
            "Mean results of this player in tiletune; in brackets the {confidence} interval of the difference:"
        );
        lines.insert(0, title);
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
fn one_value(key: &str, weights: &Weights, parameters: &[Parameter]) -> Result<f64, String> {
    let [outer, inner] = [OUTER, INNER].map(|lines| weights.effective(&format!("{key}{lines}")));
    match (outer, inner) {
        (Some(outer), Some(inner)) if outer != inner => {
            Err(format!("`{key}{OUTER}` and `{key}{INNER}` differ"))
        }
        (Some(outer), Some(_)) => Ok(outer),
        _ => Ok(weights.or_default(key, parameters)),
    }
}

/// A C literal of type float, with about seven digits: `270.0f`, `1.5e-5f`.
fn c_float(key: &str, value: f64) -> Result<String, String> {
    let float = value as f32;
    if !float.is_finite() || (float == 0.0) != (value == 0.0) {
        return Err(format!("`{key}` = {value} is out of the range of a float"));
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
        let expected = &format!("#ifdef TILETUNE_2048_CPP\n{expected}#endif\n\n#endif\n");
        let published = header(&[]).unwrap();
        assert!(published.ends_with(expected), "{published}");
        // Without that macro the header has no name of another program.
        let own = published.replace(expected, "");
        assert!(
            own.contains("static const double tiletune_empty = 270.0;"),
            "{own}"
        );
        assert!(!own.contains("SCORE_"), "{own}");
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
            "#ifndef TILETUNE_THREE_PLUS_THREE_EXPECTIMAX_H",
            "static const double tiletune_twins = 0.1;",
            "static const double tiletune_empty_outer = 2.0;",
            "static const double tiletune_empty_inner = 1e-7;",
            "static const double tiletune_monotonicity = 47.0;",
        ] {
            assert!(header.lines().any(|other| other == line), "{header}");
        }
        assert!(!header.contains("_empty ="), "{header}");
        assert!(!header.contains("twins_outer"), "{header}");
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
        for line in [
            " * The constant of lmr.base is tiletune_lmr_base.",
            " * The constant of 2-fold is tiletune_2_fold. */",
            "static const double tiletune_lmr_base = 7.0;",
            "static const int tiletune_2_fold = 7;",
            "static const double tiletune_Space = 7.0;",
        ] {
            assert!(text.lines().any(|other| other == line), "{text}");
        }
        let misfit = header(["Space", "a.b", "a-b"]).unwrap_err().to_string();
        assert!(
            misfit.contains("`a.b` and `a-b` would have the same constant"),
            "{misfit}"
        );
    }

    #[test]
    fn integers_have_no_point() {
        assert_eq!(literal(-3.0, true), ("int", "-3".to_owned()));
        assert_eq!(literal(3e9, true), ("long long", "3000000000".to_owned()));
        assert_eq!(literal(3.0, false), ("double", "3.0".to_owned()));
        assert_eq!(literal(1e300, true), ("double", "1e300".to_owned()));
    }

    #[test]
    fn what_the_constants_cannot_say_has_constants_of_its_own() {
        for (weights, reason, line) in [
            (
                &[("smoothness", 2.0)][..],
                "`smoothness` is not one of them",
                "smoothness = 2.0",
            ),
            (
                &[("empty_outer", 2.0), ("empty_inner", 3.0)],
                "`empty_outer` and `empty_inner` differ",
                "empty_inner = 3.0",
            ),
            (&[("empty", 1e300)], "`empty` = 1000000000", "empty = 1e300"),
        ] {
            let header = header(weights).unwrap();
            assert!(header.contains(reason), "{header}");
            let line = format!("static const double tiletune_{line};");
            assert!(header.lines().any(|other| other == line), "{header}");
        }
    }
}
