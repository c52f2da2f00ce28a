//! Files of games of campaigns, series and experiments: who played, and the records of [`game_columns`].
//! Which columns there are and what they mean is declared in [`columns`].
//!
//! [`game_columns`]: super::game_columns

use polars::prelude::{ChunkCompareEq, Column, IntoGroupsType, PolarsResult, UInt32Type};

use super::columns::{self, TableInfo};
use super::game_columns::record_columns;
use super::parquet::{Block, TableWriter, read};
use super::table::{Table, column, described};
use super::{Part, StoreError};
use tiletune_engine::player::Pairings;
use tiletune_engine::record::GameRecord;

/// Rows of a row group.
const ROWS_AT_ONCE: usize = 1 << 16;

/// The games of a file, with what all of them share.
#[derive(Clone, Copy, Debug)]
pub enum GamesOf<'a> {
    /// The candidates of a generation.
    Train {
        /// The generation.
        generation: u32,
        /// Its restart.
        restart: u32,
    },
    /// Final means in a race.
    Race,
    /// Weights in hold-out games.
    HoldOut {
        /// Their name.
        weights: &'a str,
    },
    /// Weights in hold-out games at another depth than that of the search.
    Deeper {
        /// The depth.
        depth: u8,
        /// The name of the weights.
        weights: &'a str,
    },
}

impl GamesOf<'_> {
    fn table(self) -> &'static TableInfo {
        match self {
            GamesOf::Train { .. } => &columns::TRAIN,
            GamesOf::Race => &columns::RACE,
            GamesOf::HoldOut { .. } => &columns::HOLD_OUT,
            GamesOf::Deeper { .. } => &columns::DEEPER,
        }
    }

    /// The column with the numbers of those who played.
    fn number(self) -> Option<&'static str> {
        match self {
            GamesOf::Train { .. } => Some("candidate"),
            GamesOf::Race => Some("finalist"),
            GamesOf::HoldOut { .. } | GamesOf::Deeper { .. } => None,
        }
    }

    /// The columns of these games. `keys` are candidate or finalist and number of each game.
    fn table_columns(
        self,
        keys: &[(u32, u32)],
        records: &[GameRecord],
        pairings: Option<&Pairings>,
    ) -> Vec<Column> {
        let mut columns = self.columns(keys);
        columns.push(column("game", keys, |key| key.1));
        columns.extend(record_columns(records, pairings));
        columns
    }

    /// The columns that say who played. `keys` are candidate or finalist and number of each game.
    fn columns(self, keys: &[(u32, u32)]) -> Vec<Column> {
        let number = |name| column(name, keys, |key| key.0);
        let weights = |name| column("weights", keys, |_| name);
        match self {
            GamesOf::Train {
                generation,
                restart,
            } => vec![
                column("generation", keys, |_| generation),
                column("restart", keys, |_| restart),
                number("candidate"),
            ],
            GamesOf::Race => vec![number("finalist")],
            GamesOf::HoldOut { weights: name } => vec![weights(name)],
            GamesOf::Deeper {
                depth,
                weights: name,
            } => vec![column("depth", keys, |_| u32::from(depth)), weights(name)],
        }
    }
}

/// Writes a file of games while they are played.
pub struct GamesWriter<'a> {
    writer: TableWriter<'a>,
    of: GamesOf<'a>,
    pairings: Option<Pairings>,
    /// Candidate or finalist and number of each game of `records`.
    keys: Vec<(u32, u32)>,
    records: Vec<GameRecord>,
}

