//! The comparison of start and tuned weights from their hold-out games. This module must not play.

use super::hold_out::HoldOutGames;
use crate::config::MOST_DRAWS;
use crate::config::campaign::Campaign;
use crate::config::provenance::ClaimedWeights;
use crate::run::{RunDirectory, RunError};
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::random::{Players, Stream, derive};
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::evaluation::settings::{by_setting, standard_error_of_mean};
use tiletune_tuning::results::{AtSetting, GameSummary, ObjectiveComparison, Validation};
use tiletune_tuning::stats::bootstrap::Resampling;
use tiletune_tuning::stats::difference::simultaneous_difference;
use tiletune_tuning::stats::games::{PlayedScores, summarize};
use tiletune_tuning::stats::intervals::Interval;
use tiletune_tuning::stats::looks;
use tiletune_tuning::stats::summary::mean;

/// The settings of a comparison.
pub(super) struct ValidationTerms {
    objective: Objective,
    players: Players,
    /// Number of resamples at the first look.
    resamples: u32,
    /// Seed of the resamples.
    seed: u64,
    /// Number of the look at the search, from 1.
    look: u32,
    /// The program that plays minimises a number. Its name, if the declaration has it.
    loss: Option<Option<String>>,
    /// The names of the settings of a player with several.
    settings: Vec<String>,
}

/// The number that a player minimises: `None` if it maximises one, no name if only the program knows it.
fn minimised(player: &PlayerSpec) -> Option<Option<String>> {
    let declaration = player.program()?.declaration();
    declaration.minimise.then(|| declaration.score.clone())
}

impl ValidationTerms {
    /// The comparison at the end of a campaign, at this look.
    fn of(campaign: &Campaign, look: u32) -> Self {
        let config = &campaign.config;
        ValidationTerms {
            objective: campaign.objective,
            players: campaign.player.players(),
            resamples: config.validation.resamples,
            seed: derive(config.seed, Stream::Bootstrap, 0, 0),
            look,
            loss: minimised(&campaign.player),
            settings: campaign.player.setting_names(),
        }
    }

    /// The settings of the comparison that a weights file has recorded.
    pub(super) fn of_claim(claimed: &ClaimedWeights) -> Self {
        let (claim, hold_out) = (&claimed.claim, &claimed.hold_out);
        ValidationTerms {
            objective: claim.objective,
            players: claimed.player.players(),
            resamples: hold_out.resamples,
            seed: derive(claim.seed, Stream::Bootstrap, 0, 0),
            look: hold_out.look,
            loss: minimised(&claimed.player),
            settings: claimed.player.setting_names(),
        }
    }

    /// The number of resamples of this number of games. The ends of a wider interval are quantiles that are further
    /// out, so they need more resamples.
    fn resamples(&self, games: usize) -> u32 {
        let most = MOST_DRAWS / (games as u64).max(1);
        let wanted = self.resamples.saturating_mul(looks::divisor(self.look));
        wanted
            .min(u32::try_from(most).unwrap_or(u32::MAX))
            .max(self.resamples)
    }

    /// Compares start and tuned weights by their hold-out games. Fails only if `stop` is requested.
    pub(super) fn validation(
        &self,
        start: &[GameRecord],
        tuned: &[GameRecord],
        stop: Stop,
    ) -> Result<Validation, RunError> {
        let played = PlayedScores::of(start.iter().chain(tuned));
        let (start, tuned) = (&*played.counted(start), &*played.counted(tuned));
        let objective = self.compare(self.objective, start, tuned, stop);
        let difference = if self.objective.is_mean_result() {
            objective.difference
        } else {
            let usual = Objective::usual(self.players);
            self.compare(usual, start, tuned, stop).difference
        };
        let validation = Validation {
            difference,
            objective,
            selection: None,
            exact: None,
            deeper: Vec::new(),
            settings: self.at_settings(start, tuned, stop),
            look: Some(self.look).filter(|look| *look > 1),
            start: self.summary("start", start),
            tuned: self.summary("tuned", tuned),
        };
        stop.complete(validation).ok_or(RunError::Interrupted)
    }

