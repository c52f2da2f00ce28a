//! Tables as parquet files, through the parquet reader and writer of polars.
//!
//! Only the columns that this program needs: unsigned integers, floats, booleans and text, never
//! null. Files are compressed with zstd and hold no time and no path, so equal tables are equal
//! bytes.

use std::io::{BufWriter, Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, Utf8ViewArray};
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field};
use polars_arrow::record_batch::RecordBatchT;
use polars_buffer::Buffer;
use polars_parquet::read::{BasicDecompressor, PageReader, column_iter_to_arrays};
use polars_parquet::read::{ColumnChunkMetadata, infer_schema, read_metadata};
use polars_parquet::write::{
    CompressionOptions, FileWriter, StatisticsOptions, Version, WriteOptions, get_dtype_encoding,
    row_group_iter,
};

use super::StoreError;
use super::atomic::AtomicFile;

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
    /// Floats.
    F64(Vec<f64>),
    /// Booleans.
    Bool(Vec<bool>),
    /// Text.
    Text(Vec<String>),
}

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<(String, Column)>,
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::U32(values) => values.len(),
            Column::U64(values) => values.len(),
            Column::F64(values) => values.len(),
            Column::Bool(values) => values.len(),
            Column::Text(values) => values.len(),
        }
    }

    fn data_type(&self) -> ArrowDataType {
        match self {
            Column::U32(_) => ArrowDataType::UInt32,
            Column::U64(_) => ArrowDataType::UInt64,
            Column::F64(_) => ArrowDataType::Float64,
            Column::Bool(_) => ArrowDataType::Boolean,
            Column::Text(_) => ArrowDataType::Utf8View,
        }
    }

    fn into_array(self) -> Box<dyn Array> {
        match self {
            Column::U32(values) => PrimitiveArray::from_vec(values).boxed(),
            Column::U64(values) => PrimitiveArray::from_vec(values).boxed(),
            Column::F64(values) => PrimitiveArray::from_vec(values).boxed(),
            Column::Bool(values) => BooleanArray::from_slice(values).boxed(),
            Column::Text(values) => Utf8ViewArray::from_slice_values(values).boxed(),
        }
    }

    fn from_array(array: &dyn Array) -> Option<Column> {
        fn primitive<T: polars_arrow::types::NativeType>(array: &dyn Array) -> Option<Vec<T>> {
            let array = array.as_any().downcast_ref::<PrimitiveArray<T>>()?;
            Some(array.values().as_slice().to_vec())
        }
        if array.null_count() > 0 {
            return None;
        }
        match array.dtype() {
            ArrowDataType::UInt32 => primitive(array).map(Column::U32),
            ArrowDataType::UInt64 => primitive(array).map(Column::U64),
            ArrowDataType::Float64 => primitive(array).map(Column::F64),
            ArrowDataType::Boolean => {
                let array = array.as_any().downcast_ref::<BooleanArray>()?;
                Some(Column::Bool(array.values_iter().collect()))
            }
            ArrowDataType::Utf8View => {
                let array = array.as_any().downcast_ref::<Utf8ViewArray>()?;
                Some(Column::Text(
                    array.values_iter().map(str::to_owned).collect(),
                ))
            }
            _ => None,
        }
    }

    fn append(&mut self, other: Column) -> bool {
        match (self, other) {
            (Column::U32(values), Column::U32(more)) => values.extend(more),
            (Column::U64(values), Column::U64(more)) => values.extend(more),
            (Column::F64(values), Column::F64(more)) => values.extend(more),
            (Column::Bool(values), Column::Bool(more)) => values.extend(more),
            (Column::Text(values), Column::Text(more)) => values.extend(more),
            _ => return false,
        }
        true
    }
}

impl Table {
    /// Adds a column.
    ///
    /// # Panics
    /// If it is not as long as the others.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, column: Column) -> Self {
        assert!(self.columns.is_empty() || column.len() == self.rows());
        self.columns.push((name.into(), column));
        self
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        let found = self.columns.iter().find(|(known, _)| known == name);
        found.map(|(_, column)| column)
    }

    fn schema(&self) -> ArrowSchema {
        let fields = self.columns.iter();
        fields
            .map(|(name, column)| {
                let field = Field::new(name.as_str().into(), column.data_type(), false);
                (field.name.clone(), field)
            })
            .collect()
    }
}

