//! The generations of a campaign: recovery of the complete ones, then the loop of ask, play, tell and write.

mod determinism;
mod gaps;
mod playing;
mod recovery;
mod signal;
mod start;

use std::time::Duration;

use super::event::{self, Event, SearchEnd};
use super::event_log::{self, Events, TimedGeneration};
use super::race_games;
use super::recommendation::BestSeen;
use super::scores::{comparable, is_played, of_played};
use super::training_seeds::training_seeds;
use crate::config::campaign::Campaign;
use crate::run::logs::{Log, Timing};
use crate::run::tables;
use crate::run::{Control, RunDirectory, RunError, StoreError, Task};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::random::{Stream, derive};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::Evaluator;
use tiletune_tuning::evaluation::schedule::Schedule;
use tiletune_tuning::optimizer::{Noise, Optimizer, best_start};
use tiletune_tuning::results::{CandidateRow, GenerationRow, WANTED_SIGNAL};
use tiletune_tuning::stats::signal::Signal;
use tiletune_tuning::stats::summary::{mean, median};

/// The search of a campaign after some generations.
pub(super) struct CampaignSearch<'a> {
    pub(super) campaign: &'a Campaign,
    pub(super) directory: &'a RunDirectory,
    pub(super) optimizer: Box<dyn Optimizer>,
    /// Games of an ordinary generation.
    schedule: Schedule,
    /// The start weights. With several start points, those of the best point once it is known.
    pub(super) start: Weights,
    /// For each whole-number parameter: the value that all candidates have, and since which generation.
    kept: Vec<Option<(f64, u32)>>,
    /// Number of complete generations.
    pub(super) generations: u32,
    /// Number of training games in the complete generations.
    pub(super) games: u64,
    /// Number of training games in which a program failed.
    pub(super) failed_games: u64,
    /// The best candidates, best first, each with other values: at least one if any has played.
    pub(super) best_seen: Vec<BestSeen>,
    /// Mean fitness of the last generation of each restart.
    pub(super) last_means: Vec<f64>,
    pub(super) last: Option<GenerationRow>,
    /// Whether two candidates of any generation differed in their fitness.
    pub(super) has_signal: bool,
    /// Whether the player could use at least one candidate.
    has_played: bool,
    pub(super) events: Events,
    /// `None` if the search is only read.
    timing: Option<Log>,
    /// Games of the start weights that an earlier process recorded.
    recorded_start: u32,
    /// Number of restarts whose first event is recorded.
    recorded_restarts: u32,
    /// Seconds that all processes together needed for the complete generations.
    pub(super) seconds: f64,
}

impl<'a> CampaignSearch<'a> {
    /// Replays the complete generations of the directory and removes the files of an incomplete one.
    pub(super) fn open(
        campaign: &'a Campaign,
        directory: &'a RunDirectory,
        stop: Stop,
    ) -> Result<Self, RunError> {
        let complete = directory.complete_generations()?;
        let look = campaign.config.validation.look;
        let events = event_log::open(directory, complete, look)?;
        if event_log::is_continued(events.written()) {
            directory.remove_results(look > 1)?;
        }
        let mut search = CampaignSearch::new(campaign, directory, events)?;
        search.timing = Some(directory.timing_log()?);
        directory.discard_from(complete)?;
        search.recover(complete, stop)
    }

    /// Replays the complete generations of the directory without writing.
    pub(super) fn read(
        campaign: &'a Campaign,
        directory: &'a RunDirectory,
        stop: Stop,
    ) -> Result<Self, RunError> {
        let search = CampaignSearch::new(campaign, directory, event_log::read(directory)?)?;
        search.recover(directory.complete_generations()?, stop)
    }

    fn new(
        campaign: &'a Campaign,
        directory: &'a RunDirectory,
        events: Events,
    ) -> Result<Self, RunError> {
        let config = &campaign.config;
        let seed = derive(config.seed, Stream::Optimizer, 0, 0);
        let optimizer = campaign
            .new_optimizer(seed)
            .map_err(|error| RunError::Differs(error.to_string()))?;
        Ok(CampaignSearch {
            campaign,
            directory,
            optimizer,
            schedule: campaign.schedule(),
            start: campaign.start.clone(),
            kept: vec![None; campaign.space.parameters().len()],
            generations: 0,
            games: 0,
            failed_games: 0,
            best_seen: Vec::new(),
            last_means: Vec::new(),
            last: None,
            has_signal: false,
            has_played: false,
            events,
            timing: None,
            recorded_start: 0,
            recorded_restarts: 0,
            seconds: 0.0,
        })
    }

