//! Text of users as it can be shown: what would control a terminal, or reorder the text around it, is
//! replaced. This module must not know where the text is shown.

/// The text with a replacement for each control character but line breaks and tabs, and for each character
/// that changes the direction of text. A replacement has as many bytes as what it replaces, so places in the
/// text stay the same.
pub fn visible(text: &str) -> String {
    text.chars().map(replaced).collect()
}

/// Whether a text is shown as it is.
pub fn is_visible(text: &str) -> bool {
    text.chars().all(|c| replaced(c) == c)
}

/// Whether a text is shown as it is, on one line: for names.
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
