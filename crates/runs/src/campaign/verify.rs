//! Verification of a campaign: redundant contents of its files must agree, and recorded games must belong to the
//! weights that played them.

use super::event::Event;
use super::event_log;
use super::exact;
use super::finalists::finalists_to_race;
use super::finish::{
    final_distribution, finalist_rows, race_decided, recommendation, recorded_race,
};
use super::generations::CampaignSearch;
use super::looks::{EarlierLook, file_of, last_better};
use super::recommendation::{Recommendation, Recommended, start_file};
use super::recorded::TrainingGames;
use super::scores::{Scores, is_played};
use super::training_seeds::{MOST_REPLACED, training_seeds};
use super::validation::recorded_validation;
use crate::config::campaign::{Campaign, DISTRIBUTION};
use crate::config::weights_file::{BEST, TUNED, WeightsFile};
use crate::run::logs::EVENTS;
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::{RunDirectory, RunError, StoreError, VALIDATION, tables};
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::schedule::shows_noise;
use tiletune_tuning::results::{Deeper, DeeperResult, Validation};

/// Compares the files of a campaign with the values that follow from its other files.
pub(super) fn compare_files(
    campaign: &Campaign,
    directory: &RunDirectory,
    stop: Stop,
    replay: &mut Replay,
) -> Result<(), RunError> {
    let mut search = CampaignSearch::read(campaign, directory, stop)?;
    for generation in 0..search.generations {
        compare_generation(campaign, directory, generation)?;
    }
    for look in 1..campaign.config.validation.look {
        compare_look(campaign, directory, look, stop, replay)?;
    }
    let look = campaign.config.validation.look;
    let has_results = event_log::are_results_of(directory, look)?;
    if has_results && directory.part(TUNED).exists() {
        compare_result(&mut search, stop, replay)?;
    } else if directory.part(BEST).exists() {
        let before = best_before(campaign, directory)?;
        // This is the file of a search that stopped without signal. The search can have continued since.
        let start =
            (has_results && look == 1).then(|| start_file(campaign, &search.start, None, None));
        if let Some(best) = before.or(start) {
            compare_weights(directory, BEST, vec![best], replay)?;
        }
    }
    match directory.manifest()?.status {
        Status::Complete => check_events(&mut search),
        // The events of an incomplete step cannot be distinguished from forged ones.
        _ => Ok(()),
    }
}

/// Checks that the log of a complete run has no events beyond those of the run.
fn check_events(search: &mut CampaignSearch) -> Result<(), RunError> {
    if let Some((_, end)) = event_log::search_ended(search.events.written()) {
        search.record_gaps(&end)?;
    }
    search.record_without_signal()?;
    let config = &search.campaign.config;
    if config.validation.games > 0 {
        search.events.record(Event::Validated)?;
    }
    let is_possible = |event: &&Event| match event {
        Event::SearchEnded { generations, .. } => *generations == search.generations,
        // A search that continued without signal can have a signal in later generations.
        Event::WithoutSignal { generations, .. } => *generations <= search.generations,
        // The clock decided between these two events, so only the depth can be checked.
        Event::DeeperBegan { depth } | Event::DeeperSkipped { depth, .. } => {
            config.validation.deeper.contains(depth)
        }
        // These events come from games that no table contains.
        Event::NotRepeated(_)
        | Event::FinalistRefused { .. }
        | Event::Deterministic { .. }
        | Event::SeedMatters { .. } => {
            let player = &search.campaign.player;
            player.program().is_some() || player.has_exact_scores()
        }
        Event::Continued { generations, look } => {
            *generations <= search.generations && *look <= config.validation.look
        }
        Event::EffectsTried { .. } | Event::WentOn { .. } => true,
        _ => false,
    };
    let mut foreign = search.events.unconfirmed();
    let Some(foreign) = foreign.find(|event| !is_possible(event)) else {
        return Ok(());
    };
    let path = search.directory.path(EVENTS);
    let reason = format!("the run did not write the event \"{foreign}\"");
    Err(StoreError::damaged(&path, reason).into())
}

