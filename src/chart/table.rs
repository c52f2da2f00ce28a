//! The data of a chart as comma-separated values (RFC 4180, but lines end in a plain newline).

/// Rows of cells below a header.
pub(super) struct Table {
    width: usize,
    text: String,
}

impl Table {
    pub(super) fn new<'a>(header: impl IntoIterator<Item = &'a str>) -> Self {
        let mut table = Table {
            width: 0,
            text: String::new(),
        };
        table.width = table.line(header.into_iter().map(str::to_owned));
        table
    }

    /// Adds a row of as many cells as the header has.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = self.line(cells);
        debug_assert_eq!(cells, self.width, "a row differs from the header in length");
    }

    pub(super) fn to_csv(&self) -> String {
        self.text.clone()
    }

    fn line(&mut self, cells: impl IntoIterator<Item = String>) -> usize {
        let cells: Vec<String> = cells.into_iter().map(quoted).collect();
        self.text.push_str(&cells.join(","));
        self.text.push('\n');
        cells.len()
    }
}

/// A cell of a table; numbers keep every digit.
pub(super) fn cell(value: impl ToString) -> String {
    value.to_string()
}

fn quoted(cell: String) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_needed() {
        let mut table = Table::new(["name", "value"]);
        table.row([cell("a,\"b\""), cell(0.1)]);
        assert_eq!(table.to_csv(), "name,value\n\"a,\"\"b\"\"\",0.1\n");
    }
}
