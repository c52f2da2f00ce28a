//! Lines of stdin. A line of any length needs little memory.

use std::io::{BufRead, Error, Read, Result};

/// Largest number of bytes of a line. Positions and moves are shorter.
const LONGEST: u64 = 64 << 10;

/// Largest number of skipped bytes of a longer line. With more, the input is not accepted as lines of text.
const MOST_SKIPPED: u64 = 1 << 30;

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InputLine {
    /// Its text without trailing white space.
    Text(String),
    /// It has too many bytes. [`skip_rest`] reads the rest.
    TooLong,
}

impl InputLine {
    /// The end of the message about a line that is too long.
    pub(super) fn too_long() -> String {
        format!("is longer than {LONGEST} bytes")
    }
}

/// The next line; `None` at the end of the input.
pub(super) fn next_line(input: &mut impl BufRead) -> Result<Option<InputLine>> {
    let mut line = Vec::new();
    input.take(LONGEST + 1).read_until(b'\n', &mut line)?;
    Ok(match line.len() as u64 {
        0 => None,
        length if length > LONGEST && line.last() != Some(&b'\n') => Some(InputLine::TooLong),
        _ => {
            let text = String::from_utf8_lossy(&line);
            Some(InputLine::Text(text.trim_end().to_owned()))
        }
    })
}

/// Reads the rest of a line that is too long.
pub(super) fn skip_rest(input: &mut impl BufRead) -> Result<()> {
    let mut skipped = 0;
    while skipped < MOST_SKIPPED {
        let ready = input.fill_buf()?;
        let end = ready.iter().position(|&byte| byte == b'\n');
        let (read, is_end) = match end {
            Some(end) => (end + 1, true),
            None => (ready.len(), ready.is_empty()),
        };
        input.consume(read);
        if is_end {
            return Ok(());
        }
        skipped += read as u64;
    }
    Err(Error::other(format!(
        "a line of more than {MOST_SKIPPED} bytes"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let long = "x".repeat(300_000);
        let fits = "y".repeat(LONGEST as usize);
        let text = format!("a\r\n\n{long}\n{fits}\n{long}");
        let mut input = text.as_bytes();
        let text = |text: &str| Some(InputLine::Text(text.to_owned()));
        for wanted in [
            text("a"),
            text(""),
            Some(InputLine::TooLong),
            text(&fits),
            Some(InputLine::TooLong),
            None,
        ] {
            let line = next_line(&mut input).unwrap();
            if line == Some(InputLine::TooLong) {
                skip_rest(&mut input).unwrap();
            }
            assert_eq!(line, wanted);
        }
    }

    #[test]
    fn an_endless_line_ends_the_input() {
        let mut input = std::io::BufReader::new(std::io::repeat(0));
        assert_eq!(next_line(&mut input).unwrap(), Some(InputLine::TooLong));
        assert!(skip_rest(&mut input).is_err());
    }
}
