//! The games of a comparison, block by block, and the looks at them.

use serde::{Deserialize, Serialize};

use super::blocks::{PairBlock, blocks};
use super::entrants::{Entrant, Evaluators, entrants, games_of_pair};
use crate::config::compare::Comparison;
use crate::run::games_table::{GamesTable, any, check_game};
use crate::run::logs::Timing;
use crate::run::tables::{self, Pair, PairGame};
use crate::run::{Control, RunDirectory, RunError, StoreError, Task};
use tiletune_engine::player::Pairings;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::compare::Measure;
use tiletune_tuning::stats::games::PlayedScores;
use tiletune_tuning::stats::paired_test::PairedTest;

/// Consecutive pairs, from 0.
pub(super) type Pairs = std::ops::Range<u64>;

/// The entry in `timing.jsonl` of pairs that were played together.
#[derive(Serialize, Deserialize)]
struct TimedPairs {
    first_pair: u64,
    last_pair: u64,
    threads: usize,
}

/// The recorded games of a comparison, and the tests on them.
pub(super) struct PairedGames {
    /// The games of every entrant.
    pub(super) games: Vec<Vec<GameRecord>>,
    /// The games with their counted results: a game that a program did not play counts as worse than all others so
    /// far.
    counted: Vec<Vec<GameRecord>>,
    /// The scores of the games so far, by which a failed game counts.
    played: PlayedScores,
    /// The test of each player after the first.
    pub(super) tests: Vec<PairedTest>,
    pub(super) entrants: Vec<Entrant>,
    /// The pairings of each player, in a game for two.
    pairings: Vec<Option<Pairings>>,
    blocks: Vec<PairBlock>,
    /// Number of recorded blocks.
    complete: usize,
    measure: Measure,
}

impl PairedGames {
    pub(super) fn new(comparison: &Comparison, entrants: Vec<Entrant>, batch: usize) -> Self {
        let config = &comparison.config;
        let challengers = comparison.players.len() - 1;
        let test = PairedTest::new(
            comparison.measure,
            config.margin,
            config.error,
            challengers as u32,
        );
        let mut pairings = vec![None; comparison.players.len()];
        for entrant in &entrants {
            pairings[entrant.index] = Pairings::of(&entrant.player);
        }
        PairedGames {
            pairings,
            games: vec![Vec::new(); entrants.len()],
            counted: vec![Vec::new(); entrants.len()],
            played: PlayedScores::default(),
            tests: vec![test; challengers],
            entrants,
            blocks: blocks(config.max_pairs, batch),
            complete: 0,
            measure: comparison.measure,
        }
    }

    /// Number of recorded pairs.
    pub(super) fn pairs(&self) -> u64 {
        let last = self.complete.checked_sub(1);
        last.map_or(0, |last| self.blocks[last].pairs.end)
    }

    /// Whether no more pairs are needed.
    pub(super) fn is_complete(&self) -> bool {
        self.tests.iter().all(|test| test.verdict().is_some())
    }

    /// The indices of the entrants whose games are still needed.
    fn playing(&self) -> Vec<usize> {
        let is_playing = |entrant: &Entrant| match entrant.index {
            0 => !self.is_complete(),
            index => self.tests[index - 1].verdict().is_none(),
        };
        let places = 0..self.entrants.len();
        places
            .filter(|&at| is_playing(&self.entrants[at]))
            .collect()
    }

    fn pairings_of(&self, player: u32) -> Option<&Pairings> {
        self.pairings.get(player as usize)?.as_ref()
    }

    /// The index of the entrant that is this player of the comparison.
    pub(super) fn place(&self, index: usize) -> Option<usize> {
        self.entrants
            .iter()
            .position(|entrant| entrant.index == index)
    }

    /// The result of an entrant in a pair: a score, or the mean points of an opening.
    fn result(&self, place: usize, pair: u64) -> f64 {
        let count = games_of_pair(self.measure) as usize;
        let games = &self.counted[place][pair as usize * count..][..count];
        games.iter().map(GameRecord::value).sum::<f64>() / count as f64
    }

    /// A pair of the player `index` (from 1) with the first player.
    pub(super) fn pair(&self, index: usize, pair: u64) -> Option<Pair> {
        let other = self.place(index)?;
        let seed =
            |place: usize| self.games[place][(pair * games_of_pair(self.measure)) as usize].seed;
        let (first, first_seed) = match self.place(0) {
            Some(first) => (self.result(first, pair), seed(first)),
            // In a direct match the first player gets half of the points, the expectation of an even match.
            None => (0.5, seed(other)),
        };
        Some(Pair {
            pair,
            first_seed,
            other_seed: seed(other),
            first,
            other: self.result(other, pair),
        })
    }

