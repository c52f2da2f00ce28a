//! Verification of a campaign: everything that its files say twice, and recorded games with the weights that
//! played them.

use std::collections::BTreeMap;
use std::rc::Rc;

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
use crate::run::games_table::{GamesTable, RecordedGame};
use crate::run::replay::Replay;
use crate::run::tables::{self, GamesOf, KeyedGame};
use crate::run::{Part, RunDirectory, RunError, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{Depth, Pairings};
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::results::{Deeper, DeeperResult, Validation};

/// Compares what follows from other files of a campaign.
pub(super) fn compare_files(
    campaign: &Campaign,
    directory: &RunDirectory,
    stop: Stop,
    replay: &mut Replay,
) -> Result<(), RunError> {
    let mut search = Search::read(campaign, directory, stop)?;
    for generation in 0..search.generations {
        compare_generation(campaign, directory, generation)?;
    }
    if directory.part(BEST).exists() {
        compare_result(&mut search, stop, replay)?;
    }
    Ok(())
}

/// The tables of games that are written.
pub(super) fn tables<'a>(
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
) -> Result<Vec<GamesTable<'a>>, RunError> {
    let mut tables = Vec::new();
    let names = campaign.space.names();
    for generation in 0..directory.complete_generations()? {
        let part = |table| directory.generation_part(table, generation);
        let restart = directory.read_generation(generation, &names)?.restart;
        let (games, candidates) = (part(TableName::Train), part(TableName::Candidates));
        let of = GamesOf::Train {
            generation,
            restart,
        };
        tables.push(of_several(
            campaign,
            directory,
            games,
            of,
            "candidate",
            move || {
                let rows =
                    tables::read_candidates(&candidates, &campaign.space.names())?.into_iter();
                Ok(rows.map(|row| (row.candidate, row.values)).collect())
            },
        )?);
    }
    if directory.race_part().exists() {
        let finalists = directory.finalists_part();
        let values = move || {
            let rows = tables::read_finalists(&finalists, &campaign.space.names())?.into_iter();
            Ok(rows.map(|row| (row.finalist, row.values)).collect())
        };
        tables.push(race_table(campaign, directory, values)?);
    }
    let own = std::iter::once(None);
    for depth in own.chain(campaign.config.validation.deeper.iter().copied().map(Some)) {
        for name in ["start", "tuned"] {
            let weights = move || match name {
                "start" => Ok(campaign.start.clone()),
                _ => hold_out_weights(campaign, directory),
            };
            tables.extend(hold_out_table(
                campaign,
                directory,
                depth,
                name.to_owned(),
                weights,
            )?);
        }
    }
    Ok(tables)
}

/// The table of the race between finalists with these values of the parameters.
pub(crate) fn race_table<'a>(
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
    values: impl Fn() -> Result<Vec<(u32, Vec<f64>)>, StoreError> + 'a,
) -> Result<GamesTable<'a>, RunError> {
    let games = directory.race_part();
    of_several(
        campaign,
        directory,
        games,
        GamesOf::Race,
        "finalist",
        values,
    )
}

/// A table of the games of candidates or finalists with these numbers and values of the parameters.
fn of_several<'a>(
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
    part: Part,
    of: GamesOf<'static>,
    name: &'static str,
    values: impl Fn() -> Result<Vec<(u32, Vec<f64>)>, StoreError> + 'a,
) -> Result<GamesTable<'a>, RunError> {
    let label = directory.name_of(&part);
    let count = tables::read_games(&part)?.len() as u64;
    let pairings = Pairings::of(&campaign.player);
    let read = move || {
        let weights = values()?.into_iter();
        let weights = weights.map(|(number, values)| (number, Rc::new(campaign.weights(&values))));
        let weights: BTreeMap<u32, Rc<Weights>> = weights.collect();
        let games = tables::read_keyed_games(&part, of, pairings.as_ref())?.into_iter();
        let game = |game: KeyedGame| {
            let weights = weights.get(&game.number).ok_or_else(|| {
                StoreError::damaged(&part, format!("there is no {name} {}", game.number))
            })?;
            Ok(RecordedGame {
                of: Some((name, game.number)),
                number: game.game,
                weights: Rc::clone(weights),
                record: game.record,
            })
        };
        games.map(game).collect()
    };
    Ok(GamesTable::new(label, campaign.player.clone(), count, read))
}

/// The table of hold-out games of the weights of this name, if they are played.
pub(crate) fn hold_out_table<'a>(
    campaign: &'a Campaign,
    directory: &'a RunDirectory,
    depth: Option<u8>,
    name: String,
    weights: impl Fn() -> Result<Weights, StoreError> + 'a,
) -> Result<Option<GamesTable<'a>>, RunError> {
    let path = hold_out::Table::of(campaign, directory, depth, &name).path;
    if !path.exists() {
        return Ok(None);
    }
    let player = match depth {
        None => Some(campaign.player.clone()),
        Some(depth) => campaign.player.with_depth(Depth::Fixed(depth)),
    };
    let label = directory.name_of(&path);
    let player = player.ok_or_else(|| {
        RunError::Differs(format!("this program cannot play the games of {label}"))
    })?;
    let count = tables::read_games(&path)?.len() as u64;
    let read = move || {
        let table = hold_out::Table::of(campaign, directory, depth, &name);
        let games = tables::read_keyed_games(&table.path, table.of, table.pairings.as_ref())?;
        let games: Vec<GameRecord> = games.iter().map(|game| game.record.clone()).collect();
        Ok(RecordedGame::all(&weights()?, &games))
    };
    Ok(Some(GamesTable::new(label, player, count, read)))
}

/// Compares the games of a generation with its candidates: their numbers and seeds, and the fitness.
fn compare_generation(
    campaign: &Campaign,
    directory: &RunDirectory,
    generation: u32,
) -> Result<(), StoreError> {
    let played = TrainingGames::read(campaign, directory, generation)?;
    let damaged = |reason: &str| Err(StoreError::damaged(&played.path, reason));
    let recorded = directory.read_generation(generation, &campaign.space.names())?;
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
    let records: Vec<GameRecord> = played
        .games
        .iter()
        .map(|game| game.record.clone())
        .collect();
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
