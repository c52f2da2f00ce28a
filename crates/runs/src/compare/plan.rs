//! The plan of a comparison: the number of pairs that show a difference of a given size, and their time. A short
//! calibration gives the time.

use schemars::JsonSchema;
use serde::Serialize;

use std::time::Duration;

use super::entrants::{Evaluators, entrants, games_of_pair};
use crate::config::compare::Comparison;
use crate::run::RunError;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::Progress;
use tiletune_tuning::results::DifferenceOfInterest;
use tiletune_tuning::results::compare::Measure;
use tiletune_tuning::stats::paired_test::PairedTest;
use tiletune_tuning::stats::power::{MULTIPLES, pairs_needed, sequential_pairs};
use tiletune_tuning::stats::sequential::equal_differences_needed;

/// With at least this number of pairs, a calibration ends when its time is over.
const FEWEST_PAIRS: u64 = 100;

/// A calibration ends at this number of pairs.
const MOST_PAIRS: u64 = 200;

/// Time after which a calibration ends, if it has at least two pairs.
const TIME: Duration = Duration::from_secs(2);

/// What a calibration of one challenger has measured.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComparisonEstimate {
    /// Name of the challenger.
    pub player: String,
    /// Number of pairs of the calibration.
    pub pairs: u64,
    /// Number of them that differ.
    pub different: u64,
    /// Mean result of the baseline; 1/2 in direct matches.
    pub first: f64,
    /// The difference of interest, if the comparison has results of the same size.
    #[serde(rename = "difference_of_interest")]
    pub interest: DifferenceOfInterest,
    /// Mean difference, in the unit of the results.
    pub difference: f64,
    /// Standard deviation of the differences in the unit of the difference of interest; of percent as a share.
    pub deviation: f64,
    /// If all differences are the same: the number of pairs after which a comparison ends where that goes on.
    pub equal_pairs: Option<u64>,
    /// Seconds of a processor core for a pair of this challenger and the baseline.
    pub core_seconds_per_pair: f64,
    /// For some differences the number of pairs that show them; empty if all differences are the same.
    pub sizes: Vec<PairsNeeded>,
}

/// The number of pairs for a difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairsNeeded {
    /// The difference in the unit of the difference of interest; of percent as a share.
    pub difference: f64,
    /// Pairs of a test of fixed size that finds it in 80 % of cases.
    pub fixed_pairs: f64,
    /// Mean number of pairs of a sequential test for this difference, if it is the true one.
    pub sequential_pairs: f64,
    /// Mean number of pairs of the comparison as it is configured, if this is the true difference.
    pub configured_pairs: f64,
    /// Seconds of a processor core for these.
    pub configured_core_seconds: f64,
}

/// Plays a few pairs on separate seeds, and estimates the numbers of pairs.
///
/// # Errors
/// If a stop is requested through `progress`, or the threads cannot be started.
pub fn estimate(
    comparison: &Comparison,
    threads: usize,
    progress: &Progress,
    clock: &dyn Fn() -> Duration,
) -> Result<Vec<ComparisonEstimate>, RunError> {
    let evaluators = Evaluators::new(entrants(comparison), &threads)?;
    let count = evaluators.entrants().len();
    let mut calibration = PairsCalibration {
        games: vec![Vec::new(); count],
        seconds: vec![0.0; count],
        pairs: 0,
    };
    let begin = clock();
    let mut step = 1;
    while calibration.wants_more(clock() - begin) {
        let end = (calibration.pairs + step).min(MOST_PAIRS);
        calibration.play(comparison, &evaluators, end, progress, clock)?;
        step *= 2;
    }
    let challengers = 1..comparison.players.len();
    let of = |index| calibration.estimate(comparison, &evaluators, threads, index);
    Ok(challengers.map(of).collect())
}

/// The games of a calibration.
struct PairsCalibration {
    games: Vec<Vec<GameRecord>>,
    /// Time of the games of each entrant.
    seconds: Vec<f64>,
    pairs: u64,
}

