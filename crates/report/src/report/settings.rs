//! Start and tuned weights at each setting of a player with several: rows and a sentence. The report and the terminal show
//! the same.

use super::verdict::{interval, verdict_in_words};
use crate::number::{compact, count};
use tiletune_tuning::results::{AtSetting, Verdict};

/// A table row for each setting.
pub(super) fn rows(settings: &[AtSetting]) -> Vec<Vec<(&'static str, String)>> {
    let row = |at: &AtSetting| {
        let share = at.shares().map(|[share, ..]| percent(share));
        vec![
            ("setting", at.setting.clone()),
            ("games", count(at.games)),
            ("start", compact(at.start)),
            ("tuned", compact(at.tuned)),
            ("tuned - start", compact(at.difference.mean)),
            ("of the start", share.unwrap_or_else(|| "–".into())),
            (
                "interval",
                interval(&at.difference).unwrap_or_else(|| "none".into()),
            ),
            ("verdict", verdict_in_words(&at.difference, "games")),
        ]
    };
    settings.iter().map(row).collect()
}

/// At how many settings the tuned weights are better, and the smallest lower end of the intervals; `None` with one
/// setting.
pub fn sentence(settings: &[AtSetting]) -> Option<String> {
    if settings.is_empty() {
        return None;
    }
    let with = |verdict: Verdict| {
        let found = settings
            .iter()
            .filter(|at| at.difference.verdict == verdict);
        let names: Vec<&str> = found.map(|at| at.setting.as_str()).collect();
        (names.len(), names.join(", "))
    };
    let all = settings.len();
    let better = match with(Verdict::Better) {
        (0, _) => format!("No setting of {all} shows an improvement by itself"),
        (found, _) if found == all => {
            format!("The tuned weights are better at each of the {all} settings")
        }
        (found, names) => {
            format!("The tuned weights are better at {found} of {all} settings ({names})")
        }
    };
    let worse = match with(Verdict::Worse) {
        (0, _) => String::new(),
        (_, names) => format!(" and worse at {names}"),
    };
    let lows = settings.iter().filter_map(|at| Some((at.shares()?[1], at)));
    let smallest = lows.min_by(|(one, _), (other, _)| one.total_cmp(other));
    let limit = smallest.map(|(low, at)| {
        format!(
            "; the smallest lower limit is {} of the start, at {}",
            percent(low),
            at.setting
        )
    });
    Some(format!("{better}{worse}{}.", limit.unwrap_or_default()))
}

fn percent(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{} %", compact(100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;

    fn at(setting: &str, low: f64, high: f64, verdict: Verdict) -> AtSetting {
        let mut difference = example::run(2, 3, 50).validation.unwrap().difference;
        difference.mean = (low + high) / 2.0;
        (difference.low, difference.high) = (Some(low), Some(high));
        difference.p_sign_test = None;
        difference.verdict = verdict;
        AtSetting {
            setting: setting.into(),
            games: 40,
            start: 1000.0,
            tuned: 1000.0 + difference.mean,
            difference,
        }
    }

    #[test]
    fn every_result_has_words() {
        let better = |name| at(name, 50.0, 150.0, Verdict::Better);
        let undecided = at("depth 1", -20.0, 80.0, Verdict::Undecided);
        let worse = at("depth 2", -90.0, -10.0, Verdict::Worse);
        for (settings, words) in [
            (vec![], None),
            (
                vec![
                    better("depth 0"),
                    at("depth 1", 20.0, 80.0, Verdict::Better),
                ],
                Some(
                    "The tuned weights are better at each of the 2 settings; the smallest lower limit is +2 % of the start, at depth 1.",
                ),
            ),
            (
                vec![better("depth 0"), undecided.clone(), worse],
                Some(
                    "The tuned weights are better at 1 of 3 settings (depth 0) and worse at depth 2; the smallest lower limit is −9 % of the start, at depth 2.",
                ),
            ),
            (
                vec![undecided.clone(), undecided],
                Some(
                    "No setting of 2 shows an improvement by itself; the smallest lower limit is −2 % of the start, at depth 1.",
                ),
            ),
        ] {
            assert_eq!(sentence(&settings).as_deref(), words);
            assert_eq!(rows(&settings).len(), settings.len());
        }
    }
}
