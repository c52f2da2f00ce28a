//! Suggestions for unknown names.

/// A name is suggested if its Jaro-Winkler similarity (0 to 1) is above this value.
const LEAST_SIMILARITY: f64 = 0.78;

/// The known name that is most similar to `name`; `None` if no name is similar enough.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    scored
        .filter(|(similarity, _)| *similarity > LEAST_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The text `; did you mean ...?` with the most similar known name; empty if no name is similar enough.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let nearest = nearest(name, known).map(|name| format!("; did you mean `{name}`?"));
    nearest.unwrap_or_default()
}

/// The error message for an unknown name. It contains the most similar name and the list of known names.
pub fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let suggestion = did_you_mean(name, known.iter().copied());
    let known = known.join(", ");
    format!("unknown {what} `{name}`{suggestion} (known: {known})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_similar_name_is_suggested() {
        let known = ["games", "games_growth", "objective"];
        assert_eq!(nearest("gmaes", known), Some("games"));
        assert_eq!(nearest("depth", known), None);
        assert_eq!(
            unknown("key", "objetive", &known),
            "unknown key `objetive`; did you mean `objective`? (known: games, games_growth, objective)"
        );
    }
}
