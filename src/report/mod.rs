//! The report of a run: one HTML page that needs nothing but itself.
//!
//! It says what [`RunData`] holds and shows the charts given to it; it draws no chart, plays no game
//! and writes no file. The page has no script and fetches nothing.

pub mod experiment;
mod tables;
mod verdict;

use std::fmt::{self, Write as _};

use crate::chart::Rendered;
use crate::record::RunData;

/// The page as text. The links to the charts' files are relative: `charts/<name>.csv` and so on.
pub fn html(data: &RunData, charts: &[Rendered]) -> String {
    let charts: String = charts.iter().map(figure).collect();
    let charts = if charts.is_empty() {
        "<p>There is nothing to draw yet.</p>\n"
    } else {
        &charts
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}: tiletune report</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <h1>{name}</h1>\n<p class=\"quiet\">{game}, {player}; objective: {objective}</p>\n\
         <p class=\"why\">{why}</p>\n\
         <p class=\"verdict\">{verdict}</p>\n{hold_out}{parameters}{generations}\
         <h2>Charts</h2>\n{charts}{facts}</body>\n</html>\n",
        style = include_str!("style.css"),
        name = Escaped(&data.name),
        game = Escaped(&data.game),
        player = Escaped(&data.player),
        objective = Escaped(&data.objective),
        why = Escaped(data.why.trim()),
        verdict = Escaped(&verdict::sentence(data)),
        hold_out = tables::hold_out(data),
        parameters = tables::parameters(data),
        generations = tables::generations(data),
        facts = tables::facts(data),
    )
}

fn figure(chart: &Rendered) -> String {
    // HTML needs no namespace, and a page that fetches nothing should name no address.
    let svg = chart
        .svg
        .replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    let name = chart.name;
    format!(
        "<figure>\n<div class=\"card\">\n{svg}</div>\n<figcaption>{about} \
         <a href=\"charts/{name}.csv\">CSV</a> <a href=\"charts/{name}.svg\">SVG</a> \
         <a href=\"charts/{name}.png\">PNG</a></figcaption>\n</figure>\n",
        about = Escaped(chart.about),
    )
}

/// A text that came from outside, made safe for HTML.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '&' => formatter.write_str("&amp;"),
            '<' => formatter.write_str("&lt;"),
            '>' => formatter.write_str("&gt;"),
            '"' => formatter.write_str("&quot;"),
            '\'' => formatter.write_str("&#39;"),
            other => formatter.write_char(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{example, render_all};

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
        assert!(
            page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;y&quot;")
        );
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
