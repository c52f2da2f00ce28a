//! The generations of a campaign: recovery of the complete ones, then ask, play, tell, write.

use std::path::Path;

use super::event::{self, Event, Events, OfGeneration, StoppedBy};
use super::recommendation::BestSeen;
use crate::config::campaign::Campaign;
use crate::evaluation::objective::Fitness;
use crate::evaluation::{Evaluator, Progress};
use crate::heuristic::weights::Weights;
use crate::optimizer::Optimizer;
use crate::random::{Stream, derive};
use crate::record::{CandidateRow, GameRecord, GenerationRow, Phase};
use crate::run::directory::TableName;
use crate::run::logs::{Log, Timing};
use crate::run::rows::{self, GamesWriter};
use crate::run::{Control, RunDirectory, RunError, StoreError, Task, parquet};
use crate::stats::summary::{mean, median};

/// The search of a campaign, as far as it has got.
pub(super) struct Search<'a> {
    pub(super) campaign: &'a Campaign,
    pub(super) directory: &'a RunDirectory,
    pub(super) optimizer: Optimizer,
    /// Complete generations.
    pub(super) generations: u32,
    /// Training games in them.
    pub(super) games: u64,
    pub(super) best_seen: Option<BestSeen>,
    pub(super) events: Events,
    timing: Log,
    /// Runs of the optimizer whose beginning is among the events.
    recorded_runs: u32,
    /// Seconds spent on the complete generations, by all processes together.
    seconds: f64,
}

impl<'a> Search<'a> {
    /// Brings the optimizer to where the complete generations of the directory leave it, and
    /// removes what there is of an incomplete one.
    pub(super) fn open(
        campaign: &'a Campaign,
        directory: &'a RunDirectory,
    ) -> Result<Self, RunError> {
        let config = &campaign.config;
        let seed = derive(config.seed, Stream::Optimizer, 0, 0);
        let optimizer = Optimizer::new(&config.optimizer, campaign.space.start(), seed)
            .map_err(|error| RunError::Differs(error.to_string()))?;
        let mut search = Search {
            campaign,
            directory,
            optimizer,
            generations: 0,
            games: 0,
            best_seen: None,
            events: event::open(directory)?,
            timing: directory.timing_log()?,
            recorded_runs: 0,
            seconds: 0.0,
        };
        let complete = directory.complete_generations()?;
        directory.discard_from(complete)?;
        for _ in 0..complete {
            search.recover_generation()?;
        }
        let timings = directory.timings::<OfGeneration>()?.into_iter();
        let of_complete = timings.filter(|timing| timing.of.generation < complete);
        search.seconds = of_complete.map(|timing| timing.seconds).sum();
        Ok(search)
    }

    /// Tells the optimizer the fitness of a complete generation, and checks that its proposals and
    /// what they left of the distribution are those of the tables, bit for bit.
    fn recover_generation(&mut self) -> Result<(), RunError> {
        let generation = self.generations;
        let part = |table| self.directory.generation_part(table, generation);
        let names = self.campaign.space.names();
        let path = part(TableName::Candidates);
        let rows = rows::read_candidates(&path, &names)?;
        if rows.len() != self.optimizer.next_population() {
            return Err(StoreError::damaged(&path, "not as many rows as candidates").into());
        }
        let played = part(TableName::Games);
        let games = self.campaign.games_in(generation);
        let expected = rows.iter().map(|row| (row.candidate, games));
        if !rows::count_games(&played)?.into_iter().eq(expected) {
            return Err(StoreError::damaged(&played, "not as many rows as games").into());
        }
        let row = self.tell(&rows, games)?;
        let told = self.optimizer.told();
        let proposed = told
            .iter()
            .map(|coordinates| bits(&self.campaign.space.decode(coordinates)));
        if !proposed.eq(rows.iter().map(|row| bits(&row.values))) {
            return Err(self.differs(&path, "proposes other candidates"));
        }
        let path = part(TableName::Generations);
        if rows::read_generation(&path, &names)? != row {
            return Err(self.differs(&path, "comes to another search distribution"));
        }
        Ok(())
    }

