//! Tables as parquet files, through the reader and writer of polars.
//!
//! Files are compressed with zstd, unless their first block has few rows. They contain no time, no path and no null
//! value. Reading and writing run on the calling thread, outside the thread pool of polars, so equal tables are
//! byte-identical for any number of threads. A file may come from an untrusted source, so its structure is checked
//! before polars decodes it (see [`bounds`]). This module must not know what the columns mean.

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Once, PoisonError};

use polars::prelude::{
    BatchedWriter, Column as Series, DataFrame, KeyValueMetadata, ParallelStrategy,
    ParquetCompression, ParquetReader, ParquetWriter, PolarsError, PolarsResult, SerReader,
    polars_bail,
};
use serde_json::json;

use super::{TableInfo, bounds};
use crate::run::atomic::AtomicFile;
use crate::run::{RunFile, StoreError};
use tiletune_tuning::results::{Column, RowSource, ValueType, Values};

/// Up to this number of rows nothing is compressed. It would save no bytes, and a zstd reader sets up 100 kB for each
/// column, which takes most of the time of reading a table of one row.
const FEW: usize = 16;

/// Rows of a table.
#[derive(Debug)]
pub struct TableBlock {
    table: &'static TableInfo,
    pub(super) columns: Vec<Column>,
}

impl TableBlock {
    pub(super) fn new(table: &'static TableInfo, columns: Vec<Column>) -> Self {
        TableBlock { table, columns }
    }

    fn frame(&self) -> PolarsResult<DataFrame> {
        let columns = self.columns.iter().map(|column| {
            let name = column.name.as_str().into();
            match &column.values {
                Values::U32(values) => Series::new(name, values),
                Values::U64(values) => Series::new(name, values),
                Values::F64(values) => Series::new(name, values),
                Values::Boolean(values) => Series::new(name, values),
                Values::Text(values) => {
                    let texts: Vec<&str> = values.iter().map(|text| &**text).collect();
                    Series::new(name, texts)
                }
            }
        });
        DataFrame::new_infer_height(columns.collect())
    }

    /// The metadata in the footer: the description of the table under the key `table`, and that of each column under
    /// `column.<name>` as JSON.
    fn metadata(&self) -> Vec<(String, String)> {
        let TableInfo { place, about, .. } = self.table;
        let table = ("table".to_owned(), format!("{place}: {about}"));
        let columns = self.columns.iter().map(|column| {
            let (meaning, unit) = (column.info.meaning(), column.info.unit);
            let about = match unit {
                "" => json!({ "meaning": meaning }),
                unit => json!({ "meaning": meaning, "unit": unit }),
            };
            (format!("column.{}", column.name), about.to_string())
        });
        std::iter::once(table).chain(columns).collect()
    }
}

/// Writes a table in blocks; each block is a row group. The file gets its name only when it is finished.
pub(super) struct TableWriter<'a> {
    file: AtomicFile<'a>,
    path: &'a RunFile,
    /// The table so far. It is compressed, and small compared with the records in memory.
    contents: Buffer,
    writer: Option<BatchedWriter<Buffer>>,
}

impl<'a> TableWriter<'a> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(super) fn create(path: &'a RunFile) -> Result<Self, StoreError> {
        Ok(TableWriter {
            file: AtomicFile::create(path)?,
            path,
            contents: Buffer::default(),
            writer: None,
        })
    }

    /// Adds rows. The first block determines the columns and the description of the table.
    ///
    /// # Errors
    /// If two columns have the same name.
    pub(super) fn write(&mut self, block: &TableBlock) -> Result<(), StoreError> {
        let failed = |error| StoreError::damaged(self.path, error);
        let frame = block.frame().map_err(failed)?;
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                // The calling thread compresses the columns.
                let writer = ParquetWriter::new(self.contents.clone()).set_parallel(false);
                let writer = match frame.height() {
                    0..=FEW => writer.with_compression(ParquetCompression::Uncompressed),
                    _ => writer,
                };
                let metadata = KeyValueMetadata::from_static(block.metadata());
                let writer = writer.with_key_value_metadata(Some(metadata));
                none.insert(writer.batched(frame.schema()).map_err(failed)?)
            }
        };
        writer.write_batch(&frame).map_err(failed)
    }

    /// Completes the table.
    ///
    /// # Errors
    /// If the disk is full or fails, or no block was written.
    pub(super) fn finish(mut self) -> Result<(), StoreError> {
        let failed = |reason| StoreError::damaged(self.path, reason);
        let writer = self.writer.as_ref();
        let writer = writer.ok_or_else(|| failed("no rows to write".to_owned()))?;
        writer.finish().map_err(|error| failed(error.to_string()))?;
        let contents = self.contents.take();
        self.file.write(&contents)?;
        self.path.finish(self.file, &contents)
    }
}