    fn record_refused(&mut self, row: &GenerationRow) -> Result<(), RunError> {
        if row.refused > 0 {
            self.events.record(Event::CandidatesRefused {
                generation: row.generation,
                candidates: row.refused,
            })?;
        }
        Ok(())
    }

    /// Plays generations until the search ends; returns why it ended.
    pub(super) fn run(
        &mut self,
        evaluator: &dyn Evaluator,
        control: &mut Control,
    ) -> Result<SearchEnd, RunError> {
        let seconds_since = |begin: Duration| ((control.clock)() - begin).as_secs_f64();
        let mut has_start = false;
        let reason = loop {
            self.check_signal(control)?;
            self.find_determinism()?;
            if let Some(reason) = self.ends() {
                break reason;
            }
            let begin = (control.clock)();
            if !has_start {
                has_start = self.play_start(evaluator, control)?;
            }
            self.check_determinism(evaluator, control.progress)?;
            // If it finds that seeds matter, the generation has more games.
            if let Some(reason) = self.ends() {
                break reason;
            }
            let games = self.games_of_candidate();
            let population = self.optimizer.ask();
            let proposed = self.values(&population);
            self.record_restart()?;
            let task = Task::Generation(self.generations);
            control.observer.task_begins(task);
            let playing = (control.clock)();
            let (rows, residual, replaced) =
                self.play(proposed, games, evaluator, control.progress)?;
            let playing = seconds_since(playing);
            self.record_unrepeated(evaluator)?;
            self.check_usable(&rows, replaced)?;
            let row = self.complete(&rows, games, residual)?;
            let seconds = seconds_since(begin);
            self.seconds += seconds;
            if let Some(timing) = &mut self.timing {
                timing.append(&Timing {
                    of: TimedGeneration {
                        generation: row.generation,
                        playing,
                    },
                    games: u64::from(games) * rows.len() as u64,
                    seconds,
                })?;
            }
            control.observer.generation_ends(&row);
        };
        self.record_gaps(&reason)?;
        let generations = self.generations;
        self.record_without_signal()?;
        self.events.record(Event::SearchEnded {
            generations,
            reason: reason.clone(),
        })?;
        control.observer.search_ends(generations);
        Ok(reason)
    }

    /// Why the search ends after the current generation, if it does.
    fn ends(&self) -> Option<SearchEnd> {
        // A recorded end has priority: a process with another clock could not repeat an end by the budget in minutes.
        if let Some((generations, reason)) = event_log::search_ended(self.events.written())
            && generations == self.generations
        {
            return Some(reason);
        }
        self.ends_now()
    }

    /// Number of games of the next generation.
    pub(super) fn games_next(&self) -> u64 {
        u64::from(self.games_of_candidate()) * self.optimizer.next_population() as u64
    }

    /// Why the search ends after the current generation by its own rules and the budget.
    pub(super) fn ends_now(&self) -> Option<SearchEnd> {
        let stops = self.optimizer.stop_reason().map(SearchEnd::Optimizer);
        stops.or_else(|| self.reached_limits().next())
    }

    /// The games that are kept for a race against challengers.
    pub(super) fn race_games(&self) -> u64 {
        // The two generations with which a search can begin may take all games, and with several finalists there is no such
        // race.
        if self.generations < 2 || self.optimizer.finalists().len() > 1 {
            return 0;
        }
        race_games::games(self.campaign, self.games, self.is_deterministic())
    }

    /// The limits of the budget that are reached after the current generation.
    pub(super) fn reached_limits(&self) -> impl Iterator<Item = SearchEnd> + use<> {
        let budget = &self.campaign.config.budget;
        let (of_start, games_next) = (u64::from(self.start_games()), self.games_next());
        let (generations, games, minutes) = (budget.generations, budget.games, budget.minutes);
        let reached = [
            (self.has_reached_target(), SearchEnd::Target),
            (
                generations.is_some_and(|most| self.generations >= most),
                SearchEnd::Generations,
            ),
            (
                games.is_some_and(|most| {
                    of_start + self.games + games_next + self.race_games() > most
                }),
                SearchEnd::Games,
            ),
            (
                minutes.is_some_and(|most| self.seconds >= 60.0 * most),
                SearchEnd::Minutes,
            ),
        ];
        reached
            .into_iter()
            .filter_map(|(is_reached, reason)| is_reached.then_some(reason))
    }

