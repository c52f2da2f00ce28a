//! The tables of games: who played, and the record of the game.

use std::collections::HashMap;
use std::sync::Arc;

use super::file::{StoredTable, TableBlock, TableWriter};
use super::{DEEPER, HOLD_OUT, RACE, ROWS, START, TRAIN, TableInfo};
use crate::run::{RunFile, StoreError};
use tiletune_engine::player::Pairings;
use tiletune_engine::record::{GameRecord, GameResult, Names, Numbers, Outcome};
use tiletune_tuning::results::{Column, ColumnValue, Row, RowSource, ValueType, name_of_column};

/// Rows of a row group.
const ROWS_AT_ONCE: usize = 1 << 16;

tiletune_tuning::row! {
    /// Who played a training game.
    pub(super) struct TrainKey {
        /// Number of the generation, from 0 over all restarts.
        generation: u32,
        /// Number of the restart that the generation belongs to; 0 is the first search.
        restart: u32,
        /// Number of the candidate within its generation, from 0.
        candidate: u32,
        /// Number of the game, from 0; games with the same number and generation have the same seed.
        game: u32,
    }
}

tiletune_tuning::row! {
    /// A game of the start weights at the beginning of a campaign.
    pub(super) struct StartKey {
        /// Number of the game, from 0.
        game: u32,
    }
}

tiletune_tuning::row! {
    /// Who played a game of a race.
    pub(super) struct RaceKey {
        /// Number of the finalist: that of its restart, of random its rank, in a series that of its run minus 1. Against
        /// challengers: 0 is the final mean; then the start, the best candidates, the mean without a term.
        finalist: u32,
        /// Number of the game, from 0; games with the same number have the same seed.
        game: u32,
    }
}

tiletune_tuning::row! {
    /// Who played a hold-out game.
    pub(super) struct HoldOutKey {
        /// Who played: `start` or `tuned`; in a series `start`, `run-1`, `run-2` and so on.
        weights: Arc<str>,
        /// Number of the game, from 0; games with the same number have the same seed.
        game: u32,
    }
}

tiletune_tuning::row! {
    /// Who played a hold-out game at another depth.
    pub(super) struct DeeperKey {
        /// Search depth of the player in the game.
        depth: u32,
        /// Who played: `start` or `tuned`.
        weights: Arc<str>,
        /// Number of the game, from 0; games with the same number have the same seed.
        game: u32,
    }
}

tiletune_tuning::row! {
    /// Who played a game of an experiment.
    pub(super) struct RowKey {
        /// Name of the row of the experiment file.
        row: Arc<str>,
        /// Number of the row, from 0.
        row_number: u32,
        /// Number of the game, from 0; games with the same number have the same seed.
        game: u32,
    }
}

tiletune_tuning::row! {
    /// A game for one player.
    pub(super) struct ScoreRow {
        /// Seed of the game; it can exceed 2^53, so do not convert it to a floating-point number.
        seed: u64,
        /// Score at the end.
        score: u64 => "points",
        /// Games that have tiles: largest tile at the end, for example 2048.
        max_tile: Option<u32> => "tile value",
        /// Of a player with several settings: that of this game, for example `depth 2`.
        setting: Option<Arc<str>>,
        /// Number of moves.
        moves: u32 => "moves",
        /// Number of boards that the player's heuristic valued.
        leaf_evaluations: u64 => "boards",
        /// Two of the largest possible tiles met and did not merge, so the game no longer follows the usual rules.
        capped: bool,
    }
}

tiletune_tuning::row! {
    /// A game for two players.
    pub(super) struct OutcomeRow {
        /// Seed of the game; it can exceed 2^53, so do not convert it to a floating-point number.
        seed: u64,
        /// The opponent in this game; no column in direct matches.
        opponent: Option<Arc<str>>,
        /// `first` if the player that is tuned or evaluated makes the first move after the opening, else `second`;
        /// no column in direct matches.
        side: Option<Arc<str>>,
        /// Number of the opening; games with the same number begin with the same position; no column in direct
        /// matches.
        opening: Option<u64>,
        /// `win`, `draw` or `loss` of the player that is tuned or evaluated.
        outcome: Arc<str>,
        /// Number of moves of both, without the opening.
        moves: u32 => "moves",
        /// Number of boards that the player's heuristic valued.
        leaf_evaluations: u64 => "boards",
    }
}

