//! The tables of a comparison: games and pairs.

use super::file::{StoredTable, TableBlock};
use super::games::{pairing_of, record_columns};
use super::{PAIR_GAMES, PAIRS};
use crate::run::{RunFile, StoreError};
use tiletune_engine::player::Pairings;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::results::Row;

tiletune_tuning::row! {
    /// Who played a game of a comparison.
    #[derive(Debug)]
    pub(super) struct PairKey {
        /// Number of the pair, from 0; in games for two players a pair is an opening.
        pair: u64,
        /// Number of the player, from 0 in the order of the command line.
        player: u32,
    }
}

tiletune_tuning::row! {
    /// A pair of a player with the first one.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Pair {
        /// Number of the pair, from 0.
        pair: u64,
        /// Seed of the first player's game, in games for two players of its first game of the opening; in a
        /// direct match that of the other player.
        first_seed: u64,
        /// The same of the other player; the seeds are equal if the players play common seeds.
        other_seed: u64,
        /// Result of the first player: a score, or mean points of the opening (win 1, draw 0.5, loss 0); 0.5 in a
        /// direct match.
        first: f64 => "points",
        /// The same of the other player; in a direct match its points against the first player.
        other: f64 => "points",
    }
    also {
        /// other - first.
        "difference": f64 => "points" = |pair| pair.other - pair.first,
    }
}

/// A game of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct PairGame {
    /// Its pair, counted from 0.
    pub pair: u64,
    /// Its player, counted from 0.
    pub player: u32,
    /// The game.
    pub game: GameRecord,
}

/// The table of a block of games. `pairings_of` are those of a player of the comparison, in a game for two.
pub fn block<'a>(
    games: &[PairGame],
    pairings_of: impl Fn(u32) -> Option<&'a Pairings>,
) -> TableBlock {
    let key = |&PairGame { pair, player, .. }: &PairGame| PairKey { pair, player };
    let keys: Vec<PairKey> = games.iter().map(key).collect();
    let records: Vec<GameRecord> = games.iter().map(|one| one.game.clone()).collect();
    let pairings = |one: &PairGame| pairing_of(pairings_of(one.player), one.game.seed);
    let pairings: Vec<_> = games.iter().map(pairings).collect();
    let mut columns = PairKey::columns(&keys, &[]);
    columns.extend(record_columns(&records, pairings));
    TableBlock::new(&PAIR_GAMES, columns)
}

/// Reads a block of games, in its order. `pairings_of` are those that it was written with.
///
/// # Errors
/// If it is damaged or another table, or has other conditions of its games.
pub fn read_block<'a>(
    path: &RunFile,
    pairings_of: impl Fn(u32) -> Option<&'a Pairings>,
) -> Result<Vec<PairGame>, StoreError> {
    let table = StoredTable::read(path)?;
    let keys = PairKey::read(&table, &[])?.into_iter();
    let game = |(PairKey { pair, player }, game)| PairGame { pair, player, game };
    let games: Vec<PairGame> = keys.zip(table.game_records()?).map(game).collect();
    table.expect(&block(&games, pairings_of).columns)?;
    Ok(games)
}

/// The table of the pairs of a player with the first player, in order.
pub fn pairs(pairs: &[Pair]) -> TableBlock {
    TableBlock::new(&PAIRS, Pair::columns(pairs, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tables::write;
    use tiletune_engine::record::{GameResult, Outcome};

    #[test]
    fn games_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = RunFile::outside(folder.path().join("block.parquet"));
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
                    result: result.clone(),
                    moves: 3,
                    leaf_evaluations: 5,
                },
            };
            let games = [game(100, 0), game(101, 0), game(100, 2), game(101, 2)];
            write(&path, &block(&games, |_| None)).unwrap();
            assert_eq!(read_block(&path, |_| None).unwrap(), games);
        }
        let pair = Pair {
            pair: 0,
            first_seed: 1,
            other_seed: 2,
            first: 0.5,
            other: 0.75,
        };
        write(&path, &pairs(&[pair])).unwrap();
        assert!(read_block(&path, |_| None).is_err());
        let table = StoredTable::read(&path).unwrap();
        assert_eq!(Pair::read(&table, &[]).unwrap(), [pair]);
        table.expect(&pairs(&[pair]).columns).unwrap();
    }
}
