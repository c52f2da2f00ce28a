//! A table as a data frame: columns from rows and back, and the description of a file.

use polars::prelude::{
    ChunkedArray, Column, DataFrame, NamedFrom, PolarsPhysicalType, PolarsResult, Series,
};
use serde_json::json;

use super::columns::TableInfo;
use super::parquet::{Block, read, read_contents};
use super::{Part, StoreError};

/// Rows of a table with the description of its columns.
///
/// # Errors
/// If two columns have the same name or different lengths.
pub(super) fn described(table: &TableInfo, columns: Vec<Column>) -> PolarsResult<Block> {
    let frame = DataFrame::new_infer_height(columns)?;
    let columns = frame.columns().iter();
    let columns = columns.map(|column| (column.name().as_str(), column.dtype().is_float()));
    let metadata = metadata(table, columns);
    Ok(Block { frame, metadata })
}

/// The description of a file of a table with these columns: of the table under the key `table`, of each
/// column under `column.<name>` as JSON.
fn metadata<'a>(
    table: &TableInfo,
    columns: impl Iterator<Item = (&'a str, bool)>,
) -> Vec<(String, String)> {
    let columns = columns.filter_map(|(name, is_float)| {
        let about = match table.column(name) {
            // Of games, only the numbers of programs are floating-point numbers.
            Some(column) if column.name == "score" && is_float => {
                json!({ "meaning": "score of the program, larger is better" })
            }
            None if is_float => json!({ "meaning": "number of the program, beside the score" }),
            Some(column) if column.unit.is_empty() => json!({ "meaning": column.meaning }),
            Some(column) => json!({ "meaning": column.meaning, "unit": column.unit }),
            None => return None,
        };
        Some((format!("column.{name}"), about.to_string()))
    });
    let about = (
        "table".to_owned(),
        format!("{}: {}", table.place, table.about),
    );
    std::iter::once(about).chain(columns).collect()
}

/// A column with one value for each row.
pub(super) fn column<'a, Row, Value>(
    name: &str,
    rows: &'a [Row],
    value: impl Fn(&'a Row) -> Value,
) -> Column
where
    Series: NamedFrom<Vec<Value>, [Value]>,
{
    Column::new(name.into(), rows.iter().map(value).collect::<Vec<_>>())
}

/// A table read from a file. Its columns are accessed by name and type.
pub(super) struct Table<'a> {
    pub(super) path: &'a Part,
    pub(super) frame: DataFrame,
}

impl<'a> Table<'a> {
    pub(super) fn read(path: &'a Part) -> Result<Self, StoreError> {
        let frame = read(path, None)?;
        Ok(Table { path, frame })
    }

    /// The table of a file that has these contents.
    pub(super) fn of(path: &'a Part, contents: Vec<u8>) -> Result<Self, StoreError> {
        let frame = read_contents(path, contents, None)?;
        Ok(Table { path, frame })
    }

    pub(super) fn column<T: PolarsPhysicalType>(
        &self,
        name: &str,
    ) -> Result<&ChunkedArray<T>, StoreError> {
        let column = self.frame.column(name);
        let typed = column.and_then(|column| column.as_materialized_series().unpack::<T>());
        typed.map_err(|_| {
            let reason = format!("no column `{name}` of the expected type");
            StoreError::damaged(self.path, reason)
        })
    }

    pub(super) fn values<T: PolarsPhysicalType>(
        &self,
        name: &str,
    ) -> Result<Vec<T::Physical<'_>>, StoreError> {
        // `read` has checked that there are no null values.
        Ok(self.column::<T>(name)?.iter().flatten().collect())
    }

    /// Checks that its columns are these, with the same values: what a run that has the recorded games writes.
    pub(super) fn expect(&self, columns: &[Column]) -> Result<(), StoreError> {
        let found = self.frame.columns();
        if found.len() != columns.len() {
            let (found, expected) = (found.len(), columns.len());
            let reason = format!("{found} columns, where this run writes {expected}");
            return Err(StoreError::damaged(self.path, reason));
        }
        let is_other = |(found, expected): &(&Column, &Column)| {
            let [found, expected] = [found, expected].map(|one| one.as_materialized_series());
            found.name() != expected.name() || !found.equals(expected)
        };
        match found.iter().zip(columns).find(is_other) {
            Some((_, expected)) => {
                let name = expected.name();
                let reason = format!("the column `{name}` is not that of the games of this run");
                Err(StoreError::damaged(self.path, reason))
            }
            None => Ok(()),
        }
    }
}

/// The declared names of the columns of a block. Checks that the types are the declared ones, and that the
/// description has every column.
#[cfg(test)]
pub(super) fn declared(table: &TableInfo, block: &Block) -> Vec<&'static str> {
    use polars::prelude::DataType;
    let columns = block.frame.columns().iter().map(|column| {
        let name = column.name().as_str();
        let declared = table.column(name).expect(name);
        let kind = match column.dtype() {
            DataType::UInt32 => "u32",
            DataType::UInt64 => "u64",
            DataType::Float64 => "f64",
            DataType::Boolean => "boolean",
            DataType::String => "text",
            other => panic!("{name}: {other}"),
        };
        assert_eq!(kind, declared.kind, "{name}");
        let key = format!("column.{name}");
        assert!(
            block.metadata.iter().any(|(known, _)| *known == key),
            "{name}"
        );
        declared.name
    });
    columns.collect()
}
