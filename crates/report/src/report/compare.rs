//! The report of a comparison: the verdict on each player, a table of the players, and how the test decided.

use super::block::{Block, Table, charts};
use super::{failures, glossary};
use crate::chart::Rendered;
use crate::interest;
use crate::number::{self, compact, count, grouped, percent, signed, signed_compact};
use tiletune_tuning::results::GameSummary;
use tiletune_tuning::results::compare::{
    Challenge, ComparedPlayer, ComparisonResults, Look, Measure, Verdict,
};
use tiletune_tuning::stats::sequential::RARE;

/// The note on the estimate of a difference in a test that ends early.
const EXAGGERATED: &str = " The estimate at an early stop is exaggerated on average; the confidence \
                           sequence is not.";

/// The full report of a page.
pub fn report(results: &ComparisonResults, drawn: &[Rendered]) -> Vec<Block> {
    let mut blocks = self::results(results);
    blocks.extend(charts(drawn));
    blocks.extend(glossary::words(glossary::OF_COMPARISON));
    blocks
}

/// The results, which a terminal shows, too.
pub fn results(results: &ComparisonResults) -> Vec<Block> {
    let of = |challenge| Block::Verdict(sentence(results, challenge));
    let verdicts = results.challengers.iter().map(of);
    let failed = results.players.iter().filter_map(|player| {
        let games = player.games.as_ref()?;
        failures::failed_games(games.failed(), games.games, &player.name)
    });
    let table = [Block::Table(table(results)), Block::Note(settings(results))];
    verdicts
        .chain(failed.map(Block::Warning))
        .chain(table)
        .chain(Block::details("How the test decided", details(results)))
        .collect()
}

/// What statisticians want to know: the confidence sequences, and the number of pairs beside that of a fixed sample.
fn details(results: &ComparisonResults) -> Vec<Block> {
    let challengers = results.challengers.iter();
    let looks = challengers.filter_map(|one| Some((one, one.last()?)));
    let row = |(challenge, look): (&Challenge, &Look)| {
        vec![
            ("player", challenge.player.clone()),
            ("pairs", count(look.pairs)),
            ("pairs that differ", count(look.different)),
            ("difference", shown(look, look.difference)),
            ("confidence sequence", sequence(look).unwrap_or_default()),
        ]
    };
    let table = Table::new("The test", looks.clone().map(row)).block();
    let sentences = looks.map(|(challenge, look)| {
        let text = format!(
            "{}: {}",
            challenge.player,
            in_detail(results, challenge, look)
        );
        Block::Text(text)
    });
    let mut blocks: Vec<Block> = table.into_iter().chain(sentences).collect();
    if !blocks.is_empty() {
        blocks.push(Block::Note(notes(results)));
    }
    blocks
}

/// Game, difference of interest, error and seed in one sentence.
fn settings(results: &ComparisonResults) -> String {
    let opponents = match (&results.opponents, results.measure) {
        (Some(opponents), _) => format!(", every opening from both sides against {opponents}"),
        (None, Measure::Match) => ", direct matches, every opening from both sides".to_owned(),
        _ => String::new(),
    };
    let looks = results.challengers.iter().filter_map(Challenge::last);
    let unit = match looks.clone().any(|look| look.base().is_some()) {
        true if results.measure == Measure::Match => "; percent are of the points of an even match",
        true => "; percent are of the mean of the baseline",
        false => "",
    };
    format!(
        "{}{opponents}; difference of interest {}, error {} %, seed {}{unit}",
        results.game,
        interest::of_comparison(results),
        compact(100.0 * results.error),
        results.seed
    )
}

/// The verdict on a player in plain words.
fn sentence(results: &ComparisonResults, challenge: &Challenge) -> String {
    let (first, other) = (&results.players[0].name, &challenge.player);
    let Some(look) = challenge.last() else {
        return format!("No verdict on {other} against {first} yet: too few games so far.");
    };
    let difference = amount(results, look, look.difference);
    let about = if look.are_equal() {
        format!("{difference} in every pair")
    } else {
        format!("about {difference}")
    };
    let (range, games) = (range(results, look), games(results, look));
    match challenge.verdict {
        Some(Verdict::Better) => {
            let least = match look.low.filter(|low| *low > 0.0) {
                Some(low) => end(results, "at least", Some(bare(results, look, low))),
                // The test can decide before the confidence sequence excludes 0.
                None => range,
            };
            format!("{other} is better than {first}: {about}{least}; {games}.")
        }
        Some(Verdict::Worse) => {
            let best = match look.high.filter(|high| *high < 0.0) {
                Some(high) => end(results, "at best", Some(bare(results, look, high))),
                None => range,
            };
            format!("{other} is worse than {first}: {about}{best}; {games}.")
        }
        Some(Verdict::NoDifference) => {
            let margin = challenge.interest.map(interest::in_unit);
            let margin = margin.unwrap_or("the margin".into());
            let hint = small_but_certain(results, look);
            format!(
                "No difference larger than {margin} between {other} and {first}: {about}; {games}.{hint}"
            )
        }
        Some(Verdict::Undecided) => format!(
            "Undecided by the rule of this test whether {other} is better than {first}: {about}{range}; {games}. More \
             games can decide it (`--max-games`)."
        ),
        None => {
            format!("No verdict on {other} against {first} yet: {about}{range}; {games} so far.")
        }
    }
}

