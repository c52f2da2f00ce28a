//! The catalogue of games and players. It resolves a request for a player.

use super::config::{COMMAND, PlayerConfig};
use super::options::{OptionScope, OptionValue, Options, PlayerOption};
use super::settings::checked_list;
use super::spec::{PlayerSpec, no_such_option};
use super::{GameEntry, PlayerEntry, Players};
use crate::field_error::FieldError;
use crate::program::Programs;
use crate::suggestion::unknown;

/// Games and players by name. The first game is the default.
#[derive(Clone)]
pub struct Catalogue {
    games: Vec<&'static GameEntry>,
    players: Vec<&'static PlayerEntry>,
    /// The external programs of its players.
    programs: Programs,
}

impl Catalogue {
    /// A catalogue of these games and players.
    ///
    /// # Panics
    /// If there is no game, if two games have the same name, if two players of a game have the same name, or if
    /// the game of a player is not in the catalogue.
    pub fn new(
        games: impl IntoIterator<Item = &'static GameEntry>,
        players: impl IntoIterator<Item = &'static PlayerEntry>,
    ) -> Self {
        let mut catalogue = Catalogue {
            games: Vec::new(),
            players: Vec::new(),
            programs: Programs::default(),
        };
        for game in games {
            catalogue = catalogue.with_game(game);
        }
        assert!(!catalogue.games.is_empty(), "a catalogue needs a game");
        for player in players {
            catalogue = catalogue.with_player(player);
        }
        catalogue
    }

    /// The catalogue with one more game.
    ///
    /// # Panics
    /// If the catalogue has a game of this name.
    pub fn with_game(mut self, game: &'static GameEntry) -> Self {
        let name = game.name;
        assert!(self.find_game(name).is_none(), "two games `{name}`");
        self.games.push(game);
        self
    }

    /// The catalogue with one more player.
    ///
    /// # Panics
    /// If the game of the player is not in the catalogue, or already has a player of this name.
    pub fn with_player(mut self, player: &'static PlayerEntry) -> Self {
        let (name, game) = (player.name, player.game.name);
        assert!(self.find_game(game).is_some(), "`{name}`: no game `{game}`");
        let is_new = self.players_of(game).all(|known| known.name != name);
        assert!(is_new, "two players `{name}` of game `{game}`");
        self.players.push(player);
        self
    }

    /// The external programs of its players.
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// All games; the first is the default.
    pub fn games(&self) -> &[&'static GameEntry] {
        &self.games
    }

    /// All players of all games.
    pub fn players(&self) -> &[&'static PlayerEntry] {
        &self.players
    }

