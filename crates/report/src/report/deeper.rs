//! Start and tuned weights at other search depths than that of the search: rows and sentences. The report and the
//! terminal show the same.

use super::verdict::{confidence, interval, verdict_in_words};
use crate::number::{compact, count};
use tiletune_tuning::results::{Deeper, DeeperResult, Skipped, Unmeasured, Validation};

/// A table row for each depth with games. The values are those of the objective.
pub(super) fn rows(deeper: &[Deeper]) -> Vec<Vec<(&'static str, String)>> {
    let played = deeper
        .iter()
        .filter_map(|at| Some((at.depth, at.played()?)));
    let row = |(depth, validation): (u8, &Validation)| {
        let objective = &validation.objective;
        let difference = &objective.difference;
        let verdict = verdict_in_words(difference, validation.tuned.observed());
        vec![
            ("depth", depth.to_string()),
            ("games", count(validation.tuned.games)),
            ("start", compact(objective.start)),
            ("tuned", compact(objective.tuned)),
            ("tuned - start", compact(difference.mean)),
            ("95 % interval", ends(validation)),
            ("verdict", verdict),
        ]
    };
    played.map(row).collect()
}

/// The ends of the interval, with its confidence if that is another one.
fn ends(validation: &Validation) -> String {
    let ends = interval(&validation.objective.difference);
    match (ends, validation.look) {
        (None, _) => "none".into(),
        (Some(ends), None) => ends,
        (Some(ends), Some(look)) => format!("{ends} ({})", confidence(look)),
    }
}

/// A sentence for each depth without games.
pub fn skipped(deeper: &[Deeper]) -> Vec<String> {
    let sentence = |at: &Deeper| {
        let DeeperResult::Skipped(reason) = at.result else {
            return None;
        };
        let reason = self::reason(reason);
        Some(format!("Not measured at depth {}: {reason}.", at.depth))
    };
    deeper.iter().filter_map(sentence).collect()
}

/// The reason why a depth was skipped.
pub fn reason(reason: Skipped) -> &'static str {
    match reason {
        Skipped::TooSlow => "the games would have taken longer than the search",
        Skipped::Unsupported => "the evaluator plays at one depth only",
    }
}

/// The sentence that no other depth is measured.
pub fn unmeasured(one: Unmeasured) -> String {
    let Unmeasured { own, other } = one;
    match own {
        Some(own) => format!(
            "These weights are for depth {own}. Whether they are better at depth {other}, too, is not measured."
        ),
        None => "These weights are for a depth that changes during a game. Whether they are better at a fixed depth, \
                 too, is not measured."
            .to_owned(),
    }
}

/// The command that compares the weights of a run or a file with the published ones at another depth, and what it is
/// for.
pub(super) fn command(one: Unmeasured, weights: &str) -> String {
    let other = one.other;
    format!(
        "`tiletune compare published {weights} --depth {other}` compares the weights with the published ones at depth \
         {other}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;

    #[test]
    fn every_result_has_words() {
        let validation = example::run(2, 3, 50).validation.unwrap();
        let deeper = [
            Deeper::new(2, DeeperResult::Played(Box::new(validation))),
            Deeper::new(3, DeeperResult::Skipped(Skipped::TooSlow)),
            Deeper::new(4, DeeperResult::Skipped(Skipped::Unsupported)),
        ];
        let texts = |row: Vec<(_, String)>| row.into_iter().map(|(_, text)| text).collect();
        let rows = rows(&deeper).into_iter().map(texts);
        let rows = rows.map(|row: Vec<String>| row.join(" | "));
        let sentences = [Some(0), Some(12), None].map(|depth| unmeasured(Unmeasured::of(depth)));
        let command = command(Unmeasured::of(Some(1)), "best.toml");
        let sentences = sentences.into_iter().chain([command]);
        let words: Vec<String> = rows.chain(skipped(&deeper)).chain(sentences).collect();
        insta::assert_snapshot!(words.join("\n"));
    }
}