    /// Adds the games of the next block, in the order of [`PairedGames::playing`]. Takes a look if one follows the
    /// block.
    fn add(&mut self, games: &[PairGame]) {
        self.played.add(games.iter().map(|one| &one.game));
        for one in games {
            if let Some(place) = self.place(one.player as usize) {
                let game = std::slice::from_ref(&one.game);
                self.counted[place].extend_from_slice(&self.played.counted(game));
                self.games[place].extend_from_slice(game);
            }
        }
        let block = self.blocks[self.complete].clone();
        self.complete += 1;
        let is_last = self.complete == self.blocks.len();
        for index in 1..=self.tests.len() {
            if self.tests[index - 1].verdict().is_some() {
                continue;
            }
            for number in block.pairs.clone() {
                if let Some(pair) = self.pair(index, number) {
                    self.tests[index - 1].add(pair.first, pair.other);
                }
            }
            if block.is_look {
                self.tests[index - 1].look(is_last);
            }
        }
    }

    /// The games of a player of the comparison with their counted results.
    pub(super) fn counted(&self, index: usize) -> Option<&[GameRecord]> {
        Some(&self.counted[self.place(index)?])
    }

    /// The rows of the next block. `games` are the games of the entrants from the pair `start` on.
    fn next_rows(&self, start: u64, games: &[Vec<GameRecord>]) -> Vec<PairGame> {
        let count = games_of_pair(self.measure);
        let block = &self.blocks[self.complete];
        let at = |pair: u64| ((pair - start) * count) as usize;
        let within = at(block.pairs.start)..at(block.pairs.end);
        let mut rows = Vec::new();
        for place in self.playing() {
            let player = self.entrants[place].index as u32;
            let games = games[place][within.clone()].iter().zip(0u64..);
            rows.extend(games.map(|(game, number)| PairGame {
                pair: block.pairs.start + number / count,
                player,
                game: game.clone(),
            }));
        }
        rows
    }

    /// The games of each entrant as a table that can be replayed.
    pub(super) fn tables(&self, comparison: &Comparison) -> Vec<GamesTable<'static>> {
        let entrants = self.entrants.iter().zip(&self.games);
        let table = |(entrant, games): (&Entrant, &Vec<GameRecord>)| {
            let label = format!("tables/games, `{}`", comparison.players[entrant.index].name);
            let weights = entrant.weights.clone();
            GamesTable::of_weights(label, entrant.player.clone(), weights, games.clone())
        };
        entrants.map(table).collect()
    }

    /// The same comparison with these games of each entrant, up to the verdicts of these games.
    pub(super) fn again(&self, comparison: &Comparison, games: &[Vec<GameRecord>]) -> Self {
        let mut again = PairedGames::new(comparison, self.entrants.clone(), 1);
        again.blocks.clone_from(&self.blocks);
        while !again.is_complete() && again.complete < self.complete {
            let end = again.blocks[again.complete].pairs.end * games_of_pair(self.measure);
            // Other games can have later verdicts, and the further games do not exist.
            if again
                .playing()
                .iter()
                .any(|&place| (games[place].len() as u64) < end)
            {
                break;
            }
            let rows = again.next_rows(0, games);
            again.add(&rows);
        }
        again
    }

    /// Reads the recorded blocks of a directory.
    fn read(&mut self, seed: u64, directory: &RunDirectory) -> Result<(), StoreError> {
        while self.complete < self.blocks.len() && !self.is_complete() {
            let block = self.blocks[self.complete].clone();
            let path = directory.pairs_block_part(block.number);
            if !path.exists() {
                break;
            }
            let games = tables::read_block(&path, |player| self.pairings_of(player))?;
            let pairs = block.pairs.clone();
            let expected = self.playing().into_iter().flat_map(|place| {
                let entrant = &self.entrants[place];
                let seeds = entrant.seeds(seed, Stream::Compare, pairs.clone());
                let count = games_of_pair(self.measure);
                let pairs = (pairs.start * count..).map(move |game| game / count);
                let games = pairs.zip(seeds);
                games.map(|(pair, seed)| (pair, entrant.index as u32, seed))
            });
            let found = games
                .iter()
                .map(|one| (one.pair, one.player, one.game.seed));
            if !found.eq(expected) {
                let reason = "these are not the games of this comparison";
                return Err(StoreError::damaged(&path, reason));
            }
            self.add(&games);
        }
        Ok(())
    }
}

