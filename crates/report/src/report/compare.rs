//! The report of a comparison: the verdict on each player and a table of the players.

use super::block::{Block, Table, charts};
use crate::chart::Rendered;
use crate::number::{compact, count, grouped, signed};
use tiletune_tuning::results::GameSummary;
use tiletune_tuning::results::compare::{
    Challenge, ComparedPlayer, ComparisonResults, Look, Measure, Verdict,
};

/// What the estimate of a difference is if a test ends early.
const EXAGGERATED: &str = " The estimate at an early stop is exaggerated on average; the confidence \
                           sequence is not.";

/// The report with all that a page shows.
pub fn report(results: &ComparisonResults, drawn: &[Rendered]) -> Vec<Block> {
    let mut blocks = self::results(results);
    blocks.extend(charts(drawn));
    blocks
}

/// The results: what a terminal shows, too.
pub fn results(results: &ComparisonResults) -> Vec<Block> {
    let of = |challenge| Block::Verdict(sentence(results, challenge));
    let verdicts = results.challengers.iter().map(of);
    let table = [Block::Table(table(results)), Block::Note(notes(results))];
    [Block::Note(settings(results))]
        .into_iter()
        .chain(verdicts)
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
        "{}{opponents}; difference of interest {} %, error {} %, seed {}",
        results.game,
        compact(100.0 * results.margin),
        compact(100.0 * results.error),
        results.seed
    )
}

/// The verdict on a player in words.
fn sentence(results: &ComparisonResults, challenge: &Challenge) -> String {
    let (first, other) = (&results.players[0].name, &challenge.player);
    let Some(look) = challenge.last() else {
        return format!("{other}: too few pairs so far");
    };
    let verdict = match challenge.verdict {
        Some(Verdict::Better) => format!("{other} is better than {first}"),
        Some(Verdict::Worse) => format!("{other} is worse than {first}"),
        Some(Verdict::NoDifference) => {
            format!("no difference of interest between {other} and {first}")
        }
        Some(Verdict::Undecided) => format!("undecided between {other} and {first}"),
        None => format!("no verdict on {other} against {first} yet"),
    };
    let mut text = format!("{verdict}: {}", difference(results, look));
    text += &match (challenge.fixed_sample, challenge.saved()) {
        (Some(fixed), Some(saved)) => format!(
            ". Decided after {} pairs, {:.0} % less than the {} of a fixed sample of the same power.",
            count(look.pairs),
            // Never all of them.
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
    if let Some(Verdict::Better | Verdict::Worse) = challenge.verdict {
        text += EXAGGERATED;
    }
    text
}

/// The difference with its confidence sequence.
fn difference(results: &ComparisonResults, look: &Look) -> String {
    let absolute = match results.measure {
        Measure::Score => format!("{} points a game", score(results, look.difference)),
        Measure::Points => format!("{} points in 100 games", signed(100.0 * look.difference, 1)),
        Measure::Match => format!("{:.1} % of the points", 100.0 * (0.5 + look.difference)),
    };
    let confidence = compact(100.0 * (1.0 - results.error));
    let sequence = match sequence(look) {
        Some(sequence) => format!("{confidence} % confidence sequence {sequence}"),
        None => "too few pairs differ for a confidence sequence".to_owned(),
    };
    format!(
        "{} ({absolute}), {sequence}",
        percent(look, look.difference)
    )
}

/// A difference of scores with its sign; that of a program has any magnitude.
fn score(results: &ComparisonResults, value: f64) -> String {
    let games = results
        .players
        .iter()
        .filter_map(|player| player.games.as_ref());
    match games.filter_map(GameSummary::numbers).next() {
        Some(_) if value > 0.0 => format!("+{}", compact(value)),
        Some(_) => compact(value),
        None => signed(value, 0),
    }
}

/// A difference in percent of the first player's result.
fn percent(look: &Look, value: f64) -> String {
    match look.percent(value) {
        Some(percent) => format!("{} %", signed(percent, 1)),
        None => "–".to_owned(),
    }
}

/// The confidence sequence at a look.
fn sequence(look: &Look) -> Option<String> {
    let ends = (percent(look, look.low?), percent(look, look.high?));
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
            (
                "difference",
                look.map(|look| percent(look, look.difference)),
            ),
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

/// What the table means.
fn notes(results: &ComparisonResults) -> String {
    let reference = match results.measure {
        Measure::Score => "of the first player's mean score",
        Measure::Points => "of the first player's mean points",
        Measure::Match => "of the points of an even match",
    };
    let challengers = results.challengers.len();
    let corrected = match challengers {
        1 => String::new(),
        _ => format!(" Errors are divided by the {challengers} comparisons (Bonferroni)."),
    };
    format!(
        "Differences are in percent {reference}. The verdict is that of a sequential test with the \
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
