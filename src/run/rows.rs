//! The columns of the tables `games`, `candidates` and `generations`.

use polars::prelude::{
    BooleanType, ChunkCompareEq, ChunkedArray, Column, DataFrame, Float64Type, IntoGroupsType,
    NamedFrom, PolarsPhysicalType, PolarsResult, Series, StringType, UInt32Type, UInt64Type,
};

use super::parquet::{TableWriter, read};
use super::{Part, StoreError};
use crate::record::{
    CandidateRow, FinalistRow, GameRecord, GameResult, GenerationRow, Outcome, Phase,
};

/// Rows of a row group of `games`.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Writes the table `games` of one phase and generation while the games are played.
pub struct GamesWriter<'a> {
    writer: TableWriter<'a>,
    phase: Phase,
    generation: u32,
    /// Candidate and number of each game of `records`.
    keys: Vec<(u32, u32)>,
    records: Vec<GameRecord>,
}

impl<'a> GamesWriter<'a> {
    /// Begins a file, which exists under its name only when it is finished.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &'a Part, phase: Phase, generation: u32) -> Result<Self, StoreError> {
        Ok(GamesWriter {
            writer: TableWriter::create(path)?,
            phase,
            generation,
            keys: Vec::new(),
            records: Vec::new(),
        })
    }

    /// The generation.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Adds consecutive games of one candidate; `first_game` is the number of the first.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn add(
        &mut self,
        candidate: u32,
        first_game: u32,
        games: &[GameRecord],
    ) -> Result<(), StoreError> {
        let numbers = (first_game..).take(games.len());
        self.keys.extend(numbers.map(|game| (candidate, game)));
        self.records.extend(games);
        if self.records.len() >= ROWS_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let mut columns = vec![
            column("phase", &self.keys, |_| self.phase.name()),
            column("generation", &self.keys, |_| self.generation),
            column("candidate", &self.keys, |key| key.0),
            column("game", &self.keys, |key| key.1),
        ];
        columns.extend(record_columns(&self.records));
        self.keys.clear();
        self.records.clear();
        self.writer.write(DataFrame::new_infer_height(columns))
    }

    /// Completes the table.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn finish(mut self) -> Result<(), StoreError> {
        self.flush()?;
        self.writer.finish()
    }
}

/// The table `games` of one row of an experiment; the column `candidate` contains the row's number.
///
/// # Errors
/// None are known; polars checks the columns.
pub fn row_games(name: &str, number: u32, games: &[GameRecord]) -> PolarsResult<DataFrame> {
    let mut columns = vec![
        column("row", games, |_| name),
        column("candidate", games, |_| number),
        Column::new("game".into(), Vec::from_iter(0..games.len() as u32)),
    ];
    columns.extend(record_columns(games));
    DataFrame::new_infer_height(columns)
}

/// The columns of the records: `outcome` for games between two players; for games of one player `score`,
/// `capped` and, if the game has tiles, `max_tile`.
pub(super) fn record_columns(games: &[GameRecord]) -> Vec<Column> {
    let mut columns = vec![column("seed", games, |game| game.seed)];
    let outcomes = games.iter().filter_map(GameRecord::outcome);
    let outcomes: Vec<&str> = outcomes.map(Outcome::name).collect();
    let scores: Vec<u64> = games.iter().filter_map(GameRecord::score).collect();
    let tiles: Vec<u32> = games.iter().filter_map(GameRecord::max_tile).collect();
    let is_between_two = !outcomes.is_empty();
    if is_between_two {
        columns.push(Column::new("outcome".into(), outcomes));
    } else {
        columns.push(Column::new("score".into(), scores));
    }
    if !tiles.is_empty() {
        columns.push(Column::new("max_tile".into(), tiles));
    }
    columns.push(column("moves", games, |game| game.moves));
    columns.push(column("leaf_evaluations", games, |game| {
        game.leaf_evaluations
    }));
    if !is_between_two {
        columns.push(column("capped", games, GameRecord::is_capped));
    }
    columns
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

/// Reads the game records of a `games` file, in its order.
///
/// # Errors
/// If it is damaged or another table.
pub fn read_games(path: &Part) -> Result<Vec<GameRecord>, StoreError> {
    Table::read(path)?.game_records()
}

/// A game of a `games` file with its keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyedGame {
    /// Number of the candidate.
    pub candidate: u32,
    /// Number of the game of the candidate.
    pub game: u32,
    /// The game.
    pub record: GameRecord,
}

/// Reads a `games` file with the keys of the games, in its order.
///
/// # Errors
/// If it is damaged or another table.
pub fn read_keyed_games(path: &Part) -> Result<Vec<KeyedGame>, StoreError> {
    let table = Table::read(path)?;
    let candidates = table.values::<UInt32Type>("candidate")?;
    let numbers = table.values::<UInt32Type>("game")?;
    let games = table
        .game_records()?
        .into_iter()
        .zip(candidates)
        .zip(numbers);
    let keyed = games.map(|((record, candidate), game)| KeyedGame {
        candidate,
        game,
        record,
    });
    Ok(keyed.collect())
}

