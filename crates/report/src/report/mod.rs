//! The reports: one HTML page for a campaign, one page of Markdown for an experiment or a comparison.
//!
//! A report says what [`RunData`] or the results of an experiment hold, and shows the charts given to
//! it. It draws no chart, plays no game and writes no file. The HTML page has no script and fetches
//! nothing.

pub mod compare;
pub mod deeper;
pub mod experiment;
mod markdown;
pub mod retuned;
pub mod search;
pub mod sensitivity;
pub mod series;
mod tables;
mod verdict;

pub use tables::{Section, sections};
pub use verdict::{sentence, verdict_in_words};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::chart::Rendered;
use crate::number::{grouped, p_value};
use tiletune_tuning::results::{PairedDifference, RunData};

/// The page as text. The links to the charts' files are relative: `charts/<name>.csv` and so on.
pub fn html(data: &RunData, charts: &[Rendered]) -> String {
    let name = &data.name;
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
                h1 { (name) }
                p.quiet { (data.game) ", " (data.player) "; objective: " (data.objective) }
                (why(&data.why))
                p.verdict { (sentence(data)) }
                (paragraphs(&about_search(data)))
                @for section in sections(data) { (section.markup()) }
                (tables::generations(data))
                h2 { "Charts" }
                @for chart in charts { (figure(chart)) }
                @if charts.is_empty() { p { "There is nothing to draw yet." } }
                (commands(true))
                (tables::facts(data))
            }
        }
    };
    page.into_string() + "\n"
}

/// The purpose of a campaign: its paragraphs.
pub(super) fn why(text: &str) -> Markup {
    html! {
        @for paragraph in text.trim().split("\n\n") { p { (paragraph) } }
    }
}

/// The files of the weights and of the campaign, and the commands that go on from them. `has_games` says whether
/// `play` can show its games.
pub(super) fn commands(has_games: bool) -> Markup {
    let files = ["best.toml", "config.toml", "resolved.toml"];
    let commands = [
        (
            "tiletune replay best.toml",
            "plays the hold-out games again and compares all digits",
        ),
        (
            "tiletune play --run . --hold-out tuned",
            "shows a hold-out game",
        ),
        ("tiletune verify .", "checks every file"),
    ];
    let is_shown = |(command, _): &(&str, &str)| has_games || !command.contains(" play ");
    html! {
        h2 { "Files and commands" }
        p {
            @for file in files { a href=(file) { (file) } " " }
            "are the recommended weights, the campaign as it was written, and the same with all defaults. In the run \
             directory:"
        }
        ul.commands {
            @for (command, what) in commands.into_iter().filter(is_shown) { li { code { (command) } " " (what) } }
        }
    }
}

/// What the search promised, its signal and noise, and the values at a bound, a sentence each; the search has
/// ended.
pub fn about_search(data: &RunData) -> Vec<String> {
    let selection = data
        .validation
        .as_ref()
        .and_then(|validation| validation.selection.as_ref());
    let last = data.generations.last().filter(|_| data.tuned.is_some());
    let sentences = selection.map(search::selection).into_iter();
    let sentences = sentences.chain(last.and_then(search::signal));
    let first_steps = last.and_then(|_| search::first_steps(&data.generations));
    let sentences = sentences.chain(first_steps);
    let sentences = sentences.chain(data.at_bounds.iter().map(search::at_bound));
    let skipped = data.validation.iter();
    let skipped = skipped.flat_map(|validation| deeper::skipped(&validation.deeper));
    let notices = data.notices.iter().cloned();
    let sentences = sentences.chain(notices).chain(skipped);
    sentences.chain(data.unmeasured.clone()).collect()
}

fn paragraphs(sentences: &[String]) -> Markup {
    html! {
        @for sentence in sentences { p { (sentence) } }
    }
}

/// A difference with its interval, or with the signs of the pairs that differ if there is none.
fn with_interval(difference: &PairedDifference, decimals: usize) -> String {
    let mean = grouped(difference.mean, decimals);
    match (difference.interval(), difference.p_sign_test) {
        (Some(ends), _) => {
            let [low, high] = ends.map(|value| grouped(value, decimals));
            format!("{mean} ({low} to {high})")
        }
        (None, p) => format!(
            "{mean} ({} better, {} worse, p {})",
            difference.above,
            difference.below,
            p.map(p_value).unwrap_or_default()
        ),
    }
}

fn figure(chart: &Rendered) -> Markup {
    // HTML needs no namespace, and a page that fetches nothing should name no address.
    let svg = chart
        .svg
        .replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    html! {
        figure {
            div.card { (PreEscaped(svg)) }
            figcaption {
                (chart.about)
                @for extension in ["csv", "svg", "png"] {
                    " "
                    a href={ "charts/" (chart.name) "." (extension) } { (extension.to_uppercase()) }
                }
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chart::render_all;
    use tiletune_tuning::results::example;

    fn page(data: &RunData) -> String {
        html(data, &render_all(data).expect("the charts can be drawn"))
    }

    #[test]
    fn what_users_write_is_escaped() {
        let mut data = example::run(3, 5, 20);
        let evil = "<script>alert('x')</script> & \"y\"";
        data.name = evil.to_owned();
        data.why = evil.to_owned();
        data.player = evil.to_owned();
        data.objective = evil.to_owned();
        data.parameters[0].name = evil.to_owned();
        data.facts = vec![(evil.to_owned(), evil.to_owned())];
        let page = page(&data);
        assert!(!page.contains("<script"));
        assert!(page.contains("&lt;script&gt;alert('x')&lt;/script&gt; &amp; &quot;y&quot;"));
    }

    #[test]
    fn the_page_holds_every_chart_and_fetches_nothing() {
        let data = example::run(6, 40, 300);
        let charts = render_all(&data).expect("the charts can be drawn");
        let page = html(&data, &charts);
        for chart in &charts {
            assert!(page.contains(&format!("aria-label=\"{}\"", chart.title)));
            assert!(page.contains(&format!("href=\"charts/{}.csv\"", chart.name)));
            assert!(page.contains(chart.about));
        }
        assert_eq!(page.matches("<svg").count(), charts.len());
        for outside in ["http", "src=", "url(", "@import", "<script", "<link"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    /// The words of a page, a line for each row of a table.
    pub(super) fn text_of(page: &str) -> String {
        let mut text = String::new();
        for piece in page.split('<').skip(1) {
            let (tag, words) = piece.split_once('>').unwrap_or_default();
            text += match tag {
                "td" | "th" if !text.ends_with('\n') => " | ",
                "/tr" | "/h1" | "/h2" | "/p" | "/caption" | "/figcaption" => "\n",
                _ => "",
            };
            text += words;
        }
        text
    }

    #[test]
    fn the_words_of_the_page_are_the_recorded_ones() {
        let mut data = example::run(2, 22, 12);
        let links = render_all(&data).expect("the charts can be drawn");
        let mut charts = links[..1].to_vec();
        charts[0].svg.clear();
        let page = html(&data, &charts);
        let body = page.split_once("<body>").unwrap_or_default().1;
        insta::assert_snapshot!("campaign", text_of(body));

        data = example::between_two(2, 3, 12);
        let page = html(&data, &[]);
        let body = page.split_once("<body>").unwrap_or_default().1;
        insta::assert_snapshot!("campaign_between_two", text_of(body));
    }

    #[test]
    fn odd_runs_have_reports() {
        for (name, data) in example::odd_runs() {
            let page = page(&data);
            assert!(
                page.ends_with("</html>\n") && !page.contains("NaN"),
                "{name}"
            );
        }
    }
}