impl PairsCalibration {
    fn wants_more(&self, elapsed: Duration) -> bool {
        match self.pairs {
            MOST_PAIRS.. => false,
            0..2 => true,
            pairs => elapsed < TIME || (pairs < FEWEST_PAIRS && elapsed < 2 * TIME),
        }
    }

    /// Plays the pairs up to `end`.
    fn play(
        &mut self,
        comparison: &Comparison,
        evaluators: &Evaluators,
        end: u64,
        progress: &Progress,
        clock: &dyn Fn() -> Duration,
    ) -> Result<(), RunError> {
        let (seed, stream) = (comparison.config.seed, Stream::Calibration);
        for place in 0..self.games.len() {
            let begin = clock();
            let played = evaluators.play(&[place], seed, stream, self.pairs..end, progress)?;
            self.seconds[place] += (clock() - begin).as_secs_f64();
            self.games[place].extend_from_slice(&played[place]);
        }
        self.pairs = end;
        Ok(())
    }

    /// The result of an entrant in each pair.
    fn results(&self, measure: Measure, place: usize) -> Vec<f64> {
        let count = games_of_pair(measure) as usize;
        let pairs = self.games[place].chunks(count);
        let mean = |games: &[GameRecord]| games.iter().map(GameRecord::value).sum::<f64>();
        pairs.map(|games| mean(games) / count as f64).collect()
    }

    fn estimate(
        &self,
        comparison: &Comparison,
        evaluators: &Evaluators,
        threads: usize,
        index: usize,
    ) -> ComparisonEstimate {
        let (config, measure) = (&comparison.config, comparison.measure);
        let place = |index: usize| {
            let mut entrants = evaluators.entrants().iter();
            entrants.position(|entrant| entrant.index == index)
        };
        let of = |index: usize| place(index).map(|place| self.results(measure, place));
        let other = of(index).unwrap_or_default();
        let first = of(0).unwrap_or_else(|| vec![0.5; other.len()]);
        let comparisons = (comparison.players.len() - 1) as u32;
        let mut test = PairedTest::new(measure, config.margin, config.error, comparisons);
        first
            .iter()
            .zip(&other)
            .for_each(|(first, other)| test.add(*first, *other));
        let (interest, look) = test.calibrated();
        let deviation = look.standard_deviation;
        let places = [place(0), place(index)].into_iter().flatten();
        let seconds: f64 = places.map(|place| self.seconds[place]).sum();
        let error = config.error / f64::from(comparisons);
        let is_known = deviation > 0.0 && interest.points > 0.0;
        let core_seconds_per_pair = seconds * threads as f64 / self.pairs as f64;
        let size = |multiple: f64| {
            let difference = multiple * interest.points;
            let configured = sequential_pairs(deviation, interest.points, difference, error);
            let configured_pairs = configured.min(config.max_pairs as f64);
            PairsNeeded {
                difference: interest.times(multiple).share(),
                fixed_pairs: pairs_needed(deviation, difference, error),
                sequential_pairs: sequential_pairs(deviation, difference, difference, error),
                configured_pairs,
                configured_core_seconds: configured_pairs * core_seconds_per_pair,
            }
        };
        ComparisonEstimate {
            player: comparison.players[index].name.clone(),
            pairs: self.pairs,
            different: look.different,
            first: look.first,
            interest,
            difference: look.difference,
            deviation: interest
                .of_points(deviation)
                .map_or(deviation, DifferenceOfInterest::share),
            equal_pairs: look.are_equal().then(|| {
                let are_bounded = comparison.measure != Measure::Score;
                let (difference, effect) = (look.difference, look.effect);
                let needed = equal_differences_needed(difference, effect, are_bounded, error / 2.0);
                needed.min(config.max_pairs)
            }),
            core_seconds_per_pair,
            sizes: if is_known {
                MULTIPLES.map(size).to_vec()
            } else {
                Vec::new()
            },
        }
    }
}
