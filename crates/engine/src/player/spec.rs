//! A player with checked options. Campaigns, experiments and commands use it.

use std::sync::Arc;

use super::config::PlayerConfig;
use super::depth::Depth;
use super::exact_scores::{EXACT, ExactScores};
use super::options::{
    Extension, HEURISTIC, OptionKind, OptionScope, OptionValue, Options, PlayerOption,
};
use super::settings::SeveralSettings;
use super::{MatchPlayer, Player, PlayerEntry, Players};
use crate::field_error::FieldError;
use crate::heuristic::weights::Weights;
use crate::heuristic::{LostWeight, Parameter};
use crate::program::{Program, Programs};
use crate::random::{self, Stream, at_setting};
use crate::suggestion::did_you_mean;

/// A player of a catalogue with checked options. [`Catalogue`](super::Catalogue) creates it.
#[derive(Clone)]
pub struct PlayerSpec {
    /// The entry of the catalogue.
    pub entry: &'static PlayerEntry,
    /// Its options.
    pub options: Options,
    /// True if its game is the default game.
    is_of_default_game: bool,
    /// The opponent of a direct match, and its weights.
    rival: Option<Arc<(PlayerSpec, Weights)>>,
    /// The external programs of its catalogue.
    programs: Programs,
}

impl PartialEq for PlayerSpec {
    fn eq(&self, other: &Self) -> bool {
        let named = |spec: &PlayerSpec| (spec.entry.name, spec.entry.game.name);
        named(self) == named(other) && self.options == other.options && self.rival == other.rival
    }
}

impl PlayerSpec {
    pub(super) fn new(
        entry: &'static PlayerEntry,
        options: Options,
        is_of_default_game: bool,
        programs: Programs,
    ) -> Self {
        PlayerSpec {
            entry,
            options,
            is_of_default_game,
            rival: None,
            programs,
        }
    }

    /// The player in a direct match against `opponent`, which has its own options and plays with `weights`.
    /// Returns `None` if the game has no direct matches. [`PlayerSpec::config`] and [`PlayerSpec::flags`] do
    /// not contain the opponent.
    pub fn against(&self, opponent: &PlayerSpec, weights: &Weights) -> Option<PlayerSpec> {
        self.entry.game.direct_match?;
        Some(PlayerSpec {
            rival: Some(Arc::new((opponent.clone(), weights.clone()))),
            ..self.clone()
        })
    }

    /// The opponent of a direct match and its weights; `None` if this is not a direct match.
    pub fn rival(&self) -> Option<(&PlayerSpec, &Weights)> {
        let rival = self.rival.as_deref();
        rival.map(|(rival, weights)| (rival, weights))
    }

    /// Builds the player with weights that fit its parameters (see [`Weights::new`]).
    ///
    /// # Errors
    /// If the player cannot use the weights. The message contains the reason.
    pub fn build(&self, weights: &Weights) -> Result<Box<dyn Player>, String> {
        if let (Some((rival, of_rival)), Some(direct_match)) =
            (self.rival.as_deref(), self.entry.game.direct_match)
        {
            return direct_match([self.in_match(weights), rival.in_match(of_rival)]);
        }
        let settings = self.settings();
        if !settings.is_empty() {
            let players: Result<Vec<_>, String> =
                settings.iter().map(|one| one.build(weights)).collect();
            return Ok(Box::new(SeveralSettings::new(players?)));
        }
        let player = match self.extension() {
            Some(Extension::Heuristic(heuristic)) => heuristic.build(&self.options, weights),
            Some(Extension::Program(_)) | None => (self.entry.build)(&self.options, weights),
        }?;
        if self.has_exact_scores() {
            return Ok(Box::new(ExactScores::new(player)?));
        }
        Ok(player)
    }

    /// The option that has several values, the key of their list and the list; `None` for a player with one setting.
    pub(super) fn varied(&self) -> Option<(&'static PlayerOption, &'static str, &[OptionValue])> {
        self.options.0.iter().find_map(|(key, value)| {
            let OptionValue::Several(values) = value else {
                return None;
            };
            let mut options = self.entry.options.iter();
            let option = options.find(|option| option.several == Some(key))?;
            Some((option, *key, values.as_slice()))
        })
    }

