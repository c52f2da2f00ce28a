//! Records as table rows: the columns of the tables `games`, `candidates` and `generations`.

use std::path::Path;

use super::StoreError;
use super::parquet::{Column, Table, TableWriter, read};
use crate::record::{CandidateRow, GameRecord, GenerationRow, Outcome, Phase};

/// Rows of a row group of `games`.
const ROWS_AT_ONCE: usize = 1 << 16;

/// The table `games` of one phase and generation, written as the games come in.
pub struct GamesWriter<'a> {
    writer: TableWriter<'a>,
    phase: Phase,
    generation: u32,
    rows: Vec<GameRow>,
}

struct GameRow {
    candidate: u32,
    game: u32,
    record: GameRecord,
}

impl<'a> GamesWriter<'a> {
    /// Begins a file, which appears when it is finished.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &'a Path, phase: Phase, generation: u32) -> Result<Self, StoreError> {
        Ok(GamesWriter {
            writer: TableWriter::create(path)?,
            phase,
            generation,
            rows: Vec::new(),
        })
    }

    /// Adds consecutive games of one candidate, the first of which has this number.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn add(
        &mut self,
        candidate: u32,
        first_game: u32,
        games: &[GameRecord],
    ) -> Result<(), StoreError> {
        let numbered = (first_game..).zip(games);
        self.rows.extend(numbered.map(|(game, &record)| GameRow {
            candidate,
            game,
            record,
        }));
        if self.rows.len() >= ROWS_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let rows = std::mem::take(&mut self.rows);
        self.writer.write(self.table(&rows))
    }

    /// Makes the table appear.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn finish(mut self) -> Result<(), StoreError> {
        self.flush()?;
        self.writer.finish()
    }

    fn table(&self, rows: &[GameRow]) -> Table {
        let count = rows.len();
        let u32s = |of: fn(&GameRow) -> u32| Column::U32(rows.iter().map(of).collect());
        let keys = Table::default()
            .with(
                "phase",
                Column::Text(vec![self.phase.name().to_owned(); count]),
            )
            .with("generation", Column::U32(vec![self.generation; count]))
            .with("candidate", u32s(|row| row.candidate))
            .with("game", u32s(|row| row.game));
        with_records(keys, rows.iter().map(|row| &row.record))
    }
}

/// The table `games` of one row of an experiment; its number stands in the place of a candidate's.
pub fn row_games(name: &str, number: u32, games: &[GameRecord]) -> Table {
    let count = games.len();
    let keys = Table::default()
        .with("row", Column::Text(vec![name.to_owned(); count]))
        .with("candidate", Column::U32(vec![number; count]))
        .with("game", Column::U32((0..count as u32).collect()));
    with_records(keys, games.iter())
}

/// Adds the columns of the records themselves: `outcome` where two play, score and tile where one
/// does.
fn with_records<'a>(keys: Table, records: impl Iterator<Item = &'a GameRecord> + Clone) -> Table {
    let u32s = |of: fn(&GameRecord) -> u32| Column::U32(records.clone().map(of).collect());
    let u64s = |of: fn(&GameRecord) -> u64| Column::U64(records.clone().map(of).collect());
    let outcomes: Vec<String> = records
        .clone()
        .filter_map(|game| game.outcome)
        .map(|outcome| outcome.name().to_owned())
        .collect();
    let table = keys.with("seed", u64s(|game| game.seed));
    let table = if outcomes.is_empty() {
        table
            .with("score", u64s(|game| game.score))
            .with("max_tile", u32s(|game| game.max_tile))
    } else {
        table.with("outcome", Column::Text(outcomes))
    };
    let capped = Column::Bool(records.clone().map(|game| game.capped).collect());
    table
        .with("moves", u32s(|game| game.moves))
        .with("leaf_evaluations", u64s(|game| game.leaf_evaluations))
        .with("capped", capped)
}

/// Reads the game records of a `games` file, in its order.
///
/// # Errors
/// If it is damaged or no such table.
pub fn read_games(path: &Path) -> Result<Vec<GameRecord>, StoreError> {
    game_records(&TableReader::read(path)?)
}

/// Finds a game of a candidate in a `games` file; `None` if it is not there.
///
/// # Errors
/// If it is damaged or no such table.
pub fn find_game(path: &Path, candidate: u32, game: u32) -> Result<Option<GameRecord>, StoreError> {
    let table = TableReader::read(path)?;
    let (candidates, games) = (table.u32s("candidate")?, table.u32s("game")?);
    let mut rows = candidates.iter().zip(games);
    let Some(row) = rows.position(|row| row == (&candidate, &game)) else {
        return Ok(None);
    };
    Ok(game_records(&table)?.get(row).copied())
}