    /// Games of each candidate in the next generation. The few start points share the games of an ordinary generation.
    fn games_of_candidate(&self) -> u32 {
        if self.is_deterministic() {
            return 1;
        }
        match (self.schedule.games(), self.generations) {
            (games, 0) => self.campaign.games_of_point(games),
            (games, _) => games,
        }
    }

    /// The seeds of the next generation, after so many have been replaced.
    fn seeds(&self, games: u32, replaced: u32) -> Result<Vec<u64>, StoreError> {
        let generation = self.generations;
        training_seeds(self.campaign, self.directory, generation, games, replaced)
    }

    /// Parameter values of a population.
    fn values(&self, population: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let candidates = population.iter();
        let values = candidates.map(|coordinates| self.campaign.space.decode(coordinates));
        values.collect()
    }

    /// Records the beginning of the restart that the current generation belongs to.
    fn record_restart(&mut self) -> Result<(), StoreError> {
        let run = self.optimizer.restart();
        let population = self.optimizer.population() as u32;
        if run == self.recorded_restarts {
            if run == 0 {
                event::doubts(self.campaign)
                    .into_iter()
                    .try_for_each(|doubt| self.events.record(doubt))?;
            }
            self.events.record(match run.checked_sub(1) {
                None => Event::SearchBegan { population },
                Some(ended) => Event::Restarted {
                    run,
                    generation: self.generations,
                    population,
                    reason: self.optimizer.ended_restarts()[ended as usize].clone(),
                },
            })?;
            self.recorded_restarts += 1;
        }
        Ok(())
    }

    /// Records, once, that a repeated game of a program differed.
    pub(super) fn record_unrepeated(
        &mut self,
        evaluator: &dyn Evaluator,
    ) -> Result<(), StoreError> {
        let is_recorded = event_log::unrepeated(self.events.written()).is_some();
        match evaluator.unrepeated().filter(|_| !is_recorded) {
            Some(found) => self.events.record(Event::NotRepeated(found)),
            None => Ok(()),
        }
    }

    /// Updates the optimizer and writes the generation. The row in `generations` is written last, because it makes the
    /// generation complete.
    fn complete(
        &mut self,
        rows: &[CandidateRow],
        games: u32,
        residual: f64,
    ) -> Result<GenerationRow, RunError> {
        let generation = self.generations;
        let names = self.campaign.space.names();
        let part = |table| self.directory.generation_part(table, generation);
        let candidates = part(&tables::CANDIDATES).deferred();
        tables::write(&candidates, &tables::candidates(&names, rows))?;
        let row = self.tell(rows, games, residual)?;
        let diagnostics = part(&tables::DIAGNOSTICS).deferred();
        tables::write(&diagnostics, &tables::diagnostics(&row))?;
        let generations = part(&tables::GENERATIONS);
        tables::write(&generations, &tables::generation(&names, &row))?;
        self.record_refused(&row)?;
        Ok(row)
    }

