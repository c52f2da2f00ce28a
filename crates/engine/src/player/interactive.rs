//! Interactive games: the caller, which is a person or a client of the server, chooses each move. This module
//! applies the rules and the random events, and never searches. It must not know who chooses the moves or how
//! they are displayed.
//!
//! An interactive game is a function of the game, its seed and the moves so far. The random event after a move
//! depends only on the seed, the number of the move and the position. A move that is taken back and made again
//! therefore gives the same position. The game of a seed is the same as in [`Player::play`]: a player without
//! random choices that chooses its moves with [`Player::analyze`] plays the same game.
//!
//! [`Player::analyze`]: super::Player::analyze
//! [`Player::play`]: super::Player::play

use std::sync::Arc;

use super::options::Options;
use super::position::{Position, PositionError};
use super::single_player::SinglePlayerGame;

/// Starts a game with the rules of these options, which must be checked before. With a seed it is the game of
/// this seed; without a seed it starts from the empty board.
///
/// # Errors
/// If the game cannot start without a seed.
pub type StartInteractive =
    fn(&Options, Option<u64>) -> Result<Box<dyn InteractiveGame>, PositionError>;

/// A game in progress whose moves are chosen by the caller. A move is given by its index in
/// [`InteractiveGame::moves`].
pub trait InteractiveGame {
    /// The names of all moves of the game, legal or not, in the order in which players value them.
    fn moves(&self) -> Vec<String>;

    /// The kind of input with which a person chooses a move.
    fn control(&self) -> Control;

    /// True if the move is legal. No move is legal after the end of the game.
    fn is_legal(&self, chosen: usize) -> bool;

    /// Makes a move and the random event after it. Returns `false` and changes nothing if the move is illegal.
    fn play(&mut self, chosen: usize) -> bool;

    /// The current position.
    fn position(&self) -> Arc<dyn Position>;

    /// Numbers of the game that the board does not show, such as `score`.
    fn counts(&self) -> Vec<(&'static str, u64)>;

    /// The changes of the board by the last move; empty before the first move.
    fn motion(&self) -> Motion;

    /// The end of the game; `None` while it is in progress.
    fn ended(&self) -> Option<Ending>;
}

/// The kind of input with which a person chooses a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// A direction: `up`, `down`, `left` or `right`.
    Directions,
    /// A column of the board, counted from the left.
    Columns,
}

/// The way in which a game has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No legal move is left, in a game for one player.
    NoMove,
    /// A player has won.
    Won {
        /// The number of the player: 1 or 2.
        by: u8,
        /// The cells of the winning lines.
        cells: Vec<usize>,
    },
    /// The game is a draw.
    Drawn,
}

/// The changes of the board by one move. A cell is an index in [`Grid::cells`](super::view::Grid::cells). Tiles
/// that are not listed stay in their cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Motion {
    /// The moved tiles: start cell and destination cell. If two tiles have the same destination, or if the
    /// destination holds a tile that stays, they have merged.
    pub moved: Vec<(usize, usize)>,
    /// The cells in which a tile appeared.
    pub appeared: Vec<usize>,
}

/// A function that computes the changes from the position before a move, the move, and the position after it.
pub type MotionOf<G> = fn(
    <G as SinglePlayerGame>::Position,
    <G as SinglePlayerGame>::Move,
    <G as SinglePlayerGame>::Position,
) -> Motion;

/// An interactive game for one player against chance.
pub struct SinglePlayerInteractive<G: SinglePlayerGame> {
    game: G,
    moves: &'static [G::Move],
    control: Control,
    motion: MotionOf<G>,
    /// The position before the last move, and the last move.
    last: Option<(G::Position, G::Move)>,
}

impl<G: SinglePlayerGame> SinglePlayerInteractive<G> {
    /// `moves` must contain all moves of the game, legal or not.
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

/// The error for a game that needs a seed.
pub fn seed_needed() -> PositionError {
    PositionError("every game has a seed: give one".into())
}
