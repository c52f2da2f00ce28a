//! Positions of games, where the game is not known statically.

use std::any::Any;
use std::fmt;

use super::view::Grid;

/// A position of some game. Each game has a type of its own; [`downcast`] finds it again.
pub trait Position: Any + fmt::Debug + Send + Sync {
    /// Its appearance; by default an empty grid.
    fn grid(&self) -> Grid {
        Grid::default()
    }

    /// Numbers that the grid does not show, e.g. the next tile.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// The position as the type of a known game.
///
/// # Errors
/// If it is of another game.
pub fn downcast<P: Position>(position: &dyn Position) -> Result<&P, PositionError> {
    let position: &dyn Any = position;
    let position = position.downcast_ref();
    position.ok_or_else(|| PositionError("this position is of another game".into()))
}

/// Why a position is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PositionError(pub String);
