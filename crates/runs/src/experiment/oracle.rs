//! The moves of the rows in single positions, judged by an oracle: a player that knows the outcome of every move. The
//! result is the share of random positions in which the move of a row preserves the best outcome.
//!
//! A position is chosen uniformly from a game of random moves, after the opening and a number of further moves. Every
//! judged position is a line of a log, so an interrupted run continues at the next position.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::experiment::{Experiment, Oracle};
pub(super) use crate::run::logs::JUDGED;
use crate::run::logs::{self, Log};
use crate::run::{Control, RunDirectory, RunError, StoreError, Task};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::player::analysis::{Analysis, MoveValue};
use tiletune_engine::player::format::{Format, Request};
use tiletune_engine::random::{GameRng, Stream, derive};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::Progress;
use tiletune_tuning::evaluation::local::Local;
use tiletune_tuning::results::experiment::{McNemarTest, MoveAccuracy};
use tiletune_tuning::stats::intervals::share_interval;
use tiletune_tuning::stats::multiple_testing::holm;
use tiletune_tuning::stats::sign_test::{SignTest, mcnemar};

/// Number of positions per thread that are judged together. An interruption loses at most these.
const POSITIONS_A_THREAD: usize = 4;

/// Largest number of games that are searched for one position.
const MOST_GAMES: u64 = 1000;

/// A position, the values of its moves, and the choices of the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedPosition {
    /// The position, in the form of `advise`.
    position: Map<String, Value>,
    /// The oracle's value of every column: positive if the move wins, negative if it loses; null if the
    /// column is full.
    values: Vec<Option<f64>>,
    /// The column that each row chooses, from 1.
    choices: Vec<usize>,
}

impl JudgedPosition {
    /// Whether each row's move preserves the best possible outcome.
    fn preserves_outcome(&self) -> impl Iterator<Item = bool> {
        let outcome = |value: f64| value.partial_cmp(&0.0);
        let outcomes = self.values.iter().flatten().copied();
        let best = outcomes.fold(f64::NEG_INFINITY, f64::max);
        self.choices.iter().map(move |choice| {
            let value = self.values.get(choice.wrapping_sub(1));
            let value = value.copied().flatten();
            value.is_some_and(|value| outcome(value) == outcome(best))
        })
    }
}

/// The judged positions of a run directory.
pub(super) fn judged(
    experiment: &Experiment,
    directory: &RunDirectory,
) -> Result<Vec<JudgedPosition>, StoreError> {
    let path = directory.path(JUDGED);
    let judged: Vec<JudgedPosition> = logs::read(&path)?;
    let positions = positions(experiment).map_err(|error| StoreError::damaged(&path, error))?;
    let format = experiment.oracle.as_ref().map(format);
    let is_of = |(judged, position): (&JudgedPosition, &Request)| {
        let columns = 1..=judged.values.len();
        format.is_some_and(|format| judged.position == written(position, &format))
            && judged.choices.len() == experiment.rows.len()
            && judged.choices.iter().all(|choice| columns.contains(choice))
    };
    if judged.len() > positions.len() || !judged.iter().zip(positions).all(is_of) {
        let reason = "these are not the positions of this experiment";
        return Err(StoreError::damaged(&path, reason));
    }
    Ok(judged)
}

