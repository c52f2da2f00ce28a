//! Chained lines of JSON. Each line is an object whose last key, `check`, is a hash of the line and of the check of the
//! line before. So a changed, missing or moved line is detected, unless it is the last one. The number of lines and the
//! last check (see [`Head`]) detect that, too.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Number of hexadecimal digits of a check.
const DIGITS: usize = 16;
const KEY: &str = ",\"check\":\"";
const END: &str = "\"}";

/// The end of chained lines: their number and the last check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Number of lines.
    pub lines: u64,
    /// The check of the last line; empty if there is none.
    pub check: String,
}

impl Head {
    /// The next line, without line feed, for an object with at least one key.
    ///
    /// # Panics
    /// If `object` is not such a JSON object.
    pub fn seal(&mut self, object: &str) -> String {
        let open = object.strip_suffix('}').filter(|open| open.len() > 1);
        let open = open.expect("a log consists of objects that are not empty");
        self.advance(object);
        format!("{open}{KEY}{}{END}", self.check)
    }

    /// The object of the next line.
    ///
    /// # Errors
    /// The reason if the line does not continue the chain.
    pub fn open(&mut self, line: &str) -> Result<String, String> {
        let number = self.lines + 1;
        let wrong = || format!("line {number} is damaged, or a line before it is missing");
        let parts = line.strip_suffix(END).and_then(|line| {
            let (line, check) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
            Some((line.strip_suffix(KEY)?, check))
        });
        let (open, check) = parts.ok_or_else(wrong)?;
        let object = format!("{open}}}");
        self.advance(&object);
        if self.check == check {
            Ok(object)
        } else {
            Err(wrong())
        }
    }

    fn advance(&mut self, object: &str) {
        let hash = Sha256::new().chain_update(&self.check).chain_update(object);
        self.check = check(&hash.finalize());
        self.lines += 1;
    }
}

/// The check of a single text.
pub fn check_of(text: &str) -> String {
    check(&Sha256::digest(text))
}

fn check(hash: &[u8]) -> String {
    let mut digits = super::hexadecimal(hash);
    digits.truncate(DIGITS);
    digits
}

/// The whole lines of a log. A killed process can leave the beginning of another line.
pub fn finished(contents: &[u8]) -> &[u8] {
    let end = contents.iter().rposition(|&byte| byte == b'\n');
    &contents[..end.map_or(0, |end| end + 1)]
}

/// The finished lines without line feeds. An empty line counts as a line, although no log has one.
pub fn lines(contents: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = finished(contents).split_inclusive(|&byte| byte == b'\n');
    lines.map(|line| &line[..line.len() - 1])
}

/// The objects of the finished lines, each with the head after it.
///
/// # Errors
/// The reason if a line is damaged.
pub fn objects(contents: &[u8]) -> Result<Vec<(String, Head)>, String> {
    let mut head = Head::default();
    let mut objects = Vec::new();
    for line in lines(contents) {
        let line = std::str::from_utf8(line);
        let line = line.map_err(|_| format!("line {} is no text", head.lines + 1))?;
        let object = head.open(line)?;
        objects.push((object, head.clone()));
    }
    Ok(objects)
}

/// The records of the finished lines.
///
/// # Errors
/// The reason if a line is damaged or is not such a record.
pub fn records<T: DeserializeOwned>(contents: &[u8]) -> Result<Vec<T>, String> {
    let objects = objects(contents)?.into_iter();
    let record = |(object, head): (String, Head)| {
        serde_json::from_str(&object).map_err(|error| format!("line {}: {error}", head.lines))
    };
    objects.map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_but_a_missing_end_is_noticed() {
        let mut head = Head::default();
        let objects: Vec<String> = (0..4).map(|n| format!("{{\"n\":{n}}}")).collect();
        let lines: Vec<String> = objects.iter().map(|one| head.seal(one) + "\n").collect();
        let text = lines.concat();
        let read = |contents: &[u8]| super::objects(contents);
        let found = read(text.as_bytes()).unwrap();
        assert_eq!(found.last().unwrap().1, head);
        assert!(found.iter().map(|(object, _)| object).eq(&objects));

        for at in 0..text.len() {
            let mut damaged = text.clone().into_bytes();
            damaged[at] ^= 1 << (at % 8);
            // If the line feed of the last line is damaged, the line is an unfinished one.
            let is_cut = damaged.last() != Some(&b'\n');
            let found = read(&damaged);
            assert!(
                found.is_err() || is_cut && found.unwrap().len() == 3,
                "{at}"
            );
        }
        for lines in [[0, 2, 3], [1, 2, 3], [0, 2, 1]] {
            let lines = lines.map(|line| lines_of(&text)[line]).concat();
            assert!(read(lines.as_bytes()).is_err());
        }
        let shorter = read(lines_of(&text)[..3].concat().as_bytes()).unwrap();
        assert_eq!(shorter.last().unwrap().1.lines, 3);
    }

    fn lines_of(text: &str) -> Vec<&str> {
        text.split_inclusive('\n').collect()
    }
}
