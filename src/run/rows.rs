//! Records as table rows: the columns of the tables `games`, `candidates` and `generations`.

use std::path::Path;

use polars::df;
use polars::prelude::{
    BooleanType, ChunkCompareEq, ChunkedArray, Column, DataFrame, Float64Type, IntoGroupsType,
    NamedFrom, PolarsPhysicalType, PolarsResult, Series, StringType, UInt32Type, UInt64Type,
};

use super::StoreError;
use super::parquet::{TableWriter, read};
use crate::record::{CandidateRow, GameRecord, GameResult, GenerationRow, Outcome, Phase};

/// Rows of a row group of `games`.
const ROWS_AT_ONCE: usize = 1 << 16;

/// The table `games` of one phase and generation, written as the games come in.
pub struct GamesWriter<'a> {
    writer: TableWriter<'a>,
    phase: Phase,
    generation: u32,
    /// Candidate and number of each game of `records`.
    keys: Vec<(u32, u32)>,
    records: Vec<GameRecord>,
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
            keys: Vec::new(),
            records: Vec::new(),
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

    /// Makes the table appear.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn finish(mut self) -> Result<(), StoreError> {
        self.flush()?;
        self.writer.finish()
    }
}

/// The table `games` of one row of an experiment; its number stands in the place of a candidate's.
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