/// An end of the confidence sequence in words, if there is one.
fn end(results: &ComparisonResults, name: &str, end: Option<String>) -> String {
    let confidence = compact(100.0 * (1.0 - results.error));
    end.map_or(String::new(), |end| {
        format!(", {name} {end} ({confidence} %)")
    })
}

/// The confidence sequence in words, if there is one.
fn range(results: &ComparisonResults, look: &Look) -> String {
    let ends = look.low.zip(look.high).map(|(low, high)| {
        let [low, high] = [low, high].map(|end| bare(results, look, end));
        format!("{low} and {high}")
    });
    end(results, "between", ends)
}

/// The number of games behind a look.
fn games(results: &ComparisonResults, look: &Look) -> String {
    let pairs = count(look.pairs);
    match results.measure {
        Measure::Score => format!("{pairs} games each"),
        Measure::Points => format!("{pairs} openings each, from both sides"),
        Measure::Match => format!("{pairs} openings, from both sides"),
    }
}

/// A difference in plain words: in percent of the mean of the baseline, as a share of the points of direct matches, or
/// in points.
fn amount(results: &ComparisonResults, look: &Look, value: f64) -> String {
    let amount = bare(results, look, value);
    match (results.measure, look.base()) {
        (Measure::Match, _) => format!("{amount} of the points"),
        _ if results.loss.is_some() => {
            format!("{amount} {}", results.loss.as_deref().unwrap_or_default())
        }
        (_, Some(_)) => amount,
        (Measure::Score, None) => format!("{amount} points a game"),
        (Measure::Points, None) => format!("{amount} points in 100 games"),
    }
}

/// A difference without the noun of its unit.
fn bare(results: &ComparisonResults, look: &Look, value: f64) -> String {
    if results.measure == Measure::Match {
        return format!("{} %", grouped(100.0 * (0.5 + value), 1));
    }
    match (look.percent(value), results.measure) {
        (Some(percent), _) => {
            let decimals = match percent.abs() {
                10.0.. => 0,
                1.0.. => 1,
                _ => 2,
            };
            if results.loss.is_some() {
                return less(value, &format!("{} %", grouped(percent.abs(), decimals)));
            }
            format!("{} %", signed(percent, decimals))
        }
        (None, Measure::Score) if results.loss.is_some() => less(value, &compact(value.abs())),
        (None, Measure::Score) => score(results, value),
        (None, _) => signed(100.0 * value, 1),
    }
}

/// A difference of a number that is minimised: a better player has less of it.
fn less(difference: f64, amount: &str) -> String {
    let direction = if difference < 0.0 { "more" } else { "less" };
    format!("{amount} {direction}")
}

/// How the test came to its verdict.
fn in_detail(results: &ComparisonResults, challenge: &Challenge, look: &Look) -> String {
    if look.are_equal() {
        return equal(results, look);
    }
    let mut text = difference(results, look);
    text += &match (challenge.fixed_sample, challenge.saved()) {
        (Some(fixed), Some(saved)) => format!(
            ". Decided after {} pairs, {:.0} % less than the {} of a fixed sample of the same power.",
            count(look.pairs),
            // An early end never saves all pairs, so the number must not round to 100.
            (100.0 * saved).round().min(99.0),
            count(fixed)
        ),
        (Some(fixed), None) => format!(
            ". {} pairs were played; a fixed sample of the same power needs {}.",
            count(look.pairs),
            count(fixed)
        ),
        (None, _) => format!(
            ". {} pairs were played, of which {} differ.",
            count(look.pairs),
            count(look.different)
        ),
    };
    let is_decided = matches!(challenge.verdict, Some(Verdict::Better | Verdict::Worse));
    if is_decided && look.low.is_some() {
        text += EXAGGERATED;
    }
    text
}

