//! Sanitizes text of users: replaces characters that control a terminal or reorder the surrounding text. This module
//! must not know where the text is shown.

/// The text with a replacement for each control character except line breaks and tabs, and for each character that
/// changes the direction of text. A replacement has the same number of bytes, so offsets in the text stay the same.
pub fn visible(text: &str) -> String {
    text.chars().map(replaced).collect()
}

/// Whether a text needs no replacement.
pub fn is_visible(text: &str) -> bool {
    text.chars().all(|c| replaced(c) == c)
}

/// Whether a text needs no replacement and has one line, as names must.
pub fn is_line(text: &str) -> bool {
    is_visible(text) && !text.contains(['\n', '\t'])
}

fn replaced(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\u{1f}' | '\u{7f}' => '?',
        '\u{80}'..='\u{9f}' | '\u{61c}' => '¿',
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_replaced_by_as_many_bytes() {
        let text = "a\u{1b}[31m\r\u{7f}\u{9b}\u{61c}\u{202e}\u{2066}b\n\tä🂡";
        let shown = visible(text);
        assert_eq!(shown, "a?[31m??¿¿\u{fffd}\u{fffd}b\n\tä🂡");
        assert!(is_visible(&shown) && !is_visible(text));
        assert!(is_line("a b") && !is_line("a\nb") && !is_line("a\u{202e}b"));
        let places = |text: &str| text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(places(&shown), places(text));
    }
}
