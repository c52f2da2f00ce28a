//! A race between sets of weights that finds the best one.
//!
//! All finalists play the same seeds, in blocks of a fixed size. After every block a finalist is eliminated if the
//! confidence sequence of its difference from the leader excludes 0. The intervals of such a sequence hold at all looks
//! together (see [`sequential`](tiletune_tuning::stats::sequential)), and all pairs share the probability of an error
//! (Bonferroni). So the best finalist is eliminated in at most 5 % of races, for any number of looks. If all
//! differences of a pair are equal, the worse finalist is eliminated after so many games that other differences would
//! probably have occurred. A race ends when one finalist remains, when the remaining ones are equal, or when all seeds
//! are played.
//!
//! This module must not write files.

use schemars::JsonSchema;
use serde::Serialize;

use std::collections::BTreeMap;
use std::ops::Range;

use super::race_games;
use crate::config::campaign::Campaign;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::random::Players;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::objective::{Fitness, Objective};
use tiletune_tuning::evaluation::{Batch, Evaluate, EvaluationError, Evaluator, Progress};
use tiletune_tuning::stats::bootstrap::Resampling;
use tiletune_tuning::stats::difference::median_difference;
use tiletune_tuning::stats::games::PlayedScores;
use tiletune_tuning::stats::intervals::Interval;
use tiletune_tuning::stats::sequential::{EmpiricalBernstein, LOOK, Moments, NormalMixture};

/// Probability that the best finalist is eliminated.
const ERROR: f64 = 0.05;

/// Resamples for the standard error of a difference of medians.
const RESAMPLES: u32 = 500;

/// The result of one finalist.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Finalist {
    /// Number of its games. For an eliminated one these are the games after which it was eliminated.
    pub games: u32,
    /// The objective over these games.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// By how much the winner is better, in the objective: the confidence sequence after the last block
    /// that both have played; `None` for the winner.
    #[serde(skip)]
    pub behind: Option<Interval>,
    /// Whether it was eliminated.
    pub is_eliminated: bool,
}

/// The result of a race.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceResult {
    /// The finalists in the order of the input.
    pub finalists: Vec<Finalist>,
    /// Index of the winner: the finalist with the largest value among those that were not eliminated, or an incumbent.
    pub winner: usize,
}

impl RaceResult {
    /// Number of games of all finalists together.
    pub fn games(&self) -> u64 {
        let finalists = self.finalists.iter();
        finalists.map(|finalist| u64::from(finalist.games)).sum()
    }

    /// Number of finalists that were not eliminated; 1 if the race is decided.
    pub fn survivors(&self) -> usize {
        let survivors = self.finalists.iter();
        survivors.filter(|finalist| !finalist.is_eliminated).count()
    }
}

/// The rules of a race.
#[derive(Clone, Copy, Debug)]
pub struct RaceRules {
    /// The objective. A median has no confidence sequence: no finalist is eliminated, unless all differences are equal.
    pub objective: Objective,
    /// Number of players of the game.
    pub players: Players,
    /// Largest number of games of a finalist. With 1, results do not depend on the seed, so one game decides.
    pub games: u32,
    /// Whether the first finalist wins unless the one with the largest value leads it by more than a standard error of
    /// their difference, or it is eliminated.
    pub has_incumbent: bool,
}

impl RaceRules {
    /// The rules of a race between finalists of a search, or of the runs of a series. The searches have played so many games
    /// together. If results do not depend on the seed, each plays one game.
    pub fn of(
        campaign: &Campaign,
        finalists: usize,
        of_searches: u64,
        is_deterministic: bool,
    ) -> Self {
        RaceRules {
            objective: campaign.objective,
            players: campaign.player.players(),
            games: if is_deterministic {
                1
            } else {
                race_games::of_several(campaign, finalists.max(1) as u64, of_searches) as u32
            },
            has_incumbent: false,
        }
    }
}

/// Races weights on `rules.games` seeds that nothing else uses. `sink` receives the games in the order of play: block
/// by block, and within a block finalist by finalist.
///
/// # Errors
/// If a stop was requested through `progress`, or `sink` failed.
///
/// # Panics
/// If there are no weights, or fewer seeds than games.
pub fn race<E>(
    evaluator: &dyn Evaluator,
    weights: &[Weights],
    seeds: &[u64],
    rules: RaceRules,
    progress: &Progress,
    sink: &mut dyn FnMut(Batch) -> Result<(), E>,
) -> Result<RaceResult, EvaluationError<E>> {
    decide(weights.len(), rules, |racing, games| {
        let racers: Vec<Weights> = racing.iter().map(|&index| weights[index].clone()).collect();
        let mut played = vec![Vec::new(); racing.len()];
        evaluator.evaluate(&racers, &seeds[games.clone()], progress, &mut |batch| {
            played[batch.candidate].extend_from_slice(batch.games);
            sink(Batch {
                candidate: racing[batch.candidate],
                first_game: games.start + batch.first_game,
                games: batch.games,
            })
        })?;
        Ok(played)
    })
}

