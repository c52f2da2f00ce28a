//! The HTML page of a series: the verdict on the recommended weights, the runs with links to their own
//! reports, the spread between them, and the charts.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{about_search, commands, figure, paragraphs, tables, verdict, why};
use crate::chart::Rendered;
use crate::number::{compact, count, grouped};
use tiletune_tuning::results::RunData;
use tiletune_tuning::results::series::{
    Agreement, Measured, ParameterSpread, SeriesResults, SeriesRun, Spread,
};

/// The page as text. `data` holds the start weights and the recommended weights of the series as if it were
/// a campaign. The links are relative: `runs/<number>/report.html`, `charts/<name>.csv` and so on.
pub fn html(results: &SeriesResults, data: &RunData, charts: &[Rendered]) -> String {
    let name = &results.name;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (name) ": tiletune report" }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                h1 { (name) ", " (results.repeat) " runs" }
                p.quiet { (results.game) ", " (results.player) "; objective: " (results.objective) }
                (why(&data.why))
                p.verdict { (sentence(results, data)) }
                (paragraphs(&about_search(data)))
                (runs(results))
                (parameters(results))
                @for section in tables::hold_out(data) { (section.markup()) }
                h2 { "Charts" }
                @for chart in charts { (figure(chart)) }
                @if charts.is_empty() { p { "There is nothing to draw yet." } }
                (commands(false))
                (tables::facts(data))
            }
        }
    };
    page.into_string() + "\n"
}

/// The result in a few sentences. `data` is that of [`html()`].
pub fn sentence(results: &SeriesResults, data: &RunData) -> String {
    let Some(run) = results.recommended else {
        let begun = results.runs.len();
        return format!(
            "The runs have not all ended: {begun} of {} have begun. Nothing is recommended yet.",
            results.repeat
        );
    };
    let mut text = format!(
        "{} {}",
        race_in_words(results, run),
        verdict::sentence(data)
    );
    if let Some(spread) = &results.spread {
        text += &format!(" {}", spread_in_words(spread, results.repeat));
    }
    text
}

/// What the race says about the recommended run.
pub fn race_in_words(results: &SeriesResults, run: u32) -> String {
    match results.survivors() {
        1 => format!(
            "Run {run} is recommended: it won the race between the final means of the runs."
        ),
        survivors => format!(
            "Run {run} is recommended: the race between the final means of the runs is undecided between \
             {survivors} of {}, and of these it has the largest mean.",
            results.repeat
        ),
    }
}

/// The spread between the runs beside the noise of the hold-out games.
pub fn spread_in_words(spread: &Spread, runs: u32) -> String {
    let [sd, noise, beyond] = [
        spread.between_runs_sd,
        spread.noise_sd,
        spread.beyond_noise_sd,
    ]
    .map(compact);
    format!(
        "Over {runs} runs the hold-out results have the mean {} and the standard deviation {sd}; the noise \
         of the hold-out games alone would give {noise}. What remains, {beyond}, is the difference between \
         the searches.",
        compact(spread.mean)
    )
}

fn runs(results: &SeriesResults) -> Markup {
    let measured = |measured: Option<Measured>| {
        measured.map_or("–".to_owned(), |one| {
            format!("{} ± {}", compact(one.value), compact(one.standard_error))
        })
    };
    let row = |run: &SeriesRun| {
        let cells = [
            run.seed.to_string(),
            count(run.generations),
            count(run.training_games),
            measured(run.race)
                + if run.is_eliminated {
                    ", eliminated"
                } else {
                    ""
                },
            measured(run.hold_out),
        ];
        let is_recommended = results.recommended == Some(run.run);
        html! {
            tr {
                td {
                    a href={ "runs/" (run.run) "/report.html" } { "run " (run.run) }
                    @if is_recommended { " (recommended)" }
                }
                @for cell in &cells { td { (cell) } }
            }
        }
    };
    html! {
        h2 { "Runs" }
        div.scroll {
            table {
                caption {
                    "Race and hold-out games: " (results.objective) " ± standard error."
                }
                thead {
                    tr {
                        @for cell in ["run", "seed", "generations", "training games", "race", "hold-out"] {
                            th { (cell) }
                        }
                    }
                }
                tbody {
                    @for run in &results.runs { (row(run)) }
                    @if results.start.is_some() {
                        tr {
                            td { "start weights" }
                            @for _ in 0..4 { td { "–" } }
                            td { (measured(results.start)) }
                        }
                    }
                }
            }
        }
    }
}

fn parameters(results: &SeriesResults) -> Markup {
    let row = |parameter: &ParameterSpread| {
        let winner = results
            .recommended
            .map(|run| parameter.values[run as usize - 1]);
        let percent = |unit: f64| format!("{} %", grouped(100.0 * unit, 1));
        vec![
            parameter.name.clone(),
            compact(parameter.start),
            winner.map_or("–".to_owned(), compact),
            percent(parameter.unit_start),
            percent(parameter.unit_mean),
            percent(parameter.unit_sd),
            parameter.agreement.map_or("", Agreement::name).to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = results.parameters.iter().map(row).collect();
    let note = html! {
        "Places between the bounds on the scale of the parameter: 0 % is the lower bound. Standard \
         deviations between the runs below " (grouped(100.0 * Agreement::AGREE_BELOW, 0)) " % agree, above "
        (grouped(100.0 * Agreement::DIFFER_ABOVE, 0)) " % they differ. The initial step of the search was "
        (grouped(100.0 * results.initial_step, 0)) " %."
    };
    let header = [
        "parameter",
        "start",
        "recommended",
        "place of the start",
        "mean place of the runs",
        "standard deviation",
        "runs",
    ];
    tables::section("Parameters", Some(note), &header, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{render_series, series_example as example};
    use crate::report::tests::text_of;

    fn page((results, data): (SeriesResults, RunData)) -> String {
        let charts = render_series(&results).expect("the charts can be drawn");
        html(&results, &data, &charts)
    }

    #[test]
    fn every_run_has_a_link_to_its_report() {
        let page = page(example::series(5));
        for run in 1..=5 {
            assert!(page.contains(&format!("href=\"runs/{run}/report.html\"")));
        }
        assert_eq!(page.matches("<svg").count(), 3);
        assert!(page.contains("run 2</a> (recommended)"));
        for outside in ["http", "src=", "url(", "@import", "<script", "<link"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_words_of_the_page_are_the_recorded_ones() {
        let (results, data) = example::series(3);
        let page = html(&results, &data, &[]);
        let body = page.split_once("<body>").unwrap_or_default().1;
        insta::assert_snapshot!("series", text_of(body));
        let page = self::page(example::unfinished());
        assert!(page.contains("2 of 3 have begun"), "{page}");
        assert!(page.ends_with("</html>\n") && !page.contains("NaN"));
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
