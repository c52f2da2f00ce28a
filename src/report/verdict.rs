//! The result of a run in a sentence or two that claim no more than the hold-out games show.

use crate::number::{compact, count};
use crate::record::{RunData, Validation};
use crate::stats::verdict::Verdict;

/// Plain text, not HTML.
pub(super) fn sentence(data: &RunData) -> String {
    let Some(validation) = &data.validation else {
        return unvalidated(data);
    };
    let games = validation.start.games.min(validation.tuned.games);
    if games == 0 {
        return unvalidated(data);
    }
    let mut text = comparison(validation, games);
    if !data.objective_is_mean_score {
        text += &tuned_for(data, validation);
    }
    if validation.start.games != validation.tuned.games {
        text += " The two sets of weights did not play the same number of games.";
    }
    text
}

/// What the campaign tuned for, if that is not the mean score.
fn tuned_for(data: &RunData, validation: &Validation) -> String {
    let mut text = format!(
        " These are scores. The campaign tuned for another objective: {}",
        data.objective
    );
    if let Some(objective) = &validation.objective {
        let [start, tuned] = [objective.start, objective.tuned].map(compact);
        text += &format!(", {tuned} against {start}");
        if let Some(difference) = objective.difference {
            let [mean, low, high] = [difference.mean, difference.low, difference.high].map(compact);
            text += &format!(" (difference {mean}, 95 % interval {low} to {high})");
        }
    }
    text + "."
}

fn comparison(validation: &Validation, games: u32) -> String {
    let difference = &validation.difference;
    let [mean, low, high] = [difference.mean.abs(), difference.low, difference.high].map(compact);
    let (tuned, start) = (
        compact(validation.tuned.mean),
        compact(validation.start.mean),
    );
    let direction = if difference.mean < 0.0 {
        "fewer"
    } else {
        "more"
    };
    let plural = if games == 1 { "" } else { "s" };
    let measured = format!(
        "Over {} hold-out game{plural} on the same seeds the tuned weights made {mean} points a \
         game {direction} than the start weights ({tuned} against {start})",
        count(games)
    );
    let interval = format!("the 95 % interval of the difference is {low} to {high}");
    match Verdict::of(difference, games) {
        Verdict::TooFewGames => {
            format!("{measured}. This is not enough to say which are better.")
        }
        Verdict::Better => format!("The tuned weights are better. {measured}; {interval}."),
        Verdict::Worse => format!("The tuned weights are worse. {measured}; {interval}."),
        Verdict::Undecided => format!(
            "Undecided. {measured}, but {interval} and includes 0: the games do not tell which are \
             better."
        ),
    }
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
    use crate::chart::example;

    fn with_interval(mean: f64, low: f64, high: f64) -> RunData {
        let mut data = example::run(2, 3, 50);
        if let Some(validation) = &mut data.validation {
            let difference = &mut validation.difference;
            (difference.mean, difference.low, difference.high) = (mean, low, high);
        }
        data
    }

    #[test]
    fn the_claim_follows_the_interval() {
        let mut shares = with_interval(12.0, -30.0, 54.0);
        shares.objective = "share of games that reach 512".to_owned();
        shares.objective_is_mean_score = false;
        let runs = [
            with_interval(1234.0, 900.0, 1500.0),
            with_interval(-9.0, -12.0, -6.0),
            with_interval(12.0, -30.0, 54.0),
            with_interval(0.0, 0.0, 0.0),
            with_interval(12.0, f64::NAN, f64::NAN),
            example::run(2, 3, 9),
            shares,
        ];
        insta::assert_snapshot!(runs.map(|run| sentence(&run)).join("\n"));
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