    /// The default game.
    pub fn default_game(&self) -> &'static GameEntry {
        self.games[0]
    }

    /// The default player: the first one of the default game; `None` if it has no players.
    pub fn default_player(&self) -> Option<&'static PlayerEntry> {
        self.players_of(self.default_game().name).next()
    }

    /// The first player of a game that has weights of its own; `None` if there is none.
    pub fn first_with_weights(&self, game: &str) -> Option<&'static PlayerEntry> {
        self.players_of(game).find(|entry| entry.has_own_weights())
    }

    fn find_game(&self, name: &str) -> Option<&'static GameEntry> {
        self.games.iter().copied().find(|game| game.name == name)
    }

    /// The players of the game with this name.
    pub fn players_of(&self, game: &str) -> impl Iterator<Item = &'static PlayerEntry> {
        let players = self.players.iter().copied();
        players.filter(move |player| player.game.name == game)
    }

    /// The player with a name. Without `game` it is a player of the default game.
    ///
    /// # Errors
    /// If the game does not exist or has no such player.
    pub fn entry(
        &self,
        name: &str,
        game: Option<&str>,
    ) -> Result<&'static PlayerEntry, FieldError> {
        let game = game.unwrap_or(self.default_game().name);
        if self.find_game(game).is_none() {
            let games: Vec<&str> = self.games.iter().map(|game| game.name).collect();
            return Err(FieldError::new(["game"], unknown("game", game, &games)));
        }
        let mut players = self.players_of(game);
        let found = players.find(|player| player.name == name);
        found.ok_or_else(|| FieldError::new(["name"], self.unknown_player(name, game)))
    }

    /// The error message for an unknown player. It lists the games that have a player of this name or, if there
    /// are none, the players of the game.
    fn unknown_player(&self, name: &str, game: &str) -> String {
        let others = self.players.iter().filter(|player| player.name == name);
        let games: Vec<&str> = others.map(|player| player.game.name).collect();
        let names: Vec<&str> = self.players_of(game).map(|player| player.name).collect();
        let Some(first) = games.first() else {
            return unknown("player", name, &names);
        };
        let plays = format!("`{}`", games.join("` and `"));
        let names = names.join(", ");
        format!(
            "player `{name}` plays {plays}, not `{game}`: give its game (--game {first}, in a file game = \"{first}\"), or \
             a player of `{game}`: {names}"
        )
    }

    /// The player that a configuration file specifies, at one setting.
    ///
    /// # Errors
    /// If the game or the player is unknown, if the player does not have an option, or if the value of an
    /// option is not allowed.
    pub fn player(&self, config: &PlayerConfig) -> Result<PlayerSpec, FieldError> {
        let player = self.player_at_settings(config)?;
        let Some((option, key, _)) = player.varied() else {
            return Ok(player);
        };
        let message = format!(
            "{key} is for the [player] of a campaign, which divides its games between them; here give {}",
            option.key
        );
        Err(FieldError::new([key], message))
    }

    /// The same, but the games of the player may be divided between several settings (see [`PlayerSpec::settings`]).
    ///
    /// # Errors
    /// As [`Catalogue::player`].
    pub fn player_at_settings(&self, config: &PlayerConfig) -> Result<PlayerSpec, FieldError> {
        let has_command = config.options.iter().any(|(key, _)| key == COMMAND);
        if has_command && config.name.is_empty() {
            let message = "a command stands in the [player] of a campaign; here a program has a file of its own: \
                           player = { name = \"program\", game = \"external\" } and heuristic = \"program.toml\"";
            return Err(FieldError::new([COMMAND], message));
        }
        let entry = self.entry(&config.name, config.game.as_deref())?;
        self.with_options(entry, config.options.iter().cloned())
    }

    /// The player that the command line specifies. Options are pairs of a key and the text of its flag.
    ///
    /// # Errors
    /// The errors of [`Catalogue::player`].
    pub fn player_of_flags(
        &self,
        name: &str,
        game: &str,
        options: &[(String, String)],
    ) -> Result<PlayerSpec, FieldError> {
        let entry = self.entry(name, Some(game))?;
        let value = |(key, text): &(String, String)| {
            let value = match entry.option(key) {
                Some(option) => option.parse(text),
                None => OptionValue::Text(text.clone()),
            };
            (key.clone(), value)
        };
        self.with_options(entry, options.iter().map(value))
    }

    /// The error for an option that the player does not have. If it is the board of other players of the game, the
    /// message names these.
    fn no_such_option(&self, entry: &PlayerEntry, key: &str) -> FieldError {
        let has_board = |other: &&PlayerEntry| {
            let option = other.option(key);
            option.is_some_and(|option| option.scope == OptionScope::Board)
        };
        let others = self.players_of(entry.game.name).filter(has_board);
        let others: Vec<&str> = others.map(|other| other.name).collect();
        if others.is_empty() {
            return no_such_option(entry, key);
        }
        let message = format!(
            "player `{}` plays on the usual board only; players that take {key}: {}",
            entry.name,
            others.join(", ")
        );
        FieldError::new([key], message)
    }

    fn with_options(
        &self,
        entry: &'static PlayerEntry,
        given: impl IntoIterator<Item = (String, OptionValue)>,
    ) -> Result<PlayerSpec, FieldError> {
        let mut checked = Vec::new();
        for (key, value) in given {
            let is_named =
                |option: &PlayerOption| option.key == key || option.several == Some(&key);
            let place = entry.options.iter().position(is_named);
            let place = place.ok_or_else(|| self.no_such_option(entry, &key))?;
            let option = &entry.options[place];
            if let Some(several) = option.several.filter(|several| *several == key) {
                let list = checked_list(option, several, value, &self.programs)?;
                checked.push((place, several, list));
                continue;
            }
            let value = option.checked(value, &self.programs)?;
            if option.is_stored_at_default || value != option.default() {
                checked.push((place, option.key, value));
            }
        }
        checked.sort_by_key(|(place, ..)| *place);
        check_lists(entry, &checked)?;
        let named = |(_, key, value)| (key, value);
        let options = Options(checked.into_iter().map(named).collect());
        (entry.game.check)(&options)?;
        if let Some(extension) = options.extension() {
            extension.check(&options)?;
        }
        let is_of_default_game = entry.game.name == self.default_game().name;
        let programs = self.programs.clone();
        Ok(PlayerSpec::new(
            entry,
            options,
            is_of_default_game,
            programs,
        ))
    }
}

/// Checks lists of values: there is one at most, of an option that has no other value, in a game for one player.
fn check_lists(
    entry: &PlayerEntry,
    given: &[(usize, &'static str, OptionValue)],
) -> Result<(), FieldError> {
    let is_list = |value: &OptionValue| matches!(value, OptionValue::Several(_));
    let Some((place, key, _)) = given.iter().find(|(.., value)| is_list(value)) else {
        return Ok(());
    };
    let of_same = |(other, another, value): &&(usize, &str, OptionValue)| {
        another != key && (other == place || is_list(value))
    };
    if let Some((_, other, _)) = given.iter().find(of_same) {
        let [first, second] = if other.len() < key.len() && key.starts_with(other) {
            [other, key]
        } else {
            [key, other]
        };
        let message = format!("{first} and {second} cannot both be given: leave one out");
        return Err(FieldError::new([*key], message));
    }
    if entry.players() == Players::Two {
        let message = format!("{key} is for games for one player: give one value");
        return Err(FieldError::new([*key], message));
    }
    Ok(())
}
