//! What a user may have meant by a name that is not known.

/// Similarity, from 0 to 1, above which a name is near another.
const NEAR: f64 = 0.78;

/// The nearest of `known` to `name`, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    scored
        .filter(|(similarity, _)| *similarity > NEAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// `; did you mean ...?` with the nearest of `known` to `name`; empty if none is near.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, known) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}

/// The message for a name that is not known, with the nearest and all known ones.
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
