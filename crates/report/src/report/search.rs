//! Sentences about the search: luck and number of games, signal and noise, the stages of the objective, restarts, values at
//! a bound. The report and the terminal show the same.

use std::cmp::Ordering;

use crate::number::{compact, count, grouped, percent, several};
use tiletune_engine::heuristic::LostWeight;
use tiletune_tuning::evaluation::schedule::NO_SIGNAL;
use tiletune_tuning::optimizer::RareRule;
use tiletune_tuning::results::{AtBound, GenerationRow, Selection};
use tiletune_tuning::stats::signal::{FIRST_GENERATIONS, Meaning, first_share, fitting};

/// What the best fitness in training is worth; `None` without hold-out games, and without luck in the games. `last` is
/// the last generation, `error` the standard error of the hold-out games, `None` if they are too few for a verdict.
/// `has_failed`: whether some of them have failed, which count by the others. Of a loss, the values are shown as people
/// read them.
pub(super) fn luck(
    selection: &Selection,
    last: &GenerationRow,
    error: Option<f64>,
    has_failed: bool,
    is_loss: bool,
) -> Option<String> {
    let hold_out = selection.hold_out?;
    // Without noise the whole variance is signal.
    if last.is_exact() {
        return None;
    }
    let [seen, fresh] = [selection.best_seen, hold_out].map(|value| as_read(value, is_loss));
    Some(if hold_out < selection.best_seen {
        let worth = match error {
            // Games that are all equal have no error, nor has a median of many equal ones.
            Some(0.0) => ".".to_owned(),
            Some(error) if has_failed => format!(" ± {}.", compact(error)),
            Some(error) => format!(" ± {}: trust this number.", compact(error)),
            None => ", but these are few.".to_owned(),
        };
        format!(
            "The luckiest candidate reached {seen} in training. Fresh games give the tuned weights {fresh}{worth}"
        )
    } else {
        format!(
            "The best candidate reached {seen} in training; fresh games give the tuned weights {fresh}."
        )
    })
}

/// A value of the objective as people read it: a loss has its own sign.
pub(super) fn as_read(value: f64, is_loss: bool) -> String {
    // Not -0.
    compact(if is_loss { 0.0 - value } else { value })
}

/// Whether the candidates of the last generation played enough games; `None` if the noise is unknown, or if there are too
/// few generations to tell.
pub(super) fn games(generations: &[GenerationRow]) -> Option<String> {
    let last = generations.last()?;
    if generations.len() < FIRST_GENERATIONS {
        return None;
    }
    let wanted = last.wanted_signal();
    // The number that is recorded is for one half of signal.
    let needed = (last.games_needed * wanted / (1.0 - wanted)).ceil();
    // A search that adapts its games takes fewer by itself, if it may.
    let adapts = last.signal_wanted.is_some();
    let meaning = match Meaning::of(last) {
        Meaning::FewerGames if !adapts && needed < f64::from(last.games) => {
            format!("more than needed: about {} would do", compact(needed))
        }
        Meaning::FewerGames | Meaning::Balanced if adapts => {
            let share = grouped(100.0 * wanted, 0);
            format!("chosen by the search: {share} % of the differences should be more than luck")
        }
        Meaning::FewerGames | Meaning::Balanced => "enough to tell the candidates apart".to_owned(),
        Meaning::MoreGames if last.games_needed >= NO_SIGNAL => {
            "too few to tell the candidates apart".to_owned()
        }
        Meaning::MoreGames => {
            let needed = compact(needed);
            format!("too few to tell the candidates apart: about {needed} are needed")
        }
        Meaning::Converged(_) => "enough: the candidates hardly differ any more".to_owned(),
        Meaning::Unknown => return None,
    };
    let games = count(last.games);
    Some(format!(
        "Games per candidate: {games} at the end, {meaning}."
    ))
}

/// Signal and noise of the last generations, and their meaning for the number of games; `None` if the noise is unknown.
pub fn signal(last: &GenerationRow) -> Option<String> {
    let meaning = match Meaning::of(last) {
        // A search that adapts its games takes fewer by itself, if it may.
        Meaning::FewerGames if last.signal_wanted.is_some() => "more than is needed".to_owned(),
        Meaning::FewerGames => "fewer games would do".to_owned(),
        Meaning::Balanced => {
            let [low, high] = fitting(last.wanted_signal()).map(|share| grouped(100.0 * share, 0));
            format!("between {low} and {high} % the number of games fits")
        }
        Meaning::MoreGames => "more games would help".to_owned(),
        Meaning::Converged(within) => {
            let within = percent(within);
            format!("the search has converged to within {within} of the mean fitness")
        }
        Meaning::Unknown => return None,
    };
    let games = f64::from(last.games);
    let (share, needed) = match last.games_needed {
        needed if needed >= NO_SIGNAL => (0.0, "no signal was found".to_owned()),
        needed => {
            let half = compact(needed.ceil());
            (
                games / (games + needed),
                format!("one half needs about {half}"),
            )
        }
    };
    let (games, share) = (several(last.games, "game"), percent(share));
    Some(format!(
        "Signal share, smoothed over the generations: {share} with {games} per candidate ({needed}); \
         {meaning}."
    ))
}

