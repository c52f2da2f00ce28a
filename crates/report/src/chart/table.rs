//! The data of a chart as comma-separated values. Lines end in a plain newline.

use csv::Writer;

/// Rows of cells below a header.
pub(super) struct Table(Writer<Vec<u8>>);

impl Table {
    /// A table with this header and no rows yet.
    pub(super) fn new<'a>(header: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Table(Writer::from_writer(Vec::new()));
        table.row(header.into_iter().map(str::to_owned));
        table
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has fewer or more cells than the header.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let written = self.0.write_record(cells.into_iter().collect::<Vec<_>>());
        written.expect("a row is as long as the header");
    }

    /// The table as text.
    pub(super) fn into_csv(self) -> String {
        let bytes = self.0.into_inner().expect("memory takes every write");
        String::from_utf8(bytes).expect("cells are text")
    }
}

/// A cell of a table; numbers keep every digit.
pub(super) fn cell(value: impl ToString) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_needed() {
        let mut table = Table::new(["name", "value"]);
        table.row([cell("a,\"b\""), cell(0.1)]);
        assert_eq!(table.into_csv(), "name,value\n\"a,\"\"b\"\"\",0.1\n");
    }
}
