//! The recorded games of a campaign with the weights that played them: training games, race games and hold-out games. This
//! module must not play.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::deterministic::are_independent_of_seeds;
use super::event_log;
use super::hold_out::{
    HoldOutGames, hold_out_weights, player_at, start_weights, without_hold_out_games,
};
use super::scores::is_played;
use super::start_games;
use crate::config::campaign::Campaign;
use crate::config::weights_file::TUNED;
use crate::run::games_table::{GamesTable, RecordedGame};
use crate::run::tables::{self, GamesOf, KeyedGame};
use crate::run::{RecordedPlayer, RunDirectory, RunError, RunFile, ShownGame, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::results::CandidateRow;

/// The existing tables of games.
pub(super) fn tables<'a>(
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
) -> Result<Vec<GamesTable<'a>>, RunError> {
    let generations = 0..directory.complete_generations()?;
    let training = generations.map(|number| training_table(campaign, directory, number));
    let mut tables = training.collect::<Result<Vec<_>, RunError>>()?;
    tables.extend(start_games::table(campaign, directory, || {
        start_weights(campaign, directory)
    })?);
    let now = campaign.config.validation.look;
    let has_results = event_log::are_results_of(directory, now)?;
    if has_results && directory.race_part().exists() {
        tables.push(race_table(campaign, directory, || {
            finalists(campaign, directory)
        })?);
    }
    let deeper = campaign.config.validation.deeper.iter().copied().map(Some);
    let depths: Vec<Option<u8>> = std::iter::once(None).chain(deeper).collect();
    let is_kept = |look: &u32| {
        if *look == now {
            has_results
        } else {
            directory.earlier_part(*look, TUNED).exists()
        }
    };
    for look in (1..=now).filter(is_kept) {
        for &depth in &depths {
            for weights in ["start", "tuned"] {
                let games = HoldOutGames::new(campaign, directory, depth, weights).at_look(look);
                let of = move || hold_out_weights(campaign, directory, look, weights);
                tables.extend(games.table(of)?);
            }
        }
    }
    Ok(tables)
}

fn training_table<'a>(
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
    generation: u32,
) -> Result<GamesTable<'a>, RunError> {
    let part = directory.generation_part(&tables::TRAIN, generation);
    let count = tables::read_games(&part)?.len() as u64;
    let read = move || TrainingGames::read(campaign, directory, generation)?.with_weights(campaign);
    let label = directory.name_of(&part);
    Ok(GamesTable::new(label, campaign.player.clone(), count, read))
}

/// The table of the race games. `finalists` returns the number and the parameter values of each finalist.
pub(crate) fn race_table<'a>(
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
    finalists: impl Fn() -> Result<Vec<(u32, Vec<f64>)>, StoreError> + 'a,
) -> Result<GamesTable<'a>, RunError> {
    let part = directory.race_part();
    let count = tables::read_games(&part)?.len() as u64;
    let label = directory.name_of(&part);
    let read = move || {
        let games = race_games(campaign, &part)?;
        with_weights(campaign, games, "finalist", finalists()?, &part)
    };
    Ok(GamesTable::new(label, campaign.player.clone(), count, read))
}

/// The recorded games of a race.
pub(super) fn race_games(
    campaign: &Campaign,
    path: &RunFile,
) -> Result<Vec<KeyedGame>, StoreError> {
    let pairings = Pairings::of(&campaign.player);
    tables::read_keyed_games(path, GamesOf::Race, pairings.as_ref())
}

