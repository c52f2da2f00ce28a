//! The plan of an experiment: the number of games, their time, and the differences between rows that they can show. A
//! short calibration gives the time. This module must not print.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::oracle;
use crate::config::experiment::Experiment;
use crate::run::RunError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Players;
use tiletune_engine::random::Stream;
use tiletune_tuning::evaluation::Progress;
use tiletune_tuning::evaluation::calibration::{Calibration, calibrate, within};
use tiletune_tuning::evaluation::local::{CANDIDATES_AT_ONCE, Local};
use tiletune_tuning::evaluation::schedule::Games;
use tiletune_tuning::results::DifferenceOfInterest;
use tiletune_tuning::stats::games::results;
use tiletune_tuning::stats::power::detectable;
use tiletune_tuning::stats::scale::Scale;
use tiletune_tuning::stats::sequential::Moments;

/// Largest number of games of a row in a calibration.
const MOST_GAMES: u32 = 4000;

/// Smallest number of different pairs for an estimate of the detectable difference.
const FEWEST_DIFFERENT: u64 = 8;

/// Probability of a wrong verdict about equal rows, for all comparisons together.
const ERROR: f64 = 0.05;

/// The games of all rows of an experiment in a calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentCalibration {
    /// For each distinct player: the indices of its rows, and their games. Very many rows are split.
    pub players: Vec<(Vec<usize>, Calibration)>,
    /// The oracle's work, if the experiment has one.
    pub oracle: Option<OracleWork>,
}

/// The positions that an oracle has judged in a calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OracleWork {
    /// Number of positions.
    pub positions: usize,
    /// Seconds of a processor core. If `positions` is 0, a position takes longer than this.
    pub core_seconds: f64,
}

impl ExperimentCalibration {
    /// Plays a few games of every row, for about `time` for each distinct player, and lets the oracle judge
    /// positions for the same time.
    ///
    /// # Errors
    /// If a stop is requested through `progress`, the threads cannot be started, or the oracle fails.
    pub fn of(
        experiment: &Experiment,
        threads: usize,
        time: Duration,
        progress: &Progress,
    ) -> Result<Self, RunError> {
        let mut players = Vec::new();
        let players_of_rows = rows_of_players(experiment);
        let parts = players_of_rows.iter().flat_map(|rows| {
            let part = |some: &[usize]| some.len() as f64 / rows.len() as f64;
            let parts = rows.chunks(CANDIDATES_AT_ONCE);
            parts.map(move |some| (some.to_vec(), time.mul_f64(part(some))))
        });
        for (indices, time) in parts {
            let rows = indices.iter().map(|&index| &experiment.rows[index]);
            let weights: Vec<Weights> = rows.clone().map(|row| row.weights.clone()).collect();
            let player = &experiment.rows[indices[0]].player;
            let most = rows.map(|row| row.games).max().unwrap_or(0);
            let most = u64::from(most.min(MOST_GAMES));
            // Rows are compared on common seeds, so all players have the same seeds.
            let seed = experiment.config.seed;
            let seeds = (player.players()).game_seeds(seed, Stream::Calibration, 0, most);
            let local = Local::new(player.clone(), Some(threads))?;
            let played = calibrate(&local, &weights, &seeds, time, progress)?;
            players.push((indices, played));
        }
        let begin = Instant::now();
        let judged = within(2 * time, progress, |limited| {
            oracle::judge_for(experiment, threads, time, limited)
        })?;
        if progress.is_stopped() {
            return Err(RunError::Interrupted);
        }
        Ok(ExperimentCalibration {
            players,
            oracle: judged.map(|positions| OracleWork {
                positions,
                core_seconds: begin.elapsed().as_secs_f64() * threads as f64,
            }),
        })
    }

    /// The games of a row. The calibration has the games of all rows of its player.
    fn row(&self, index: usize) -> Option<(usize, &Calibration)> {
        self.players.iter().find_map(|(indices, played)| {
            let place = indices.iter().position(|&one| one == index)?;
            Some((place, played))
        })
    }

    /// The results of a row: the score of each game, or the points of each opening.
    fn results(&self, index: usize) -> Vec<f64> {
        let row = self.row(index);
        row.map_or(Vec::new(), |(place, played)| results(&played.games[place]))
    }

    /// Moves of a game, and core-seconds of a move, of a row. A row without a game is assumed to have games as long as
    /// those of the other rows of its player.
    fn cost(&self, index: usize) -> Option<[f64; 2]> {
        let (place, played) = self.row(index)?;
        let moves = played.moves(place).or(played.mean_moves())?;
        Some([moves, played.seconds_per_move()?])
    }
}

/// The indices of the rows of each distinct player, in order.
fn rows_of_players(experiment: &Experiment) -> Vec<Vec<usize>> {
    let mut players: Vec<Vec<usize>> = Vec::new();
    let player = |index: usize| &experiment.rows[index].player;
    for index in 0..experiment.rows.len() {
        let mut known = players.iter_mut();
        match known.find(|known| player(known[0]) == player(index)) {
            Some(known) => known.push(index),
            None => players.push(vec![index]),
        }
    }
    players
}

/// The estimate of a row.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RowEstimate {
    /// Its name.
    pub name: String,
    /// Number of games.
    pub games: u32,
    /// Training games of the search, if its weights are tuned again. They count as games of the weights
    /// before.
    pub training_games: u64,
    /// Mean number of moves of a game; `None` if no game ended in the calibration.
    pub moves: Option<f64>,
    /// Seconds of a processor core for all its games and training games, and to prepare the players.
    pub core_seconds: f64,
    /// Whether no game ended in the calibration: the row takes longer than `core_seconds`.
    pub is_slower: bool,
    /// The row with which it is compared.
    pub baseline: Option<String>,
    /// The usual difference of interest of both; `None` if it is not compared or too few games differ.
    #[serde(rename = "difference_of_interest")]
    pub interest: Option<DifferenceOfInterest>,
    /// The difference from that row that its games find in 80 % of cases, in the unit of the difference of interest;
    /// of percent as a share.
    pub detectable: Option<f64>,
}

