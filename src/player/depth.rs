//! How deep players can look: what may be asked for, and how it is written.

use std::fmt;

use serde::{Serialize, Serializer};

/// How deep a player looks, in its own unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Always this deep.
    Fixed(u8),
    /// As deep as the player's own rule says for the position.
    Adaptive,
}

/// Deepest fixed depth accepted.
pub const MAX_DEPTH: u8 = 12;

/// The depths of a player.
#[derive(Clone, Copy, Debug)]
pub struct Depths {
    /// What a unit of depth is, in a few words.
    pub unit: &'static str,
    /// The least that means anything.
    pub min: u8,
    /// Whether the depth can follow the board.
    pub adaptive: bool,
    /// Depth where none is asked for.
    pub default: Depth,
}

impl Depths {
    /// Whether this depth can be asked for.
    pub fn allows(&self, depth: Depth) -> bool {
        match depth {
            Depth::Fixed(depth) => (self.min..=MAX_DEPTH).contains(&depth),
            Depth::Adaptive => self.adaptive,
        }
    }
}

/// What may be asked for: `0 to 12 or "adaptive"`.
impl fmt::Display for Depths {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let adaptive = if self.adaptive {
            " or \"adaptive\""
        } else {
            ""
        };
        write!(formatter, "{} to {MAX_DEPTH}{adaptive}", self.min)
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Depth::Fixed(depth) => write!(formatter, "{depth}"),
            Depth::Adaptive => write!(formatter, "adaptive"),
        }
    }
}

impl Serialize for Depth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Depth::Fixed(depth) => serializer.serialize_u8(*depth),
            Depth::Adaptive => serializer.serialize_str("adaptive"),
        }
    }
}