const OPTIONS: WriteOptions = WriteOptions {
    statistics: StatisticsOptions {
        min_value: true,
        max_value: true,
        distinct_count: false,
        null_count: true,
        binary_statistics_truncate_length: None,
    },
    version: Version::V1,
    compression: CompressionOptions::Zstd(None),
    data_page_size: None,
};

/// A table that is written block by block, each a row group; it appears when it is finished.
pub struct TableWriter<'a> {
    file: AtomicFile<'a>,
    path: &'a Path,
    writer: Option<FileWriter<BufWriter<std::fs::File>>>,
}

impl<'a> TableWriter<'a> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &'a Path) -> Result<Self, StoreError> {
        Ok(TableWriter {
            file: AtomicFile::create(path)?,
            path,
            writer: None,
        })
    }

    /// Adds rows. The first block determines the columns.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&mut self, block: Table) -> Result<(), StoreError> {
        let schema = block.schema();
        if self.writer.is_none() {
            let file = self.file.contents().try_clone();
            let file = BufWriter::new(file.map_err(StoreError::io(self.path))?);
            let writer = FileWriter::try_new(file, schema.clone(), OPTIONS);
            self.writer = Some(writer.map_err(|error| StoreError::damaged(self.path, error))?);
        }
        let rows = block.rows();
        let Some(writer) = self.writer.as_mut().filter(|_| rows > 0) else {
            return Ok(());
        };
        let encodings: Buffer<Vec<_>> = schema
            .iter_values()
            .map(|field| get_dtype_encoding(&field.dtype))
            .collect();
        let fields = writer.parquet_schema().fields().to_vec();
        let arrays: Vec<Box<dyn Array>> = block
            .columns
            .into_iter()
            .map(|(_, column)| column.into_array())
            .collect();
        let batch = RecordBatchT::new(rows, std::sync::Arc::new(schema), arrays);
        let group = row_group_iter(batch, encodings, fields, OPTIONS);
        writer
            .write(rows as u64, group)
            .map_err(|error| StoreError::damaged(self.path, error))
    }

    /// Makes the table appear.
    ///
    /// # Errors
    /// If the disk is full or fails, or no block was written.
    pub fn finish(self) -> Result<(), StoreError> {
        let failed = |reason: String| StoreError::damaged(self.path, reason);
        let mut writer = self
            .writer
            .ok_or_else(|| failed("no rows to write".into()))?;
        writer
            .end(None)
            .map_err(|error| failed(error.to_string()))?;
        writer
            .into_inner()
            .flush()
            .map_err(StoreError::io(self.path))?;
        self.file.finish()
    }
}

/// Writes a table as one file.
///
/// # Errors
/// As [`TableWriter`].
pub fn write(path: &Path, table: Table) -> Result<(), StoreError> {
    let mut writer = TableWriter::create(path)?;
    writer.write(table)?;
    writer.finish()
}

/// Reads a table.
///
/// # Errors
/// If the file cannot be read, is no parquet file, is damaged, or has columns of other types than
/// this program writes.
pub fn read(path: &Path) -> Result<Table, StoreError> {
    let bytes = std::fs::read(path).map_err(StoreError::io(path))?;
    let decoded = without_panic(|| decode(bytes));
    decoded.map_err(|reason| StoreError::damaged(path, reason))
}

/// The reader checks little before it indexes: on a damaged file it may panic, which must neither
/// end the program nor print a trace.
fn without_panic<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    // The hook belongs to the process; two readers must not restore each other's.
    static HOOK: Mutex<()> = Mutex::new(());
    let _guard = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(read));
    std::panic::set_hook(hook);
    result.unwrap_or_else(|_| Err("the parquet file is damaged".into()))
}

/// Number of rows that a file says it has; its contents are not looked at.
///
/// # Errors
/// If the file is missing, truncated or no parquet file.
pub fn count_rows(path: &Path) -> Result<usize, StoreError> {
    let mut file = std::fs::File::open(path).map_err(StoreError::io(path))?;
    let counted = without_panic(|| {
        let metadata = read_metadata(&mut file).map_err(|error| error.to_string())?;
        Ok(metadata.num_rows)
    });
    counted.map_err(|reason| StoreError::damaged(path, reason))
}

