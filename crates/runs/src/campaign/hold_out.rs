//! The hold-out games of a campaign: those that an earlier process has played are read, the others are played.

use super::deterministic::{DETERMINISTIC_GAMES, same_results};
use super::looks::{tuned_at, tuned_weights};
use crate::config::campaign::Campaign;
use crate::config::weights_file::TUNED;
use crate::run::games_table::{GamesTable, RecordedGame, any, check_game};
use crate::run::tables::{self, GamesOf, GamesWriter};
use crate::run::{RunDirectory, RunError, RunFile, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{Depth, Pairings, PlayerSpec};
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::{Evaluate, Evaluator, Progress};
use tiletune_tuning::optimizer::best_start;

/// The hold-out games of a set of weights.
#[derive(Clone)]
pub(crate) struct HoldOutGames<'a> {
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
    /// The search depth, if it differs from that of the search.
    depth: Option<u8>,
    /// The name of the weights in the table.
    weights: String,
    /// Number of the look at the search.
    look: u32,
}

impl<'a> HoldOutGames<'a> {
    pub(crate) fn new(
        campaign: &'a Campaign,
        directory: &'a RunDirectory,
        depth: Option<u8>,
        weights: impl Into<String>,
    ) -> Self {
        HoldOutGames {
            campaign,
            directory,
            depth,
            weights: weights.into(),
            look: campaign.config.validation.look,
        }
    }

    /// The games of another look at the search.
    pub(super) fn at_look(self, look: u32) -> Self {
        HoldOutGames { look, ..self }
    }

    fn part(&self) -> RunFile {
        let part = match self.depth {
            None => self.directory.hold_out_part(&self.weights),
            Some(depth) => self.directory.deeper_part(depth, &self.weights),
        };
        if self.look == self.campaign.config.validation.look {
            part
        } else {
            let name = self.directory.name_of(&part);
            self.directory.earlier_part(self.look, &name)
        }
    }

    /// What the games share.
    fn of(&self) -> GamesOf<'_> {
        let weights = &self.weights;
        match self.depth {
            None => GamesOf::HoldOut { weights },
            Some(depth) => GamesOf::Deeper { depth, weights },
        }
    }

    fn seeds(&self) -> Vec<u64> {
        let (campaign, validation) = (self.campaign, &self.campaign.config.validation);
        let games = match self.depth {
            None => validation.games,
            Some(_) => validation.deeper_games(),
        };
        let seed = campaign.hold_out_seed_at(self.look);
        let player = &campaign.player;
        player.game_seeds(seed, Stream::Evaluate, 0, games.into())
    }

    /// The recorded games; `None` if their seeds are not the expected ones. A shorter table with the first seeds is
    /// valid if all its results are equal.
    fn read(&self) -> Result<Option<Vec<GameRecord>>, StoreError> {
        let pairings = Pairings::of(&self.campaign.player);
        let games = tables::read_keyed_games(&self.part(), self.of(), pairings.as_ref())?;
        let is_short = games.len() == DETERMINISTIC_GAMES
            && same_results(games.iter().map(|game| &game.record));
        let mut seeds = self.seeds();
        if is_short {
            seeds.truncate(DETERMINISTIC_GAMES);
        }
        let expected = (0..).zip(seeds);
        let found = games.iter().map(|game| (game.game, game.record.seed));
        let is_expected = found.eq(expected);
        Ok(is_expected.then(|| games.into_iter().map(|game| game.record).collect()))
    }

    /// Reads the recorded games.
    ///
    /// # Errors
    /// If they are games of another run, or the file is damaged.
    pub(crate) fn recorded(&self) -> Result<Vec<GameRecord>, StoreError> {
        self.read()?.ok_or_else(|| {
            let reason = "these are not the hold-out games of this run";
            StoreError::damaged(&self.part(), reason)
        })
    }

    /// Plays the first hold-out games of several sets of weights, [`DETERMINISTIC_GAMES`] of each. `None` if results
    /// depend on the seed.
    pub(crate) fn play_first(
        all: &[(Self, &Weights)],
        evaluator: &dyn Evaluator,
        progress: &Progress,
    ) -> Result<Option<Vec<Vec<GameRecord>>>, RunError> {
        let play = |(games, weights): &(Self, &Weights)| {
            let count = games.seeds().len().min(DETERMINISTIC_GAMES);
            let mut played = games.play_some(count, evaluator, weights, progress)?;
            played.truncate(count);
            Ok(played)
        };
        let played: Result<Vec<Vec<GameRecord>>, RunError> = all.iter().map(play).collect();
        let is_enough =
            |played: &Vec<Vec<GameRecord>>| played.iter().all(|games| same_results(games.iter()));
        Ok(Some(played?).filter(is_enough))
    }

    /// Plays the games of these weights, or reads them if an earlier process has played them.
    pub(crate) fn play(
        &self,
        evaluator: &dyn Evaluator,
        weights: &Weights,
        progress: &Progress,
    ) -> Result<Vec<GameRecord>, RunError> {
        self.play_some(self.seeds().len(), evaluator, weights, progress)
    }

    /// Plays or reads at least the first `count` games.
    fn play_some(
        &self,
        count: usize,
        evaluator: &dyn Evaluator,
        weights: &Weights,
        progress: &Progress,
    ) -> Result<Vec<GameRecord>, RunError> {
        let part = self.part();
        if part.exists() {
            let differs = || RunError::differs(part.display(), "plays other hold-out games");
            let recorded = self.read()?.ok_or_else(differs)?;
            if let Some(game) = any(&recorded) {
                check_game(evaluator, game, weights, part.display(), progress)?;
            }
            if recorded.len() >= count {
                return Ok(recorded);
            }
            part.remove()?;
        }
        let pairings = Pairings::of(&self.campaign.player);
        let mut writer = GamesWriter::create(&part, self.of(), pairings)?;
        let (weights, mut seeds) = (std::slice::from_ref(weights), self.seeds());
        seeds.truncate(count);
        let mut played = Vec::with_capacity(seeds.len());
        evaluator.evaluate::<StoreError>(weights, &seeds, progress, &mut |batch| {
            played.extend_from_slice(batch.games);
            writer.add(0, batch.first_game as u32, batch.games)
        })?;
        // An incomplete set of games is recorded only if all results are equal, because `read` accepts no other.
        if count == self.seeds().len() || same_results(played.iter()) {
            writer.finish()?;
        }
        Ok(played)
    }

    /// The table of the games; `None` if they are not played.
    pub(crate) fn table(
        self,
        weights: impl Fn() -> Result<Weights, StoreError> + 'a,
    ) -> Result<Option<GamesTable<'a>>, RunError> {
        let part = self.part();
        if !part.exists() {
            return Ok(None);
        }
        let label = self.directory.name_of(&part);
        let player = player_at(self.campaign, self.depth).ok_or_else(|| {
            RunError::Differs(format!("this program cannot play the games of {label}"))
        })?;
        let count = tables::read_games(&part)?.len() as u64;
        let read = move || {
            let pairings = Pairings::of(&self.campaign.player);
            let games = tables::read_keyed_games(&part, self.of(), pairings.as_ref())?;
            let games: Vec<GameRecord> = games.into_iter().map(|game| game.record).collect();
            Ok(RecordedGame::all(&weights()?, &games))
        };
        Ok(Some(GamesTable::new(label, player, count, read)))
    }
}