fn game_records(table: &TableReader) -> Result<Vec<GameRecord>, StoreError> {
    let (seed, moves) = (table.u64s("seed")?, table.u32s("moves")?);
    let (leaves, capped) = (table.u64s("leaf_evaluations")?, table.bools("capped")?);
    let outcomes = table.outcomes()?;
    let (score, max_tile) = match outcomes {
        None => (table.u64s("score")?, table.u32s("max_tile")?),
        Some(_) => (&[][..], &[][..]),
    };
    Ok((0..table.rows())
        .map(|row| GameRecord {
            seed: seed[row],
            score: score.get(row).copied().unwrap_or(0),
            max_tile: max_tile.get(row).copied().unwrap_or(0),
            outcome: outcomes.as_ref().map(|outcomes| outcomes[row]),
            moves: moves[row],
            leaf_evaluations: leaves[row],
            capped: capped[row],
        })
        .collect())
}

/// Columns of `candidates`: fitness, then each parameter as a value and as its bits, which no
/// reader can round.
pub fn candidates(names: &[&str], rows: &[CandidateRow]) -> Table {
    let mut table = Table::default()
        .with(
            "generation",
            Column::U32(rows.iter().map(|row| row.generation).collect()),
        )
        .with(
            "candidate",
            Column::U32(rows.iter().map(|row| row.candidate).collect()),
        )
        .with(
            "fitness",
            Column::F64(rows.iter().map(|row| row.fitness).collect()),
        )
        .with(
            "standard_error",
            Column::F64(rows.iter().map(|row| row.standard_error).collect()),
        );
    for (index, name) in names.iter().enumerate() {
        table = table.with(
            *name,
            Column::F64(rows.iter().map(|row| row.values[index]).collect()),
        );
    }
    for (index, name) in names.iter().enumerate() {
        let bits = rows.iter().map(|row| row.values[index].to_bits()).collect();
        table = table.with(format!("{name}_bits"), Column::U64(bits));
    }
    table
}

/// Reads a `candidates` file.
///
/// # Errors
/// If it is damaged or has other parameters.
pub fn read_candidates(path: &Path, names: &[&str]) -> Result<Vec<CandidateRow>, StoreError> {
    let table = TableReader::read(path)?;
    let (generation, candidate) = (table.u32s("generation")?, table.u32s("candidate")?);
    let (fitness, standard_error) = (table.f64s("fitness")?, table.f64s("standard_error")?);
    let bits = names
        .iter()
        .map(|name| table.u64s(&format!("{name}_bits")))
        .collect::<Result<Vec<_>, _>>()?;
    Ok((0..table.rows())
        .map(|row| CandidateRow {
            generation: generation[row],
            candidate: candidate[row],
            fitness: fitness[row],
            standard_error: standard_error[row],
            values: bits.iter().map(|bits| f64::from_bits(bits[row])).collect(),
        })
        .collect())
}

const GENERATION_NUMBERS: [&str; 4] = ["generation", "run", "population", "games"];
const GENERATION_VALUES: [&str; 7] = [
    "best",
    "mean",
    "median",
    "worst",
    "noise",
    "sigma",
    "axis_ratio",
];

/// Columns of `generations`, of one generation: numbers, fitness, distribution, then the center
/// (a value) and the spread (in unit coordinates) of each parameter.
pub fn generation(names: &[&str], row: &GenerationRow) -> Table {
    let numbers = [row.generation, row.run, row.population, row.games];
    let values = [
        row.best,
        row.mean,
        row.median,
        row.worst,
        row.noise,
        row.sigma,
        row.axis_ratio,
    ];
    let mut table = Table::default();
    for (name, number) in GENERATION_NUMBERS.into_iter().zip(numbers) {
        table = table.with(name, Column::U32(vec![number]));
    }
    for (name, value) in GENERATION_VALUES.into_iter().zip(values) {
        table = table.with(name, Column::F64(vec![value]));
    }
    for (kind, values) in [("center", &row.center), ("spread", &row.spread)] {
        for (name, value) in names.iter().zip(values) {
            table = table.with(format!("{kind}_{name}"), Column::F64(vec![*value]));
        }
    }
    table
}

/// Reads a `generations` file, which holds one row.
///
/// # Errors
/// If it is damaged or has other parameters.
pub fn read_generation(path: &Path, names: &[&str]) -> Result<GenerationRow, StoreError> {
    let table = TableReader::read(path)?;
    if table.rows() != 1 {
        return Err(StoreError::damaged(path, "one row was expected"));
    }
    let number = |name: &str| Ok(table.u32s(name)?[0]);
    let value = |name: &str| Ok(table.f64s(name)?[0]);
    let each = |kind: &str| {
        let columns = names.iter().map(|name| value(&format!("{kind}_{name}")));
        columns.collect::<Result<Vec<f64>, StoreError>>()
    };
    Ok(GenerationRow {
        generation: number("generation")?,
        run: number("run")?,
        population: number("population")?,
        games: number("games")?,
        best: value("best")?,
        mean: value("mean")?,
        median: value("median")?,
        worst: value("worst")?,
        noise: value("noise")?,
        sigma: value("sigma")?,
        axis_ratio: value("axis_ratio")?,
        center: each("center")?,
        spread: each("spread")?,
    })
}

