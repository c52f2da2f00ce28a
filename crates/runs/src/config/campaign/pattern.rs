//! Keys of parameters with `*`: `[parameters."merge_value_*"]` means every key that matches. This module must not know
//! bounds or start values.

use std::collections::BTreeMap;

use super::ParameterConfig;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::terms::complete;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::heuristic::{INNER, OUTER, Parameter, is_constant};
use tiletune_engine::suggestion::did_you_mean;

/// Matches any characters of a key, also none.
const ANY: char = '*';

/// Matches every key but those of constants.
const ALL: &str = "*";

/// Replaces keys with a `*` by the keys that match. A line term is matched in the form that the start weights have:
/// whole, or as outer and inner lines. `*` alone leaves constants out. A pattern that ends with `_outer` or `_inner`
/// always matches these forms. A key with a table in the file keeps that table.
///
/// # Errors
/// If a pattern matches no key, or two patterns match the same key.
pub(super) fn expand(
    given: &mut BTreeMap<String, ParameterConfig>,
    start: &Weights,
    registry: &[Parameter],
) -> Result<(), FieldError> {
    let (patterns, exact): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(given)
        .into_iter()
        .partition(|(key, _)| key.contains(ANY));
    let whole = complete(start, registry);
    let mut matched: BTreeMap<String, String> = BTreeMap::new();
    for (pattern, config) in &patterns {
        let wrong = |message| FieldError::new(["parameters", pattern], message);
        let is_split = pattern.ends_with(OUTER) || pattern.ends_with(INNER);
        let is_left_out = |one: &&Parameter| pattern == ALL && is_constant(one, registry);
        let known = registry.iter().filter(|one| !is_left_out(one));
        let known = known.map(|parameter| parameter.key.as_str());
        let mut keys = known
            .filter(|key| is_split || whole.get(key).is_some())
            .filter(|key| matches(pattern, key))
            .peekable();
        if keys.peek().is_none() {
            let known = registry.iter().map(|parameter| parameter.key.as_str());
            let suggestion = did_you_mean(pattern, known);
            return Err(wrong(format!(
                "`{pattern}` matches no parameter{suggestion}"
            )));
        }
        for key in keys.filter(|key| !exact.keys().any(|exact| is_same_term(exact, key))) {
            if let Some(other) = matched.insert(key.to_owned(), pattern.clone()) {
                return Err(wrong(format!(
                    "`{other}` and `{pattern}` both match `{key}`"
                )));
            }
            given.insert(key.to_owned(), config.clone());
        }
    }
    given.extend(exact);
    Ok(())
}

/// Whether two keys are equal, or one is the whole key and the other its form for outer or inner lines.
fn is_same_term(one: &str, other: &str) -> bool {
    let whole = |key| str::strip_suffix(key, OUTER).or(str::strip_suffix(key, INNER));
    one == other || whole(one) == Some(other) || whole(other) == Some(one)
}

/// Whether a pattern matches a whole key.
pub(super) fn matches(pattern: &str, key: &str) -> bool {
    match pattern.split_once(ANY) {
        None => pattern == key,
        Some((before, after)) => key.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.into_iter().any(|at| matches(after, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::games::twenty48::heuristic::parameters;

    fn keys(patterns: &[&str], start: &[(&str, f64)]) -> Result<Vec<String>, String> {
        let config = |pattern: &&str| (pattern.to_string(), ParameterConfig::default());
        let mut given = patterns.iter().map(config).collect();
        let start = start.iter().map(|(key, value)| (key.to_string(), *value));
        let start = Weights::new(start, &parameters()).unwrap();
        let expanded = expand(&mut given, &start, &parameters());
        expanded.map_err(|error| error.message)?;
        Ok(given.into_keys().collect())
    }

    #[test]
    fn a_pattern_matches_whole_keys() {
        for (pattern, key, expected) in [
            ("*", "empty", true),
            ("empty", "empty", true),
            ("empty", "empty_outer", false),
            ("m*s", "merges", true),
            ("m*s", "merge", false),
            ("*_power*", "rank_sum_power_outer", true),
            ("**", "", true),
        ] {
            assert_eq!(matches(pattern, key), expected, "{pattern} {key}");
        }
    }

    #[test]
    fn keys_have_the_form_of_the_start_weights() {
        assert_eq!(
            keys(&["rank_sum*"], &[]).unwrap(),
            ["rank_sum", "rank_sum_power"]
        );
        let split = [("empty_outer", 1.0), ("empty_inner", 2.0)];
        assert_eq!(
            keys(&["empty*"], &split).unwrap(),
            ["empty_inner", "empty_outer"]
        );
        assert_eq!(keys(&["empty*_outer"], &[]).unwrap(), ["empty_outer"]);
        let all = keys(&["*"], &[]).unwrap();
        assert_eq!(all.len(), 11, "{all:?}");
        assert!(!all.contains(&"lost_penalty".to_owned()), "{all:?}");
        assert_eq!(keys(&["lost*"], &[]).unwrap(), ["lost_penalty"]);
    }

    #[test]
    fn a_key_that_is_given_itself_is_not_matched() {
        let with_split = ["e*", "empty_outer", "empty_inner"];
        assert_eq!(
            keys(&with_split, &[]).unwrap(),
            ["edge", "empty_inner", "empty_outer"]
        );
    }

    #[test]
    fn a_pattern_without_a_match_and_a_key_with_two_are_errors() {
        let error = keys(&["emty*"], &[]).unwrap_err();
        assert_eq!(error, "`emty*` matches no parameter; did you mean `empty`?");
        let error = keys(&["e*", "em*"], &[]).unwrap_err();
        assert_eq!(error, "`e*` and `em*` both match `empty`");
    }
}
