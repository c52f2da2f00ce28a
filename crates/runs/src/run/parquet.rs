//! Tables as parquet files, through the reader and writer of polars.
//!
//! A table is a [`DataFrame`] without null values. Files are compressed with zstd, unless they
//! begin with few rows, and hold no time and no path. Reading and writing run on the calling thread, outside the pool
//! of polars, so equal tables are equal bytes for any number of threads. This module must not know what the columns mean.
//!
//! A file contains a checksum, because some damage terminates the reader of polars: one wrong bit in
//! the number of values of a page makes it allocate 2^61 bytes, which ends the process. The checksum is
//! between the last column and the footer. Parquet readers find every part by its offset, so they
//! ignore it.

use std::cell::Cell;
use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Once, PoisonError};

use polars::prelude::{
    BatchedWriter, DataFrame, KeyValueMetadata, ParallelStrategy, ParquetCompression,
    ParquetReader, ParquetWriter, PolarsError, PolarsResult, SerReader, polars_bail,
};

use super::atomic::AtomicFile;
use super::{Part, StoreError};

/// Up to this number of rows nothing is compressed: it would save no bytes, and a reader of zstd sets up 100 kB for
/// each column, which takes most of the time in which a table of one row is read.
const FEW: usize = 16;

/// Rows of a table.
pub struct Block {
    /// The rows.
    pub frame: DataFrame,
    /// Texts by keys: the description of the table. They are part of the footer; that of the first block of a
    /// file is written.
    pub metadata: Vec<(String, String)>,
}

/// Without a description.
impl From<DataFrame> for Block {
    fn from(frame: DataFrame) -> Self {
        Block {
            frame,
            metadata: Vec::new(),
        }
    }
}

/// A table that is written in blocks, each of which is a row group. It exists under its name only when
/// it is finished.
pub struct TableWriter<'a> {
    file: AtomicFile<'a>,
    path: &'a Part,
    /// The table so far. It is compressed, and small beside the records in memory.
    contents: Buffer,
    writer: Option<BatchedWriter<Buffer>>,
}

impl<'a> TableWriter<'a> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &'a Part) -> Result<Self, StoreError> {
        Ok(TableWriter {
            file: AtomicFile::create(path)?,
            path,
            contents: Buffer::default(),
            writer: None,
        })
    }

    /// Adds rows. The first block determines the columns; a block without rows adds nothing else.
    ///
    /// # Errors
    /// If `block` is an error, or the disk is full or fails.
    pub fn write(&mut self, block: PolarsResult<impl Into<Block>>) -> Result<(), StoreError> {
        let failed = |error| StoreError::damaged(self.path, error);
        let Block { frame, metadata } = block.map_err(failed)?.into();
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                // The calling thread compresses the columns.
                let writer = ParquetWriter::new(self.contents.clone()).set_parallel(false);
                let writer = match frame.height() {
                    0..=FEW => writer.with_compression(ParquetCompression::Uncompressed),
                    _ => writer,
                };
                let metadata = KeyValueMetadata::from_static(metadata);
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
    pub fn finish(mut self) -> Result<(), StoreError> {
        let failed = |reason| StoreError::damaged(self.path, reason);
        let writer = self.writer.as_ref();
        let writer = writer.ok_or_else(|| failed("no rows to write".to_owned()))?;
        writer.finish().map_err(|error| failed(error.to_string()))?;
        let contents = seal(self.contents.take());
        let contents = contents.ok_or_else(|| failed("no footer was written".to_owned()))?;
        self.file.write(&contents)?;
        self.path.finish(self.file, &contents)
    }
}

/// What polars writes into: bytes in memory. So an error of the disk is one of the system, not of parquet.
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

/// Bytes of the checksum.
const CHECKSUM: usize = size_of::<u64>();

/// FNV-1a of 64 bits. Contents that differ in a single byte have different checksums.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix).to_le_bytes()
}

/// Where the footer begins: a parquet file ends with its footer, the footer's length in four bytes
/// and four bytes of magic.
fn footer(bytes: &[u8]) -> Option<usize> {
    let (before, [length @ .., _, _, _, _]) = bytes.split_last_chunk::<8>()?;
    before
        .len()
        .checked_sub(u32::from_le_bytes(*length) as usize)
}

/// Inserts the checksum into the contents of a file; `None` if they have no footer.
fn seal(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let footer = footer(&bytes)?;
    let checksum = checksum(&bytes);
    bytes.splice(footer..footer, checksum);
    Some(bytes)
}

/// Removes the checksum from the contents of a file; `None` if it is missing or wrong.
fn unseal(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let footer = footer(&bytes)?;
    let start = footer.checked_sub(CHECKSUM)?;
    let found: Vec<u8> = bytes.drain(start..footer).collect();
    (found == checksum(&bytes)).then_some(bytes)
}

/// Writes a table as one file.
///
/// # Errors
/// As [`TableWriter::write`].
pub fn write(path: &Part, table: PolarsResult<impl Into<Block>>) -> Result<(), StoreError> {
    let mut writer = TableWriter::create(path)?;
    writer.write(table)?;
    writer.finish()
}