fn decode(bytes: Vec<u8>) -> Result<Table, String> {
    let metadata = read_metadata(&mut Cursor::new(&bytes))
        .map_err(|error| format!("not a readable parquet file ({error})"))?;
    let schema = infer_schema(&metadata).map_err(|error| error.to_string())?;
    let bytes = Buffer::from(bytes);
    let mut table = Table::default();
    for (index, (name, field)) in schema.iter().enumerate() {
        let mut whole: Option<Column> = None;
        for group in &metadata.row_groups {
            let chunks = group.parquet_columns();
            let chunk = chunks.get(index).filter(|_| chunks.len() == schema.len());
            let chunk = chunk.ok_or_else(|| format!("column `{name}` is nested"))?;
            let part = decode_chunk(&bytes, chunk, field)
                .map_err(|error| format!("column `{name}`: {error}"))?;
            match &mut whole {
                None => whole = Some(part),
                Some(whole) => {
                    whole.append(part);
                }
            }
        }
        if let Some(column) = whole {
            if !table.columns.is_empty() && column.len() != table.rows() {
                return Err(format!(
                    "column `{name}` is shorter or longer than the others"
                ));
            }
            table.columns.push((name.to_string(), column));
        }
    }
    Ok(table)
}

fn decode_chunk(
    bytes: &Buffer<u8>,
    chunk: &ColumnChunkMetadata,
    field: &Field,
) -> Result<Column, String> {
    let range = chunk.byte_range();
    if range.end > bytes.len() as u64 || range.start > range.end {
        return Err("the file is truncated".into());
    }
    let pages = bytes
        .clone()
        .sliced(range.start as usize..range.end as usize);
    let pages = PageReader::new(Cursor::new(pages), chunk, vec![], usize::MAX);
    let (arrays, _) = column_iter_to_arrays(
        vec![BasicDecompressor::new(pages, vec![])],
        vec![&chunk.descriptor().descriptor.primitive_type],
        field.clone(),
        None,
    )
    .map_err(|error| error.to_string())?;
    let mut columns = arrays
        .iter()
        .map(|array| Column::from_array(array.as_ref()));
    let unexpected = || format!("unexpected type {:?} or empty values", field.dtype);
    let mut whole = columns.next().flatten().ok_or_else(unexpected)?;
    for column in columns {
        whole.append(column.ok_or_else(unexpected)?);
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(from: u32) -> Table {
        let numbers: Vec<u32> = (from..from + 1000).collect();
        Table::default()
            .with("a", Column::U32(numbers.clone()))
            .with(
                "b",
                Column::U64(numbers.iter().map(|&n| u64::MAX - u64::from(n)).collect()),
            )
            .with(
                "c",
                Column::F64(numbers.iter().map(|&n| 1.0 / f64::from(n)).collect()),
            )
            .with(
                "d",
                Column::Bool(numbers.iter().map(|&n| n % 3 == 0).collect()),
            )
            .with(
                "e",
                Column::Text(numbers.iter().map(|&n| format!("text {n}")).collect()),
            )
    }

    fn written(folder: &Path, name: &str) -> std::path::PathBuf {
        let path = folder.join(name);
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
        let table = read(&path).unwrap();
        let mut expected = block(0);
        for ((_, whole), (_, more)) in expected.columns.iter_mut().zip(block(1000).columns) {
            assert!(whole.append(more));
        }
        assert_eq!(table, expected);
        assert_eq!(count_rows(&path).unwrap(), expected.rows());
        let again = written(folder.path(), "b.parquet");
        assert_eq!(std::fs::read(path).unwrap(), std::fs::read(again).unwrap());
    }

    #[test]
    fn damage_anywhere_is_an_error_or_leaves_the_table_readable() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "a.parquet");
        let bytes = std::fs::read(&path).unwrap();
        for cut in (0..bytes.len()).step_by(97) {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read(&path).is_err(), "cut at {cut}");
        }
        for at in (0..bytes.len()).step_by(61) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x55;
            std::fs::write(&path, &flipped).unwrap();
            // A flipped bit in a value cannot be noticed; it must only not end the program.
            let _ = read(&path);
        }
        std::fs::write(&path, "PAR1 no table PAR1").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("a.parquet"));
    }
}
