//! Games for one player: the traits of a game and of a policy that chooses its moves, the loop that plays a game to its
//! end, and a player built from them. [`MoveValues`] is the simplest player. This module must not depend on the rules
//! of a game.

use super::Player;
use super::analysis::{Analysis, Explanation, Move, MoveValue, Places, TermPoints};
use super::exact::{ExactResult, NoExactResult, Preparation, Work};
use super::position::{Position, PositionError, downcast};
use super::session::{Session, Step};
use crate::record::GameRecord;
use crate::stop::Stop;

/// Chooses the moves of a game.
pub trait Policy<P, M> {
    /// The move to make; `None` if no move is legal. After a request to stop, any move may be returned, because
    /// the caller discards it.
    fn choose(&mut self, position: P) -> Option<M>;

    /// Number of positions evaluated so far by the static evaluation.
    fn leaf_evaluations(&self) -> u64 {
        0
    }
}

/// A game in progress for one player against chance.
pub trait SinglePlayerGame {
    /// What the player sees before a move.
    type Position: Position + Copy;
    /// The type of moves.
    type Move: Move;

    /// The current position.
    fn position(&self) -> Self::Position;

    /// Makes a move and the random event after it. Returns `false` and changes nothing if the move is illegal.
    fn play(&mut self, chosen: Self::Move) -> bool;

    /// Replaces the position by a given one, from which moves count. Returns `false` if the game cannot do so.
    fn continue_from(&mut self, _position: Self::Position) -> bool {
        false
    }

    /// The record of the game so far. `seed` is the seed of its start.
    fn record(&self, seed: u64, leaf_evaluations: u64) -> GameRecord;
}

/// Plays a game to its end; `seed` is the seed of its start. Returns `None` if `stop` is requested before the
/// end.
///
/// # Panics
/// If the policy chooses an illegal move, which is an error in its code.
pub fn play_out<G: SinglePlayerGame>(
    mut game: G,
    seed: u64,
    policy: &mut impl Policy<G::Position, G::Move>,
    stop: Stop,
) -> Option<GameRecord> {
    while let Some(chosen) = stop.complete(policy.choose(game.position()))? {
        let is_legal = game.play(chosen);
        assert!(is_legal, "illegal {chosen:?} on {:?}", game.position());
    }
    Some(game.record(seed, policy.leaf_evaluations()))
}

/// The part that differs between the players of a game: the search, and the analysis of a position.
pub trait Agent: Send + Sync {
    /// The type of the game.
    type Game: SinglePlayerGame;
    /// A search and its state for one game.
    type Search<'a>: Policy<PositionOf<Self>, MoveOf<Self>>
    where
        Self: 'a;

    /// The start of the game of `seed`.
    fn game(&self, seed: u64) -> Self::Game;

    /// The search for the game of `seed`. A search that can take more than a second for a move must check
    /// `stop` regularly. After a request it returns any move at once, and the caller discards the move.
    fn search<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Self::Search<'a>;

    /// The position of a game of this agent.
    ///
    /// # Errors
    /// If the position belongs to another game or to another board.
    fn position(&self, position: &dyn Position) -> Result<PositionOf<Self>, PositionError> {
        downcast(position).copied()
    }

    /// Analyses a position. The best move must be the move that the search chooses.
    fn analyze(
        &self,
        search: &mut Self::Search<'_>,
        position: PositionOf<Self>,
    ) -> Analysis<MoveOf<Self>>;

    /// See [`Player::explain`].
    fn explain(&self, _position: PositionOf<Self>) -> Option<Explanation<MoveOf<Self>>> {
        None
    }

    /// See [`Player::prepare`].
    fn prepare(&self, _work: &Work) -> Option<()> {
        Some(())
    }

    /// See [`Player::preparation`].
    fn preparation(&self, _work: &Work) -> Option<Preparation> {
        None
    }

    /// See [`Player::exact_result`].
    fn exact_result(&self) -> &dyn ExactResult {
        &NoExactResult
    }

    /// See [`Player::places`].
    fn places(&self, _position: PositionOf<Self>, _after: Option<&str>) -> Option<Places> {
        None
    }