/// A table read from a file, whose columns are asked for by name and type.
struct TableReader<'a> {
    path: &'a Path,
    table: Table,
}

impl<'a> TableReader<'a> {
    fn read(path: &'a Path) -> Result<Self, StoreError> {
        let table = read(path)?;
        Ok(TableReader { path, table })
    }

    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn column<'b, T>(
        &'b self,
        name: &str,
        of: fn(&'b Column) -> Option<&'b [T]>,
    ) -> Result<&'b [T], StoreError> {
        let column = self.table.column(name).and_then(of);
        column.ok_or_else(|| {
            StoreError::damaged(
                self.path,
                format!("no column `{name}` of the expected type"),
            )
        })
    }

    fn u32s(&self, name: &str) -> Result<&[u32], StoreError> {
        self.column(name, |column| match column {
            Column::U32(values) => Some(values),
            _ => None,
        })
    }

    fn u64s(&self, name: &str) -> Result<&[u64], StoreError> {
        self.column(name, |column| match column {
            Column::U64(values) => Some(values),
            _ => None,
        })
    }

    fn f64s(&self, name: &str) -> Result<&[f64], StoreError> {
        self.column(name, |column| match column {
            Column::F64(values) => Some(values),
            _ => None,
        })
    }

    /// The column `outcome`, which the tables of games of one player do not have.
    fn outcomes(&self) -> Result<Option<Vec<Outcome>>, StoreError> {
        if self.table.column("outcome").is_none() {
            return Ok(None);
        }
        let names = self.column("outcome", |column| match column {
            Column::Text(values) => Some(values),
            _ => None,
        })?;
        let outcomes = names.iter().map(|name| {
            let mut all = Outcome::ALL.into_iter();
            all.find(|outcome| outcome.name() == name).ok_or_else(|| {
                StoreError::damaged(self.path, format!("`{name}` is no outcome of a game"))
            })
        });
        outcomes.collect::<Result<_, _>>().map(Some)
    }

    fn bools(&self, name: &str) -> Result<&[bool], StoreError> {
        self.column(name, |column| match column {
            Column::Bool(values) => Some(values),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parquet::write;

    #[test]
    fn records_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");

        let record = |seed| GameRecord {
            seed,
            score: seed * 3,
            max_tile: 2048,
            outcome: None,
            moves: 7,
            leaf_evaluations: 9,
            capped: seed == 2,
        };
        let records = [record(1), record(2), record(u64::MAX / 3)];
        let mut games = GamesWriter::create(&path, Phase::Train, 4).unwrap();
        games.add(5, 100, &records).unwrap();
        games.finish().unwrap();
        assert_eq!(read_games(&path).unwrap(), records);
        let find = |candidate, game| find_game(&path, candidate, game).unwrap();
        assert_eq!(find(5, 102), Some(records[2]));
        assert_eq!((find(5, 103), find(4, 100)), (None, None));
        write(&path, row_games("smooth", 3, &records)).unwrap();
        assert_eq!(read_games(&path).unwrap(), records);

        let between_two = Outcome::ALL.map(|outcome| GameRecord {
            score: 0,
            max_tile: 0,
            outcome: Some(outcome),
            ..records[0]
        });
        write(&path, row_games("first", 0, &between_two)).unwrap();
        assert_eq!(read_games(&path).unwrap(), between_two);

        let names = ["a", "b"];
        let row = |candidate| CandidateRow {
            generation: 3,
            candidate,
            fitness: 0.1 + f64::from(candidate),
            standard_error: 0.2,
            values: vec![f64::MIN_POSITIVE, 1.0 / 3.0],
        };
        write(&path, candidates(&names, &[row(0), row(1)])).unwrap();
        assert_eq!(read_candidates(&path, &names).unwrap(), [row(0), row(1)]);
        assert!(read_candidates(&path, &["c"]).is_err());
        assert!(
            read_games(&path)
                .unwrap_err()
                .to_string()
                .contains("no column `seed`")
        );

        let row = GenerationRow {
            generation: 3,
            run: 1,
            population: 12,
            games: 40,
            best: 4.0,
            mean: 3.0,
            median: 2.5,
            worst: 1.0,
            noise: 0.5,
            sigma: 0.2,
            axis_ratio: 1.5,
            center: vec![1.0, 2.0],
            spread: vec![0.1, 0.0],
        };
        write(&path, generation(&names, &row)).unwrap();
        assert_eq!(read_generation(&path, &names).unwrap(), row);
    }
}
