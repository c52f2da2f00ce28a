//! Comparisons: players with fixed weights. Each is compared with the first one.
//!
//! The command line and library users create a [`ComparisonConfig`]. The file `resolved.toml` of a run is the same
//! configuration as TOML. It contains the weights of every player, so that a run directory needs no other file.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::document::{Document, Unresolved};
use super::{ConfigError, Source, check_name, check_name_and_seed, check_range, weights_file};
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{self, OptionScope, PlayerSpec, Players};
use tiletune_tuning::Catalogue;
use tiletune_tuning::results::Margin;
use tiletune_tuning::results::compare::Measure;

/// Largest number of pairs of a comparison. All games are held in memory.
pub const MOST_PAIRS: u64 = 1_000_000;

/// The smallest and the largest [`ComparisonConfig::error`].
pub const ERROR: RangeInclusive<f64> = 1e-4..=0.5;

/// A comparison. `None` fields are left out of TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparisonConfig {
    /// Name; part of the default name of the run directory.
    #[serde(default = "default_name")]
    pub name: String,
    /// The seed that determines the seeds of all games: 0 to 2^63 - 1.
    pub seed: u64,
    /// The difference of interest: `2%` of the mean of the absolute mean results of both players (in direct
    /// matches of the points of an even match, so that it is a share of 51 % of the points), `50` points or
    /// `0.1sd`, standard deviations of a player's results. Default: 2 %, or 0.1 standard deviations if a
    /// player's mean is less than 0.2 of them away from 0.
    pub margin: Option<Margin>,
    /// Probability of calling equal players different, over all comparisons together.
    #[serde(default = "default_error")]
    pub error: f64,
    /// Largest number of pairs: 100 to 1,000,000.
    #[serde(default = "default_max_pairs")]
    pub max_pairs: u64,
    /// Whether the players of a game for two play against each other. By default they do, unless the opponents of the
    /// first player are given.
    pub direct: Option<bool>,
    /// The players. Each is compared with the first.
    #[serde(default)]
    pub compared: Vec<ComparedConfig>,
}

/// A player of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedConfig {
    /// Name in tables and charts.
    pub name: String,
    /// Number of its sequence of seeds. Players with equal numbers play on common seeds. Default: 0. A player with the
    /// same options and weights as the first gets a separate sequence, because its games would otherwise be equal.
    pub seeds: Option<u64>,
    /// Player and options. They include its heuristic if it is not the player's own.
    pub player: player::PlayerConfig,
    /// Its weights (default: the published ones).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f64>,
}

fn default_name() -> String {
    "compare".into()
}

fn default_error() -> f64 {
    0.05
}

fn default_max_pairs() -> u64 {
    50_000
}

impl ComparisonConfig {
    /// A comparison of these players with the default settings.
    pub fn new(seed: u64, compared: Vec<ComparedConfig>) -> Self {
        ComparisonConfig {
            name: default_name(),
            seed,
            margin: None,
            error: default_error(),
            max_pairs: default_max_pairs(),
            direct: None,
            compared,
        }
    }

    /// The comparison as the text of a file.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self);
        text.unwrap_or_else(|error| unreachable!("every comparison has a text: {error}"))
    }
}

/// A resolved comparison.
pub struct Comparison {
    /// The configuration with every default filled in.
    pub config: ComparisonConfig,
    /// The players. There are at least two, of one game.
    pub players: Vec<Compared>,
    /// How a pair is played and compared.
    pub measure: Measure,
}

/// A player of a resolved comparison.
#[derive(Clone)]
pub struct Compared {
    pub name: String,
    /// Number of its sequence of seeds.
    pub seeds: u64,
    pub player: PlayerSpec,
    pub weights: Weights,
}

impl Comparison {
    /// Resolves a comparison of built-in players.
    ///
    /// # Errors
    /// If a value is out of range, there are fewer than two players, or they do not play the same game.
    pub fn new(config: ComparisonConfig) -> Result<Self, FieldError> {
        Self::with(&Catalogue::builtin(), config)
    }

