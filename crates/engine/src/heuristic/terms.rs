//! The terms of a player. A term can be switched off, and its values can be copied from one set of weights to
//! another. Experiments with single terms use both operations.
//!
//! A term consists of one or several weights and its exponent. They apply to all lines, or separately to outer
//! and inner lines. A term with weight 0 is off. A constant (see [`Role`]) can be copied but not switched off.
//! The terms are derived from the list of a player's parameters; this module must not know a game.

use super::weights::Weights;
use super::{INNER, OUTER, POWER, Parameter, Role};

/// A term or a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Name of the term. It is the key of its weight for all lines.
    pub name: String,
    /// True if the term can be switched off.
    pub can_be_off: bool,
    /// Keys of its parameters.
    keys: Vec<String>,
    /// Keys of its weights for all lines.
    weights: Vec<String>,
}

/// The terms and constants of a player's parameters, in their order.
pub fn terms(parameters: &[Parameter]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for parameter in parameters {
        let name = name_of(parameter);
        let known = terms.iter().position(|term| term.name == name);
        let place = known.unwrap_or_else(|| {
            terms.push(Term {
                name: name.to_owned(),
                can_be_off: parameter.role == Role::Weight,
                keys: Vec::new(),
                weights: Vec::new(),
            });
            terms.len() - 1
        });
        if parameter.role != Role::Power && !parameter.is_split() {
            terms[place].weights.push(parameter.key.clone());
        }
        terms[place].keys.push(parameter.key.clone());
    }
    terms
}

fn name_of(parameter: &Parameter) -> &str {
    if let Some(term) = &parameter.term {
        return term;
    }
    let key = without_lines(&parameter.key);
    match parameter.role {
        Role::Power => key.strip_suffix(POWER).unwrap_or(key),
        Role::Weight | Role::Constant | Role::Setting => key,
    }
}

fn without_lines(key: &str) -> &str {
    let split = key.strip_suffix(OUTER).or(key.strip_suffix(INNER));
    split.unwrap_or(key)
}

impl Term {
    /// True if at least one weight of the term is not 0. The weights must be complete, see [`complete`].
    pub fn is_on(&self, weights: &Weights) -> bool {
        let mut own = weights.iter().filter(|(key, _)| self.has_weight(key));
        own.any(|(_, value)| value != 0.0)
    }

    /// The keys of the term and their values in `weights`.
    pub fn values_in<'a>(
        &'a self,
        weights: &'a Weights,
    ) -> impl Iterator<Item = (&'a str, f64)> + 'a {
        weights.iter().filter(|(key, _)| self.has(key))
    }

    /// A copy of `weights`, with the values of this term taken from `from`.
    pub fn taken(&self, weights: &Weights, from: &Weights, parameters: &[Parameter]) -> Weights {
        let kept = weights.iter().filter(|(key, _)| !self.has(key));
        combined(kept.chain(self.values_in(from)), parameters)
    }

    /// True if this is the key of a weight, either for all lines or for some.
    fn has_weight(&self, key: &str) -> bool {
        let whole = without_lines(key);
        self.has(key) && self.weights.iter().any(|known| known == whole)
    }

    /// True if the term has a parameter with this key.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known == key)
    }
}

/// A copy of `weights` in which the weights of some terms are `weight` on all lines.
pub fn with_weight<'a>(
    weights: &Weights,
    terms: impl IntoIterator<Item = &'a Term>,
    weight: f64,
    parameters: &[Parameter],
) -> Weights {
    let terms: Vec<&Term> = terms.into_iter().collect();
    let is_weight = |key: &str| terms.iter().any(|term| term.has_weight(key));
    let kept = weights.iter().filter(|(key, _)| !is_weight(key));
    let set = terms.iter().flat_map(|term| &term.weights);
    let set = set.map(|key| (key.as_str(), weight));
    combined(kept.chain(set), parameters)
}

/// The parameters that have an effect in complete weights (see [`complete`]): those of terms that are on, and
/// constants. If a parameter is split, its two parts are listed; otherwise the one for all lines.
pub fn active<'a>(weights: &Weights, parameters: &'a [Parameter]) -> Vec<&'a Parameter> {
    let on: Vec<Term> = terms(parameters)
        .into_iter()
        .filter(|term| !term.can_be_off || term.is_on(weights))
        .collect();
    let is_active = |parameter: &&Parameter| {
        let key = parameter.key.as_str();
        weights.get(key).is_some() && on.iter().any(|term| term.has(key))
    };
    parameters.iter().filter(is_active).collect()
}

/// The weights, completed with the defaults of all missing parameters.
pub fn complete(weights: &Weights, parameters: &[Parameter]) -> Weights {
    let given: Vec<&str> = weights.iter().map(|(key, _)| without_lines(key)).collect();
    let missing = parameters
        .iter()
        .filter(|parameter| !parameter.is_split() && !given.contains(&parameter.key.as_str()));
    let missing = missing.map(|parameter| (parameter.key.as_str(), parameter.default));
    combined(weights.iter().chain(missing), parameters)
}

