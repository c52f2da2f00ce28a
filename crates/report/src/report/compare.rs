//! The report of a comparison: the verdict on each player and a table of the players.

use super::block::{Block, Table, charts};
use super::search;
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
    blocks
}

/// The results, which a terminal shows, too.
pub fn results(results: &ComparisonResults) -> Vec<Block> {
    let of = |challenge| Block::Verdict(sentence(results, challenge));
    let verdicts = results.challengers.iter().map(of);
    let table = [Block::Table(table(results)), Block::Note(notes(results))];
    let failed = results.players.iter().filter_map(|player| {
        let games = player.games.as_ref()?;
        search::failed_games(games.failed(), games.games, &player.name)
    });
    [Block::Note(settings(results))]
        .into_iter()
        .chain(verdicts)
        .chain(failed.map(Block::Warning))
        .chain(table)
        .collect()
}

/// Game, difference of interest, error and seed in one sentence.
fn settings(results: &ComparisonResults) -> String {
    let opponents = match (&results.opponents, results.measure) {
        (Some(opponents), _) => format!(", every opening from both sides against {opponents}"),
        (None, Measure::Match) => ", direct matches, every opening from both sides".to_owned(),
        _ => String::new(),
    };
    format!(
        "{}{opponents}; difference of interest {}, error {} %, seed {}",
        results.game,
        interest::of_comparison(results),
        compact(100.0 * results.error),
        results.seed
    )
}

/// The verdict on a player in words.
fn sentence(results: &ComparisonResults, challenge: &Challenge) -> String {
    let Some(look) = challenge.last() else {
        return format!("{}: too few pairs so far", challenge.player);
    };
    if look.are_equal() {
        return equal(results, challenge, look);
    }
    let verdict = verdict(results, challenge);
    let mut text = format!("{verdict}: {}", difference(results, look));
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
    match challenge.verdict {
        Some(Verdict::Better | Verdict::Worse) if look.low.is_some() => text += EXAGGERATED,
        Some(Verdict::NoDifference) => text += &small_but_certain(results, look),
        _ => (),
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

/// The verdict alone.
fn verdict(results: &ComparisonResults, challenge: &Challenge) -> String {
    let (first, other) = (&results.players[0].name, &challenge.player);
    match challenge.verdict {
        Some(Verdict::Better) => format!("{other} is better than {first}"),
        Some(Verdict::Worse) => format!("{other} is worse than {first}"),
        Some(Verdict::NoDifference) => {
            format!("no difference of interest between {other} and {first}")
        }
        Some(Verdict::Undecided) => format!("undecided between {other} and {first}"),
        None => format!("no verdict on {other} against {first} yet"),
    }
}

/// The verdict on a player if all pairs have the same difference.
fn equal(results: &ComparisonResults, challenge: &Challenge, look: &Look) -> String {
    let pairs = count(look.pairs);
    let unseen = format!(
        "If {} % of the pairs deviated, {pairs} equal ones would have a probability of {}.",
        compact(100.0 * RARE),
        percent(f64::powf(1.0 - RARE, look.pairs as f64))
    );
    match (look.different, challenge.verdict) {
        (0, Some(Verdict::NoDifference)) => format!(
            "no difference in {pairs} pairs between {} and {}. {unseen}",
            challenge.player, results.players[0].name
        ),
        (0, _) => format!("{}: {pairs} equal pairs", verdict(results, challenge)),
        (_, decided) => {
            let small = match decided {
                Some(Verdict::NoDifference) => small_but_certain(results, look),
                _ => String::new(),
            };
            format!(
                "{}: {} in each of {pairs} pairs. {unseen}{small}",
                verdict(results, challenge),
                absolute(results, look)
            )
        }
    }
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
        Measure::Score => format!("{} points a game", score(results, look.difference)),
        Measure::Points => format!("{} points in 100 games", signed(100.0 * look.difference, 1)),
        Measure::Match => format!("{:.1} % of the points", 100.0 * (0.5 + look.difference)),
    };
    match look.reference {
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
    number::difference(value, look.reference)
}

/// The confidence sequence at a look.
fn sequence(look: &Look) -> Option<String> {
    let ends = (shown(look, look.low?), shown(look, look.high?));
    Some(format!("{} to {}", ends.0, ends.1))
}

fn table(results: &ComparisonResults) -> Table {
    let (result, decimals) = match results.measure {
        Measure::Score => ("mean score ± se", 0),
        Measure::Points => ("mean points ± se", 4),
        Measure::Match => ("mean points in its matches ± se", 4),
    };
    let row = |(index, player): (usize, &ComparedPlayer)| {
        let games = player.games.as_ref();
        let mean = games.map(|games| {
            let [mean, error] = [games.mean, games.standard_error];
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
        let verdict = Some(verdict.unwrap_or("the first").to_owned());
        let cells = [
            ("player", Some(name)),
            ("games", games.map(|games| count(games.games))),
            (result, mean),
            ("pairs", look.map(|look| count(look.pairs))),
            ("difference", look.map(|look| shown(look, look.difference))),
            ("confidence sequence", look.and_then(sequence)),
            ("verdict", verdict),
        ];
        let cells = cells.into_iter();
        cells
            .map(|(name, cell)| (name, cell.unwrap_or_default()))
            .collect()
    };
    Table::new("Players", results.players.iter().enumerate().map(row))
}

/// Explanation of the table.
fn notes(results: &ComparisonResults) -> String {
    let reference = match results.measure {
        Measure::Score => "of the mean score of both players",
        Measure::Points => "of the mean points of both players",
        Measure::Match => "of the points of an even match",
    };
    let challengers = results.challengers.len();
    let mut looks = results.challengers.iter().filter_map(Challenge::last);
    let unit = if looks.any(|look| look.reference.is_some()) {
        format!("Differences in percent are those {reference}. ")
    } else {
        String::new()
    };
    let corrected = match challengers {
        1 => String::new(),
        _ => format!(" Errors are divided by the {challengers} comparisons (Bonferroni)."),
    };
    format!(
        "{unit}The verdict is that of a sequential test with the \
         decisions better, worse and no difference of interest. The confidence sequence contains the \
         true difference at all looks together.{corrected}"
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
}
