//! Which games and players there are, and what a user's request for one means.

use super::config::Config;
use super::options::{Options, Value};
use super::spec::PlayerSpec;
use super::{Entry, Game};
use crate::field_error::FieldError;
use crate::suggestion::{did_you_mean, unknown};

/// Games and players by name. The first game is meant where none is named.
#[derive(Clone)]
pub struct Catalogue {
    games: Vec<&'static Game>,
    players: Vec<&'static Entry>,
}

impl Catalogue {
    /// A catalogue of these games and players.
    ///
    /// # Panics
    /// If there is no game, two games or two players of a game have the same name, or a player is of
    /// a game that is not among the games.
    pub fn new(
        games: impl IntoIterator<Item = &'static Game>,
        players: impl IntoIterator<Item = &'static Entry>,
    ) -> Self {
        let mut catalogue = Catalogue {
            games: Vec::new(),
            players: Vec::new(),
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

    /// The same with another game.
    ///
    /// # Panics
    /// If there is a game of that name.
    pub fn with_game(mut self, game: &'static Game) -> Self {
        let name = game.name;
        assert!(self.find_game(name).is_none(), "two games `{name}`");
        self.games.push(game);
        self
    }

    /// The same with another player.
    ///
    /// # Panics
    /// If its game is not in the catalogue, or has a player of that name.
    pub fn with_player(mut self, player: &'static Entry) -> Self {
        let (name, game) = (player.name, player.game.name);
        assert!(self.find_game(game).is_some(), "`{name}`: no game `{game}`");
        let is_new = self.players_of(game).all(|known| known.name != name);
        assert!(is_new, "two players `{name}` of game `{game}`");
        self.players.push(player);
        self
    }

    /// All games, the default first.
    pub fn games(&self) -> &[&'static Game] {
        &self.games
    }

    /// All players.
    pub fn players(&self) -> &[&'static Entry] {
        &self.players
    }

    /// The game that is meant where none is named.
    pub fn default_game(&self) -> &'static Game {
        self.games[0]
    }

    fn find_game(&self, name: &str) -> Option<&'static Game> {
        self.games.iter().copied().find(|game| game.name == name)
    }

    /// The players of a game.
    pub fn players_of(&self, game: &str) -> impl Iterator<Item = &'static Entry> {
        let players = self.players.iter().copied();
        players.filter(move |player| player.game.name == game)
    }

    /// The player of a name; `game` is the default one if left out.
    ///
    /// # Errors
    /// If there is no such game, or it has no such player.
    pub fn entry(&self, name: &str, game: Option<&str>) -> Result<&'static Entry, FieldError> {
        let game = game.unwrap_or(self.default_game().name);
        if self.find_game(game).is_none() {
            let games: Vec<&str> = self.games.iter().map(|game| game.name).collect();
            return Err(FieldError::new(["game"], unknown("game", game, &games)));
        }
        let mut players = self.players_of(game);
        let found = players.find(|player| player.name == name);
        found.ok_or_else(|| FieldError::new(["name"], self.unknown_player(name, game)))
    }

    /// Says which games have the player or, if none has, which players the game has.
    fn unknown_player(&self, name: &str, game: &str) -> String {
        let others = self.players.iter().filter(|player| player.name == name);
        let games: Vec<String> = others
            .map(|player| format!("`{}`", player.game.name))
            .collect();
        if games.is_empty() {
            let names: Vec<&str> = self.players_of(game).map(|player| player.name).collect();
            return unknown("player", name, &names);
        }
        let games = games.join(" and ");
        format!("player `{name}` is one of game {games}, not of game `{game}`: set the game")
    }

    /// The player that a table of a file asks for.
    ///
    /// # Errors
    /// If game or player are unknown, the player does not take an option, or an option is out of
    /// range.
    pub fn player(&self, config: &Config) -> Result<PlayerSpec, FieldError> {
        let entry = self.entry(&config.name, config.game.as_deref())?;
        self.with_options(entry, config.options.iter().cloned())
    }

    /// The player that flags of the command line ask for; options are keys with the text of their
    /// flags.
    ///
    /// # Errors
    /// As [`Catalogue::player`].
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
                None => Value::Text(text.clone()),
            };
            (key.clone(), value)
        };
        self.with_options(entry, options.iter().map(value))
    }

    fn with_options(
        &self,
        entry: &'static Entry,
        given: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<PlayerSpec, FieldError> {
        let mut checked = Vec::new();
        for (key, value) in given {
            let wrong = |message: String| FieldError::new([key.as_str()], message);
            let place = entry.options.iter().position(|option| option.key == key);
            let place = place.ok_or_else(|| wrong(no_such_option(entry, &key)))?;
            let value = entry.options[place].checked(value).map_err(wrong)?;
            checked.push((place, value));
        }
        checked.sort_by_key(|(place, _)| *place);
        let named = |(place, value): (usize, Value)| (entry.options[place].key, value);
        let options = Options(checked.into_iter().map(named).collect());
        (entry.game.check)(&options)?;
        let is_of_default_game = entry.game.name == self.default_game().name;
        Ok(PlayerSpec::new(entry, options, is_of_default_game))
    }
}

fn no_such_option(entry: &Entry, key: &str) -> String {
    let keys: Vec<&str> = entry.options.iter().map(|option| option.key).collect();
    let near = did_you_mean(key, keys.iter().copied());
    let takes = match keys.is_empty() {
        true => "it takes no options".to_owned(),
        false => format!("it takes: {}", keys.join(", ")),
    };
    format!("player `{}` takes no {key}{near} ({takes})", entry.name)
}