tiletune_tuning::row! {
    /// A game that a program plays.
    pub(super) struct NumbersRow {
        /// Seed of the game; it can exceed 2^53, so do not convert it to a floating-point number.
        seed: u64,
        /// Score of the program, larger is better. If the program failed in this game, it is no number (NaN), and
        /// minus infinity if it refused the weights: the game counts as worse than those that it is compared with.
        score: f64,
        /// Number of the program, beside the score; no number (NaN) in a game without a score.
        numbers ("<number>"): Vec<f64>,
    }
}

/// The conditions of a game between two players, or of a player with several settings.
#[derive(Clone)]
pub(super) struct Condition {
    setting: Option<Arc<str>>,
    opponent: Option<Arc<str>>,
    side: Arc<str>,
    opening: u64,
}

/// The conditions of the game with this seed, from the pairings of its player.
pub(super) fn pairing_of(pairings: Option<&Pairings>, seed: u64) -> Option<Condition> {
    let pairing = pairings?.of_seed(seed);
    Some(Condition {
        setting: pairing.setting.map(Arc::from),
        opponent: pairing.opponent.map(Arc::from),
        side: if pairing.moves_first {
            "first"
        } else {
            "second"
        }
        .into(),
        opening: pairing.opening,
    })
}

/// The columns of records with the conditions of each. All records must be of the same kind of game.
pub(super) fn record_columns(
    games: &[GameRecord],
    conditions: Vec<Option<Condition>>,
) -> Vec<Column> {
    match games.first().map(|game| &game.result) {
        None | Some(GameResult::Score { .. }) => {
            let rows = games
                .iter()
                .zip(conditions)
                .map(|(game, condition)| ScoreRow {
                    seed: game.seed,
                    score: game.score().unwrap_or_default(),
                    max_tile: game.max_tile(),
                    setting: condition.and_then(|one| one.setting),
                    moves: game.moves,
                    leaf_evaluations: game.leaf_evaluations,
                    capped: game.is_capped(),
                });
            ScoreRow::columns(&rows.collect::<Vec<_>>(), &[])
        }
        Some(GameResult::Outcome(_)) => {
            let rows = games.iter().zip(conditions).map(|(game, condition)| {
                let outcome = game.outcome().map_or("", Outcome::name);
                OutcomeRow {
                    seed: game.seed,
                    opponent: condition.as_ref().and_then(|one| one.opponent.clone()),
                    side: condition.as_ref().map(|one| Arc::clone(&one.side)),
                    opening: condition.map(|one| one.opening),
                    outcome: outcome.into(),
                    moves: game.moves,
                    leaf_evaluations: game.leaf_evaluations,
                }
            });
            OutcomeRow::columns(&rows.collect::<Vec<_>>(), &[])
        }
        Some(GameResult::Numbers(first)) => {
            let rows = games.iter().filter_map(|game| {
                let numbers = game.numbers()?;
                Some(NumbersRow {
                    seed: game.seed,
                    score: numbers.score(),
                    numbers: numbers.others().map(|(_, value)| value).collect(),
                })
            });
            let names = first.names().list().iter().map(String::as_str);
            NumbersRow::columns(&rows.collect::<Vec<_>>(), &names.collect::<Vec<_>>())
        }
    }
}