/// Finds a game of a candidate in a `games` file.
///
/// # Errors
/// If it is damaged or another table.
pub fn find_game(path: &Part, candidate: u32, game: u32) -> Result<Option<GameRecord>, StoreError> {
    let mut table = Table::read(path)?;
    let is_found = table.column::<UInt32Type>("candidate")?.equal(candidate)
        & table.column::<UInt32Type>("game")?.equal(game);
    let found = table.frame.filter_seq(&is_found);
    table.frame = found.map_err(|error| StoreError::damaged(path, error))?;
    Ok(table.game_records()?.first().copied())
}

/// Number of games of each candidate in a `games` file, in the order of their first games. Reads only
/// the numbers of the candidates.
///
/// # Errors
/// If it is damaged or another table.
pub fn count_games(path: &Part) -> Result<Vec<(u32, u32)>, StoreError> {
    let table = Table {
        path,
        frame: read(path, Some(&["candidate"]))?,
    };
    let candidates = table.column::<UInt32Type>("candidate")?;
    let groups = candidates.group_tuples(false, true);
    let groups = groups.map_err(|error| StoreError::damaged(path, error))?;
    let of_group = groups.iter().map(|group| {
        let candidate = candidates.get(group.first() as usize).unwrap_or_default();
        (candidate, group.len() as u32)
    });
    Ok(of_group.collect())
}

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
    generation UInt32Type, candidate UInt32Type, fitness Float64Type, standard_error Float64Type;
    values);

columns_of!(GenerationRow, columns_of_generations, rows_of_generations:
    generation UInt32Type, run UInt32Type, population UInt32Type, games UInt32Type,
    best Float64Type, mean Float64Type, median Float64Type, worst Float64Type, noise Float64Type,
    residual Float64Type, signal Float64Type, games_needed Float64Type, gain Float64Type, sigma Float64Type, axis_ratio Float64Type;
    center, spread);

/// Columns of `candidates`: fitness, then each parameter as a value and as its bits, which no reader
/// can round.
///
/// # Errors
/// If a parameter has the name of another column.
pub fn candidates(names: &[&str], rows: &[CandidateRow]) -> PolarsResult<DataFrame> {
    let mut columns = columns_of_candidates(rows);
    for (index, name) in names.iter().enumerate() {
        columns.push(column(name, rows, |row| row.values[index]));
    }
    for (index, name) in names.iter().enumerate() {
        columns.push(column(&bits_of(name), rows, |row| {
            row.values[index].to_bits()
        }));
    }
    DataFrame::new_infer_height(columns)
}

/// Columns of `finalists`: those of `candidates`, and games and elimination in the race.
///
/// # Errors
/// If a parameter has the name of another column.
pub fn finalists(names: &[&str], rows: &[FinalistRow]) -> PolarsResult<DataFrame> {
    let of_candidates: Vec<CandidateRow> =
        rows.iter().map(|finalist| finalist.row.clone()).collect();
    let mut table = candidates(names, &of_candidates)?;
    table.with_column(column("games", rows, |row| row.games))?;
    table.with_column(column("eliminated", rows, |row| row.eliminated))?;
    Ok(table)
}

fn bits_of(name: &str) -> String {
    format!("{name}_bits")
}

/// Reads a `candidates` file.
///
/// # Errors
/// If it is damaged or has other parameters.
pub fn read_candidates(path: &Part, names: &[&str]) -> Result<Vec<CandidateRow>, StoreError> {
    let table = Table::read(path)?;
    let mut rows = rows_of_candidates(&table)?;
    for name in names {
        let bits = table.values::<UInt64Type>(&bits_of(name))?;
        for (row, bits) in rows.iter_mut().zip(bits) {
            row.values.push(f64::from_bits(bits));
        }
    }
    Ok(rows)
}

/// Columns of `generations`, of one generation: numbers, fitness, distribution, then the center
/// (a value) and the spread (in unit coordinates) of each parameter.
///
/// # Errors
/// None are known; polars checks the columns.
pub fn generation(names: &[&str], row: &GenerationRow) -> PolarsResult<DataFrame> {
    let mut columns = columns_of_generations(std::slice::from_ref(row));
    for (kind, values) in [("center", &row.center), ("spread", &row.spread)] {
        for (name, value) in names.iter().zip(values) {
            columns.push(Column::new(format!("{kind}_{name}").into(), [*value]));
        }
    }
    DataFrame::new_infer_height(columns)
}

/// Reads a `generations` file, which holds one row.
///
/// # Errors
/// If it is damaged or has other parameters.
pub fn read_generation(path: &Part, names: &[&str]) -> Result<GenerationRow, StoreError> {
    let table = Table::read(path)?;
    let Ok([mut row]) = <[GenerationRow; 1]>::try_from(rows_of_generations(&table)?) else {
        return Err(StoreError::damaged(path, "one row was expected"));
    };
    for (kind, values) in [("center", &mut row.center), ("spread", &mut row.spread)] {
        for name in names {
            values.extend(table.values::<Float64Type>(&format!("{kind}_{name}"))?);
        }
    }
    Ok(row)
}

