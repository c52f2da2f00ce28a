//! Sentences about the importance of the parameters: which ones matter, which could go, and what the numbers are worth.

use crate::number::{compact, count, percent};
use tiletune_tuning::results::RunData;
use tiletune_tuning::results::importance::{Importance, ParameterImportance};

/// Number of parameters that are named as the most important ones.
const NAMED: usize = 3;
/// A model that predicts a smaller share of the variance is not trusted.
const LITTLE: f64 = 0.02;

/// Which parameters matter, for everybody; `None` if the search says too little.
pub(super) fn plainly(data: &RunData) -> Option<String> {
    let importance = data.importance.as_ref()?;
    let (shown, others): (Vec<_>, Vec<_>) =
        importance.parameters.iter().partition(|one| one.is_shown());
    if importance.predicted < LITTLE || shown.is_empty() {
        let mut sentence =
            "The candidates of this search do not show which parameters matter".to_owned();
        if importance.predicted < LITTLE {
            sentence += ": the differences between them were mostly luck";
        }
        return Some(sentence + ".");
    }
    let name = |one: &&ParameterImportance| format!("`{}`", data.parameters[one.index].name);
    let names =
        |some: &[&ParameterImportance]| some.iter().map(name).collect::<Vec<_>>().join(", ");
    let most = &shown[..shown.len().min(NAMED)];
    let mut sentence = format!("What mattered most in the search: {}.", names(most));
    if !others.is_empty() {
        sentence += &format!(
            " Not shown to matter, beyond luck: {}. Games decide whether they can go: `tiletune tune --prune RUN`.",
            names(&others)
        );
    }
    Some(sentence)
}

/// How the importance was computed and what limits it, for statisticians.
pub(super) fn limits(importance: &Importance) -> String {
    let Importance {
        candidates,
        generations,
        all_generations,
        has_pairs,
        predicted,
        ..
    } = importance;
    let of = if generations < all_generations {
        format!(" of {}", count(*all_generations))
    } else {
        String::new()
    };
    let pairs = if *has_pairs {
        "its square and the products of pairs"
    } else {
        "and its square (too few candidates for products of pairs)"
    };
    format!(
        "Importance: a ridge regression of the fitness on each parameter, {pairs}, within {} generations{of} ({} candidates, \
         weighted by games). It predicts {} of the variance in generations that it was not fitted to. Intervals: 200 \
         bootstrap resamples of blocks of generations; luck: 200 permutations within generations. It is a quadratic \
         function: it knows one hill, only the region that the search visited, and no other search. An effect is the change \
         of the fitness when one parameter moves alone.",
        count(*generations),
        count(*candidates),
        percent(predicted.max(0.0)),
    )
}

/// The effect of a parameter, its interval and the effect that luck explains, as cells of a table.
pub(super) fn cells(one: &ParameterImportance) -> [String; 3] {
    let [low, high] = [one.low, one.high].map(compact);
    [
        compact(one.effect),
        format!("{low} to {high}"),
        compact(one.by_luck),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;

    #[test]
    fn what_matters_is_said_and_what_could_go() {
        let mut data = example::run(3, 20, 10);
        let said = plainly(&data).unwrap();
        assert_eq!(
            said,
            "What mattered most in the search: `empty_cells`, `monotonicity`. Not shown to matter, beyond luck: \
             `smoothness`. Games decide whether they can go: `tiletune tune --prune RUN`."
        );
        if let Some(importance) = &mut data.importance {
            importance.predicted = -0.1;
            assert!(
                limits(importance).contains("It predicts 0 %"),
                "{}",
                limits(importance)
            );
        }
        assert!(plainly(&data).unwrap().contains("mostly luck"));
        data.importance = None;
        assert_eq!(plainly(&data), None);
    }
}
