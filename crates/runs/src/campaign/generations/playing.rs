//! The games of a generation.

use super::CampaignSearch;
use crate::campaign::scores::{
    FIRST_GAMES, Scores, has_refused, is_played, is_refused, is_refused_at_first, missing,
};
use crate::campaign::training_seeds::MOST_REPLACED;
use crate::run::tables::{self, GamesOf, GamesWriter};
use crate::run::{RunError, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::{Evaluate, Evaluator, Order, Progress};
use tiletune_tuning::results::CandidateRow;

/// Receives games of a candidate: its index, the index of the first game, and the games.
type Sink<'a> = dyn FnMut(usize, usize, &[GameRecord]) -> Result<(), StoreError> + 'a;

/// What the candidates of a program have played.
struct PlayedUsable {
    /// The candidates that are not refused.
    going_on: Vec<usize>,
    /// The games of all candidates.
    games: Vec<Vec<GameRecord>>,
    /// How often the seeds were replaced.
    replaced: u32,
}

impl CampaignSearch<'_> {
    /// Plays a generation and writes its games. They count only when the generation is complete. A candidate whose
    /// weights the player cannot use plays no games. The table has no games of a candidate that is refused during play.
    /// Returns the candidates, the noise of their comparison, and how often the seeds were replaced.
    pub(super) fn play(
        &self,
        proposed: Vec<Vec<f64>>,
        games: u32,
        evaluator: &dyn Evaluator,
        progress: &Progress,
    ) -> Result<(Vec<CandidateRow>, f64, u32), RunError> {
        let generation = self.generations;
        let path = self.directory.generation_part(&tables::TRAIN, generation);
        let path = path.deferred();
        let restart = self.optimizer.restart();
        let of = GamesOf::Train {
            generation,
            restart,
        };
        let mut writer = GamesWriter::create(&path, of, Pairings::of(&self.campaign.player))?;
        // Decoding a large population takes seconds, so it can be interrupted.
        let weights = |one: &Vec<f64>| {
            progress.stop().complete(())?;
            Some(self.campaign.weights(one))
        };
        let weights: Option<Vec<Weights>> = proposed.iter().map(weights).collect();
        let weights = weights.ok_or(RunError::Interrupted)?;
        let mut scores = Scores::of(self.campaign);
        let play = |candidates: &[usize], seeds: &[u64], sink: &mut Sink| {
            let weights: Vec<Weights> =
                candidates.iter().map(|&one| weights[one].clone()).collect();
            evaluator.evaluate_usable(Order::Seeds, &weights, seeds, progress, &mut |batch| {
                sink(candidates[batch.candidate], batch.first_game, batch.games)
            })
        };
        let all: Vec<usize> = (0..weights.len()).collect();
        let mut replaced = 0;
        if self.campaign.player.program().is_none() {
            let seeds = self.seeds(games, 0)?;
            play(&all, &seeds, &mut |candidate, first_game, games| {
                writer.add(candidate as u32, first_game as u32, games)?;
                scores.add(candidate, games, first_game + games.len() == seeds.len());
                Ok(())
            })?;
        } else {
            let mut played = self.play_usable(&all, games, play)?;
            replaced = played.replaced;
            for candidate in played.going_on {
                let games = std::mem::take(&mut played.games[candidate]);
                scores.add(candidate, &games, true);
                writer.add(candidate as u32, 0, &games)?;
            }
        }
        writer.finish()?;
        let (rows, residual) = scores.rows([generation, restart], proposed);
        Ok((rows, residual, replaced))
    }

    /// Plays the candidates with a program. If nobody is left, it can be the seeds, which are the same for all: they are
    /// replaced by the next ones.
    fn play_usable<E>(
        &self,
        all: &[usize],
        games: u32,
        play: impl Fn(&[usize], &[u64], &mut Sink) -> Result<(), E>,
    ) -> Result<PlayedUsable, RunError>
    where
        RunError: From<E>,
    {
        let mut replaced = 0;
        loop {
            let seeds = self.seeds(games, replaced)?;
            let mut played = vec![Vec::new(); all.len()];
            // Each game with unusable weights can take as long as the program's time limit. So all candidates play a
            // few games first, and refused ones play no more.
            let (first, rest) = seeds.split_at(FIRST_GAMES.min(seeds.len()));
            let add = |played: &mut Vec<Vec<GameRecord>>, candidates: &[usize], seeds: &[u64]| {
                play(candidates, seeds, &mut |candidate, _, games| {
                    played[candidate].extend_from_slice(games);
                    Ok(())
                })
            };
            add(&mut played, all, first)?;
            let mut going_on = all.to_vec();
            going_on.retain(|&candidate| !is_refused_at_first(&played[candidate]));
            if !rest.is_empty() {
                add(&mut played, &going_on, rest)?;
            }
            going_on.retain(|&candidate| !is_refused(&missing(&played[candidate])));
            if !going_on.is_empty() || replaced == self.most_replaced(&played) {
                return Ok(PlayedUsable {
                    going_on,
                    games: played,
                    replaced,
                });
            }
            replaced += 1;
        }
    }

    /// How often the seeds of these games can be replaced, as they can be the reason why nobody is left. They are not if
    /// the program declares that nothing depends on them, or if it has failed with the start weights, too. A refusal of the
    /// start can be its seed.
    fn most_replaced(&self, played: &[Vec<GameRecord>]) -> u32 {
        let program = self.campaign.player.program();
        let ignores_them = program.is_some_and(|one| one.is_deterministic().unwrap_or(false));
        let is_started = self.start_games() >= FIRST_GAMES as u32 && self.is_after_start();
        let has_failed = is_started && !self.directory.start_part().exists();
        let are_refused = || played.iter().any(|games| has_refused(games));
        if ignores_them || has_failed && !self.has_played && !are_refused() {
            0
        } else {
            MOST_REPLACED
        }
    }

    /// Fails if a program refused or failed with every candidate: an error of the program is more likely than a
    /// population of unusable weights. The generation is then not recorded.
    pub(super) fn check_usable(
        &self,
        rows: &[CandidateRow],
        replaced: u32,
    ) -> Result<(), RunError> {
        let Some(program) = self.campaign.player.program() else {
            return Ok(());
        };
        if rows.iter().any(is_played) {
            return Ok(());
        }
        let why = program
            .missing()
            .map_or_else(String::new, |why| format!(" The last reason: {why}"));
        let also = if replaced > 0 {
            ", also on other seeds"
        } else {
            ""
        };
        Err(RunError::Player(format!(
            "all {} candidates of generation {} were refused or failed{also}. If the program is at fault, mend it and resume the \
             run; if the weights are, begin a new one with other start values or narrower bounds.{why}",
            rows.len(),
            self.generations
        )))
    }
}
