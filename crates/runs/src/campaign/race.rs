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

use crate::config::campaign::Campaign;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::random::Players;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::objective::{Fitness, Objective};
use tiletune_tuning::evaluation::{Batch, Evaluate, EvaluationError, Evaluator, Progress};
use tiletune_tuning::stats::games::PlayedScores;
use tiletune_tuning::stats::intervals::Interval;
use tiletune_tuning::stats::sequential::{EmpiricalBernstein, LOOK, Moments, NormalMixture};

/// Probability that the best finalist is eliminated.
const ERROR: f64 = 0.05;

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
    /// The rules of a race between the final means of restarts, or of the runs of a series. If results do not depend on
    /// the seed, each plays one game.
    pub fn of(campaign: &Campaign, is_deterministic: bool) -> Self {
        RaceRules {
            objective: campaign.objective,
            players: campaign.player.players(),
            games: if is_deterministic {
                1
            } else {
                campaign.config.validation.race_games
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
        let contributions = records
            .iter()
            .map(|games| self.rules.objective.contributions(games));
        let contributions: Vec<Vec<f64>> = contributions.collect();
        for (place, &one) in self.racing.iter().enumerate() {
            for (other, theirs) in self.racing.iter().zip(&contributions).skip(place + 1) {
                let pairs = contributions[place].iter().zip(theirs);
                if let Some(differences) = self.differences.get_mut(&(one, *other)) {
                    pairs.for_each(|(one, other)| differences.add(*one, *other));
                }
            }
            self.games[one].extend_from_slice(&records[place]);
        }
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
        if !self.rules.has_incumbent || !self.racing.contains(&0) {
            return leader;
        }
        let (objective, most) = (self.rules.objective, self.rules.games);
        let [first, other] = [0, leader].map(|one| objective.ranking(&self.games[one], most));
        let mut lead = Moments::default();
        for (first, other) in first.iter().zip(&other) {
            lead.add(other - first);
        }
        // If one difference alone is not 0, mean and standard error are equal except for rounding errors.
        let is_clear = lead.mean() > lead.standard_error() * (1.0 + 1e-9);
        if is_clear { leader } else { 0 }
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

    /// Adds the difference one - other.
    fn add(&mut self, one: f64, other: f64) {
        self.values.add_difference(other, one);
        if let Sequence::Points(sequence) = &mut self.sequence {
            sequence.add(one - other);
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
mod tests {
    use super::*;
    use tiletune_engine::random::{GameRng, at_setting};
    use tiletune_engine::record::{GameResult, Outcome};

    const SCORES: RaceRules = RaceRules {
        objective: Objective::MeanScore,
        players: Players::One,
        games: 2000,
        has_incumbent: false,
    };

    fn uniform(rng: &mut GameRng) -> f64 {
        f64::from(rng.below(1 << 30)) / f64::from(1 << 30)
    }

    /// Games with these mean scores, and a standard deviation of 40 % of 1000.
    fn scores(
        means: &[f64],
        rng: &mut GameRng,
        racing: &[usize],
        games: Range<usize>,
    ) -> Result<Vec<Vec<GameRecord>>, ()> {
        let mut score = |mean: f64| mean + 400.0 * 12f64.sqrt() * (uniform(rng) - 0.5);
        let mut games_of = |&finalist: &usize| -> Vec<GameRecord> {
            let game = |number: usize| GameRecord {
                seed: number as u64,
                result: GameResult::scored(score(means[finalist]) as u64),
                moves: 0,
                leaf_evaluations: 0,
            };
            games.clone().map(game).collect()
        };
        Ok(racing.iter().map(&mut games_of).collect())
    }

    /// A race in which a function gives the scores of the finalists in a game.
    fn of_scores(
        rules: RaceRules,
        finalists: usize,
        mut scores: impl FnMut(usize) -> Vec<u64>,
    ) -> RaceResult {
        let play = |racing: &[usize], games: Range<usize>| {
            let mut played = vec![Vec::new(); racing.len()];
            for number in games {
                let scores = scores(number);
                for (games, &finalist) in played.iter_mut().zip(racing) {
                    games.push(GameRecord {
                        seed: number as u64,
                        result: GameResult::scored(scores[finalist]),
                        moves: 0,
                        leaf_evaluations: 0,
                    });
                }
            }
            Ok::<_, ()>(played)
        };
        decide(finalists, rules, play).unwrap()
    }

    #[test]
    fn an_incumbent_stays_unless_another_is_clearly_better() {
        let mut rng = GameRng::new(5);
        let rules = RaceRules {
            games: 60,
            has_incumbent: true,
            ..SCORES
        };
        // The standard error of a difference of 60 games is 73.
        let mut wins = |means: &[f64], finalist: usize| {
            let race = |_: &usize| {
                let play = |racing: &[usize], games| scores(means, &mut rng, racing, games);
                decide(means.len(), rules, play).unwrap().winner == finalist
            };
            (0..400).filter(race).count()
        };
        // The largest of three leads is above a standard error in about a third of races.
        assert!((240..310).contains(&wins(&[1000.0; 4], 0)));
        assert!(wins(&[1000.0, 900.0, 900.0, 900.0], 0) > 380);
        assert!(wins(&[1000.0, 1300.0, 900.0, 900.0], 1) > 380);
        // With single games any lead counts.
        let single = RaceRules { games: 1, ..rules };
        let race = of_scores(single, 3, |_| vec![10, 11, 9]);
        assert_eq!((race.winner, race.survivors()), (1, 1));
        let race = of_scores(single, 3, |_| vec![10, 10, 9]);
        assert_eq!(race.winner, 0);
        // A single game that differs is as far from 0 as its standard error, whichever game it is.
        for at in 0..60 {
            let race = of_scores(rules, 2, |game| vec![10, 10 + u64::from(game == at)]);
            assert_eq!(race.winner, 0, "{at}");
        }
        let race = of_scores(rules, 2, |game| vec![10, 10 + u64::from(game < 2)]);
        assert_eq!(race.winner, 1);
        // Where nobody reaches the tile, lower ones decide.
        let share = RaceRules {
            objective: Objective::ShareReaching(2048),
            ..rules
        };
        let tile = |seed: usize, tile: u32| GameRecord {
            seed: seed as u64,
            result: GameResult::scored_with_tile(0, tile),
            moves: 0,
            leaf_evaluations: 0,
        };
        let play = |racing: &[usize], games: Range<usize>| {
            let of = |finalist: &usize| {
                let reached = if *finalist == 0 { 256 } else { 512 };
                games.clone().map(|game| tile(game, reached)).collect()
            };
            Ok::<Vec<Vec<GameRecord>>, ()>(racing.iter().map(of).collect())
        };
        assert_eq!(decide(2, share, play).unwrap().winner, 1);
    }

    #[test]
    fn deterministic_finalists_are_told_apart() {
        for objective in [
            Objective::MeanScore,
            Objective::MedianScore,
            Objective::MeanLogScore,
        ] {
            let rules = RaceRules {
                objective,
                ..SCORES
            };
            let result = of_scores(rules, 4, |_| vec![5, 80, 12, 79]);
            assert_eq!((result.winner, result.survivors()), (1, 1), "{objective}");
            // ln(0.025 / 6) / ln(0.99) = 545.3.
            assert!(
                result
                    .finalists
                    .iter()
                    .all(|finalist| finalist.games == 600)
            );
            let result = of_scores(rules, 14, |_| (0..14).map(|score| 3 * score).collect());
            assert_eq!((result.winner, result.survivors()), (13, 1));
            assert_eq!(result.finalists[13].games, 900);
        }
        let equal = of_scores(SCORES, 3, |_| vec![7, 7, 6]);
        assert_eq!((equal.winner, equal.survivors()), (0, 2));
        // ln(0.025 / 3) / ln(0.99) = 476.4.
        assert_eq!(equal.finalists[1].games, 500);
    }

    /// Prints the share of races in which a best finalist was eliminated, and the mean number of its games.
    fn check_races(races: u64, slack: f64) {
        println!(
            "| finalists | a best one eliminated | undecided | mean games |\n|---|---:|---:|---:|"
        );
        // The scores of three finalists in a game, and how many of them are best. The best ones come first.
        type Scores = fn(&mut GameRng) -> [f64; 3];
        fn rare(rng: &mut GameRng, share: f64) -> [f64; 3] {
            let size = 20.0 / share;
            [0; 3].map(|_| match uniform(rng) {
                draw if draw < share / 2.0 => 100_000.0 + size,
                draw if draw < share => 100_000.0 - size,
                _ => 100_000.0,
            })
        }
        let cells: [(&str, usize, Scores); 7] = [
            ("noisy, equal", 3, |rng| {
                [0; 3].map(|_| 1000.0 + 1000.0 * uniform(rng))
            }),
            ("all scores equal", 3, |_| [1000.0; 3]),
            ("deterministic, 1 % behind", 1, |_| [1000.0, 990.0, 980.0]),
            ("0.1 % of the scores deviate, equal", 3, |rng| {
                rare(rng, 0.001)
            }),
            ("1 % of the scores deviate, equal", 3, |rng| rare(rng, 0.01)),
            ("10 % of the scores deviate, equal", 3, |rng| rare(rng, 0.1)),
            ("0 or 2, equal", 3, |rng| {
                [0; 3].map(|_| if uniform(rng) < 0.5 { 0.0 } else { 2.0 })
            }),
        ];
        for (name, best, scores) in cells {
            let (mut eliminated, mut undecided, mut games) = (0, 0, 0);
            for seed in 0..races {
                let mut rng = GameRng::new(seed);
                let result = of_scores(SCORES, 3, |_| {
                    scores(&mut rng).map(|score| score as u64).into()
                });
                let mut first = result.finalists[..best].iter();
                eliminated += u64::from(first.any(|finalist| finalist.is_eliminated));
                undecided += u64::from(result.survivors() > 1);
                games += u64::from(result.finalists[result.winner].games);
            }
            let share = |count: u64| count as f64 / races as f64;
            println!(
                "| {name} | {:.1} % | {:.1} % | {} |",
                100.0 * share(eliminated),
                100.0 * share(undecided),
                games / races
            );
            assert!(share(eliminated) <= ERROR + slack, "{name}");
        }
    }

    #[test]
    fn a_few_races_keep_the_best_finalists() {
        check_races(20, 0.15);
    }

    #[test]
    #[ignore = "takes minutes; prints a table of docs/statistics.md"]
    fn races_keep_the_best_finalists() {
        check_races(5000, 0.0);
    }

    fn run(rules: RaceRules, means: &[f64], seed: u64) -> RaceResult {
        let mut rng = GameRng::new(seed);
        let play = |racing: &[usize], games| scores(means, &mut rng, racing, games);
        decide(means.len(), rules, play).unwrap()
    }

    #[test]
    fn a_clear_winner_is_found_early() {
        let result = run(SCORES, &[1000.0, 1300.0, 900.0, 1200.0], 1);
        assert_eq!((result.winner, result.survivors()), (1, 1));
        let games: Vec<u32> = result
            .finalists
            .iter()
            .map(|finalist| finalist.games)
            .collect();
        assert!(games[2] <= 200 && games[0] <= 300, "{games:?}");
        assert!(games[3] == games[1] && games[1] < 1500, "{games:?}");
        assert!(games.iter().all(|games| games % 100 == 0), "{games:?}");
        assert!((result.finalists[1].value - 1300.0).abs() < 60.0);
        let behind = result.finalists[3].behind.unwrap();
        assert!(
            behind.low > 0.0 && behind.low < 100.0 && behind.high > 100.0,
            "{behind:?}"
        );
        assert_eq!(result.finalists[1].behind, None);
    }

    #[test]
    fn equal_finalists_are_rarely_eliminated() {
        let wrong = (0..200).filter(|&seed| run(SCORES, &[1000.0; 3], seed).survivors() < 3);
        let wrong = wrong.count();
        assert!(wrong <= 10, "{wrong} of 200");
    }

    #[test]
    fn an_undecided_race_recommends_the_largest_mean() {
        let rules = RaceRules {
            games: 250,
            ..SCORES
        };
        let result = run(rules, &[1000.0, 1010.0], 3);
        assert_eq!(result.survivors(), 2);
        assert!(
            result
                .finalists
                .iter()
                .all(|finalist| finalist.games == 250)
        );
        let other = 1 - result.winner;
        assert!(result.finalists[result.winner].value >= result.finalists[other].value);
        assert!(result.finalists[other].behind.unwrap().low <= 0.0);
        let single = run(rules, &[5.0], 3);
        assert_eq!(
            (single.winner, single.survivors(), single.finalists[0].games),
            (0, 1, 0)
        );
    }

    #[test]
    fn a_median_is_played_to_the_end() {
        let rules = RaceRules {
            objective: Objective::MedianScore,
            games: 300,
            ..SCORES
        };
        let result = run(rules, &[1000.0, 3000.0], 1);
        assert_eq!((result.winner, result.survivors()), (1, 2));
        assert_eq!(result.finalists[0].games, 300);
    }

    #[test]
    fn several_settings_are_raced_by_all_games() {
        let rules = RaceRules {
            objective: Objective::GeometricMeanScore,
            games: 300,
            ..SCORES
        };
        // The second finalist is better by the means of all games at two settings, the first one by the mean over blocks of
        // the geometric mean. A tenth of the games has all points, so no difference is shown.
        let score = |finalist: usize, number: usize| {
            let mean = match (finalist, number % 2, number / 100) {
                (0, _, _) => 1000,
                (_, 0, 0) | (_, 1, 2) => 2900,
                _ => 230,
            };
            let has_points = number / 2 % 10 == 5 * finalist;
            10 * mean * u64::from(has_points)
        };
        let mut all = [Vec::new(), Vec::new()];
        let play = |racing: &[usize], games: Range<usize>| {
            let game = |finalist: usize, number: usize| GameRecord {
                seed: at_setting((number as u64) << 8, number % 2),
                result: GameResult::scored(score(finalist, number)),
                moves: 0,
                leaf_evaluations: 0,
            };
            let of = |&finalist: &usize| games.clone().map(move |number| game(finalist, number));
            let played: Vec<Vec<GameRecord>> = racing.iter().map(|one| of(one).collect()).collect();
            for (&finalist, games) in racing.iter().zip(&played) {
                all[finalist].extend_from_slice(games);
            }
            Ok::<_, ()>(played)
        };
        let result = decide(2, rules, play).unwrap();
        assert_eq!((result.winner, result.survivors()), (1, 2));
        let objective = rules.objective;
        for (finalist, games) in result.finalists.iter().zip(&all) {
            let fitness = objective.fitness(&objective.contributions(games));
            assert_eq!(
                (finalist.games, finalist.value, finalist.standard_error),
                (300, fitness.value, fitness.standard_error)
            );
        }
        let of_blocks = all.each_ref().map(|games| {
            let blocks = games
                .chunks(100)
                .map(|block| objective.contributions(block));
            objective
                .fitness(&blocks.flatten().collect::<Vec<_>>())
                .value
        });
        assert!(of_blocks[0] > of_blocks[1]);
    }

    #[test]
    fn points_are_raced_by_openings() {
        let mut rng = GameRng::new(5);
        let mut play = |racing: &[usize], games: Range<usize>| {
            let mut game = |finalist: usize, number: usize| GameRecord {
                seed: number as u64,
                result: GameResult::Outcome(if uniform(&mut rng) < [0.5, 0.8][finalist] {
                    Outcome::Win
                } else {
                    Outcome::Loss
                }),
                moves: 0,
                leaf_evaluations: 0,
            };
            let mut all = |&finalist: &usize| -> Vec<GameRecord> {
                games.clone().map(|number| game(finalist, number)).collect()
            };
            Ok::<_, ()>(racing.iter().map(&mut all).collect())
        };
        let rules = RaceRules {
            objective: Objective::MeanPoints,
            players: Players::Two,
            games: 4000,
            has_incumbent: false,
        };
        let result = decide(2, rules, &mut play).unwrap();
        assert_eq!((result.winner, result.survivors()), (1, 1));
        assert_eq!(result.finalists[0].games % 200, 0);
        assert!(result.finalists[0].games < 2000, "{result:?}");
    }
}
