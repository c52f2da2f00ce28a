//! The report of a series: the verdict on the weights of the winner, the runs with links to their reports, and the
//! spread between them.

use super::block::{Block, Table, charts, paragraphs};
use super::{campaign, glossary, search::as_read, verdict};
use crate::chart::Rendered;
use crate::number::{compact, count, grouped};
use tiletune_tuning::results::RunData;
use tiletune_tuning::results::series::{
    Agreement, Measurement, ParameterSpread, SeriesResults, SeriesRun, Spread,
};

/// The full report of a page. `data` contains the start weights and the tuned weights of the series in the form of a
/// campaign.
pub fn report(results: &SeriesResults, data: &RunData, drawn: &[Rendered]) -> Vec<Block> {
    let mut blocks = vec![campaign::player(data)];
    blocks.extend(paragraphs(&data.why));
    blocks.extend(self::results(results, data));
    blocks.extend(charts(drawn));
    blocks.extend(glossary::words(glossary::OF_SEARCH));
    blocks.extend(campaign::files(false, None));
    blocks.extend(campaign::facts(data));
    blocks
}

/// The results, which a terminal shows, too. `data` is that of [`report`].
pub fn results(results: &SeriesResults, data: &RunData) -> Vec<Block> {
    let tables = [runs(results, data), parameters(results, data)];
    let tables = tables.into_iter().chain(campaign::at_settings(data));
    let tables = tables.chain(campaign::hold_out(data));
    [Block::Verdict(sentence(results, data))]
        .into_iter()
        .chain(campaign::plainly(data))
        .chain(tables.filter_map(Table::block))
        .chain(Block::details(
            "How the searches went",
            campaign::about_search(data),
        ))
        .collect()
}

/// The result in a few sentences.
fn sentence(results: &SeriesResults, data: &RunData) -> String {
    let Some(run) = results.winner else {
        let begun = results.runs.len();
        return format!(
            "The runs have not all ended: {begun} of {} have begun. There is no winner yet.",
            results.repeat
        );
    };
    let mut text = format!(
        "{} {}",
        race_in_words(results, run),
        verdict::sentence(data)
    );
    if let Some(spread) = &results.spread {
        text += &format!(
            " {}",
            spread_in_words(spread, results.repeat, campaign::is_loss(data))
        );
    }
    text
}

/// The sentence about the race of the winner.
fn race_in_words(results: &SeriesResults, run: u32) -> String {
    match results.survivors() {
        1 => format!("Run {run} won the race between the final means of the runs."),
        survivors => format!(
            "The race between the final means of the runs is undecided between {survivors} of {}; of these run {run} is \
             the best.",
            results.repeat
        ),
    }
}

/// The sentence about the spread between the runs and the noise of the hold-out games.
fn spread_in_words(spread: &Spread, runs: u32, is_loss: bool) -> String {
    let [sd, noise] = [spread.between_runs_sd, spread.noise_sd].map(compact);
    let rest = match spread.beyond_noise_sd {
        0.0 => "So no difference between the searches shows.".to_owned(),
        beyond => format!(
            "What remains, {}, is the difference between the searches.",
            compact(beyond)
        ),
    };
    format!(
        "Over {runs} runs the hold-out results have the mean {} and the standard deviation {sd}; the noise \
         of the hold-out games alone would give {noise}. {rest}",
        as_read(spread.mean, is_loss)
    )
}

fn runs(results: &SeriesResults, data: &RunData) -> Table {
    let is_loss = campaign::is_loss(data);
    let objective = data.validation.as_ref().map(|one| &one.objective);
    let in_words = objective.and_then(campaign::mean_loss);
    let measured = |measured: Option<Measurement>| {
        measured.map_or("–".to_owned(), |one| {
            let value = as_read(one.value, is_loss);
            format!("{value} ± {}", compact(one.standard_error))
        })
    };
    let row = |run: &SeriesRun| {
        let is_winner = results.winner == Some(run.run);
        let mark = match results.survivors() {
            _ if !is_winner => "",
            1 => " (winner)",
            _ => " (chosen)",
        };
        let eliminated = if run.is_eliminated {
            ", eliminated"
        } else {
            ""
        };
        vec![
            ("run", format!("run {}{mark}", run.run)),
            ("seed", run.seed.to_string()),
            ("generations", count(run.generations)),
            ("training games", count(run.training_games)),
            ("race", measured(run.race) + eliminated),
            ("hold-out", measured(run.hold_out)),
        ]
    };
    let mut rows: Vec<_> = results.runs.iter().map(row).collect();
    if let Some((start, first)) = results.start.zip(rows.first()) {
        let mut row: Vec<_> = first
            .iter()
            .map(|(name, _)| (*name, "–".to_owned()))
            .collect();
        (row[0].1, row[5].1) = ("start weights".to_owned(), measured(Some(start)));
        rows.push(row);
    }
    let links = results.runs.iter();
    let links = links.map(|run| Some(format!("runs/{}/report.html", run.run)));
    Table {
        links: links.collect(),
        ..Table::new("Runs", rows)
    }
    .noted(format!(
        "Race and hold-out games: {} ± standard error.",
        in_words.unwrap_or_else(|| results.objective.clone())
    ))
}

