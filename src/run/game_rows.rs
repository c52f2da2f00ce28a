//! The columns of the tables of games of campaigns, series and experiments. Which columns there are and what
//! they mean is declared in [`columns`].

use polars::prelude::{
    BooleanType, ChunkCompareEq, Column, Float64Type, IntoGroupsType, PolarsResult, StringType,
    UInt32Type, UInt64Type,
};

use super::columns::{self, TableInfo};
use super::parquet::{Block, TableWriter, read};
use super::table::{Table, column, described};
use super::{Part, StoreError};
use crate::player::Pairings;
use crate::record::{GameRecord, GameResult, Names, Numbers, Outcome};

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

/// The columns of the records: of games between two players `outcome` and, with `pairings`, the conditions
/// of the game; of games of one player `score`, `capped` and, if the game has tiles, `max_tile`.
fn record_columns(games: &[GameRecord], pairings: Option<&Pairings>) -> Vec<Column> {
    let mut columns = vec![column("seed", games, |game| game.seed)];
    if let Some(pairings) = pairings {
        columns.extend(pairing_columns(games, |_| pairings));
    }
    columns.extend(result_columns(games));
    columns
}

/// The conditions of games between two players, each with the pairings of its player.
pub(super) fn pairing_columns<'a>(
    games: &[GameRecord],
    pairings_of: impl Fn(usize) -> &'a Pairings,
) -> Vec<Column> {
    let games = games.iter().enumerate();
    let pairings: Vec<_> = games
        .map(|(index, game)| pairings_of(index).of_seed(game.seed))
        .collect();
    let opponents: Option<Vec<&str>> = pairings.iter().map(|pairing| pairing.opponent).collect();
    let side = |moves_first| match moves_first {
        true => "first",
        false => "second",
    };
    let opponents = opponents.map(|opponents| Column::new("opponent".into(), opponents));
    let mut columns = Vec::from_iter(opponents);
    columns.push(column("side", &pairings, |one| side(one.moves_first)));
    columns.push(column("opening", &pairings, |one| one.opening));
    columns
}

