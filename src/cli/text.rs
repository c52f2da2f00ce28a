//! Numbers and tables as text.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

pub(super) use crate::number::duration;
use crate::report::Block;
pub(super) use crate::run::shell::quoted;

/// A table with a header. The first column is aligned left, the others right.
pub(super) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Keeps the words of a table whole: no column is narrower than its longest word, so that names can be copied.
pub(super) fn keep_words(table: &mut Table) {
    let longest = |text: &str| {
        text.split_whitespace()
            .map(|word| word.chars().count())
            .max()
    };
    let mut widths = vec![0; table.column_count()];
    for row in table.header().into_iter().chain(table.row_iter()) {
        for (width, cell) in widths.iter_mut().zip(row.cell_iter()) {
            *width = longest(&cell.content()).unwrap_or(0).max(*width);
        }
    }
    for (column, width) in table.column_iter_mut().zip(widths) {
        // Cells have a space on both sides.
        let least = u16::try_from(width + 2).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
    }
}

/// Blocks of a report. Of details there is only the title, unless the user asks for more.
pub(super) fn blocks(blocks: &[Block], is_verbose: bool) -> String {
    let texts = blocks.iter().filter_map(|one| block(one, is_verbose));
    texts.collect::<Vec<_>>().join("\n\n")
}

/// A block; `None` if only a page shows it.
fn block(block: &Block, is_verbose: bool) -> Option<String> {
    let text = match block {
        Block::Heading(text)
        | Block::Text(text)
        | Block::Note(text)
        | Block::Verdict(text)
        | Block::Warning(text) => text.clone(),
        Block::List(texts) => {
            let items = texts.iter().map(|text| format!("- {text}"));
            items.collect::<Vec<_>>().join("\n")
        }
        Block::Table(of) => {
            let header: Vec<&str> = of.header.iter().map(String::as_str).collect();
            let mut table = table(&header);
            table.add_rows(&of.rows);
            let note = of
                .note
                .as_ref()
                .map_or(String::new(), |note| format!("\n{note}"));
            format!("{}\n{table}{note}", of.heading)
        }
        Block::Pairs(pairs) => {
            let lines = pairs.iter().map(|(name, value)| format!("{name}: {value}"));
            lines.collect::<Vec<_>>().join("\n")
        }
        Block::Details(of) if is_verbose => {
            format!("{}\n\n{}", of.title, blocks(&of.blocks, is_verbose))
        }
        Block::Details(of) => format!("{}: see the report, or add --verbose.", of.title),
        Block::Files(_) | Block::Figure(_) => return None,
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Details;

    #[test]
    fn details_are_shown_to_those_who_ask() {
        let details = Block::Details(Details {
            title: "How the search went".to_owned(),
            blocks: vec![Block::Text("Signal share: 44 %.".to_owned())],
        });
        let all = [Block::Verdict("Better.".to_owned()), details];
        assert_eq!(
            blocks(&all, false),
            "Better.\n\nHow the search went: see the report, or add --verbose."
        );
        assert_eq!(
            blocks(&all, true),
            "Better.\n\nHow the search went\n\nSignal share: 44 %."
        );
    }
}
