//! The fitness of the candidates of a generation and the noise of their comparison, from their games. This module must
//! not play.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::campaign::Campaign;
use tiletune_engine::record::{GameRecord, Missing};
use tiletune_tuning::evaluation::objective::{Contributions, Fitness, Objective};
use tiletune_tuning::optimizer::Space;
use tiletune_tuning::results::CandidateRow;
use tiletune_tuning::stats::signal::CommonSeeds;
use tiletune_tuning::stats::summary::mean;

/// A candidate is refused if a program failed in all of its first games; this is their number.
pub(super) const FIRST_GAMES: usize = 3;

/// Whether a candidate with these first games plays no more: the program refuses the weights, or failed in all of these
/// games.
pub(super) fn is_refused_at_first(first: &[GameRecord]) -> bool {
    let first = &first[..first.len().min(FIRST_GAMES)];
    let has_failed = |game: &GameRecord| game.missing() == Some(Missing::Failed);
    has_refused(first) || first.iter().all(has_failed)
}

/// Whether the program refuses the weights of these games.
pub(super) fn has_refused(games: &[GameRecord]) -> bool {
    let mut games = games.iter();
    games.any(|game| game.missing() == Some(Missing::Refused))
}

/// For each game why it has no result, if it has none.
pub(super) fn missing(games: &[GameRecord]) -> Vec<Option<Missing>> {
    games.iter().map(GameRecord::missing).collect()
}

/// Whether a candidate with these games is refused: its first games all failed, the program refuses its weights in any
/// game, or it failed in more than half of the games.
pub(super) fn is_refused(missing: &[Option<Missing>]) -> bool {
    let failed = |missing: &[Option<Missing>]| missing.iter().flatten().count();
    let first = &missing[..missing.len().min(FIRST_GAMES)];
    missing.contains(&Some(Missing::Refused))
        || failed(first) == first.len()
        || 2 * failed(missing) > missing.len()
}

/// Collects the games of candidates on common seeds, one candidate after the other.
pub(super) struct Scores {
    objective: Objective,
    /// The candidates that are not refused.
    scored: BTreeMap<usize, Scored>,
    contributions: Contributions,
    /// Contributions to the value by which candidates are ranked.
    ranking: Contributions,
    /// For each game of the current candidate: why it has no result, if it has none.
    missing: Vec<Option<Missing>>,
    common: CommonSeeds,
    /// Contributions of candidates with failed games. A failed game is `None`; its value is known after the last
    /// candidate.
    incomplete: Vec<(usize, Vec<Option<f64>>)>,
    /// The smallest contribution of a played game.
    worst: f64,
}

/// The result of a candidate.
struct Scored {
    fitness: Fitness,
    /// The value by which the candidate is ranked.
    rank_value: f64,
    failed_games: u32,
}

impl Scores {
    /// The scores of candidates of a campaign. They are ranked by the same rule in all generations, for any number of
    /// games.
    pub(super) fn of(campaign: &Campaign) -> Self {
        Scores::new(campaign.objective, campaign.most_games())
    }

    /// The scores of candidates that play at most this number of games each.
    fn new(objective: Objective, games: u32) -> Self {
        Scores {
            objective,
            scored: BTreeMap::new(),
            contributions: Contributions::new(objective),
            ranking: Contributions::ranking(objective, games),
            missing: Vec::new(),
            common: CommonSeeds::default(),
            incomplete: Vec::new(),
            worst: f64::INFINITY,
        }
    }

    /// Adds games of the current candidate, and completes it if these are its last games. Returns true if the completed
    /// candidate is refused: its games do not count.
    pub(super) fn add(&mut self, candidate: usize, games: &[GameRecord], is_last: bool) -> bool {
        self.contributions.add(games);
        self.ranking.add(games);
        self.missing.extend(games.iter().map(GameRecord::missing));
        if !is_last {
            return false;
        }
        let (contributions, ranking) = (self.contributions.take(), self.ranking.take());
        let missing = std::mem::take(&mut self.missing);
        if missing.iter().all(Option::is_none) {
            let worst = contributions.iter().copied().reduce(f64::min);
            self.worst = self.worst.min(worst.unwrap_or(f64::INFINITY));
            self.score(candidate, [&contributions, &ranking], 0);
            return false;
        }
        if is_refused(&missing) {
            return true;
        }
        // A game of a program is one contribution, so contributions and `missing` have equal lengths.
        let played = contributions.iter().zip(&missing);
        let played = played.map(|(value, missing)| missing.is_none().then_some(*value));
        let played: Vec<Option<f64>> = played.collect();
        self.worst = played.iter().flatten().copied().fold(self.worst, f64::min);
        self.incomplete.push((candidate, played));
        false
    }

    fn score(
        &mut self,
        candidate: usize,
        [contributions, ranking]: [&[f64]; 2],
        failed_games: u32,
    ) {
        self.common.add(ranking);
        self.scored.insert(
            candidate,
            Scored {
                fitness: self.objective.fitness(contributions),
                rank_value: self.objective.fitness(ranking).value,
                failed_games,
            },
        );
    }

