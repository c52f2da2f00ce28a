//! The data of a chart as comma-separated values (RFC 4180, but lines end in a plain newline).

/// Rows of cells below a header.
pub(super) struct Table {
    writer: csv::Writer<Vec<u8>>,
}

impl Table {
    pub(super) fn new<'a>(header: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Table {
            writer: csv::Writer::from_writer(Vec::new()),
        };
        table.row(header.into_iter().map(str::to_owned));
        table
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has more or fewer cells than the header.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let written = self
            .writer
            .write_record(cells.into_iter().collect::<Vec<_>>());
        written.unwrap_or_else(|error| unreachable!("a row is written to memory: {error}"));
    }

    pub(super) fn into_csv(self) -> String {
        let bytes = self.writer.into_inner().unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
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
