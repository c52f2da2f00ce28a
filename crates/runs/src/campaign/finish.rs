//! The steps after the search: the race between several finalists, and the comparison of start and tuned weights on the
//! hold-out seeds.

use std::collections::BTreeMap;

use super::CampaignOutcome;
use super::event::{self, Event, SearchEnd};
use super::event_log;
use super::finalists::{Finalist, finalists_of, finalists_to_race, is_usable};
use super::generations::CampaignSearch;
use super::hold_out::HoldOutGames;
use super::looks::last_better;
use super::race::{self, RaceResult, RaceRules};
use super::recommendation::{Recommendation, at_bounds};
use super::recorded::race_games;
use super::scores::{FIRST_GAMES, is_refused_at_first};
use super::validation::validation;
use super::{deeper, effect, exact};
use crate::config::campaign::{Campaign, DISTRIBUTION};
use crate::config::weights_file::TUNED;
use crate::run::games_table::{any, check_game};
use crate::run::tables::{GamesOf, GamesWriter, KeyedGame, finalists};
use crate::run::{Control, RunDirectory, RunError, StoreError, Task, VALIDATION, tables};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_engine::random::Stream;
use tiletune_engine::record::Phase;
use tiletune_tuning::evaluation::{Batch, Evaluate, Evaluator, EvaluatorFactory};
use tiletune_tuning::optimizer;
use tiletune_tuning::results::{
    Correlation, FinalDistribution, FinalistRow, Selection, Validation,
};

/// Completes a campaign whose search has ended. The first pair is a factory of evaluators for other depths and the
/// evaluator of the campaign's player.
pub(super) fn finish(
    (machines, evaluator): (&dyn EvaluatorFactory, &dyn Evaluator),
    mut search: CampaignSearch,
    stopped_by: SearchEnd,
    control: &mut Control,
) -> Result<CampaignOutcome, RunError> {
    let (campaign, directory) = (search.campaign, search.directory);
    ask_program(evaluator, &mut search, control)?;
    let (finalist, race) = recommended(evaluator, &mut search, control)?;
    let mut recommendation = recommendation(&mut search, &finalist, race.as_ref())?;
    let distribution = final_distribution(&search, &finalist.of_search, &recommendation.values);
    directory.write_json(DISTRIBUTION, &distribution)?;
    let recorded: Option<Validation> = directory.read_json(VALIDATION)?;
    let earlier = last_better(campaign, directory)?;
    let write = |recommendation: &Recommendation, validation: Option<&Validation>| {
        recommendation.write(campaign, directory, validation, earlier.as_ref())
    };
    // A resumed campaign must not replace weights files that already contain the hold-out results.
    if recorded.is_none() {
        write(&recommendation, None)?;
    }
    let mut validation = None;
    if campaign.config.validation.games > 0 {
        let tuned = &recommendation.weights;
        let mut validated = validate(&mut search, evaluator, tuned, control)?;
        if exact::is_short(campaign) {
            control.observer.task_begins(Task::ExactScores);
        }
        let stop = control.progress.stop();
        validated.exact = exact::scores(&campaign.player, &search.start, tuned, stop)?;
        recommendation.conclude(&mut validated);
        // A recorded validation with other depths is complete, and is written again below.
        if recorded.is_none_or(|recorded| recorded.deeper.is_empty()) {
            write(&recommendation, Some(&validated))?;
        }
        search.events.record(Event::Validated)?;
        if !campaign.config.validation.deeper.is_empty() {
            let tuned = &recommendation.weights;
            validated.deeper = deeper::results(machines, &mut search, tuned, control)?;
            write(&recommendation, Some(&validated))?;
        }
        validation = Some(validated);
    }
    effect::find(evaluator, &mut search, &recommendation, control)?;
    search.record_unrepeated(evaluator)?;
    Ok(CampaignOutcome {
        recommendation,
        stopped_by,
        race,
        winner_is: finalist.is,
        without_effect: event_log::effects(search.events.written())
            .unwrap_or_default()
            .to_vec(),
        refused: event::refused(search.events.written()),
        failed_games: search.failed_games,
        last_generation: search.last,
        validation,
        earlier,
    })
}