/// Judges the positions that are not judged yet, with these weights of the rows. Returns all positions.
pub(super) fn judge(
    experiment: &Experiment,
    weights: &[Weights],
    threads: usize,
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<Vec<JudgedPosition>, RunError> {
    let mut judged = judged(experiment, directory)?;
    let (begin, count) = (
        judged.len(),
        positions(experiment).map_err(RunError::Oracle)?.len(),
    );
    if begin == count {
        return Ok(judged);
    }
    if begin > 0 && judge_again(experiment, weights, 1, threads, control)? != judged[..1] {
        return Err(RunError::differs(
            JUDGED,
            "judges the first position differently",
        ));
    }
    let mut log = Log::open(&directory.path(JUDGED))?;
    judge_range(experiment, weights, begin..count, threads, control, |one| {
        log.append(&one)?;
        judged.push(one);
        Ok(())
    })?;
    Ok(judged)
}

/// Judges the first `count` positions again.
pub(super) fn judge_again(
    experiment: &Experiment,
    weights: &[Weights],
    count: usize,
    threads: usize,
    control: &mut Control,
) -> Result<Vec<JudgedPosition>, RunError> {
    let mut judged = Vec::with_capacity(count);
    judge_range(experiment, weights, 0..count, threads, control, |one| {
        judged.push(one);
        Ok(())
    })?;
    Ok(judged)
}

/// Judges positions in batches, and delivers them in order.
fn judge_range(
    experiment: &Experiment,
    weights: &[Weights],
    mut numbers: Range<usize>,
    threads: usize,
    control: &mut Control,
    mut add: impl FnMut(JudgedPosition) -> Result<(), StoreError>,
) -> Result<(), RunError> {
    let positions = positions(experiment).map_err(RunError::Oracle)?;
    let Some(oracle) = experiment.oracle.as_ref().filter(|_| !numbers.is_empty()) else {
        return Ok(());
    };
    let judge = Judge::new(experiment, weights, oracle, threads)?;
    while !numbers.is_empty() {
        if control.progress.is_stopped() {
            return Err(RunError::Interrupted);
        }
        control.observer.task_begins(Task::Positions {
            oracle: oracle.player.entry.name,
            number: numbers.start + 1,
            count: numbers.end,
        });
        let end = numbers
            .end
            .min(numbers.start + POSITIONS_A_THREAD * threads);
        for one in judge.judge(&positions[numbers.start..end], control.progress)? {
            add(one)?;
            numbers.start += 1;
        }
    }
    Ok(())
}

/// Judges the first positions until `time` is over, one per thread at a time. Returns their number, or `None` without
/// an oracle.
pub(super) fn judge_for(
    experiment: &Experiment,
    threads: usize,
    time: Duration,
    progress: &Progress,
) -> Result<Option<usize>, RunError> {
    let Some(oracle) = &experiment.oracle else {
        return Ok(None);
    };
    let positions = positions(experiment).map_err(RunError::Oracle)?;
    let rows = experiment.rows.iter();
    let weights: Vec<Weights> = rows.map(|row| row.weights.clone()).collect();
    let judge = Judge::new(experiment, &weights, oracle, threads)?;
    let begin = Instant::now();
    let mut judged = 0;
    for some in positions.chunks(threads) {
        if progress.is_stopped() || begin.elapsed() >= time {
            break;
        }
        judged += judge.judge(some, progress)?.len();
    }
    Ok(Some(judged))
}

/// The oracle and the rows whose moves it judges.
struct Judge<'a> {
    oracle: Local,
    format: Format,
    rows: Vec<(&'a Weights, Local)>,
}

impl<'a> Judge<'a> {
    fn new(
        experiment: &'a Experiment,
        weights: &'a [Weights],
        oracle: &Oracle,
        threads: usize,
    ) -> Result<Self, RunError> {
        let local = |player: &PlayerSpec| Local::new(player.clone(), Some(threads));
        let rows = weights.iter().zip(&experiment.rows);
        let rows = rows.map(|(weights, row)| Ok((weights, local(&row.player)?)));
        Ok(Judge {
            oracle: local(&oracle.player)?,
            format: format(oracle),
            rows: rows.collect::<Result<_, RunError>>()?,
        })
    }

    /// Judges positions. After a stop request only the first ones are returned.
    fn judge(
        &self,
        positions: &[Request],
        progress: &Progress,
    ) -> Result<Vec<JudgedPosition>, RunError> {
        let weights = Weights::default();
        let solved = self.oracle.analyze(&weights, positions, progress)?;
        let positions = &positions[..solved.len()];
        let judged = positions.iter().zip(solved).map(|(position, analysis)| {
            let values = analysis.values.iter();
            // The oracle has one value per move.
            let first = |value: &MoveValue| value.numbers()[0];
            JudgedPosition {
                position: written(position, &self.format),
                values: values.map(|(_, value)| value.as_ref().map(first)).collect(),
                choices: Vec::new(),
            }
        });
        let mut judged: Vec<JudgedPosition> = judged.collect();
        for (weights, local) in &self.rows {
            let analyses = local.analyze(weights, &positions[..judged.len()], progress)?;
            judged.truncate(analyses.len());
            for (judged, analysis) in judged.iter_mut().zip(analyses) {
                judged.choices.push(number_of_best(&analysis)?);
            }
        }
        Ok(judged)
    }
}

/// The number of the best move among all moves, from 1.
fn number_of_best(analysis: &Analysis) -> Result<usize, RunError> {
    let is_best = |(name, _): &(String, _)| Some(name) == analysis.best.as_ref();
    let index = analysis.values.iter().position(is_best);
    let index = index.ok_or_else(|| RunError::Oracle("a player has no move".into()))?;
    Ok(index + 1)
}

fn format(oracle: &Oracle) -> Format {
    oracle.player.entry.game.format
}

/// A position in the form of `advise`.
fn written(request: &Request, format: &Format) -> Map<String, Value> {
    let mut fields = (format.position)(&*request.position);
    fields.insert("seed".into(), request.seed.into());
    fields
}

/// The positions of an experiment, in order; empty without an oracle. They are generated once. Each has a seed for
/// players with random choices.
///
/// # Errors
/// If no game has as many moves as the configuration requires.
pub(super) fn positions(experiment: &Experiment) -> Result<&[Request], String> {
    let Some(oracle) = &experiment.oracle else {
        return Ok(&[]);
    };
    if let Some(drawn) = oracle.drawn.get() {
        return Ok(drawn);
    }
    let drawn = draw(oracle, experiment.config.seed)?;
    Ok(oracle.drawn.get_or_init(|| drawn))
}

fn draw(oracle: &Oracle, seed: u64) -> Result<Vec<Request>, String> {
    let players = oracle.player.players();
    let player = oracle.random.build(&Weights::default())?;
    let position = |number: u64| {
        let games = (0..MOST_GAMES).map(|game| 2 * game);
        let mut found = games.filter_map(|game| {
            let seed = players.game_seed(seed, Stream::Yardstick, number, game);
            let mut session = player.begin(seed, Stop::never());
            let steps = std::iter::from_fn(|| session.step());
            let steps = steps.take_while(|step| step.ended.is_none());
            let mut positions: Vec<_> = steps
                .skip_while(|step| step.moves < oracle.moves)
                .map(|step| step.position)
                .collect();
            let mut rng = GameRng::new(derive(seed, Stream::Yardstick, 0, 0));
            let count = positions.len() as u32;
            (count > 0).then(|| {
                let position = positions.swap_remove(rng.below(count) as usize);
                let seed = rng.bits();
                Request { position, seed }
            })
        });
        let none = || format!("no game lasts longer than {} random moves", oracle.moves);
        found.next().ok_or_else(none)
    };
    (0..u64::from(oracle.positions)).map(position).collect()
}

/// The results of every row; `None` until all positions are judged.
pub(super) fn kept(
    experiment: &Experiment,
    judged: &[JudgedPosition],
) -> Vec<Option<MoveAccuracy>> {
    let oracle = experiment.oracle.as_ref();
    if oracle.is_none_or(|oracle| oracle.positions as usize != judged.len()) {
        return vec![None; experiment.rows.len()];
    }
    let mut of_rows = vec![Vec::with_capacity(judged.len()); experiment.rows.len()];
    for one in judged {
        for (of_row, kept) in of_rows.iter_mut().zip(one.preserves_outcome()) {
            of_row.push(kept);
        }
    }
    let mut kept: Vec<MoveAccuracy> = of_rows.iter().map(|kept| share(kept)).collect();
    let rows = experiment.rows.iter().enumerate();
    let compared = rows.filter_map(|(index, row)| Some((index, row.baseline?)));
    let test = |(index, baseline): (usize, usize)| {
        let test = mcnemar(&of_rows[index], &of_rows[baseline]);
        (index, baseline, test)
    };
    let tests: Vec<(usize, usize, SignTest)> = compared.map(test).collect();
    let p: Vec<f64> = tests.iter().map(|(.., test)| test.p).collect();
    for ((index, baseline, test), p_holm) in tests.into_iter().zip(holm(&p)) {
        kept[index].comparison = Some(McNemarTest {
            baseline: experiment.rows[baseline].name.clone(),
            only_row: test.above,
            only_baseline: test.below,
            p: test.p,
            p_holm,
        });
    }
    kept.into_iter().map(Some).collect()
}

fn share(kept: &[bool]) -> MoveAccuracy {
    let positions = kept.len() as u32;
    let kept = kept.iter().filter(|kept| **kept).count() as u32;
    let share = f64::from(kept) / f64::from(positions);
    let interval = share_interval(f64::from(kept), u64::from(positions));
    MoveAccuracy {
        positions,
        kept,
        share,
        low: interval.low,
        high: interval.high,
        comparison: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_counts_not_the_distance() {
        let judged = |values: &[Option<f64>], choices: &[usize]| {
            let judged = JudgedPosition {
                position: Map::new(),
                values: values.to_vec(),
                choices: choices.to_vec(),
            };
            judged.preserves_outcome().collect::<Vec<bool>>()
        };
        let won = [Some(3.0), None, Some(11.0), Some(0.0), Some(-2.0)];
        assert_eq!(
            judged(&won, &[1, 2, 3, 4, 5]),
            [true, false, true, false, false]
        );
        assert_eq!(judged(&won, &[0, 6]), [false, false]);
        let drawn = [Some(-1.0), Some(0.0)];
        assert_eq!(judged(&drawn, &[1, 2]), [false, true]);
        let lost = [Some(-5.0), Some(-1.0)];
        assert_eq!(judged(&lost, &[1, 2]), [true, true]);
    }
}
