//! How deep players can look: what may be asked for, and how it is written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

    /// The depth asked for, or the default, of a player whose depth does not follow the board.
    pub fn fixed(&self, asked: Option<Depth>) -> u8 {
        match asked.unwrap_or(self.default) {
            Depth::Fixed(depth) => depth,
            Depth::Adaptive => unreachable!("the configuration was checked"),
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

impl FromStr for Depth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "adaptive" => Ok(Depth::Adaptive),
            _ => text.parse().map(Depth::Fixed).map_err(|_| {
                format!("depth `{text}` is neither a number from 0 to {MAX_DEPTH} nor `adaptive`")
            }),
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

impl<'de> Deserialize<'de> for Depth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Depth;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                write!(formatter, "a number from 0 to {MAX_DEPTH} or \"adaptive\"")
            }

            fn visit_i64<E: serde::de::Error>(self, depth: i64) -> Result<Depth, E> {
                let invalid = || E::invalid_value(serde::de::Unexpected::Signed(depth), &self);
                u8::try_from(depth).map(Depth::Fixed).map_err(|_| invalid())
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Depth, E> {
                match text {
                    "adaptive" => Ok(Depth::Adaptive),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