impl<'a> GamesWriter<'a> {
    /// Begins a file, which exists under its name only when it is finished. `pairings` are those of the
    /// player, in a game for two.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(
        path: &'a Part,
        of: GamesOf<'a>,
        pairings: Option<Pairings>,
    ) -> Result<Self, StoreError> {
        Ok(GamesWriter {
            writer: TableWriter::create(path)?,
            of,
            pairings,
            keys: Vec::new(),
            records: Vec::new(),
        })
    }

    /// Adds consecutive games of one candidate or finalist (hold-out tables do not record this number);
    /// `first_game` is the number of the first.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn add(
        &mut self,
        number: u32,
        first_game: u32,
        games: &[GameRecord],
    ) -> Result<(), StoreError> {
        let numbers = (first_game..).take(games.len());
        self.keys.extend(numbers.map(|game| (number, game)));
        self.records.extend(games);
        if self.records.len() >= ROWS_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let (of, pairings) = (self.of, self.pairings.as_ref());
        let columns = of.table_columns(&self.keys, &self.records, pairings);
        self.keys.clear();
        self.records.clear();
        self.writer.write(described(self.of.table(), columns))
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

/// The table of the games of one row of an experiment, which has this name and number. `pairings` are those
/// of its player, in a game for two.
///
/// # Errors
/// None are known; polars checks the columns.
pub fn row_games(
    name: &str,
    number: u32,
    pairings: Option<&Pairings>,
    games: &[GameRecord],
) -> PolarsResult<Block> {
    described(&columns::ROWS, row_columns(name, number, pairings, games))
}

fn row_columns(
    name: &str,
    number: u32,
    pairings: Option<&Pairings>,
    games: &[GameRecord],
) -> Vec<Column> {
    let mut columns = vec![
        column("row", games, |_| name),
        column("row_number", games, |_| number),
        Column::new("game".into(), Vec::from_iter(0..games.len() as u32)),
    ];
    columns.extend(record_columns(games, pairings));
    columns
}

/// Reads the records of a file of games, in its order.
///
/// # Errors
/// If it is damaged or another table.
pub fn read_games(path: &Part) -> Result<Vec<GameRecord>, StoreError> {
    Table::read(path)?.game_records()
}

/// A game of a file of games with its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyedGame {
    /// Number of the candidate or finalist; 0 in hold-out games.
    pub number: u32,
    /// Number of the game.
    pub game: u32,
    /// The game.
    pub record: GameRecord,
}

/// Reads a file of these games with their numbers, in its order. `pairings` are those of the player, in a game
/// for two.
///
/// # Errors
/// If it is damaged or another table, or a column says something else of the games than the run: who played,
/// or the conditions of a game between two players.
pub fn read_keyed_games(
    path: &Part,
    of: GamesOf,
    pairings: Option<&Pairings>,
) -> Result<Vec<KeyedGame>, StoreError> {
    let table = Table::read(path)?;
    let records = table.game_records()?;
    let numbers = match of.number() {
        Some(column) => table.values::<UInt32Type>(column)?,
        None => vec![0; records.len()],
    };
    let games = table.values::<UInt32Type>("game")?;
    let keys: Vec<(u32, u32)> = numbers.into_iter().zip(games).collect();
    table.expect(&of.table_columns(&keys, &records, pairings))?;
    let keyed = keys.into_iter().zip(records);
    let keyed = keyed.map(|((number, game), record)| KeyedGame {
        number,
        game,
        record,
    });
    Ok(keyed.collect())
}

/// Reads the games of a row of an experiment that [`row_games`] has written with these arguments.
///
/// # Errors
/// If it is damaged or another table, or the games are of another row.
pub fn read_row_games(
    path: &Part,
    name: &str,
    number: u32,
    pairings: Option<&Pairings>,
) -> Result<Vec<GameRecord>, StoreError> {
    let table = Table::read(path)?;
    let games = table.game_records()?;
    table.expect(&row_columns(name, number, pairings, &games))?;
    Ok(games)
}

/// Finds a game by its number in a file of games. `played_by` is the column and the number of the candidate
/// or finalist; without it, the file must have games of one set of weights.
///
/// # Errors
/// If it is damaged or another table.
pub fn find_game(
    path: &Part,
    played_by: Option<(&str, u32)>,
    game: u32,
) -> Result<Option<GameRecord>, StoreError> {
    let mut table = Table::read(path)?;
    let mut is_found = table.column::<UInt32Type>("game")?.equal(game);
    if let Some((column, number)) = played_by {
        is_found = is_found & table.column::<UInt32Type>(column)?.equal(number);
    }
    let found = table.frame.filter_seq(&is_found);
    table.frame = found.map_err(|error| StoreError::damaged(path, error))?;
    Ok(table.game_records()?.first().copied())
}

/// Number of games of each candidate or finalist, whose numbers are in this column, in the order of their
/// first games. Reads only that column.
///
/// # Errors
/// If the file is damaged or another table.
pub fn count_games(path: &Part, column: &str) -> Result<Vec<(u32, u32)>, StoreError> {
    let table = Table {
        path,
        frame: read(path, Some(&[column]))?,
    };
    let numbers = table.column::<UInt32Type>(column)?;
    let groups = numbers.group_tuples(false, true);
    let groups = groups.map_err(|error| StoreError::damaged(path, error))?;
    let of_group = groups.iter().map(|group| {
        let number = numbers.get(group.first() as usize).unwrap_or_default();
        (number, group.len() as u32)
    });
    Ok(of_group.collect())
}

#[cfg(test)]
mod tests;
