//! Records of games as columns of a table, and back. Which columns there are and what they mean is declared in
//! [`columns`](super::columns).

use polars::prelude::{BooleanType, Column, Float64Type, StringType, UInt32Type, UInt64Type};

use super::StoreError;
use super::table::{Table, column};
use tiletune_engine::player::Pairings;
use tiletune_engine::record::{GameRecord, GameResult, Names, Numbers, Outcome};

/// The columns of the records: of games between two players `outcome` and, with `pairings`, the conditions
/// of the game; of games of one player `score`, `capped` and, if the game has tiles, `max_tile`.
pub(super) fn record_columns(games: &[GameRecord], pairings: Option<&Pairings>) -> Vec<Column> {
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