/// Decides a race. The arguments of `play` are the racing finalists and the range of their next games; it returns these
/// games.
///
/// # Errors
/// Those of `play`.
///
/// # Panics
/// If there are no finalists.
pub(super) fn decide<E>(
    finalists: usize,
    rules: RaceRules,
    mut play: impl FnMut(&[usize], Range<usize>) -> Result<Vec<Vec<GameRecord>>, E>,
) -> Result<RaceResult, E> {
    let mut state = RaceState::new(finalists, rules);
    let (most, block) = (rules.games as usize, games_of(LOOK, rules.players));
    let mut played = 0;
    while played < most && !state.is_decided() {
        let games = played..most.min(played + block);
        played = games.end;
        let records = play(&state.racing, games)?;
        state.add(&records);
        state.eliminate();
    }
    Ok(state.result())
}

/// Number of games of some contributions. In games of two players, an opening is played twice.
fn games_of(contributions: u64, players: Players) -> usize {
    contributions as usize * players.whole(1) as usize
}

struct RaceState {
    rules: RaceRules,
    racing: Vec<usize>,
    /// The games of each finalist so far. A contribution to its value can depend on all of them.
    games: Vec<Vec<GameRecord>>,
    /// The scores of the games so far, by which a failed game counts.
    played: PlayedScores,
    /// The differences (one - other) of each pair with one < other.
    differences: BTreeMap<(usize, usize), Differences>,
}

impl RaceState {
    fn new(finalists: usize, rules: RaceRules) -> Self {
        assert!(finalists > 0, "a race without finalists");
        let ones = 0..finalists;
        let pairs = ones.flat_map(|one| (one + 1..finalists).map(move |other| (one, other)));
        let pairs: Vec<_> = pairs.collect();
        let new = Differences::new(rules, pairs.len() as u32);
        RaceState {
            rules,
            racing: (0..finalists).collect(),
            games: vec![Vec::new(); finalists],
            played: PlayedScores::default(),
            differences: pairs.into_iter().map(|pair| (pair, new.clone())).collect(),
        }
    }

    /// Adds the next games of the racing finalists. The contributions of these games alone give the differences, because
    /// a confidence sequence needs numbers that later games do not change.
    fn add(&mut self, records: &[Vec<GameRecord>]) {
        self.played.add(records.iter().flatten());
        let records: Vec<_> = records
            .iter()
            .map(|games| self.played.counted(games))
            .collect();
        let objective = self.rules.objective;
        let told = records.iter().map(|games| {
            let contributions = objective.contributions(games);
            self.with_observed(games, &contributions)
        });
        let told: Vec<_> = told.collect();
        for (place, &one) in self.racing.iter().enumerate() {
            for (other, theirs) in self.racing.iter().zip(&told).skip(place + 1) {
                if let Some(differences) = self.differences.get_mut(&(one, *other)) {
                    let pairs = told[place].iter().zip(theirs);
                    pairs.for_each(|(one, other)| differences.add(*one, *other));
                }
            }
            self.games[one].extend_from_slice(&records[place]);
        }
    }

    /// Each contribution with what its game says alone.
    fn with_observed(&self, games: &[GameRecord], contributions: &[f64]) -> Vec<[f64; 2]> {
        let observed = self.rules.objective.observed(games, contributions);
        let both = contributions.iter().zip(observed.iter());
        both.map(|(contributed, observed)| [*contributed, *observed])
            .collect()
    }

    fn fitness(&self, finalist: usize) -> Fitness {
        let objective = self.rules.objective;
        objective.fitness(&objective.contributions(&self.games[finalist]))
    }

    /// The racing finalist with the largest value by which finalists are ranked (see [`Objective::ranking`]). The first
    /// one wins a tie.
    fn leader(&self) -> usize {
        let objective = self.rules.objective;
        let value = |finalist: usize| {
            let ranking = objective.ranking(&self.games[finalist], self.rules.games);
            objective.fitness(&ranking).value
        };
        let first = self.racing[0];
        let best = |best: (usize, f64), &next: &usize| match value(next) {
            value if value > best.1 => (next, value),
            _ => best,
        };
        self.racing.iter().fold((first, value(first)), best).0
    }

    /// The confidence sequence of one - other.
    fn interval(&self, one: usize, other: usize) -> Interval {
        match self.differences.get(&(one.min(other), one.max(other))) {
            None => Interval::ALL,
            Some(differences) if one < other => differences.interval(),
            Some(differences) => {
                let Interval { low, high } = differences.interval();
                Interval {
                    low: -high,
                    high: -low,
                }
            }
        }
    }