    fn summary(&self, name: &str, games: &[GameRecord]) -> GameSummary {
        let mut summary = summarize(name, games);
        if !self.settings.is_empty() {
            summary.standard_error = standard_error_of_mean(games);
        }
        summary
    }

    /// The comparisons at the settings of a player with several, with simultaneous intervals.
    fn at_settings(
        &self,
        start: &[GameRecord],
        tuned: &[GameRecord],
        stop: Stop,
    ) -> Vec<AtSetting> {
        if self.settings.is_empty() {
            return Vec::new();
        }
        let comparisons = looks::divisor(self.look) * self.settings.len() as u32;
        let scores = |games: Vec<&GameRecord>| games.into_iter().map(GameRecord::value).collect();
        let pairs = by_setting(start).into_iter().zip(by_setting(tuned));
        let named = self.settings.iter().zip(pairs);
        let at = |(setting, (start, tuned)): (&String, (Vec<_>, Vec<_>))| {
            let [start, tuned]: [Vec<f64>; 2] = [start, tuned].map(scores);
            let resampling = Resampling::new(self.resamples(tuned.len()), self.seed).until(stop);
            AtSetting {
                setting: setting.clone(),
                games: tuned.len() as u32,
                start: mean(&start),
                tuned: mean(&tuned),
                difference: simultaneous_difference(&tuned, &start, comparisons, resampling),
            }
        };
        named.map(at).collect()
    }

    /// The name of the number that is minimised: the first one that the program computes, if its declaration has none.
    fn loss_of(&self, games: &[GameRecord]) -> Option<String> {
        let declared = self.loss.as_ref()?;
        let first = || {
            let numbers = games.iter().find_map(GameRecord::numbers)?;
            numbers.names().list().first().cloned()
        };
        declared.clone().or_else(first)
    }

    fn compare(
        &self,
        objective: Objective,
        start: &[GameRecord],
        tuned: &[GameRecord],
        stop: Stop,
    ) -> ObjectiveComparison {
        let resampling = Resampling::new(self.resamples(tuned.len()), self.seed).until(stop);
        let comparisons = looks::divisor(self.look);
        let loss = self.loss_of(tuned);
        let loss = loss.and_then(|loss| Some((objective.describe_loss(&loss)?, loss)));
        let difference = objective.difference(tuned, start, comparisons, resampling);
        let [start, tuned] = [start, tuned].map(|games| objective.contributions(games));
        let fitness = objective.fitness(&tuned);
        let interval = objective.interval(&tuned, resampling);
        ObjectiveComparison {
            name: loss
                .as_ref()
                .map_or_else(|| objective.describe(), |(name, _)| name.clone()),
            loss: loss.map(|(_, loss)| loss),
            start: objective.fitness(&start).value,
            tuned: fitness.value,
            tuned_standard_error: fitness.standard_error,
            tuned_interval: interval.map(Interval::ends),
            difference,
        }
    }
}

/// Compares start and tuned weights by their hold-out games. Fails only if `stop` is requested.
pub(crate) fn validation(
    campaign: &Campaign,
    start: &[GameRecord],
    tuned: &[GameRecord],
    stop: Stop,
) -> Result<Validation, RunError> {
    let look = campaign.config.validation.look;
    ValidationTerms::of(campaign, look).validation(start, tuned, stop)
}

/// Compares start and tuned weights by their recorded hold-out games: of a look, and at a search depth. `tuned` is the
/// name of the tuned weights in the table.
pub(crate) fn recorded_validation(
    campaign: &Campaign,
    directory: &RunDirectory,
    (look, depth): (u32, Option<u8>),
    tuned: &str,
    stop: Stop,
) -> Result<Validation, RunError> {
    let games = |weights: &str| {
        HoldOutGames::new(campaign, directory, depth, weights)
            .at_look(look)
            .recorded()
    };
    ValidationTerms::of(campaign, look).validation(&games("start")?, &games(tuned)?, stop)
}
