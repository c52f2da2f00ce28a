//! The players of gravity four in a row that are not a published program. What plays one side is an
//! agent; a player of the catalogue is a match of one agent against others.

mod agent;
mod pairing;
mod session;

use agent::Agent;
use pairing::Match;

use crate::field_error::FieldError;
use crate::games::connect_four::NAME;
use crate::games::connect_four::heuristic::{StringWeights, parameters};
use crate::games::connect_four::rules::{Rules, RulesError};
use crate::heuristic::weights::Weights;
use crate::player::config::Opponents;
use crate::player::depth::{Depth, Depths};
use crate::player::{Config, Entry, Player};

const DEPTHS: Depths = Depths {
    unit: "stones looked ahead",
    min: 1,
    adaptive: false,
    default: Depth::Fixed(2),
};

const OPTIONS: &[&str] = &["opponent", "opponent_depth", "rows", "columns", "connect"];

/// What the entries without weights have in common.
pub(in crate::games::connect_four) const WITHOUT_WEIGHTS: Entry = Entry {
    name: "",
    game: NAME,
    about: "",
    depths: None,
    options: OPTIONS,
    parameters: Vec::new,
    published: None,
    check: |_| Ok(()),
    sample: &[(None, 100)],
    build,
};

/// The player.
pub const STRINGS: Entry = Entry {
    name: "strings",
    about: "alpha-beta over the values of strings, for which a win ends the game (after \
            xmxoxo/connect4)",
    depths: Some(DEPTHS),
    parameters,
    published: Some(include_str!("../../../../configs/weights/strings.toml")),
    check: StringWeights::check,
    sample: &[(Some(1), 50), (Some(2), 50), (Some(5), 4)],
    ..WITHOUT_WEIGHTS
};

/// The player.
pub const PERFECT: Entry = Entry {
    name: "perfect",
    about: "solves the game to its end: never gives up a win or a draw; with fewer than twelve \
            stones on 7x6 or 6x7 that can take seconds to minutes a move",
    sample: &[(None, 1)],
    ..WITHOUT_WEIGHTS
};

/// The player.
pub const RANDOM: Entry = Entry {
    name: "random",
    about: "a uniformly chosen column that is not full",
    ..WITHOUT_WEIGHTS
};

/// The rules that a configuration asks for.
///
/// # Errors
/// If there is no such game.
pub(in crate::games::connect_four) fn rules(config: &Config) -> Result<Rules, FieldError> {
    let usual = Rules::default();
    let rules = Rules::new(
        config.rows.unwrap_or(usual.rows()),
        config.columns.unwrap_or(usual.columns()),
        config.connect.unwrap_or(usual.connect()),
    );
    rules.map_err(|error| {
        let key = match error {
            RulesError::Connect { .. } => "connect",
            _ => "rows",
        };
        FieldError::new([key], error.to_string())
    })
}

fn build(config: &Config, weights: &Weights) -> Box<dyn Player> {
    let rules = rules(config).unwrap_or_else(|error| unreachable!("checked before: {error}"));
    let opponents = config.opponents(&WITHOUT_WEIGHTS);
    let opponents = opponents.iter().flat_map(Opponents::names);
    Box::new(Match {
        player: Agent::new(rules, &config.name, config.depth, weights),
        opponents: opponents
            .map(|name| Agent::new(rules, name, config.opponent_depth, &Weights::default()))
            .collect(),
    })
}

#[cfg(test)]
mod tests;
