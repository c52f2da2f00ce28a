//! The catalogue entries of all players of gravity four in a row. An agent plays one side. A player of the
//! catalogue is a match of one agent against its opponents.

mod agent;
mod pairing;
mod session;

use agent::Agent;
use pairing::AgentPlayer;

use crate::field_error::FieldError;
use crate::games::connect_four::GAME;
use crate::games::connect_four::heuristic::{StringWeights, parameters};
use crate::games::connect_four::rules::{Rules, RulesError};
use crate::heuristic::weights::Weights;
use crate::player::{
    BuildPlayer, Depth, Depths, MatchPlayer, OptionKind, OptionScope, Options, Player, PlayerEntry,
    PlayerOption, Sample,
};

/// Search depths of the player `strings`.
const DEPTHS: Depths = Depths {
    unit: "stones",
    min: 1,
    adaptive: false,
    default: Depth::Fixed(2),
};

const DEPTH: PlayerOption = PlayerOption::depth(DEPTHS);

const OPPONENT: PlayerOption = PlayerOption {
    key: "opponent",
    about: "Opponents, one or several; each opening is played against one of them",
    kind: OptionKind::Names {
        default: "strings-repository",
        known: &agent::NAMES,
    },
    default_at: None,
    scope: OptionScope::Opponents,
    is_always_given: true,
    is_stored_at_default: true,
    several: None,
};

const OPPONENT_DEPTH: PlayerOption = PlayerOption {
    key: "opponent_depth",
    about: "Look-ahead of opponents that take a depth",
    kind: OptionKind::Depth(DEPTHS),
    default_at: None,
    scope: OptionScope::Opponents,
    is_always_given: false,
    is_stored_at_default: true,
    several: None,
};

const ROWS: PlayerOption = of_board("rows", "Rows of the board", Rules::USUAL_ROWS);

const COLUMNS: PlayerOption = of_board("columns", "Columns of the board", Rules::USUAL_COLUMNS);

const CONNECT: PlayerOption = of_board("connect", "Stones in line that win", Rules::USUAL_CONNECT);

const fn of_board(key: &'static str, about: &'static str, default: u32) -> PlayerOption {
    PlayerOption {
        scope: OptionScope::Board,
        ..PlayerOption::new(
            key,
            about,
            OptionKind::Whole {
                default,
                most: u32::MAX,
            },
        )
    }
}

/// The catalogue entry of a player without weights.
pub(in crate::games::connect_four) const fn without_weights(
    name: &'static str,
    about: &'static str,
    build: BuildPlayer,
) -> PlayerEntry {
    PlayerEntry {
        options: &[OPPONENT, OPPONENT_DEPTH, ROWS, COLUMNS, CONNECT],
        sample: const { &[Sample::new("rows = 7\ncolumns = 6", 100)] },
        ..PlayerEntry::without_weights(name, &GAME, about, build)
    }
}

/// The catalogue entry of `strings-repository`.
pub const STRINGS_REPOSITORY: PlayerEntry = without_weights(
    "strings-repository",
    "the program of xmxoxo/connect4 unchanged: string evaluation, two stones ahead; a win does not \
     end the search",
    |options, _| match_without_weights("strings-repository", options),
);

/// The catalogue entry of `strings-article`.
pub const STRINGS_ARTICLE: PlayerEntry = without_weights(
    "strings-article",
    "the first program of xmxoxo/connect4 unchanged: one stone ahead, with two wrong signs",
    |options, _| match_without_weights("strings-article", options),
);

