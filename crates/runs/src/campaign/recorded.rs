//! The recorded games of a campaign with the weights that played them: training games, race games and hold-out games.
//! Hold-out games that no earlier process has played are played here.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::event_log;
use super::looks::{tuned_at, tuned_weights};
use super::scores::is_played;
use super::start_games;
use crate::config::campaign::Campaign;
use crate::config::weights_file::TUNED;
use crate::run::games_table::{GamesTable, RecordedGame, any, check_game};
use crate::run::tables::{self, GamesOf, GamesWriter, KeyedGame};
use crate::run::{RecordedPlayer, RunDirectory, RunError, RunFile, ShownGame, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{Depth, Pairings, PlayerSpec};
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::{Evaluate, Evaluator, Progress};
use tiletune_tuning::optimizer::best_start;
use tiletune_tuning::results::CandidateRow;
use tiletune_tuning::stats::difference::FEWEST_OBSERVATIONS;

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

/// Smallest number of different fitness values for a program to count as deterministic. Games that are only won or lost
/// often have equal results by chance.
const FEWEST_VALUES: usize = 4;

/// Whether results do not depend on the seed: all games of a candidate have the same result, and the candidates have at
/// least [`FEWEST_VALUES`] different fitness values. The items are the games of a candidate and its fitness.
pub(super) fn are_independent_of_seeds<'a>(
    candidates: impl Iterator<Item = (Vec<&'a GameRecord>, f64)>,
) -> bool {
    let mut values = Vec::new();
    for (games, fitness) in candidates {
        if games.len() < 2 || !same_results(games.into_iter()) {
            return false;
        }
        values.push(fitness.to_bits());
    }
    values.sort_unstable();
    values.dedup();
    values.len() >= FEWEST_VALUES
}

fn same_results<'a>(mut games: impl Iterator<Item = &'a GameRecord>) -> bool {
    let first = games.next().map(|game| &game.result);
    games.all(|game| Some(&game.result) == first)
}

/// Hold-out games of each set of weights if games do not depend on their seeds: the smallest number that allows a
/// verdict.
pub(super) const DETERMINISTIC_GAMES: usize = FEWEST_OBSERVATIONS as usize;

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
fn player_at(campaign: &Campaign, depth: Option<u8>) -> Option<PlayerSpec> {
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
fn hold_out_weights(
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
fn without_hold_out_games(campaign: &Campaign, depth: Option<u8>) -> String {
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