/// The columns of the records themselves: `outcome` where two play, otherwise `score`, `capped` and,
/// in a game with tiles, `max_tile`.
fn record_columns(games: &[GameRecord]) -> Vec<Column> {
    let mut columns = vec![column("seed", games, |game| game.seed)];
    let outcomes: Vec<&str> = games
        .iter()
        .filter_map(GameRecord::outcome)
        .map(Outcome::name)
        .collect();
    let is_between_two = !outcomes.is_empty();
    if is_between_two {
        columns.push(Column::new("outcome".into(), outcomes));
    } else {
        let scores: Vec<u64> = games.iter().filter_map(GameRecord::score).collect();
        let tiles: Vec<u32> = games.iter().filter_map(GameRecord::max_tile).collect();
        columns.push(Column::new("score".into(), scores));
        if !tiles.is_empty() {
            columns.push(Column::new("max_tile".into(), tiles));
        }
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
fn column<'a, Row, Value>(name: &str, rows: &'a [Row], value: impl Fn(&'a Row) -> Value) -> Column
where
    Series: NamedFrom<Vec<Value>, [Value]>,
{
    Column::new(name.into(), rows.iter().map(value).collect::<Vec<_>>())
}

/// Reads the game records of a `games` file, in its order.
///
/// # Errors
/// If it is damaged or no such table.
pub fn read_games(path: &Path) -> Result<Vec<GameRecord>, StoreError> {
    Table::read(path)?.game_records()
}

/// Finds a game of a candidate in a `games` file; `None` if it is not there.
///
/// # Errors
/// If it is damaged or no such table.
pub fn find_game(path: &Path, candidate: u32, game: u32) -> Result<Option<GameRecord>, StoreError> {
    let mut table = Table::read(path)?;
    let is_found = table.column::<UInt32Type>("candidate")?.equal(candidate)
        & table.column::<UInt32Type>("game")?.equal(game);
    let found = table.frame.filter_seq(&is_found);
    table.frame = found.map_err(|error| StoreError::damaged(path, error))?;
    Ok(table.game_records()?.first().copied())
}

/// How many games each candidate has in a `games` file, in the order of their first games. Only
/// the numbers of the candidates are read.
///
/// # Errors
/// If it is damaged or no such table.
pub fn count_games(path: &Path) -> Result<Vec<(u32, u32)>, StoreError> {
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

/// Columns of `candidates`: fitness, then each parameter as a value and as its bits, which no
/// reader can round.
///
/// # Errors
/// If a parameter has the name of another column.
pub fn candidates(names: &[&str], rows: &[CandidateRow]) -> PolarsResult<DataFrame> {
    let mut columns = vec![
        column("generation", rows, |row| row.generation),
        column("candidate", rows, |row| row.candidate),
        column("fitness", rows, |row| row.fitness),
        column("standard_error", rows, |row| row.standard_error),
    ];
    let parameters = || names.iter().enumerate();
    columns.extend(parameters().map(|(index, name)| column(name, rows, |row| row.values[index])));
    columns.extend(
        parameters()
            .map(|(index, name)| column(&bits_of(name), rows, |row| row.values[index].to_bits())),
    );
    DataFrame::new_infer_height(columns)
}

fn bits_of(name: &str) -> String {
    format!("{name}_bits")
}

/// Reads a `candidates` file.
///
/// # Errors
/// If it is damaged or has other parameters.
pub fn read_candidates(path: &Path, names: &[&str]) -> Result<Vec<CandidateRow>, StoreError> {
    let table = Table::read(path)?;
    let generation = table.values::<UInt32Type>("generation")?;
    let candidate = table.values::<UInt32Type>("candidate")?;
    let fitness = table.values::<Float64Type>("fitness")?;
    let standard_error = table.values::<Float64Type>("standard_error")?;
    let bits = names
        .iter()
        .map(|name| table.values::<UInt64Type>(&bits_of(name)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok((0..table.frame.height())
        .map(|row| CandidateRow {
            generation: generation[row],
            candidate: candidate[row],
            fitness: fitness[row],
            standard_error: standard_error[row],
            values: bits.iter().map(|bits| f64::from_bits(bits[row])).collect(),
        })
        .collect())
}

/// Columns of `generations`, of one generation: numbers, fitness, distribution, then the center
/// (a value) and the spread (in unit coordinates) of each parameter.
///
/// # Errors
/// None are known; polars checks the columns.
pub fn generation(names: &[&str], row: &GenerationRow) -> PolarsResult<DataFrame> {
    let mut table = df!(
        "generation" => [row.generation],
        "run" => [row.run],
        "population" => [row.population],
        "games" => [row.games],
        "best" => [row.best],
        "mean" => [row.mean],
        "median" => [row.median],
        "worst" => [row.worst],
        "noise" => [row.noise],
        "sigma" => [row.sigma],
        "axis_ratio" => [row.axis_ratio],
    )?;
    for (kind, values) in [("center", &row.center), ("spread", &row.spread)] {
        for (name, value) in names.iter().zip(values) {
            let name = format!("{kind}_{name}");
            table.with_column(Column::new(name.into(), [*value]))?;
        }
    }
    Ok(table)
}

/// Reads a `generations` file, which holds one row.
///
/// # Errors
/// If it is damaged or has other parameters.
pub fn read_generation(path: &Path, names: &[&str]) -> Result<GenerationRow, StoreError> {
    let table = Table::read(path)?;
    if table.frame.height() != 1 {
        return Err(StoreError::damaged(path, "one row was expected"));
    }
    let number = |name: &str| Ok(table.values::<UInt32Type>(name)?[0]);
    let value = |name: &str| Ok(table.values::<Float64Type>(name)?[0]);
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
struct Table<'a> {
    path: &'a Path,
    frame: DataFrame,
}

impl<'a> Table<'a> {
    fn read(path: &'a Path) -> Result<Self, StoreError> {
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

    fn values<T: PolarsPhysicalType>(
        &self,
        name: &str,
    ) -> Result<Vec<T::Physical<'_>>, StoreError> {
        // There are no null values to leave out.
        Ok(self.column::<T>(name)?.iter().flatten().collect())
    }

    fn game_records(&self) -> Result<Vec<GameRecord>, StoreError> {
        let seed = self.values::<UInt64Type>("seed")?;
        let moves = self.values::<UInt32Type>("moves")?;
        let leaves = self.values::<UInt64Type>("leaf_evaluations")?;
        let results = match self.outcomes()? {
            Some(outcomes) => outcomes.into_iter().map(GameResult::Outcome).collect(),
            None => self.scores()?,
        };
        let rows = results.into_iter().enumerate();
        Ok(rows
            .map(|(row, result)| GameRecord {
                seed: seed[row],
                result,
                moves: moves[row],
                leaf_evaluations: leaves[row],
            })
            .collect())
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
        let rows = score.into_iter().zip(max_tile).zip(capped);
        Ok(rows
            .map(|((score, max_tile), capped)| GameResult::Score {
                score,
                max_tile,
                capped,
            })
            .collect())
    }

    /// The column `outcome`, which the tables of games of one player do not have.
    fn outcomes(&self) -> Result<Option<Vec<Outcome>>, StoreError> {
        if self.frame.column("outcome").is_err() {
            return Ok(None);
        }
        let names = self.values::<StringType>("outcome")?;
        let outcomes = names.into_iter().map(|name| {
            let mut all = Outcome::ALL.into_iter();
            all.find(|outcome| outcome.name() == name).ok_or_else(|| {
                StoreError::damaged(self.path, format!("`{name}` is no outcome of a game"))
            })
        });
        outcomes.collect::<Result<_, _>>().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::parquet::write;

    #[test]
    fn records_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");

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