/// The hint at a smaller margin if players certainly differ, by less than the difference of interest; else empty.
fn small_but_certain(results: &ComparisonResults, look: &Look) -> String {
    let is_certain = match (look.low, look.high) {
        (Some(low), Some(high)) => low > 0.0 || high < 0.0,
        _ => look.are_equal() && look.difference != 0.0,
    };
    if !is_certain {
        return String::new();
    }
    format!(
        " They do differ, by {}, which is less than the difference of interest; `--margin` sets a smaller one.",
        absolute(results, look)
    )
}

/// The pairs of a test in which all have the same difference.
fn equal(results: &ComparisonResults, look: &Look) -> String {
    let pairs = count(look.pairs);
    format!(
        "{} in each of {pairs} pairs. If {} % of the pairs deviated, {pairs} equal ones would have a probability of {}.",
        absolute(results, look),
        compact(100.0 * RARE),
        percent(f64::powf(1.0 - RARE, look.pairs as f64))
    )
}

/// The difference with its confidence sequence.
fn difference(results: &ComparisonResults, look: &Look) -> String {
    let confidence = compact(100.0 * (1.0 - results.error));
    let sequence = match sequence(look) {
        Some(sequence) => format!("{confidence} % confidence sequence {sequence}"),
        None => "too few pairs deviate from the commonest difference for a confidence sequence"
            .to_owned(),
    };
    format!("{}, {sequence}", absolute(results, look))
}

/// The difference in the units of the game, and in percent if that is meaningful.
fn absolute(results: &ComparisonResults, look: &Look) -> String {
    let absolute = match results.measure {
        Measure::Score if results.loss.is_some() => {
            let size = compact(look.difference.abs());
            format!("{} a game", less(look.difference, &size))
        }
        Measure::Score => format!("{} points a game", score(results, look.difference)),
        Measure::Points => format!("{} points in 100 games", signed(100.0 * look.difference, 1)),
        Measure::Match => format!("{:.1} % of the points", 100.0 * (0.5 + look.difference)),
    };
    match look.base() {
        Some(_) => format!("{} ({absolute})", shown(look, look.difference)),
        None => absolute,
    }
}

/// A difference of scores with its sign. Scores of a program can have any magnitude.
fn score(results: &ComparisonResults, value: f64) -> String {
    let games = results
        .players
        .iter()
        .filter_map(|player| player.games.as_ref());
    match games.filter_map(GameSummary::numbers).next() {
        Some(_) => signed_compact(value),
        None => signed(value, 0),
    }
}

/// A difference in percent, or in points if percent are meaningless.
fn shown(look: &Look, value: f64) -> String {
    number::difference(value, look.base())
}

/// The confidence sequence at a look.
fn sequence(look: &Look) -> Option<String> {
    let ends = (shown(look, look.low?), shown(look, look.high?));
    Some(format!("{} to {}", ends.0, ends.1))
}

fn table(results: &ComparisonResults) -> Table {
    let (result, decimals) = match results.measure {
        Measure::Score => ("mean score ± se".to_owned(), 0),
        Measure::Points => ("mean points ± se".to_owned(), 4),
        Measure::Match => ("mean points in its matches ± se".to_owned(), 4),
    };
    let result = match &results.loss {
        Some(loss) => format!("mean {loss} ± se"),
        None => result,
    };
    let sign = if results.loss.is_some() { -1.0 } else { 1.0 };
    let difference = match results.measure {
        Measure::Match => "share of the points",
        Measure::Score | Measure::Points => "difference",
    };
    let row = |(index, player): (usize, &ComparedPlayer)| {
        let games = player.games.as_ref();
        let mean = games.map(|games| {
            let [mean, error] = [sign * games.mean, games.standard_error];
            let [mean, error] = [mean, error].map(|value| match games.numbers() {
                Some(_) => compact(value),
                None => grouped(value, decimals),
            });
            format!("{mean} ± {error}")
        });
        let challenge = index
            .checked_sub(1)
            .map(|index| &results.challengers[index]);
        let look = challenge.and_then(Challenge::last);
        let verdict = challenge.map(|one| one.verdict.map_or("", Verdict::words));
        let name = format!("{} ({})", player.name, player.player);
        let verdict = Some(verdict.unwrap_or("baseline").to_owned());
        let cells = [
            ("player", Some(name)),
            ("games", games.map(|games| count(games.games))),
            (result.as_str(), mean),
            (
                difference,
                look.map(|look| match results.measure {
                    Measure::Match => bare(results, look, look.difference),
                    _ if results.loss.is_some() => bare(results, look, look.difference),
                    _ => shown(look, look.difference),
                }),
            ),
            ("verdict", verdict),
        ];
        let cells = cells.into_iter();
        cells
            .map(|(name, cell)| (name, cell.unwrap_or_default()))
            .collect()
    };
    Table::new("Players", results.players.iter().enumerate().map(row))
}

