//! The players with separate games, and their seeds.

use std::convert::Infallible;
use std::ops::Range;
use std::time::Duration;

use crate::config::compare::{Compared, Comparison};
use crate::run::RunError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::local::{Local, Prepared};
use tiletune_tuning::evaluation::{
    Batch, Evaluate, EvaluationError, Evaluator, EvaluatorFactory, Progress,
};
use tiletune_tuning::results::compare::Measure;

/// Number of batches for each thread that are played together, so that threads rarely wait for the longest game.
const BATCHES_OF_A_THREAD: usize = 4;

/// A player with separate games: every player, or in direct matches every player except the first.
#[derive(Clone)]
pub(super) struct Entrant {
    /// Index of the player in the comparison.
    pub(super) index: usize,
    /// Number of its sequence of seeds.
    seeds: u64,
    /// The player. In direct matches it plays against the first player.
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
    /// The seeds of its games in some pairs.
    pub(super) fn seeds(&self, seed: u64, stream: Stream, pairs: Range<u64>) -> Vec<u64> {
        let players = self.player.players();
        let games = u64::from(players.whole(1));
        let numbers = pairs.start * games..pairs.end * games;
        let seed_of = |game| players.game_seed(seed, stream, self.seeds, game);
        numbers.map(seed_of).collect()
    }
}

/// The entrants with the threads, or other machines, that play their games.
pub(super) struct Evaluators<'a> {
    entrants: Vec<Entrant>,
    /// The prepared players of the entrants. They are prepared once for all pairs.
    prepared: Vec<Prepared>,
    players: Vec<PlayerEvaluators<'a>>,
    threads: usize,
    /// Largest number of games that an entrant plays at a time.
    pub(super) batch: usize,
}

/// The evaluators of a player. Entrants can share them.
struct PlayerEvaluators<'a> {
    player: PlayerSpec,
    local: Local,
    /// The evaluator of other machines, if they play.
    away: Option<Box<dyn Evaluator + 'a>>,
}

impl<'a> Evaluators<'a> {
    /// The evaluators that a factory creates.
    pub(super) fn new(
        entrants: Vec<Entrant>,
        machines: &'a dyn EvaluatorFactory,
    ) -> Result<Self, RunError> {
        let mut evaluators = Evaluators {
            entrants,
            prepared: Vec::new(),
            players: Vec::new(),
            threads: machines.all_threads(),
            batch: 1,
        };
        for Entrant {
            player, weights, ..
        } in &evaluators.entrants
        {
            let players = &mut evaluators.players;
            let known = players.iter().position(|one| one.player == *player);
            if known.is_none() {
                let away = (!machines.is_here()).then(|| machines.evaluator(player));
                players.push(PlayerEvaluators {
                    player: player.clone(),
                    local: Local::new(player.clone(), Some(machines.threads()))?,
                    away: away.transpose()?,
                });
            }
            let local = &players[known.unwrap_or(players.len() - 1)].local;
            let weights = std::slice::from_ref(weights);
            let prepared = local.prepare(weights, &|| Duration::ZERO, Stop::never());
            for prepared in prepared.into_iter().flatten() {
                evaluators
                    .prepared
                    .push(prepared.map_err(RunError::Player)?);
            }
        }
        let batches = evaluators.prepared.iter().map(Prepared::batch_size);
        evaluators.batch = batches.max().unwrap_or(1);
        Ok(evaluators)
    }

    pub(super) fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    fn of(&self, entrant: &Entrant) -> &PlayerEvaluators<'a> {
        let mut players = self.players.iter();
        let found = players.find(|one| one.player == entrant.player);
        found.unwrap_or_else(|| unreachable!("every entrant has one"))
    }

    /// The evaluator of an entrant on this machine.
    pub(super) fn local(&self, entrant: &Entrant) -> &Local {
        &self.of(entrant).local
    }

    /// Smallest number of pairs that keeps all threads busy with this number of entrants.
    pub(super) fn pairs_together(&self, measure: Measure, playing: usize) -> u64 {
        let games = (BATCHES_OF_A_THREAD * self.threads * self.batch) as u64;
        games.div_ceil(games_of_pair(measure) * playing.max(1) as u64)
    }

    /// The games of some entrants, given by index, in some pairs. Entrants that differ only in their weights play
    /// together.
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
            let PlayerEvaluators { local, away, .. } = self.of(first);
            match away {
                None => {
                    local.play_prepared::<Infallible>(&players, &seeds, progress, &mut sink)?;
                }
                Some(away) => {
                    let weights = group.iter().map(|&one| of(one).weights.clone());
                    let weights: Vec<Weights> = weights.collect();
                    away.evaluate::<Infallible>(&weights, &seeds, progress, &mut sink)?;
                }
            }
        }
        Ok(games)
    }
}
