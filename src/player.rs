//! The catalogue of players: name -> game, parameters, options and search. The only place that
//! knows all of them, and where static code meets the one virtual call of a game.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::game::twenty48;
use crate::heuristic::table::Heuristic;
use crate::heuristic::weights::{Weights, did_you_mean, nearest};
use crate::heuristic::{self, Parameter};
use crate::record::GameRecord;
use crate::search::expectimax::{Depth, Expectimax, MAX_DEPTH, NoBoardTerms};
use crate::search::simple::{Greedy, Random};

/// A game of the catalogue.
pub struct Game {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
}

/// All games; the first is the default.
pub const GAMES: &[Game] = &[Game {
    name: "2048",
    about: "slide and merge on 4x4; a 2 (0.9) or a 4 (0.1) appears after each move",
}];

/// A player ready to play with one set of weights.
pub trait Player: Send + Sync {
    /// Plays the game that `seed` names: a pure function of player, weights and seed.
    fn play(&self, seed: u64) -> GameRecord;
}

/// An entry of the catalogue.
pub struct Entry {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// The game it plays.
    pub game: &'static str,
    /// How it plays, in one sentence.
    pub about: &'static str,
    /// Keys of the options that it takes besides its weights.
    pub options: &'static [&'static str],
    /// Its tunable parameters; empty if it has none.
    pub parameters: fn() -> Vec<Parameter>,
    /// Its published weights as a weights file, if it has parameters.
    pub published: Option<&'static str>,
    build: fn(&Config, &Weights) -> Box<dyn Player>,
}

/// All players.
pub const PLAYERS: &[Entry] = &[
    Entry {
        name: "expectimax",
        game: "2048",
        about: "expectimax over line tables and board terms (after nneonneo/2048-ai)",
        options: &["depth", "cutoff"],
        parameters: heuristic::parameters,
        published: Some(include_str!("../configs/weights/expectimax.toml")),
        build: |config, weights| {
            Box::new(ExpectimaxPlayer {
                heuristic: Heuristic::new(weights),
                depth: config.depth.unwrap_or(Depth::Fixed(1)),
                cutoff: config.cutoff.unwrap_or(0.0),
            })
        },
    },
    Entry {
        name: "greedy",
        game: "2048",
        about: "the move that scores the most points at once",
        options: &[],
        parameters: Vec::new,
        published: None,
        build: |_, _| Box::new(Simple(|_| Greedy)),
    },
    Entry {
        name: "random",
        game: "2048",
        about: "a uniformly chosen legal move",
        options: &[],
        parameters: Vec::new,
        published: None,
        build: |_, _| Box::new(Simple(Random::new)),
    },
];

struct ExpectimaxPlayer {
    heuristic: Heuristic,
    depth: Depth,
    cutoff: f64,
}

impl Player for ExpectimaxPlayer {
    fn play(&self, seed: u64) -> GameRecord {
        let (heuristic, depth, cutoff) = (&self.heuristic, self.depth, self.cutoff);
        let terms = heuristic.board_terms.as_slice();
        if terms.is_empty() {
            twenty48::play(
                seed,
                twenty48::Spawns::TwosAndFours,
                &mut Expectimax::new(heuristic, NoBoardTerms, depth, cutoff),
            )
        } else {
            twenty48::play(
                seed,
                twenty48::Spawns::TwosAndFours,
                &mut Expectimax::new(heuristic, terms, depth, cutoff),
            )
        }
    }
}

/// A player without weights: a policy made anew for each game from its seed.
struct Simple<P>(fn(u64) -> P);

impl<P: twenty48::Policy> Player for Simple<P> {
    fn play(&self, seed: u64) -> GameRecord {
        twenty48::play(seed, twenty48::Spawns::TwosAndFours, &mut (self.0)(seed))
    }
}

/// Which player, and its options. What is left out has the player's default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// A name of [`PLAYERS`].
    pub name: String,
    /// A name of [`GAMES`].
    #[serde(default = "default_game")]
    pub game: String,
    /// Chance layers below the root move: a number or `"adaptive"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// Path probability below which a chance node is a leaf; 0 cuts nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<f64>,
}

/// The game meant where none is named.
pub fn default_game() -> String {
    GAMES[0].name.to_owned()
}

/// What is wrong with a player's configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    /// The key it is about.
    pub key: &'static str,
    /// What is wrong and what is allowed.
    pub message: String,
}

fn wrong<T>(key: &'static str, message: String) -> Result<T, ConfigError> {
    Err(ConfigError { key, message })
}

