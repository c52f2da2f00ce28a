//! Sentences about what hold-out games can show, before they are played.

use crate::number::{compact, count, grouped};

/// What hold-out games can show, as the noise of a game lets expect.
pub struct HoldOutPower {
    /// Hold-out games of each weights, and games that show [`gain`](Self::gain).
    pub games: [u64; 2],
    /// The gain that the games show in 80 % of the searches with it, and the gain that a user wants to see. Shares of the
    /// level of the start weights if this is far from 0, otherwise in units of the objective.
    pub gain: [f64; 2],
    /// The largest gain that is possible, in the same unit, if that is known: a share of games is at most 1.
    pub possible: Option<f64>,
    /// Whether the gains are shares of the level.
    pub is_share: bool,
    /// Whether equal seeds can make the games of two weights alike.
    pub can_share_noise: bool,
    /// Whether the number of games can still be set: a search that goes on keeps it.
    pub can_be_set: bool,
}

/// The message that few hold-out games will show only a large gain.
pub fn small_hold_out(power: &HoldOutPower) -> String {
    let [games, needed] = power.games;
    let shown = |gain: f64| {
        if power.is_share {
            format!("{} %", grouped(100.0 * gain, 0))
        } else {
            compact(gain)
        }
    };
    let [found, gain] = power.gain;
    let result = match power.possible.filter(|possible| *possible < found) {
        Some(possible) => format!(
            "but no more than about {} is possible: the result will mostly be undecided",
            shown(possible)
        ),
        None => "and smaller ones more rarely: the result will often be undecided".to_owned(),
    };
    let alike = if power.can_share_noise {
        " If equal seeds make the results of two weights alike, fewer are enough."
    } else {
        ""
    };
    let [found, gain] = [found, gain].map(shown);
    let (games, all) = (count(games), count(needed));
    let how = if power.can_be_set {
        format!(" (`--set validation.games={needed}`)")
    } else {
        String::new()
    };
    format!(
        "{games} hold-out games show a gain of about {found} in 80 % of searches, {result}. {all} show a gain of about \
         {gain}{how}.{alike}"
    )
}

/// The message that few hold-out games may show little, and that the search does not tell how little.
pub fn unknown_power(games: u32) -> String {
    let games = count(games);
    format!("{games} hold-out games may show only large gains; `tune --dry-run` tells how large.")
}

/// The message that a search has fewer hold-out games than a verdict needs; `None` if it has enough.
pub fn no_verdict(games: u32, needed: u32) -> Option<String> {
    let ask = format!("`--set validation.games={needed}` plays as many as are needed at least");
    match games {
        0 => Some(format!(
            "Without hold-out games (`validation.games` is 0) nothing will show whether the tuned weights are better: \
             {ask}."
        )),
        games if games < needed => Some(format!(
            "{} hold-out games will not show whether the tuned weights are better: {ask}.",
            count(games)
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hold_out_games_that_show_little_are_told_with_a_number_that_shows_more() {
        let mut power = HoldOutPower {
            games: [100, 1200],
            gain: [0.243, 0.1],
            possible: None,
            is_share: true,
            can_share_noise: false,
            can_be_set: true,
        };
        let told = small_hold_out(&power);
        assert!(told.starts_with("100 hold-out games show a gain of about 24 %"));
        assert!(told.ends_with("1,200 show a gain of about 10 % (`--set validation.games=1200`)."));
        power.can_be_set = false;
        assert!(small_hold_out(&power).ends_with("1,200 show a gain of about 10 %."));
        power.can_be_set = true;
        power.possible = Some(0.2);
        let told = small_hold_out(&power);
        assert!(
            told.contains("24 % in 80 % of searches, but no more than about 20 % is possible"),
            "{told}"
        );
        (power.is_share, power.can_share_noise) = (false, true);
        let told = small_hold_out(&power);
        assert!(told.contains("1,200 show a gain of about 0.1 (`"), "{told}");
        assert!(told.ends_with("alike, fewer are enough."), "{told}");
    }

    #[test]
    fn hold_out_games_that_allow_no_verdict_are_told() {
        let told = [0, 29, 30].map(|games| no_verdict(games, 30));
        assert!(told[0].as_ref().unwrap().contains("is 0"));
        assert!(told[1].as_ref().unwrap().starts_with("29 hold-out games"));
        assert_eq!(told[2], None);
    }
}