/// The catalogue entry of `strings`.
pub const STRINGS: PlayerEntry = PlayerEntry {
    options: &[DEPTH, OPPONENT, OPPONENT_DEPTH, ROWS, COLUMNS, CONNECT],
    parameters,
    published: Some(include_str!("../../../../data/weights/strings.toml")),
    sample: &[
        Sample::new("rows = 7\ncolumns = 6\ndepth = 1", 50),
        Sample::new("rows = 7\ncolumns = 6\ndepth = 2", 50),
        Sample::new("rows = 7\ncolumns = 6\ndepth = 5", 4),
    ],
    ..without_weights(
        "strings",
        "alpha-beta over the string evaluation; a win ends the game (after xmxoxo/connect4)",
        |options, weights| {
            StringWeights::check(weights)?;
            match_of("strings", options.fixed_depth(&DEPTH), options, weights)
        },
    )
};

/// The catalogue entry of `perfect`.
pub const PERFECT: PlayerEntry = PlayerEntry {
    sample: &[Sample::new("rows = 7\ncolumns = 6", 1)],
    ..without_weights(
        "perfect",
        "solves positions exactly and never gives up a win or a draw; with fewer than twelve stones on \
         7x6 or 6x7 a move can take seconds to minutes",
        |options, _| match_without_weights("perfect", options),
    )
};

/// The catalogue entry of `random`.
pub const RANDOM: PlayerEntry = without_weights(
    "random",
    "a uniformly chosen column that is not full",
    |options, _| match_without_weights("random", options),
);

/// Checks the size of the board. Checks also that at least one opponent uses `opponent_depth`, if it is given.
///
/// # Errors
/// If a check fails. The error names the option.
pub(in crate::games::connect_four) fn check(options: &Options) -> Result<(), FieldError> {
    rules(options)?;
    let opponents = options.names(&OPPONENT);
    let takes_depth = |name: &String| *name == STRINGS.name;
    if options.given(&OPPONENT_DEPTH).is_some() && !opponents.iter().any(takes_depth) {
        let message = "no opponent takes a depth";
        return Err(FieldError::new([OPPONENT_DEPTH.key], message));
    }
    Ok(())
}

/// The rules that the options describe.
///
/// # Errors
/// If the board size or the length of a winning line is not allowed.
pub(in crate::games::connect_four) fn rules(options: &Options) -> Result<Rules, FieldError> {
    let rules = Rules::new(
        options.whole(&ROWS),
        options.whole(&COLUMNS),
        options.whole(&CONNECT),
    );
    rules.map_err(|error| {
        let option = match error {
            RulesError::Connect { .. } => &CONNECT,
            _ => &ROWS,
        };
        FieldError::new([option.key], error.to_string())
    })
}

/// A match of a player without weights and depth against its opponents.
pub(in crate::games::connect_four) fn match_without_weights(
    name: &str,
    options: &Options,
) -> Result<Box<dyn Player>, String> {
    match_of(name, 0, options, &Weights::default())
}

fn match_of(
    name: &str,
    depth: u8,
    options: &Options,
    weights: &Weights,
) -> Result<Box<dyn Player>, String> {
    let rules = rules(options).map_err(|error| error.message)?;
    let opponent_depth = options.fixed_depth(&OPPONENT_DEPTH);
    let opponents = options.names(&OPPONENT);
    let opponent = |name: &String| Agent::new(rules, name, opponent_depth, &Weights::default());
    Ok(Box::new(AgentPlayer {
        player: Agent::new(rules, name, depth, weights),
        opponents: opponents.iter().map(opponent).collect(),
    }))
}

/// A match of the first player against the second, on the board of the first.
///
/// # Errors
/// If the weights of one of them are not valid.
pub(in crate::games::connect_four) fn direct_match(
    players: [MatchPlayer; 2],
) -> Result<Box<dyn Player>, String> {
    let rules = rules(players[0].options).map_err(|error| error.message)?;
    for player in &players {
        StringWeights::check(player.weights)?;
    }
    let [player, opponent] = players.map(|player| {
        let depth = player.options.fixed_depth(&DEPTH);
        Agent::new(rules, player.name, depth, player.weights)
    });
    Ok(Box::new(AgentPlayer {
        player,
        opponents: vec![opponent],
    }))
}

#[cfg(test)]
mod tests;
