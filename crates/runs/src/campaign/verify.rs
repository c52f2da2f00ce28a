//! Verification of a campaign: everything that its files say twice, and recorded games with the weights that
//! played them.

use super::finish::{
    DISTRIBUTION, VALIDATION, correlation, finalist_rows, points, recommendation, recorded_race,
    validation,
};
use super::generations::Search;
use super::hold_out;
use super::recorded::hold_out_weights;
use super::sample::TrainingGames;
use super::scores::{Scores, is_played};
use crate::config::campaign::Campaign;
use crate::config::weights_file::{BEST, WeightsFile};
use crate::run::TableName;
use crate::run::replay::Replay;
use crate::run::tables::{self, GamesOf, KeyedGame};
use crate::run::verify::{Numbers, Verify};
use crate::run::{Control, Part, RunDirectory, RunError, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{Depth, Pairings, PlayerSpec};
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::{Evaluate, EvaluatorFactory};
use tiletune_tuning::results::{Deeper, DeeperResult, Validation};

impl Verify for Campaign {
    fn compare(
        &self,
        directory: &RunDirectory,
        stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let mut search = Search::read(self, directory, stop)?;
        for generation in 0..search.generations {
            compare_generation(self, directory, generation)?;
        }
        if directory.part(BEST).exists() {
            compare_result(&mut search, stop, replay)?;
        }
        Ok(())
    }

    fn recorded_games(&self, directory: &RunDirectory) -> Result<u64, RunError> {
        let mut count = 0;
        for table in tables(self, directory)? {
            count += tables::read_games(&table.games)?.len() as u64;
        }
        Ok(count)
    }

    fn play_again(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        numbers: &[u64],
        control: &mut Control,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        let pairings = Pairings::of(&self.player);
        let mut numbers = Numbers::new(numbers);
        for table in tables(self, directory)? {
            let games = tables::read_keyed_games(&table.games, table.of, pairings.as_ref())?;
            let chosen = numbers.next_table(games.len() as u64);
            let chosen: Vec<KeyedGame> = chosen.into_iter().map(|index| games[index]).collect();
            for game in chosen {
                let weights = table.weights(self, directory, game.number)?;
                let evaluator = machines.evaluator(&player_at(self, table.depth)?)?;
                let again = evaluator.games(&weights, &[game.record.seed], control.progress)?;
                replay.add_played(1);
                let name = directory.name_of(&table.games);
                let what = match table.who() {
                    Some(who) => format!("{name}: {who} {}, game {}", game.number, game.game),
                    None => format!("{name}: game {}", game.game),
                };
                replay.compare_games(&what, &[game.record], &again);
            }
        }
        Ok(())
    }
}

/// The player at this depth, or at that of the search.
fn player_at(campaign: &Campaign, depth: Option<u8>) -> Result<PlayerSpec, RunError> {
    let Some(depth) = depth else {
        return Ok(campaign.player.clone());
    };
    let deeper = campaign.player.with_depth(Depth::Fixed(depth));
    deeper.ok_or_else(|| RunError::Differs(format!("this program cannot play at depth {depth}")))
}

/// A table of games, and who played them.
struct GamesTable {
    games: Part,
    of: GamesOf<'static>,
    players: PlayedBy,
    /// If it is not that of the search.
    depth: Option<u8>,
}

enum PlayedBy {
    /// The candidates of this table, by number.
    Candidates(Part),
    /// The finalists of this table, by number.
    Finalists(Part),
    /// Start or tuned weights.
    Start,
    Tuned,
}

impl GamesTable {
    fn weights(
        &self,
        campaign: &Campaign,
        directory: &RunDirectory,
        number: u32,
    ) -> Result<Weights, StoreError> {
        let names = campaign.space.names();
        let values = match &self.players {
            PlayedBy::Candidates(candidates) => {
                let mut rows = tables::read_candidates(candidates, &names)?.into_iter();
                rows.find(|row| row.candidate == number)
                    .map(|row| row.values)
            }
            PlayedBy::Finalists(finalists) => {
                let mut rows = tables::read_finalists(finalists, &names)?.into_iter();
                rows.find(|row| row.finalist == number)
                    .map(|row| row.values)
            }
            PlayedBy::Start => return Ok(campaign.start.clone()),
            PlayedBy::Tuned => return hold_out_weights(campaign, directory),
        };
        let values = values.ok_or_else(|| {
            let who = self.who().unwrap_or_default();
            StoreError::damaged(&self.games, format!("there is no {who} {number}"))
        })?;
        Ok(campaign.weights(&values))
    }

    /// What the numbers of its games count.
    fn who(&self) -> Option<&'static str> {
        match &self.players {
            PlayedBy::Candidates(_) => Some("candidate"),
            PlayedBy::Finalists(_) => Some("finalist"),
            PlayedBy::Start | PlayedBy::Tuned => None,
        }
    }
}

/// The tables of games that are written.
fn tables(campaign: &Campaign, directory: &RunDirectory) -> Result<Vec<GamesTable>, StoreError> {
    let mut tables = Vec::new();
    for generation in 0..directory.complete_generations()? {
        let part = |table| directory.generation_part(table, generation);
        let names = campaign.space.names();
        let restart = tables::read_generation(directory, generation, &names)?.restart;
        tables.push(GamesTable {
            games: part(TableName::Train),
            of: GamesOf::Train {
                generation,
                restart,
            },
            players: PlayedBy::Candidates(part(TableName::Candidates)),
            depth: None,
        });
    }
    tables.push(GamesTable {
        games: directory.race_part(),
        of: GamesOf::Race,
        players: PlayedBy::Finalists(directory.finalists_part()),
        depth: None,
    });
    let own = std::iter::once(None);
    for depth in own.chain(campaign.config.validation.deeper.iter().copied().map(Some)) {
        for (name, players) in [("start", PlayedBy::Start), ("tuned", PlayedBy::Tuned)] {
            let table = hold_out::Table::of(campaign, directory, depth, name);
            tables.push(GamesTable {
                games: table.path,
                of: table.of,
                players,
                depth,
            });
        }
    }
    tables.retain(|table| table.games.exists());
    Ok(tables)
}

