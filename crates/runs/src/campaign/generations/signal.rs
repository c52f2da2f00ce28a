//! Searches in which no candidates differ in their fitness.

use super::CampaignSearch;
use crate::campaign::event::Event;
use crate::campaign::event_log;
use crate::campaign::recommendation::write_start;
use crate::campaign::recorded::TrainingGames;
use crate::campaign::start_games::contributions;
use crate::config::weights_file::{BEST, TUNED};
use crate::run::{Control, RunError, StoreError};
use tiletune_tuning::optimizer::WithoutSignal;
use tiletune_tuning::stats::signal::are_coarse;

/// A search stops if all candidates of this number of first generations have the same fitness.
const WITHOUT_SIGNAL: u32 = 2;

/// If many games end alike, as won and lost ones do, each candidate plays at least this number before the search stops.
/// Candidates of which one wins a game in five that the others lose are then the same in 3 % of searches.
const COARSE_GAMES: usize = 16;

impl CampaignSearch<'_> {
    /// Stops a search in whose first generations all candidates have the same fitness, unless the campaign or the user
    /// lets it continue.
    pub(super) fn check_signal(&mut self, control: &Control) -> Result<(), RunError> {
        let (campaign, directory) = (self.campaign, self.directory);
        let found = event_log::without_signal(self.events.written());
        let goes_on = campaign.config.optimizer.without_signal == WithoutSignal::GoOn
            || event_log::went_on(self.events.written());
        let has_gone_on = goes_on && found.is_some_and(|found| found < self.generations);
        if self.has_signal || has_gone_on {
            return Ok(());
        }
        // It has stopped here before, or it stops here.
        if found != Some(self.generations) && !self.is_without_signal()? {
            return Ok(());
        }
        let Some(found) = self.record_without_signal()? else {
            return Ok(());
        };
        if !goes_on && !control.goes_on_without_signal {
            write_start(campaign, &self.start, directory, &found, None, None)?;
            return Err(RunError::WithoutSignal(format!(
                "{found} The run has stopped, and its {BEST} has the start weights."
            )));
        }
        // `best.toml` with the start weights is removed: the search continues, so nothing is recommended yet.
        if !directory.part(TUNED).exists() {
            directory.part(BEST).remove()?;
        }
        if !goes_on {
            let generations = self.generations;
            self.events.record(Event::WentOn { generations })?;
        }
        Ok(())
    }

    /// Whether the generations so far, in which no candidates differ, say that others will not differ either.
    fn is_without_signal(&self) -> Result<bool, StoreError> {
        if self.generations < WITHOUT_SIGNAL {
            return Ok(false);
        }
        if !self.has_played || self.is_deterministic() {
            return Ok(true);
        }
        // The candidates of a generation play the same seeds, so each new one is a chance to differ.
        let mut of_candidate = Vec::new();
        for generation in 0..self.generations {
            let games = TrainingGames::read(self.campaign, self.directory, generation)?;
            of_candidate.extend(games.of_first());
        }
        let are_many = of_candidate.len() >= COARSE_GAMES;
        Ok(are_many || !are_coarse(&contributions(self.campaign, &of_candidate)))
    }

    /// Records that no candidates of the first generations differ, if that is the case, and returns the sentence.
    pub(in crate::campaign) fn record_without_signal(
        &mut self,
    ) -> Result<Option<String>, StoreError> {
        if self.has_signal || self.generations == 0 {
            return Ok(None);
        }
        let found = event_log::without_signal(self.events.written());
        let event = Event::WithoutSignal {
            generations: found.unwrap_or(self.generations),
            has_played: self.has_played,
        };
        let found = event.to_string();
        self.events.record(event)?;
        Ok(Some(found))
    }
}