impl RowEstimate {
    /// The difference that its games can show.
    pub fn found(&self) -> Option<DifferenceOfInterest> {
        Some(self.interest?.of_share(self.detectable?))
    }
}

/// The estimate of an oracle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OracleEstimate {
    /// Number of positions.
    pub positions: u32,
    /// How many of them were judged in the calibration.
    pub judged: usize,
    /// Seconds of a processor core for all positions; longer if none was judged. It is rough: some positions
    /// take a thousand times as long as others.
    pub core_seconds: f64,
}

/// An estimate of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentEstimate {
    /// Number of threads.
    pub threads: usize,
    pub rows: Vec<RowEstimate>,
    /// The oracle, if there is one.
    pub oracle: Option<OracleEstimate>,
}

impl ExperimentEstimate {
    /// The estimate from a calibration.
    pub fn new(experiment: &Experiment, threads: usize, measured: &ExperimentCalibration) -> Self {
        let compared = experiment.rows.iter().filter(|row| row.baseline.is_some());
        let error = ERROR / compared.count().max(1) as f64;
        let rows = 0..experiment.rows.len();
        let oracle = experiment.oracle.as_ref().zip(measured.oracle);
        ExperimentEstimate {
            threads,
            rows: rows
                .map(|index| row(experiment, measured, index, error))
                .collect(),
            oracle: oracle.map(|(oracle, work)| OracleEstimate {
                positions: oracle.positions,
                judged: work.positions,
                core_seconds: work.core_seconds * f64::from(oracle.positions)
                    / work.positions.max(1) as f64,
            }),
        }
    }

    /// Number of games of all rows.
    pub fn games(&self) -> u64 {
        self.rows.iter().map(|row| u64::from(row.games)).sum()
    }

    /// Number of training games of all rows that are tuned again.
    pub fn training_games(&self) -> u64 {
        self.rows.iter().map(|row| row.training_games).sum()
    }

    /// Seconds of a processor core for all games and positions.
    pub fn core_seconds(&self) -> f64 {
        let rows: f64 = self.rows.iter().map(|row| row.core_seconds).sum();
        rows + self.oracle.map_or(0.0, |oracle| oracle.core_seconds)
    }

    /// Elapsed seconds.
    pub fn seconds(&self) -> f64 {
        self.core_seconds() / self.threads as f64
    }

    /// Whether a game or position took longer than the calibration. The time is then a lower limit.
    pub fn is_slower(&self) -> bool {
        self.rows.iter().any(|row| row.is_slower)
            || self.oracle.is_some_and(|oracle| oracle.judged == 0)
    }
}

fn row(
    experiment: &Experiment,
    measured: &ExperimentCalibration,
    index: usize,
    error: f64,
) -> RowEstimate {
    let row = &experiment.rows[index];
    let cost = measured.cost(index);
    let slow = || (measured.row(index)).map_or(0.0, |(_, played)| played.core_seconds);
    let of_game = cost.map_or_else(slow, |[moves, seconds]| moves * seconds);
    let difference = row.baseline.and_then(|baseline| {
        let [games, of_baseline] = [index, baseline].map(|row| experiment.rows[row].games);
        let games = f64::from(games.min(of_baseline));
        let pairs = match row.player.players() {
            Players::One => games,
            Players::Two => games / 2.0,
        };
        let (interest, deviation) =
            deviation(&measured.results(index), &measured.results(baseline))?;
        Some((interest, detectable(pairs, deviation, error)))
    });
    let (interest, detectable) = difference.unzip();
    let search = row.retuned.as_ref();
    let training_games = search.and_then(|search| search.campaign.config.budget.games);
    let training_games = training_games.unwrap_or(0);
    // An upper limit of the number of candidates: their games may increase during the search.
    let candidates = search.map_or(0.0, |search| {
        let evaluation = &search.campaign.config.evaluation;
        let games = match evaluation.games {
            Games::Auto => row.player.players().whole(evaluation.least_games()),
            Games::Number(games) => games,
        };
        training_games as f64 / f64::from(games)
    });
    let preparation = (measured.row(index)).map_or(0.0, |(_, played)| played.preparation);
    let games = f64::from(row.games) + training_games as f64;
    RowEstimate {
        name: row.name.clone(),
        games: row.games,
        training_games,
        moves: cost.map(|[moves, _]| moves),
        core_seconds: games * of_game + (1.0 + candidates) * preparation,
        is_slower: cost.is_none(),
        baseline: (row.baseline).map(|baseline| experiment.rows[baseline].name.clone()),
        interest,
        detectable,
    }
}

/// The usual difference of interest of two rows, and the standard deviation of their differences on the same seeds in
/// its unit. `None` if too few games differ.
fn deviation(row: &[f64], baseline: &[f64]) -> Option<(DifferenceOfInterest, f64)> {
    let mut moments = [Moments::default(); 3];
    for (row, baseline) in row.iter().zip(baseline) {
        moments[0].add(*row);
        moments[1].add(*baseline);
        moments[2].add_difference(*baseline, *row);
    }
    let [one, other, differences] = moments;
    let interest = Scale::of(&one, &other).difference(None);
    let deviation = interest.of_points(differences.variance().sqrt())?.share();
    let is_known = differences.different() >= FEWEST_DIFFERENT && deviation > 0.0;
    is_known.then_some((interest, deviation))
}

#[cfg(test)]
mod tests;