/// Compares the games of a generation with its candidates: the numbers and seeds of the games, and the fitness.
fn compare_generation(
    campaign: &Campaign,
    directory: &RunDirectory,
    generation: u32,
) -> Result<(), StoreError> {
    let played = TrainingGames::read(campaign, directory, generation)?;
    let damaged = |reason: &str| Err(StoreError::damaged(&played.path, reason));
    let recorded = directory.read_generation(generation, &campaign.space.names())?;
    let seeds_after =
        |replaced| training_seeds(campaign, directory, generation, recorded.games, replaced);
    let mut seeds = seeds_after(0)?;
    // Seeds that left no candidate of a program were replaced.
    let first = played.games.first().map(|game| game.record.seed);
    let are_others = |seeds: &[u64]| first.is_some() && seeds.first().copied() != first;
    let mut replaced = 0;
    while campaign.player.program().is_some() && are_others(&seeds) && replaced < MOST_REPLACED {
        replaced += 1;
        seeds = seeds_after(replaced)?;
    }
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
    let mut scores = Scores::of(campaign);
    let records: Vec<GameRecord> = played
        .games
        .iter()
        .map(|game| game.record.clone())
        .collect();
    for (candidate, games) in indices.iter().zip(records.chunks(seeds.len().max(1))) {
        scores.add(*candidate, games, true);
    }
    let values = played.candidates.iter().map(|row| row.values.clone());
    let numbers = [generation, recorded.restart];
    let (rows, residual) = scores.rows(numbers, values.collect());
    // The noise of so few games is that of earlier generations, which the search computes again.
    let is_measured = shows_noise(recorded.games, campaign.player.players());
    let is_same = !is_measured || residual.to_bits() == recorded.residual.to_bits();
    if rows != played.candidates || !is_same {
        return damaged("the recorded fitness of the candidates does not follow from the games");
    }
    Ok(())
}

/// Compares the results of a campaign with its search and its games.
fn compare_result(
    search: &mut CampaignSearch,
    stop: Stop,
    replay: &mut Replay,
) -> Result<(), RunError> {
    let (campaign, directory) = (search.campaign, search.directory);
    let (mut finalists, rules) = finalists_to_race(search);
    let race = match finalists.len() {
        1 => None,
        count => recorded_race(campaign, directory, count, rules)?,
    };
    let winner = race.as_ref().map_or(0, |race| race.winner);
    if let Some(race) = &race {
        let path = directory.finalists_part();
        let found = tables::read_finalists(&path, &campaign.space.names())?;
        let values = finalists.iter().map(|one| one.values.clone());
        if found != finalist_rows(race, values) {
            let reason = "the finalists are not those of the search and of the race games";
            return Err(StoreError::damaged(&path, reason).into());
        }
    }
    if let Some(race) = &race {
        search.events.record(race_decided(race, &finalists))?;
    }
    let finalist = finalists.swap_remove(winner);
    let mut recommendation = recommendation(search, &finalist, race.as_ref())?;
    let distribution = final_distribution(search, &finalist.of_search, &recommendation.values);
    replay.compare_file(directory, DISTRIBUTION, &distribution)?;
    let recorded: Option<Validation> = directory.read_json(VALIDATION)?;
    let validated = match recorded {
        Some(recorded) => Some(validated(
            campaign,
            directory,
            campaign.config.validation.look,
            &recorded,
            stop,
        )?),
        None => None,
    };
    let earlier = last_better(campaign, directory)?;
    // The tuned and the recommended weights, as they are written at each step of `finish`.
    let written = |recommendation: &Recommendation, result: Option<&Validation>| {
        let tuned = recommendation.file(campaign, result);
        let best = match (Recommended::by(result, earlier.as_ref()), &earlier) {
            (Recommended::Tuned, _) => tuned.clone(),
            (_, Some(EarlierLook { file, .. })) => file.clone(),
            (_, None) => start_file(campaign, &search.start, Some(&tuned), result),
        };
        (tuned, best)
    };
    let mut files = vec![written(&recommendation, None)];
    if let Some(best) = best_before(campaign, directory)? {
        files[0].1 = best;
    }
    if let Some(mut validated) = validated {
        validated.exact = exact::scores(
            &campaign.player,
            &search.start,
            &recommendation.weights,
            stop,
        )?;
        recommendation.conclude(&mut validated);
        replay.compare_file(directory, VALIDATION, &validated)?;
        let deeper = std::mem::take(&mut validated.deeper);
        files.push(written(&recommendation, Some(&validated)));
        validated.deeper = deeper;
        files.push(written(&recommendation, Some(&validated)));
    }
    // A complete run must have the last version of these files.
    if directory.manifest()?.status == Status::Complete {
        files.drain(..files.len() - 1);
    }
    let (tuned, best): (Vec<WeightsFile>, Vec<WeightsFile>) = files.into_iter().unzip();
    if directory.part(BEST).exists() {
        compare_weights(directory, BEST, best, replay)?;
    }
    compare_weights(directory, TUNED, tuned, replay)
}

