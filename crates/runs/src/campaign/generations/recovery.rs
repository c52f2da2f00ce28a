//! Recovery of the complete generations of a run: they are told to the optimizer again, and some of their games are played
//! again.

use std::path::Path;

use super::CampaignSearch;
use crate::campaign::event_log::{self, TimedGeneration};
use crate::campaign::recorded::TrainingGames;
use crate::campaign::scores::{bits, is_played};
use crate::campaign::start_games;
use crate::run::games_table::{RecordedGame, any, check_game};
use crate::run::{RunError, StoreError, tables};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::{Evaluator, Progress};
use tiletune_tuning::results::GenerationRow;

impl CampaignSearch<'_> {
    pub(super) fn recover(mut self, complete: u32, stop: Stop) -> Result<Self, RunError> {
        for _ in 0..complete {
            stop.complete(()).ok_or(RunError::Interrupted)?;
            self.recover_generation()?;
        }
        let timings = self.directory.timings::<TimedGeneration>()?.into_iter();
        let of_complete = timings.filter(|timing| timing.of.generation < complete);
        self.seconds = of_complete.map(|timing| timing.seconds).sum();
        let start = start_games::recorded(self.campaign, self.directory)?;
        self.recorded_start = start.map_or(0, |games| games.len() as u32);
        Ok(self)
    }

    /// Passes the fitness of a complete generation to the optimizer. Checks that the optimizer's candidates and
    /// distribution equal those of the tables, bit for bit.
    fn recover_generation(&mut self) -> Result<(), RunError> {
        let generation = self.generations;
        let part = |table| self.directory.generation_part(table, generation);
        let names = self.campaign.space.names();
        let path = part(&tables::CANDIDATES);
        let rows = tables::read_candidates(&path, &names)?;
        let differs = |path: &Path, what: &str| {
            RunError::differs(path.display(), &format!("{what} generation {generation}"))
        };
        if self.optimizer.stop_reason().is_some() {
            return Err(differs(&path, "ends the search before"));
        }
        if rows.len() != self.optimizer.next_population() {
            return Err(differs(&path, "proposes another number of candidates in"));
        }
        let played = part(&tables::TRAIN);
        let games = self.games_of_candidate();
        let played_games = rows.iter().filter(|row| is_played(row));
        let expected = played_games.map(|row| (row.candidate, games));
        if !tables::count_games(&played, "candidate")?
            .into_iter()
            .eq(expected)
        {
            return Err(StoreError::damaged(
                &played,
                "the number of rows is not the number of games",
            )
            .into());
        }
        let path = part(&tables::GENERATIONS);
        let recorded = self.directory.read_generation(generation, &names)?;
        // The noise is estimated from games, and the games are not read again.
        let row = GenerationRow {
            // They follow from the distribution, and another version may define them in another way.
            diagnostics: recorded.diagnostics.clone(),
            ..self.tell(&rows, games, recorded.residual)?
        };
        let proposed = self.values(&self.optimizer.last_population());
        let proposed = proposed.iter().map(|values| bits(values));
        if !proposed.eq(rows.iter().map(|row| bits(&row.values))) {
            return Err(differs(
                &part(&tables::CANDIDATES),
                "proposes other candidates in",
            ));
        }
        if recorded != row {
            return Err(differs(&path, "computes another search distribution in"));
        }
        self.record_refused(&row)
    }

    /// Repeats two recorded games: one of the last complete generation and one of any generation. Each resumption
    /// chooses other games. A program that plays differently must not continue the run, although it would propose the
    /// same candidates from the same fitness.
    pub(in crate::campaign) fn check_play(
        &self,
        evaluator: &dyn Evaluator,
        progress: &Progress,
    ) -> Result<(), RunError> {
        let is_repeatable = event_log::unrepeated(self.events.written()).is_none();
        let last = self.generations.checked_sub(1).filter(|_| is_repeatable);
        let Some(last) = last else {
            return Ok(());
        };
        let all: Vec<u32> = (0..self.generations).collect();
        for generation in [Some(&last), any(&all)].into_iter().flatten() {
            let played = TrainingGames::read(self.campaign, self.directory, *generation)?;
            let place = played.path.to_path_buf();
            let games = played.with_weights(self.campaign)?;
            if let Some(RecordedGame {
                record, weights, ..
            }) = any(&games)
            {
                check_game(evaluator, record, weights, place.display(), progress)?;
            }
        }
        Ok(())
    }
}