    /// Plays games as fast as possible. The records equal those of [`play_out`] for each seed. Returns `None`
    /// if `stop` is requested before all games have ended.
    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        let play = |&seed: &u64| {
            let mut search = self.search(seed, stop);
            play_out(self.game(seed), seed, &mut search, stop)
        };
        seeds.iter().map(play).collect()
    }

    /// See [`Player::batch_size`].
    fn batch_size(&self) -> usize {
        1
    }
}

/// A player that values every move from the position alone, and makes the move with the largest value. It is an
/// [`Agent`] without a state; an agent of its own needs only a player that is fast, random or stopped within a move.
pub trait MoveValues: Send + Sync {
    /// The type of the game.
    type Game: SinglePlayerGame;

    /// The start of the game of `seed`.
    fn game(&self, seed: u64) -> Self::Game;

    /// The value of each move, in the order of the game; `None` for an illegal move. Of equal values the first one is
    /// chosen. A call must take less than a second.
    fn values(
        &self,
        position: GamePosition<Self::Game>,
    ) -> Vec<(GameMove<Self::Game>, Option<f64>)>;

    /// See [`Player::explain`].
    fn explain(
        &self,
        _position: GamePosition<Self::Game>,
    ) -> Option<Explanation<GameMove<Self::Game>>> {
        None
    }
}

impl<V: MoveValues> Agent for V {
    type Game = V::Game;
    type Search<'a>
        = BestMove<'a, V>
    where
        V: 'a;

    fn game(&self, seed: u64) -> V::Game {
        MoveValues::game(self, seed)
    }

    fn search<'a>(&'a self, _seed: u64, _stop: Stop<'a>) -> BestMove<'a, V> {
        BestMove(self)
    }

    fn analyze(
        &self,
        _search: &mut BestMove<'_, V>,
        position: PositionOf<V>,
    ) -> Analysis<MoveOf<V>> {
        let values = self.values(position);
        Analysis {
            best: best(&values),
            values: values
                .into_iter()
                .map(|(of, value)| (of, value.map(MoveValue::One)))
                .collect(),
            ..Analysis::default()
        }
    }

    fn explain(&self, position: PositionOf<V>) -> Option<Explanation<MoveOf<V>>> {
        MoveValues::explain(self, position)
    }
}

/// The search of a player that values every move.
pub struct BestMove<'a, V>(&'a V);

impl<V: MoveValues> Policy<PositionOf<V>, MoveOf<V>> for BestMove<'_, V> {
    fn choose(&mut self, position: PositionOf<V>) -> Option<MoveOf<V>> {
        best(&self.0.values(position))
    }
}

/// The legal move with the largest value; of equal ones the first. A value that is not a number is the smallest.
fn best<M: Copy>(values: &[(M, Option<f64>)]) -> Option<M> {
    let legal = values.iter().filter_map(|&(of, value)| Some((of, value?)));
    let better = |best: (M, f64), other: (M, f64)| {
        let is_better = other.1 > best.1 || (best.1.is_nan() && !other.1.is_nan());
        if is_better { other } else { best }
    };
    legal.reduce(better).map(|(of, _)| of)
}

/// The type of positions of a game.
pub type GamePosition<G> = <G as SinglePlayerGame>::Position;

/// The type of moves of a game.
pub type GameMove<G> = <G as SinglePlayerGame>::Move;

/// The type of positions of an agent's game.
pub type PositionOf<A> = GamePosition<<A as Agent>::Game>;

/// The type of moves of an agent's game.
pub type MoveOf<A> = GameMove<<A as Agent>::Game>;

/// A player built from an agent.
pub struct SinglePlayer<A>(pub A);