/// Builds weights from parts of valid weights.
fn combined<'a>(pairs: impl Iterator<Item = (&'a str, f64)>, parameters: &[Parameter]) -> Weights {
    let pairs = pairs.map(|(key, value)| (key.to_owned(), value));
    Weights::new(pairs, parameters)
        .unwrap_or_else(|error| unreachable!("combined from valid weights: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::Definition;
    use crate::games::twenty48::published::snake::path;
    use crate::games::twenty48::{self, heuristic::parameters};

    fn weights(pairs: &[(&str, f64)]) -> Weights {
        let pairs = pairs.iter().map(|(key, value)| (key.to_string(), *value));
        complete(&Weights::new(pairs, &parameters()).unwrap(), &parameters())
    }

    fn term(name: &str) -> Term {
        let mut all = terms(&parameters()).into_iter();
        all.find(|term| term.name == name).unwrap()
    }

    #[test]
    fn terms_follow_from_the_parameters() {
        let monotonicity = term("monotonicity");
        assert_eq!(
            monotonicity.keys,
            [
                "monotonicity",
                "monotonicity_outer",
                "monotonicity_inner",
                "monotonicity_power",
                "monotonicity_power_outer",
                "monotonicity_power_inner"
            ]
        );
        assert!(monotonicity.can_be_off);
        assert!(!term("lost_penalty").can_be_off);
        let constants = terms(&path::parameters());
        let names: Vec<&str> = constants.iter().map(|term| term.name.as_str()).collect();
        assert_eq!(names, ["ratio", "discount"]);
        assert!(constants.iter().all(|term| !term.can_be_off));
    }

    #[test]
    fn a_term_is_switched_off_in_all_lines_and_keeps_its_power() {
        let split = weights(&[("monotonicity_outer", 1.0), ("monotonicity_inner", 0.0)]);
        let monotonicity = term("monotonicity");
        assert!(monotonicity.is_on(&split));
        let off = with_weight(&split, [&monotonicity], 0.0, &parameters());
        assert!(!monotonicity.is_on(&off));
        assert_eq!(off.get("monotonicity"), Some(0.0));
        assert_eq!(off.get("monotonicity_power"), Some(4.0));
        assert_eq!(off.get("empty"), Some(270.0));
    }

    #[test]
    fn a_term_of_several_weights_is_one_term() {
        let text = include_str!("../../../../configs/heuristics/2048-ranks.toml");
        let definition = Definition::read(&text.parse().unwrap(), twenty48::heuristic::BOARDS);
        let definition = definition.unwrap();
        let all = definition.parameters();
        let found = terms(all);
        let merge_value = found.iter().find(|term| term.name == "merge_value");
        let merge_value = merge_value.unwrap();
        assert!(merge_value.can_be_off);
        assert!(merge_value.has("merge_value_5") && merge_value.has("merge_value_14_inner"));
        let given = Weights::default().with([("merge_value_5", 3.0)], all);
        let given = complete(&given.unwrap(), all);
        assert!(merge_value.is_on(&given));
        let off = with_weight(&given, [merge_value], 0.0, all);
        assert!(!merge_value.is_on(&off));
        let taken = merge_value.taken(&off, &given, all);
        assert_eq!(taken, given);
    }

    #[test]
    fn parameters_of_terms_that_are_off_and_shadowed_ones_are_not_active() {
        let weights = weights(&[
            ("empty_outer", 0.0),
            ("empty_inner", 1.0),
            ("merges", 0.0),
            ("monotonicity", 0.0),
        ]);
        let all = parameters();
        let active = active(&weights, &all);
        let keys: Vec<&str> = active.iter().map(|known| known.key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "lost_penalty",
                "empty_outer",
                "empty_inner",
                "rank_sum",
                "rank_sum_power"
            ]
        );
    }

    #[test]
    fn a_term_is_taken_with_its_power_and_its_split() {
        let start = weights(&[]);
        let tuned = weights(&[
            ("monotonicity_outer", 1.0),
            ("monotonicity_inner", 2.0),
            ("monotonicity_power", 3.0),
            ("empty", 5.0),
        ]);
        let step = term("monotonicity").taken(&start, &tuned, &parameters());
        assert_eq!(step.get("monotonicity"), None);
        assert_eq!(step.get("monotonicity_inner"), Some(2.0));
        assert_eq!(step.get("monotonicity_power"), Some(3.0));
        assert_eq!(step.get("empty"), Some(270.0));
        let all = terms(&parameters());
        let end = all.iter().fold(start, |weights, term| {
            term.taken(&weights, &tuned, &parameters())
        });
        assert_eq!(end, tuned);
    }
}
