//! The fitness of the candidates of a generation and the noise of their comparison, from their games.

use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::objective::{Contributions, Fitness, Objective};
use tiletune_tuning::results::CandidateRow;
use tiletune_tuning::stats::signal::CommonSeeds;
use tiletune_tuning::stats::summary::mean;

/// Collects the games of candidates on common seeds, one candidate after the other.
pub(super) struct Scores {
    objective: Objective,
    fitness: Vec<Fitness>,
    contributions: Contributions,
    /// What the candidates are ranked by.
    rank_values: Vec<f64>,
    ranking: Contributions,
    common: CommonSeeds,
}

impl Scores {
    /// Of candidates that play this number of games each.
    pub(super) fn new(objective: Objective, games: u32) -> Self {
        Scores {
            objective,
            fitness: Vec::new(),
            contributions: Contributions::new(objective),
            rank_values: Vec::new(),
            ranking: Contributions::ranking(objective, games),
            common: CommonSeeds::default(),
        }
    }

    /// Adds games of the current candidate, which may be its last ones.
    pub(super) fn add(&mut self, games: &[GameRecord], is_last: bool) {
        self.contributions.add(games);
        self.ranking.add(games);
        if is_last {
            let contributions = self.contributions.take();
            self.fitness.push(self.objective.fitness(&contributions));
            let ranking = self.ranking.take();
            self.rank_values
                .push(self.objective.fitness(&ranking).value);
            self.common.add(&ranking);
        }
    }

    /// The rows of candidates of this generation and restart with these values, of which those with these indices have played, and the
    /// noise of their comparison.
    pub(super) fn rows(
        self,
        [generation, restart]: [u32; 2],
        values: Vec<Vec<f64>>,
        indices: &[usize],
    ) -> (Vec<CandidateRow>, f64) {
        let squares = self
            .fitness
            .iter()
            .map(|fitness| fitness.standard_error.powi(2));
        let residual = match self.objective {
            Objective::MedianScore if !indices.is_empty() => {
                mean(&squares.collect::<Vec<_>>()).sqrt()
            }
            _ => self.common.noise(),
        };
        let rows = values.into_iter().enumerate().map(|(candidate, values)| {
            let played = indices.binary_search(&candidate).ok();
            let fitness = played.map(|index| &self.fitness[index]);
            CandidateRow {
                generation,
                restart,
                candidate: candidate as u32,
                fitness: fitness.map_or(f64::NEG_INFINITY, |fitness| fitness.value),
                standard_error: fitness.map_or(0.0, |fitness| fitness.standard_error),
                rank_value: played.map_or(f64::NEG_INFINITY, |index| self.rank_values[index]),
                values,
            }
        });
        (rows.collect(), residual)
    }
}

/// Whether a candidate has played. One whose weights the player cannot use has not; its fitness is minus
/// infinity, so that it ranks last.
pub(super) fn is_played(row: &CandidateRow) -> bool {
    row.fitness != f64::NEG_INFINITY
}

/// A value of each candidate that has played; a single 0 if none has.
pub(super) fn of_played(rows: &[CandidateRow], value: fn(&CandidateRow) -> f64) -> Vec<f64> {
    let played = rows.iter().filter(|row| is_played(row));
    let values: Vec<f64> = played.map(value).collect();
    match values.is_empty() {
        true => vec![0.0],
        false => values,
    }
}
