//! Rows that are tuned again, beside the rows with fixed weights and beside a control: the baseline,
//! tuned again in the same way.

use super::results::{Compared, difference};
use crate::config::experiment::{Experiment, Row};
use crate::record::PairedDifference;
use crate::record::experiment::RowResult;
use crate::record::retuned::{Retuned, RetunedRow};

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

/// The rows with fixed weights that are tuned again, in the order of the experiment; those that are
/// played.
pub(super) fn of(compared: &Compared, results: &[RowResult]) -> Vec<Retuned> {
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
fn against(compared: &Compared, index: usize, control: usize) -> Option<PairedDifference> {
    // Another bootstrap stream than that of the row's comparison with its baseline.
    difference(compared, (index, control), 1)
}