/// The in-memory target of the polars writer. So a disk error is an IO error, not a Parquet error.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut contents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        contents.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes a table as one file.
///
/// # Errors
/// If two columns have the same name, or the disk is full or fails.
pub fn write(path: &RunFile, table: &TableBlock) -> Result<(), StoreError> {
    let mut writer = TableWriter::create(path)?;
    writer.write(table)?;
    writer.finish()
}

/// Reads a table as a data frame of polars.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub fn frame(path: &RunFile) -> Result<DataFrame, StoreError> {
    Ok(StoredTable::read(path)?.frame)
}

/// A table read from a file, or some columns of it.
pub(super) struct StoredTable<'a> {
    pub(super) path: &'a RunFile,
    frame: DataFrame,
}

impl<'a> StoredTable<'a> {
    pub(super) fn read(path: &'a RunFile) -> Result<Self, StoreError> {
        StoredTable::of(path, path.read()?, None)
    }

    /// The table of a file that has these contents.
    pub(super) fn of(
        path: &'a RunFile,
        contents: Vec<u8>,
        columns: Option<&[&str]>,
    ) -> Result<Self, StoreError> {
        bounds::check(&contents).map_err(|reason| StoreError::damaged(path, reason))?;
        let frame = without_panic(|| decode(contents, columns));
        let frame = frame.map_err(|error| StoreError::damaged(path, error))?;
        Ok(StoredTable { path, frame })
    }

    /// The names of the columns of this type.
    pub(super) fn names_of(&self, kind: ValueType) -> impl Iterator<Item = &str> {
        let columns = self.frame.columns().iter().map(|column| column.name());
        let names = columns.map(|name| name.as_str());
        names.filter(move |name| self.values(name, kind).is_ok())
    }

    /// Checks that the table has exactly these columns and values, which a run with the recorded games writes.
    pub(super) fn expect(&self, columns: &[Column]) -> Result<(), StoreError> {
        let found = self.frame.columns();
        if found.len() != columns.len() {
            let (found, expected) = (found.len(), columns.len());
            let reason = format!("{found} columns, where this run writes {expected}");
            return Err(StoreError::damaged(self.path, reason));
        }
        for (found, expected) in found.iter().zip(columns) {
            let name = expected.name.as_str();
            let is_there = found.name().as_str() == name;
            if !is_there || self.values(name, expected.info.kind)? != expected.values {
                let reason = format!("the column `{name}` is not that of the games of this run");
                return Err(StoreError::damaged(self.path, reason));
            }
        }
        Ok(())
    }
}

impl RowSource for StoredTable<'_> {
    type Error = StoreError;

    fn height(&self) -> usize {
        self.frame.height()
    }

    fn has(&self, name: &str) -> bool {
        self.frame.column(name).is_ok()
    }

    fn values(&self, name: &str, kind: ValueType) -> Result<Values, StoreError> {
        let unexpected = |_| {
            let reason = format!("no column `{name}` of the expected type");
            StoreError::damaged(self.path, reason)
        };
        let column = self.frame.column(name).map_err(unexpected)?;
        let series = column.as_materialized_series();
        // `decode` has checked that there are no null values.
        let values = match kind {
            ValueType::U32 => series
                .u32()
                .map(|all| Values::U32(all.iter().flatten().collect())),
            ValueType::U64 => series
                .u64()
                .map(|all| Values::U64(all.iter().flatten().collect())),
            ValueType::F64 => series
                .f64()
                .map(|all| Values::F64(all.iter().flatten().collect())),
            ValueType::Boolean => series
                .bool()
                .map(|all| Values::Boolean(all.iter().flatten().collect())),
            ValueType::Text => series
                .str()
                .map(|all| Values::Text(shared(all.iter().flatten()))),
        };
        values.map_err(unexpected)
    }
}

/// Texts, with equal ones stored once. So a forged table with a long text in every row takes little memory.
fn shared<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Arc<str>> {
    let mut known: HashSet<Arc<str>> = HashSet::new();
    let share = |text: &str| {
        if let Some(known) = known.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        known.insert(Arc::clone(&text));
        text
    };
    texts.map(share).collect()
}

fn decode(bytes: Vec<u8>, columns: Option<&[&str]>) -> PolarsResult<DataFrame> {
    let columns = columns.map(|names| names.iter().map(|&name| name.to_owned()).collect());
    let mut reader = ParquetReader::new(Cursor::new(bytes));
    let rows = reader.num_rows()?;
    let table = reader
        .with_columns(columns)
        .read_parallel(ParallelStrategy::None)
        .finish()?;
    // The reader does not check the number of rows that the file states.
    for column in table.columns() {
        if [table.height(), column.len()] != [rows; 2] || column.null_count() > 0 {
            polars_bail!(ComputeError: "column `{}` lacks values", column.name());
        }
    }
    Ok(table)
}

