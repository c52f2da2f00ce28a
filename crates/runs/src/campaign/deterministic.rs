//! Programs whose results do not depend on the seed.

use tiletune_engine::record::GameRecord;
use tiletune_tuning::stats::difference::FEWEST_OBSERVATIONS;

/// Hold-out games of each set of weights if games do not depend on their seeds: the smallest number that allows a
/// verdict.
pub(super) const DETERMINISTIC_GAMES: usize = FEWEST_OBSERVATIONS as usize;

/// Smallest number of different fitness values for a program to count as deterministic. Games that are only won or lost
/// often have equal results by chance.
const FEWEST_VALUES: usize = 4;

/// Whether results do not depend on the seed: all games of a candidate have the same result, and the candidates have at
/// least [`FEWEST_VALUES`] different fitness values. The items are the games of a candidate and its fitness.
pub(super) fn are_independent_of_seeds<'a>(
    candidates: impl Iterator<Item = (Vec<&'a GameRecord>, f64)>,
) -> bool {
    let mut values = Vec::new();
    for (games, fitness) in candidates {
        if games.len() < 2 || !same_results(games.into_iter()) {
            return false;
        }
        values.push(fitness.to_bits());
    }
    values.sort_unstable();
    values.dedup();
    values.len() >= FEWEST_VALUES
}

/// Whether all games have the same result.
pub(super) fn same_results<'a>(mut games: impl Iterator<Item = &'a GameRecord>) -> bool {
    let first = games.next().map(|game| &game.result);
    games.all(|game| Some(&game.result) == first)
}
