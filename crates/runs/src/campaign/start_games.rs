//! Games of the start weights at the beginning of a campaign. Their mean is the level with which the search is compared
//! while it runs. They have seeds of their own and count in the budget. Candidates depend on them only if the player has
//! several settings: the cost of these games says how the games of a candidate are divided. This module must not play.

use crate::config::campaign::Campaign;
use crate::run::games_table::{GamesTable, RecordedGame};
use crate::run::tables::{self, GamesOf, KeyedGame};
use crate::run::{RunDirectory, RunError, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_report::report::hold_out::{self, HoldOutPower};
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::stats::games::PlayedScores;
use tiletune_tuning::stats::looks::divisor;
use tiletune_tuning::stats::power::{detectable, pairs_needed};

/// The seeds of this number of games.
pub(super) fn seeds(campaign: &Campaign, games: u32) -> Vec<u64> {
    let player = &campaign.player;
    player.game_seeds(campaign.config.seed, Stream::Start, 0, games.into())
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

pub(super) fn level_of(campaign: &Campaign, games: &[GameRecord]) -> f64 {
    let contributions = contributions(campaign, games);
    campaign.objective.fitness(&contributions).value
}

/// What each game, or opening, contributes to the objective.
pub(super) fn contributions(campaign: &Campaign, games: &[GameRecord]) -> Vec<f64> {
    let counted = PlayedScores::of(games).counted(games).into_owned();
    campaign.objective.contributions(&counted)
}

/// The gain that hold-out games should show, as a share of the level. Searches of this project that gained less were
/// long ones, and had thousands of hold-out games.
const GAIN: f64 = 0.1;

/// Fewest games, or openings, from which the noise of the hold-out games is estimated.
const FEWEST: usize = 10;

/// If the level is fewer standard deviations of a game away from 0, percent of it say nothing. Then the gain that is
/// wanted is half a standard deviation, as in a plan.
const FAR: f64 = 0.2;

/// The same if the level is fewer of its own standard errors away from 0: by luck it is not.
const SURELY_FAR: f64 = 3.0;

/// A gain that is larger than the wanted one by less than this factor is as good, as far as few games tell.
const AS_GOOD: f64 = 1.15;

/// Probability of a wrong verdict about equal weights.
const ERROR: f64 = 0.05;

/// More hold-out games than this mostly show [`GAIN`]: then it is no matter that their power is not known.
const MANY: u32 = 300;

/// The sentence that nothing tells what few hold-out games will show, in a series or without games of the start weights;
/// `None` if something does, or if no verdict is possible, which is told in another sentence.
pub fn unknown_power(campaign: &Campaign, is_series: bool) -> Option<String> {
    let games = campaign.config.validation.games;
    let observations = campaign.start_games() / campaign.player.players().whole(1);
    let is_told = !is_series
        && observations as usize >= FEWEST
        && campaign.objective != Objective::MedianScore;
    let program = campaign.player.program();
    let has_noise = !campaign.player.has_exact_scores()
        && !program.is_some_and(|program| program.is_deterministic().unwrap_or(false));
    let is_unknown = !is_told && has_noise && (campaign.fewest_hold_out()..=MANY).contains(&games);
    is_unknown.then(|| hold_out::unknown_power(games))
}

/// The sentence that the hold-out games of the campaign will show only a large gain, as these games of the start weights
/// let expect; `None` if they show [`GAIN`], or if it is not known. It is not for so few that they allow no verdict, which
/// is told before.
pub(super) fn small_hold_out(campaign: &Campaign, games: &[GameRecord]) -> Option<String> {
    let contributions = contributions(campaign, games);
    let number = campaign.config.validation.games;
    // The noise of a median is not seen in the few games of the start.
    let is_median = campaign.objective == Objective::MedianScore;
    if is_median || contributions.len() < FEWEST || number < campaign.fewest_hold_out() {
        return None;
    }
    let fitness = campaign.objective.fitness(&contributions);
    let (level, error) = (fitness.value.abs(), fitness.standard_error);
    let deviation = error * (contributions.len() as f64).sqrt();
    let is_share = level > (FAR * deviation).max(SURELY_FAR * error);
    let unit = if is_share { level } else { 5.0 * deviation };
    if deviation == 0.0 {
        return None;
    }
    let possible = campaign.objective.largest();
    let possible = possible.map(|largest| (largest - fitness.value) / unit);
    // Half of what is possible is a large gain.
    let wanted = possible.map_or(GAIN, |possible| GAIN.min(0.5 * possible));
    // Games of start and tuned weights are practically independent, even on common seeds. The results of a program can be
    // alike.
    let of_pair = 2f64.sqrt() * deviation / unit;
    let openings = f64::from(campaign.player.players().whole(1));
    let look = campaign.config.validation.look;
    let error = ERROR / f64::from(divisor(look));
    let found = detectable(f64::from(number) / openings, of_pair, error);
    let needed = (openings * pairs_needed(of_pair, wanted, error) / 100.0).ceil();
    let is_small = found > AS_GOOD * wanted && 100.0 * needed > f64::from(number);
    is_small.then(|| {
        let scale = if is_share { 1.0 } else { unit };
        hold_out::small_hold_out(&HoldOutPower {
            games: [number.into(), 100 * needed as u64],
            gain: [found * scale, wanted * scale],
            possible: possible.map(|possible| possible * scale),
            is_share,
            can_share_noise: campaign.player.program().is_some(),
            can_be_set: look == 1,
        })
    })
}

/// The table of the games; `None` if none are played. `start` returns the start weights.
pub(super) fn table<'a>(
    campaign: &Campaign,
    directory: &RunDirectory,
    start: impl Fn() -> Result<Weights, StoreError> + 'a,
) -> Result<Option<GamesTable<'a>>, RunError> {
    let Some(games) = recorded(campaign, directory)? else {
        return Ok(None);
    };
    let label = directory.name_of(&directory.start_part());
    let count = games.len() as u64;
    let read = move || Ok(RecordedGame::all(&start()?, &games));
    let player = campaign.player.clone();
    Ok(Some(GamesTable::new(label, player, count, read)))
}
