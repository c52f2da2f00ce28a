//! Which player, and its options: the `[player]` section of a campaign and the flags of commands.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::field_error::FieldError;
use crate::games::{GAMES, PLAYERS};
use crate::heuristic::Form;
use crate::player::Entry;
use crate::player::depth::Depth;
use crate::random::Players;
use crate::suggestion::unknown;

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
    /// Whom it plays against, in a game of two (if left out, the game's usual opponent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<Opponents>,
    /// How deep opponents look that can choose (if left out, each at its own default).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent_depth: Option<Depth>,
    /// Rows of the board (if left out, the game's usual number; so of all that follow).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u32>,
    /// Columns of the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<u32>,
    /// Stones in line that win.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<u32>,
}

/// A name under which every game has a player that chooses by lot.
const BY_LOT: &str = "random";

/// The game meant where none is named.
pub fn default_game() -> String {
    GAMES[0].name.to_owned()
}

fn wrong<T>(key: &str, message: String) -> Result<T, FieldError> {
    Err(FieldError::new([key], message))
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
            opponent: None,
            opponent_depth: None,
            rows: None,
            columns: None,
            connect: None,
        }
    }

    /// The catalogue entry, once the configuration has been found sound.
    ///
    /// # Errors
    /// If game or player are unknown, the player is for another game, does not take an option, or
    /// an option is out of range.
    pub fn entry(&self) -> Result<&'static Entry, FieldError> {
        if !GAMES.iter().any(|game| game.name == self.game) {
            let names: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
            return wrong("game", unknown("game", &self.game, &names));
        }
        let entry = PLAYERS
            .iter()
            .find(|entry| entry.name == self.name && entry.game == self.game);
        let Some(entry) = entry else {
            return wrong("name", self.unknown_player());
        };
        self.check_options(entry)?;
        Ok(entry)
    }

    /// Says which players the game has, or which games the player.
    fn unknown_player(&self) -> String {
        let games: Vec<String> = PLAYERS
            .iter()
            .filter(|entry| entry.name == self.name)
            .map(|entry| format!("`{}`", entry.game))
            .collect();
        if !games.is_empty() {
            let (name, game, games) = (&self.name, &self.game, games.join(" and "));
            return format!(
                "player `{name}` is one of game {games}, not of game `{game}`: set the game"
            );
        }
        let of_game = PLAYERS.iter().filter(|entry| entry.game == self.game);
        let names: Vec<&str> = of_game.map(|entry| entry.name).collect();
        unknown("player", &self.name, &names)
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
            ("opponent", text(self.opponent.as_ref())),
            ("opponent_depth", text(self.opponent_depth)),
            ("rows", text(self.rows)),
            ("columns", text(self.columns)),
            ("connect", text(self.connect)),
        ];
        let given = options.into_iter();
        given
            .filter_map(|(key, value)| value.map(|value| (key, value)))
            .collect()
    }

    fn check_options(&self, entry: &Entry) -> Result<(), FieldError> {
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
        if entry.players() == Players::Two {
            self.check_opponents(entry)?;
        }
        (entry.of_game().check)(self)?;
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

    /// Every opponent must play the game, and some must take the depth that is asked for.
    fn check_opponents(&self, entry: &Entry) -> Result<(), FieldError> {
        let of_game = || PLAYERS.iter().filter(|player| player.game == entry.game);
        let mut depths = Vec::new();
        if self
            .opponents(entry)
            .is_some_and(|opponents| opponents.0.is_empty())
        {
            return wrong("opponent", "name at least one opponent".into());
        }
        for name in self.opponents(entry).iter().flat_map(Opponents::names) {
            let Some(opponent) = of_game().find(|player| player.name == name) else {
                let names: Vec<&str> = of_game().map(|player| player.name).collect();
                return wrong("opponent", unknown("opponent", name, &names));
            };
            depths.extend(opponent.depths);
        }
        match (self.opponent_depth, depths.first()) {
            (Some(_), None) => wrong("opponent_depth", "no opponent takes a depth".into()),
            (Some(depth), Some(depths)) if !depths.allows(depth) => {
                let message = format!("opponent_depth {depth} is out of range: {depths}");
                wrong("opponent_depth", message)
            }
            _ => Ok(()),
        }
    }

    /// Whom a player of a game of two plays against; `None` where one player plays.
    pub fn opponents(&self, entry: &Entry) -> Option<Opponents> {
        let usual = entry.of_game().usual_opponent?;
        let named = self.opponent.clone();
        Some(named.unwrap_or_else(|| Opponents(vec![usual.to_owned()])))
    }

    /// Whether this player's positions are the other's as well: of one game, and with the same
    /// words on its board.
    pub fn shares_board_with(&self, other: &Config) -> bool {
        let board = |config: &Config| (config.rows, config.columns, config.connect);
        self.game == other.game && board(self) == board(other)
    }

    /// One who plays this game of two by lot, on the same board against its like.
    pub fn by_lot(&self) -> Self {
        Config {
            game: self.game.clone(),
            rows: self.rows,
            columns: self.columns,
            connect: self.connect,
            opponent: Some(Opponents(vec![BY_LOT.to_owned()])),
            ..Config::of_player(BY_LOT)
        }
    }

    /// This player with its opponents named, so that what is said of it stays true whoever the usual
    /// one is.
    fn with_opponents(&self) -> Self {
        let opponents = self.entry().ok().and_then(|entry| self.opponents(entry));
        Config {
            opponent: opponents.or_else(|| self.opponent.clone()),
            ..self.clone()
        }
    }

    /// Player and options in words: `expectimax, depth 1`; in a game of two with its opponents.
    pub fn describe(&self) -> String {
        self.with_opponents().words()
    }

    /// The same without its opponents.
    pub fn describe_alone(&self) -> String {
        let alone = Config {
            opponent: None,
            opponent_depth: None,
            ..self.clone()
        };
        alone.words()
    }

    fn words(&self) -> String {
        let mut text = self.name.clone();
        if let Some(depth) = self.effective_depth() {
            text += &format!(", depth {depth}");
        }
        for (key, value) in self.options() {
            text += &match key {
                "opponent" => format!(", against {value}"),
                _ => format!(", {key} {value}"),
            };
        }
        text
    }

    /// The flags by which commands take this player: `--player expectimax --depth 1`; in a game of
    /// two with its opponents.
    pub fn flags(&self) -> String {
        let mut flags = format!("--player {}", self.name);
        if self.game != default_game() {
            flags += &format!(" --game {}", self.game);
        }
        let depth = self.effective_depth().map(|depth| ("depth", depth));
        let options = self.with_opponents().options();
        for (option, value) in depth.into_iter().chain(options) {
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

/// Players that one plays against: one, or several, of which every opening meets one by lot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "OneOrMore", into = "OneOrMore")]
pub struct Opponents(Vec<String>);

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl From<OneOrMore> for Opponents {
    fn from(names: OneOrMore) -> Self {
        match names {
            OneOrMore::One(name) => Opponents(vec![name]),
            OneOrMore::More(names) => Opponents(names),
        }
    }
}

impl From<Opponents> for OneOrMore {
    fn from(Opponents(mut names): Opponents) -> Self {
        match names.len() {
            1 => OneOrMore::One(names.remove(0)),
            _ => OneOrMore::More(names),
        }
    }
}

impl Opponents {
    /// Their names, at least one in a configuration that was found sound.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// As the flag takes them: separated by commas.
impl fmt::Display for Opponents {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0.join(","))
    }
}

impl FromStr for Opponents {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let names = text.split(',').map(|name| name.trim().to_owned());
        Ok(Opponents(names.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_configuration_is_told_with_what_is_allowed() {
        for (text, message) in [
            (
                "name = 'random'\ngame = 'chess'",
                "unknown game `chess` (known: 2048, three-plus-three, connect-four)",
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
                "name = 'random'\nopponent = 'greedy'",
                "player `random` takes no opponent",
            ),
            (
                "name = 'random'\ngame = 'connect-four'\nopponent = ['strings', 'greedy']",
                "unknown opponent `greedy` (known: strings, strings-repository, strings-article, \
                 perfect, random)",
            ),
            (
                "name = 'random'\ngame = 'connect-four'\nopponent = []",
                "name at least one opponent",
            ),
            (
                "name = 'strings'\ngame = 'connect-four'\nopponent_depth = 2",
                "no opponent takes a depth",
            ),
            (
                "name = 'strings'\ngame = 'connect-four'\nopponent = 'strings'\nopponent_depth = 0",
                "opponent_depth 0 is out of range: 1 to 12",
            ),
            (
                "name = 'strings'\ngame = 'connect-four'\nconnect = 9",
                "9 in line is out of range: 3 to 7 on this board",
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
        let text = "name = 'strings'\ngame = 'connect-four'\nopponent = ['random', 'perfect']";
        let config: Config = toml::from_str(text).unwrap();
        config.entry().unwrap();
        assert_eq!(
            config.describe(),
            "strings, depth 2, against random,perfect"
        );
        assert_eq!(
            toml::from_str(&toml::to_string(&config).unwrap()).as_ref(),
            Ok(&config)
        );
        let config = Config {
            opponent: Some("random, perfect".parse().unwrap()),
            ..config
        };
        assert_eq!(
            config.flags(),
            "--player strings --game connect-four --depth 2 --opponent random,perfect"
        );
        // The usual opponent is named as well.
        let text = "name = 'perfect'\ngame = 'connect-four'\nrows = 5";
        let config: Config = toml::from_str(text).unwrap();
        assert_eq!(
            config.describe(),
            "perfect, against strings-repository, rows 5"
        );
        assert_eq!(config.describe_alone(), "perfect, rows 5");
        assert_eq!(
            config.flags(),
            "--player perfect --game connect-four --opponent strings-repository --rows 5"
        );
        let text = "name = 'minimax-six'\nsmooth_form = 'mended'";
        assert!(toml::from_str::<Config>(text).is_err());
    }
}
