//! The results of a comparison from its games.

use super::games::Played;
use crate::config::compare::Comparison;
use tiletune_tuning::results::compare::{Challenge, ComparedPlayer, ComparisonResults, Measure};
use tiletune_tuning::stats::games::summarize as summarize_games;

/// The results so far.
pub(super) fn summarize(comparison: &Comparison, played: &Played) -> ComparisonResults {
    let config = &comparison.config;
    let players = comparison.players.iter().enumerate();
    let players = players.map(|(index, one)| {
        let games = played.place(index).map(|place| &played.games[place]);
        ComparedPlayer {
            name: one.name.clone(),
            player: one.player.describe_alone(),
            weights: one.weights.to_map(),
            seeds: one.seeds,
            games: games.map(|games| summarize_games("", games)),
        }
    });
    let (_, others) = comparison.sides();
    let challengers = others.iter().zip(&played.tests);
    let challengers = challengers.map(|(one, test)| Challenge {
        player: one.name.clone(),
        verdict: test.verdict(),
        fixed_sample: test.fixed_sample(),
        path: test.path().to_vec(),
    });
    ComparisonResults {
        name: config.name.clone(),
        game: comparison.players[0].player.entry.game.name.to_owned(),
        opponents: opponents(comparison),
        seed: config.seed,
        measure: comparison.measure,
        margin: config.margin,
        error: config.error,
        max_pairs: config.max_pairs,
        players: players.collect(),
        challengers: challengers.collect(),
    }
}

/// The common opponents of the players.
fn opponents(comparison: &Comparison) -> Option<String> {
    let is_common = comparison.measure == Measure::Points;
    let opponents = comparison.players[0].player.opponents();
    opponents
        .filter(|_| is_common)
        .map(|names| names.to_string())
}
