//! The result of a run in one or two sentences that claim no more than the hold-out games show, and the verdict on a
//! difference in a few words.

use crate::number::{compact, count, p_value, several};
use tiletune_tuning::results::{
    ObjectiveComparison, PairedDifference, RunData, Validation, Verdict,
};
use tiletune_tuning::stats::difference::FEWEST_OBSERVATIONS;
use tiletune_tuning::stats::looks;

/// The verdict on a difference in a few words, with its reason. `observed` is the noun of the observations: games or
/// openings.
pub fn verdict_in_words(difference: &PairedDifference, observed: &str) -> String {
    let signs = signs(difference, observed);
    match difference.verdict {
        Verdict::TooFewObservations => {
            format!("too few {observed} for a verdict, which needs {FEWEST_OBSERVATIONS}")
        }
        Verdict::Undecided => "undecided: the interval contains 0".into(),
        Verdict::TooFewDifferences if difference.different() == 0 => none(difference, observed),
        Verdict::TooFewDifferences => format!("too few differences for a verdict: {signs}"),
        verdict if is_equal(difference) => {
            format!(
                "{} by the same difference in each of {}",
                verdict.name(),
                all(difference, observed)
            )
        }
        verdict if difference.p_sign_test.is_none() => verdict.name().into(),
        verdict => format!("{} by the sign test: {signs}", verdict.name()),
    }
}

/// The ends of the interval of a difference, if it has one.
pub(super) fn interval(difference: &PairedDifference) -> Option<String> {
    let [low, high] = difference.interval()?.map(compact);
    Some(format!("{low} to {high}"))
}

/// The number of all observations.
fn all(difference: &PairedDifference, observed: &str) -> String {
    format!("{} {observed}", count(difference.observations))
}

/// The text if no pair differs.
fn none(difference: &PairedDifference, observed: &str) -> String {
    format!("no difference in {}", all(difference, observed))
}

/// Whether all pairs have the same difference other than 0. Then there is no variance for an interval.
fn is_equal(difference: &PairedDifference) -> bool {
    difference.standard_error == 0.0 && difference.different() == difference.observations
}

/// Text shown when there is no interval.
fn signs(difference: &PairedDifference, observed: &str) -> String {
    format!(
        "of {} {observed} {} better, {} worse (p = {})",
        count(difference.observations),
        count(difference.above),
        count(difference.below),
        difference.p_sign_test.map(p_value).unwrap_or_default()
    )
}

/// The result of a campaign as plain text, not HTML.
pub fn sentence(data: &RunData) -> String {
    let Some(validation) = &data.validation else {
        return unvalidated(data);
    };
    if validation.start.games.min(validation.tuned.games) == 0 {
        return unvalidated(data);
    }
    let mut text = claim(data, validation);
    if !data.objective_is_mean_score && validation.objective.loss.is_none() {
        text += &beside(validation);
    }
    if validation.start.games != validation.tuned.games {
        text += " The two sets of weights did not play the same number of games.";
    }
    if let Some(look) = validation.look {
        let wider = match validation.objective.difference.interval() {
            Some(_) => "; the interval is wider for it",
            None => "",
        };
        text += &format!(" This is the {} look at this search{wider}.", ordinal(look));
    }
    text
}

/// The confidence of the interval of a difference at this look at a search, such as `95 %`.
pub fn confidence(look: u32) -> String {
    format!("{} %", compact(100.0 * looks::confidence(look)))
}