/// The recorded games of a directory.
pub(super) fn recorded(
    comparison: &Comparison,
    directory: &RunDirectory,
) -> Result<PairedGames, RunError> {
    let evaluators = Evaluators::new(entrants(comparison), &1)?;
    let mut played = PairedGames::new(comparison, entrants(comparison), evaluators.batch);
    played.read(comparison.config.seed, directory)?;
    Ok(played)
}

/// Plays the missing pairs until every player has a verdict.
pub(super) fn play(
    comparison: &Comparison,
    machines: &dyn EvaluatorFactory,
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<PairedGames, RunError> {
    let evaluators = Evaluators::new(entrants(comparison), machines)?;
    let mut played = PairedGames::new(comparison, entrants(comparison), evaluators.batch);
    let seed = comparison.config.seed;
    played.read(seed, directory)?;
    check_play(comparison, &played, &evaluators, control)?;
    let mut timing = directory.timing_log()?;
    while !played.is_complete() {
        let begin = (control.clock)();
        let last = comparison.config.max_pairs;
        let (pairs, games) = play_next(comparison, &played, last, &evaluators, control)?;
        timing.append(&Timing {
            of: TimedPairs {
                first_pair: pairs.start + 1,
                last_pair: pairs.end,
                threads: machines.threads(),
            },
            games: games.iter().map(|games| games.len() as u64).sum(),
            seconds: ((control.clock)() - begin).as_secs_f64(),
        })?;
        record(comparison, &mut played, &pairs, &games, directory, control)?;
    }
    Ok(played)
}

/// Plays the next pairs, up to `last`: whole blocks that keep all threads busy. Returns the pairs with the games of
/// each entrant.
fn play_next(
    comparison: &Comparison,
    played: &PairedGames,
    last: u64,
    evaluators: &Evaluators,
    control: &mut Control,
) -> Result<(Pairs, Vec<Vec<GameRecord>>), RunError> {
    let playing = played.playing();
    let start = played.pairs();
    let least = start + evaluators.pairs_together(comparison.measure, playing.len());
    let blocks = played.blocks[played.complete..].iter();
    let ends = blocks.map(|block| block.pairs.end);
    let ends = ends.take_while(|end| *end <= last);
    let end = ends.clone().find(|end| *end >= least);
    let end = end.or(ends.last()).unwrap_or(start);
    control.observer.task_begins(Task::Pairs {
        first: start + 1,
        last: end,
    });
    let seed = comparison.config.seed;
    let games = evaluators.play(
        &playing,
        seed,
        Stream::Compare,
        start..end,
        control.progress,
    )?;
    Ok((start..end, games))
}

/// Writes the blocks of games that were played together until every verdict is known, and drops the other blocks.
fn record(
    comparison: &Comparison,
    played: &mut PairedGames,
    pairs: &Pairs,
    games: &[Vec<GameRecord>],
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<(), StoreError> {
    while !played.is_complete() && played.pairs() < pairs.end {
        let block = played.blocks[played.complete].clone();
        let rows = played.next_rows(pairs.start, games);
        let path = directory.pairs_block_part(block.number);
        let block_rows = tables::block(&rows, |player| played.pairings_of(player));
        tables::write(&path, &block_rows)?;
        let undecided: Vec<bool> = played
            .tests
            .iter()
            .map(|one| one.verdict().is_none())
            .collect();
        played.add(&rows);
        if !block.is_look {
            continue;
        }
        let (_, others) = comparison.sides();
        for ((other, test), undecided) in others.iter().zip(&played.tests).zip(undecided) {
            if let Some(look) = test.path().last().filter(|_| undecided) {
                control.observer.look_ends(&other.name, look);
            }
        }
    }
    Ok(())
}

/// Repeats a recorded game.
fn check_play(
    comparison: &Comparison,
    played: &PairedGames,
    evaluators: &Evaluators,
    control: &Control,
) -> Result<(), RunError> {
    for (entrant, games) in evaluators.entrants().iter().zip(&played.games) {
        let Some(game) = any(games).filter(|_| !played.is_complete()) else {
            continue;
        };
        let (local, name) = (
            evaluators.local(entrant),
            &comparison.players[entrant.index].name,
        );
        let place = format!("`{name}`");
        check_game(local, game, &entrant.weights, place, control.progress)?;
    }
    Ok(())
}
