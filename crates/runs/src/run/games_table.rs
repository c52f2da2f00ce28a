//! Tables of games that can be replayed: verification replays a sample of the games, a replay all of them. This module
//! must not know a kind of run.

use std::fmt::Display;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::rc::Rc;

use super::replay::Replay;
use super::{Control, RunError, Task};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::{Evaluate, Evaluator, EvaluatorFactory, Progress};

/// A table of recorded games that can be replayed.
pub struct GamesTable<'a> {
    /// Name of the table in messages.
    pub label: String,
    /// The player. Each game has its own weights.
    pub player: PlayerSpec,
    /// Number of games.
    pub count: u64,
    read: Box<dyn Fn() -> Result<Vec<RecordedGame>, RunError> + 'a>,
}

/// A recorded game.
#[derive(Clone)]
pub struct RecordedGame {
    /// Kind and number of the candidate or finalist that played it, if the table has several.
    pub of: Option<(&'static str, u32)>,
    /// Number of the game, counted for this candidate or finalist.
    pub number: u32,
    /// The weights of the player.
    pub weights: Rc<Weights>,
    /// Seed and result.
    pub record: GameRecord,
}

impl RecordedGame {
    /// The games of one set of weights, in order.
    pub fn all(weights: &Weights, games: &[GameRecord]) -> Vec<Self> {
        let weights = Rc::new(weights.clone());
        let numbered = games.iter().zip(0..);
        let game = |(record, number): (&GameRecord, u32)| RecordedGame {
            of: None,
            number,
            weights: Rc::clone(&weights),
            record: record.clone(),
        };
        numbered.map(game).collect()
    }

    fn label(&self, table: &str) -> String {
        match self.of {
            Some((name, of)) => format!("{table}: {name} {of}, game {}", self.number),
            None => format!("{table}: game {}", self.number),
        }
    }
}

impl<'a> GamesTable<'a> {
    /// A table whose games are read when they are needed, because the games of a long search do not fit into memory.
    pub fn new(
        label: String,
        player: PlayerSpec,
        count: u64,
        read: impl Fn() -> Result<Vec<RecordedGame>, RunError> + 'a,
    ) -> Self {
        GamesTable {
            label,
            player,
            count,
            read: Box::new(read),
        }
    }

    /// Its games, in order.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn games(&self) -> Result<Vec<RecordedGame>, RunError> {
        (self.read)()
    }

    /// A table of games of one set of weights.
    pub fn of_weights(
        label: String,
        player: PlayerSpec,
        weights: Weights,
        games: Vec<GameRecord>,
    ) -> Self {
        let count = games.len() as u64;
        let read = move || Ok(RecordedGame::all(&weights, &games));
        GamesTable::new(label, player, count, read)
    }
}

/// Replays games of tables of the same player, and returns them in order.
fn play(
    player: &PlayerSpec,
    games: &[&RecordedGame],
    machines: &dyn EvaluatorFactory,
    progress: &Progress,
) -> Result<Vec<GameRecord>, RunError> {
    let evaluator = machines.evaluator(player)?;
    let mut again: Vec<Option<GameRecord>> = vec![None; games.len()];
    let numbers: Vec<usize> = (0..games.len()).collect();
    let same_weights =
        |&one: &usize, &next: &usize| Rc::ptr_eq(&games[one].weights, &games[next].weights);
    let of_weights: Vec<&[usize]> = numbers.chunk_by(same_weights).collect();
    let seeds = |of: &[usize]| {
        of.iter()
            .map(|&number| games[number].record.seed)
            .collect::<Vec<u64>>()
    };
    // Different weights on the same seeds form one evaluation, so that threads rarely wait for the longest game.
    for together in of_weights.chunk_by(|one, next| seeds(one) == seeds(next)) {
        let weights = together
            .iter()
            .map(|of| Weights::clone(&games[of[0]].weights));
        let weights: Vec<Weights> = weights.collect();
        evaluator.evaluate::<RunError>(&weights, &seeds(together[0]), progress, &mut |batch| {
            let places = &together[batch.candidate][batch.first_game..];
            for (&place, game) in places.iter().zip(batch.games) {
                again[place] = Some(game.clone());
            }
            Ok(())
        })?;
    }
    Ok(again.into_iter().flatten().collect())
}

