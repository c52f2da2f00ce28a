//! Malicious tables for tests: page headers and footer state any numbers, and everything else is consistent.

/// A varint and its path: field numbers and list indices.
struct Varint {
    path: Vec<usize>,
    start: usize,
    end: usize,
    value: i64,
}

/// Parses one struct of the compact protocol of Thrift, which describes itself. Returns its numbers and its end.
fn numbers(bytes: &[u8], start: usize) -> (Vec<Varint>, usize) {
    let mut walker = Walker {
        bytes,
        at: start,
        path: Vec::new(),
        found: Vec::new(),
    };
    walker.value(12);
    (walker.found, walker.at)
}

struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
    path: Vec<usize>,
    found: Vec<Varint>,
}

impl Walker<'_> {
    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    fn unsigned(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return number;
            }
            shift += 7;
        }
    }

    fn value(&mut self, kind: u8) {
        match kind {
            1 | 2 => {}
            3 => self.at += 1,
            4..=6 => {
                let start = self.at;
                let number = self.unsigned();
                self.found.push(Varint {
                    path: self.path.clone(),
                    start,
                    end: self.at,
                    value: (number >> 1) as i64 ^ -((number & 1) as i64),
                });
            }
            8 => {
                let length = self.unsigned();
                self.at += length as usize;
            }
            9 => {
                let header = self.byte();
                let count = match header >> 4 {
                    15 => self.unsigned() as usize,
                    count => count.into(),
                };
                for place in 0..count {
                    self.inside(place, header & 15);
                }
            }
            12 => {
                let mut field = 0;
                loop {
                    let header = self.byte();
                    if header == 0 {
                        break;
                    }
                    field += usize::from(header >> 4);
                    self.inside(field, header & 15);
                }
            }
            other => panic!("no table of this program has the type {other}"),
        }
    }

    fn inside(&mut self, step: usize, kind: u8) {
        self.path.push(step);
        self.value(kind);
        self.path.pop();
    }
}

fn varint(value: i64) -> Vec<u8> {
    let mut left = ((value << 1) ^ (value >> 63)) as u64;
    let mut bytes = Vec::new();
    while left >= 0x80 {
        bytes.push(left as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
    bytes
}

/// The position of a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::run::tables) enum Place {
    /// In the header of a page; pages are counted over the whole file.
    Page(usize, Vec<usize>),
    Footer(Vec<usize>),
}

impl Place {
    /// The same field of all pages, or of all columns and groups.
    pub(in crate::run::tables) fn field(&self) -> Vec<usize> {
        match self {
            Place::Page(_, path) => path.clone(),
            Place::Footer(path) => {
                let is_list = path.len() > 1 && [2, 4].contains(&path[0]);
                let steps = path.iter().enumerate();
                let kept = steps.filter(|(at, _)| !is_list || ![1, 3].contains(at));
                // The leading 0 keeps these paths apart from those of pages.
                std::iter::once(0)
                    .chain(kept.map(|(_, step)| *step))
                    .collect()
            }
        }
    }
}

/// Writes numbers again, each as returned by `edit`.
fn rewritten(
    bytes: &[u8],
    start: usize,
    (found, end): (&[Varint], usize),
    mut edit: impl FnMut(&Varint) -> i64,
) -> Vec<u8> {
    let (mut written, mut at) = (Vec::new(), start);
    for number in found {
        written.extend(&bytes[at..number.start]);
        written.extend(varint(edit(number)));
        at = number.end;
    }
    written.extend(&bytes[at..end]);
    written
}

/// Length of the path of a field of a column chunk, without the number of the field.
const CHUNK: usize = 5;
const SIZE: usize = 7;
const DATA: usize = 9;
const DICTIONARY: usize = 11;

/// The table with other numbers. Sizes and places of what is written in another length are those of the new file, if
/// `edit` returns them.
pub(in crate::run::tables) fn forged(
    bytes: &[u8],
    mut edit: impl FnMut(&Place, i64) -> i64,
) -> Vec<u8> {
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap());
    let footer = end - length as usize;
    let (found, footer_end) = numbers(bytes, footer);
    let of_chunks = |field: usize| {
        let is_one = move |number: &&Varint| {
            let path = &number.path;
            path.len() == CHUNK + 1 && (path[0], path[4], path[CHUNK]) == (4, 3, field)
        };
        found.iter().filter(is_one)
    };
    let start_of = |path: &[usize]| {
        let of_chunk = |field| {
            let mut numbers = of_chunks(field);
            numbers.find(|number| number.path[..CHUNK] == path[..CHUNK])
        };
        let start = of_chunk(DICTIONARY).or(of_chunk(DATA)).unwrap();
        start.value as usize
    };
    let range = |size: &Varint| {
        let start = start_of(&size.path);
        [start, start + size.value as usize]
    };
    let mut ranges: Vec<[usize; 2]> = of_chunks(SIZE).map(range).collect();
    ranges.sort_unstable();
    let (mut written, mut at, mut page) = (Vec::new(), 0, 0);
    let mut moved = std::collections::BTreeMap::new();
    for [start, chunk_end] in ranges {
        // Bytes between the pages are not read by a reader.
        written.extend(&bytes[at..start]);
        moved.insert(start, written.len());
        at = start;
        while at < chunk_end {
            let (header, header_end) = numbers(bytes, at);
            let content = header.iter().find(|number| number.path == [3]).unwrap();
            let next = header_end + content.value as usize;
            moved.insert(at, written.len());
            written.extend(rewritten(bytes, at, (&header, header_end), |number| {
                edit(&Place::Page(page, number.path.clone()), number.value)
            }));
            written.extend(&bytes[header_end..next]);
            (at, page) = (next, page + 1);
        }
        moved.insert(chunk_end, written.len());
    }
    written.extend(&bytes[at..footer]);
    let new_footer = rewritten(bytes, footer, (&found, footer_end), |number| {
        let path = &number.path;
        let is_of_chunk = path.len() == CHUNK + 1 && (path[0], path[4]) == (4, 3);
        let value = match path.last() {
            Some(&(DATA | DICTIONARY)) if is_of_chunk => moved[&(number.value as usize)] as i64,
            Some(&SIZE) if is_of_chunk => {
                let start = start_of(path);
                (moved[&(start + number.value as usize)] - moved[&start]) as i64
            }
            _ => number.value,
        };
        edit(&Place::Footer(path.clone()), value)
    });
    let length = new_footer.len() as u32;
    written.extend(new_footer);
    written.extend(length.to_le_bytes());
    written.extend(b"PAR1");
    written
}
