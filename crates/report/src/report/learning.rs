//! Whether a search still learns, in plain words.

use crate::number::{compact, count};
use tiletune_tuning::results::GenerationRow;
use tiletune_tuning::stats::intervals::t_interval;
use tiletune_tuning::stats::summary::{mean, standard_deviation};

/// Fewer generations than this in each half say nothing.
const LEAST: usize = 5;
/// More generations than this are too old to say what happens now.
const MOST: usize = 25;

/// Whether the mean fitness of the last generations is above that of as many before; `None` before the first generation.
/// Generations play other games than those before, so that their means are independent, or nearly.
pub fn learning(generations: &[GenerationRow]) -> Option<String> {
    generations.first()?;
    let half = (generations.len() / 2).min(MOST);
    if half < LEAST {
        let least = count(2 * LEAST as u64);
        return Some(format!(
            "Too early to say whether it learns: that takes {least} generations."
        ));
    }
    let last: Vec<f64> = generations[generations.len() - 2 * half..]
        .iter()
        .map(|row| row.mean)
        .filter(|mean| mean.is_finite())
        .collect();
    let (before, now) = last.split_at(last.len() / 2);
    if before.len() < 2 {
        return None;
    }
    let difference = mean(now) - mean(before);
    let variance = |values: &[f64]| standard_deviation(values).powi(2) / values.len() as f64;
    let error = (variance(now) + variance(before)).sqrt();
    let interval = t_interval(difference, error, last.len() as u64 - 1);
    let generations = count(half as u64);
    let Some([low, high]) = interval.map(|interval| interval.ends()) else {
        return Some(format!(
            "It does not move: the last {generations} generations are equal to the {generations} before."
        ));
    };
    let by = format!(
        "the mean of the last {generations} generations is {} {} that of the {generations} before (95 % interval {} to {})",
        compact(difference.abs()),
        if difference < 0.0 { "below" } else { "above" },
        compact(low),
        compact(high)
    );
    Some(if low > 0.0 {
        format!("It still learns: {by}.")
    } else if high < 0.0 {
        format!("It is getting worse: {by}. Larger steps after a restart look like this, too.")
    } else {
        format!("No progress is seen any more: {by}.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(mean: impl Fn(u32) -> f64) -> String {
        let row = |generation| GenerationRow {
            generation,
            mean: mean(generation) + f64::from(generation * 7 % 5),
            ..GenerationRow::default()
        };
        let rows: Vec<GenerationRow> = (0..40).map(row).collect();
        assert_eq!(learning(&[]), None);
        assert!(learning(&rows[..9]).unwrap().starts_with("Too early"));
        learning(&rows).unwrap()
    }

    #[test]
    fn a_search_that_climbs_learns_and_one_that_stands_does_not() {
        let climbing = said(|generation| 100.0 + f64::from(generation));
        assert!(
            climbing
                .starts_with("It still learns: the mean of the last 20 generations is 20 above"),
            "{climbing}"
        );
        assert!(said(|_| 100.0).starts_with("No progress is seen any more"));
        assert!(said(|generation| -f64::from(generation)).starts_with("It is getting worse"));
    }
}