impl<A: Agent> Player for SinglePlayer<A> {
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord> {
        self.0.play_many(&[seed], stop)?.pop()
    }

    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        self.0.play_many(seeds, stop)
    }

    fn batch_size(&self) -> usize {
        self.0.batch_size()
    }

    fn prepare(&self, work: &Work) -> Option<()> {
        self.0.prepare(work)
    }

    fn preparation(&self, work: &Work) -> Option<Preparation> {
        self.0.preparation(work)
    }

    fn exact_result(&self) -> &dyn ExactResult {
        self.0.exact_result()
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        Box::new(SinglePlayerSession {
            seed,
            agent: &self.0,
            game: self.0.game(seed),
            search: self.0.search(seed, stop),
            stop,
        })
    }

    fn begin_from<'a>(
        &'a self,
        position: &dyn Position,
        seed: u64,
        stop: Stop<'a>,
    ) -> Result<Box<dyn Session + 'a>, PositionError> {
        Ok(Box::new(SinglePlayerSession {
            seed,
            agent: &self.0,
            game: self.game_from(position, seed)?,
            search: self.0.search(seed, stop),
            stop,
        }))
    }

    fn play_from(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<GameRecord>, PositionError> {
        let game = self.game_from(position, seed)?;
        let mut search = self.0.search(seed, stop);
        Ok(play_out(game, seed, &mut search, stop))
    }

    fn analyze(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<Analysis>, PositionError> {
        let position = self.0.position(position)?;
        let mut search = self.0.search(seed, stop);
        Ok(stop.complete(self.0.analyze(&mut search, position).named()))
    }

    fn explain(&self, position: &dyn Position) -> Result<Option<Explanation>, PositionError> {
        let position = self.0.position(position)?;
        let moves = self.0.explain(position).map(Vec::into_iter);
        let named = |(of, terms): (MoveOf<A>, Vec<TermPoints>)| (of.to_string(), terms);
        Ok(moves.map(|moves| moves.map(named).collect()))
    }

    fn places(
        &self,
        position: &dyn Position,
        after: Option<&str>,
    ) -> Result<Option<Places>, PositionError> {
        let position = downcast::<PositionOf<A>>(position)?;
        Ok(self.0.places(*position, after))
    }
}

impl<A: Agent> SinglePlayer<A> {
    /// The game of `seed`, continued from a position.
    fn game_from(&self, position: &dyn Position, seed: u64) -> Result<A::Game, PositionError> {
        let position = self.0.position(position)?;
        let mut game = self.0.game(seed);
        if game.continue_from(position) {
            return Ok(game);
        }
        let message = "this game cannot be played on from a given position";
        Err(PositionError(message.into()))
    }
}

/// A game in progress, with one search for the whole game.
struct SinglePlayerSession<'a, A: Agent> {
    seed: u64,
    agent: &'a A,
    game: A::Game,
    search: A::Search<'a>,
    stop: Stop<'a>,
}

impl<A: Agent> SinglePlayerSession<'_, A> {
    fn record(&self) -> GameRecord {
        self.game.record(self.seed, self.search.leaf_evaluations())
    }
}

impl<A: Agent> Session for SinglePlayerSession<'_, A> {
    fn step(&mut self) -> Option<Step> {
        let (position, before) = (self.game.position(), self.record());
        let analysis = self.agent.analyze(&mut self.search, position);
        let analysis = self.stop.complete(analysis)?;
        let ended = match analysis.best {
            Some(best) => {
                assert!(self.game.play(best), "illegal {best:?} on {position:?}");
                None
            }
            None => Some(self.record()),
        };
        Some(Step {
            analysis: analysis.named(),
            ended,
            ..Step::new(position, before.moves, before.counts())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::best;

    #[test]
    fn the_first_move_of_the_largest_value_is_the_best() {
        let (none, least, nan) = (None, Some(f64::NEG_INFINITY), Some(f64::NAN));
        for (values, expected) in [
            (vec![none, Some(1.0), Some(2.0), Some(2.0)], Some(2)),
            (vec![none, least, none], Some(1)),
            (vec![nan, least, Some(0.0)], Some(2)),
            (vec![nan, nan], Some(0)),
            (vec![none, none], None),
            (vec![], None),
        ] {
            let values: Vec<_> = values.into_iter().enumerate().collect();
            assert_eq!(best(&values), expected, "{values:?}");
        }
    }
}