/// Asks a program that has refused or failed with candidates whether it can use the finalists. A finalist is a mean of
/// usable candidates, but it can be unusable itself.
fn ask_program(
    evaluator: &dyn Evaluator,
    search: &mut CampaignSearch,
    control: &mut Control,
) -> Result<(), RunError> {
    let (campaign, directory) = (search.campaign, search.directory);
    let is_begun = directory.race_part().exists() || directory.part(TUNED).exists();
    let has_refused = event::refused(search.events.written()) > 0;
    if is_begun || !(has_refused || search.failed_games > 0) || campaign.player.program().is_none()
    {
        return Ok(());
    }
    let player = &campaign.player;
    let seeds = player.game_seeds(campaign.config.seed, Stream::Race, 0, FIRST_GAMES as u64);
    for (finalist, of_search) in search.optimizer.finalists().iter().enumerate() {
        let weights = campaign.weights(&campaign.space.decode(&of_search.point));
        let games = evaluator.games(&weights, &seeds, control.progress)?;
        let finalist = finalist as u32;
        if is_refused_at_first(&games) {
            search.events.record(Event::FinalistRefused { finalist })?;
        }
    }
    Ok(())
}

/// The final distribution of a search that recommends these values, with the spread of a finalist.
pub(super) fn final_distribution(
    search: &CampaignSearch,
    finalist: &optimizer::Finalist,
    recommended: &[f64],
) -> FinalDistribution {
    let space = &search.campaign.space;
    let free: Vec<String> = space.free_names().into_iter().map(str::to_owned).collect();
    let named = |values: &[f64]| -> BTreeMap<String, f64> {
        let names = space.names().into_iter().map(str::to_owned);
        names.zip(values.iter().copied()).collect()
    };
    // A challenger may be recommended. The search still goes on from its mean, and with the spread around that.
    let mut finalists = values_of(&finalists_of(search));
    let mean = space.decode(&finalist.point);
    let center = if search.has_signal && finalists.contains(&mean) {
        mean
    } else {
        recommended.to_vec()
    };
    if !finalists.contains(&center) {
        finalists = vec![center.clone()];
    }
    FinalDistribution {
        finalists: finalists.iter().map(|values| named(values)).collect(),
        center: named(&center),
        spread: free.iter().cloned().zip(finalist.spread.clone()).collect(),
        correlation: (finalist.correlation.clone()).map(|matrix| Correlation {
            names: free,
            matrix,
        }),
    }
}

/// The parameter values of finalists.
fn values_of(finalists: &[Finalist]) -> Vec<Vec<f64>> {
    finalists.iter().map(|one| one.values.clone()).collect()
}

/// The recommendation of a finalist of the search.
pub(super) fn recommendation(
    search: &mut CampaignSearch,
    finalist: &Finalist,
    race: Option<&RaceResult>,
) -> Result<Recommendation, StoreError> {
    let campaign = search.campaign;
    let restart = search.optimizer.restart();
    let is_only = search.optimizer.finalists().len() == 1;
    if search.has_signal && is_only && finalist.of_search.restart < restart {
        search.events.record(Event::EarlierMean)?;
    }
    // Without signal the finalist is a point of a random walk.
    let values = if search.has_signal {
        usable(search, finalist.values.clone())?
    } else {
        campaign.values_of(&search.start)
    };
    Ok(Recommendation {
        at_bounds: at_bounds(&campaign.space, &values),
        selection: selection(search, &finalist.of_search, race),
        weights: campaign.weights(&values),
        start: search.start.clone(),
        values,
        generations: search.generations,
        games: search.games,
        best_seen: search.best_seen.first().cloned(),
    })
}