/// Compares the games of a generation with its candidates: their numbers and seeds, and the fitness.
fn compare_generation(
    campaign: &Campaign,
    directory: &RunDirectory,
    generation: u32,
) -> Result<(), StoreError> {
    let played = TrainingGames::read(campaign, directory, generation)?;
    let damaged = |reason: &str| Err(StoreError::damaged(&played.path, reason));
    let recorded = tables::read_generation(directory, generation, &campaign.space.names())?;
    let players = campaign.player.players();
    let (seed, number) = (campaign.config.seed, u64::from(generation));
    let seeds = players.game_seeds(seed, Stream::Train, number, u64::from(recorded.games));
    let has_played = played.candidates.iter().filter(|row| is_played(row));
    let indices: Vec<usize> = has_played.map(|row| row.candidate as usize).collect();
    let expected = indices.iter().flat_map(|&candidate| {
        let numbers = (0..).zip(&seeds);
        numbers.map(move |(game, &seed)| (candidate as u32, game, seed))
    });
    let found = played.games.iter();
    let found = found.map(|game| (game.number, game.game, game.record.seed));
    if !found.eq(expected) {
        return damaged("the numbers and seeds of the games are not those of this generation");
    }
    let mut scores = Scores::new(campaign.objective);
    let records: Vec<GameRecord> = played.games.iter().map(|game| game.record).collect();
    for games in records.chunks(seeds.len().max(1)) {
        scores.add(games, true);
    }
    let values = played.candidates.iter().map(|row| row.values.clone());
    let numbers = [generation, recorded.restart];
    let (rows, residual) = scores.rows(numbers, values.collect(), &indices);
    if rows != played.candidates || residual.to_bits() != recorded.residual.to_bits() {
        return damaged("the recorded fitness of the candidates does not follow from the games");
    }
    Ok(())
}

/// Compares what the campaign recommends and measured with its search and its games.
fn compare_result(search: &mut Search, stop: Stop, replay: &mut Replay) -> Result<(), RunError> {
    let (campaign, directory) = (search.campaign, search.directory);
    let mut finalists = search.optimizer.finalists();
    let race = match finalists.len() {
        1 => None,
        count => recorded_race(campaign, directory, count)?,
    };
    let winner = race.as_ref().map_or(0, |race| race.winner);
    if let Some(race) = &race {
        let path = directory.finalists_part();
        let found = tables::read_finalists(&path, &campaign.space.names())?;
        let values = points(campaign, &finalists).into_iter();
        if found != finalist_rows(race, values) {
            let reason = "the finalists are not those of the search and of the race games";
            return Err(StoreError::damaged(&path, reason).into());
        }
    }
    let finalist = finalists.swap_remove(winner);
    if let Some(correlation) = correlation(campaign, &finalist) {
        replay.compare_file(directory, DISTRIBUTION, &correlation)?;
    }
    let mut recommendation = recommendation(search, &finalist, race.as_ref())?;
    let recorded: Option<Validation> = directory.read_json(VALIDATION)?;
    let validated = match recorded {
        Some(recorded) => Some(validated(campaign, directory, &recorded, stop)?),
        None => None,
    };
    if let Some(mut validated) = validated {
        let value = validated.objective.tuned;
        let selection = recommendation.selection;
        let selection = selection.map(|selection| selection.with_hold_out(value));
        (recommendation.selection, validated.selection) = (selection, selection);
        replay.compare_file(directory, VALIDATION, &validated)?;
        let file = recommendation.file(campaign, Some(&validated));
        return compare_best(directory, file, replay);
    }
    compare_best(directory, recommendation.file(campaign, None), replay)
}

/// The hold-out results from the recorded games.
fn validated(
    campaign: &Campaign,
    directory: &RunDirectory,
    recorded: &Validation,
    stop: Stop,
) -> Result<Validation, RunError> {
    let games = |count: u32, depth: Option<u8>| {
        let read = |name: &str| {
            let table = hold_out::Table::of(campaign, directory, depth, name);
            table.recorded(campaign, count)
        };
        validation(campaign, &read("start")?, &read("tuned")?, stop)
    };
    let config = &campaign.config.validation;
    let mut validated = games(config.games, None)?;
    validated.deeper = recorded.deeper.clone();
    for at in &mut validated.deeper {
        if at.played().is_some() {
            let played = games(config.deeper_games(), Some(at.depth))?;
            *at = Deeper::new(at.depth, DeeperResult::Played(Box::new(played)));
        }
    }
    Ok(validated)
}

fn compare_best(
    directory: &RunDirectory,
    mut file: WeightsFile,
    replay: &mut Replay,
) -> Result<(), RunError> {
    let path = directory.part(BEST);
    let damaged = |error: toml::de::Error| StoreError::damaged(&path, error);
    let recorded: toml::Table = toml::from_str(&directory.read_text(BEST)?).map_err(damaged)?;
    // Another version may read the file.
    let program = recorded
        .get("provenance")
        .and_then(|one| one.get("program"));
    if let (Some(program), Some(provenance)) = (program, &mut file.provenance) {
        provenance.insert("program".into(), program.clone());
    }
    let file = toml::Table::try_from(&file);
    let file = file.map_err(|error| StoreError::damaged(&path, error))?;
    replay.compare(&path, &recorded, &file)?;
    Ok(())
}