/// Reads a table, or only these columns of it.
///
/// # Errors
/// If the file cannot be read, is not one of [`TableWriter`] or damaged, lacks a column or holds
/// null values.
pub fn read(path: &Part, columns: Option<&[&str]>) -> Result<DataFrame, StoreError> {
    read_contents(path, path.read()?, columns)
}

/// Reads a table whose file has these contents.
pub(super) fn read_contents(
    path: &Part,
    contents: Vec<u8>,
    columns: Option<&[&str]>,
) -> Result<DataFrame, StoreError> {
    let bytes = unseal(contents).ok_or_else(|| {
        let reason = "the file is damaged or was not written by this program (wrong checksum)";
        StoreError::damaged(path, reason)
    })?;
    let decoded = without_panic(|| decode(bytes, columns));
    decoded.map_err(|error| StoreError::damaged(path, error))
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

    use polars::df;
    use polars::prelude::Column;

    use super::*;

    fn block(from: u32) -> PolarsResult<DataFrame> {
        let numbers: Vec<u32> = (from..from + 1000).collect();
        fn each<T>(numbers: &[u32], of: impl Fn(u32) -> T) -> Vec<T> {
            numbers.iter().map(|&number| of(number)).collect()
        }
        df!(
            "a" => &numbers,
            "b" => each(&numbers, |n| u64::MAX - u64::from(n)),
            "c" => each(&numbers, |n| 1.0 / f64::from(n)),
            "d" => each(&numbers, |n| n % 3 == 0),
            "e" => each(&numbers, |n| format!("text {n}")),
        )
    }

    fn written(folder: &Path, name: &str) -> Part {
        let path = Part::outside(folder.join(name));
        let mut writer = TableWriter::create(&path).unwrap();
        for from in [0, 1000] {
            writer.write(block(from)).unwrap();
            assert!(!path.exists());
        }
        writer.finish().unwrap();
        path
    }

    #[test]
    fn tables_come_back_to_the_bit_and_are_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "a.parquet");
        let table = read(&path, None).unwrap();
        let expected = block(0).unwrap().vstack(&block(1000).unwrap()).unwrap();
        assert!(table.equals(&expected));
        assert_eq!(table.schema(), expected.schema());
        let some = read(&path, Some(&["d", "b"])).unwrap();
        assert!(some.equals(&expected.select(["d", "b"]).unwrap()));
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
        let is_compressed = |rows: usize| {
            let path = Part::outside(folder.path().join("a.parquet"));
            let numbers: Vec<u64> = (0..rows as u64).collect();
            let frame = df!("a" => numbers).unwrap();
            write(&path, Ok(frame.clone())).unwrap();
            assert!(read(&path, None).unwrap().equals(&frame));
            let bytes = std::fs::read(&*path).unwrap();
            bytes.windows(4).any(|part| part == MAGIC)
        };
        assert!(!is_compressed(1) && !is_compressed(FEW));
        assert!(is_compressed(1000 * FEW));
    }

    #[test]
    fn columns_without_a_value_for_every_row_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = Part::outside(folder.path().join("a.parquet"));
        write(&path, df!("a" => [Some(1u32), None])).unwrap();
        let error = read(&path, None).unwrap_err().to_string();
        assert!(
            error.contains("a.parquet: column `a` lacks values"),
            "{error}"
        );
    }

    #[test]
    fn damage_anywhere_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "a.parquet");
        let bytes = std::fs::read(&*path).unwrap();
        let is_refused = |contents: &[u8]| {
            std::fs::write(&*path, contents).unwrap();
            read(&path, None).is_err()
        };
        assert!(!is_refused(&bytes));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(unseal(damaged.clone()).is_none(), "flipped at {at}");
            assert!(unseal(bytes[..at].to_vec()).is_none(), "cut at {at}");
            if at % 97 == 0 {
                assert!(is_refused(&damaged), "flipped at {at}");
                assert!(is_refused(&bytes[..at]), "cut at {at}");
            }
        }
        assert!(is_refused(b"PAR1 no table PAR1"));
        let error = read(&path, None).unwrap_err().to_string();
        assert!(error.contains("a.parquet: the file is damaged"), "{error}");
    }

    /// Behind a right checksum, damage may change values. It must not end the program, and a table
    /// that is still read has a value in every row of every column.
    #[test]
    fn damage_that_the_checksum_hides_is_an_error_or_leaves_a_whole_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "a.parquet");
        let bytes = unseal(std::fs::read(&*path).unwrap()).unwrap();
        let (mut refused, mut panics) = (0, 0);
        // Of page headers only the footer's copies are damaged, see the top of this file.
        for at in footer(&bytes).unwrap()..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            match without_panic(|| decode(damaged, None)) {
                Ok(table) => {
                    let whole = |column: &Column| column.len() == 2000 && column.null_count() == 0;
                    assert!(table.columns().iter().all(whole), "{at}");
                }
                Err(error) => {
                    refused += 1;
                    panics += usize::from(error.to_string() == PANICKED);
                }
            }
        }
        assert!(refused > panics && panics > 0, "{refused}, {panics}");
    }
}
