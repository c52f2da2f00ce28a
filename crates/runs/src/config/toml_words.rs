//! The messages of the TOML parser in words of users: mostly quotes and commas are missing. This module must not know what
//! a file means.

use std::ops::Range;

/// A message of the parser at a part of a text, and the part: both may be replaced.
pub(super) fn of_users(message: &str, text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let message = message.trim_end();
    let has = |words: &str| message.contains(words);
    let may_lack_quotes =
        has("string values must be quoted") || has("unexpected key or value, expected newline");
    if may_lack_quotes && let Some(found) = unquoted_value(text, span.start) {
        return found;
    }
    let said = if has("string values must be quoted") {
        in_list(text.get(span.clone()).unwrap_or_default())
    } else if has("missing opening quote") {
        "a text needs quotes on both sides, as in \"2^r\": the first one is missing".to_owned()
    } else if has("invalid basic string, expected `\"`")
        || has("invalid literal string, expected `'`")
    {
        "a text needs quotes on both sides, as in \"2^r\": the last one is missing".to_owned()
    } else if has("missing comma between array elements") {
        let message = message.trim_end_matches(", expected `,`");
        format!("{message} (or a quote or a `]` is missing before it)")
    } else {
        message.to_owned()
    };
    (said, span)
}

/// The message for `key = words without quotes`, if the line at this place is such a one, and where the words are.
fn unquoted_value(text: &str, at: usize) -> Option<(String, Range<usize>)> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next()?;
    let (key, value) = line.split_once('=')?;
    let before = line.len() - value.trim_start().len();
    let value = value.split('#').next()?.trim();
    let is_key = |c: char| c.is_ascii_alphanumeric() || "-_.\"' ".contains(c);
    let is_word = !value.starts_with(['"', '\'', '[', '{'])
        && value.contains(|c: char| c.is_ascii_alphabetic());
    // With a further `=` the words are two entries in a line.
    if !is_word || value.contains(['"', '\'', '=']) || !key.chars().all(is_key) {
        return None;
    }
    let key = key.trim();
    let said = format!("a text needs quotes, as in `{key} = \"{value}\"`");
    Some((said, start + before..start + before + value.len()))
}

/// The message for words without quotes in a list or an inline table.
fn in_list(words: &str) -> String {
    let begins = words.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if begins && words.contains(char::is_whitespace) {
        return format!("a comma is missing in `{words}`; a text needs quotes");
    }
    format!("a text needs quotes, as in \"{words}\"")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::Source;
    use crate::config::campaign::Campaign;
    use crate::config::document::Document;

    #[test]
    fn missing_quotes_and_commas_are_told() {
        for (text, place, said) in [
            (
                "value = 2^r",
                "2^r",
                "a text needs quotes, as in `value = \"2^r\"`",
            ),
            (
                "a = 1\nvalue = sum(cells, r) # all\n",
                "sum(cells, r)",
                "a text needs quotes, as in `value = \"sum(cells, r)\"`",
            ),
            (
                "value = r",
                "r",
                "a text needs quotes, as in `value = \"r\"`",
            ),
            (
                "value = \"2^r\na = 1",
                "",
                "as in \"2^r\": the last one is missing",
            ),
            (
                "value = 2^r\"\na = 1",
                "",
                "as in \"2^r\": the first one is missing",
            ),
            (
                "m = [[a1, \"b\"]]",
                "a1",
                "a text needs quotes, as in \"a1\"",
            ),
            ("m = [[\"a\", b\"]]", "", "the first one is missing"),
            ("m = [[1, 2 3]]", "2 3", "a comma is missing in `2 3`"),
            (
                "m = [[\"b0\", \"b1, \"b2\"]]",
                "",
                "missing comma between array elements (or a quote or a `]` is missing before it)",
            ),
            (
                "a = true b = 3",
                "",
                "unexpected key or value, expected newline",
            ),
            (
                "a = 1 2",
                "1 2",
                "a comma is missing in `1 2`; a text needs quotes",
            ),
        ] {
            let source = Source::new("x", text);
            let Err(error) = Document::parse(&source) else {
                panic!("it can be parsed: {text}");
            };
            let message = error.to_string();
            assert!(message.contains(said), "{text}: {message}");
            let crate::config::ConfigError::Mistake { span, .. } = error else {
                panic!("{message}");
            };
            let found = &text[span.offset()..span.offset() + span.len()];
            assert_eq!(found, place, "{text}");
        }
        let campaign = Campaign::resolve(&Source::new("x", "name = x"), Path::new(""));
        assert!(campaign.is_err_and(|error| error.to_string().contains("`name = \"x\"`")));
    }
}