/// The results of games, and how long they were.
pub(super) fn result_columns(games: &[GameRecord]) -> Vec<Column> {
    if let Some(numbers) = games.first().and_then(GameRecord::numbers) {
        return number_columns(numbers.names(), games);
    }
    let outcomes = games.iter().filter_map(GameRecord::outcome);
    let outcomes: Vec<&str> = outcomes.map(Outcome::name).collect();
    let scores: Vec<u64> = games.iter().filter_map(GameRecord::score).collect();
    let tiles: Vec<u32> = games.iter().filter_map(GameRecord::max_tile).collect();
    let is_between_two = !outcomes.is_empty();
    let mut columns = vec![match is_between_two {
        true => Column::new("outcome".into(), outcomes),
        false => Column::new("score".into(), scores),
    }];
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

/// The columns of games of a program: `score` and its other numbers. All of them are floating-point numbers,
/// and no other column of such a table is: so they are recognised.
fn number_columns(names: Names, games: &[GameRecord]) -> Vec<Column> {
    let numbers: Vec<&Numbers> = games.iter().filter_map(GameRecord::numbers).collect();
    let mut columns = vec![column("score", &numbers, |numbers| numbers.score())];
    for (index, name) in names.list().iter().enumerate() {
        let value = |numbers: &Numbers| numbers.others().nth(index).map_or(0.0, |(_, value)| value);
        columns.push(column(name, &numbers, |numbers| value(numbers)));
    }
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

impl Table<'_> {
    pub(super) fn game_records(&self) -> Result<Vec<GameRecord>, StoreError> {
        if self.column::<Float64Type>("score").is_ok() {
            return self.program_records();
        }
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

    /// The records of a program.
    fn program_records(&self) -> Result<Vec<GameRecord>, StoreError> {
        let seed = self.values::<UInt64Type>("seed")?;
        let score = self.values::<Float64Type>("score")?;
        let columns = self.frame.columns().iter();
        let names = columns.map(|column| column.name().as_str());
        let is_other = |name: &&str| *name != "score" && self.column::<Float64Type>(name).is_ok();
        let names: Vec<&str> = names.filter(is_other).collect();
        let others = names.iter().map(|name| self.values::<Float64Type>(name));
        let others: Vec<Vec<f64>> = others.collect::<Result<_, _>>()?;
        let names = Names::new(&names);
        let record = |row: usize| {
            let values: Vec<f64> = others.iter().map(|column| column[row]).collect();
            GameRecord {
                seed: seed[row],
                result: GameResult::Numbers(Numbers::new(score[row], names, &values)),
                moves: 1,
                leaf_evaluations: 0,
            }
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
    use crate::player::{Catalogue, Config, Value};
    use crate::run::columns::ColumnInfo;
    use crate::run::parquet::write;
    use crate::run::table::declared;

    fn record(seed: u64) -> GameRecord {
        GameRecord {
            seed,
            result: GameResult::Score {
                score: seed % 1000,
                max_tile: Some(2048),
                capped: seed == 2,
            },
            moves: 7,
            leaf_evaluations: 9,
        }
    }

    fn outcomes() -> [GameRecord; 3] {
        let mut seed = 0;
        Outcome::ALL.map(|outcome| {
            seed += 3;
            GameRecord {
                result: GameResult::Outcome(outcome),
                ..record(seed)
            }
        })
    }

    fn pairings() -> Pairings {
        let player = Config::new("strings", Some("connect-four")).with(
            "opponent",
            Value::List(vec!["random".into(), "perfect".into()]),
        );
        Pairings::of(&Catalogue::builtin().player(&player).unwrap()).unwrap()
    }

    #[test]
    fn games_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = Part::outside(folder.path().join("table.parquet"));
        let records = [record(1), record(2), record(u64::MAX / 3)];
        let of = GamesOf::Train {
            generation: 4,
            restart: 1,
        };
        let mut games = GamesWriter::create(&path, of, None).unwrap();
        games.add(5, 100, &records).unwrap();
        games.finish().unwrap();
        assert_eq!(read_games(&path).unwrap(), records);
        assert_eq!(count_games(&path, "candidate").unwrap(), [(5, 3)]);
        let find = |number, game| {
            let played_by = Some(("candidate", number));
            find_game(&path, played_by, game).unwrap()
        };
        assert_eq!(find(5, 102), Some(records[2]));
        assert_eq!((find(5, 103), find(4, 100)), (None, None));
        assert_eq!(find_game(&path, None, 101).unwrap(), Some(records[1]));

        write(&path, row_games("smooth", 3, None, &records)).unwrap();
        assert_eq!(read_games(&path).unwrap(), records);
        let of_row = |name, number| read_row_games(&path, name, number, None);
        assert_eq!(of_row("smooth", 3).unwrap(), records);
        let other = of_row("smooth", 2).unwrap_err().to_string();
        assert!(other.contains("the column `row_number`"), "{other}");
        assert!(of_row("rough", 3).is_err());
        // The footer is not compressed.
        let bytes = std::fs::read(&*path).unwrap();
        let unit = br#"{"meaning":"games for one player: score at the end","unit":"points"}"#;
        assert!(bytes.windows(unit.len()).any(|part| part == unit));
        for pairings in [None, Some(&pairings())] {
            write(&path, row_games("first", 0, pairings, &outcomes())).unwrap();
            assert_eq!(read_games(&path).unwrap(), outcomes());
        }
        let without_tiles = [GameRecord {
            result: GameResult::scored(5),
            ..records[0]
        }];
        write(&path, row_games("first", 0, None, &without_tiles)).unwrap();
        assert_eq!(read_games(&path).unwrap(), without_tiles);

        let of_program = |score| GameRecord {
            result: GameResult::Numbers(Numbers::new(
                score,
                Names::new(&["z", "moves"]),
                &[-0.0, 7.5],
            )),
            moves: 1,
            leaf_evaluations: 0,
            seed: u64::MAX,
        };
        let of_program = [of_program(-1.5), of_program(1.0 / 3.0)];
        write(&path, row_games("first", 0, None, &of_program)).unwrap();
        assert_eq!(read_games(&path).unwrap(), of_program);
    }

    #[test]
    fn games_with_other_keys_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = Part::outside(folder.path().join("table.parquet"));
        let write_games = |of, records: &[GameRecord], pairings| {
            let mut games = GamesWriter::create(&path, of, pairings).unwrap();
            games.add(5, 100, records).unwrap();
            games.finish().unwrap();
        };
        let refused = |of: GamesOf, pairings: Option<&Pairings>| {
            let error = read_keyed_games(&path, of, pairings).unwrap_err();
            error.to_string()
        };
        let train = |generation, restart| GamesOf::Train {
            generation,
            restart,
        };
        let records = [record(1), record(2)];
        write_games(train(4, 1), &records, None);
        let games = read_keyed_games(&path, train(4, 1), None).unwrap();
        let keyed = |game, record| KeyedGame {
            number: 5,
            game,
            record,
        };
        assert_eq!(games, [keyed(100, records[0]), keyed(101, records[1])]);
        for (of, what) in [
            (train(3, 1), "the column `generation`"),
            (train(4, 0), "the column `restart`"),
            (GamesOf::HoldOut { weights: "tuned" }, "columns"),
            (GamesOf::Race, "no column `finalist`"),
        ] {
            let error = refused(of, None);
            assert!(error.contains(what), "{error}");
        }

        let deeper = |depth, weights| GamesOf::Deeper { depth, weights };
        write_games(deeper(2, "tuned"), &outcomes(), Some(pairings()));
        let games = read_keyed_games(&path, deeper(2, "tuned"), Some(&pairings()));
        assert_eq!(games.unwrap()[2].record, outcomes()[2]);
        for (of, pairings, what) in [
            (deeper(3, "tuned"), Some(pairings()), "the column `depth`"),
            (deeper(2, "start"), Some(pairings()), "the column `weights`"),
            (deeper(2, "tuned"), None, "columns"),
        ] {
            let error = refused(of, pairings.as_ref());
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn conditions_of_games_between_two_are_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = Part::outside(folder.path().join("table.parquet"));
        // An opening from both sides, then the next one.
        let games = [8, 9, 12].map(|seed| GameRecord {
            seed,
            ..outcomes()[0]
        });
        write(&path, row_games("first", 0, Some(&pairings()), &games)).unwrap();
        let table = Table::read(&path).unwrap();
        let texts = |name| table.values::<StringType>(name).unwrap();
        assert_eq!(texts("opponent"), ["random", "random", "perfect"]);
        assert_eq!(texts("side"), ["first", "second", "first"]);
        assert_eq!(table.values::<UInt64Type>("opening").unwrap(), [4, 4, 6]);
    }

    #[test]
    fn columns_are_those_of_the_declaration() {
        let of_two = ["opponent", "side", "opening", "outcome"];
        let of_one = ["score", "max_tile", "capped"];
        let keys = [(0, 0)];
        for of in [
            GamesOf::Train {
                generation: 0,
                restart: 0,
            },
            GamesOf::Race,
            GamesOf::HoldOut { weights: "start" },
            GamesOf::Deeper {
                depth: 2,
                weights: "tuned",
            },
        ] {
            for (games, pairings, lacks) in [
                (record(1), None, &of_two[..]),
                (outcomes()[0], Some(&pairings()), &of_one[..]),
            ] {
                let columns = of.table_columns(&keys, &[games], pairings);
                let all = of.table().columns.iter().copied().flatten();
                let expected = all.filter(|one| !lacks.contains(&one.name));
                let expected: Vec<&str> = expected.map(|one: &ColumnInfo| one.name).collect();
                let block = described(of.table(), columns).unwrap();
                assert_eq!(declared(of.table(), &block), expected);
            }
        }
        let block = row_games("a", 0, None, &[record(1)]).unwrap();
        let names = declared(&columns::ROWS, &block);
        assert_eq!(names[..3], ["row", "row_number", "game"]);
    }
}