impl StoredTable<'_> {
    /// The records of a table of games. The columns show the kind of game.
    pub(super) fn game_records(&self) -> Result<Vec<GameRecord>, StoreError> {
        if self.has("outcome") {
            let rows = OutcomeRow::read(self, &[])?.into_iter();
            let record = |row: OutcomeRow| {
                let mut outcomes = Outcome::ALL.into_iter();
                let outcome = outcomes.find(|one| one.name() == &*row.outcome);
                let unknown = || format!("`{}` is not an outcome of a game", row.outcome);
                Ok(GameRecord {
                    seed: row.seed,
                    result: GameResult::Outcome(
                        outcome.ok_or_else(|| StoreError::damaged(self.path, unknown()))?,
                    ),
                    moves: row.moves,
                    leaf_evaluations: row.leaf_evaluations,
                })
            };
            return rows.map(record).collect();
        }
        if self.values("score", ValueType::F64).is_ok() {
            // No other column of such a table is a floating-point number.
            let names = self.names_of(ValueType::F64);
            let names = names.filter(|name| *name != "score");
            let names = names.map(|name| name_of_column(name, NumbersRow::COLUMNS));
            let names: Vec<&str> = names.collect();
            let rows = NumbersRow::read(self, &names)?.into_iter();
            let names = Names::new(&names);
            let record = |row: NumbersRow| {
                let numbers = Numbers::new(row.score, names.clone(), &row.numbers);
                GameRecord::of_program(row.seed, numbers)
            };
            return Ok(rows.map(record).collect());
        }
        let record = |row: ScoreRow| GameRecord {
            seed: row.seed,
            result: GameResult::Score {
                score: row.score,
                max_tile: row.max_tile,
                capped: row.capped,
            },
            moves: row.moves,
            leaf_evaluations: row.leaf_evaluations,
        };
        Ok(ScoreRow::read(self, &[])?.into_iter().map(record).collect())
    }

    fn numbers(&self, column: &str) -> Result<Vec<u32>, StoreError> {
        Ok(u32::unpack(self.values(column, ValueType::U32)?))
    }
}

/// The games of a file, with their common properties.
#[derive(Clone, Copy, Debug)]
pub enum GamesOf<'a> {
    /// The candidates of a generation.
    Train {
        /// Number of the generation, from 0.
        generation: u32,
        /// Number of its restart.
        restart: u32,
    },
    /// The start weights at the beginning of a campaign.
    Start,
    /// Final means in a race.
    Race,
    /// Weights in hold-out games.
    HoldOut {
        /// Their name.
        weights: &'a str,
    },
    /// Weights in hold-out games at another depth than that of the search.
    Deeper {
        /// The search depth.
        depth: u8,
        /// The name of the weights.
        weights: &'a str,
    },
    /// A row of an experiment.
    Row {
        /// Name of the row.
        name: &'a str,
        /// Number of the row.
        number: u32,
    },
}

impl GamesOf<'_> {
    fn table(self) -> &'static TableInfo {
        match self {
            GamesOf::Train { .. } => &TRAIN,
            GamesOf::Start => &START,
            GamesOf::Race => &RACE,
            GamesOf::HoldOut { .. } => &HOLD_OUT,
            GamesOf::Deeper { .. } => &DEEPER,
            GamesOf::Row { .. } => &ROWS,
        }
    }

    /// The column with the numbers of the candidates or finalists.
    fn number(self) -> Option<&'static str> {
        match self {
            GamesOf::Train { .. } => Some("candidate"),
            GamesOf::Race => Some("finalist"),
            GamesOf::Start
            | GamesOf::HoldOut { .. }
            | GamesOf::Deeper { .. }
            | GamesOf::Row { .. } => None,
        }
    }

    /// The table of these games. `keys` has the number of the candidate or finalist, and the number of the game.
    fn block(
        self,
        keys: &[(u32, u32)],
        records: &[GameRecord],
        pairings: Option<&Pairings>,
    ) -> TableBlock {
        fn columns<Key: Row>(keys: &[(u32, u32)], key: impl Fn(u32, u32) -> Key) -> Vec<Column> {
            let keys = keys.iter().map(|&(number, game)| key(number, game));
            Key::columns(&keys.collect::<Vec<_>>(), &[])
        }
        let mut columns = match self {
            GamesOf::Train {
                generation,
                restart,
            } => columns(keys, |candidate, game| TrainKey {
                generation,
                restart,
                candidate,
                game,
            }),
            GamesOf::Start => columns(keys, |_, game| StartKey { game }),
            GamesOf::Race => columns(keys, |finalist, game| RaceKey { finalist, game }),
            GamesOf::HoldOut { weights } => {
                let weights: Arc<str> = weights.into();
                columns(keys, |_, game| HoldOutKey {
                    weights: Arc::clone(&weights),
                    game,
                })
            }
            GamesOf::Deeper { depth, weights } => {
                let (depth, weights): (_, Arc<str>) = (depth.into(), weights.into());
                columns(keys, |_, game| DeeperKey {
                    depth,
                    weights: Arc::clone(&weights),
                    game,
                })
            }
            GamesOf::Row { name, number } => {
                let row: Arc<str> = name.into();
                columns(keys, |_, game| RowKey {
                    row: Arc::clone(&row),
                    row_number: number,
                    game,
                })
            }
        };
        let conditions = records.iter().map(|game| pairing_of(pairings, game.seed));
        columns.extend(record_columns(records, conditions.collect()));
        TableBlock::new(self.table(), columns)
    }
}

