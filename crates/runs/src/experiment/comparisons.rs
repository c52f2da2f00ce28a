//! The comparisons between rows of an experiment: their paired differences, and the resulting findings about rows that
//! are tuned again and about parameters that are moved.

use crate::config::experiment::{Experiment, Row};
use tiletune_engine::random::{Stream, derive};
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::results::experiment::{Comparison, RowResult};
use tiletune_tuning::results::retuned::{Retuned, RetunedRow};
use tiletune_tuning::results::sensitivity::{ParameterMove, Sensitivity};
use tiletune_tuning::results::{PairedDifference, Verdict};
use tiletune_tuning::stats::bootstrap::Resampling;
use tiletune_tuning::stats::difference::simultaneous_difference;
use tiletune_tuning::stats::games::results;

/// An experiment with its games, and the number of comparisons for which its intervals are corrected.
pub(super) struct RowComparisons<'a> {
    pub(super) experiment: &'a Experiment,
    /// The games of every row; empty for a row that is not played.
    games: &'a [Vec<GameRecord>],
    /// Number of all comparisons, even if some rows are not played yet.
    pub(super) comparisons: u32,
    stop: Stop<'a>,
}

impl<'a> RowComparisons<'a> {
    pub(super) fn new(
        experiment: &'a Experiment,
        games: &'a [Vec<GameRecord>],
        stop: Stop<'a>,
    ) -> Self {
        let of_row = |row: &Row| {
            let control = control(experiment, row);
            u32::from(row.baseline.is_some()) + u32::from(control.is_some())
        };
        RowComparisons {
            experiment,
            games,
            stop,
            comparisons: experiment.rows.iter().map(of_row).sum(),
        }
    }
}

/// Index of the control of a row that is tuned again.
pub(super) fn control(experiment: &Experiment, row: &Row) -> Option<usize> {
    let (retuned, baseline) = (row.retuned.as_ref()?, row.baseline?);
    let seed = retuned.campaign.config.seed;
    let is_control = |other: &Row| {
        let control = other.retuned.as_ref();
        control.is_some_and(|control| {
            control.of == baseline && control.campaign.config.seed == seed && other.name != row.name
        })
    };
    let index = experiment.rows.iter().position(is_control);
    index.filter(|index| experiment.rows[*index].games == row.games)
}

/// The difference first - second of two rows, if both are played. `kind` distinguishes the bootstrap streams of several
/// comparisons of one row.
pub(super) fn difference(
    compared: &RowComparisons,
    (one, other): (usize, usize),
    kind: u64,
) -> Option<PairedDifference> {
    let config = &compared.experiment.config;
    let [of_one, of_other] = [one, other].map(|row| &compared.games[row]);
    if of_one.is_empty() || of_other.is_empty() {
        return None;
    }
    let seed = derive(config.seed, Stream::Bootstrap, kind, one as u64);
    let resampling = Resampling::new(config.resamples, seed);
    Some(simultaneous_difference(
        &results(of_one),
        &results(of_other),
        compared.comparisons,
        resampling.until(compared.stop),
    ))
}

/// The played rows with fixed weights that are tuned again, in the order of the experiment.
pub(super) fn retuned_rows(compared: &RowComparisons, results: &[RowResult]) -> Vec<Retuned> {
    let experiment = compared.experiment;
    let result_of = |name: &str| results.iter().find(|result| result.name == name);
    let difference_of = |name: &str| -> Option<PairedDifference> {
        Some(result_of(name)?.comparison.as_ref()?.difference)
    };
    let mut found: Vec<Retuned> = Vec::new();
    for (index, row) in experiment.rows.iter().enumerate() {
        let (Some(retuned), Some(baseline)) = (&row.retuned, row.baseline) else {
            continue;
        };
        let Some(difference) = difference_of(&row.name) else {
            continue;
        };
        let control = control(experiment, row);
        let of = &experiment.rows[retuned.of].name;
        let one = RetunedRow {
            row: row.name.clone(),
            seed: retuned.campaign.config.seed,
            training_games: retuned.campaign.config.budget.games.unwrap_or_default(),
            difference,
            control: control.map(|control| experiment.rows[control].name.clone()),
            against_control: control.and_then(|control| against(compared, index, control)),
        };
        match found.iter_mut().find(|known| known.row == *of) {
            Some(known) => known.retuned.push(one),
            None => found.push(Retuned {
                row: of.clone(),
                baseline: experiment.rows[baseline].name.clone(),
                fixed: difference_of(of),
                retuned: vec![one],
            }),
        }
    }
    found
}