/// Numbers and values of the finalists of a campaign.
fn finalists(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Vec<(u32, Vec<f64>)>, StoreError> {
    let rows = tables::read_finalists(&directory.finalists_part(), &campaign.space.names())?;
    let rows = rows.into_iter();
    Ok(rows.map(|row| (row.finalist, row.values)).collect())
}

/// Adds the weights to the games of candidates or finalists. `values` has the number and the parameter values of each.
fn with_weights(
    campaign: &Campaign,
    games: Vec<KeyedGame>,
    name: &'static str,
    values: Vec<(u32, Vec<f64>)>,
    part: &RunFile,
) -> Result<Vec<RecordedGame>, RunError> {
    let weights = values.into_iter();
    let weights = weights.map(|(number, values)| (number, Rc::new(campaign.weights(&values))));
    let weights: BTreeMap<u32, Rc<Weights>> = weights.collect();
    let game = |game: KeyedGame| {
        let weights = weights.get(&game.number).ok_or_else(|| {
            StoreError::damaged(part, format!("there is no {name} {}", game.number))
        })?;
        Ok(RecordedGame {
            of: Some((name, game.number)),
            number: game.game,
            weights: Rc::clone(weights),
            record: game.record,
        })
    };
    games.into_iter().map(game).collect()
}

/// The candidates of a generation and their games.
pub(super) struct TrainingGames {
    /// The candidates, in order.
    pub(super) candidates: Vec<CandidateRow>,
    /// The games in the order of the candidates.
    pub(super) games: Vec<KeyedGame>,
    /// The file of the games.
    pub(super) path: RunFile,
}

impl TrainingGames {
    pub(super) fn read(
        campaign: &Campaign,
        directory: &RunDirectory,
        generation: u32,
    ) -> Result<Self, StoreError> {
        let path = directory.generation_part(&tables::TRAIN, generation);
        let candidates = directory.generation_part(&tables::CANDIDATES, generation);
        let candidates = tables::read_candidates(&candidates, &campaign.space.names())?;
        let restart = candidates.first().map_or(0, |row| row.restart);
        let of = GamesOf::Train {
            generation,
            restart,
        };
        let pairings = Pairings::of(&campaign.player);
        Ok(TrainingGames {
            games: tables::read_keyed_games(&path, of, pairings.as_ref())?,
            candidates,
            path,
        })
    }

    /// The games of the first candidate that has played.
    pub(super) fn of_first(self) -> impl Iterator<Item = GameRecord> {
        let first = self.games.first().map(|game| game.number);
        let games = self.games.into_iter();
        let of_first = games.take_while(move |game| Some(game.number) == first);
        of_first.map(|game| game.record)
    }

    /// Whether results do not depend on the seed, as far as these games show.
    pub(super) fn are_independent_of_seeds(&self) -> bool {
        let mut of_candidates: BTreeMap<u32, Vec<&GameRecord>> = BTreeMap::new();
        for game in &self.games {
            of_candidates
                .entry(game.number)
                .or_default()
                .push(&game.record);
        }
        let rows = self.candidates.iter().filter(|row| is_played(row));
        let fitness = rows.map(|row| row.fitness);
        are_independent_of_seeds(of_candidates.into_values().zip(fitness))
    }

    pub(super) fn with_weights(self, campaign: &Campaign) -> Result<Vec<RecordedGame>, RunError> {
        let played = self.candidates.into_iter().filter(is_played);
        let values = played.map(|row| (row.candidate, row.values)).collect();
        with_weights(campaign, self.games, "candidate", values, &self.path)
    }
}

/// The game with the number `game` (from 0) among those that `played_by` has played.
pub(super) fn shown_game(
    campaign: &Campaign,
    directory: &RunDirectory,
    played_by: RecordedPlayer,
    game: u32,
) -> Result<ShownGame, RunError> {
    let none = |reason: String| StoreError::unusable(directory.root(), reason);
    let (table, number, which) = match played_by {
        RecordedPlayer::Candidate {
            generation,
            candidate,
        } => {
            let complete = directory.complete_generations()?;
            if generation >= complete {
                let reason =
                    format!("no generation {generation}: there are {complete}, counted from 0");
                return Err(none(reason).into());
            }
            let candidates = TrainingGames::read(campaign, directory, generation)?.candidates;
            if candidates.iter().all(|row| row.candidate != candidate) {
                let count = candidates.len();
                let reason = format!(
                    "no candidate {candidate}: generation {generation} has {count}, counted from 0"
                );
                return Err(none(reason).into());
            }
            let table = training_table(campaign, directory, generation)?;
            let which = format!("generation {generation}, candidate {candidate}, game");
            (table, Some(candidate), which)
        }
        RecordedPlayer::Finalist(finalist) => {
            if !directory.finalists_part().exists() {
                return Err(none("there was no race".into()).into());
            }
            let all = finalists(campaign, directory)?;
            if all.iter().all(|(number, _)| *number != finalist) {
                let count = all.len();
                let reason = format!("no finalist {finalist}: there are {count}, counted from 0");
                return Err(none(reason).into());
            }
            let table = race_table(campaign, directory, move || Ok(all.clone()))?;
            let which = format!("finalist {finalist} of the race, game");
            (table, Some(finalist), which)
        }
        RecordedPlayer::HoldOut { weights, depth } => {
            if player_at(campaign, depth).is_none() {
                let reason = "the player of this run has no such search depth";
                return Err(none(reason.into()).into());
            }
            let games = HoldOutGames::new(campaign, directory, depth, weights);
            let look = campaign.config.validation.look;
            let table =
                games.table(move || hold_out_weights(campaign, directory, look, weights))?;
            let table = table.ok_or_else(|| none(without_hold_out_games(campaign, depth)))?;
            (table, None, format!("{weights} weights, hold-out game"))
        }
    };
    let mut games = table.games()?;
    games.retain(|one| number.is_none_or(|number| one.of.is_some_and(|(_, of)| of == number)));
    let count = games.len();
    let found = games.into_iter().find(|one| one.number == game);
    let found =
        found.ok_or_else(|| none(format!("no game {game}: there are {count}, counted from 0")))?;
    let player = table.player.at_setting_of(found.record.seed);
    let (described, name) = (player.describe(), &campaign.config.name);
    Ok(ShownGame {
        title: format!("{described}: {name}, {which} {game}"),
        player,
        weights: Weights::clone(&found.weights),
        record: found.record,
    })
}
