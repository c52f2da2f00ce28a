//! Computes the results of an experiment from its games.

use super::comparisons::{RowComparisons, difference, retuned_rows, sensitivities};
use super::{ExperimentData, oracle};
use crate::config::experiment::{Experiment, Row};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::results::experiment::{
    Agreement, AgreementTest, Comparison, ExperimentResults, RowResult,
};
use tiletune_tuning::stats::chi_square::{Counts, chi_square};
use tiletune_tuning::stats::equivalence::largest_difference;
use tiletune_tuning::stats::games::{PlayedScores, share, summarize as summarize_games};
use tiletune_tuning::stats::multiple_testing::holm;

/// The results of the played rows, and of the judged positions. `None` if `stop` is requested.
///
/// # Panics
/// If `played` does not have one set of games and one set of weights per row.
pub fn summarize(
    experiment: &Experiment,
    played: &ExperimentData,
    stop: Stop,
) -> Option<ExperimentResults> {
    let config = &experiment.config;
    let scores = PlayedScores::of(played.games.iter().flatten());
    let counted = |games: &Vec<GameRecord>| scores.counted(games).into_owned();
    let games: &[Vec<GameRecord>] = &played.games.iter().map(counted).collect::<Vec<_>>();
    let mut kept = oracle::kept(experiment, &played.judged);
    let oracle = experiment.oracle.as_ref();
    let positions = oracle.map_or(0, |oracle| oracle.positions);
    let unjudged = positions.saturating_sub(played.judged.len() as u32);
    assert_eq!(games.len(), experiment.rows.len());
    assert_eq!(played.weights.len(), experiment.rows.len());
    let compared = RowComparisons::new(experiment, games, stop);
    let (mut rows, mut unplayed) = (Vec::new(), Vec::new());
    for (index, row) in experiment.rows.iter().enumerate() {
        stop.complete(())?;
        if games[index].is_empty() {
            unplayed.push(row.name.clone());
            continue;
        }
        rows.push(RowResult {
            comparison: comparison(&compared, index),
            kept: kept[index].take(),
            ..row_result(experiment, row, &played.weights[index], &games[index])
        });
    }
    correct(&mut rows);
    let retuned = retuned_rows(&compared, &rows);
    stop.complete(ExperimentResults {
        sensitivity: sensitivities(experiment, &rows),
        retuned,
        name: config.name.clone(),
        why: config.why.clone(),
        seed: config.seed,
        tile: config.tile,
        rows,
        unplayed,
        unjudged,
    })
}

fn row_result(
    experiment: &Experiment,
    row: &Row,
    weights: &Weights,
    games: &[GameRecord],
) -> RowResult {
    let tested = experiment.rows.iter().filter(|row| row.reference.is_some());
    let (tested, tile) = (tested.count() as u32, experiment.config.tile);
    let summary = summarize_games("", games);
    let weights = weights.iter();
    let reference = row.reference.as_ref();
    RowResult {
        name: row.name.clone(),
        group: row.group.clone(),
        player: row.player.describe(),
        weights: weights.map(|(key, value)| (key.into(), value)).collect(),
        reached: tile.map(|tile| share(summary.reaching(tile), summary.games, 1)),
        published: row.published.clone(),
        reference: row.reference.clone(),
        agreement: reference.map(|reference| agreement(games, reference, tested)),
        comparison: None,
        kept: None,
        summary,
    }
}

/// The test of one row, without correction for the other tests.
fn agreement(games: &[GameRecord], reference: &Counts, tested: u32) -> Agreement {
    let mut counts = Counts::new();
    for tile in games.iter().filter_map(GameRecord::max_tile) {
        *counts.entry(tile).or_default() += 1;
    }
    let test = chi_square(&counts, reference);
    Agreement {
        reference_games: reference.values().sum(),
        test: test.map(|test| AgreementTest {
            chi_square: test.statistic,
            degrees: test.degrees,
            p: test.p,
            p_holm: test.p,
        }),
        largest_difference: largest_difference(&counts, reference, tested),
    }
}