impl Config {
    /// The catalogue entry, once the configuration has been found sound.
    ///
    /// # Errors
    /// If game or player are unknown, the player is for another game, does not take an option, or
    /// an option is out of range.
    pub fn entry(&self) -> Result<&'static Entry, ConfigError> {
        if !GAMES.iter().any(|game| game.name == self.game) {
            let names: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
            return wrong("game", unknown("game", &self.game, &names));
        }
        let entry = PLAYERS
            .iter()
            .find(|entry| entry.name == self.name && entry.game == self.game);
        let Some(entry) = entry else {
            let of_game = PLAYERS.iter().filter(|entry| entry.game == self.game);
            let names: Vec<&str> = of_game.map(|entry| entry.name).collect();
            return wrong("name", unknown("player", &self.name, &names));
        };
        self.check_options(entry)?;
        Ok(entry)
    }

    fn check_options(&self, entry: &Entry) -> Result<(), ConfigError> {
        for (key, given) in [
            ("depth", self.depth.is_some()),
            ("cutoff", self.cutoff.is_some()),
        ] {
            if given && !entry.options.contains(&key) {
                return wrong(key, format!("player `{}` takes no {key}", entry.name));
            }
        }
        if let Some(Depth::Fixed(depth)) = self.depth
            && depth > MAX_DEPTH
        {
            let message = format!("depth {depth} is too large: 0 to {MAX_DEPTH} or \"adaptive\"");
            return wrong("depth", message);
        }
        match self.cutoff {
            Some(cutoff) if cutoff != 0.0 && !(1e-12..1.0).contains(&cutoff) => wrong(
                "cutoff",
                format!("cutoff {cutoff} is out of range: 0 (nothing is cut), or 1e-12 to 1"),
            ),
            _ => Ok(()),
        }
    }

    /// Player and options in words: `expectimax, depth 1`.
    pub fn describe(&self) -> String {
        let mut text = self.name.clone();
        if let Some(depth) = self.effective_depth() {
            text += &format!(", depth {depth}");
        }
        if let Some(cutoff) = self.cutoff.filter(|&cutoff| cutoff > 0.0) {
            text += &format!(", cut-off {cutoff}");
        }
        text
    }

    /// The depth it plays at; `None` for a player without one.
    pub fn effective_depth(&self) -> Option<String> {
        let entry = self.entry().ok()?;
        let depth = self.depth.unwrap_or(Depth::Fixed(1));
        entry.options.contains(&"depth").then(|| depth.to_string())
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let suggestion = did_you_mean(&nearest(name, known.iter().copied()));
    format!(
        "unknown {what} `{name}`{suggestion} (known: {})",
        known.join(", ")
    )
}

impl Entry {
    /// Makes the player; `weights` fit its parameters (see [`Weights::new`]).
    pub fn build(&self, config: &Config, weights: &Weights) -> Box<dyn Player> {
        (self.build)(config, weights)
    }
}

impl std::fmt::Display for Depth {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Depth::Fixed(depth) => write!(formatter, "{depth}"),
            Depth::Adaptive => write!(formatter, "adaptive"),
        }
    }
}

impl std::str::FromStr for Depth {
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

            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_wrong_configuration_is_told_with_what_is_allowed() {
        for (text, message) in [
            (
                "name = 'expectimin'",
                "unknown player `expectimin`; did you mean `expectimax`? (known: expectimax, greedy, random)",
            ),
            (
                "name = 'random'\ngame = 'chess'",
                "unknown game `chess` (known: 2048)",
            ),
            (
                "name = 'random'\ndepth = 2",
                "player `random` takes no depth",
            ),
            (
                "name = 'expectimax'\ndepth = 13",
                "depth 13 is too large: 0 to 12 or \"adaptive\"",
            ),
            (
                "name = 'expectimax'\ncutoff = 2.0",
                "cutoff 2 is out of range: 0 (nothing is cut), or 1e-12 to 1",
            ),
        ] {
            let error = config(text).entry().err().map(|error| error.message);
            assert_eq!(error.as_deref(), Some(message));
        }
    }

    #[test]
    fn names_are_unique_and_published_weights_fit() {
        for (index, entry) in PLAYERS.iter().enumerate() {
            assert!(GAMES.iter().any(|game| game.name == entry.game));
            let before = &PLAYERS[..index];
            assert!(
                !before
                    .iter()
                    .any(|other| (other.name, other.game) == (entry.name, entry.game))
            );
            assert_eq!(entry.published.is_some(), !(entry.parameters)().is_empty());
        }
    }

    #[test]
    fn a_game_is_the_same_whenever_it_is_played() {
        for text in [
            "name = 'expectimax'\ndepth = 2\ncutoff = 1e-4",
            "name = 'random'",
            "name = 'greedy'",
        ] {
            let config = config(text);
            let player = config.entry().unwrap().build(&config, &Weights::default());
            let first = player.play(1);
            player.play(2);
            assert_eq!(player.play(1), first);
        }
    }
}