fn ordinal(number: u32) -> String {
    let ending = match number {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// The claim of the hold-out games about the objective.
fn claim(data: &RunData, validation: &Validation) -> String {
    let objective = &validation.objective;
    let difference = &objective.difference;
    let measured = measured(data, validation, objective);
    let observed = validation.start.observed();
    let interval = objective.shown_interval();
    let level = confidence(validation.look_number());
    let interval = interval.map(|ends| {
        let [low, high] = ends.map(compact);
        format!("the {level} interval of the difference is {low} to {high}")
    });
    match (difference.verdict, interval) {
        (Verdict::TooFewObservations, _) => format!(
            "{measured}. This is not enough to say which are better: a verdict needs \
             {FEWEST_OBSERVATIONS} {observed}."
        ),
        (Verdict::Undecided, Some(interval)) => format!(
            "Undecided. {measured}, but {interval} and includes 0: the games do not tell which are \
             better."
        ),
        (verdict @ (Verdict::Better | Verdict::Worse), Some(interval)) => {
            let verdict = verdict.name();
            format!("The tuned weights are {verdict}. {measured}; {interval}.")
        }
        (verdict @ (Verdict::Better | Verdict::Worse), None) if is_equal(difference) => format!(
            "The tuned weights are {}, by the same difference in each of {}. {measured}.",
            verdict.name(),
            all(difference, observed)
        ),
        (verdict @ (Verdict::Better | Verdict::Worse), None) => format!(
            "The tuned weights are {} by the sign test: {}, too few that differ for an interval. \
             {measured}.",
            verdict.name(),
            signs(difference, observed)
        ),
        _ if difference.different() == 0 => {
            format!("{measured}: {}.", none(difference, observed))
        }
        _ => format!(
            "{measured}. Too few {observed} differ to say which are better: {}.",
            signs(difference, observed)
        ),
    }
}

fn measured(data: &RunData, validation: &Validation, objective: &ObjectiveComparison) -> String {
    let games = validation.start.games.min(validation.tuned.games);
    let openings = match validation.start.outcomes() {
        Some(_) => format!(
            " from {} openings",
            count(objective.difference.observations)
        ),
        None => String::new(),
    };
    let games = several(games, "hold-out game");
    let over = format!("Over {games}{openings} on the same seeds");
    let difference = objective.difference.mean;
    let [tuned, start] = [objective.tuned, objective.start].map(|value| objective.shown(value));
    let [tuned, start, size] = [tuned, start, difference.abs()].map(compact);
    if objective.loss.is_some() {
        let direction = if difference < 0.0 { "more" } else { "less" };
        return format!(
            "{over} the {} is {tuned} with the tuned weights against {start} with the start weights: {size} {direction}, and \
             less is better",
            objective.name
        );
    }
    let direction = if difference < 0.0 { "fewer" } else { "more" };
    if data.objective_is_mean_score {
        return format!(
            "{over} the tuned weights made {size} points a game {direction} than the start weights \
             ({tuned} against {start})"
        );
    }
    format!(
        "{over} the objective ({}) is {tuned} with the tuned weights against {start} with the start \
         weights, a difference of {}",
        data.objective,
        compact(difference)
    )
}

/// The sentence about the score, if the objective is another one.
fn beside(validation: &Validation) -> String {
    let difference = &validation.difference;
    let [tuned, start] = [&validation.tuned, &validation.start].map(|set| compact(set.mean));
    let level = confidence(validation.look_number());
    let interval = interval(difference).map(|ends| format!("{level} interval {ends}"));
    let interval = interval.unwrap_or("no interval".into());
    format!(
        " Beside it, the {}: {tuned} against {start} (difference {}, {interval}).",
        validation.start.measure(),
        compact(difference.mean)
    )
}

fn unvalidated(data: &RunData) -> String {
    let (start, tuned) = (
        data.hold_out_start.len() as u64,
        data.hold_out_tuned.len() as u64,
    );
    if start + tuned > 0 {
        return format!(
            "Not validated yet: {} hold-out games are played with the start weights and {} with \
             the tuned weights. Whether the tuned weights are better is not known.",
            count(start),
            count(tuned)
        );
    }
    if data.tuned.is_some() {
        return "The search has ended, but no hold-out games are played. Whether the tuned weights \
                are better is not known: the fitness of the weights that a search selects is biased upwards."
            .to_owned();
    }
    format!(
        "The search has not ended: generations so far: {}. Nothing can be said about its result yet.",
        count(data.generations.len() as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;
    use tiletune_tuning::stats::bootstrap::Resampling;
    use tiletune_tuning::stats::difference::paired_difference;

    #[test]
    fn a_later_look_says_so() {
        let mut data = with_interval(100.0, 20.0, 180.0);
        assert!(!sentence(&data).contains("look"));
        data.validation.as_mut().unwrap().look = Some(2);
        let text = sentence(&data);
        assert!(text.contains("the 98.75 % interval"), "{text}");
        let end = "This is the 2nd look at this search; the interval is wider for it.";
        assert!(text.ends_with(end), "{text}");
        assert_eq!([1, 3].map(confidence), ["95 %", "99.38 %"]);
    }

    fn with_difference(difference: PairedDifference) -> RunData {
        let mut data = example::run(2, 3, 50);
        if let Some(validation) = &mut data.validation {
            validation.objective.difference = difference;
        }
        data
    }

    fn with_interval(mean: f64, low: f64, high: f64) -> RunData {
        with_difference(example::difference(mean, low, high))
    }

    #[test]
    fn the_claim_follows_the_interval() {
        let mut shares = with_interval(0.12, -0.03, 0.54);
        shares.objective = "share of games that reach 512".to_owned();
        shares.objective_is_mean_score = false;
        let mut points = example::between_two(2, 3, 80);
        if let Some(validation) = &mut points.validation {
            validation.objective.difference = example::sparse_difference(3, 2);
        }
        let runs = [
            with_interval(1234.0, 900.0, 1500.0),
            with_interval(-9.0, -12.0, -6.0),
            with_interval(12.0, -30.0, 54.0),
            with_difference(example::sparse_difference(11, 1)),
            with_difference(example::sparse_difference(1, 11)),
            with_difference(example::sparse_difference(0, 0)),
            with_difference(paired_difference(
                &[3.0; 100],
                &[1.0; 100],
                Resampling::new(10, 1),
            )),
            example::run(2, 3, 9),
            shares,
            points,
        ];
        insta::assert_snapshot!(runs.map(|run| sentence(&run)).join("\n"));
    }

    #[test]
    fn every_verdict_has_words() {
        let differences = [
            example::difference(1234.0, 900.0, 1500.0),
            example::difference(-9.0, -12.0, -6.0),
            example::difference(12.0, -30.0, 54.0),
            example::sparse_difference(11, 1),
            example::sparse_difference(1, 11),
            example::sparse_difference(3, 2),
            example::sparse_difference(0, 0),
            paired_difference(&[3.0; 100], &[1.0; 100], Resampling::new(10, 1)),
            paired_difference(&[1.0; 9], &[0.0; 9], Resampling::new(10, 1)),
        ];
        let words = differences.map(|difference| verdict_in_words(&difference, "openings"));
        insta::assert_snapshot!(words.join("\n"));
    }

    #[test]
    fn nothing_is_claimed_without_hold_out_games() {
        let mut unplayed = example::run(2, 3, 0);
        unplayed.validation = None;
        let mut running = unplayed.clone();
        running.tuned = None;
        let mut unfinished = example::run(2, 3, 5);
        unfinished.validation = None;
        let runs = [running, unplayed, unfinished];
        insta::assert_snapshot!(runs.map(|run| sentence(&run)).join("\n"));
    }
}