/// The difference between a row and its control, if both are played.
fn against(compared: &RowComparisons, index: usize, control: usize) -> Option<PairedDifference> {
    // The bootstrap stream differs from that of the row's comparison with its baseline.
    difference(compared, (index, control), 1)
}

/// The parameters that a played row moves, in descending order of their largest mean loss.
pub(super) fn sensitivities(experiment: &Experiment, results: &[RowResult]) -> Vec<Sensitivity> {
    let mut found: Vec<Sensitivity> = Vec::new();
    for row in &experiment.rows {
        let (Some(key), Some(baseline)) = (&row.moved, row.baseline) else {
            continue;
        };
        let baseline = &experiment.rows[baseline];
        let result = results.iter().find(|result| result.name == row.name);
        let compared = result.and_then(|result| Some((result, result.comparison.as_ref()?)));
        let values = row
            .weights
            .effective(key)
            .zip(baseline.weights.effective(key));
        let (Some((result, comparison)), Some((to, from))) = (compared, values) else {
            continue;
        };
        let moved = moved(result, comparison, to, from);
        let is_same =
            |known: &&mut Sensitivity| (&known.parameter, &known.baseline) == (key, &baseline.name);
        match found.iter_mut().find(is_same) {
            Some(known) => known.moves.push(moved),
            None => found.push(Sensitivity {
                parameter: key.clone(),
                baseline: baseline.name.clone(),
                value: from,
                moves: vec![moved],
                largest_loss: 0.0,
                matters: false,
                improves: false,
                not_shown_to_matter: [from; 2],
            }),
        }
    }
    found.iter_mut().for_each(conclude);
    // The sort is stable: parameters with equal losses stay in the order of the rows.
    found.sort_by(|one, other| other.largest_loss.total_cmp(&one.largest_loss));
    found
}

fn moved(result: &RowResult, comparison: &Comparison, to: f64, from: f64) -> ParameterMove {
    ParameterMove {
        row: result.name.clone(),
        value: to,
        factor: (from != 0.0).then(|| to / from),
        difference: comparison.difference,
    }
}

