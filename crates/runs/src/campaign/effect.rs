//! Finds parameters without effect. After the search each free parameter is moved alone from its tuned value, and a few
//! games are repeated. If all results and numbers of moves stay the same, the parameter has no effect in these games,
//! and its tuned value means nothing.
//!
//! Most parameters change one of the first games; then their remaining games are skipped. No table contains these
//! games.

use super::event::Event;
use super::event_log;
use super::generations::CampaignSearch;
use super::recommendation::Recommendation;
use crate::run::{Control, RunError, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::{Evaluate, Evaluator, Order, Progress};

/// Seeds of the games with each value. The first value of a parameter is played on half of them.
const SEEDS: u64 = 4;

/// Tried positions of a parameter between its bounds, on its scale. The bound that is farther from the tuned value is
/// tried before these.
const POSITIONS: [f64; 4] = [0.0, 1.0, 1.0 / 3.0, 2.0 / 3.0];

/// Limit of the number of these games, as a share of the games of the search and the hold-out games.
const LARGEST_SHARE: f64 = 0.1;

/// Finds the free parameters without effect and records them, once. It plays nothing if the search had no signal, or if
/// the number of games would exceed [`LARGEST_SHARE`].
pub(super) fn find(
    evaluator: &dyn Evaluator,
    search: &mut CampaignSearch,
    tuned: &Recommendation,
    control: &Control,
) -> Result<(), RunError> {
    if !search.has_signal || event_log::effects(search.events.written()).is_some() {
        return Ok(());
    }
    let campaign = search.campaign;
    let of_run = search.games + 2 * u64::from(campaign.config.validation.games);
    let most = (LARGEST_SHARE * of_run as f64) as u64;
    let seeds = seeds(search);
    let first = &seeds[..seeds.len().div_ceil(2)];
    let parameters = campaign.space.parameters();
    let free = (0..parameters.len()).filter(|&index| !parameters[index].fixed);
    let free: Vec<usize> = free.collect();
    if (seeds.len() + free.len() * first.len()) as u64 > most {
        return Ok(());
    }
    let base = evaluator.games(&tuned.weights, &seeds, control.progress)?;
    // If games end alike, as won and lost ones, so few of them say nothing.
    let is_alike = base.iter().all(|game| game.result == base[0].result);
    let is_shared = |game: &&GameRecord| {
        let equal = base.iter().filter(|other| is_same(game, other));
        equal.count() > 1
    };
    let are_coarse = 2 * base.iter().filter(is_shared).count() > base.len();
    if (is_alike || are_coarse) && !search.is_deterministic() {
        return Ok(search.events.record(Event::EffectsTried {
            without: Vec::new(),
            games: seeds.len() as u32,
        })?);
    }
    let unit = campaign.space.unit(&tuned.values);
    let moved = |index: usize, position: f64| -> Option<Weights> {
        let mut values = tuned.values.clone();
        values[index] = campaign.space.value_at(index, position);
        // A parameter that is not active stays where it is.
        let values = campaign.space.settled(values);
        let is_moved = values[index] != tuned.values[index];
        let is_allowed = campaign.space.broken(&values).is_none();
        let weights = campaign.weights(&values);
        (is_moved && is_allowed && campaign.player.check(&weights).is_ok()).then_some(weights)
    };
    let far = |&index: &usize| {
        let position = if unit[index] < 0.5 { 1.0 } else { 0.0 };
        Some((index, moved(index, position)?))
    };
    let (mut left, weights): (Vec<usize>, Vec<Weights>) = free.iter().filter_map(far).unzip();
    let differ = differ(evaluator, &weights, first, &base, control.progress)?;
    let mut differ = differ.into_iter();
    left.retain(|_| differ.next() == Some(false));

    // Each remaining parameter plays all positions on all seeds; these games have the same limit. Of the parameters that
    // are left out then nothing is said.
    left.truncate(most as usize / (POSITIONS.len() * seeds.len()));
    let mut without = Vec::new();
    for index in left {
        let weights: Vec<Weights> = POSITIONS
            .into_iter()
            .filter_map(|position| moved(index, position))
            .collect();
        if weights.is_empty() {
            // Constraints leave no room for a change.
            continue;
        }
        let differ = self::differ(evaluator, &weights, &seeds, &base, control.progress)?;
        if !differ.contains(&true) {
            without.push(parameters[index].name.clone());
        }
    }
    let games = (POSITIONS.len() * seeds.len()) as u32;
    Ok(search
        .events
        .record(Event::EffectsTried { without, games })?)
}

fn seeds(search: &CampaignSearch) -> Vec<u64> {
    let campaign = search.campaign;
    let count = if search.is_deterministic() { 1 } else { SEEDS };
    let player = &campaign.player;
    player.game_seeds(campaign.config.seed, Stream::Effect, 0, count)
}

/// Whether a game of each of these weights differs from the game of the tuned weights on the same seed.
fn differ(
    evaluator: &dyn Evaluator,
    weights: &[Weights],
    seeds: &[u64],
    base: &[GameRecord],
    progress: &Progress,
) -> Result<Vec<bool>, RunError> {
    let mut same = vec![0; weights.len()];
    evaluator.evaluate_usable::<StoreError>(
        Order::Seeds,
        weights,
        seeds,
        progress,
        &mut |batch| {
            let pairs = batch.games.iter().zip(&base[batch.first_game..]);
            same[batch.candidate] += pairs.filter(|(one, other)| is_same(one, other)).count();
            Ok(())
        },
    )?;
    // Weights that the player refuses have fewer equal games than seeds, so they count as having an effect.
    Ok(same.into_iter().map(|same| same < seeds.len()).collect())
}

/// Whether two games have the same result and as many moves. The number of visited positions is not compared: it can differ
/// although the moves are the same.
fn is_same(one: &GameRecord, other: &GameRecord) -> bool {
    (&one.result, one.moves) == (&other.result, other.moves)
}
