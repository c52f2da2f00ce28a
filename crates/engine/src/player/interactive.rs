//! An interactive game: each move is chosen from outside, by a person or a client of the server. The rules and the
//! random tiles stay here; nothing searches. This module must not know a screen or who chooses.
//!
//! An interactive game is a function of the game, its seed and the moves so far. What chance adds after a move depends on the
//! seed, the number of the move and the position, so a move that is taken back and made again gives the same
//! position. The game of a seed is the one that players play: a player that chooses its moves by [`Player::analyze`]
//! plays the same interactive game as by [`Player::play`], if it has no random choices of its own.
//!
//! [`Player::analyze`]: super::Player::analyze
//! [`Player::play`]: super::Player::play

use std::sync::Arc;

use super::options::Options;
use super::position::{Position, PositionError};
use super::single_player::SinglePlayerGame;

/// Starts a game on the board of these options: the one that the seed names, or without a seed one from the empty
/// board. The options have been checked.
///
/// # Errors
/// If the game has no start without a seed.
pub type StartInteractive =
    fn(&Options, Option<u64>) -> Result<Box<dyn InteractiveGame>, PositionError>;

/// A game in progress whose moves are chosen from outside. Moves are counted from 0 in the order of
/// [`InteractiveGame::moves`].
pub trait InteractiveGame {
    /// The names of all moves of the game, legal or not, in the order in which players value them.
    fn moves(&self) -> Vec<String>;

    /// How a person chooses a move.
    fn control(&self) -> Control;

    /// Whether a move is legal; none is once the game is over.
    fn is_legal(&self, chosen: usize) -> bool;

    /// Makes a move and the random event after it. Returns `false` and changes nothing if the move is illegal.
    fn play(&mut self, chosen: usize) -> bool;

    /// The position.
    fn position(&self) -> Arc<dyn Position>;

    /// Numbers of the game that the board does not show, e.g. `score`.
    fn counts(&self) -> Vec<(&'static str, u64)>;

    /// What the last move changed on the board; nothing before the first move.
    fn motion(&self) -> Motion;

    /// How the game has ended, if it has.
    fn ended(&self) -> Option<Ending>;
}

/// How a person chooses a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// A direction: `up`, `down`, `left` or `right`.
    Directions,
    /// A column of the board, from the left.
    Columns,
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No move is legal, in a game for one player.
    NoMove,
    /// A player has won.
    Won {
        /// The number of the player: 1 or 2.
        by: u8,
        /// The cells that decide the game.
        cells: Vec<usize>,
    },
    /// A draw.
    Drawn,
}

/// What a move changed. A cell is its index in [`Grid::cells`](super::view::Grid::cells). Tiles that are not
/// mentioned stay where they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Motion {
    /// The tiles that moved: from which cell to which. If two tiles end in a cell, or one ends in the cell of a
    /// tile that stays, they have merged.
    pub moved: Vec<(usize, usize)>,
    /// The cells in which a tile appeared.
    pub appeared: Vec<usize>,
}

/// What a move changes, from the position before it, the move, and the position after it.
pub type MotionOf<G> = fn(
    <G as SinglePlayerGame>::Position,
    <G as SinglePlayerGame>::Move,
    <G as SinglePlayerGame>::Position,
) -> Motion;

/// An interactive game that one player plays against chance.
pub struct SinglePlayerInteractive<G: SinglePlayerGame> {
    game: G,
    moves: &'static [G::Move],
    control: Control,
    motion: MotionOf<G>,
    /// The last move with the position before it.
    last: Option<(G::Position, G::Move)>,
}

impl<G: SinglePlayerGame> SinglePlayerInteractive<G> {
    /// `moves` are all moves of the game.
    pub fn new(game: G, moves: &'static [G::Move], control: Control, motion: MotionOf<G>) -> Self {
        SinglePlayerInteractive {
            game,
            moves,
            control,
            motion,
            last: None,
        }
    }
}

impl<G> InteractiveGame for SinglePlayerInteractive<G>
where
    G: SinglePlayerGame + Clone,
{
    fn moves(&self) -> Vec<String> {
        self.moves.iter().map(G::Move::to_string).collect()
    }

    fn control(&self) -> Control {
        self.control
    }

    fn is_legal(&self, chosen: usize) -> bool {
        let chosen = self.moves.get(chosen);
        chosen.is_some_and(|chosen| self.game.clone().play(*chosen))
    }

    fn play(&mut self, chosen: usize) -> bool {
        let Some(&chosen) = self.moves.get(chosen) else {
            return false;
        };
        let before = self.game.position();
        let is_legal = self.game.play(chosen);
        if is_legal {
            self.last = Some((before, chosen));
        }
        is_legal
    }

    fn position(&self) -> Arc<dyn Position> {
        Arc::new(self.game.position())
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let mut counts = self.game.position().counts();
        counts.extend(self.game.record(0, 0).counts());
        counts
    }

    fn motion(&self) -> Motion {
        let motion = |(before, chosen)| (self.motion)(before, chosen, self.game.position());
        self.last.map(motion).unwrap_or_default()
    }

    fn ended(&self) -> Option<Ending> {
        let has_move = (0..self.moves.len()).any(|chosen| self.is_legal(chosen));
        (!has_move).then_some(Ending::NoMove)
    }
}

/// The error of a game that is started without a seed, if each of its games has one.
pub fn seed_needed() -> PositionError {
    PositionError("every game has a seed: give one".into())
}