/// Sorts the moves, and computes the values that depend on all of them.
fn conclude(known: &mut Sensitivity) {
    known
        .moves
        .sort_by(|one, other| one.value.total_cmp(&other.value));
    let has = |moved: &ParameterMove, verdict| moved.difference.verdict == verdict;
    let is_worse = |moved: &&ParameterMove| has(moved, Verdict::Worse);
    known.matters = known.moves.iter().any(|moved| is_worse(&moved));
    known.improves = known.moves.iter().any(|moved| has(moved, Verdict::Better));
    let worst = known.worst().map(|moved| moved.difference.mean);
    known.largest_loss = -worst.unwrap_or_default();
    let value = known.value;
    let below = known.moves.iter().rev().filter(|moved| moved.value < value);
    let above = known.moves.iter().filter(|moved| moved.value > value);
    let low = below.take_while(|moved| !is_worse(moved)).last();
    let high = above.take_while(|moved| !is_worse(moved)).last();
    known.not_shown_to_matter = [low, high].map(|end| end.map_or(value, |moved| moved.value));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Source;
    use crate::config::experiment::Experiment;
    use crate::experiment::{ExperimentData, results::summarize};
    use tiletune_engine::record::{GameRecord, GameResult};
    use tiletune_engine::stop::Stop;
    use tiletune_tuning::results::Verdict;

    fn games(mean: u64) -> Vec<GameRecord> {
        let game = |seed: u64| GameRecord {
            seed,
            result: GameResult::scored_with_tile(mean + seed * seed % 13, 512),
            moves: 3,
            leaf_evaluations: 0,
        };
        (0..60).map(game).collect()
    }

    /// An experiment whose rows have played games with these scores.
    fn played(experiment: &Experiment, scores: &[u64]) -> ExperimentData {
        let rows = experiment.rows.iter();
        ExperimentData {
            weights: rows.map(|row| row.weights.clone()).collect(),
            games: scores.iter().map(|&score| games(score)).collect(),
            judged: Vec::new(),
        }
    }

    #[test]
    fn rows_are_compared_with_the_baseline_and_with_their_control() {
        let text = "why = 'w'\nname = 'n'\nseed = 1\nplayer = { name = 'minimax-six' }\n\
                    retune = { seeds = [8, 9] }\n[[generate]]\nkind = 'each-left-out'\n\
                    retune = true\nterms = ['mono']";
        let experiment = Experiment::resolve(&Source::new("x.toml", text), Path::new("")).unwrap();
        // All terms, two controls; without `mono`, two times tuned again.
        let scores = [20, 15, 16, 5, 12, 18];
        let mut played = played(&experiment, &scores);
        let summary =
            |played: &ExperimentData| summarize(&experiment, played, Stop::never()).unwrap();
        let results = summary(&played);
        // Five rows with a baseline, of which two have a control, too.
        let comparison = results.rows[5].comparison.as_ref().unwrap();
        assert_eq!(comparison.comparisons, 7);
        let [all, without] = &results.retuned[..] else {
            panic!("{:?}", results.retuned);
        };
        assert_eq!((all.row.as_str(), all.fixed), ("all terms", None));
        let mean = |difference: &PairedDifference| difference.mean;
        let of = |retuned: &Retuned| {
            let rows = retuned.retuned.iter();
            rows.map(|row| {
                let against = row.against_control.as_ref().map(mean);
                (row.seed, row.difference.mean, row.control.clone(), against)
            })
            .collect::<Vec<_>>()
        };
        assert_eq!(of(all), [(8, -5.0, None, None), (9, -4.0, None, None)]);
        let fixed = without.fixed.unwrap();
        assert_eq!((fixed.mean, fixed.verdict), (-15.0, Verdict::Worse));
        let control = |seed: u64| Some(format!("all terms (retuned, seed {seed})"));
        assert_eq!(
            of(without),
            [
                (8, -8.0, control(8), Some(-3.0)),
                (9, -2.0, control(9), Some(2.0))
            ]
        );

        // Rows that are not played yet are left out.
        played.games[1].clear();
        played.games[3].clear();
        let results = summary(&played);
        let without = &results.retuned[1];
        assert_eq!(
            (without.fixed, without.retuned[0].against_control),
            (None, None)
        );
        assert!(without.retuned[1].against_control.is_some());
    }

    #[test]
    fn parameters_are_ordered_by_their_largest_loss() {
        let text = "why = 'w'\nname = 'n'\nseed = 1\nplayer = { name = 'minimax-six' }\n\
                    [[generate]]\nkind = 'sensitivity'\nparameters = ['smooth', 'repeat']\n\
                    factors = [0.5, 2, 3, 4]";
        let experiment = Experiment::resolve(&Source::new("x.toml", text), Path::new("")).unwrap();
        let names: Vec<&str> = experiment
            .rows
            .iter()
            .map(|row| row.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "unmoved",
                "smooth × 0.5",
                "smooth × 2",
                "smooth × 3",
                "smooth × 4",
                "repeat = 1",
                "repeat = 2",
                "repeat = 3"
            ]
        );
        // 20 more than the score of the unmoved row means the same score.
        let scores = [20, 20, 20, 5, 25, 10, 0, 20];
        let mut played = played(&experiment, &scores);
        let summary =
            |played: &ExperimentData| summarize(&experiment, played, Stop::never()).unwrap();
        let results = summary(&played);
        let [repeat, smooth] = &results.sensitivity[..] else {
            panic!("{:?}", results.sensitivity);
        };
        assert_eq!(
            (repeat.parameter.as_str(), repeat.largest_loss),
            ("repeat", 20.0)
        );
        assert!(repeat.matters && !repeat.improves);
        assert_eq!(repeat.not_shown_to_matter, [0.0, 0.0]);
        assert_eq!(repeat.moves[0].factor, None);
        assert_eq!(
            (smooth.parameter.as_str(), smooth.largest_loss),
            ("smooth", 15.0)
        );
        assert!(smooth.matters && smooth.improves);
        assert_eq!(smooth.not_shown_to_matter, [0.5, 2.0]);
        let factors: Vec<Option<f64>> = smooth.moves.iter().map(|moved| moved.factor).collect();
        assert_eq!(factors, [0.5, 2.0, 3.0, 4.0].map(Some));
        assert_eq!(smooth.worst().unwrap().row, "smooth × 3");
        assert_eq!(smooth.best().unwrap().row, "smooth × 4");

        // Rows that are not played yet are left out.
        played.games[3].clear();
        played.games[5..].iter_mut().for_each(Vec::clear);
        let results = summary(&played);
        assert_eq!(results.sensitivity.len(), 1);
        assert_eq!(results.sensitivity[0].moves.len(), 3);
        assert!(!results.sensitivity[0].matters);
        played.games[0].clear();
        assert!(summary(&played).sensitivity.is_empty());
    }
}