    fn tell(
        &mut self,
        rows: &[CandidateRow],
        games: u32,
        residual: f64,
    ) -> Result<GenerationRow, RunError> {
        let told: Vec<f64> = rows.iter().map(|row| row.rank_value).collect();
        // Statistics cover only candidates that have played.
        let rank_values = of_played(rows, |row| row.rank_value);
        let noise = self.schedule.noise(&rank_values, games, residual);
        let residual = noise.unwrap_or(0.0);
        self.optimizer.tell(
            &told,
            Noise {
                of_value: residual,
                games,
            },
        );
        self.schedule
            .see_directed_luck(self.optimizer.directed_luck());
        if self.generations == 0 && !self.campaign.points.is_empty() {
            let point = best_start(&told);
            self.start = self.campaign.start_at(point);
            self.events.record(Event::StartChosen {
                point: point as u32,
                points: told.len() as u32,
            })?;
        }
        self.watch_integers(rows);
        self.record_restart()?;
        self.has_played |= rows.iter().any(is_played);
        let fitness = of_played(rows, |row| row.fitness);
        self.has_signal |= rank_values.iter().any(|one| *one != rank_values[0]);
        let signal = Signal::of(&rank_values, residual);
        let is_exact = noise == Some(0.0) || self.is_deterministic();
        let comparable = Signal::of(&comparable(&self.campaign.space, rows), residual);
        let games_needed = self.schedule.tell(&comparable, games);
        // Before a new beginning, which has its own.
        let wanted = self.schedule.wanted();
        if self.optimizer.ended_restarts().len() > self.optimizer.restart() as usize {
            self.schedule.restart();
        }
        // A search that has chosen its start begins now. Noise and signal of the points are not its own.
        let population = self.optimizer.population();
        let has_chosen = rows.len() > population && self.optimizer.next_population() == population;
        if has_chosen || (self.generations == 0 && !self.campaign.points.is_empty()) {
            self.schedule.begin();
        }
        self.see(rows, &signal);
        self.generations += 1;
        self.games += u64::from(games) * rows.len() as u64;
        let run = self.optimizer.restart() as usize;
        self.last_means.resize(run + 1, 0.0);
        self.last_means[run] = mean(&fitness);
        let (space, distribution) = (&self.campaign.space, self.optimizer.distribution());
        // Exact results have no noise. The smallest positive noise makes the whole variance signal.
        let shown = Signal {
            noise: if is_exact {
                f64::MIN_POSITIVE
            } else {
                signal.noise
            },
            ..signal
        };
        let played = rows.iter().filter(|row| is_played(row));
        let squares: Vec<f64> = played.map(|row| row.standard_error.powi(2)).collect();
        let row = GenerationRow {
            generation: self.generations - 1,
            restart: self.optimizer.restart(),
            population: rows.len() as u32,
            games,
            best: fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: mean(&fitness),
            median: median(&fitness),
            worst: fitness.iter().copied().fold(f64::INFINITY, f64::min),
            noise: if squares.is_empty() {
                0.0
            } else {
                mean(&squares).sqrt()
            },
            residual,
            refused: rows.iter().filter(|row| !is_played(row)).count() as u32,
            failed_games: rows.iter().map(|row| row.failed_games).sum(),
            signal: shown.share(),
            // All generations of a run have the same columns, whatever the schedule aims at.
            signal_wanted: (self.campaign.config.evaluation.signal)
                .filter(|given| *given != WANTED_SIGNAL)
                .map(|_| wanted),
            games_needed,
            gain: shown.gain(&rank_values, &self.optimizer.selection_weights()),
            diagnostics: self.diagnostics(),
            center: space.decode(&distribution.center),
            spread: space.spread_of(&distribution.spread),
        };
        self.failed_games += u64::from(row.failed_games);
        self.last = Some(row.clone());
        Ok(row)
    }

    /// Whether the mean of the last generation has reached the target of the budget.
    fn has_reached_target(&self) -> bool {
        let (Some(target), Some(last)) = (self.campaign.target(), &self.last) else {
            return false;
        };
        // If candidates were refused, the mean does not cover all candidates.
        last.refused == 0 && last.mean >= target
    }

    /// Compares the candidates of a generation with the best candidates seen.
    fn see(&mut self, rows: &[CandidateRow], signal: &Signal) {
        // One of them can be the start, which is not its own challenger.
        let most = self.campaign.challengers() as usize + 1;
        // Without signal all values are shrunk to the mean; the unshrunk value decides then.
        let rank = |seen: &BestSeen| (seen.shrunk, seen.candidate.rank_value);
        for row in rows.iter().filter(|row| is_played(row)) {
            self.best_seen.push(BestSeen {
                candidate: row.clone(),
                shrunk: signal.shrunk(row.rank_value),
            });
        }
        // The sort is stable: among equal candidates, earlier ones stay first.
        self.best_seen.sort_by(|one, other| {
            let [(one, row), (other, other_row)] = [rank(one), rank(other)];
            other.total_cmp(&one).then(other_row.total_cmp(&row))
        });
        let mut best: Vec<BestSeen> = Vec::new();
        for seen in self.best_seen.drain(..) {
            let is_same = |other: &BestSeen| other.candidate.values == seen.candidate.values;
            if best.len() < most && !best.iter().any(is_same) {
                best.push(seen);
            }
        }
        self.best_seen = best;
    }

    /// Name and value of each diagnostic of the optimizer.
    fn diagnostics(&self) -> Vec<(String, f64)> {
        let names = self.campaign.optimizer.diagnostics.iter();
        let names = names.map(|diagnostic| diagnostic.name.to_owned());
        names.zip(self.optimizer.diagnostics()).collect()
    }
}
