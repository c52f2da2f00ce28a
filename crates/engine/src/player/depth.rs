//! Search depths of players: the allowed values and their text form. This module must not know a player.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// The search depth of a player, in the player's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The same depth for every position.
    Fixed(u8),
    /// A depth that the player computes from the position.
    Adaptive,
}

/// Largest accepted fixed depth.
pub const MAX_DEPTH: u8 = 12;

impl JsonSchema for Depth {
    fn schema_name() -> Cow<'static, str> {
        "Depth".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A number, or `adaptive`.", "type": ["integer", "string"] })
    }
}

/// The depths that a player accepts.
#[derive(Clone, Copy, Debug)]
pub struct Depths {
    /// The unit of depth, as a short phrase.
    pub unit: &'static str,
    /// Smallest allowed fixed depth.
    pub min: u8,
    /// True if [`Depth::Adaptive`] is allowed.
    pub adaptive: bool,
    /// The default depth.
    pub default: Depth,
}

impl Depths {
    /// True if this depth is allowed.
    pub fn allows(&self, depth: Depth) -> bool {
        match depth {
            Depth::Fixed(depth) => (self.min..=MAX_DEPTH).contains(&depth),
            Depth::Adaptive => self.adaptive,
        }
    }
}

/// The allowed depths as text: `0 to 12 or "adaptive"`.
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