/// These values of a finalist. If the player cannot use them, those of the best candidate seen; if it could
/// use no candidate, those of the start.
fn usable(search: &mut CampaignSearch, values: Vec<f64>) -> Result<Vec<f64>, StoreError> {
    let campaign = search.campaign;
    if is_usable(search, &values) {
        return Ok(values);
    }
    search.events.record(Event::MeanRefused)?;
    Ok(match search.best_seen.first() {
        Some(best) => best.candidate.values.clone(),
        None => campaign.values_of(&search.start),
    })
}

/// The objective at each stage before the hold-out games; `None` if no candidate has played.
fn selection(
    search: &CampaignSearch,
    finalist: &optimizer::Finalist,
    race: Option<&RaceResult>,
) -> Option<Selection> {
    let best_seen = search.best_seen.first()?.candidate.fitness;
    let in_race = race.map(|race| race.finalists[race.winner].value);
    Some(Selection::new(
        best_seen,
        *search.last_means.get(finalist.restart as usize)?,
        in_race,
    ))
}

/// The recommended finalist: the only one, or the winner of a race. The race has separate seeds.
fn recommended(
    evaluator: &dyn Evaluator,
    search: &mut CampaignSearch,
    control: &mut Control,
) -> Result<(Finalist, Option<RaceResult>), RunError> {
    let (mut finalists, rules) = finalists_to_race(search);
    if finalists.len() == 1 {
        return Ok((finalists.remove(0), None));
    }
    let values = values_of(&finalists);
    let (campaign, directory) = (search.campaign, search.directory);
    let result = race_means(evaluator, campaign, directory, &values, rules, control)?;
    search.events.record(race_decided(&result, &finalists))?;
    Ok((finalists.swap_remove(result.winner), Some(result)))
}

/// The event of a race between these finalists.
pub(super) fn race_decided(race: &RaceResult, finalists: &[Finalist]) -> Event {
    Event::RaceDecided {
        finalist: race.winner as u32,
        finalists: finalists.len() as u32,
        survivors: race.survivors() as u32,
        is: finalists[race.winner].is,
    }
}

/// Races finalists with these parameter values on the race seeds of the campaign, by these rules, and
/// writes the table of finalists. If an earlier process has played the race, its recorded games decide.
pub(crate) fn race_means(
    evaluator: &dyn Evaluator,
    campaign: &Campaign,
    directory: &RunDirectory,
    values: &[Vec<f64>],
    rules: RaceRules,
    control: &mut Control,
) -> Result<RaceResult, RunError> {
    let weights: Vec<Weights> = values.iter().map(|one| campaign.weights(one)).collect();
    let result = race(evaluator, campaign, directory, &weights, rules, control)?;
    let rows = finalist_rows(&result, values.iter().cloned());
    let table = finalists(&campaign.space.names(), &rows);
    tables::write(&directory.finalists_part(), &table)?;
    Ok(result)
}

/// The rows of the finalists with these parameter values.
pub(super) fn finalist_rows(
    race: &RaceResult,
    values: impl Iterator<Item = Vec<f64>>,
) -> Vec<FinalistRow> {
    let numbered = race.finalists.iter().zip(values).zip(0..);
    let row = |((finalist, values), number)| {
        let finalist: &race::Finalist = finalist;
        FinalistRow {
            finalist: number,
            fitness: finalist.value,
            standard_error: finalist.standard_error,
            values,
            games: finalist.games,
            eliminated: finalist.is_eliminated,
        }
    };
    numbered.map(row).collect()
}

