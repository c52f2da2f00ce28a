//! The games of the start weights before the first generation. With several start points, the first generation chooses
//! the start, and the games come after it.

use super::CampaignSearch;
use crate::campaign::event_log;
use crate::campaign::scores::{FIRST_GAMES, is_refused_at_first};
use crate::campaign::start_games::{level_of, recorded, seeds, small_hold_out};
use crate::run::tables::{GamesOf, GamesWriter};
use crate::run::{Control, RunError, StoreError, Task};
use tiletune_engine::player::Pairings;
use tiletune_tuning::evaluation::{Evaluate, Evaluator};

impl CampaignSearch<'_> {
    /// The generation before which the games are played.
    fn starts_at(&self) -> u32 {
        u32::from(!self.campaign.points.is_empty())
    }

    /// Whether the games have been played before this generation, if there are any.
    pub(super) fn is_after_start(&self) -> bool {
        self.generations >= self.starts_at()
    }

    /// Number of these games. A smaller budget than before would have fewer, but those that are played count.
    pub(in crate::campaign) fn start_games(&self) -> u32 {
        let games = self.campaign.start_games();
        // What later games show must not change the number.
        let games = if event_log::was_deterministic(self.events.written(), self.starts_at()) {
            games.min(1)
        } else {
            games
        };
        games.max(self.recorded_start)
    }

    /// Plays the games that are not recorded yet, and reports their level. After more budget is given, these can be
    /// further games on the next seeds. If a program refuses the start weights, there are none. Returns false if it is
    /// too early for them.
    pub(super) fn play_start(
        &self,
        evaluator: &dyn Evaluator,
        control: &mut Control,
    ) -> Result<bool, RunError> {
        let (campaign, directory) = (self.campaign, self.directory);
        let count = self.start_games();
        if count == 0 || !self.is_after_start() {
            return Ok(count == 0);
        }
        let mut games = recorded(campaign, directory)?.unwrap_or_default();
        let left = &seeds(campaign, count)[games.len().min(count as usize)..];
        if !left.is_empty() {
            control.observer.task_begins(Task::Start(left.len() as u64));
            // Games of a program that refuses the weights can take long.
            let first = match campaign.player.program() {
                Some(_) => left.len().min(FIRST_GAMES),
                None => left.len(),
            };
            for seeds in [&left[..first], &left[first..]] {
                if seeds.is_empty() {
                    continue;
                }
                games.extend(evaluator.games(&self.start, seeds, control.progress)?);
                if is_refused_at_first(&games) {
                    return Ok(true);
                }
            }
            let part = directory.start_part();
            // A run of an earlier version has no such folder.
            let folder = part.parent().unwrap_or(directory.root());
            std::fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
            let pairings = Pairings::of(&campaign.player);
            let mut writer = GamesWriter::create(&part, GamesOf::Start, pairings)?;
            writer.add(0, 0, &games)?;
            writer.finish()?;
            if let Some(sentence) = small_hold_out(campaign, &games) {
                control.observer.warns(&sentence);
            }
        }
        control.observer.start_ends(level_of(campaign, &games));
        Ok(true)
    }
}
