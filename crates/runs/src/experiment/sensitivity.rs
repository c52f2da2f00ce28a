//! How much each parameter matters, from the rows in which one is moved.

use crate::config::experiment::Experiment;
use tiletune_tuning::results::Verdict;
use tiletune_tuning::results::experiment::{Comparison, RowResult};
use tiletune_tuning::results::sensitivity::{ParameterMove, Sensitivity};

/// The parameters that a played row moves, ordered by the largest mean loss, the largest first.
pub(super) fn of(experiment: &Experiment, results: &[RowResult]) -> Vec<Sensitivity> {
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
    // Stable: parameters with equal losses stay in the order of the rows.
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

/// Sorts the moves and fills in what follows from them.
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
    use crate::experiment::{ExperimentData, results::summarize};
    use tiletune_engine::record::{GameRecord, GameResult};
    use tiletune_engine::stop::Stop;

    fn games(mean: u64) -> Vec<GameRecord> {
        let game = |seed: u64| GameRecord {
            seed,
            result: GameResult::scored_with_tile(mean + seed * seed % 13, 512),
            moves: 3,
            leaf_evaluations: 0,
        };
        (0..60).map(game).collect()
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
        let mut played = ExperimentData {
            weights: experiment
                .rows
                .iter()
                .map(|row| row.weights.clone())
                .collect(),
            games: scores.map(games).into(),
            judged: Vec::new(),
        };
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
