//! Text of users in Markdown.

use crate::visible::visible;

/// A text without meaning in Markdown.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '<' => escaped += "&lt;",
            '&' => escaped += "&amp;",
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A text between two backticks.
pub(super) fn in_code(text: &str) -> String {
    visible(text).replace('`', "'")
}

/// A text that may use Markdown, but no HTML and no images.
pub(super) fn without_html(text: &str) -> String {
    visible(text).replace('<', "&lt;").replace("![", "!\\[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_write_stays_text() {
        assert_eq!(escaped("a|b <b> \u{1b}_"), "a\\|b &lt;b> ?\\_");
        assert_eq!(
            without_html("see `x` <script> ![i](u)"),
            "see `x` &lt;script> !\\[i](u)"
        );
    }
}
