//! The configuration of a player, as in the `[player]` table of a file. [`Catalogue`](super::Catalogue)
//! resolves it.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::options::OptionValue;

/// The key of the command of an external program. It can replace the name of a player.
pub const COMMAND: &str = "command";

/// The name of a player and its options. Missing options have the default of the player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerConfig {
    /// Name of the player; empty if the file has a [`COMMAND`] and no name.
    pub name: String,
    /// Name of the game; `None` means the default game of the catalogue.
    pub game: Option<String>,
    /// The given options: key and value.
    pub options: Vec<(String, OptionValue)>,
}

impl PlayerConfig {
    /// A configuration without options.
    pub fn new(name: impl Into<String>, game: Option<&str>) -> Self {
        PlayerConfig {
            name: name.into(),
            game: game.map(str::to_owned),
            options: Vec::new(),
        }
    }

    /// The same configuration with one more option.
    pub fn with(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.options.push((key.to_owned(), value.into()));
        self
    }
}

impl JsonSchema for PlayerConfig {
    fn schema_name() -> Cow<'static, str> {
        "Player".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "required": ["name"],
            "properties": { "name": { "type": "string" }, "game": { "type": "string" } }
        })
    }
}

impl Serialize for PlayerConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        if let Some(game) = &self.game {
            map.serialize_entry("game", game)?;
        }
        for (key, value) in &self.options {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for PlayerConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlayerVisitor;
        impl<'de> Visitor<'de> for PlayerVisitor {
            type Value = PlayerConfig;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("a table with the player's `name`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PlayerConfig, A::Error> {
                let (mut name, mut game, mut options) = (None, None, Vec::new());
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "name" => name = Some(map.next_value()?),
                        "game" => game = Some(map.next_value()?),
                        _ => options.push((key, map.next_value()?)),
                    }
                }
                // With a command the name may be missing.
                let has_command = options.iter().any(|(key, _)| key == COMMAND);
                let name = name.or_else(|| has_command.then(String::new));
                Ok(PlayerConfig {
                    name: name.ok_or_else(|| A::Error::missing_field("name"))?,
                    game,
                    options,
                })
            }
        }
        deserializer.deserialize_map(PlayerVisitor)
    }
}