    /// Whether one finalist remains, or the remaining ones are equal.
    fn is_decided(&self) -> bool {
        let is_racing = |finalist: &usize| self.racing.contains(finalist);
        let mut pairs = self.differences.iter();
        pairs.all(|((one, other), differences)| {
            !(is_racing(one) && is_racing(other)) || differences.are_none()
        })
    }

    fn eliminate(&mut self) {
        let leader = self.leader();
        let mut racing = std::mem::take(&mut self.racing);
        racing.retain(|&one| one == leader || self.interval(leader, one).low <= 0.0);
        self.racing = racing;
    }

    fn winner(&self) -> usize {
        let leader = self.leader();
        if !self.rules.has_incumbent || !self.racing.contains(&0) || self.leads(leader) {
            leader
        } else {
            0
        }
    }

    /// Whether a finalist leads the incumbent by more than a standard error of their difference.
    fn leads(&self, leader: usize) -> bool {
        let (objective, most) = (self.rules.objective, self.rules.games);
        if objective == Objective::MedianScore {
            // It is not the mean of what games contribute.
            let [first, other] = [0, leader].map(|one| objective.contributions(&self.games[one]));
            let resampling = Resampling::new(RESAMPLES, 0);
            let lead = median_difference(&other, &first, 1, resampling);
            return lead.mean > lead.standard_error;
        }
        let [first, other] = [0, leader].map(|one| {
            let games = &self.games[one];
            self.with_observed(games, &objective.ranking(games, most))
        });
        let mut lead = Moments::default();
        for ([first, of_first], [other, of_other]) in first.into_iter().zip(other) {
            lead.add_contributed([first, other], [of_first, of_other]);
        }
        // One difference among zeros has a mean that equals its standard error, except for rounding errors and what it moves
        // in other contributions.
        let is_single = lead.different() == 1 && lead.count() > 1;
        !is_single && lead.mean() > lead.standard_error()
    }

    fn result(&self) -> RaceResult {
        let winner = self.winner();
        let of_winner = self.fitness(winner).value;
        let finalist = |finalist: usize| {
            let fitness = self.fitness(finalist);
            Finalist {
                games: self.games[finalist].len() as u32,
                value: fitness.value,
                standard_error: fitness.standard_error,
                behind: (finalist != winner).then(|| self.interval(winner, finalist)),
                // With a single game the game decides, although no confidence sequence excludes 0.
                is_eliminated: !self.racing.contains(&finalist)
                    || self.rules.games == 1 && fitness.value < of_winner,
            }
        };
        RaceResult {
            finalists: (0..self.games.len()).map(finalist).collect(),
            winner,
        }
    }
}

/// The paired differences of two finalists, with the confidence sequence of their mean.
#[derive(Clone)]
struct Differences {
    values: Moments,
    sequence: Sequence,
    /// One-sided probability of an error.
    error: f64,
}

#[derive(Clone)]
enum Sequence {
    Scores(NormalMixture),
    /// Differences of points: between -1 and 1, and mostly 0.
    Points(EmpiricalBernstein),
    /// A median has an interval only if all differences are equal.
    Median(NormalMixture),
}

impl Differences {
    fn new(rules: RaceRules, pairs: u32) -> Self {
        // A race of a single finalist has no pair.
        let pairs = pairs.max(1);
        let mixture = NormalMixture::new(ERROR, pairs, f64::from(rules.games.max(1)));
        Differences {
            values: Moments::default(),
            sequence: match rules.objective {
                Objective::MedianScore => Sequence::Median(mixture),
                Objective::MeanPoints => Sequence::Points(EmpiricalBernstein::new(ERROR, pairs)),
                _ => Sequence::Scores(mixture),
            },
            error: ERROR / f64::from(pairs) / 2.0,
        }
    }

    /// Adds the difference one - other of contributions and observations.
    fn add(&mut self, one: [f64; 2], other: [f64; 2]) {
        self.values
            .add_contributed([other[0], one[0]], [other[1], one[1]]);
        if let Sequence::Points(sequence) = &mut self.sequence {
            sequence.add(one[0] - other[0]);
        }
    }

    /// Whether all differences are 0, after so many games that another difference would probably have occurred.
    fn are_none(&self) -> bool {
        self.values.different() == 0 && self.values.are_enough(self.error)
    }

    fn interval(&self) -> Interval {
        match &self.sequence {
            Sequence::Median(_) if !self.values.are_equal() => Interval::ALL,
            Sequence::Scores(sequence) | Sequence::Median(sequence) => {
                sequence.interval(&self.values)
            }
            Sequence::Points(sequence) => sequence.interval(),
        }
    }
}

#[cfg(test)]
mod tests;
