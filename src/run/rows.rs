//! The columns of the tables `candidates`, `generations`, `diagnostics` and `finalists`. Those of games are in
//! `game_rows`; which columns there are and what they mean is declared in [`columns`].

use polars::prelude::{
    BooleanType, Column, Float64Type, PolarsResult, StringType, UInt32Type, UInt64Type,
};

use super::columns;
pub use super::game_rows::{
    GamesOf, GamesWriter, KeyedGame, count_games, find_game, read_games, read_keyed_games,
    read_row_games, row_games,
};
use super::parquet::Block;
use super::table::{Table, column, described};
use super::table_name::TableName;
use super::{Part, RunDirectory, StoreError};
use crate::record::{CandidateRow, FinalistRow, GenerationRow};

/// Defines how the fields of a record are written as the columns of the same names, and how records are
/// read back. The fields named last are vectors; they are read as empty ones.
macro_rules! columns_of {
    ($Row:ident, $write:ident, $read:ident: $($field:ident $Type:ty),*; $($vector:ident),*) => {
        fn $write(rows: &[$Row]) -> Vec<Column> {
            vec![$(column(stringify!($field), rows, |row| row.$field)),*]
        }

        fn $read(table: &Table) -> Result<Vec<$Row>, StoreError> {
            $(let $field = table.values::<$Type>(stringify!($field))?;)*
            let row = |row| $Row { $($field: $field[row],)* $($vector: Vec::new(),)* };
            Ok((0..table.frame.height()).map(row).collect())
        }
    };
}

columns_of!(CandidateRow, columns_of_candidates, rows_of_candidates:
    generation UInt32Type, restart UInt32Type, candidate UInt32Type, fitness Float64Type, standard_error Float64Type;
    values);

columns_of!(GenerationRow, columns_of_generations, rows_of_generations:
    generation UInt32Type, restart UInt32Type, population UInt32Type, games UInt32Type,
    best Float64Type, mean Float64Type, median Float64Type, worst Float64Type, noise Float64Type,
    residual Float64Type, signal Float64Type, games_needed Float64Type, gain Float64Type;
    diagnostics, center, spread);

columns_of!(FinalistRow, columns_of_finalists, rows_of_finalists:
    finalist UInt32Type, fitness Float64Type, standard_error Float64Type, games UInt32Type,
    eliminated BooleanType;
    values);

/// The table `candidates` of a generation.
///
/// # Errors
/// If a parameter has the name of another column.
pub fn candidates(names: &[&str], rows: &[CandidateRow]) -> PolarsResult<Block> {
    let mut columns = columns_of_candidates(rows);
    columns.extend(parameters(names, rows, |row| &row.values));
    described(&columns::CANDIDATES, columns)
}

/// The table `finalists`.
///
/// # Errors
/// If a parameter has the name of another column.
pub fn finalists(names: &[&str], rows: &[FinalistRow]) -> PolarsResult<Block> {
    let mut columns = columns_of_finalists(rows);
    columns.extend(parameters(names, rows, |row| &row.values));
    described(&columns::FINALISTS, columns)
}

/// Each parameter as a value and as its bits, which no reader can round.
fn parameters<Row>(names: &[&str], rows: &[Row], values: impl Fn(&Row) -> &[f64]) -> Vec<Column> {
    let numbered = || names.iter().enumerate();
    let of_values = numbered().map(|(index, name)| column(name, rows, |row| values(row)[index]));
    let of_bits = numbered().map(|(index, name)| {
        let bits = |row| values(row)[index].to_bits();
        column(&bits_of(name), rows, bits)
    });
    of_values.chain(of_bits).collect()
}

fn bits_of(name: &str) -> String {
    format!("{name}_bits")
}

/// Adds the values of the parameters of a table to its rows.
fn add_values<'a>(
    table: &Table,
    names: &[&str],
    rows: impl Iterator<Item = &'a mut Vec<f64>>,
) -> Result<(), StoreError> {
    let columns: Vec<Vec<u64>> = names
        .iter()
        .map(|name| table.values::<UInt64Type>(&bits_of(name)))
        .collect::<Result<_, _>>()?;
    for (row, values) in rows.enumerate() {
        values.extend(columns.iter().map(|bits| f64::from_bits(bits[row])));
    }
    Ok(())
}

/// Reads a `candidates` file.
///
/// # Errors
/// If it is damaged or has other parameters.
pub fn read_candidates(path: &Part, names: &[&str]) -> Result<Vec<CandidateRow>, StoreError> {
    let table = Table::read(path)?;
    let mut rows = rows_of_candidates(&table)?;
    add_values(&table, names, rows.iter_mut().map(|row| &mut row.values))?;
    Ok(rows)
}

/// Reads a `finalists` file.
///
/// # Errors
/// As [`read_candidates`].
pub fn read_finalists(path: &Part, names: &[&str]) -> Result<Vec<FinalistRow>, StoreError> {
    let table = Table::read(path)?;
    let mut rows = rows_of_finalists(&table)?;
    add_values(&table, names, rows.iter_mut().map(|row| &mut row.values))?;
    Ok(rows)
}

/// The table `generations` of one generation.
///
/// # Errors
/// None are known; polars checks the columns.
pub fn generation(names: &[&str], row: &GenerationRow) -> PolarsResult<Block> {
    let mut columns = columns_of_generations(std::slice::from_ref(row));
    for (kind, values) in [("center", &row.center), ("spread", &row.spread)] {
        for (name, value) in names.iter().zip(values) {
            columns.push(Column::new(format!("{kind}_{name}").into(), [*value]));
        }
    }
    described(&columns::GENERATIONS, columns)
}