/// Writes a file of games while they are played.
pub struct GamesWriter<'a> {
    writer: TableWriter<'a>,
    of: GamesOf<'a>,
    pairings: Option<Pairings>,
    /// For each game of `records`: number of the candidate or finalist, and number of the game.
    keys: Vec<(u32, u32)>,
    records: Vec<GameRecord>,
}

impl<'a> GamesWriter<'a> {
    /// Begins a file. It gets its name only when it is finished. `pairings` are those of the player, in a game for two.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(
        path: &'a RunFile,
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
        self.records.extend_from_slice(games);
        if self.records.len() >= ROWS_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let pairings = self.pairings.as_ref();
        let block = self.of.block(&self.keys, &self.records, pairings);
        self.keys.clear();
        self.records.clear();
        self.writer.write(&block)
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

/// The table of the games of one row of an experiment. `pairings` are those of its player, in a game for two.
pub fn row_games(
    name: &str,
    number: u32,
    pairings: Option<&Pairings>,
    games: &[GameRecord],
) -> TableBlock {
    let keys: Vec<(u32, u32)> = (0..games.len() as u32).map(|game| (0, game)).collect();
    GamesOf::Row { name, number }.block(&keys, games, pairings)
}

/// Reads the records of a file of games, in its order.
///
/// # Errors
/// If it is damaged or another table.
pub fn read_games(path: &RunFile) -> Result<Vec<GameRecord>, StoreError> {
    StoredTable::read(path)?.game_records()
}

/// A game of a file of games with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedGame {
    /// Number of the candidate or finalist; 0 in other games.
    pub number: u32,
    /// Number of the game.
    pub game: u32,
    /// The game.
    pub record: GameRecord,
}

/// Reads a file of games of a run with their numbers. `pairings` are those of the player, in a game
/// for two.
///
/// # Errors
/// If it is damaged or another table, or contradicts the run in who played or in the conditions of a game between two
/// players.
pub fn read_keyed_games(
    path: &RunFile,
    of: GamesOf,
    pairings: Option<&Pairings>,
) -> Result<Vec<KeyedGame>, StoreError> {
    let table = StoredTable::read(path)?;
    let records = table.game_records()?;
    let numbers = match of.number() {
        Some(column) => table.numbers(column)?,
        None => vec![0; records.len()],
    };
    let keys: Vec<(u32, u32)> = numbers.into_iter().zip(table.numbers("game")?).collect();
    table.expect(&of.block(&keys, &records, pairings).columns)?;
    let keyed = keys.into_iter().zip(records);
    let keyed = keyed.map(|((number, game), record)| KeyedGame {
        number,
        game,
        record,
    });
    Ok(keyed.collect())
}

/// Number of games of each candidate or finalist, in the order of their first games. `column` has the numbers of the
/// candidates or finalists; only this column is read.
///
/// # Errors
/// If the file is damaged or another table.
pub fn count_games(path: &RunFile, column: &str) -> Result<Vec<(u32, u32)>, StoreError> {
    let table = StoredTable::of(path, path.read()?, Some(&[column]))?;
    let mut places = HashMap::new();
    let mut counts: Vec<(u32, u32)> = Vec::new();
    for number in table.numbers(column)? {
        let place = *places.entry(number).or_insert(counts.len());
        match counts.get_mut(place) {
            Some((_, games)) => *games += 1,
            None => counts.push((number, 1)),
        }
    }
    Ok(counts)
}

#[cfg(test)]
#[path = "games_tests.rs"]
mod tests;
