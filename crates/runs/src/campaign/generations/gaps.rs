//! What a search left out: whole-number parameters that never changed, and restarts that did not take place.

use super::CampaignSearch;
use crate::campaign::event::{Event, NoRestart, SearchEnd};
use crate::campaign::event_log;
use crate::run::StoreError;
use tiletune_tuning::evaluation::schedule::Games;
use tiletune_tuning::results::CandidateRow;

/// A whole-number parameter is reported if its value did not change for at least this number of generations.
const LONG_KEPT: u32 = 30;

impl CampaignSearch<'_> {
    /// Notes since which generation all candidates have the same value of a whole-number parameter that is active.
    pub(super) fn watch_integers(&mut self, rows: &[CandidateRow]) {
        let generation = self.generations;
        let space = &self.campaign.space;
        let inactive = rows.iter().map(|row| space.inactive(&row.values));
        let inactive: Vec<Vec<usize>> = inactive.collect();
        // What is not active keeps its start value.
        let tried = |index: usize| {
            let rows = rows.iter().zip(&inactive);
            let active = rows.filter(move |(_, inactive)| !inactive.contains(&index));
            active.map(move |(row, _)| row.values[index])
        };
        let parameters = space.parameters().iter().enumerate();
        for (index, _) in parameters.filter(|(_, one)| one.integer && !one.fixed) {
            let same = tried(index).next();
            let same = same.filter(|value| tried(index).all(|other| other == *value));
            let before = self.kept[index];
            self.kept[index] = same.map(|value| {
                let before = before.filter(|(kept, _)| *kept == value);
                before.unwrap_or((value, generation))
            });
        }
    }

    /// Records at the end of the search what it left out.
    pub(in crate::campaign) fn record_gaps(&mut self, end: &SearchEnd) -> Result<(), StoreError> {
        for (parameter, kept) in self.campaign.space.parameters().iter().zip(&self.kept) {
            let Some((value, since)) = *kept else {
                continue;
            };
            let generations = self.generations - since;
            if generations >= LONG_KEPT {
                self.events.record(Event::IntegerKept {
                    parameter: parameter.name.clone(),
                    value,
                    generations,
                })?;
            }
        }
        let restarts = &self.optimizer;
        let has_restarted = restarts.restart() > 0;
        if !has_restarted && restarts.has_restarts_left() && *end != SearchEnd::Target {
            let written = self.events.written();
            let found = self.why_no_restart();
            // Earlier versions knew one reason, and said nothing of a search that had ended.
            let is_of_earlier =
                found == NoRestart::AtEnd && event_log::search_ended(written).is_some();
            match event_log::no_restart(written) {
                Some(why) => self.events.record(Event::NoRestart { why })?,
                None if is_of_earlier => {}
                None => self.events.record(Event::NoRestart { why: found })?,
            }
        }
        Ok(())
    }

    fn why_no_restart(&self) -> NoRestart {
        let config = &self.campaign.config;
        let rules = config.optimizer.options.get("stop_rules");
        let rule = rules.and_then(|rules| rules.get("stagnation")?.as_bool());
        if !self.optimizer.ended_restarts().is_empty() {
            NoRestart::AtEnd
        } else if rule == Some(false) {
            NoRestart::NoRule
        } else if config.evaluation.games == Games::Auto
            && self.last.as_ref().is_some_and(|row| row.games > 1)
        {
            NoRestart::Adaptive
        } else {
            NoRestart::Long
        }
    }
}
