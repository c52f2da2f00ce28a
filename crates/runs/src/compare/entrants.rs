//! The players that play games of their own, and their seeds.

use std::convert::Infallible;
use std::ops::Range;
use std::time::Duration;

use crate::config::compare::{Compared, Comparison};
use crate::run::RunError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::local::{Local, Prepared};
use tiletune_tuning::evaluation::{
    Batch, Evaluate, EvaluationError, Evaluator, EvaluatorFactory, Progress,
};
use tiletune_tuning::results::compare::Measure;

/// Batches of games of each thread that are played together, so that threads seldom wait for the longest
/// game.
const BATCHES_OF_A_THREAD: usize = 4;

/// A player with games of its own: every player, or in direct matches every player after the first.
#[derive(Clone)]
pub(super) struct Entrant {
    /// Its number in the comparison.
    pub(super) index: usize,
    /// Number of its sequence of seeds.
    seeds: u64,
    /// In direct matches against the first player.
    pub(super) player: PlayerSpec,
    pub(super) weights: Weights,
}

/// The entrants of a comparison in order.
pub(super) fn entrants(comparison: &Comparison) -> Vec<Entrant> {
    let (first, others) = comparison.sides();
    let entrant = |index: usize, compared: &Compared, player: PlayerSpec| Entrant {
        index,
        seeds: compared.seeds,
        player,
        weights: compared.weights.clone(),
    };
    let players = comparison.players.iter().enumerate();
    if comparison.measure != Measure::Match {
        let alone = players.map(|(index, one)| entrant(index, one, one.player.clone()));
        return alone.collect();
    }
    let numbered = (1..).zip(others);
    let against_first = numbered.filter_map(|(index, one)| {
        let player = one.player.against(&first.player, &first.weights)?;
        Some(entrant(index, one, player))
    });
    against_first.collect()
}

/// Number of games that an entrant plays for a pair.
pub(super) fn games_of_pair(measure: Measure) -> u64 {
    match measure {
        Measure::Score => 1,
        Measure::Points | Measure::Match => 2,
    }
}

impl Entrant {
    /// The seeds of its games of some pairs.
    pub(super) fn seeds(&self, seed: u64, stream: Stream, pairs: Range<u64>) -> Vec<u64> {
        let players = self.player.players();
        let games = u64::from(players.whole(1));
        let numbers = pairs.start * games..pairs.end * games;
        let seed_of = |game| players.game_seed(seed, stream, self.seeds, game);
        numbers.map(seed_of).collect()
    }
}

/// The entrants with the threads, or the other machines, that play their games.
pub(super) struct Evaluators<'a> {
    entrants: Vec<Entrant>,
    /// The player of each entrant. They are prepared once for all pairs.
    prepared: Vec<Prepared>,
    /// One for each distinct player.
    locals: Vec<(PlayerSpec, Local)>,
    /// One for each distinct player, if other machines play.
    away: Vec<(PlayerSpec, Box<dyn Evaluator + 'a>)>,
    threads: usize,
    /// Largest number of games that an entrant plays at a time.
    pub(super) batch: usize,
}

impl<'a> Evaluators<'a> {
    /// Those of a factory.
    pub(super) fn new(
        entrants: Vec<Entrant>,
        machines: &'a dyn EvaluatorFactory,
    ) -> Result<Self, RunError> {
        let threads = machines.threads();
        let mut locals: Vec<(PlayerSpec, Local)> = Vec::new();
        for entrant in &entrants {
            if locals.iter().all(|(player, _)| *player != entrant.player) {
                let local = Local::new(entrant.player.clone(), Some(threads))?;
                locals.push((entrant.player.clone(), local));
            }
        }
        let mut evaluators = Evaluators {
            entrants,
            prepared: Vec::new(),
            away: Vec::new(),
            locals,
            threads: machines.all_threads(),
            batch: 1,
        };
        for (player, _) in evaluators.locals.iter().filter(|_| !machines.is_here()) {
            let away = machines.evaluator(player)?;
            evaluators.away.push((player.clone(), away));
        }
        for entrant in &evaluators.entrants {
            let weights = std::slice::from_ref(&entrant.weights);
            let player = evaluators
                .local(entrant)
                .prepare(weights, &|| Duration::ZERO);
            for player in player {
                evaluators.prepared.push(player.map_err(RunError::Player)?);
            }
        }
        let batches = evaluators.prepared.iter().map(Prepared::batch_size);
        evaluators.batch = batches.max().unwrap_or(1);
        Ok(evaluators)
    }

    pub(super) fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// The evaluator of an entrant.
    pub(super) fn local(&self, entrant: &Entrant) -> &Local {
        let mut locals = self.locals.iter();
        let found = locals.find(|(player, _)| *player == entrant.player);
        &found
            .unwrap_or_else(|| unreachable!("every entrant has one"))
            .1
    }

    /// Smallest number of pairs that occupies all threads, if this number of entrants play.
    pub(super) fn pairs_together(&self, measure: Measure, playing: usize) -> u64 {
        let games = (BATCHES_OF_A_THREAD * self.threads * self.batch) as u64;
        games.div_ceil(games_of_pair(measure) * playing.max(1) as u64)
    }

    /// The games of some entrants, given by their places, for some pairs. Entrants that differ only in
    /// their weights play together.
    pub(super) fn play(
        &self,
        places: &[usize],
        seed: u64,
        stream: Stream,
        pairs: Range<u64>,
        progress: &Progress,
    ) -> Result<Vec<Vec<GameRecord>>, EvaluationError<Infallible>> {
        let mut games = vec![Vec::new(); self.entrants.len()];
        let of = |place: usize| &self.entrants[place];
        let alike = |one: &usize, other: &usize| {
            let (one, other) = (of(*one), of(*other));
            one.player == other.player && one.seeds == other.seeds
        };
        for group in places.chunk_by(alike) {
            let first = of(group[0]);
            let players = group.iter().map(|&one| self.prepared[one].clone());
            let players: Vec<Prepared> = players.collect();
            let seeds = first.seeds(seed, stream, pairs.clone());
            let mut sink = |batch: Batch| {
                games[group[batch.candidate]].extend_from_slice(batch.games);
                Ok(())
            };
            let mut away = self.away.iter();
            match away.find(|(player, _)| *player == first.player) {
                None => {
                    let local = self.local(first);
                    local.play_prepared::<Infallible>(&players, &seeds, progress, &mut sink)?;
                }
                Some((_, away)) => {
                    let weights = group.iter().map(|&one| of(one).weights.clone());
                    let weights: Vec<Weights> = weights.collect();
                    away.evaluate::<Infallible>(&weights, &seeds, progress, &mut sink)?;
                }
            }
        }
        Ok(games)
    }
}