    /// The rows of the candidates of a generation with these values, and the noise of their comparison. A game in which
    /// a program failed counts as the worst game of the generation.
    pub(super) fn rows(
        mut self,
        [generation, restart]: [u32; 2],
        values: Vec<Vec<f64>>,
    ) -> (Vec<CandidateRow>, f64) {
        for (candidate, played) in std::mem::take(&mut self.incomplete) {
            let failed_games = played.iter().filter(|value| value.is_none()).count();
            let contributions = played.iter().map(|value| value.unwrap_or(self.worst));
            let contributions: Vec<f64> = contributions.collect();
            // A program has no tiles, so its games are ranked by their contributions.
            self.score(
                candidate,
                [&contributions, &contributions],
                failed_games as u32,
            );
        }
        let squares = self.scored.values();
        let squares = squares.map(|scored| scored.fitness.standard_error.powi(2));
        let residual = match self.objective {
            Objective::MedianScore if !self.scored.is_empty() => {
                mean(&squares.collect::<Vec<_>>()).sqrt()
            }
            _ => self.common.noise(),
        };
        let rows = values.into_iter().enumerate().map(|(candidate, values)| {
            let scored = self.scored.get(&candidate);
            let fitness = scored.map(|scored| scored.fitness);
            CandidateRow {
                generation,
                restart,
                candidate: candidate as u32,
                fitness: fitness.map_or(f64::NEG_INFINITY, |fitness| fitness.value),
                standard_error: fitness.map_or(0.0, |fitness| fitness.standard_error),
                rank_value: scored.map_or(f64::NEG_INFINITY, |scored| scored.rank_value),
                failed_games: scored.map_or(0, |scored| scored.failed_games),
                values,
            }
        });
        (rows.collect(), residual)
    }
}

/// Whether a candidate has played. A refused candidate has not; its fitness is minus infinity, so that it ranks last.
pub(super) fn is_played(row: &CandidateRow) -> bool {
    row.fitness != f64::NEG_INFINITY
}

/// A value of each candidate that has played; a single 0 if none has played.
pub(super) fn of_played(rows: &[CandidateRow], value: fn(&CandidateRow) -> f64) -> Vec<f64> {
    let played = rows.iter().filter(|row| is_played(row));
    let values: Vec<f64> = played.map(value).collect();
    if values.is_empty() { vec![0.0] } else { values }
}

/// Rank values of the candidates whose differences say how many games the numbers need: if at least half of those that
/// have played have the same choices and whole numbers, and other numbers than each other, only these. A wrong choice,
/// which is tried again and again, can differ by more than all numbers do.
pub(super) fn comparable(space: &Space, rows: &[CandidateRow]) -> Vec<f64> {
    let parameters = space.parameters().iter().enumerate();
    let discrete = parameters.filter(|(_, one)| one.integer || !one.choices.is_empty());
    let discrete: Vec<usize> = discrete.map(|(index, _)| index).collect();
    let mut groups: BTreeMap<Vec<u64>, Vec<&CandidateRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| is_played(row)) {
        let values = discrete.iter().map(|&index| row.values[index].to_bits());
        groups.entry(values.collect()).or_default().push(row);
    }
    let played: usize = groups.values().map(Vec::len).sum();
    let is_usable = |group: &Vec<&CandidateRow>| {
        let different: BTreeSet<Vec<u64>> = group.iter().map(|row| bits(&row.values)).collect();
        2 * group.len() >= played && 2 * different.len() > group.len()
    };
    let largest = groups.into_values().max_by_key(Vec::len);
    match largest.filter(is_usable) {
        Some(group) => group.iter().map(|row| row.rank_value).collect(),
        None => of_played(rows, |row| row.rank_value),
    }
}

/// The bits of numbers, which tell whether they are the same.
pub(super) fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::record::{Names, Numbers};

    const F: f64 = f64::NAN;
    const R: f64 = f64::NEG_INFINITY;

    fn game(score: f64) -> GameRecord {
        GameRecord::of_program(1, Numbers::new(score, Names::new(&[""; 0]), &[]))
    }

    #[test]
    fn failed_games_count_as_the_worst_of_the_generation() {
        let candidates: [&[f64]; 6] = [
            &[5.0, 6.0, 7.0, 8.0],
            // One failed game, worth 1: the worst result of the other games.
            &[9.0, F, 9.0, 9.0],
            &[1.0, 2.0, 3.0, 4.0],
            // Refused in its last game.
            &[0.0, 0.0, 0.0, R],
            // All first games failed.
            &[F, F, F, 9.0],
            // More than half of the games failed.
            &[-9.0, F, F, F],
        ];
        let mut scores = Scores::new(Objective::MeanScore, 4);
        let refused = candidates.iter().enumerate().map(|(number, games)| {
            let games: Vec<GameRecord> = games.iter().map(|score| game(*score)).collect();
            // The games of a candidate can be added in parts.
            scores.add(number, &games[..1], false);
            scores.add(number, &games[1..], true)
        });
        let refused: Vec<bool> = refused.collect();
        assert_eq!(refused, [false, false, false, true, true, true]);
        let (rows, residual) = scores.rows([0, 0], vec![Vec::new(); 6]);
        let fitness: Vec<f64> = rows.iter().map(|row| row.fitness).collect();
        assert_eq!(fitness, [6.5, 7.0, 2.5, R, R, R]);
        let failed: Vec<u32> = rows.iter().map(|row| row.failed_games).collect();
        assert_eq!(failed, [0, 1, 0, 0, 0, 0]);
        assert!(residual.is_finite());
    }

    #[test]
    fn who_refuses_or_fails_at_first_plays_no_more() {
        let of = |scores: &[f64]| {
            let games: Vec<GameRecord> = scores.iter().map(|score| game(*score)).collect();
            is_refused_at_first(&games)
        };
        assert!(of(&[F, F, F]) && of(&[F]) && of(&[1.0, R, 1.0]));
        assert!(!of(&[F, F, 1.0]) && !of(&[1.0, 1.0, 1.0]));
    }
}
