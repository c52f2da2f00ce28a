//! Sentences about the rows of an experiment that are tuned again. They claim no more than the intervals show.

use super::{Block, with_interval};
use crate::number::grouped;
use tiletune_tuning::results::experiment::ExperimentResults;
use tiletune_tuning::results::retuned::{Retuned, RetunedRow};

/// An explanation, and an item for each row with fixed weights. Nothing if no row is tuned again.
pub(super) fn blocks(results: &ExperimentResults) -> Vec<Block> {
    let Some(first) = results.retuned.first() else {
        return Vec::new();
    };
    let decimals = if results.is_between_two() { 4 } else { 0 };
    let games = first.retuned.first().map_or(0, |row| row.training_games);
    let explanation = format!(
        "Fixed weights overstate what a term contributes, because the other weights were tuned together \
         with it. So each row is also played with its weights tuned again, by a campaign of at most {} \
         games that starts at the fixed weights. The control is `{}`, tuned again in the same way: it \
         shows what such a campaign gains or loses by itself. Each row is tuned once for each seed; the \
         intervals do not contain the differences between tuning seeds. Differences from `{}`:",
        grouped(games as f64, 0),
        first.baseline,
        first.baseline
    );
    let sentences = results.retuned.iter().map(|row| sentence(row, decimals));
    vec![Block::Text(explanation), Block::List(sentences.collect())]
}

/// The sentence of one row.
fn sentence(row: &Retuned, decimals: usize) -> String {
    let fixed = row.fixed.as_ref();
    let fixed = fixed.map(|fixed| format!("{} with fixed weights", with_interval(fixed, decimals)));
    let is_many = row.retuned.len() > 1;
    let retuned = row.retuned.iter().map(|one| again(one, is_many, decimals));
    let parts: Vec<String> = fixed.into_iter().chain(retuned).collect();
    format!("`{}`: {}.", row.row, parts.join("; "))
}

fn again(row: &RetunedRow, is_many: bool, decimals: usize) -> String {
    let mut text = format!("{} tuned again", with_interval(&row.difference, decimals));
    if is_many {
        text += &format!(" with seed {}", row.seed);
    }
    if let Some(difference) = &row.against_control {
        text += &format!(
            ", {} against the control",
            with_interval(difference, decimals)
        );
    }
    if row.control.is_none() {
        text += " (the control)";
    }
    text
}
