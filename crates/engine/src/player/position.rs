//! Positions of games whose type is not known at compile time.

use std::any::Any;
use std::fmt;

use super::view::Grid;

/// A position of a game. Each game has a separate type; [`downcast`] restores it.
pub trait Position: Any + fmt::Debug + Send + Sync {
    /// Its visual form; the default is an empty grid.
    fn grid(&self) -> Grid {
        Grid::default()
    }

    /// Numbers that the grid does not show, such as the next tile.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Checks a position that [`Format::of`](super::Format::of) has read. The default accepts every position.
    ///
    /// # Errors
    /// If the position cannot occur in a game. The message contains the reason.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Converts a position to the type of a known game.
///
/// # Errors
/// If it belongs to another game.
pub fn downcast<P: Position>(position: &dyn Position) -> Result<&P, PositionError> {
    let position: &dyn Any = position;
    let position = position.downcast_ref();
    position.ok_or_else(|| PositionError("this position is of another game".into()))
}

/// The reason why a position is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PositionError(pub String);