fn correct(rows: &mut [RowResult]) {
    let tested = rows
        .iter_mut()
        .filter_map(|row| row.agreement.as_mut()?.test.as_mut());
    let mut tested: Vec<&mut AgreementTest> = tested.collect();
    let p: Vec<f64> = tested.iter().map(|test| test.p).collect();
    for (test, corrected) in tested.iter_mut().zip(holm(&p)) {
        test.p_holm = corrected;
    }
}

/// The comparison of a row with its baseline, if it has one and both are played.
fn comparison(compared: &RowComparisons, index: usize) -> Option<Comparison> {
    let baseline = compared.experiment.rows[index].baseline?;
    Some(Comparison {
        baseline: compared.experiment.rows[baseline].name.clone(),
        difference: difference(compared, (index, baseline), 0)?,
        comparisons: compared.comparisons,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Source;
    use tiletune_engine::record::GameResult;

    fn experiment(text: &str) -> Experiment {
        let source = Source::new("x.toml", format!("why = 'w'\nname = 'n'\nseed = 1\n{text}"));
        Experiment::resolve(&source, Path::new("")).unwrap()
    }

    fn played<const ROWS: usize>(games: [Vec<GameRecord>; ROWS]) -> ExperimentData {
        ExperimentData {
            weights: vec![Weights::default(); ROWS],
            games: games.into(),
            judged: Vec::new(),
        }
    }

    fn games(count: u64, better: u64) -> Vec<GameRecord> {
        let game = |seed: u64| GameRecord {
            seed,
            result: GameResult::scored_with_tile(
                seed % 7 + better,
                if seed.is_multiple_of(2) { 512 } else { 1024 },
            ),
            moves: 3,
            leaf_evaluations: 0,
        };
        (0..count).map(game).collect()
    }

    #[test]
    fn rows_are_compared_with_the_baseline() {
        let text = "tile = 1024\nbaseline = 'b'\nplayer = { name = 'random' }\n\
                    row = [{ name = 'a' }, { name = 'b' }]";
        let played = played([games(40, 5), games(40, 0)]);
        let results = summarize(&experiment(text), &played, Stop::never()).unwrap();
        let [a, b] = &results.rows[..] else { panic!() };
        assert_eq!(b.comparison, None);
        let comparison = a.comparison.clone().unwrap();
        assert_eq!(comparison.comparisons, 1);
        assert_eq!(comparison.difference.mean, 5.0);
        let reached = a.reached.unwrap();
        assert_eq!((reached.games, reached.share), (20, 0.5));
        assert!(reached.low < 0.5 && 0.5 < reached.high);
        assert_eq!(*a.summary.max_tile(), [(512, 20), (1024, 20)].into());
    }

    #[test]
    fn agreement_is_corrected_over_the_rows_that_are_tested() {
        let mut experiment = experiment(
            "player = { name = 'random' }\nrow = [{ name = 'a' }, { name = 'b' }, { name = 'c' }]",
        );
        experiment.rows[0].reference = Some([(512, 500), (1024, 500)].into());
        experiment.rows[2].reference = Some([(512, 900), (1024, 100)].into());
        let played = played([games(100, 0), games(100, 0), games(100, 0)]);
        let results = summarize(&experiment, &played, Stop::never()).unwrap();
        let of = |index: usize| results.rows[index].agreement;
        assert_eq!(of(1), None);
        assert_eq!(of(0).unwrap().test.unwrap().p_holm, 1.0);
        let far = of(2).unwrap();
        let test = far.test.unwrap();
        assert!(test.p < 1e-6 && (test.p_holm - 2.0 * test.p).abs() < 1e-12);
        assert_eq!(far.reference_games, 1000);
        assert!(
            far.largest_difference > 0.4
                && of(0).unwrap().largest_difference < far.largest_difference
        );
    }

    #[test]
    fn few_games_are_no_agreement() {
        let mut experiment = experiment("player = { name = 'random' }\nrow = [{ name = 'a' }]");
        experiment.rows[0].reference = Some([(512, 500), (1024, 500)].into());
        let results = summarize(&experiment, &played([games(8, 0)]), Stop::never()).unwrap();
        let agreement = results.rows[0].agreement.unwrap();
        assert_eq!(agreement.test, None);
        assert!(agreement.largest_difference > 0.3);
    }
}
