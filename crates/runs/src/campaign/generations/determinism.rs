//! Programs whose games do not depend on their seeds. Each candidate plays one game, until two seeds give different
//! results.

use super::CampaignSearch;
use crate::campaign::event::Event;
use crate::campaign::event_log;
use crate::campaign::recorded::TrainingGames;
use crate::run::{RunError, StoreError};
use tiletune_tuning::evaluation::{Evaluate, Evaluator, Order, Progress};

impl CampaignSearch<'_> {
    /// Whether games do not depend on their seeds, as far as known. If so, each candidate plays one game.
    pub(in crate::campaign) fn is_deterministic(&self) -> bool {
        event_log::is_deterministic(self.events.written(), self.generations)
    }

    /// Records that the games of a program do not depend on their seeds. A declaration of the program is recorded
    /// before the first generation, a finding from games after it.
    pub(super) fn find_determinism(&mut self) -> Result<(), RunError> {
        let program = self.campaign.player.program();
        let is_exact = self.campaign.player.has_exact_scores();
        if program.is_none() && !is_exact {
            return Ok(());
        }
        if event_log::was_deterministic(self.events.written(), self.generations) {
            return Ok(());
        }
        let is_found = match self.generations {
            0 => match program {
                Some(program) => program.is_deterministic().map_err(RunError::Player)?,
                None => is_exact,
            },
            1 => {
                let games = TrainingGames::read(self.campaign, self.directory, 0)?;
                games.are_independent_of_seeds()
            }
            _ => false,
        };
        if is_found {
            self.events.record(Event::Deterministic {
                generation: self.generations,
                is_declared: self.generations == 0,
            })?;
        }
        Ok(())
    }

    /// Plays the centre of the search on two seeds if games are assumed to be independent of them, and records a
    /// difference. No table contains these games.
    pub(super) fn check_determinism(
        &mut self,
        evaluator: &dyn Evaluator,
        progress: &Progress,
    ) -> Result<(), RunError> {
        if !self.is_deterministic() {
            return Ok(());
        }
        let campaign = self.campaign;
        let center = campaign.space.decode(&self.optimizer.distribution().center);
        let seeds = self.seeds(2, 0)?;
        let (mut results, mut is_missing) = (Vec::new(), false);
        evaluator.evaluate_usable::<StoreError>(
            Order::Seeds,
            &[campaign.weights(&center)],
            &seeds,
            progress,
            &mut |batch| {
                results.extend(batch.games.iter().map(|game| game.result.clone()));
                is_missing |= batch.games.iter().any(|game| game.missing().is_some());
                Ok(())
            },
        )?;
        let generation = self.generations;
        // A failed game is no evidence.
        if is_missing || results.iter().all(|result| *result == results[0]) {
            return Ok(());
        }
        Ok(self.events.record(Event::SeedMatters { generation })?)
    }
}
