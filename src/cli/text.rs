//! Numbers and tables as text.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

pub(super) use crate::number::duration;
use crate::report::Block;

/// A word of a shell command, quoted if necessary.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

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

/// Blocks of a report. The most important ones come last, where a terminal shows them.
pub(super) fn blocks(blocks: &[Block]) -> String {
    let is_last = |block: &&Block| matches!(block, Block::Verdict(_) | Block::Warning(_));
    let (last, first): (Vec<&Block>, Vec<&Block>) = blocks.iter().partition(is_last);
    let texts = first.into_iter().chain(last).filter_map(block);
    texts.collect::<Vec<_>>().join("\n\n")
}

/// A block; `None` if only a page shows it.
fn block(block: &Block) -> Option<String> {
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
        _ => return None,
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_are_quoted_where_they_must_be() {
        assert_eq!(quoted("results/mine-2.1"), "results/mine-2.1");
        assert_eq!(quoted("results/my run"), "'results/my run'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
