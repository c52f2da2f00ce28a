//! Errors of input files.

use std::ops::Range;

use miette::{Diagnostic, NamedSource, SourceSpan};

use tiletune_report::visible::visible;

/// The reason why an input file cannot be used.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum ConfigError {
    /// The file cannot be read as text.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The cause.
        reason: String,
    },
    /// The file belongs to a run, but its contents are not those that the run wrote.
    #[error("{path}: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// Something in the text is wrong.
    #[error("{message}")]
    Mistake {
        /// What is wrong and what is allowed.
        message: String,
        /// The text.
        #[source_code]
        source_code: NamedSource<String>,
        /// The place.
        #[label("here")]
        span: SourceSpan,
        /// A suggestion.
        #[help]
        help: Option<String>,
    },
    /// A setting or an option of the command line is wrong.
    #[error("{given}: {message}")]
    Set {
        /// The option and its argument, as in `--set seed=5` or `--games 5`.
        given: String,
        /// What is wrong and what is allowed.
        message: String,
        /// A suggestion.
        #[help]
        help: Option<String>,
    },
}

/// Largest number of bytes of a line in a message. `miette` cannot draw columns beyond 65535.
const LONGEST_LINE: usize = 300;

/// Largest number of characters of a quotation in a message. The place is shown beside it.
const LONGEST_QUOTE: usize = 200;

impl ConfigError {
    /// An error in a setting or an option of the command line.
    pub(super) fn set(given: &str, message: &str, help: Option<String>) -> Self {
        ConfigError::Set {
            given: brief(&visible(given)),
            message: with_brief_quotes(&visible(message)),
            help,
        }
    }

    /// An error at a part of a text.
    pub(super) fn mistake(
        name: &str,
        text: &str,
        span: Range<usize>,
        message: String,
        help: Option<String>,
    ) -> Self {
        // A replacement has the same number of bytes, so the positions are those of an editor.
        let (text, message, help) = (
            &visible(text),
            with_brief_quotes(&visible(&message)),
            help.as_deref().map(visible),
        );
        let (text, span, column) = shown(text, span);
        let column = column.map(|column| format!(" (byte {column} of the line)"));
        ConfigError::Mistake {
            message: message + &column.unwrap_or_default(),
            source_code: NamedSource::new(visible(name), text),
            span: span.into(),
            help,
        }
    }
}

/// A message whose quotations, `like this`, are not too long.
fn with_brief_quotes(message: &str) -> String {
    let parts = message.split('`').enumerate();
    let parts = parts.map(|(index, part)| {
        if index % 2 == 1 {
            brief(part)
        } else {
            part.to_owned()
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

/// The beginning of a text that is too long for a quotation.
fn brief(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The text with long lines cut, and the span in this text. If the span starts in a part that is cut, it moves to the
/// end of the line, and its column (from 1) is returned.
fn shown(text: &str, span: Range<usize>) -> (String, Range<usize>, Option<usize>) {
    let end = text.len();
    let span = span.start.min(end)..span.end.clamp(span.start.min(end), end);
    if text.lines().all(|line| line.len() <= LONGEST_LINE) {
        return (text.to_owned(), span, None);
    }
    let mut kept = String::new();
    let (mut moved, mut column) = (0..0, None);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let cut = line.floor_char_boundary(LONGEST_LINE);
        let place = |at: usize| kept.len() + (at - start).min(cut);
        if (start..start + line.len()).contains(&span.start) {
            moved.start = place(span.start);
            column = (span.start - start > cut).then_some(span.start - start + 1);
        }
        if (start..=start + line.len()).contains(&span.end) {
            moved.end = place(span.end);
        }
        kept += &line[..cut];
        if cut < line.len() && line.ends_with('\n') {
            kept.push('\n');
        }
        start += line.len();
    }
    if span.start == end {
        moved = kept.len()..kept.len();
    }
    (kept, moved.start..moved.end.max(moved.start), column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_quotations_are_cut_and_the_rest_kept() {
        let long = "ä".repeat(5_000);
        let error = ConfigError::mistake(
            "a.toml",
            "x = 1",
            0..1,
            format!("`{long}`: of `b`, {long}"),
            None,
        );
        let kept = "ä".repeat(LONGEST_QUOTE);
        assert_eq!(error.to_string(), format!("`{kept}…`: of `b`, {long}"));
        let error = ConfigError::set(&format!("--set x={long}"), &format!("`{long}`"), None);
        assert!(
            error.to_string().chars().count() < 2 * LONGEST_QUOTE + 10,
            "{error}"
        );
    }

    #[test]
    fn overlong_lines_are_cut_and_the_place_kept() {
        let long = "x".repeat(70_000);
        let text = format!("a = 1\nb = '{long}' y\nc = 2\n");
        let at = |part: &str| {
            let start = text.find(part).unwrap();
            let (shown, span, column) = shown(&text, start..start + part.len());
            assert!(shown.len() < 350);
            (shown[span].to_owned(), column)
        };
        assert_eq!(at("a = 1"), ("a = 1".into(), None));
        assert_eq!(at("c = 2"), ("c = 2".into(), None));
        assert_eq!(at("' y"), (String::new(), Some(70_006)));
    }
}
