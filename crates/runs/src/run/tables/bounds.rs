//! Checks the sizes in a Parquet file before it is decoded. A reader allocates memory by the sizes that a file states,
//! and a single forged one could end the process. Footer and page headers must have exactly the form that this program
//! writes, so that the reader reads the same values as this check. The contents of the pages are not checked. This
//! module must not use polars.
//!
//! Footer and page headers are structs in the compact protocol of Thrift:
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>. Their fields are declared in
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>.

/// Bytes of memory that every table may take.
const FREE: u64 = 1 << 28;

/// Additional bytes of memory that a table may take for each byte of its file. A row takes about 180 bytes.
const PER_BYTE: u64 = 128;

/// Largest number of bytes of a value, without its text.
const PER_VALUE: u64 = 16;

/// Largest size of a footer. A column chunk takes about 150 bytes.
const FOOTER: usize = 1 << 22;

const MAGIC: &[u8] = b"PAR1";

/// A type of data in the compact protocol.
enum ThriftForm {
    Flag,
    I8,
    I16,
    I32,
    I64,
    Bytes,
    List(&'static ThriftForm),
    /// Known fields by number. An unknown field is an error.
    Struct(&'static [(i64, ThriftForm)]),
}

use ThriftForm::{Bytes, Flag, I8, I16, I32, I64, List, Struct};

const STATISTICS: ThriftForm = Struct(&[
    (1, Bytes),
    (2, Bytes),
    (3, I64),
    (4, I64),
    (5, Bytes),
    (6, Bytes),
    (7, Flag),
    (8, Flag),
]);

const SCHEMA_ELEMENT: ThriftForm = Struct(&[
    (element::TYPE, I32),
    (element::REPETITION, I32),
    (4, Bytes),
    (element::CHILDREN, I32),
    (6, I32),
    // The logical type: a text, or an integer with its number of bits and its sign.
    (
        10,
        Struct(&[(1, Struct(&[])), (10, Struct(&[(1, I8), (2, Flag)]))]),
    ),
]);

mod element {
    pub(super) const TYPE: i64 = 1;
    pub(super) const REPETITION: i64 = 3;
    pub(super) const CHILDREN: i64 = 5;
}

const CHUNK: ThriftForm = Struct(&[
    (2, I64),
    (
        chunk::METADATA,
        Struct(&[
            (1, I32),
            (2, List(&I32)),
            (3, List(&Bytes)),
            (chunk::CODEC, I32),
            (chunk::VALUES, I64),
            (6, I64),
            (chunk::SIZE, I64),
            (chunk::DATA, I64),
            (chunk::DICTIONARY, I64),
            (12, STATISTICS),
            (13, List(&Struct(&[(1, I32), (2, I32), (3, I32)]))),
        ]),
    ),
    (4, I64),
    (5, I32),
    (6, I64),
    (7, I32),
]);

mod chunk {
    pub(super) const METADATA: i64 = 3;
    pub(super) const CODEC: i64 = 4;
    pub(super) const VALUES: i64 = 5;
    pub(super) const SIZE: i64 = 7;
    pub(super) const DATA: i64 = 9;
    pub(super) const DICTIONARY: i64 = 11;
}

const FILE: ThriftForm = Struct(&[
    (1, I32),
    (file::SCHEMA, List(&SCHEMA_ELEMENT)),
    (file::ROWS, I64),
    (
        file::GROUPS,
        List(&Struct(&[
            (group::CHUNKS, List(&CHUNK)),
            (2, I64),
            (group::ROWS, I64),
            (5, I64),
            (6, I64),
            (7, I16),
        ])),
    ),
    (5, List(&Struct(&[(1, Bytes), (2, Bytes)]))),
    (6, Bytes),
    (7, List(&Struct(&[(1, Struct(&[]))]))),
]);

mod file {
    pub(super) const SCHEMA: i64 = 2;
    pub(super) const ROWS: i64 = 3;
    pub(super) const GROUPS: i64 = 4;
}

mod group {
    pub(super) const CHUNKS: i64 = 1;
    pub(super) const ROWS: i64 = 3;
}

const PAGE: ThriftForm = Struct(&[
    (page::TYPE, I32),
    (page::UNCOMPRESSED, I32),
    (page::COMPRESSED, I32),
    (
        page::DATA,
        Struct(&[
            (page::VALUES, I32),
            (page::ENCODING, I32),
            (3, I32),
            (4, I32),
            (5, STATISTICS),
        ]),
    ),
    (
        page::DICTIONARY,
        Struct(&[(page::VALUES, I32), (page::ENCODING, I32), (3, Flag)]),
    ),
]);

mod page {
    pub(super) const TYPE: i64 = 1;
    pub(super) const UNCOMPRESSED: i64 = 2;
    pub(super) const COMPRESSED: i64 = 3;
    pub(super) const DATA: i64 = 5;
    pub(super) const DICTIONARY: i64 = 7;
    pub(super) const VALUES: i64 = 1;
    pub(super) const ENCODING: i64 = 2;
}

/// Parsed data. Flags and bytes are skipped.
#[derive(Debug)]
enum ThriftData {
    Other,
    Number(i64),
    List(Vec<ThriftData>),
    Struct(Vec<(i64, ThriftData)>),
}

impl ThriftData {
    fn field(&self, number: i64) -> Option<&ThriftData> {
        let ThriftData::Struct(fields) = self else {
            return None;
        };
        let found = fields.iter().find(|(one, _)| *one == number);
        found.map(|(_, data)| data)
    }

    fn number(&self, field: i64) -> Option<i64> {
        match self.field(field)? {
            ThriftData::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A number that is not negative.
    fn size(&self, field: i64) -> Option<u64> {
        self.number(field)?.try_into().ok()
    }

    fn list(&self, field: i64) -> Option<&[ThriftData]> {
        match self.field(field)? {
            ThriftData::List(list) => Some(list),
            _ => None,
        }
    }
}

/// Parses data at the start of a byte slice. `None` means that the bytes have another form.
struct ThriftReader<'a>(&'a [u8]);

impl ThriftReader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// An unsigned integer, with seven bits in each byte.
    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if (bits << shift) >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A signed integer in zigzag encoding: the lowest bit is the sign.
    fn signed(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Data of this form. `stated` is the type in its header.
    fn data(&mut self, form: &ThriftForm, stated: u8) -> Option<ThriftData> {
        let data = match (form, stated) {
            (Flag, 1 | 2) => ThriftData::Other,
            (I8, 3) => self.byte().map(|_| ThriftData::Other)?,
            (I16, 4) => ThriftData::Number(i16::try_from(self.signed()?).ok()?.into()),
            (I32, 5) => ThriftData::Number(i32::try_from(self.signed()?).ok()?.into()),
            (I64, 6) => ThriftData::Number(self.signed()?),
            (Bytes, 8) => {
                let length = usize::try_from(self.unsigned()?).ok()?;
                self.0 = self.0.get(length..)?;
                ThriftData::Other
            }
            (List(form), 9) => {
                let header = self.byte()?;
                let count = match header >> 4 {
                    15 => self.unsigned()?,
                    count => count.into(),
                };
                // Every element takes at least a byte, so a larger count is wrong.
                let count = usize::try_from(count).ok()?;
                if count > self.0.len() {
                    return None;
                }
                let elements = (0..count).map(|_| self.data(form, header & 15));
                ThriftData::List(elements.collect::<Option<_>>()?)
            }
            (Struct(fields), 12) => self.fields(fields)?,
            _ => return None,
        };
        Some(data)
    }

    /// The fields of a struct, in ascending order of their numbers.
    fn fields(&mut self, forms: &[(i64, ThriftForm)]) -> Option<ThriftData> {
        let mut fields = Vec::new();
        let mut number = 0;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Some(ThriftData::Struct(fields));
            }
            // A step of 0 would be a second encoding of the field number.
            let step = i64::from(header >> 4);
            number += step;
            let known = forms.iter().find(|(one, _)| *one == number && step > 0);
            let (_, form) = known?;
            fields.push((number, self.data(form, header & 15)?));
        }
    }
}

/// Checks footer and page headers of a file: their sizes must be consistent, and the memory that they require must be
/// in proportion to the size of the file.
///
/// # Errors
/// What is wrong.
pub(super) fn check(bytes: &[u8]) -> Result<(), &'static str> {
    let file = footer(bytes).ok_or("the file is damaged or not a table of this program")?;
    flat(&file).ok_or("the file has columns of another form than those of this program")?;
    let mut memory = MemoryBudget {
        left: FREE + PER_BYTE * bytes.len() as u64,
    };
    let groups = file.list(file::GROUPS).unwrap_or_default();
    let mut rows = 0;
    for group in groups {
        let of_group = group.size(group::ROWS).ok_or(SIZES)?;
        rows = of_group.checked_add(rows).ok_or(SIZES)?;
        for chunk in group.list(group::CHUNKS).ok_or(SIZES)? {
            memory.chunk(bytes, chunk, of_group)?;
        }
    }
    (file.size(file::ROWS) == Some(rows))
        .then_some(())
        .ok_or(SIZES)
}