    /// The key of the list of the values between which the games of the player are divided; `None` for a player with
    /// one setting.
    pub fn several(&self) -> Option<&'static str> {
        self.varied().map(|(_, key, _)| key)
    }

    /// The player at each setting between which its games are divided; empty for a player with one setting. The seed of
    /// a game says at which setting it is played: the seeds of [`PlayerSpec::game_seeds`].
    pub fn settings(&self) -> Vec<PlayerSpec> {
        let Some((option, key, values)) = self.varied() else {
            return Vec::new();
        };
        let at = |value: &OptionValue| {
            let mut one = self.clone();
            for given in one.options.0.iter_mut().filter(|(given, _)| *given == key) {
                *given = (option.key, value.clone());
            }
            one
        };
        values.iter().map(at).collect()
    }

    /// A name for each of these settings, such as `depth 1`.
    pub fn setting_names(&self) -> Vec<String> {
        let Some((option, _, values)) = self.varied() else {
            return Vec::new();
        };
        let name = |value| format!("{} {value}", option.key);
        values.iter().map(name).collect()
    }

    /// The setting at which the game of a seed is played; 0 for a player with one setting.
    pub fn setting_of(&self, seed: u64) -> usize {
        match self.varied() {
            Some((_, _, values)) => random::setting_of(seed) % values.len(),
            None => 0,
        }
    }

    /// The player with the one setting at which it plays the game of a seed.
    pub fn at_setting_of(&self, seed: u64) -> PlayerSpec {
        let setting = self.settings().into_iter().nth(self.setting_of(seed));
        setting.unwrap_or_else(|| self.clone())
    }

    /// The seeds of `count` games of a stream, in order. Games at several settings take turns.
    pub fn game_seeds(&self, seed: u64, stream: Stream, first: u64, count: u64) -> Vec<u64> {
        let seeds = self.players().game_seeds(seed, stream, first, count);
        let Some((_, _, values)) = self.varied() else {
            return seeds;
        };
        let settings = (0..values.len()).cycle();
        let seeds = seeds.into_iter().zip(settings);
        seeds
            .map(|(seed, setting)| at_setting(seed, setting))
            .collect()
    }

    /// The same with this number of games at each setting. They are spread evenly, so that the first games have nearly
    /// the same shares as all of them.
    pub fn seeds_at(&self, seed: u64, stream: Stream, first: u64, games: &[u32]) -> Vec<u64> {
        let at = |(setting, &count): (usize, &u32)| {
            (0..count).map(move |game| {
                // The place in the middle of its part of the games, in comparable whole numbers.
                let place = (2 * u128::from(game) + 1, u128::from(count));
                (place, setting)
            })
        };
        let mut places: Vec<_> = games.iter().enumerate().flat_map(at).collect();
        places.sort_by(|((one, of), setting), ((other, of_other), another)| {
            (one * of_other)
                .cmp(&(other * of))
                .then(setting.cmp(another))
        });
        let all = places.len() as u64;
        let seeds = self.players().game_seeds(seed, stream, first, all);
        let seeds = seeds.into_iter().zip(places);
        seeds
            .map(|(seed, (_, setting))| at_setting(seed, setting))
            .collect()
    }

    /// True if the score of every game is the exact expected score ([`EXACT`]).
    pub fn has_exact_scores(&self) -> bool {
        self.entry.option(EXACT.key).is_some() && self.options.switch(&EXACT)
    }

    /// The same player with exact scores; `None` if it has none.
    pub fn with_exact_scores(&self) -> Option<PlayerSpec> {
        self.entry.option(EXACT.key)?;
        let mut player = self.clone();
        if !self.has_exact_scores() {
            player.options.0.push((EXACT.key, true.into()));
        }
        Some(player)
    }

    /// True if scores are any real numbers.
    pub fn has_real_scores(&self) -> bool {
        self.entry.game.has_real_scores || self.has_exact_scores()
    }

    fn in_match<'a>(&'a self, weights: &'a Weights) -> MatchPlayer<'a> {
        MatchPlayer {
            name: self.entry.name,
            options: &self.options,
            weights,
        }
    }

    /// Its tunable parameters: those of the heuristic or program from a file or, if there is none, the player's
    /// own.
    pub fn parameters(&self) -> Vec<Parameter> {
        match self.extension() {
            Some(extension) => extension.parameters().to_vec(),
            None => (self.entry.parameters)(),
        }
    }

    /// Checks weights with valid keys.
    ///
    /// # Errors
    /// If the player cannot use them. The message contains the reason.
    pub fn check(&self, weights: &Weights) -> Result<(), String> {
        self.build(weights).map(drop)
    }

    /// Checks weights with valid keys. After a failure, it searches among `keys` for the key that causes the
    /// error, with one more check for each key.
    ///
    /// # Errors
    /// If the player cannot use the weights. The path of the error is the first key without which they are
    /// valid, or empty if there is no such key.
    pub fn check_at_key<'a>(
        &self,
        weights: &Weights,
        keys: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), FieldError> {
        self.check(weights).map_err(|reason| {
            let mut keys = keys.into_iter();
            match keys.find(|key| self.check(&weights.without(key)).is_ok()) {
                Some(key) => FieldError::new([key], format!("weight `{key}`: {reason}")),
                None => FieldError::new::<&str>([], reason),
            }
        })
    }

    /// The heuristic or program from a file; `None` if none is given.
    pub fn extension(&self) -> Option<&Extension> {
        self.options.extension()
    }

    /// The weights that are lost to the resolution of the values of a heuristic from a file.
    pub fn lost_weights(&self, weights: &Weights) -> Vec<LostWeight> {
        match self.extension() {
            Some(Extension::Heuristic(heuristic)) => heuristic.lost_weights(&self.options, weights),
            Some(Extension::Program(_)) | None => Vec::new(),
        }
    }

    /// The external programs of its catalogue.
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// The external program that plays; `None` for other players.
    pub fn program(&self) -> Option<&Program> {
        self.options.program().map(|program| &**program)
    }

    /// The option for a heuristic from a file.
    ///
    /// # Errors
    /// If the player does not have this option. The path of the error is [`HEURISTIC`].
    pub fn takes_heuristic(&self) -> Result<&'static PlayerOption, FieldError> {
        let option = self.entry.extension_option();
        option.ok_or_else(|| no_such_option(self.entry, HEURISTIC))
    }

    /// The same player with a heuristic instead of its own terms. `table` is the content of the heuristic file.
    ///
    /// # Errors
    /// If the player cannot use a heuristic, or if the heuristic is not valid. The path of the error starts
    /// with [`HEURISTIC`].
    pub fn with_heuristic(&self, table: &toml::Table) -> Result<PlayerSpec, FieldError> {
        let option = self.takes_heuristic()?;
        let heuristic = option.checked(OptionValue::Table(table.clone()), &self.programs)?;
        let mut player = self.without_heuristic();
        if let OptionValue::Extension(extension) = &heuristic {
            extension.check(&player.options)?;
        }
        let place = |key: &str| self.entry.options.iter().position(|known| known.key == key);
        let given = &mut player.options.0;
        given.push((option.key, heuristic));
        given.sort_by_key(|(key, _)| place(key));
        Ok(player)
    }

    /// The same player with its own terms.
    pub fn without_heuristic(&self) -> PlayerSpec {
        let mut player = self.clone();
        let is_other =
            |(_, value): &(&str, OptionValue)| !matches!(value, OptionValue::Extension(_));
        player.options.0.retain(is_other);
        player
    }

    /// The number of players of its game.
    pub fn players(&self) -> Players {
        self.entry.game.players
    }

    /// Its configuration, including the name of the game.
    pub fn config(&self) -> PlayerConfig {
        let options = self.options.0.iter();
        PlayerConfig {
            name: self.entry.name.to_owned(),
            game: Some(self.entry.game.name.to_owned()),
            options: options
                .map(|(key, value)| ((*key).to_owned(), value.clone()))
                .collect(),
        }
    }

    /// Its configuration with the values of all options, so that it means the same player even if a default
    /// changes. Options that are not stored at their default are left out there. Options that are not allowed together with the others are left out. A heuristic from a file is
    /// left out too, because files store it in another place.
    pub fn full_config(&self) -> PlayerConfig {
        let mut full = self.without_heuristic();
        let varied = self.varied().map(|(option, ..)| option.key);
        // A default that depends on the depth is another one at each setting.
        let is_at_setting = |option: &PlayerOption| {
            varied.is_some() && (varied == Some(option.key) || option.default_at.is_some())
        };
        let is_stored = |option: &&PlayerOption| {
            option.is_stored_at_default && !option.kind.is_extension() && !is_at_setting(option)
        };
        for option in self.entry.options.iter().filter(is_stored) {
            if full.options.given(option).is_none() {
                let mut more = full.options.clone();
                let default = full.options.default_of(option, self.entry.options);
                more.0.push((option.key, default));
                if (self.entry.game.check)(&more).is_ok() {
                    full.options = more;
                }
            }
        }
        full.config()
    }

    /// The given options of the board in words, such as `rows 5, columns 6`; `None` if all have their defaults.
    pub fn board(&self) -> Option<String> {
        self.words_of_board(|_| true)
    }

    /// The same words for the options that few players need: `None` means that the game is the usual one.
    pub fn variation(&self) -> Option<String> {
        self.words_of_board(|option| !option.is_stored_at_default)
    }

    fn words_of_board(&self, is_named: impl Fn(&PlayerOption) -> bool) -> Option<String> {
        let options = self.entry.options.iter();
        let options = options.filter(|option| option.scope == OptionScope::Board);
        let options = options.filter(|option| is_named(option));
        let given = options.filter_map(|option| Some((option.key, self.options.given(option)?)));
        let words: Vec<String> = given.map(|(key, value)| format!("{key} {value}")).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// The player and its options in words, such as `expectimax, depth 1`. In a game for two players the
    /// opponents are included. A heuristic from a file is only called "own heuristic".
    pub fn describe(&self) -> String {
        match self.rival.as_deref() {
            Some((rival, _)) => {
                format!(
                    "{} against {}",
                    self.describe_alone(),
                    rival.describe_alone()
                )
            }
            None => self.words(|_| true),
        }
    }

    /// The same words without the opponents.
    pub fn describe_alone(&self) -> String {
        self.words(|option| option.scope != OptionScope::Opponents)
    }

    fn words(&self, is_shown: impl Fn(&PlayerOption) -> bool) -> String {
        let mut text = self.entry.name.to_owned();
        for (option, key, value) in self.shown().filter(|(option, ..)| is_shown(option)) {
            text += &match option.kind {
                OptionKind::Names { .. } => format!(", against {value}"),
                kind if kind.is_extension() => match self.extension() {
                    Some(extension) => format!(", {}", extension.describe()),
                    None => String::new(),
                },
                _ => format!(", {key} {value}"),
            };
        }
        text
    }

    /// The flags of this player on the command line, such as `--player expectimax --depth 1`. In a game for two
    /// players the opponents are included. A heuristic is not included, because weights files contain it.
    pub fn flags(&self) -> String {
        let mut flags = format!("--player {}", self.entry.name);
        if !self.is_of_default_game {
            flags += &format!(" --game {}", self.entry.game.name);
        }
        let is_flag = |option: &PlayerOption| !option.kind.is_extension();
        for (option, _, value) in self.shown().filter(|(option, ..)| is_flag(option)) {
            flags += &format!(" --{} {value}", option.flag());
        }
        flags
    }

    /// The given options, and the options that descriptions always contain.
    fn shown(&self) -> impl Iterator<Item = (&'static PlayerOption, &'static str, OptionValue)> {
        let varied = self.varied();
        self.entry.options.iter().filter_map(move |option| {
            if let Some((_, key, values)) = varied.filter(|(of, ..)| of.key == option.key) {
                return Some((option, key, OptionValue::Several(values.to_vec())));
            }
            let is_shown = option.is_always_given || self.options.given(option).is_some();
            is_shown.then(|| (option, option.key, self.options.value(option)))
        })
    }

    /// The given options that are not at their default, and the depth. Of several settings it is the first one.
    pub fn chosen(&self) -> impl Iterator<Item = (&'static PlayerOption, OptionValue)> {
        let depth = self.entry.depth_option().map(|option| option.key);
        self.entry.options.iter().filter_map(move |option| {
            let varied = self.varied().filter(|(of, ..)| of.key == option.key);
            let value = match varied {
                Some((_, _, values)) => values.first()?,
                None => self.options.given(option)?,
            };
            let default = self.options.default_of(option, self.entry.options);
            let is_chosen = varied.is_some() || Some(option.key) == depth || *value != default;
            is_chosen.then(|| (option, value.clone()))
        })
    }

    /// Its search depth; `None` for a player without one, or with several.
    pub fn depth(&self) -> Option<Depth> {
        let option = self.entry.depth_option()?;
        if self.varied().is_some_and(|(of, ..)| of.key == option.key) {
            return None;
        }
        Some(self.options.depth(option))
    }

    /// The same player with another search depth; `None` if the depth is not allowed.
    pub fn with_depth(&self, depth: Depth) -> Option<PlayerSpec> {
        let option = self.entry.depth_option()?;
        self.entry.depths().filter(|depths| depths.allows(depth))?;
        let mut player = self.clone();
        if let Some(several) = option.several {
            player.options.0.retain(|(key, _)| *key != several);
        }
        let mut options = player.options.0.iter_mut();
        match options.find(|(key, _)| *key == option.key) {
            Some((_, value)) => *value = depth.into(),
            None => player.options.0.push((option.key, depth.into())),
        }
        Some(player)
    }

    /// The names of its opponents in a game for two players; `None` in a game for one player.
    pub fn opponents(&self) -> Option<OptionValue> {
        if let Some((rival, _)) = self.rival.as_deref() {
            return Some(OptionValue::Text(rival.entry.name.to_owned()));
        }
        let is_of_opponents =
            |option: &&PlayerOption| matches!(option.kind, OptionKind::Names { .. });
        let option = self.entry.options.iter().find(is_of_opponents)?;
        Some(self.options.value(option))
    }

    /// True if both players play the same game on the same board.
    pub fn shares_board_with(&self, other: &PlayerSpec) -> bool {
        self.agrees_with(other, &[OptionScope::Board])
    }

    /// True if both players play the same games: on the same board and against the same opponents.
    pub fn shares_games_with(&self, other: &PlayerSpec) -> bool {
        self.agrees_with(other, &[OptionScope::Board, OptionScope::Opponents])
    }

    /// True if the game is equal, and all options that affect one of these scopes.
    fn agrees_with(&self, other: &PlayerSpec, scopes: &[OptionScope]) -> bool {
        // A player without one of these options plays with its default.
        let options = self.entry.options.iter().chain(other.entry.options);
        let mut options = options.filter(|option| scopes.contains(&option.scope));
        self.entry.game.name == other.entry.game.name
            && options.all(|option| self.options.value(option) == other.options.value(option))
    }

    /// The configuration of another player of the same game, on the same board. Its opponent has the same name
    /// as the player.
    pub fn on_same_board(&self, name: &str) -> PlayerConfig {
        let mut config = PlayerConfig::new(name, Some(self.entry.game.name));
        for option in self.entry.options {
            match (option.scope, option.kind, self.options.given(option)) {
                (OptionScope::Opponents, OptionKind::Names { .. }, _) => {
                    config = config.with(option.key, OptionValue::Text(name.to_owned()));
                }
                (OptionScope::Board, _, Some(value)) => {
                    config = config.with(option.key, value.clone());
                }
                _ => {}
            }
        }
        config
    }
}

/// The error for an option that the player does not have.
pub(super) fn no_such_option(entry: &PlayerEntry, key: &str) -> FieldError {
    let keys: Vec<&str> = entry.options.iter().map(|option| option.key).collect();
    let near = did_you_mean(key, keys.iter().copied());
    let takes = if keys.is_empty() {
        "it takes no options".to_owned()
    } else {
        format!("it takes: {}", keys.join(", "))
    };
    let message = format!("player `{}` takes no {key}{near} ({takes})", entry.name);
    FieldError::new([key], message)
}
