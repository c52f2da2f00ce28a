//! Blocks as an HTML page. The page has no script and loads nothing; links are relative to the run directory.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::block::{Block, Table};
use crate::chart::Rendered;
use crate::visible::visible;

/// The page with a title and blocks, as text.
pub fn html(title: &str, blocks: &[Block]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) ": tiletune report" }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                main {
                    h1 { (title) }
                    @for block in blocks { (markup(block)) }
                }
            }
        }
    };
    visible(&(page.into_string() + "\n"))
}

fn markup(block: &Block) -> Markup {
    html! {
        @match block {
            Block::Heading(text) => h2 { (text) },
            Block::Text(text) => p { (with_code(text)) },
            Block::Note(text) => p.quiet { (with_code(text)) },
            Block::Verdict(text) => p.verdict { (with_code(text)) },
            Block::Warning(text) => p.verdict.warning { (with_code(text)) },
            Block::List(texts) => ul { @for text in texts { li { (with_code(text)) } } },
            Block::Table(of) => (table(of)),
            Block::Pairs(pairs) => (facts(pairs)),
            Block::Files(files) => p { @for file in files { a href=(file) { (file) } " " } },
            Block::Figure(of) => (figure(of)),
            Block::Details(of) => details {
                summary { (of.title) }
                @for block in &of.blocks { (markup(block)) }
            },
        }
    }
}

/// Text with every second part between backticks as code. A single backtick is text.
fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (index, part) in parts.iter().enumerate() {
            @if index.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

fn facts(pairs: &[(String, String)]) -> Markup {
    // Names of regions must differ.
    let first = pairs.first().map_or("", |(name, _)| name);
    html! {
        div.scroll tabindex="0" role="region" aria-label={ (first) " and other values" } {
            table.text {
                tbody { @for (name, value) in pairs { tr { td { (name) } td { (value) } } } }
            }
        }
    }
}

fn table(table: &Table) -> Markup {
    let link = |row: usize| table.links.get(row).and_then(Option::as_ref);
    html! {
        h2 { (table.heading) }
        div.scroll tabindex="0" role="region" aria-label=(table.heading) {
            table {
                @if let Some(note) = &table.note { caption { (with_code(note)) } }
                thead { tr { @for name in &table.header { th { (name) } } } }
                tbody {
                    @for (index, row) in table.rows.iter().enumerate() {
                        tr {
                            @for (column, cell) in row.iter().enumerate() {
                                td {
                                    @match link(index).filter(|_| column == 0) {
                                        Some(link) => a href=(link) { (cell) },
                                        None => (cell),
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn figure(of: &Rendered) -> Markup {
    // Inline SVG needs no namespace. Without it the page contains no URL.
    let svg = of
        .svg
        .replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    html! {
        figure {
            div.card tabindex="0" role="region" aria-label={ (of.title) ", chart" } { (PreEscaped(svg)) }
            figcaption {
                (of.about)
                @for extension in ["csv", "svg", "png"] {
                    " "
                    a href={ "charts/" (of.name) "." (extension) } { (extension.to_uppercase()) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_and_tables_of_a_phone_scroll_and_say_so() {
        let page = html("t", &[]);
        let narrow = page.split("@media (max-width: 700px)").nth(1).unwrap();
        for rule in ["overflow-x: auto", "Swipe the chart"] {
            assert!(narrow.contains(rule), "{rule}");
        }
        // The shadow of a table that goes on.
        assert!(page.contains("var(--shade), transparent) right"));
    }

    #[test]
    fn what_scrolls_is_a_region_with_a_name() {
        let table = Table::new("Games", [vec![("weights", "tuned".to_owned())]]);
        let pairs = Block::Pairs(vec![("seed".to_owned(), "7".to_owned())]);
        let mut blocks: Vec<Block> = table.block().into_iter().collect();
        blocks.push(pairs);
        let page = html("t", &blocks);
        for name in ["Games", "seed and other values"] {
            let region =
                format!("class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\"");
            assert!(page.contains(&region), "{name}: {page}");
        }
        assert!(page.contains("<main><h1>t</h1>"));
    }

    #[test]
    fn code_is_between_two_backticks_and_all_is_escaped() {
        let page = |text: &str| html("t", &[Block::Text(text.to_owned())]);
        assert!(page("a `b < c` d").contains("<p>a <code>b &lt; c</code> d</p>"));
        assert!(page("one ` only").contains("<p>one ` only</p>"));
        assert!(page("\u{1b}[1m\u{202e}").contains("<p>?[1m"));
    }
}