    /// Plays a game of the last complete generation again: a program that plays otherwise must not
    /// go on with the run, although it would propose the same candidates from the same fitness.
    pub(super) fn check_play(
        &self,
        evaluator: &impl Evaluator,
        progress: &Progress,
    ) -> Result<(), RunError> {
        let Some(last) = self.generations.checked_sub(1) else {
            return Ok(());
        };
        let candidates = self.directory.generation_part(TableName::Candidates, last);
        let rows = rows::read_candidates(&candidates, &self.campaign.space.names())?;
        let path = self.directory.generation_part(TableName::Games, last);
        let played = rows::read_games(&path)?;
        let weights = self.campaign.weights(&rows[0].values);
        check_game(evaluator, &weights, &played[0], &path, progress)
    }

    fn differs(&self, path: &Path, what: &str) -> RunError {
        differs(
            path,
            &format!("{what} in generation {}", self.generations - 1),
        )
    }

    /// Plays generations until the search ends; says why it ended.
    pub(super) fn run(
        &mut self,
        evaluator: &impl Evaluator,
        control: &mut Control,
    ) -> Result<StoppedBy, RunError> {
        let seconds_since = |begin| ((control.clock)() - begin).as_secs_f64();
        let reason = loop {
            if let Some(reason) = self.ends() {
                break reason;
            }
            let begin = (control.clock)();
            let games = self.campaign.games_in(self.generations);
            let proposed = self.propose();
            self.record_run()?;
            let task = Task::Generation(self.generations);
            control.observer.task_begins(task);
            let playing = (control.clock)();
            let rows = self.play(proposed, games, evaluator, control.progress)?;
            let playing = seconds_since(playing);
            let row = self.complete(&rows, games)?;
            let seconds = seconds_since(begin);
            self.seconds += seconds;
            self.timing.append(&Timing {
                of: OfGeneration {
                    generation: row.generation,
                    playing,
                },
                games: u64::from(games) * rows.len() as u64,
                seconds,
            })?;
            control.observer.generation_ends(&row);
        };
        let generations = self.generations;
        self.events.record(Event::SearchEnded {
            generations,
            reason,
        })?;
        control.observer.search_ends(generations);
        Ok(reason)
    }

    /// Why the search ends here, if it does.
    fn ends(&self) -> Option<StoppedBy> {
        // An end by the clock is not found again by a process that looks at another clock.
        if let Some((generations, reason)) = event::search_ended(self.events.written())
            && generations == self.generations
        {
            return Some(reason);
        }
        if let Some(reason) = self.optimizer.stop_reason() {
            return Some(StoppedBy::Optimizer(reason));
        }
        let budget = &self.campaign.config.budget;
        let games_next = u64::from(self.campaign.games_in(self.generations))
            * self.optimizer.next_population() as u64;
        if budget
            .generations
            .is_some_and(|limit| self.generations >= limit)
        {
            Some(StoppedBy::Generations)
        } else if budget
            .games
            .is_some_and(|limit| self.games + games_next > limit)
        {
            Some(StoppedBy::Games)
        } else if budget
            .minutes
            .is_some_and(|limit| self.seconds >= 60.0 * limit)
        {
            Some(StoppedBy::Minutes)
        } else {
            None
        }
    }

    /// Values of the next generation's candidates.
    fn propose(&mut self) -> Vec<Vec<f64>> {
        let population = self.optimizer.ask();
        let space = &self.campaign.space;
        population
            .iter()
            .map(|coordinates| space.decode(coordinates))
            .collect()
    }

    /// Records the beginning of the optimizer's run that the generation at hand belongs to.
    fn record_run(&mut self) -> Result<(), StoreError> {
        let run = self.optimizer.run();
        let population = self.optimizer.population() as u32;
        if run == self.recorded_runs {
            self.events.record(match run.checked_sub(1) {
                None => Event::SearchBegan { population },
                Some(ended) => Event::Restarted {
                    run,
                    generation: self.generations,
                    population,
                    reason: self.optimizer.finished_runs()[ended as usize].stop,
                },
            })?;
            self.recorded_runs += 1;
        }
        Ok(())
    }

    /// Plays a generation and writes its games; they do not count before the generation is complete.
    fn play(
        &self,
        proposed: Vec<Vec<f64>>,
        games: u32,
        evaluator: &impl Evaluator,
        progress: &Progress,
    ) -> Result<Vec<CandidateRow>, RunError> {
        let generation = self.generations;
        let weights: Vec<Weights> = proposed
            .iter()
            .map(|values| self.campaign.weights(values))
            .collect();
        let seed = self.campaign.config.seed;
        let players = self.campaign.player.players();
        let seeds =
            players.game_seeds(seed, Stream::Train, u64::from(generation), u64::from(games));
        let path = self.directory.generation_part(TableName::Games, generation);
        let writer = GamesWriter::create(&path, Phase::Train, generation)?;
        let fitness = score(self.campaign, evaluator, &weights, &seeds, progress, writer)?;
        let rows = (0..).zip(proposed).zip(fitness);
        Ok(rows
            .map(|((candidate, values), fitness)| CandidateRow {
                generation,
                candidate,
                fitness: fitness.value,
                standard_error: fitness.standard_error,
                values,
            })
            .collect())
    }

