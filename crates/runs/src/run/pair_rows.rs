//! The columns of the tables of a comparison: games and pairs. What they mean is declared in [`columns`].

use polars::prelude::{Column, PolarsResult, UInt32Type, UInt64Type};

use super::columns;
use super::game_columns::{pairing_columns, result_columns};
use super::parquet::Block;
use super::table::{Table, column, described};
use super::{Part, StoreError};
use tiletune_engine::player::Pairings;
use tiletune_engine::record::GameRecord;

/// A game of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairGame {
    /// Its pair, counted from 0.
    pub pair: u64,
    /// Its player, counted from 0.
    pub player: u32,
    /// The game.
    pub game: GameRecord,
}

/// The table of a block of games. `pairings_of` are those of a player of the comparison, in a game for two.
///
/// # Errors
/// None are known; polars checks the columns.
pub fn block<'a>(
    games: &[PairGame],
    pairings_of: impl Fn(u32) -> Option<&'a Pairings>,
) -> PolarsResult<Block> {
    let records: Vec<GameRecord> = games.iter().map(|one| one.game).collect();
    let mut columns = vec![
        column("pair", games, |one| one.pair),
        column("player", games, |one| one.player),
        column("seed", games, |one| one.game.seed),
    ];
    let pairings = games.iter().map(|one| pairings_of(one.player));
    if let Some(pairings) = pairings.collect::<Option<Vec<&Pairings>>>() {
        columns.extend(pairing_columns(&records, |game| pairings[game]));
    }
    columns.extend(result_columns(&records));
    described(&columns::PAIR_GAMES, columns)
}

/// Reads a block of games, in its order. `pairings_of` are those that it was written with.
///
/// # Errors
/// If it is damaged or another table, or has other conditions of its games.
pub fn read_block<'a>(
    path: &Part,
    pairings_of: impl Fn(u32) -> Option<&'a Pairings>,
) -> Result<Vec<PairGame>, StoreError> {
    let table = Table::read(path)?;
    let pairs = table.values::<UInt64Type>("pair")?;
    let players = table.values::<UInt32Type>("player")?;
    let games = table.game_records()?.into_iter().zip(pairs).zip(players);
    let game = |((game, pair), player)| PairGame { pair, player, game };
    let games: Vec<PairGame> = games.map(game).collect();
    let expected = block(&games, pairings_of).map_err(|error| StoreError::damaged(path, error))?;
    table.expect(expected.frame.columns())?;
    Ok(games)
}

/// A pair of a player with the first one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Seed of the first player's game, or of its first game of the opening; of a direct match the seed
    /// of the first game of the opening.
    pub first_seed: u64,
    /// The same of the other player.
    pub other_seed: u64,
    /// Result of the first player: a score, or mean points of the opening; 1/2 in a direct match.
    pub first: f64,
    /// Result of the other player.
    pub other: f64,
}

/// The table of the pairs of a player with the first one, in order.
///
/// # Errors
/// None are known; polars checks the columns.
pub fn pairs(pairs: &[Pair]) -> PolarsResult<Block> {
    let columns = vec![
        Column::new("pair".into(), Vec::from_iter(0..pairs.len() as u64)),
        column("first_seed", pairs, |pair| pair.first_seed),
        column("other_seed", pairs, |pair| pair.other_seed),
        column("first", pairs, |pair| pair.first),
        column("other", pairs, |pair| pair.other),
        column("difference", pairs, |pair| pair.other - pair.first),
    ];
    described(&columns::PAIRS, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::parquet::write;
    use crate::run::table::declared;
    use tiletune_engine::record::{GameResult, Outcome};

    #[test]
    fn games_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = Part::outside(folder.path().join("block.parquet"));
        for result in [
            GameResult::scored(12),
            GameResult::scored_with_tile(40, 16),
            GameResult::Outcome(Outcome::Draw),
        ] {
            let game = |pair, player| PairGame {
                pair,
                player,
                game: GameRecord {
                    seed: u64::MAX - pair,
                    result,
                    moves: 3,
                    leaf_evaluations: 5,
                },
            };
            let games = [game(100, 0), game(101, 0), game(100, 2), game(101, 2)];
            write(&path, block(&games, |_| None)).unwrap();
            assert_eq!(read_block(&path, |_| None).unwrap(), games);
        }
        let pair = Pair {
            first_seed: 1,
            other_seed: 2,
            first: 0.5,
            other: 0.75,
        };
        write(&path, pairs(&[pair, pair])).unwrap();
        assert!(read_block(&path, |_| None).is_err());
        let all = columns::PAIRS.columns.iter().copied().flatten();
        let expected: Vec<&str> = all.map(|one| one.name).collect();
        assert_eq!(
            declared(&columns::PAIRS, &pairs(&[pair]).unwrap()),
            expected
        );
    }
}
