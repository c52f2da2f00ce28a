//! Numbers and tables as text.

use std::io::IsTerminal;

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

/// With fewer columns, a terminal wraps lines itself.
const LEAST_COLUMNS: u16 = 30;

/// The columns of the terminal that a stream writes to; `None` if it writes to a file or a pipe.
pub(super) fn columns(stream: &impl IsTerminal) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let (columns, _) = crossterm::terminal::size().ok()?;
    (columns >= LEAST_COLUMNS).then_some(columns.into())
}

/// The text with line breaks between words, so that no line is longer than a terminal. Further lines have the indentation
/// of the first one. A command ends its lines with a backslash, so that it can be copied. Tables fit already.
pub(super) fn wrapped(text: &str, columns: usize) -> String {
    let fits = |line: &str| line.starts_with('|') || line.chars().count() <= columns;
    let lines = text.split('\n').map(|line| {
        if fits(line) {
            line.to_owned()
        } else {
            broken(line, columns)
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A line of words on several lines.
fn broken(line: &str, columns: usize) -> String {
    let words = line.trim_start();
    let indent = line.len() - words.len();
    let is_command = indent > 0 && words.contains("tiletune ");
    let (more, end) = if is_command { (4, " \\") } else { (0, "") };
    let mut lines = vec![line[..indent].to_owned()];
    let mut width = indent;
    let mut is_first = true;
    for word in words.split(' ') {
        let length = word.chars().count();
        if !is_first && width + 1 + length + end.len() > columns {
            if let Some(last) = lines.last_mut() {
                *last += end;
            }
            lines.push(" ".repeat(indent + more));
            (width, is_first) = (indent + more, true);
        }
        if let Some(last) = lines.last_mut() {
            if !is_first {
                last.push(' ');
                width += 1;
            }
            *last += word;
            width += length;
        }
        is_first = false;
    }
    lines.join("\n")
}

/// The columns of a table that fit a terminal if no word is broken: those with these indices in `less` are left out one
/// after the other as long as the others are too wide.
pub(super) fn fitting(rows: &[Vec<String>], less: &[usize], columns: usize) -> Vec<usize> {
    let count = rows.first().map_or(0, Vec::len);
    let longest = |column: usize| {
        let words = rows.iter().flat_map(|row| row[column].split_whitespace());
        words.map(|word| word.chars().count()).max().unwrap_or(0)
    };
    // A cell has a space on both sides and a line before it.
    let widths: Vec<usize> = (0..count).map(|column| longest(column) + 3).collect();
    let mut kept: Vec<usize> = (0..count).collect();
    for left_out in less {
        let width: usize = kept.iter().map(|&column| widths[column]).sum();
        if width < columns {
            break;
        }
        kept.retain(|column| column != left_out);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Details;

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "one two three four\n\n  five six seven\n| a table | that | is | wide |";
        assert_eq!(
            wrapped(text, 11),
            "one two\nthree four\n\n  five six\n  seven\n| a table | that | is | wide |"
        );
        assert_eq!(wrapped("\nx y", 2), "\nx\ny");
        assert_eq!(
            wrapped("  tiletune export results/mine --json", 28),
            "  tiletune export \\\n      results/mine --json"
        );
        // A word that is too long stays whole.
        assert_eq!(
            wrapped("a results/very-long-name b", 10),
            "a\nresults/very-long-name\nb"
        );
    }

    #[test]
    fn columns_are_left_out_until_the_others_fit() {
        let rows = [["run", "kind", "size"], ["mine", "campaign", "12 kB"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(fitting(&rows, &[2, 1], 80), [0, 1, 2]);
        assert_eq!(fitting(&rows, &[2, 1], 22), [0, 1]);
        assert_eq!(fitting(&rows, &[2, 1], 10), [0]);
    }

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