    /// Tells the optimizer, then writes the generation; its row in `generations` comes last and
    /// makes it count.
    fn complete(&mut self, rows: &[CandidateRow], games: u32) -> Result<GenerationRow, RunError> {
        let generation = self.generations;
        let names = self.campaign.space.names();
        let path = self
            .directory
            .generation_part(TableName::Candidates, generation);
        parquet::write(&path, rows::candidates(&names, rows))?;
        let row = self.tell(rows, games)?;
        let path = self
            .directory
            .generation_part(TableName::Generations, generation);
        parquet::write(&path, rows::generation(&names, &row))?;
        Ok(row)
    }

    fn tell(&mut self, rows: &[CandidateRow], games: u32) -> Result<GenerationRow, RunError> {
        let fitness: Vec<f64> = rows.iter().map(|row| row.fitness).collect();
        self.optimizer.tell(&fitness);
        self.record_run()?;
        for row in rows {
            if self
                .best_seen
                .as_ref()
                .is_none_or(|best| row.fitness > best.fitness)
            {
                self.best_seen = Some(BestSeen::from(row));
            }
        }
        self.generations += 1;
        self.games += u64::from(games) * rows.len() as u64;
        Ok(self.generation_row(rows, &fitness, games))
    }

    fn generation_row(&self, rows: &[CandidateRow], fitness: &[f64], games: u32) -> GenerationRow {
        let space = &self.campaign.space;
        let distribution = self.optimizer.distribution();
        let squares: Vec<f64> = rows
            .iter()
            .map(|row| row.standard_error * row.standard_error)
            .collect();
        GenerationRow {
            generation: self.generations - 1,
            run: self.optimizer.run(),
            population: rows.len() as u32,
            games,
            best: fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: mean(fitness),
            median: median(fitness),
            worst: fitness.iter().copied().fold(f64::INFINITY, f64::min),
            noise: mean(&squares).sqrt(),
            sigma: distribution.sigma,
            axis_ratio: distribution.axis_ratio,
            center: space.decode(&distribution.mean),
            spread: space.spread_of(&distribution.standard_deviations),
        }
    }
}

/// The error of a process that would not have made what a file holds.
pub(super) fn differs(path: &Path, what: &str) -> RunError {
    RunError::Differs(format!(
        "{}: this program {what}; going on would make another campaign. Resume with the build and \
         on the kind of processor that began the run (see manifest.json)",
        path.display()
    ))
}

/// Plays a recorded game again and compares.
pub(super) fn check_game(
    evaluator: &impl Evaluator,
    weights: &Weights,
    recorded: &GameRecord,
    path: &Path,
    progress: &Progress,
) -> Result<(), RunError> {
    if evaluator.repeats(recorded, weights, progress)? {
        return Ok(());
    }
    Err(differs(
        path,
        &format!("plays the game of seed {} otherwise", recorded.seed),
    ))
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Plays candidates on seeds, writes the games, and reduces them to fitness in index order.
pub(super) fn score(
    campaign: &Campaign,
    evaluator: &impl Evaluator,
    weights: &[Weights],
    seeds: &[u64],
    progress: &Progress,
    mut writer: GamesWriter,
) -> Result<Vec<Fitness>, RunError> {
    let objective = campaign.objective;
    let mut fitness = Vec::with_capacity(weights.len());
    let mut contributions = Vec::with_capacity(seeds.len());
    evaluator.evaluate::<StoreError>(weights, seeds, progress, &mut |batch| {
        writer.add(batch.candidate as u32, batch.first_game as u32, batch.games)?;
        contributions.extend(objective.contributions(batch.games));
        if batch.first_game + batch.games.len() == seeds.len() {
            fitness.push(objective.fitness(&contributions));
            contributions.clear();
        }
        Ok(())
    })?;
    writer.finish()?;
    Ok(fitness)
}
