//! The comparison of start and tuned weights from their hold-out games. This module must not play.

use super::recorded::HoldOutGames;
use crate::config::campaign::Campaign;
use crate::config::provenance::ClaimedWeights;
use crate::run::{RunDirectory, RunError};
use tiletune_engine::random::{Players, Stream, derive};
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::results::{ObjectiveComparison, Validation};
use tiletune_tuning::stats::bootstrap::Resampling;
use tiletune_tuning::stats::games::{PlayedScores, summarize};
use tiletune_tuning::stats::intervals::Interval;

/// The settings of a comparison.
pub(super) struct ValidationTerms {
    objective: Objective,
    players: Players,
    resamples: u32,
    /// Seed of the resamples.
    seed: u64,
}

impl ValidationTerms {
    fn new(objective: Objective, players: Players, resamples: u32, campaign_seed: u64) -> Self {
        ValidationTerms {
            objective,
            players,
            resamples,
            seed: derive(campaign_seed, Stream::Bootstrap, 0, 0),
        }
    }

    /// The comparison at the end of a campaign.
    pub(super) fn of(campaign: &Campaign) -> Self {
        let config = &campaign.config;
        let players = campaign.player.players();
        let resamples = config.validation.resamples;
        ValidationTerms::new(campaign.objective, players, resamples, config.seed)
    }

    /// The settings of the comparison that a weights file has recorded.
    pub(super) fn of_claim(claimed: &ClaimedWeights) -> Self {
        let (claim, players) = (&claimed.claim, claimed.player.players());
        let resamples = claimed.hold_out.resamples;
        ValidationTerms::new(claim.objective, players, resamples, claim.seed)
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
            deeper: Vec::new(),
            start: summarize("start", start),
            tuned: summarize("tuned", tuned),
        };
        stop.complete(validation).ok_or(RunError::Interrupted)
    }

    fn compare(
        &self,
        objective: Objective,
        start: &[GameRecord],
        tuned: &[GameRecord],
        stop: Stop,
    ) -> ObjectiveComparison {
        let resampling = Resampling::new(self.resamples, self.seed).until(stop);
        let [start, tuned] = [start, tuned].map(|games| objective.contributions(games));
        let fitness = objective.fitness(&tuned);
        let interval = objective.interval(&tuned, resampling);
        ObjectiveComparison {
            name: objective.describe(),
            start: objective.fitness(&start).value,
            tuned: fitness.value,
            tuned_standard_error: fitness.standard_error,
            tuned_interval: interval.map(Interval::ends),
            difference: objective.difference(&tuned, &start, resampling),
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
    ValidationTerms::of(campaign).validation(start, tuned, stop)
}

/// Compares start and tuned weights by their recorded hold-out games. `tuned` is the name of the tuned weights in the
/// table.
pub(crate) fn recorded_validation(
    campaign: &Campaign,
    directory: &RunDirectory,
    depth: Option<u8>,
    tuned: &str,
    stop: Stop,
) -> Result<Validation, RunError> {
    let games = |weights: &str| HoldOutGames::new(campaign, directory, depth, weights).recorded();
    validation(campaign, &games("start")?, &games(tuned)?, stop)
}
