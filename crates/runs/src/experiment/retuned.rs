//! Rows that are tuned again, beside the rows with fixed weights and beside a control: the baseline,
//! tuned again in the same way.

use super::compared::{RowComparisons, control, difference};
use tiletune_tuning::results::PairedDifference;
use tiletune_tuning::results::experiment::RowResult;
use tiletune_tuning::results::retuned::{Retuned, RetunedRow};

/// The rows with fixed weights that are tuned again, in the order of the experiment; those that are
/// played.
pub(super) fn of(compared: &RowComparisons, results: &[RowResult]) -> Vec<Retuned> {
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
    // Another bootstrap stream than that of the row's comparison with its baseline.
    difference(compared, (index, control), 1)
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

    #[test]
    fn rows_are_compared_with_the_baseline_and_with_their_control() {
        let text = "why = 'w'\nname = 'n'\nseed = 1\nplayer = { name = 'minimax-six' }\n\
                    retune = { seeds = [8, 9] }\n[[generate]]\nkind = 'each-left-out'\n\
                    retune = true\nterms = ['mono']";
        let experiment = Experiment::resolve(&Source::new("x.toml", text), Path::new("")).unwrap();
        // All terms, two controls; without `mono`, two times tuned again.
        let scores = [20, 15, 16, 5, 12, 18];
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

        // What is not played yet is left out.
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
}