/// The player of the campaign, or the same player at another depth; `None` if it has no such depth.
pub(super) fn player_at(campaign: &Campaign, depth: Option<u8>) -> Option<PlayerSpec> {
    match depth {
        None => Some(campaign.player.clone()),
        Some(depth) => campaign.player.with_depth(Depth::Fixed(depth)),
    }
}

/// The start weights of a campaign in this directory. With several start points, those of the point that the first
/// generation has chosen, if it is complete.
pub(super) fn start_weights(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Weights, StoreError> {
    if campaign.points.is_empty() || directory.complete_generations()? == 0 {
        return Ok(campaign.start.clone());
    }
    let path = directory.generation_part(&tables::CANDIDATES, 0);
    let rows = tables::read_candidates(&path, &campaign.space.names())?;
    let fitness: Vec<f64> = rows.iter().map(|row| row.rank_value).collect();
    Ok(campaign.start_at(best_start(&fitness)))
}

/// The weights with this name in the hold-out games of a look.
pub(super) fn hold_out_weights(
    campaign: &Campaign,
    directory: &RunDirectory,
    look: u32,
    weights: &str,
) -> Result<Weights, StoreError> {
    if weights == "start" {
        return start_weights(campaign, directory);
    }
    let tuned = if look == campaign.config.validation.look {
        tuned_weights(campaign, directory)?
    } else {
        tuned_at(campaign, &directory.earlier_part(look, TUNED))?
    };
    tuned.ok_or_else(|| {
        StoreError::unusable(directory.root(), without_hold_out_games(campaign, None))
    })
}

/// The reason why there are no hold-out games, at this depth or, with `None`, at the depth of the search.
pub(super) fn without_hold_out_games(campaign: &Campaign, depth: Option<u8>) -> String {
    match depth {
        _ if campaign.config.validation.games == 0 => {
            "the run has no hold-out games: its `validation.games` is 0".to_owned()
        }
        Some(_) if campaign.player.several().is_some() => {
            "its hold-out games are at all settings of the player: choose one by --game-index, without --at-depth".to_owned()
        }
        Some(depth) => format!("the run has no hold-out games at depth {depth}"),
        None => "the hold-out games are not played yet: the run has not ended".to_owned(),
    }
}