    /// The same for the players of any catalogue.
    ///
    /// # Errors
    /// As [`Comparison::new`].
    pub fn with(catalogue: &Catalogue, mut config: ComparisonConfig) -> Result<Self, FieldError> {
        check(&config)?;
        let mut players = Vec::with_capacity(config.compared.len());
        for (index, compared) in config.compared.iter_mut().enumerate() {
            let index = index.to_string();
            let resolved = resolve(catalogue, compared);
            players.push(resolved.within(["compared", index.as_str()])?);
        }
        check_game(&players)?;
        let direct = is_direct(config.direct, &players)?;
        config.direct = Some(direct);
        for index in 0..players.len() {
            let would_be_equal =
                index > 0 && !direct && is_same_player(&players[0], &players[index]);
            let default = if would_be_equal { index as u64 } else { 0 };
            players[index].seeds = *config.compared[index].seeds.get_or_insert(default);
        }
        check_games(&players, direct)?;
        let measure = match (players[0].player.players(), direct) {
            (Players::One, _) => Measure::Score,
            (Players::Two, false) => Measure::Points,
            (Players::Two, true) => Measure::Match,
        };
        Ok(Comparison {
            config,
            players,
            measure,
        })
    }

    /// Parses and resolves a comparison from TOML.
    ///
    /// # Errors
    /// With the place of the first error.
    pub fn resolve_with(catalogue: &Catalogue, source: &Source) -> Result<Self, ConfigError> {
        let document = Document::parse(source)?;
        let resolved = Comparison::with(catalogue, document.read()?);
        resolved.map_err(|error| document.place(Unresolved::Field(error)))
    }

    /// The first player, and the players that are compared with it.
    pub fn sides(&self) -> (&Compared, &[Compared]) {
        (&self.players[0], &self.players[1..])
    }
}

fn check(config: &ComparisonConfig) -> Result<(), FieldError> {
    check_name_and_seed(&config.name, config.seed)?;
    check_range("error", config.error, ERROR)?;
    check_range("max_pairs", config.max_pairs, 100..=MOST_PAIRS)?;
    if config.compared.len() < 2 {
        let message = "at least two players are needed for a comparison";
        return Err(FieldError::new(["compared"], message));
    }
    Ok(())
}

fn resolve(catalogue: &Catalogue, compared: &mut ComparedConfig) -> Result<Compared, FieldError> {
    check_name("name", &compared.name)?;
    let seeds = compared.seeds.unwrap_or_default();
    check_range("seeds", seeds, 0..=u64::from(u32::MAX))?;
    let player = catalogue.player(&compared.player).within(["player"])?;
    compared.player = player.config();
    let weights = if compared.weights.is_empty() {
        weights_file::published(&player)
    } else {
        let pairs = compared.weights.clone();
        Weights::new(pairs, &player.parameters()).within(["weights"])?
    };
    player
        .check_at_key(&weights, weights.keys())
        .within(["weights"])?;
    compared.weights = weights.to_map();
    Ok(Compared {
        name: compared.name.clone(),
        seeds,
        player,
        weights,
    })
}

fn is_same_player(one: &Compared, other: &Compared) -> bool {
    one.player == other.player && one.weights == other.weights
}

/// An error at a player of the comparison.
fn wrong(index: usize, message: String) -> FieldError {
    FieldError::new(["compared", index.to_string().as_str()], message)
}

/// Checks that all players play the same game on the same board.
fn check_game(players: &[Compared]) -> Result<(), FieldError> {
    let first = &players[0];
    for (index, other) in players.iter().enumerate() {
        let games = [first, other].map(|one| one.player.entry.game.name);
        if games[0] != games[1] {
            let message = format!(
                "`{}` plays {}, but `{}` plays {}: only players of one game can be compared",
                first.name, games[0], other.name, games[1]
            );
            return Err(wrong(index, message));
        }
        if !first.player.shares_board_with(&other.player) {
            let board = |player: &PlayerSpec| {
                let board = player.board();
                board.unwrap_or_else(|| "the usual one".to_owned())
            };
            let message = format!(
                "`{}` and `{}` play on different boards: {} and {}",
                first.name,
                other.name,
                board(&first.player),
                board(&other.player)
            );
            return Err(wrong(index, message));
        }
    }
    Ok(())
}

/// Whether the players play against each other.
fn is_direct(asked: Option<bool>, players: &[Compared]) -> Result<bool, FieldError> {
    let first = &players[0].player;
    let options = first.entry.options.iter();
    let mut of_opponents = options.filter(|option| option.scope == OptionScope::Opponents);
    let has_opponents = of_opponents.any(|option| first.options.given(option).is_some());
    let can = first.entry.game.direct_match.is_some();
    match asked {
        Some(true) if !can => {
            let message = format!("{} has no direct matches", first.entry.game.name);
            Err(FieldError::new(["direct"], message))
        }
        asked => Ok(asked.unwrap_or(can && !has_opponents)),
    }
}