const SIZES: &str = "the file is damaged: the sizes that it states do not fit together";

/// The parsed footer. Its length is stored before the magic bytes at the end.
fn footer(bytes: &[u8]) -> Option<ThriftData> {
    let bytes = bytes.strip_prefix(MAGIC)?.strip_suffix(MAGIC)?;
    let (bytes, length) = bytes.split_last_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    let start = bytes.len().checked_sub(length)?;
    let mut reader = ThriftReader(&bytes[start..]);
    let file = reader.data(&FILE, 12)?;
    (length <= FOOTER && reader.0.is_empty()).then_some(file)
}

/// Checks that the schema is a flat list of columns of booleans, numbers and texts.
fn flat(file: &ThriftData) -> Option<()> {
    const TYPES: [i64; 5] = [0, 1, 2, 5, 6];
    const REPEATED: i64 = 2;
    let (root, columns) = file.list(file::SCHEMA)?.split_first()?;
    let is_flat = |column: &ThriftData| {
        let kind = column.number(element::TYPE);
        kind.is_some_and(|kind| TYPES.contains(&kind))
            && column.number(element::CHILDREN).is_none()
            && column.number(element::REPETITION) != Some(REPEATED)
    };
    let is_root = root.size(element::CHILDREN) == Some(columns.len() as u64);
    (is_root && columns.iter().all(is_flat)).then_some(())
}

