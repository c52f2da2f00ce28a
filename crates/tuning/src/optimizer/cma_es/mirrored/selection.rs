//! Which candidates of a generation the update follows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which candidates come first in the update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Selection {
    /// The best candidates.
    #[default]
    Ranks,
    /// The better ones of all pairs, best first, then the others. The mean then never follows both of a pair, whose
    /// steps would undo each other (Auger, Brockhoff and Hansen 2011).
    Pairs,
}

impl Selection {
    /// The candidates in the order of the update, the first one with the largest weight. Candidates with equal
    /// fitness are in the order of their `lots`. In the order of the population both of a pair would have neighbouring
    /// ranks, and their steps would undo each other: the step size would fall where many games end alike.
    pub fn order(self, fitness: &[f64], lots: &[u64]) -> Vec<usize> {
        let by_fitness = |&one: &usize, &other: &usize| {
            let order = fitness[other].total_cmp(&fitness[one]);
            order.then(lots[one].cmp(&lots[other]))
        };
        let mut all: Vec<usize> = (0..fitness.len()).collect();
        all.sort_by(by_fitness);
        match self {
            Selection::Ranks => all,
            Selection::Pairs => {
                let is_better = |&candidate: &usize| match fitness.get(candidate ^ 1) {
                    Some(opposite) if candidate % 2 == 0 => fitness[candidate] >= *opposite,
                    Some(opposite) => fitness[candidate] > *opposite,
                    // The last one of an odd number has no opposite.
                    None => true,
                };
                let (mut better, worse): (Vec<usize>, Vec<usize>) =
                    all.into_iter().partition(is_better);
                better.extend(worse);
                better
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_give_one_candidate_each() {
        // The pairs are (5, 4), (1, 2), (3, 3); the last one is alone.
        let fitness = [5.0, 4.0, 1.0, 2.0, 3.0, 3.0, 0.0];
        let lots = [0; 7];
        assert_eq!(
            Selection::Ranks.order(&fitness, &lots),
            [0, 1, 4, 5, 3, 2, 6]
        );
        assert_eq!(
            Selection::Pairs.order(&fitness, &lots),
            [0, 4, 3, 6, 1, 5, 2]
        );
        let lots = [0, 0, 0, 0, 2, 1, 0];
        assert_eq!(
            Selection::Ranks.order(&fitness, &lots),
            [0, 1, 5, 4, 3, 2, 6]
        );
    }
}