/// Turns a panic of the reader into an error without a message on stderr. The reader may panic on a file
/// that another program has written or changed with a correct checksum. The panic hook that is installed
/// at the first call still reports all other panics.
fn without_panic<T>(read: impl FnOnce() -> PolarsResult<T>) -> PolarsResult<T> {
    thread_local! {
        static IS_READING: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_READING.get() {
                report(panic);
            }
        }));
    });
    IS_READING.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    IS_READING.set(false);
    result.unwrap_or_else(|_| Err(PolarsError::ComputeError(PANICKED.into())))
}

const PANICKED: &str = "the table is damaged";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::tests::forged::{Place, forged};
    use super::*;
    use tiletune_engine::random::{Stream, derive};
    use tiletune_tuning::results::Row;

    tiletune_tuning::row! {
        /// A row of a test.
        #[derive(Clone, Debug, PartialEq)]
        struct TestRow {
            /// A number.
            a: u32,
            /// A large number.
            b: u64,
            /// A share.
            c: f64,
            /// Yes or no.
            d: bool,
            /// A text.
            e: Arc<str>,
        }
    }

    const TABLE: TableInfo = TableInfo {
        place: "tables/test",
        runs: "none",
        about: "one row per test",
    };

    fn rows(from: u32) -> Vec<TestRow> {
        let row = |n: u32| TestRow {
            a: n,
            b: u64::MAX - u64::from(n),
            c: 1.0 / f64::from(n),
            d: n.is_multiple_of(3),
            e: format!("text {n}").into(),
        };
        (from..from + 1000).map(row).collect()
    }

    fn block(rows: &[TestRow]) -> TableBlock {
        TableBlock::new(&TABLE, TestRow::columns(rows, &[]))
    }

    fn written(folder: &Path, name: &str) -> RunFile {
        let path = RunFile::outside(folder.join(name));
        let mut writer = TableWriter::create(&path).unwrap();
        for from in [0, 1000] {
            writer.write(&block(&rows(from))).unwrap();
            assert!(!path.exists());
        }
        writer.finish().unwrap();
        path
    }

    fn read(path: &RunFile) -> Result<Vec<TestRow>, StoreError> {
        TestRow::read(&StoredTable::read(path)?, &[])
    }

    #[test]
    fn tables_come_back_to_the_bit_and_are_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "a.parquet");
        let expected = [rows(0), rows(1000)].concat();
        assert_eq!(read(&path).unwrap(), expected);
        let table = StoredTable::read(&path).unwrap();
        table.expect(&block(&expected).columns).unwrap();
        let mut other = expected;
        other[1999].c = other[1999].c.next_up();
        let error = table
            .expect(&block(&other).columns)
            .unwrap_err()
            .to_string();
        assert!(error.contains("the column `c`"), "{error}");
        let some = StoredTable::of(&path, path.read().unwrap(), Some(&["d", "b"])).unwrap();
        assert!(some.has("d") && some.has("b") && !some.has("a"));
        let again = written(folder.path(), "b.parquet");
        assert_eq!(
            std::fs::read(&*path).unwrap(),
            std::fs::read(&*again).unwrap()
        );
    }

    #[test]
    fn few_rows_are_not_compressed() {
        const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
        let folder = tempfile::tempdir().unwrap();
        let is_compressed = |count: usize| {
            let path = RunFile::outside(folder.path().join("a.parquet"));
            let rows = &rows(0)[..count];
            write(&path, &block(rows)).unwrap();
            assert_eq!(read(&path).unwrap(), rows);
            let bytes = std::fs::read(&*path).unwrap();
            bytes.windows(4).any(|part| part == MAGIC)
        };
        assert!(!is_compressed(0) && !is_compressed(1) && !is_compressed(FEW));
        assert!(is_compressed(1000));
    }

    /// Whether a table with these contents is read or refused. Neither may end the process or leave missing values.
    fn is_read(contents: Vec<u8>) -> bool {
        let part = RunFile::outside("a.parquet");
        let table = StoredTable::of(&part, contents, None);
        table.is_ok_and(|table| {
            let columns = table.frame.columns().iter();
            assert!(columns.clone().all(|one| one.null_count() == 0));
            let heights: HashSet<usize> = columns.map(|one| one.len()).collect();
            assert!(heights.len() == 1 && table.height() <= 3000);
            true
        })
    }

    /// A table without compression, whose pages can be read and changed; a compressed table; and a table of few rows.
    fn tables_to_forge(folder: &Path) -> [Vec<u8>; 3] {
        let of_blocks = |name: &str, blocks: &[&[TestRow]]| {
            let path = RunFile::outside(folder.join(name));
            let mut writer = TableWriter::create(&path).unwrap();
            for rows in blocks {
                writer.write(&block(rows)).unwrap();
            }
            writer.finish().unwrap();
            path.read().unwrap()
        };
        let (some, more) = (&rows(0)[..], &rows(1000)[..]);
        [
            of_blocks("plain.parquet", &[&some[..9], more]),
            of_blocks("packed.parquet", &[some, more]),
            of_blocks("few.parquet", &[&some[..5]]),
        ]
    }

    /// Numbers that a forger would write in the place of another one.
    fn worst(value: i64) -> impl Iterator<Item = i64> {
        let near = [-value, value + 1, 2 * value];
        let sizes = [0, 1, 1 << 20];
        let largest = [i32::MAX.into(), 1 << 61];
        near.into_iter().chain(sizes).chain(largest)
    }

    #[test]
    fn a_table_that_states_any_numbers_is_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut refused = 0;
        for bytes in tables_to_forge(folder.path()) {
            let mut places = std::collections::BTreeMap::new();
            let same = forged(&bytes, |place, value| {
                places.insert(place.clone(), value);
                value
            });
            assert!(same == bytes && is_read(same), "nothing was changed");
            let mut is_forged = |is_changed: &dyn Fn(&Place) -> bool, value: i64| {
                let forged = forged(
                    &bytes,
                    |place, old| if is_changed(place) { value } else { old },
                );
                refused += u32::from(!is_read(forged));
            };
            let mut fields = std::collections::BTreeMap::new();
            for (place, of_place) in &places {
                worst(*of_place).for_each(|value| is_forged(&|other| other == place, value));
                fields.insert(place.field(), *of_place);
            }
            // The same number everywhere.
            for (field, of_field) in &fields {
                worst(*of_field)
                    .for_each(|value| is_forged(&|other| other.field() == *field, value));
            }
            // All counts of values and rows together.
            let counts: HashSet<i64> = [5, 9, 1000, 1009, 2000].into();
            for value in (0..40)
                .map(|power| 1 << power)
                .chain([3, 999, 1001, i64::MAX])
            {
                let forged = forged(
                    &bytes,
                    |_, old| if counts.contains(&old) { value } else { old },
                );
                refused += u32::from(!is_read(forged));
            }
        }
        assert!(refused > 1000, "{refused}");
    }

    #[test]
    fn a_table_with_any_contents_is_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut drawn = 0;
        let mut below = |end: usize| {
            drawn += 1;
            (derive(7, Stream::Sample, 0, drawn) % end as u64) as usize
        };
        for bytes in tables_to_forge(folder.path()) {
            for _ in 0..500 {
                let mut changed = bytes.clone();
                for _ in 0..=below(4) {
                    let (at, length) = (below(changed.len()), 1 + below(8));
                    let end = changed.len().min(at + length);
                    for byte in &mut changed[at..end] {
                        *byte = [0, 1, 0x7f, 0x80, 0xff, below(256) as u8][below(6)];
                    }
                }
                is_read(changed);
            }
        }
    }

    /// A damaged file may only give other values. It must not end the program or take more memory than its size allows.
    #[test]
    fn damage_is_an_error_or_leaves_a_whole_table() {
        let folder = tempfile::tempdir().unwrap();
        let part = RunFile::outside(folder.path().join("a.parquet"));
        write(&part, &block(&rows(0)[..5])).unwrap();
        let few = part.read().unwrap();
        let many = written(folder.path(), "b.parquet").read().unwrap();
        let mut refused = [0, 0];
        let mut try_out = |contents: Vec<u8>| match StoredTable::of(&part, contents, None) {
            Ok(table) => assert!(
                table
                    .frame
                    .columns()
                    .iter()
                    .all(|one| one.null_count() == 0)
            ),
            Err(error) => refused[usize::from(error.to_string().contains(PANICKED))] += 1,
        };
        for (bytes, step) in [(few, 1), (many, 31)] {
            for at in (0..bytes.len()).step_by(step) {
                for change in [0x01, 0x55, 0x80, 0xff] {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= change;
                    try_out(damaged);
                }
                try_out(bytes[..at].to_vec());
            }
        }
        assert!(refused[0] > 1000, "{refused:?}");
        for strange in [&b"PAR1 no table PAR1"[..], b"PAR1", b""] {
            assert!(StoredTable::of(&part, strange.to_vec(), None).is_err());
        }
    }
}
