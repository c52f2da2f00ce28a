//! The generated part of `docs/tables.md`.

use super::ALL;
use super::games::{
    DeeperKey, HoldOutKey, NumbersRow, OutcomeRow, RaceKey, RowKey, ScoreRow, StartKey, TrainKey,
};
use super::pairs::{Pair, PairKey};
use tiletune_engine::program::protocol::RESERVED_NUMBERS;
use tiletune_tuning::results::{
    CandidateRow, ColumnInfo, DiagnosticRow, FinalistRow, GenerationRow, Row,
};

macro_rules! columns_of {
    ($($Row:ident),*) => {
        [$((stringify!($Row), <$Row as Row>::COLUMNS)),*]
    };
}

/// The columns of a row, as a table of the page.
fn columns(columns: &[ColumnInfo]) -> String {
    let row = |column: &ColumnInfo| {
        let ColumnInfo { name, kind, .. } = column;
        let (kind, meaning) = (kind.name(), column.meaning());
        let unit = if column.unit.is_empty() { "" } else { " " };
        format!("| `{name}` | {kind} |{unit}{} | {meaning} |\n", column.unit)
    };
    let rows: String = columns.iter().map(row).collect();
    format!("| column | type | unit | meaning |\n|---|---|---|---|\n{rows}")
}

/// Replaces the text between `<!-- name -->` and `<!-- end -->`.
fn with(page: &str, name: &str, text: &str) -> String {
    let begin = format!("<!-- {name} -->\n");
    let (before, rest) = page.split_once(&begin).expect(name);
    let (_, after) = rest.split_once("<!-- end -->").expect(name);
    format!("{before}{begin}\n{text}\n<!-- end -->{after}")
}

/// `TILETUNE_UPDATE=1 cargo test` writes the page.
#[test]
fn the_page_shows_the_declarations() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tables.md");
    let page = std::fs::read_to_string(path).unwrap();
    let rows = ALL.iter().map(|table| {
        let (runs, place, about) = (table.runs, table.place, table.about);
        format!("| {runs} | `{place}` | {about} |\n")
    });
    let rows: String = rows.collect();
    let list = format!("| run | table | rows |\n|---|---|---|\n{rows}");
    let mut expected = with(&page, "tables", &list);
    for (name, of_row) in columns_of!(
        TrainKey,
        StartKey,
        RaceKey,
        HoldOutKey,
        DeeperKey,
        RowKey,
        PairKey,
        ScoreRow,
        OutcomeRow,
        NumbersRow,
        CandidateRow,
        FinalistRow,
        GenerationRow,
        DiagnosticRow,
        Pair
    ) {
        expected = with(&expected, name, &columns(of_row));
    }
    if std::env::var_os("TILETUNE_UPDATE").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    let hint = "docs/tables.md: run `TILETUNE_UPDATE=1 cargo test -p tiletune-runs the_page_shows_the_declarations`";
    assert!(page == expected, "{hint}");
}

/// The numbers of a program are columns next to the key columns, so their names must be different.
#[test]
fn no_number_of_a_program_is_another_column() {
    let keys = columns_of!(
        TrainKey, StartKey, RaceKey, HoldOutKey, DeeperKey, RowKey, PairKey, NumbersRow,
        OutcomeRow, ScoreRow
    );
    let columns = keys.into_iter().flat_map(|(_, columns)| columns);
    let free = columns.filter(|column| {
        let is_of_program =
            ["<number>", "score", "moves", "max_tile", "setting"].contains(&column.name);
        !is_of_program && !RESERVED_NUMBERS.contains(&column.name)
    });
    let free: Vec<&str> = free.map(|column| column.name).collect();
    assert!(free.is_empty(), "a program may call a number {free:?}");
}
