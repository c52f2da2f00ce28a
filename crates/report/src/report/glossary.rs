//! The words of a report that a reader may not know, with their meanings. `docs/glossary.md` has the same and more.

use super::Block;

/// Words and meanings, in alphabetical order.
const GLOSSARY: [(&str, &str); 17] = [
    (
        "axis ratio",
        "How much longer the longest axis of the search distribution is than the shortest one.",
    ),
    (
        "baseline",
        "The player or row that others are compared with; in `compare` the first one.",
    ),
    ("candidate", "One set of weights that a search tries."),
    (
        "confidence sequence",
        "An interval that stays valid however often you look while games are played; `compare` shows one.",
    ),
    (
        "fitness",
        "The value of the objective that a candidate reached in its training games. It contains luck.",
    ),
    (
        "generation",
        "The candidates that the search proposes at a time. All of them play the same seeds.",
    ),
    (
        "hold-out games",
        "Fresh games that start and tuned weights play after the search. Their seeds are used for nothing else, so the \
         luck of the search is not in their result.",
    ),
    (
        "interval",
        "A 95 % confidence interval: of all intervals that are printed, 95 in 100 contain the truth.",
    ),
    (
        "margin",
        "The smallest difference that matters to you in `compare`: 2 % if nothing else is given. Smaller differences count as none.",
    ),
    (
        "objective",
        "What a campaign maximises: the mean score of games, if nothing else is given.",
    ),
    (
        "paired",
        "Two sets of weights play the same seeds, and results are compared game by game.",
    ),
    (
        "race",
        "Games in which several results of searches are compared on common seeds; those that are shown to be worse drop \
         out.",
    ),
    (
        "seed",
        "The number from which all random tiles of a game, or all random numbers of a run, follow. The same seed gives the \
         same game for the same player.",
    ),
    (
        "sigma",
        "The step size of a search: how far candidates lie from its mean. 1 is the whole width of a parameter's bounds.",
    ),
    (
        "signal share",
        "The part of the variance of the fitness values that is due to the candidates. The rest is luck of the games.",
    ),
    (
        "standard error",
        "How far a mean of so many games typically lies from the true mean; `se` and the number behind ± are standard \
         errors.",
    ),
    (
        "start weights, tuned weights",
        "The weights with which a search begins, and those that it returns.",
    ),
];

/// The words of searches.
pub(super) const OF_SEARCH: &[&str] = &[
    "axis ratio",
    "candidate",
    "fitness",
    "generation",
    "hold-out games",
    "interval",
    "objective",
    "race",
    "seed",
    "sigma",
    "signal share",
    "standard error",
    "start weights, tuned weights",
];

/// The words of comparisons.
pub(super) const OF_COMPARISON: &[&str] = &[
    "baseline",
    "confidence sequence",
    "margin",
    "paired",
    "seed",
    "standard error",
];

/// The words of experiments.
pub(super) const OF_EXPERIMENT: &[&str] =
    &["baseline", "interval", "paired", "seed", "standard error"];

/// These words with their meanings, closed.
pub(super) fn words(words: &[&str]) -> Option<Block> {
    let known = GLOSSARY
        .iter()
        .filter(|(word, _)| words.contains(word))
        .map(|(word, meaning)| ((*word).to_owned(), meaning.replace('`', "")));
    Block::details("What the words mean", vec![Block::Pairs(known.collect())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_docs_says_the_same() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/glossary.md");
        let page = std::fs::read_to_string(path).expect("the docs are beside the crates");
        for (word, meaning) in GLOSSARY {
            let row = format!("| {word} | {meaning} |");
            assert!(page.contains(&row), "docs/glossary.md lacks: {row}");
        }
        assert!(GLOSSARY.is_sorted());
    }

    #[test]
    fn every_word_of_a_report_is_known() {
        for word in [OF_SEARCH, OF_COMPARISON, OF_EXPERIMENT].concat() {
            assert!(GLOSSARY.iter().any(|(known, _)| *known == word), "{word}");
        }
    }
}
