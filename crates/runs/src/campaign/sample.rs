//! Recorded games with the weights that played them, and which of them are played again when a run is
//! resumed.

use super::scores::is_played;
use crate::config::campaign::Campaign;
use crate::run::TableName;
use crate::run::tables::{self, GamesOf, KeyedGame};
use crate::run::{Part, RunDirectory, StoreError, replay};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_tuning::results::CandidateRow;

/// Any of these, another one at each call.
pub(super) fn any<T>(all: &[T]) -> Option<&T> {
    all.get(replay::any(all.len()))
}

/// The games of a generation with its candidates.
pub(super) struct TrainingGames {
    /// The candidates, in order.
    pub(super) candidates: Vec<CandidateRow>,
    /// The games in the order of the candidates.
    pub(super) games: Vec<KeyedGame>,
    /// The table of the games.
    pub(super) path: Part,
}

impl TrainingGames {
    /// Reads them.
    pub(super) fn read(
        campaign: &Campaign,
        directory: &RunDirectory,
        generation: u32,
    ) -> Result<Self, StoreError> {
        let part = |table| directory.generation_part(table, generation);
        let path = part(TableName::Train);
        let names = campaign.space.names();
        let candidates = tables::read_candidates(&part(TableName::Candidates), &names)?;
        let of = GamesOf::Train {
            generation,
            restart: candidates.first().map_or(0, |row| row.restart),
        };
        let pairings = Pairings::of(&campaign.player);
        let games = tables::read_keyed_games(&path, of, pairings.as_ref())?;
        let has_played = |game: &KeyedGame| {
            let row = candidates.get(game.number as usize);
            row.is_some_and(|row| is_played(row) && row.candidate == game.number)
        };
        if !games.iter().all(has_played) {
            let reason = "a game of a candidate that has not played";
            return Err(StoreError::damaged(&path, reason));
        }
        Ok(TrainingGames {
            candidates,
            games,
            path,
        })
    }

    /// The weights that played a game.
    pub(super) fn weights(&self, campaign: &Campaign, game: &KeyedGame) -> Weights {
        let candidate = game.number as usize;
        campaign.weights(&self.candidates[candidate].values)
    }
}
