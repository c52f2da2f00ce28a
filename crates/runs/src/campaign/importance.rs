//! The candidates of a search that has ended: what they say about the importance of its parameters, and their list.

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::campaign::Campaign;
use crate::run::{RunDirectory, StoreError, tables};
use tiletune_tuning::results::{CandidateRow, GenerationRow, RunData};
use tiletune_tuning::stats::importance::{MOST_CANDIDATES, Trial, importance};

/// Adds the importance of the parameters, if the search has ended.
///
/// # Errors
/// If a table of candidates is damaged.
pub(crate) fn understood(
    campaign: &Campaign,
    directory: &RunDirectory,
    mut data: RunData,
) -> Result<RunData, StoreError> {
    let Some(tuned) = &data.tuned else {
        return Ok(data);
    };
    let space = &campaign.space;
    let inactive = space.inactive(tuned);
    let is_category = |index: &usize| !space.parameters()[*index].choices.is_empty();
    let free = (0..data.parameters.len()).filter(|index| !data.parameters[*index].fixed);
    let (categories, numbers): (Vec<usize>, Vec<usize>) = free.partition(is_category);
    // Choices have no order that a function could follow. It is that of the numbers that are active with the tuned ones.
    let free: Vec<usize> = numbers
        .into_iter()
        .filter(|index| !inactive.contains(index))
        .collect();
    let tuned = space.unit(tuned);
    let mut trials = trials(campaign, directory, &data.generations)?;
    trials.retain(|trial| {
        let mut of_category = categories.iter();
        of_category.all(|&index| trial.positions[index] == tuned[index])
    });
    let all = data.generations.len() as u32;
    // The intervals are redrawn with each report, and must not change.
    data.importance = importance(&free, &tuned, &trials, all, data.seed);
    Ok(data)
}

/// The candidates of all generations; of a long search, of generations at equal distances, the last one included.
fn trials(
    campaign: &Campaign,
    directory: &RunDirectory,
    generations: &[GenerationRow],
) -> Result<Vec<Trial>, StoreError> {
    let names = campaign.space.names();
    let mut trials = Vec::new();
    for row in chosen(generations) {
        let part = directory.generation_part(&tables::CANDIDATES, row.generation);
        let candidates = tables::read_candidates(&part, &names)?.into_iter();
        let trial = |one: CandidateRow| Trial {
            generation: one.generation,
            games: row.games,
            fitness: one.fitness,
            positions: campaign.space.unit(&one.values),
        };
        trials.extend(candidates.take(MOST_CANDIDATES).map(trial));
    }
    Ok(trials)
}

/// Generations at equal distances that have at most [`MOST_CANDIDATES`] candidates together, or nearly.
fn chosen(generations: &[GenerationRow]) -> impl Iterator<Item = &GenerationRow> {
    let all: u64 = generations
        .iter()
        .map(|row| u64::from(row.population))
        .sum();
    let step = all.div_ceil(MOST_CANDIDATES as u64).max(1) as usize;
    let last = generations.len().saturating_sub(1);
    generations
        .iter()
        .enumerate()
        .filter_map(move |(index, row)| (index % step == last % step).then_some(row))
}

/// Candidates of a campaign for a table, the best ones first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CandidateList {
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// The best candidates by their shrunk fitness.
    pub candidates: Vec<ListedCandidate>,
    /// Number of candidates of the search.
    pub of: u64,
}

/// A candidate of a search.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ListedCandidate {
    /// Number of its generation, from 0.
    pub generation: u32,
    /// Its number within the generation, from 0.
    pub candidate: u32,
    /// Number of its games.
    pub games: u32,
    /// Its fitness in these games. Part of it is luck.
    pub fitness: f64,
    /// Standard error of the fitness.
    pub standard_error: f64,
    /// The fitness shrunk towards the mean of its generation by the share of the signal.
    pub shrunk: f64,
    /// Value of each parameter.
    pub values: Vec<f64>,
}

/// The candidates of these generations with the largest shrunk fitness, at most `most`.
///
/// # Errors
/// If a table of candidates is damaged.
pub fn candidates(
    campaign: &Campaign,
    directory: &RunDirectory,
    generations: &[GenerationRow],
    most: usize,
) -> Result<CandidateList, StoreError> {
    let names = campaign.space.names();
    let shrunk = |row: &GenerationRow, fitness: f64| {
        row.mean + row.known_signal().unwrap_or(1.0) * (fitness - row.mean)
    };
    // The largest value of a generation is that of its best candidate, so most tables need not be read.
    let mut rows: Vec<(f64, &GenerationRow)> = generations
        .iter()
        .map(|row| (shrunk(row, row.best), row))
        .collect();
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut found: Vec<ListedCandidate> = Vec::new();
    for (largest, row) in rows {
        let least = most.checked_sub(1).and_then(|last| found.get(last));
        if most == 0 || least.is_some_and(|least| least.shrunk >= largest) {
            break;
        }
        let part = directory.generation_part(&tables::CANDIDATES, row.generation);
        let candidates = tables::read_candidates(&part, &names)?.into_iter();
        let played = candidates.filter(|one| one.fitness.is_finite());
        found.extend(played.map(|one| ListedCandidate {
            generation: one.generation,
            candidate: one.candidate,
            games: row.games,
            fitness: one.fitness,
            standard_error: one.standard_error,
            shrunk: shrunk(row, one.fitness),
            values: one.values,
        }));
        found.sort_by(|one, other| other.shrunk.total_cmp(&one.shrunk));
        found.truncate(most);
    }
    let all = generations.iter().map(|row| u64::from(row.population));
    Ok(CandidateList {
        parameters: names.into_iter().map(str::to_owned).collect(),
        candidates: found,
        of: all.sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;

    #[test]
    fn long_searches_are_thinned_and_keep_their_last_generation() {
        let rows = example::run(2, 1_000, 2).generations;
        let found: Vec<u32> = chosen(&rows).map(|row| row.generation).collect();
        assert_eq!(found.len(), 250);
        assert_eq!(found.last(), Some(&999));
        assert_eq!(chosen(&rows[..20]).count(), 20);
        assert_eq!(chosen(&[]).count(), 0);
    }
}
