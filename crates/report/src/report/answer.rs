//! The answer of an experiment in a few sentences: which row is the best and which the worst, what each changes, which
//! parameter matters most. They claim no more than the table and the intervals show.

use super::{sensitivity, unit, with_interval};
use crate::number::{count, grouped, percent, signed};
use tiletune_tuning::results::Verdict;
use tiletune_tuning::results::experiment::{Comparison, ExperimentResults, RowResult};

/// With more rows the table alone lists their changes.
const MOST_CHANGES: usize = 8;
/// p values above this one show no difference.
const SIGNIFICANT: f64 = 0.05;

/// The answers to the questions that the experiment asks: by its groups of rows, by moved parameters, by an oracle, and
/// by a reference.
pub(super) fn sentences(results: &ExperimentResults) -> Vec<String> {
    let moved = |row: &RowResult| {
        let mut moves = results.sensitivity.iter().flat_map(|one| &one.moves);
        moves.any(|one| one.row == row.name)
    };
    let groups = results.groups().filter(|rows| !rows.iter().any(moved));
    let of_groups = groups.filter_map(|rows| of_group(results, rows));
    sensitivity::answer(results)
        .into_iter()
        .chain(of_groups)
        .chain(of_oracle(results))
        .chain(of_reference(results))
        .collect()
}

/// The sentence of a group under its heading.
fn of_group(results: &ExperimentResults, rows: &[RowResult]) -> Option<String> {
    let has_baseline = rows.iter().any(|row| row.comparison.is_some());
    let answer = if has_baseline {
        against_baselines(results, rows)
    } else {
        by_means(results, rows)
    }?;
    let heading = rows.first()?.group.as_ref();
    Some(match heading {
        Some(heading) => format!("{}: {answer}", capitalized(heading)),
        None => capitalized(&answer),
    })
}

/// Best and worst row by their means. If some rows use one weight only, these are compared with the best other one.
fn by_means(results: &ExperimentResults, rows: &[RowResult]) -> Option<String> {
    let (alone, together): (Vec<&RowResult>, Vec<&RowResult>) =
        rows.iter().partition(|row| is_alone(row));
    let is_split = alone.len() > 1 && !together.is_empty();
    let (asked, name) = if is_split {
        (by_mean(alone), "best alone")
    } else {
        (by_mean(rows.iter().collect()), "best")
    };
    let [best, others @ ..] = &asked[..] else {
        return None;
    };
    let worst = others.last()?;
    let mean = |row: &RowResult| mean(results, row);
    let whole = by_mean(together).first().copied().filter(|_| is_split);
    let of_whole = whole.map_or(String::new(), |whole| {
        let share = share(best, whole).map_or(String::new(), |share| format!("{share} of "));
        format!(" ({share}{}, {})", whole.name, mean(whole))
    });
    let overlap = if overlap(best, others[0]) {
        let second = &others[0].name;
        format!(" The 95 % intervals of {} and {second} overlap.", best.name)
    } else {
        String::new()
    };
    Some(format!(
        "{name}: {}, {}{of_whole}; worst: {}, {}.{overlap}",
        best.name,
        mean(best),
        worst.name,
        mean(worst)
    ))
}

/// Whether a row uses one weight only.
fn is_alone(row: &RowResult) -> bool {
    row.weights.values().filter(|value| **value != 0.0).count() == 1
}

/// Rows in the order of their means, the largest first.
fn by_mean(mut rows: Vec<&RowResult>) -> Vec<&RowResult> {
    rows.sort_by(|one, other| other.summary.mean.total_cmp(&one.summary.mean));
    rows
}

/// A mean in percent of another one; `None` where percent mean nothing.
fn share(row: &RowResult, of: &RowResult) -> Option<String> {
    let [mean, whole] = [row, of].map(|row| row.summary.mean);
    let share = format!("{} %", grouped(100.0 * mean / whole, 0));
    (mean >= 0.0 && whole > 0.0).then_some(share)
}

/// Whether the 95 % intervals of two means overlap.
fn overlap(one: &RowResult, other: &RowResult) -> bool {
    let [one, other] =
        [one, other].map(|row| (row.summary.mean, 1.96 * row.summary.standard_error));
    (one.0 - other.0).abs() <= one.1 + other.1
}

/// What each row changes, the largest gain first.
fn against_baselines(results: &ExperimentResults, rows: &[RowResult]) -> Option<String> {
    let compared = rows
        .iter()
        .filter_map(|row| Some((row, row.comparison.as_ref()?)));
    let mut compared: Vec<(&RowResult, &Comparison)> = compared.collect();
    compared.sort_by(|(_, one), (_, other)| other.difference.mean.total_cmp(&one.difference.mean));
    let [(best, first), .., (worst, last)] = compared[..] else {
        let (row, only) = compared.first()?;
        let change = with_interval(&only.difference, unit(results).1);
        return Some(format!(
            "against {}, {}: {change}, {}.",
            only.baseline,
            row.name,
            verdict(only)
        ));
    };
    let ends = format!(
        "best: {}, {}; worst: {}, {}.",
        best.name,
        change(results, first),
        worst.name,
        change(results, last)
    );
    let is_shared = compared
        .iter()
        .all(|(_, one)| one.baseline == first.baseline);
    let against = match results.rows.iter().find(|row| row.name == first.baseline) {
        Some(baseline) if is_shared => {
            format!("against {} ({}), ", baseline.name, mean(results, baseline))
        }
        _ => "each against its baseline, ".to_owned(),
    };
    if compared.len() > MOST_CHANGES {
        return Some(against + &ends);
    }
    let changes = compared
        .iter()
        .map(|(row, one)| format!("{} {}", row.name, change(results, one)));
    let changes: Vec<String> = changes.collect();
    Some(format!(
        "{against}{ends} Change by each: {}.",
        changes.join("; ")
    ))
}