/// The memory that a table may still take.
struct MemoryBudget {
    left: u64,
}

impl MemoryBudget {
    fn take(&mut self, bytes: u64) -> Result<(), &'static str> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or("the table would take more memory than its size allows")?;
        Ok(())
    }

    /// Checks the pages of a column in a group of this number of rows.
    fn chunk(&mut self, bytes: &[u8], chunk: &ThriftData, rows: u64) -> Result<(), &'static str> {
        /// No compression, or zstd.
        const CODECS: [i64; 2] = [0, 6];
        let metadata = chunk.field(chunk::METADATA).ok_or(SIZES)?;
        let codec = metadata.number(chunk::CODEC);
        if !codec.is_some_and(|codec| CODECS.contains(&codec)) {
            return Err("the file is compressed in another way than those of this program");
        }
        let dictionary = metadata.size(chunk::DICTIONARY);
        let start = dictionary.or(metadata.size(chunk::DATA)).ok_or(SIZES)?;
        let end = metadata
            .size(chunk::SIZE)
            .and_then(|size| size.checked_add(start));
        let pages = bytes.get(start as usize..end.ok_or(SIZES)? as usize);
        let mut pages = ThriftReader(pages.ok_or(SIZES)?);
        let mut left = rows;
        while !pages.0.is_empty() {
            let header = pages.data(&PAGE, 12).ok_or(SIZES)?;
            let values = self.page(&header).ok_or(SIZES)??;
            left = left.checked_sub(values).ok_or(SIZES)?;
            let size = header.size(page::COMPRESSED).ok_or(SIZES)?;
            pages.0 = pages.0.get(size as usize..).ok_or(SIZES)?;
        }
        let is_complete = left == 0 && metadata.size(chunk::VALUES) == Some(rows);
        is_complete.then_some(()).ok_or(SIZES)
    }

    /// The number of rows of a page, 0 for a dictionary.
    fn page(&mut self, header: &ThriftData) -> Option<Result<u64, &'static str>> {
        /// Plain, dictionary (two names), and run-length.
        const ENCODINGS: [i64; 4] = [0, 2, 8, 3];
        let size = header.size(page::UNCOMPRESSED)?;
        let (of_type, is_data) = match header.number(page::TYPE)? {
            0 => (header.field(page::DATA)?, true),
            2 => (header.field(page::DICTIONARY)?, false),
            _ => return None,
        };
        let values = of_type.size(page::VALUES)?;
        // A value of a dictionary takes at least one bit.
        let is_possible = is_data || values <= 8 * size;
        if !is_possible || !ENCODINGS.contains(&of_type.number(page::ENCODING)?) {
            return None;
        }
        let taken = self.take(size + PER_VALUE * values);
        Some(taken.map(|()| if is_data { values } else { 0 }))
    }
}