/// Tables of the same player are replayed together, up to about this number of games. So threads rarely wait for the
/// longest game of a table, and the games of a long search need not fit into memory.
const GAMES_TOGETHER: usize = 100_000;

/// Replays the games at these indices of tables, and compares each with the recorded one. Returns the games of each
/// table.
///
/// # Errors
/// If a stop was requested through `control`, or a table is damaged.
pub(super) fn spot_check(
    chosen: &[(&GamesTable, Vec<usize>)],
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
    replay: &mut Replay,
) -> Result<Vec<Vec<GameRecord>>, RunError> {
    let mut all = Vec::with_capacity(chosen.len());
    let mut together = 0;
    type Chosen<'a, 'b> = (&'a GamesTable<'b>, Vec<usize>);
    let belong_together = |(one, places): &Chosen, (next, _): &Chosen| {
        together += places.len();
        let belong = one.player == next.player && together < GAMES_TOGETHER;
        if !belong {
            together = 0;
        }
        belong
    };
    for of_player in chosen.chunk_by(belong_together) {
        let mut recorded: Vec<Vec<RecordedGame>> = Vec::with_capacity(of_player.len());
        for (table, places) in of_player {
            let games = table.games()?;
            recorded.push(places.iter().map(|&place| games[place].clone()).collect());
        }
        let [first, last] = [0, of_player.len() - 1].map(|at| of_player[at].0);
        control.observer.task_begins(Task::Tables {
            first: &first.label,
            last: &last.label,
        });
        let games: Vec<&RecordedGame> = recorded.iter().flatten().collect();
        let again = play(&first.player, &games, machines, control.progress)?;
        let mut again = &again[..];
        for ((table, _), games) in of_player.iter().zip(&recorded) {
            let (of_table, rest) = again.split_at(games.len());
            let records: Vec<GameRecord> = games.iter().map(|game| game.record.clone()).collect();
            replay.add_played(of_table.len() as u64);
            replay.compare_games(&records, of_table, |place| games[place].label(&table.label));
            all.push(of_table.to_vec());
            again = rest;
        }
    }
    Ok(all)
}

/// Replays all games of tables, or the first of each, and compares each with the recorded one. Returns the games of
/// each table.
///
/// # Errors
/// If a stop was requested through `control`, or a table is damaged.
pub fn replay(
    tables: &[GamesTable],
    first: Option<u32>,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
    replay: &mut Replay,
) -> Result<Vec<Vec<GameRecord>>, RunError> {
    let chosen = tables.iter().map(|table| {
        let count = games_to_replay(std::slice::from_ref(table), first) as usize;
        (table, (0..count).collect())
    });
    spot_check(&chosen.collect::<Vec<_>>(), machines, control, replay)
}

/// Number of games that [`replay`] replays.
pub fn games_to_replay(tables: &[GamesTable], first: Option<u32>) -> u64 {
    let of_table = |table: &GamesTable| match first {
        Some(first) => table.count.min(table.player.players().whole(first).into()),
        None => table.count,
    };
    tables.iter().map(of_table).sum()
}

/// A random game of these, another one at each call. Its choice must not change results.
pub fn any<T>(games: &[T]) -> Option<&T> {
    let random = RandomState::new().build_hasher().finish();
    games.get((random % games.len().max(1) as u64) as usize)
}

/// Repeats a recorded game. A program that plays differently must not continue the run.
///
/// # Errors
/// If the game differs, or a stop was requested through `progress`.
pub fn check_game(
    evaluator: &dyn Evaluator,
    game: &GameRecord,
    weights: &Weights,
    place: impl Display,
    progress: &Progress,
) -> Result<(), RunError> {
    // A failure of a program can depend on the clock, so a failed game is not repeated.
    if game.missing().is_some() || evaluator.repeats(game, weights, progress)? {
        return Ok(());
    }
    if game.numbers().is_some() {
        return Err(RunError::Differs(format!(
            "{place}: the program that plays gives other numbers than in this run for the seed {} and the weights \
             {weights}. A run goes on only with a program that plays as it did: restore the earlier version, or begin a \
             new run",
            game.seed
        )));
    }
    let what = format!("plays the game of seed {} differently", game.seed);
    Err(RunError::differs(place, &what))
}
