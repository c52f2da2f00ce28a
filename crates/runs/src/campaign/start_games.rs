//! Games of the start weights at the beginning of a campaign. Their mean is the level with which the search is compared
//! while it runs. They have seeds of their own and count in the budget, but no candidate depends on them.
//!
//! With several start points, the first generation chooses the start, and these games come after it.

use super::event;
use super::generations::CampaignSearch;
use super::recorded::start_weights;
use super::scores::{FIRST_GAMES, is_refused_at_first};
use crate::config::campaign::Campaign;
use crate::run::games_table::{GamesTable, RecordedGame};
use crate::run::tables::{self, GamesOf, GamesWriter, KeyedGame};
use crate::run::{Control, RunDirectory, RunError, StoreError, Task};
use tiletune_engine::player::Pairings;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::Evaluate;
use tiletune_tuning::evaluation::Evaluator;
use tiletune_tuning::stats::games::PlayedScores;

impl CampaignSearch<'_> {
    /// The generation before which the games are played.
    fn starts_at(&self) -> u32 {
        u32::from(!self.campaign.points.is_empty())
    }

    /// Number of these games.
    pub(super) fn start_games(&self) -> u32 {
        let games = self.campaign.start_games();
        if event::is_deterministic(self.events.written(), self.starts_at()) {
            games.min(1)
        } else {
            games
        }
    }

    /// Plays the games that are not recorded yet, and reports their level. After more budget is given, these can be
    /// further games on the next seeds. If a program refuses the start weights, there are none. Returns false if it is
    /// too early for them.
    pub(super) fn play_start(
        &self,
        evaluator: &dyn Evaluator,
        control: &mut Control,
    ) -> Result<bool, RunError> {
        let (campaign, directory) = (self.campaign, self.directory);
        let count = self.start_games();
        if count == 0 || self.generations < self.starts_at() {
            return Ok(count == 0);
        }
        let mut games = recorded(campaign, directory)?.unwrap_or_default();
        let left = &seeds(campaign, count)[games.len().min(count as usize)..];
        if !left.is_empty() {
            control.observer.task_begins(Task::Start(left.len() as u64));
            // Games of a program that refuses the weights can take long.
            let first = match campaign.player.program() {
                Some(_) => left.len().min(FIRST_GAMES),
                None => left.len(),
            };
            for seeds in [&left[..first], &left[first..]] {
                if seeds.is_empty() {
                    continue;
                }
                games.extend(evaluator.games(&self.start, seeds, control.progress)?);
                if is_refused_at_first(&games) {
                    return Ok(true);
                }
            }
            let part = directory.start_part();
            let pairings = Pairings::of(&campaign.player);
            let mut writer = GamesWriter::create(&part, GamesOf::Start, pairings)?;
            writer.add(0, 0, &games)?;
            writer.finish()?;
        }
        control.observer.start_ends(level_of(campaign, &games));
        Ok(true)
    }
}

/// The seeds of this number of games.
fn seeds(campaign: &Campaign, games: u32) -> Vec<u64> {
    let players = campaign.player.players();
    players.game_seeds(campaign.config.seed, Stream::Start, 0, games.into())
}

/// The recorded games; `None` if none are played.
///
/// # Errors
/// If they are not those of this campaign.
pub(super) fn recorded(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Option<Vec<GameRecord>>, StoreError> {
    let part = directory.start_part();
    if !part.exists() {
        return Ok(None);
    }
    let pairings = Pairings::of(&campaign.player);
    let games = tables::read_keyed_games(&part, GamesOf::Start, pairings.as_ref())?;
    let expected = (0..).zip(seeds(campaign, games.len() as u32));
    let found = games.iter().map(|game| (game.game, game.record.seed));
    if games.is_empty() || !found.eq(expected) {
        let reason = "these are not the games of the start weights of this run";
        return Err(StoreError::damaged(&part, reason));
    }
    let record = |game: KeyedGame| game.record;
    Ok(Some(games.into_iter().map(record).collect()))
}

/// The objective of the start weights in the recorded games.
pub(super) fn level(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Option<f64>, StoreError> {
    let games = recorded(campaign, directory)?;
    Ok(games.map(|games| level_of(campaign, &games)))
}

fn level_of(campaign: &Campaign, games: &[GameRecord]) -> f64 {
    let counted = PlayedScores::of(games).counted(games).into_owned();
    let contributions = campaign.objective.contributions(&counted);
    campaign.objective.fitness(&contributions).value
}

/// The table of the games; `None` if none are played.
pub(super) fn table<'a>(
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
) -> Result<Option<GamesTable<'a>>, RunError> {
    let Some(games) = recorded(campaign, directory)? else {
        return Ok(None);
    };
    let label = directory.name_of(&directory.start_part());
    let count = games.len() as u64;
    let read = move || {
        Ok(RecordedGame::all(
            &start_weights(campaign, directory)?,
            &games,
        ))
    };
    let player = campaign.player.clone();
    Ok(Some(GamesTable::new(label, player, count, read)))
}