/// The recommended weights of the look before the present one. They stay in place until the present look has results.
fn best_before(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Option<WeightsFile>, StoreError> {
    match campaign.config.validation.look.checked_sub(1) {
        None | Some(0) => Ok(None),
        Some(before) => file_of(directory, before, BEST),
    }
}

/// Compares the results of an earlier look with its games.
fn compare_look(
    campaign: &Campaign,
    directory: &RunDirectory,
    look: u32,
    stop: Stop,
    replay: &mut Replay,
) -> Result<(), RunError> {
    let name = directory.earlier_part(look, VALIDATION);
    let name = directory.name_of(&name);
    let Some(recorded) = directory.read_json::<Validation>(&name)? else {
        return Ok(());
    };
    let mut validated = validated(campaign, directory, look, &recorded, stop)?;
    // The stages of the search before this look are not computed again.
    let value = validated.objective.tuned;
    validated.exact = recorded.exact;
    validated.selection = recorded.selection.map(|one| one.with_hold_out(value));
    Ok(replay.compare_file(directory, &name, &validated)?)
}

/// The hold-out results of a look, computed from the recorded games.
fn validated(
    campaign: &Campaign,
    directory: &RunDirectory,
    look: u32,
    recorded: &Validation,
    stop: Stop,
) -> Result<Validation, RunError> {
    let of = |depth| recorded_validation(campaign, directory, (look, depth), "tuned", stop);
    let mut validated = of(None)?;
    validated.deeper = recorded.deeper.clone();
    for at in &mut validated.deeper {
        if at.played().is_some() {
            let played = of(Some(at.depth))?;
            *at = Deeper::new(at.depth, DeeperResult::Played(Box::new(played)));
        }
    }
    Ok(validated)
}

/// Compares the recorded weights with the last of these files. A process that was killed before it wrote the last
/// version has left an earlier one.
fn compare_weights(
    directory: &RunDirectory,
    name: &str,
    files: Vec<WeightsFile>,
    replay: &mut Replay,
) -> Result<(), RunError> {
    let path = directory.part(name);
    let damaged = |error: toml::de::Error| StoreError::damaged(&path, error);
    let mut recorded: toml::Table = toml::from_str(&directory.read_text(name)?).map_err(damaged)?;
    // Values of integer parameters are written without a point.
    if let Some(toml::Value::Table(weights)) = recorded.get_mut("weights") {
        for (_, value) in weights {
            if let Some(whole) = value.as_integer() {
                *value = toml::Value::Float(whole as f64);
            }
        }
    }
    // Another version of the program may verify the run, so the recorded version is expected.
    let program = recorded
        .get("provenance")
        .and_then(|one| one.get("program"));
    let expected = |mut file: WeightsFile| {
        if let (Some(program), Some(provenance)) = (program, &mut file.provenance) {
            provenance.insert("program".into(), program.clone());
        }
        let file = toml::Table::try_from(&file);
        file.map_err(|error| StoreError::damaged(&path, error))
    };
    let mut files = files.into_iter().rev().map(expected);
    let Some(last) = files.next().transpose()? else {
        return Ok(());
    };
    for earlier in files {
        let mut compared = Replay::default();
        compared.compare(&path, &recorded, &earlier?)?;
        if compared.is_equal() {
            replay.figures += compared.figures;
            return Ok(());
        }
    }
    replay.compare(&path, &recorded, &last)?;
    Ok(())
}