fn parameters(results: &SeriesResults, data: &RunData) -> Table {
    let inactive = data
        .inactive
        .iter()
        .map(|&index| &data.parameters[index].name);
    let inactive: Vec<&String> = inactive.collect();
    let row = |parameter: &ParameterSpread| {
        let winner = results.winner.map(|run| parameter.values[run as usize - 1]);
        let choice = |value: f64| parameter.choices.get(value as usize).cloned();
        let shown = |value: f64| choice(value).unwrap_or_else(|| compact(value));
        // Choices have no order.
        let percent = |unit: f64| match parameter.choices[..] {
            [] => format!("{} %", grouped(100.0 * unit, 1)),
            _ => "–".to_owned(),
        };
        let agreement = parameter.agreement.map_or("", Agreement::name);
        vec![
            ("parameter", parameter.name.clone()),
            ("start", shown(parameter.start)),
            (
                "winner",
                match winner {
                    Some(_) if inactive.contains(&&parameter.name) => "not active".to_owned(),
                    Some(value) => shown(value),
                    None => "–".to_owned(),
                },
            ),
            ("place of the start", percent(parameter.unit_start)),
            ("mean place of the runs", percent(parameter.unit_mean)),
            ("standard deviation", percent(parameter.unit_sd)),
            ("runs", agreement.to_owned()),
        ]
    };
    let rows = results.parameters.iter().map(row);
    Table::new("Parameters", rows).noted(format!(
        "Places between the bounds on the scale of the parameter: 0 % is the lower bound. Standard \
         deviations between the runs below {} % agree, above {} % they differ. The initial step of the \
         search was {} %.",
        grouped(100.0 * Agreement::AGREE_BELOW, 0),
        grouped(100.0 * Agreement::DIFFER_ABOVE, 0),
        grouped(100.0 * results.initial_step, 0)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{SERIES_CHARTS, render, series_example as example};
    use crate::report::html;
    use crate::report::tests::text_of;

    fn page((results, data): (SeriesResults, RunData)) -> String {
        let charts = render(SERIES_CHARTS, &results).expect("the charts can be drawn");
        html(&results.name, &report(&results, &data, &charts))
    }

    #[test]
    fn every_run_has_a_link_to_its_report() {
        let (mut results, data) = example::series(5);
        let undecided = page((results.clone(), data.clone()));
        assert!(undecided.contains("run 2 (chosen)</a>"));
        for run in results.runs.iter_mut().filter(|run| run.run != 2) {
            run.is_eliminated = true;
        }
        let page = page((results, data));
        for run in 1..=5 {
            assert!(page.contains(&format!("href=\"runs/{run}/report.html\"")));
        }
        assert_eq!(page.matches("<svg").count(), 3);
        assert!(page.contains("run 2 (winner)</a>"));
        for outside in ["http", "src=", "url(", "@import", "<script", "<link"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_words_of_the_page_are_the_recorded_ones() {
        let (results, data) = example::series(3);
        let page = html(&results.name, &report(&results, &data, &[]));
        insta::assert_snapshot!("series", text_of(&page));
        let page = self::page(example::unfinished());
        assert!(page.contains("2 of 3 have begun"), "{page}");
        assert!(page.ends_with("</html>\n") && !page.contains("NaN"));
    }

    #[test]
    fn a_spread_within_the_noise_shows_no_difference() {
        let (results, _) = example::series(3);
        let mut spread = results.spread.unwrap();
        assert!(spread_in_words(&spread, 3, false).contains("What remains"));
        spread.beyond_noise_sd = 0.0;
        let words = spread_in_words(&spread, 3, false);
        assert!(
            words.ends_with("So no difference between the searches shows."),
            "{words}"
        );
    }

    #[test]
    fn what_is_minimised_has_its_sign_in_runs_and_sentences() {
        let (results, mut data) = example::series(3);
        let of = |results: &SeriesResults, data: &RunData| {
            let column = |at: usize| {
                runs(results, data)
                    .rows
                    .into_iter()
                    .map(move |row| row[at].clone())
            };
            let sentence =
                spread_in_words(results.spread.as_ref().unwrap(), 3, campaign::is_loss(data));
            (
                column(4).collect::<Vec<_>>(),
                column(5).collect::<Vec<_>>(),
                sentence,
            )
        };
        let expected = of(&results, &data);
        let mut negative = results;
        for run in &mut negative.runs {
            for one in [&mut run.race, &mut run.hold_out].into_iter().flatten() {
                one.value = -one.value;
            }
        }
        negative.start.as_mut().unwrap().value *= -1.0;
        negative.spread.as_mut().unwrap().mean *= -1.0;
        assert_ne!(of(&negative, &data), expected);
        data.validation.as_mut().unwrap().objective.loss = Some("loss".to_owned());
        assert_eq!(of(&negative, &data), expected);
    }

    #[test]
    fn a_winner_does_not_have_what_is_not_active() {
        let (results, mut data) = example::series(3);
        let winner = |data: &RunData| -> Vec<String> {
            let rows = parameters(&results, data).rows.into_iter();
            rows.map(|row| row[2].clone()).collect()
        };
        let mut expected = winner(&data);
        data.inactive = vec![1];
        expected[1] = "not active".to_owned();
        assert_eq!(winner(&data), expected);
    }

    #[test]
    fn what_users_write_is_escaped() {
        let (mut results, mut data) = example::series(2);
        let evil = "<script>alert('x')</script>";
        results.name = evil.into();
        results.parameters[0].name = evil.into();
        data.why = evil.into();
        assert!(!page((results, data)).contains("<script"));
    }
}