/// Checks that opponents are common, and that games can differ.
fn check_games(players: &[Compared], direct: bool) -> Result<(), FieldError> {
    let first = &players[0];
    for (index, other) in players.iter().enumerate().skip(1) {
        if direct {
            continue;
        }
        let names = format!("`{}` and `{}`", first.name, other.name);
        if !first.player.shares_games_with(&other.player) {
            return Err(wrong(index, format!("{names} have different opponents")));
        }
        if is_same_player(first, other) && first.seeds == other.seeds {
            let message = format!(
                "{names} are the same player with the same weights, and their games would be equal: \
                 set other `seeds` for one of them"
            );
            return Err(wrong(index, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(name: &str, player: player::PlayerConfig) -> ComparedConfig {
        ComparedConfig {
            name: name.into(),
            seeds: None,
            player,
            weights: BTreeMap::new(),
        }
    }

    fn greedy() -> ComparedConfig {
        compared("greedy", player::PlayerConfig::new("greedy", None))
    }

    fn strings(name: &str) -> ComparedConfig {
        let player = player::PlayerConfig::new(name, Some("connect-four"));
        compared(name, player)
    }

    fn message(config: ComparisonConfig) -> String {
        let error = Comparison::new(config).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_resolved_configuration_is_complete_and_resolves_to_itself() {
        let tuned = ComparedConfig {
            weights: [("empty".to_owned(), 1.0 / 3.0)].into(),
            ..compared("tuned", player::PlayerConfig::new("expectimax", None))
        };
        let published = compared("published", player::PlayerConfig::new("expectimax", None));
        let config = ComparisonConfig {
            margin: Some("0.1sd".parse().unwrap()),
            ..ComparisonConfig::new(7, vec![published, tuned])
        };
        let comparison = Comparison::new(config).unwrap();
        assert_eq!(comparison.measure, Measure::Score);
        let source = Source::new("resolved.toml", comparison.config.to_toml());
        let again = Comparison::resolve_with(&Catalogue::builtin(), &source).unwrap();
        assert_eq!(again.config, comparison.config);
        let weights = &again.players[0].weights;
        assert_eq!(*weights, weights_file::published(&again.players[0].player));
        assert_eq!(again.players[1].weights.get("empty"), Some(1.0 / 3.0));
    }

    #[test]
    fn players_for_two_meet_each_other_unless_opponents_are_given() {
        let measure = |first: ComparedConfig, second: ComparedConfig| {
            Comparison::new(ComparisonConfig::new(1, vec![first, second])).map(|one| one.measure)
        };
        let both = || (strings("strings"), strings("random"));
        let (one, other) = both();
        assert_eq!(measure(one, other).unwrap(), Measure::Match);
        let against = |mut one: ComparedConfig| {
            one.player = one.player.with("opponent", "strings-article");
            one
        };
        let (one, other) = both();
        assert_eq!(
            measure(against(one), against(other)).unwrap(),
            Measure::Points
        );
        let (one, other) = both();
        let error = measure(against(one), other).unwrap_err().to_string();
        assert!(error.contains("different opponents"), "{error}");
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let different = message(ComparisonConfig::new(1, vec![greedy(), strings("strings")]));
        assert!(different.contains("plays 2048, but `strings` plays connect-four"));
        assert!(message(ComparisonConfig::new(1, vec![greedy()])).contains("at least two"));
        let twice = Comparison::new(ComparisonConfig::new(1, vec![greedy(), greedy()])).unwrap();
        assert_eq!((twice.players[0].seeds, twice.players[1].seeds), (0, 1));
        let paired = ComparedConfig {
            seeds: Some(0),
            ..greedy()
        };
        assert!(message(ComparisonConfig::new(1, vec![greedy(), paired])).contains("same player"));
        let config = ComparisonConfig {
            error: 0.9,
            ..ComparisonConfig::new(1, vec![greedy(), greedy()])
        };
        assert!(message(config).contains("error 0.9 is out of range"));
        let text = ComparisonConfig::new(1, vec![greedy(), greedy()]).to_toml();
        let text = format!("margin = \"200%\"\n{text}");
        let source = Source::new("resolved.toml", text);
        let error = Comparison::resolve_with(&Catalogue::builtin(), &source)
            .err()
            .unwrap();
        assert!(error.to_string().contains("0.01% to 100%"), "{error}");
    }
}
