//! The tables `candidates`, `generations` and `finalists`.

use super::file::{StoredTable, TableBlock};
use super::{CANDIDATES, DIAGNOSTICS, FINALISTS, GENERATIONS};
use crate::run::{RunFile, StoreError};
use tiletune_tuning::results::{CandidateRow, DiagnosticRow, FinalistRow, GenerationRow, Row};

/// The table `candidates` of a generation. `names` are those of the parameters.
pub fn candidates(names: &[&str], rows: &[CandidateRow]) -> TableBlock {
    TableBlock::new(&CANDIDATES, CandidateRow::columns(rows, names))
}

/// The table `finalists`.
pub fn finalists(names: &[&str], rows: &[FinalistRow]) -> TableBlock {
    TableBlock::new(&FINALISTS, FinalistRow::columns(rows, names))
}

/// The table `generations` of one generation.
pub fn generation(names: &[&str], row: &GenerationRow) -> TableBlock {
    let columns = GenerationRow::columns(std::slice::from_ref(row), names);
    TableBlock::new(&GENERATIONS, columns)
}

/// The table `diagnostics` of one generation.
pub fn diagnostics(row: &GenerationRow) -> TableBlock {
    let rows = row.diagnostics.iter().map(|(name, value)| DiagnosticRow {
        generation: row.generation,
        restart: row.restart,
        name: name.as_str().into(),
        value: *value,
    });
    let rows: Vec<DiagnosticRow> = rows.collect();
    TableBlock::new(&DIAGNOSTICS, DiagnosticRow::columns(&rows, &[]))
}

/// Reads a `candidates` file.
///
/// # Errors
/// If it is damaged or has other parameters.
pub fn read_candidates(path: &RunFile, names: &[&str]) -> Result<Vec<CandidateRow>, StoreError> {
    CandidateRow::read(&StoredTable::read(path)?, names)
}

/// Reads a `finalists` file.
///
/// # Errors
/// As [`read_candidates`].
pub fn read_finalists(path: &RunFile, names: &[&str]) -> Result<Vec<FinalistRow>, StoreError> {
    FinalistRow::read(&StoredTable::read(path)?, names)
}

/// The generation whose files `generations` and `diagnostics` have these contents.
pub(in crate::run) fn generation_in(
    [(path, row), (diagnostics_path, diagnostics)]: [(&RunFile, Vec<u8>); 2],
    names: &[&str],
) -> Result<GenerationRow, StoreError> {
    let rows = GenerationRow::read(&StoredTable::of(path, row, None)?, names)?;
    let [mut row] = <[GenerationRow; 1]>::try_from(rows)
        .map_err(|_| StoreError::damaged(path, "one row was expected"))?;
    let diagnostics = StoredTable::of(diagnostics_path, diagnostics, None)?;
    let diagnostics = DiagnosticRow::read(&diagnostics, &[])?.into_iter();
    row.diagnostics = diagnostics
        .map(|one| (one.name.to_string(), one.value))
        .collect();
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tables::{read_games, write};
    use crate::run::{RunDirectory, tables};

    const NAMES: [&str; 2] = ["a", "b"];

    fn candidate(candidate: u32) -> CandidateRow {
        CandidateRow {
            generation: 3,
            restart: 1,
            candidate,
            fitness: 0.1 + f64::from(candidate),
            standard_error: 0.2,
            rank_value: 0.3,
            failed_games: candidate,
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

    #[test]
    fn rows_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = RunFile::outside(folder.path().join("table.parquet"));
        let rows = [candidate(0), candidate(1)];
        write(&path, &candidates(&NAMES, &rows)).unwrap();
        assert_eq!(read_candidates(&path, &NAMES).unwrap(), rows);
        assert!(read_candidates(&path, &["c"]).is_err());
        let no_games = read_games(&path).unwrap_err().to_string();
        assert!(no_games.contains("no column `seed`"), "{no_games}");

        let rows = [finalist(0), finalist(1)];
        write(&path, &finalists(&NAMES, &rows)).unwrap();
        let read = read_finalists(&path, &NAMES).unwrap();
        assert_eq!(read, rows);
        let bits = |rows: &[FinalistRow]| rows[0].values[0].to_bits();
        assert_eq!(bits(&read), bits(&rows));
        // A parameter can have the name of another column.
        let names = ["games", "games_"];
        write(&path, &finalists(&names, &rows)).unwrap();
        assert_eq!(read_finalists(&path, &names).unwrap(), rows);

        let row = GenerationRow {
            generation: 3,
            best: f64::NEG_INFINITY,
            center: vec![1.0, 2.0],
            spread: vec![0.1, 0.0],
            ..GenerationRow::default()
        };
        let root = folder.path().join("run");
        let directory = RunDirectory::create(&root, &tables::folders(), |_| Ok(())).unwrap();
        let part = |table| directory.generation_part(table, 3);
        let of_two = vec![
            ("sigma".to_owned(), 0.2),
            ("axis_ratio".to_owned(), f64::INFINITY),
        ];
        for values in [of_two, Vec::new()] {
            let row = GenerationRow {
                diagnostics: values,
                ..row.clone()
            };
            write(&part(&tables::DIAGNOSTICS), &diagnostics(&row)).unwrap();
            write(&part(&tables::GENERATIONS), &generation(&NAMES, &row)).unwrap();
            assert_eq!(directory.read_generation(3, &NAMES).unwrap(), row);
        }
    }
}
