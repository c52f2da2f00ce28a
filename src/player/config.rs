//! Which player, and its options: the `[player]` section of a campaign and the flags of commands.

use serde::{Deserialize, Serialize};

use super::{Entry, GAMES, PLAYERS};
use crate::heuristic::Form;
use crate::heuristic::weights::{did_you_mean, nearest};
use crate::search::expectimax::Depth;

/// Which player, and its options. What is left out has the player's default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// A name of [`PLAYERS`].
    pub name: String,
    /// A name of [`GAMES`].
    #[serde(default = "default_game")]
    pub game: String,
    /// How deep it looks, in the player's own unit: a number or `"adaptive"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// Path probability below which a chance node is a leaf; 0 cuts nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<f64>,
    /// Whether values are taken from the original's transposition table (if left out, they are).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<bool>,
    /// Whether a 4 may appear in the game (if left out, only 2s do).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fours: Option<bool>,
    /// Whether tiles ahead are counted from 1, whatever the next one is (if left out, they are not).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_from_one: Option<bool>,
    /// Form of the feature `smooth` (if left out, the published one).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smooth_form: Option<Form>,
    /// Form of the feature `repeat` (if left out, the published one).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_form: Option<Form>,
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
    /// This player of the default game, without options.
    pub fn of_player(name: &str) -> Self {
        Config {
            name: name.to_owned(),
            game: default_game(),
            depth: None,
            cutoff: None,
            table: None,
            fours: None,
            count_from_one: None,
            smooth_form: None,
            repeat_form: None,
        }
    }

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

    /// The options that are given, besides depth: key and value in words.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        fn text<T: ToString>(value: Option<T>) -> Option<String> {
            value.map(|value| value.to_string())
        }
        let options = [
            ("cutoff", text(self.cutoff)),
            ("table", text(self.table)),
            ("fours", text(self.fours)),
            ("count_from_one", text(self.count_from_one)),
            ("smooth_form", text(self.smooth_form)),
            ("repeat_form", text(self.repeat_form)),
        ];
        let given = options.into_iter();
        given
            .filter_map(|(key, value)| value.map(|value| (key, value)))
            .collect()
    }

    fn check_options(&self, entry: &Entry) -> Result<(), ConfigError> {
        for (key, _) in self.options() {
            if !entry.options.contains(&key) {
                return wrong(key, format!("player `{}` takes no {key}", entry.name));
            }
        }
        match (self.depth, entry.depths) {
            (Some(_), None) => {
                return wrong("depth", format!("player `{}` takes no depth", entry.name));
            }
            (Some(depth), Some(depths)) if !depths.allows(depth) => {
                let message = format!("depth {depth} is out of range: {depths}");
                return wrong("depth", message);
            }
            _ => {}
        }
        match self.cutoff {
            Some(cutoff) if cutoff != 0.0 && !(1e-12..1.0).contains(&cutoff) => wrong(
                "cutoff",
                format!(
                    "cutoff {cutoff} is out of range: 0 (nothing is cut), or from 1e-12 to below 1"
                ),
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
        for (key, value) in self.options() {
            text += &format!(", {key} {value}");
        }
        text
    }

    /// The flags by which commands take this player: `--player expectimax --depth 1`.
    pub fn flags(&self) -> String {
        let mut flags = format!("--player {}", self.name);
        if self.game != default_game() {
            flags += &format!(" --game {}", self.game);
        }
        let depth = self.effective_depth().map(|depth| ("depth", depth));
        for (option, value) in depth.into_iter().chain(self.options()) {
            flags += &format!(" --{} {value}", option.replace('_', "-"));
        }
        flags
    }

    /// The depth it plays at; `None` for a player without one.
    pub fn effective_depth(&self) -> Option<String> {
        let depths = self.entry().ok()?.depths?;
        Some(self.depth.unwrap_or(depths.default).to_string())
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let suggestion = did_you_mean(&nearest(name, known.iter().copied()));
    format!(
        "unknown {what} `{name}`{suggestion} (known: {})",
        known.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_configuration_is_told_with_what_is_allowed() {
        for (text, message) in [
            (
                "name = 'random'\ngame = 'chess'",
                "unknown game `chess` (known: 2048, three-plus-three)",
            ),
            (
                "name = 'random'\ndepth = 2",
                "player `random` takes no depth",
            ),
            (
                "name = 'expectimax'\ndepth = 13",
                "depth 13 is out of range: 0 to 12 or \"adaptive\"",
            ),
            (
                "name = 'minimax-six'\ndepth = 1",
                "depth 1 is out of range: 2 to 12",
            ),
            (
                "name = 'snake'\ndepth = 'adaptive'",
                "depth adaptive is out of range: 0 to 12",
            ),
            (
                "name = 'expectimax'\ncutoff = 2.0",
                "cutoff 2 is out of range: 0 (nothing is cut), or from 1e-12 to below 1",
            ),
            (
                "name = 'minimax-six-faithful'\nfours = true",
                "player `minimax-six-faithful` takes no fours",
            ),
            (
                "name = 'expectimax'\ntable = false",
                "player `expectimax` takes no table",
            ),
        ] {
            let config: Config = toml::from_str(text).unwrap();
            let error = config.entry().err().map(|error| error.message);
            assert_eq!(error.as_deref(), Some(message));
        }
        let unknown = Config::of_player("expectimin").entry().err().unwrap();
        let start = "unknown player `expectimin`; did you mean `expectimax`? (known: expectimax, ";
        assert!(unknown.message.starts_with(start), "{unknown}");
    }

    #[test]
    fn options_are_described() {
        let text = "name = 'minimax-six'\nfours = true\nsmooth_form = 'intended'";
        let config: Config = toml::from_str(text).unwrap();
        config.entry().unwrap();
        let described = "minimax-six, depth 6, fours true, smooth_form intended";
        assert_eq!(config.describe(), described);
        let text = "name = 'minimax-six'\nsmooth_form = 'mended'";
        assert!(toml::from_str::<Config>(text).is_err());
    }
}