/// Explanation of the test.
fn notes(results: &ComparisonResults) -> String {
    let corrected = match results.challengers.len() {
        1 => String::new(),
        challengers => {
            format!(" Errors are divided by the {challengers} comparisons (Bonferroni).")
        }
    };
    format!(
        "The verdict is that of a sequential test with the decisions better, worse and no difference of interest. The \
         confidence sequence contains the true difference at all looks together.{corrected}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::html;
    use crate::report::tests::text_of;
    use tiletune_tuning::results::example;

    #[test]
    fn the_words_of_the_page_are_the_recorded_ones() {
        let mut words = String::new();
        for measure in [Measure::Score, Measure::Points, Measure::Match] {
            let results = example::comparison(measure);
            words += &text_of(&html(&results.name, &report(&results, &[])));
        }
        insta::assert_snapshot!("comparison", words);
    }

    #[test]
    fn what_users_write_is_escaped() {
        let mut results = example::comparison(Measure::Score);
        for player in &mut results.players {
            player.name = "<script>|`x`".to_owned();
        }
        let page = html(&results.name, &report(&results, &[]));
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;|`x`"));
    }
    #[test]
    fn percent_are_of_the_baseline_and_only_where_they_mean_something() {
        let results = example::comparison(Measure::Score);
        let look = Look {
            first: 30_000.0,
            difference: 15_000.0,
            reference: Some(37_500.0),
            ..*results.challengers[0].last().unwrap()
        };
        let about = |look: Look| amount(&results, &look, look.difference);
        assert_eq!(about(look), "+50 %");
        let negative = Look {
            first: -10.0,
            difference: 5.0,
            reference: Some(7.5),
            ..look
        };
        assert_eq!(about(negative), "+5 points a game");
        let near_zero = Look {
            first: 0.1,
            difference: 50.0,
            reference: Some(25.1),
            ..look
        };
        assert_eq!(about(near_zero), "+50 points a game");
        let in_points = Look {
            reference: None,
            ..look
        };
        assert_eq!(about(in_points), "+15,000 points a game");
    }

    #[test]
    fn a_better_player_has_less_of_what_is_minimised() {
        let mut results = example::comparison(Measure::Score);
        results.loss = Some("loss".to_owned());
        let challenge = results.challengers[0].clone();
        let look = Look {
            difference: 5.0,
            ..*challenge.last().unwrap()
        };
        assert!(amount(&results, &look, 5.0).ends_with(" less loss"));
        assert!(bare(&results, &look, -5.0).ends_with(" more"));
        assert!(
            table(&results)
                .header
                .contains(&"mean loss ± se".to_owned())
        );
    }

    #[test]
    fn every_verdict_begins_with_the_answer() {
        let results = example::comparison(Measure::Score);
        let of = |verdict| {
            let challenge = Challenge {
                verdict,
                ..results.challengers[0].clone()
            };
            sentence(&results, &challenge)
        };
        assert!(of(Some(Verdict::Better)).starts_with("tuned is better than published: about +"));
        assert!(of(Some(Verdict::Worse)).starts_with("tuned is worse than published: about "));
        let none = of(Some(Verdict::NoDifference));
        assert!(none.starts_with("No difference larger than 5 % between tuned and published"));
        let undecided = of(Some(Verdict::Undecided));
        assert!(
            undecided.starts_with("Undecided by the rule of this test whether tuned is better")
        );
        assert!(of(None).starts_with("No verdict on tuned against published yet"));
    }

    #[test]
    fn a_sequence_that_contains_0_has_both_ends() {
        let results = example::comparison(Measure::Score);
        let of = |verdict, low, high| {
            let mut challenge = results.challengers[0].clone();
            challenge.verdict = Some(verdict);
            let look = challenge.path.last_mut().unwrap();
            (look.reference, look.low, look.high) = (None, Some(low), Some(high));
            sentence(&results, &challenge)
        };
        let contains = |text: String, part: &str| assert!(text.contains(part), "{text}");
        contains(of(Verdict::Better, 3.0, 40.0), ", at least +3 (95 %);");
        contains(
            of(Verdict::Better, -3.0, 40.0),
            ", between −3 and +40 (95 %);",
        );
        contains(of(Verdict::Worse, -40.0, -3.0), ", at best −3 (95 %);");
        contains(
            of(Verdict::Worse, -40.0, 3.0),
            ", between −40 and +3 (95 %);",
        );
    }
}