/// Signal and noise of one generation as names and values; nothing if the noise is unknown.
pub fn noise(row: &GenerationRow) -> Vec<(String, String)> {
    // The residual must be positive and known.
    if row.residual.partial_cmp(&0.0) != Some(Ordering::Greater) {
        return Vec::new();
    }
    let needed = match row.games_needed {
        needed if needed >= NO_SIGNAL => "no signal was found".to_owned(),
        needed => compact(needed.ceil()),
    };
    let facts = [
        ("games of each candidate", count(row.games)),
        ("signal share of this generation", percent(row.signal)),
        ("games needed for one half", needed),
        ("noise of one fitness value", compact(row.residual)),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The advice if the first candidates of a search differed too little for their number of games. `None` if they
/// differed enough, and before the first generations are complete.
pub fn first_steps(generations: &[GenerationRow]) -> Option<String> {
    let [little, _] = fitting(generations.first()?.wanted_signal());
    let share = first_share(generations).filter(|share| *share < little)?;
    let share = percent(share);
    Some(format!(
        "First {FIRST_GENERATIONS} generations: only {share} of the variance was signal, so the search began mostly \
         with luck. It can still end well. In a new run a larger number for `games` tells candidates apart; larger \
         first steps (`step` of a parameter) do, too, but they give up more of the start weights."
    ))
}

/// The values in training, race and hold-out games side by side.
pub fn selection(selection: &Selection, is_loss: bool) -> String {
    let shown = |value| as_read(value, is_loss);
    let (worse, better) = if is_loss {
        ("above", "below")
    } else {
        ("below", "above")
    };
    let (best_seen, last_mean) = (shown(selection.best_seen), shown(selection.last_mean));
    let mut text =
        format!("Training: best seen {best_seen}, mean of the last generation {last_mean}");
    if let Some(race) = selection.race {
        text += &format!("; race {}", shown(race));
    }
    if let Some(hold_out) = selection.hold_out {
        text += &format!("; hold-out {}", shown(hold_out));
    }
    match selection.shrinkage_percent {
        None => match selection.hold_out {
            Some(hold_out) if hold_out < selection.best_seen => {
                let difference = compact(selection.best_seen - hold_out);
                format!("{text}, {difference} {worse} the best seen.")
            }
            _ => text + ".",
        },
        Some(percent) if percent < 0.0 => {
            format!("{text}, {} % {better} the best seen.", grouped(-percent, 1))
        }
        Some(percent) => format!("{text}, {} % {worse} the best seen.", grouped(percent, 1)),
    }
}

/// The message about keys of the start weights that the heuristic of the campaign does not have.
pub fn left_out(keys: &[String]) -> String {
    let keys = keys.join(", ");
    format!("The heuristic has no parameter {keys}: these start weights are left out.")
}

/// The message that the table `[start]` replaces the `start` of a parameter.
pub fn replaced_start(key: &str, given: &str, used: &str) -> String {
    format!(
        "`{key}` starts at {used}, as [start] says; its own start = {given} in [parameters] is not used."
    )
}

/// The message about constraints that hardly any candidates keep, or a condition that hardly any values fulfil.
pub fn rare_rule(rule: &RareRule) -> String {
    match rule {
        RareRule::Constraints { share } => {
            let kept = match share {
                share if *share < 0.0005 => "Almost none".to_owned(),
                share => format!("Only {}", percent(*share)),
            };
            format!(
                "{kept} of the first candidates keep the constraints (`require`); the others are moved to where these hold. A \
                 start farther from their limits, or smaller first steps (`sigma`), change that."
            )
        }
        RareRule::Condition {
            parameter,
            text,
            is_never: true,
        } => format!(
            "`{parameter}` is never active and keeps its start value: nothing that the search changes makes `{text}` apply."
        ),
        RareRule::Condition {
            parameter, text, ..
        } => format!(
            "`{parameter}` is hardly ever active: `{text}` applied to none of some thousand random weights. Elsewhere it has \
             its start value."
        ),
    }
}

/// The message that a whole-number parameter had one value in all candidates of the last generations.
pub fn integer_kept(parameter: &str, value: f64, generations: u32) -> String {
    format!(
        "All candidates of the last {generations} generations have `{parameter}` = {value}: other values were no \
         longer tried. To try them, start from another value, or tune it alone."
    )
}

/// The message that a campaign allows restarts and none took place.
pub const NO_RESTART: &str = "No restart took place, because the first search had not ended when the budget was \
                              used up. With `evaluation.games = 1` a search may end sooner; otherwise restarts need several \
                              times as many games.";

/// The same of a search that does not choose the number of its games.
pub const NO_RESTART_SO_LONG: &str = "No restart took place, because the first search had not ended when the budget was \
                                      used up. Restarts need several times as many games.";

/// The same of a search whose rule about stagnation is off.
pub const NO_RESTART_WITHOUT_RULE: &str = "No restart took place, because the first search had not ended: without \
                                           `stop_rules.stagnation` few searches end.";

/// The message that a restart would have been due when the budget was nearly used up.
pub const NO_RESTART_AT_END: &str = "No restart took place: the first search had ended, but too little of the budget was left \
                                     for another one. With more it begins (`tiletune resume RUN --games`).";

/// The message about the restarts that took place, by the reasons why the searches before them ended; `None` if none did.
/// `have_raced`: whether the results of all searches were the finalists of a race.
pub fn restarts(reasons: &[&str], have_raced: bool) -> Option<String> {
    let (first, others) = reasons.split_first()?;
    let number = several(reasons.len() as u64, "restart");
    let because = match others {
        [] => format!(" because {first}"),
        _ if others.iter().all(|other| other == first) => format!(", each because {first}"),
        _ => String::new(),
    };
    let finalists = if have_raced {
        " The finalists of the race are the final means of all searches, numbered from 0."
    } else {
        ""
    };
    Some(format!("{number} took place{because}.{finalists}"))
}

/// The message that candidates play too few games for the number of parameters. `games` is the largest number that they
/// play.
pub fn few_games(parameters: u32, games: u32, needed: u32) -> String {
    let [parameters, needed] = [parameters, needed].map(count);
    let games = several(games, "game");
    format!(
        "{parameters} parameters with at most {games} per candidate: with so few games the mean of the \
         search hardly improves; about {needed} are needed (`games` and `games_max` of [evaluation])."
    )
}

/// The message that the weights give this number of positions of a game a lower value than a lost position.
pub fn below_lost(below: u32, positions: u32) -> String {
    let share = percent(f64::from(below) / f64::from(positions));
    format!(
        "{share} of the boards of a game have values below 0, the value of a lost board. To the search all of them are \
         worth 0, so it does not avoid losing. Give the heuristic a positive constant, or a larger one, such as \
         `lost_penalty` of the built-in heuristics."
    )
}

/// The messages about weights that the resolution of the values rounds away.
pub fn lost_weights(lost: &[LostWeight]) -> Vec<String> {
    const MOST: usize = 3;
    let of_one = |lost: &LostWeight| {
        let points = compact(lost.points);
        let points = if lost.is_constant {
            format!("{points} points on every board")
        } else {
            format!("at most {points} points on a board")
        };
        format!(
            "`{}` ({points}) is below the step of the values ({} points): it has hardly any effect. Make it larger, or the values \
             of `{}` smaller.",
            lost.key,
            compact(lost.step),
            lost.largest
        )
    };
    let more = lost.len().saturating_sub(MOST);
    let rest = match more {
        0 => None,
        1 => Some("1 more weight is below the step.".to_owned()),
        _ => Some(format!(
            "{} more weights are below the step.",
            count(more as u64)
        )),
    };
    lost.iter().take(MOST).map(of_one).chain(rest).collect()
}

/// The message that the final mean is not the result.
pub const MEAN_REFUSED: &str = "The player cannot use the mean of the search, so the tuned weights are the best candidate \
                                seen, or the start if there is none.";

/// The message that a mean from before the last restart is recommended.
pub const EARLIER_MEAN: &str = "The search after the last restart did not come back to the level from before it, or was too short \
                                to show it, so the final mean is an earlier one.";

/// The message that all candidates of the first generations have the same fitness, or that the player could use none of
/// them; with advice.
pub fn without_signal(generations: u32, has_played: bool) -> String {
    let first = match generations {
        1 => "generation".to_owned(),
        _ => several(generations, "generation"),
    };
    if has_played {
        format!(
            "All candidates of the first {first} have the same fitness, so the search has nothing to follow. Check that \
             the parameters have an effect at all: their names, bounds and scales. If all games end alike, begin from \
             another start, or choose another objective (a share of games with a lower tile, or the mean; of a program \
             another of its numbers) or another opponent."
        )
    } else {
        format!(
            "The player cannot use a single candidate of the first {first}, so the search has nothing to follow. Narrow \
         the bounds, or begin from another start."
        )
    }
}

/// The message that the games of a program do not depend on their seeds, by its declaration or by its first games.
pub fn deterministic(is_declared: bool) -> &'static str {
    if is_declared {
        "The program says that its results do not depend on the seed: each candidate plays one game, and each finalist \
         one."
    } else {
        "In the first generation no result depended on the seed: since then each candidate plays one game, and each \
         finalist one."
    }
}

/// The message that games depend on their seeds after all: from this generation on, or in the hold-out games after the
/// last one.
pub fn seed_matters(generation: u32) -> String {
    format!(
        "{} two results of the same weights differed between seeds: since then several games count again.",
        after(generation)
    )
}

/// The same message for a program that had declared the opposite.
pub fn wrong_declaration(generation: u32) -> String {
    format!(
        "The program is wrong to say that its results do not depend on the seed. {} Leave `deterministic` out of its \
         greeting.",
        seed_matters(generation)
    )
}

fn after(generation: u32) -> String {
    match generation {
        0 => "Before the first generation".to_owned(),
        _ => format!("After {}", several(generation, "generation")),
    }
}

/// The message about parameters that changed nothing in this number of games of each with other values.
pub fn without_effect(names: &[String], games: u32) -> String {
    let games = several(games, "game");
    match names {
        [] => "Every parameter that was tried has an effect.".to_owned(),
        [name] => format!(
            "No effect of {name} was seen: {games} with other values of it alone were the same in every number. Its tuned \
             value may say nothing."
        ),
        names => format!(
            "No effect of {} was seen: {games} with other values of each of them alone were the same in every number. \
             Their tuned values may say nothing.",
            names.join(", ")
        ),
    }
}

/// The message about a value at a bound.
pub fn at_bound(at: &AtBound) -> String {
    let AtBound { key, .. } = at;
    let (side, end) = if at.is_upper {
        ("upper", "max")
    } else {
        ("lower", "min")
    };
    let (value, bound) = (compact(at.value), compact(at.bound));
    if at.bound == 0.0 && at.value == 0.0 {
        return format!(
            "{key} is exactly 0, its {side} bound: if it is the weight of a term, the term is off. Better values may lie \
             beyond the bound ({end} of [parameters.{key}])."
        );
    }
    if at.bound == 0.0 && !at.is_upper {
        return format!(
            "{key} = {value} is close to its lower bound 0. If 0 switches its term off, the term hardly mattered in this \
             search: try it without the term, or with a min below 0 ([parameters.{key}])."
        );
    }
    format!(
        "{key} = {value} lies at its {side} bound {bound} ({end} of [parameters.{key}]): better values may \
         lie beyond it."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::failures;
    use tiletune_tuning::results::example;

    fn last(games: u32, residual: f64, games_needed: f64, mean: f64) -> GenerationRow {
        let row = example::run(2, 1, 2).generations.remove(0);
        GenerationRow {
            population: 20,
            games,
            residual,
            games_needed,
            mean,
            signal: 0.25,
            ..row
        }
    }

    #[test]
    fn the_signal_says_what_to_do() {
        // The sentence about a search whose generations are all like this one.
        let long = |row: &GenerationRow| games(&[(); FIRST_GENERATIONS].map(|()| row.clone()));
        let sentences = [
            last(100, 300.0, 4.2, 10_000.0),
            last(100, 300.0, 120.0, 10_000.0),
            last(100, 600.0, 2_000.0, 10_000.0),
            last(400, 150.0, 1e7, 10_000.0),
        ]
        .map(|row| format!("{}\n{}", long(&row).unwrap(), signal(&row).unwrap()));
        insta::assert_snapshot!(sentences.join("\n"));
        // A search that adapts its games needs no advice.
        let adapted = GenerationRow {
            signal_wanted: Some(0.1),
            ..last(4, 300.0, 8.0, 10_000.0)
        };
        let said = long(&adapted).unwrap();
        let aim =
            "4 at the end, chosen by the search: 10 % of the differences should be more than luck.";
        assert!(said.ends_with(aim), "{said}");
        let unknown = last(1, 0.0, 0.0, 10_000.0);
        assert_eq!(games(&[adapted.clone(), adapted]), None);
        assert_eq!((long(&unknown), signal(&unknown)), (None, None));
    }

    #[test]
    fn first_steps_that_are_too_small_are_told() {
        let of = |signal: f64| GenerationRow {
            signal,
            ..last(5, 300.0, 100.0, 10_000.0)
        };
        let little = [0.09, 0.01, 0.0, 0.0, 0.0].map(of);
        insta::assert_snapshot!(first_steps(&little).unwrap());
        assert_eq!(first_steps(&little[..4]), None);
        let enough = [0.32, 0.53, 0.61, 0.39, 0.56].map(of);
        assert_eq!(first_steps(&enough), None);
        let [mut restarted, mut unknown] = [little.clone(), little];
        restarted[4].restart = 1;
        assert_eq!(first_steps(&restarted), None);
        unknown[2].residual = 0.0;
        assert_eq!(first_steps(&unknown), None);
    }

    #[test]
    fn the_luck_of_training_is_told() {
        let selection = Selection::new(63_074.0, 58_020.0, None);
        let noisy = last(100, 300.0, 120.0, 10_000.0);
        let text = |hold_out: f64| {
            luck(
                &selection.with_hold_out(hold_out),
                &noisy,
                Some(420.0),
                false,
                false,
            )
        };
        assert_eq!(
            text(49_349.0).unwrap(),
            "The luckiest candidate reached 63,074 in training. Fresh games give the tuned weights 49,349 ± 420: trust \
             this number."
        );
        assert_eq!(
            text(64_000.0).unwrap(),
            "The best candidate reached 63,074 in training; fresh games give the tuned weights 64,000."
        );
        let loss = luck(
            &Selection::new(-2.0, -3.0, None).with_hold_out(-2.5),
            &noisy,
            Some(0.25),
            false,
            true,
        );
        assert!(
            loss.unwrap()
                .contains("reached 2 in training. Fresh games give the tuned weights 2.5 ± 0.25:")
        );
        assert_eq!(luck(&selection, &noisy, Some(420.0), false, false), None);
        let end = |error, has_failed| {
            let selection = selection.with_hold_out(49_349.0);
            let told = luck(&selection, &noisy, error, has_failed, false).unwrap();
            let (_, end) = told.rsplit_once("weights ").unwrap();
            end.to_owned()
        };
        assert_eq!(end(None, false), "49,349, but these are few.");
        assert_eq!(end(Some(0.0), false), "49,349.");
        // The value of a failed game is not its own.
        assert_eq!(end(Some(420.0), true), "49,349 ± 420.");
        let certain = GenerationRow {
            signal: 1.0,
            ..last(1, 0.0, 0.0, 10_000.0)
        };
        let told = luck(
            &selection.with_hold_out(1.0),
            &certain,
            Some(0.0),
            false,
            false,
        );
        assert_eq!(told, None);
    }

    #[test]
    fn lost_weights_are_told() {
        let lost = |key: &str, is_constant| LostWeight {
            key: key.to_owned(),
            points: 8.0,
            is_constant,
            step: 15_258_789.0,
            largest: "snake".to_owned(),
        };
        let one = [lost("lost_penalty", true)];
        let said = "`lost_penalty` (8 points on every board) is below the step of the values (15,258,789 points): it has hardly any \
                    effect. Make it larger, or the values of `snake` smaller.";
        assert_eq!(lost_weights(&one), [said]);
        let five = lost_weights(&["a", "b", "c", "d", "e"].map(|key| lost(key, false)));
        assert!(
            five[2].starts_with("`c` (at most 8 points on a board) is"),
            "{five:?}"
        );
        assert_eq!(five[3..], ["2 more weights are below the step."]);
    }

    #[test]
    fn selection_and_bounds_are_told() {
        let plain = Selection::new(63_074.0, 58_020.0, None);
        let raced = Selection::new(63_074.0, 58_020.0, Some(56_500.0));
        let sentences = [
            selection(&plain, false),
            selection(&raced.with_hold_out(56_041.0), false),
            selection(&plain.with_hold_out(64_000.0), false),
            selection(&Selection::new(0.0, 0.0, None).with_hold_out(0.1), true),
            at_bound(&AtBound::new("empty", 2_990.0, 3_000.0, true)),
            at_bound(&AtBound::new("merges", 0.0, 0.0, false)),
            left_out(&["slope".to_owned()]),
            few_games(53, 60, 212),
            below_lost(630, 1000),
            failures::refused(1),
            failures::refused(1_200),
        ];
        insta::assert_snapshot!(sentences.join("\n"));
    }
}
