//! What the games for one player have in common: a player that chooses moves, and the loop that
//! plays a seeded game to its end. What a move is, their rules say.

use crate::games::sliding::board::{Board, Direction};
use crate::record::GameRecord;

/// What chooses the moves of a game, from positions of type `P`.
pub trait Policy<P = Board> {
    /// The move to make, or `None` if no move is legal.
    fn choose(&mut self, position: P) -> Option<Direction>;

    /// Boards given to the static evaluation so far.
    fn leaf_evaluations(&self) -> u64 {
        0
    }
}

/// A game in progress that one player plays against chance.
pub trait Solitaire {
    /// What the player sees.
    type Position: Copy + std::fmt::Debug;

    /// The position.
    fn position(&self) -> Self::Position;

    /// Makes a move and lets chance answer; `false`, and nothing done, if the move is illegal.
    fn play(&mut self, direction: Direction) -> bool;

    /// What the game has come to; `seed` is the one it began from.
    fn record(&self, seed: u64, leaf_evaluations: u64) -> GameRecord;
}

/// Plays a game that began from `seed` to its end.
///
/// # Panics
/// If the policy answers with an illegal move: that is a fault of the program.
pub fn play_out<G: Solitaire>(
    mut game: G,
    seed: u64,
    policy: &mut impl Policy<G::Position>,
) -> GameRecord {
    while let Some(direction) = policy.choose(game.position()) {
        assert!(
            game.play(direction),
            "illegal {direction:?} on {:?}",
            game.position()
        );
    }
    game.record(seed, policy.leaf_evaluations())
}