/// A table read from a file. Its columns are accessed by name and type.
pub(super) struct Table<'a> {
    path: &'a Part,
    frame: DataFrame,
}

impl<'a> Table<'a> {
    pub(super) fn read(path: &'a Part) -> Result<Self, StoreError> {
        let frame = read(path, None)?;
        Ok(Table { path, frame })
    }

    fn column<T: PolarsPhysicalType>(&self, name: &str) -> Result<&ChunkedArray<T>, StoreError> {
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

    pub(super) fn game_records(&self) -> Result<Vec<GameRecord>, StoreError> {
        let seed = self.values::<UInt64Type>("seed")?;
        let moves = self.values::<UInt32Type>("moves")?;
        let leaves = self.values::<UInt64Type>("leaf_evaluations")?;
        let results = match self.frame.column("outcome") {
            Ok(_) => self.outcomes()?,
            Err(_) => self.scores()?,
        };
        let record = |row| GameRecord {
            seed: seed[row],
            result: results[row],
            moves: moves[row],
            leaf_evaluations: leaves[row],
        };
        Ok((0..seed.len()).map(record).collect())
    }

    /// The columns of games of one player.
    fn scores(&self) -> Result<Vec<GameResult>, StoreError> {
        let score = self.values::<UInt64Type>("score")?;
        let max_tile = match self.frame.column("max_tile") {
            Ok(_) => {
                let tiles = self.values::<UInt32Type>("max_tile")?;
                tiles.into_iter().map(Some).collect()
            }
            // The game has no tiles.
            Err(_) => vec![None; score.len()],
        };
        let capped = self.values::<BooleanType>("capped")?;
        let row = |row| GameResult::Score {
            score: score[row],
            max_tile: max_tile[row],
            capped: capped[row],
        };
        Ok((0..score.len()).map(row).collect())
    }

    /// The column of games between two players.
    fn outcomes(&self) -> Result<Vec<GameResult>, StoreError> {
        let names = self.values::<StringType>("outcome")?;
        let outcomes = names.into_iter().map(|name| {
            let mut all = Outcome::ALL.into_iter();
            let outcome = all.find(|outcome| outcome.name() == name);
            let outcome = outcome.map(GameResult::Outcome);
            let unknown = || format!("`{name}` is not an outcome of a game");
            outcome.ok_or_else(|| StoreError::damaged(self.path, unknown()))
        });
        outcomes.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::parquet::write;

    #[test]
    fn records_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = Part::outside(folder.path().join("table.parquet"));

        let record = |seed| GameRecord {
            seed,
            result: GameResult::Score {
                score: seed * 3,
                max_tile: Some(2048),
                capped: seed == 2,
            },
            moves: 7,
            leaf_evaluations: 9,
        };
        let records = [record(1), record(2), record(u64::MAX / 3)];
        let mut games = GamesWriter::create(&path, Phase::Train, 4).unwrap();
        games.add(5, 100, &records).unwrap();
        games.finish().unwrap();
        assert_eq!(read_games(&path).unwrap(), records);
        assert_eq!(count_games(&path).unwrap(), [(5, 3)]);
        let find = |candidate, game| find_game(&path, candidate, game).unwrap();
        assert_eq!(find(5, 102), Some(records[2]));
        assert_eq!((find(5, 103), find(4, 100)), (None, None));
        write(&path, row_games("smooth", 3, &records)).unwrap();
        assert_eq!(read_games(&path).unwrap(), records);

        let between_two = Outcome::ALL.map(|outcome| GameRecord {
            result: GameResult::Outcome(outcome),
            ..records[0]
        });
        write(&path, row_games("first", 0, &between_two)).unwrap();
        assert_eq!(read_games(&path).unwrap(), between_two);

        let without_tiles = [GameRecord {
            result: GameResult::scored(5),
            ..records[0]
        }];
        write(&path, row_games("first", 0, &without_tiles)).unwrap();
        assert_eq!(read_games(&path).unwrap(), without_tiles);

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
        let finalist = |index| FinalistRow::new(row(index), 500, index == 1);
        write(&path, finalists(&names, &[finalist(0), finalist(1)])).unwrap();
        assert_eq!(read_candidates(&path, &names).unwrap(), [row(0), row(1)]);
        let table = Table::read(&path).unwrap();
        assert_eq!(table.values::<UInt32Type>("games").unwrap(), [500, 500]);
        assert_eq!(
            table.values::<BooleanType>("eliminated").unwrap(),
            [false, true]
        );
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
            residual: 0.4,
            signal: 0.6,
            games_needed: 12.5,
            gain: 0.7,
            sigma: 0.2,
            axis_ratio: 1.5,
            center: vec![1.0, 2.0],
            spread: vec![0.1, 0.0],
        };
        write(&path, generation(&names, &row)).unwrap();
        assert_eq!(read_generation(&path, &names).unwrap(), row);
    }
}
