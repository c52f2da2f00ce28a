//! The hold-out games of a set of weights: played, or read if an earlier process has played them.

use super::generations::{check_game, differs};
use super::hold_out_seed;
use super::sample;
use crate::config::campaign::Campaign;
use crate::run::tables::{GamesOf, GamesWriter, read_keyed_games};
use crate::run::{Part, RunDirectory, RunError, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::{Evaluate, Evaluator, Progress};

/// The hold-out games of a set of weights, which has this name in the table of `directory`. They are read if
/// an earlier process has played them.
pub(crate) fn hold_out_games(
    campaign: &Campaign,
    evaluator: &dyn Evaluator,
    weights: &Weights,
    directory: &RunDirectory,
    name: &str,
    progress: &Progress,
) -> Result<Vec<GameRecord>, RunError> {
    let table = Table::of(campaign, directory, None, name);
    let seeds = seeds(campaign, campaign.config.validation.games);
    played(evaluator, weights, &seeds, table, progress)
}

/// The seeds of the first hold-out games.
pub(crate) fn seeds(campaign: &Campaign, games: u32) -> Vec<u64> {
    let (players, seed) = (
        campaign.player.players(),
        hold_out_seed(campaign.config.seed),
    );
    players.game_seeds(seed, Stream::Evaluate, 0, games.into())
}

/// A file of hold-out games.
pub(crate) struct Table<'a> {
    /// The file.
    pub(crate) path: Part,
    /// What its games share.
    pub(crate) of: GamesOf<'a>,
    /// Those of the player.
    pub(crate) pairings: Option<Pairings>,
}

impl<'a> Table<'a> {
    /// That of the weights of this name, at another depth than that of the search if one is given.
    pub(crate) fn of(
        campaign: &Campaign,
        directory: &RunDirectory,
        depth: Option<u8>,
        weights: &'a str,
    ) -> Self {
        let (path, of) = match depth {
            None => (
                directory.hold_out_part(weights),
                GamesOf::HoldOut { weights },
            ),
            Some(depth) => (
                directory.deeper_part(depth, weights),
                GamesOf::Deeper { depth, weights },
            ),
        };
        Table {
            path,
            of,
            pairings: Pairings::of(&campaign.player),
        }
    }

    /// Its games, if they are the first hold-out games of the campaign, this number of them.
    ///
    /// # Errors
    /// If they are others, or the file is damaged.
    pub(crate) fn recorded(
        &self,
        campaign: &Campaign,
        games: u32,
    ) -> Result<Vec<GameRecord>, StoreError> {
        let recorded = self.read(&seeds(campaign, games))?;
        recorded.ok_or_else(|| {
            let reason = "these are not the hold-out games of this run";
            StoreError::damaged(&self.path, reason)
        })
    }

    /// Its games; `None` if they are not those of these seeds.
    fn read(&self, seeds: &[u64]) -> Result<Option<Vec<GameRecord>>, StoreError> {
        let games = read_keyed_games(&self.path, self.of, self.pairings.as_ref())?;
        let expected = (0..).zip(seeds.iter().copied());
        let found = games.iter().map(|game| (game.game, game.record.seed));
        let is_expected = found.eq(expected);
        Ok(is_expected.then(|| games.into_iter().map(|game| game.record).collect()))
    }
}

/// The hold-out games on these seeds.
pub(super) fn played(
    evaluator: &dyn Evaluator,
    weights: &Weights,
    seeds: &[u64],
    table: Table,
    progress: &Progress,
) -> Result<Vec<GameRecord>, RunError> {
    if table.path.exists() {
        let recorded = table.read(seeds)?;
        let recorded =
            recorded.ok_or_else(|| differs(&table.path, "plays other hold-out games"))?;
        if let Some(game) = sample::any(&recorded) {
            check_game(evaluator, weights, game, &table.path, progress)?;
        }
        return Ok(recorded);
    }
    let mut writer = GamesWriter::create(&table.path, table.of, table.pairings)?;
    let mut played = Vec::with_capacity(seeds.len());
    let weights = std::slice::from_ref(weights);
    evaluator.evaluate::<StoreError>(weights, seeds, progress, &mut |batch| {
        played.extend_from_slice(batch.games);
        writer.add(0, batch.first_game as u32, batch.games)
    })?;
    writer.finish()?;
    Ok(played)
}