/// A difference with its sign, and its verdict if it shows nothing.
fn change(results: &ExperimentResults, comparison: &Comparison) -> String {
    let change = signed(comparison.difference.mean, unit(results).1);
    match comparison.difference.verdict {
        Verdict::Better | Verdict::Worse => change,
        _ => format!("{change} ({})", verdict(comparison)),
    }
}

fn verdict(comparison: &Comparison) -> &'static str {
    match comparison.difference.verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Undecided => "undecided",
        Verdict::TooFewDifferences if comparison.difference.different() == 0 => "no difference",
        _ => "too few for a verdict",
    }
}

fn mean(results: &ExperimentResults, row: &RowResult) -> String {
    grouped(row.summary.mean, unit(results).1)
}

/// Whose moves keep the best outcome most often.
fn of_oracle(results: &ExperimentResults) -> Option<String> {
    let rows = results.rows.iter();
    let mut judged: Vec<_> = rows
        .filter_map(|row| Some((&row.name, row.kept.as_ref()?)))
        .collect();
    judged.sort_by(|(_, one), (_, other)| other.share.total_cmp(&one.share));
    let [(best, most), .., (worst, least)] = judged[..] else {
        return None;
    };
    Some(format!(
        "The moves of {best} keep the best outcome most often, in {} of {} positions; those of {worst} least often, in {}.",
        percent(most.share),
        count(most.positions),
        percent(least.share)
    ))
}

/// How many rows differ from their reference.
fn of_reference(results: &ExperimentResults) -> Option<String> {
    let tests = results.rows.iter().filter_map(|row| row.agreement?.test);
    let p: Vec<f64> = tests.map(|test| test.p_holm).collect();
    let different = p.iter().filter(|p| **p < SIGNIFICANT).count();
    (!p.is_empty()).then(|| {
        format!(
            "Largest tiles against the independent implementation: a difference is shown for {different} of {} rows.",
            p.len()
        )
    })
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;

    /// Rows without baseline, each with its mean and its weights other than 0.
    fn of_means(rows: &[(&str, f64, usize)]) -> ExperimentResults {
        let mut results = example::experiment();
        let row = results.rows[0].clone();
        results.sensitivity.clear();
        results.rows = rows
            .iter()
            .map(|(name, mean, weights)| {
                let mut row = row.clone();
                (row.name, row.summary.mean) = ((*name).to_owned(), *mean);
                (row.kept, row.group, row.comparison) = (None, None, None);
                let weights =
                    (0..3_usize).map(|key| (key.to_string(), f64::from(u8::from(key < *weights))));
                row.weights = weights.collect();
                row
            })
            .collect();
        results
    }

    #[test]
    fn terms_alone_are_compared_with_their_combination() {
        let results = of_means(&[
            ("average", 1_064.0, 1),
            ("empty", 10_617.0, 1),
            ("combined", 12_273.0, 3),
        ]);
        assert_eq!(
            by_means(&results, &results.rows).unwrap(),
            "best alone: empty, 10,617 (87 % of combined, 12,273); worst: average, 1,064."
        );
    }

    #[test]
    fn close_rows_are_said_to_overlap() {
        let results = of_means(&[("a", 1_000.0, 2), ("b", 1_010.0, 2), ("c", -5.0, 2)]);
        assert_eq!(
            by_means(&results, &results.rows).unwrap(),
            "best: b, 1,010; worst: c, −5. The 95 % intervals of b and a overlap."
        );
        assert_eq!(by_means(&results, &results.rows[..1]), None);
    }

    #[test]
    fn a_single_row_keeps_its_name_and_can_be_equal() {
        let mut results = example::experiment();
        let mut rows = results.rows.into_iter();
        let mut row = rows.find(|row| row.comparison.is_some()).unwrap();
        let comparison = row.comparison.as_mut().unwrap();
        let difference = &mut comparison.difference;
        (difference.mean, difference.above, difference.below) = (0.0, 0, 0);
        (difference.low, difference.high, difference.p_sign_test) = (None, None, Some(1.0));
        difference.verdict = Verdict::TooFewDifferences;
        comparison.baseline = "base".to_owned();
        (row.name, row.group) = ("other".to_owned(), None);
        results.rows = vec![row];
        let answer = of_group(&results, &results.rows).unwrap();
        assert!(answer.starts_with("Against base, other: 0 ("), "{answer}");
        assert!(answer.ends_with("), no difference."), "{answer}");
    }

    #[test]
    fn the_words_of_the_example_are_the_recorded_ones() {
        insta::assert_snapshot!(sentences(&example::experiment()).join("\n"));
    }
}
