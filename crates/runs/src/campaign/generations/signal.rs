//! Searches in which no candidates differ in their fitness.

use super::CampaignSearch;
use crate::campaign::event::Event;
use crate::campaign::event_log;
use crate::campaign::recommendation::write_start;
use crate::config::weights_file::{BEST, TUNED};
use crate::run::{Control, RunError, StoreError};
use tiletune_tuning::optimizer::WithoutSignal;

/// A search stops if all candidates of this number of first generations have the same fitness.
const WITHOUT_SIGNAL: u32 = 2;

impl CampaignSearch<'_> {
    /// Stops a search in whose first generations all candidates have the same fitness, unless the campaign or the user
    /// lets it continue.
    pub(super) fn check_signal(&mut self, control: &Control) -> Result<(), RunError> {
        if self.generations != WITHOUT_SIGNAL {
            return Ok(());
        }
        let Some(found) = self.record_without_signal()? else {
            return Ok(());
        };
        let (campaign, directory) = (self.campaign, self.directory);
        let goes_on = campaign.config.optimizer.without_signal == WithoutSignal::GoOn
            || event_log::went_on(self.events.written());
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

    /// Records that no candidates of the first generations differ, if that is the case, and returns the sentence.
    pub(in crate::campaign) fn record_without_signal(
        &mut self,
    ) -> Result<Option<String>, StoreError> {
        if self.has_signal || self.generations == 0 {
            return Ok(None);
        }
        let event = Event::WithoutSignal {
            generations: self.generations.min(WITHOUT_SIGNAL),
            has_played: self.has_played,
        };
        let found = event.to_string();
        self.events.record(event)?;
        Ok(Some(found))
    }
}
