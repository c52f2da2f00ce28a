//! The data of a figure as comma-separated values. Lines end with a line feed.

use csv::Writer;

/// Rows of cells below a header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// A table with a row for each item. The arguments are the names of the columns with the cell of an item.
macro_rules! table {
    ($items:expr, |$item:pat_param| { $($name:tt: $cell:expr,)+ }) => {
        $crate::chart::table::Table::new(
            vec![$($name),+],
            $items.into_iter().map(|$item| vec![$($crate::chart::table::Cell::text(&$cell)),+]),
        )
    };
}
pub(super) use table;

impl Table {
    pub(super) fn new(header: Vec<&'static str>, rows: impl Iterator<Item = Vec<String>>) -> Self {
        let rows = rows.collect();
        Table { header, rows }
    }

    pub(super) fn csv(&self) -> String {
        let mut text = Writer::from_writer(Vec::new());
        let mut write = |row: &[&str]| {
            let written = text.write_record(row);
            written.expect("a row is as long as the header");
        };
        write(&self.header);
        for row in &self.rows {
            write(&row.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let bytes = text.into_inner().expect("memory takes every write");
        String::from_utf8(bytes).expect("cells are text")
    }
}

/// A value of a cell.
pub(super) trait Cell {
    /// The text of the value; numbers have all digits.
    fn text(&self) -> String;
}

macro_rules! cells {
    ($($Type:ty),*) => {$(
        impl Cell for $Type {
            fn text(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

cells!(f64, u32, u64, str, String);

impl<T: Cell + ?Sized> Cell for &T {
    fn text(&self) -> String {
        T::text(self)
    }
}

/// Empty if the value is unknown.
impl<T: Cell> Cell for Option<T> {
    fn text(&self) -> String {
        self.as_ref().map(T::text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cells_are_quoted_where_needed() {
        let rows = [("a,\"b\"", Some(0.1)), ("c", None)];
        let table = table!(rows, |(name, value)| {
            "name": name,
            "value": value,
        });
        assert_eq!(table.csv(), "name,value\n\"a,\"\"b\"\"\",0.1\nc,\n");
    }
}
