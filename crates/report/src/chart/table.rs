//! The data of a figure as comma-separated values. Lines end in a plain newline.

use csv::Writer;

/// Rows of cells below a header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// A column of a table: its name, and its cell of each item.
pub(super) type Column<'a, Item> = (&'static str, &'a dyn Fn(&Item) -> String);

impl Table {
    /// A table with a row for each item.
    pub(super) fn of<Item>(
        items: impl IntoIterator<Item = Item>,
        columns: &[Column<'_, Item>],
    ) -> Self {
        let row = |item: Item| columns.iter().map(|(_, text)| text(&item)).collect();
        Table {
            header: columns.iter().map(|(name, _)| *name).collect(),
            rows: items.into_iter().map(row).collect(),
        }
    }

    /// The table as text.
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

/// A cell of a table; numbers keep every digit.
pub(super) fn cell(value: impl ToString) -> String {
    value.to_string()
}

/// A cell that is empty if the value is not known.
pub(super) fn known(value: Option<impl ToString>) -> String {
    value.map(cell).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_needed() {
        let table = Table::of(
            [("a,\"b\"", Some(0.1)), ("c", None)],
            &[
                ("name", &|(name, _)| cell(name)),
                ("value", &|(_, value)| known(*value)),
            ],
        );
        assert_eq!(table.csv(), "name,value\n\"a,\"\"b\"\"\",0.1\nc,\n");
    }
}