/// The table `diagnostics` of one generation.
///
/// # Errors
/// None are known; polars checks the columns.
pub fn diagnostics(row: &GenerationRow) -> PolarsResult<Block> {
    let rows = &row.diagnostics;
    let columns = vec![
        column("generation", rows, |_| row.generation),
        column("restart", rows, |_| row.restart),
        column("name", rows, |(name, _)| name.as_str()),
        column("value", rows, |(_, value)| *value),
    ];
    described(&columns::DIAGNOSTICS, columns)
}

/// Reads the files `generations` and `diagnostics` of a generation.
///
/// # Errors
/// If one is damaged or has other parameters.
pub fn read_generation(
    directory: &RunDirectory,
    generation: u32,
    names: &[&str],
) -> Result<GenerationRow, StoreError> {
    let part = |table| directory.generation_part(table, generation);
    let diagnostics = part(TableName::Diagnostics);
    let diagnostics = Table::read(&diagnostics)?;
    generation_of(
        &Table::read(&part(TableName::Generations))?,
        &diagnostics,
        names,
    )
}

/// The generation whose files `generations` and `diagnostics` have these contents.
pub(super) fn generation_in(
    [row, diagnostics]: [(&Part, Vec<u8>); 2],
    names: &[&str],
) -> Result<GenerationRow, StoreError> {
    let diagnostics = Table::of(diagnostics.0, diagnostics.1)?;
    generation_of(&Table::of(row.0, row.1)?, &diagnostics, names)
}

fn generation_of(
    table: &Table,
    diagnostics: &Table,
    names: &[&str],
) -> Result<GenerationRow, StoreError> {
    let Ok([mut row]) = <[GenerationRow; 1]>::try_from(rows_of_generations(table)?) else {
        return Err(StoreError::damaged(table.path, "one row was expected"));
    };
    for (kind, values) in [("center", &mut row.center), ("spread", &mut row.spread)] {
        for name in names {
            values.extend(table.values::<Float64Type>(&format!("{kind}_{name}"))?);
        }
    }
    let names = diagnostics.values::<StringType>("name")?.into_iter();
    let names = names.map(str::to_owned);
    row.diagnostics = names
        .zip(diagnostics.values::<Float64Type>("value")?)
        .collect();
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::columns::TableInfo;
    use crate::run::parquet::write;

    const NAMES: [&str; 2] = ["a", "b"];

    fn candidate(candidate: u32) -> CandidateRow {
        CandidateRow {
            generation: 3,
            restart: 1,
            candidate,
            fitness: 0.1 + f64::from(candidate),
            standard_error: 0.2,
            values: vec![f64::MIN_POSITIVE, 1.0 / 3.0],
        }
    }

    fn finalist(finalist: u32) -> FinalistRow {
        FinalistRow {
            finalist,
            fitness: 0.3,
            standard_error: 0.1,
            values: vec![-0.0, 1e300],
            games: 500,
            eliminated: finalist == 1,
        }
    }

    fn of_generation() -> GenerationRow {
        GenerationRow {
            generation: 3,
            restart: 1,
            population: 12,
            games: 40,
            best: 4.0,
            mean: 3.0,
            median: 2.5,
            worst: 1.0,
            noise: 0.5,
            residual: 0.4,
            signal: 0.6,
            games_needed: 12.5,
            gain: 0.7,
            diagnostics: vec![("sigma".into(), 0.2), ("axis_ratio".into(), f64::INFINITY)],
            center: vec![1.0, 2.0],
            spread: vec![0.1, 0.0],
        }
    }

    #[test]
    fn rows_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = Part::outside(folder.path().join("table.parquet"));
        let rows = [candidate(0), candidate(1)];
        write(&path, candidates(&NAMES, &rows)).unwrap();
        assert_eq!(read_candidates(&path, &NAMES).unwrap(), rows);
        assert!(read_candidates(&path, &["c"]).is_err());
        let no_games = read_games(&path).unwrap_err().to_string();
        assert!(no_games.contains("no column `seed`"), "{no_games}");

        let rows = [finalist(0), finalist(1)];
        write(&path, finalists(&NAMES, &rows)).unwrap();
        assert_eq!(read_finalists(&path, &NAMES).unwrap(), rows);
        assert!(finalists(&["games"], &rows).is_err());

        let directory =
            RunDirectory::create(&folder.path().join("run"), &TableName::ALL, |_| Ok(()));
        let directory = directory.unwrap();
        let none = Vec::new();
        for diagnostics in [of_generation().diagnostics, none] {
            let row = GenerationRow {
                diagnostics,
                ..of_generation()
            };
            let part = |table| directory.generation_part(table, 3);
            write(&part(TableName::Generations), generation(&NAMES, &row)).unwrap();
            write(&part(TableName::Diagnostics), super::diagnostics(&row)).unwrap();
            assert_eq!(read_generation(&directory, 3, &NAMES).unwrap(), row);
        }
    }

    #[test]
    fn columns_are_those_of_the_declaration() {
        let tables = [
            (&columns::CANDIDATES, candidates(&NAMES, &[candidate(0)])),
            (&columns::FINALISTS, finalists(&NAMES, &[finalist(0)])),
            (&columns::GENERATIONS, generation(&NAMES, &of_generation())),
            (&columns::DIAGNOSTICS, diagnostics(&of_generation())),
        ];
        for (table, block) in tables {
            let declared: Vec<&str> = expected(table).collect();
            assert_eq!(
                crate::run::table::declared(table, &block.unwrap()),
                declared
            );
        }
    }

    /// The declared columns of a table, those of parameters once for each parameter.
    fn expected(table: &TableInfo) -> impl Iterator<Item = &'static str> {
        let columns = table.columns.iter().copied().flatten();
        columns.flat_map(|column| {
            let count = 1 + usize::from(column.name.contains('<'));
            std::iter::repeat_n(column.name, count)
        })
    }
}