fn race(
    evaluator: &dyn Evaluator,
    campaign: &Campaign,
    directory: &RunDirectory,
    weights: &[Weights],
    rules: RaceRules,
    control: &mut Control,
) -> Result<RaceResult, RunError> {
    let progress = control.progress;
    let path = directory.race_part();
    if let Some(result) = recorded_race(campaign, directory, weights.len(), rules)? {
        if let Some(game) = any(&race_games(campaign, &path)?) {
            let weights = &weights[game.number as usize];
            check_game(evaluator, &game.record, weights, path.display(), progress)?;
        }
        return Ok(result);
    }
    let seeds = race_seeds(campaign, rules);
    control.observer.task_begins(Task::Phase {
        phase: Phase::Race,
        games: u64::from(rules.games) * weights.len() as u64,
    });
    let mut writer = GamesWriter::create(&path, GamesOf::Race, Pairings::of(&campaign.player))?;
    let sink = &mut |batch: Batch| {
        writer.add(batch.candidate as u32, batch.first_game as u32, batch.games)
    };
    let result = race::race::<StoreError>(evaluator, weights, &seeds, rules, progress, sink)?;
    writer.finish()?;
    Ok(result)
}

/// The seeds of the games of a race.
fn race_seeds(campaign: &Campaign, rules: RaceRules) -> Vec<u64> {
    let (seed, games) = (campaign.config.seed, u64::from(rules.games));
    campaign.player.game_seeds(seed, Stream::Race, 0, games)
}

/// The recorded race between this number of finalists by these rules, if there is one. Its games decide it again; they
/// are recorded in the order of play.
pub(crate) fn recorded_race(
    campaign: &Campaign,
    directory: &RunDirectory,
    finalists: usize,
    mut rules: RaceRules,
) -> Result<Option<RaceResult>, RunError> {
    let path = directory.race_part();
    if !path.exists() {
        return Ok(None);
    }
    let recorded = race_games(campaign, &path)?;
    if recorded.len() == finalists {
        rules.games = 1;
    }
    let seeds = race_seeds(campaign, rules);
    let mut recorded = recorded.into_iter();
    let result = race::decide(finalists, rules, |racing, games| {
        let block = |finalist: &usize| {
            let block: Vec<KeyedGame> = recorded.by_ref().take(games.len()).collect();
            let found = block.iter();
            let found = found.map(|one| (one.number, one.game, one.record.seed));
            let numbers = games.clone().zip(&seeds[games.clone()]);
            let expected = numbers.map(|(game, &seed)| (*finalist as u32, game as u32, seed));
            if found.eq(expected) {
                Ok(block.into_iter().map(|one| one.record).collect())
            } else {
                Err(RunError::differs(path.display(), "plays other race games"))
            }
        };
        racing.iter().map(block).collect()
    })?;
    match recorded.next() {
        None => Ok(Some(result)),
        Some(_) => Err(RunError::differs(path.display(), "plays fewer race games")),
    }
}

fn validate(
    search: &mut CampaignSearch,
    evaluator: &dyn Evaluator,
    tuned: &Weights,
    control: &mut Control,
) -> Result<Validation, RunError> {
    let (campaign, directory) = (search.campaign, search.directory);
    let games = u64::from(campaign.config.validation.games);
    control.observer.task_begins(Task::Phase {
        phase: Phase::HoldOut,
        games: 2 * games,
    });
    let of = |name: &str| HoldOutGames::new(campaign, directory, None, name);
    let first = search.start.clone();
    let [start, tuned] = [(of("start"), &first), (of("tuned"), tuned)];
    if search.is_deterministic() {
        let all = [start.clone(), tuned.clone()];
        let played = HoldOutGames::play_first(&all, evaluator, control.progress)?;
        if let Some([start, tuned]) = played.as_deref() {
            return validation(campaign, start, tuned, control.progress.stop());
        }
        let generation = search.generations;
        search.events.record(Event::SeedMatters { generation })?;
    }
    let play = |(games, weights): (HoldOutGames, &Weights)| {
        games.play(evaluator, weights, control.progress)
    };
    let (start, tuned) = (play(start)?, play(tuned)?);
    validation(campaign, &start, &tuned, control.progress.stop())
}
