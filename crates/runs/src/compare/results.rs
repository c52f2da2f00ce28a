//! The results of a comparison, from its games or from its files.

use serde_json::Value;

use super::games::PairedGames;
use crate::config::compare::Comparison;
use crate::run::{Findings, RunDirectory, StoreError, tables};
use tiletune_report::number;
use tiletune_tuning::results::compare::{
    Challenge, ComparedPlayer, ComparisonResults, Look, Measure,
};
use tiletune_tuning::stats::games::summarize as summarize_games;

/// The file of the results.
pub(super) const RESULTS: &str = "results.json";

/// The results so far.
pub(super) fn summarize(comparison: &Comparison, played: &PairedGames) -> ComparisonResults {
    let config = &comparison.config;
    let players = comparison.players.iter().enumerate();
    let players = players.map(|(index, one)| {
        let games = played.counted(index);
        ComparedPlayer {
            name: one.name.clone(),
            player: one.player.describe_alone(),
            weights: one.weights.to_map(),
            seeds: one.seeds,
            games: games.map(|games| summarize_games("", games)),
        }
    });
    let players: Vec<ComparedPlayer> = players.collect();
    let (_, others) = comparison.sides();
    let challengers = others.iter().zip(&played.tests);
    let challengers = challengers.map(|(one, test)| Challenge {
        player: one.name.clone(),
        verdict: test.verdict(),
        interest: test.interest(),
        fixed_sample: test.fixed_sample(),
        path: test.path().to_vec(),
    });
    ComparisonResults {
        name: config.name.clone(),
        game: comparison.players[0].player.entry.game.name.to_owned(),
        opponents: opponents(comparison),
        seed: config.seed,
        measure: comparison.measure,
        loss: minimised(comparison, &players),
        margin: config.margin,
        error: config.error,
        max_pairs: config.max_pairs,
        players,
        challengers: challengers.collect(),
    }
}

/// The number that all players minimise, if they do: the declared one, else the first one of the program.
fn minimised(comparison: &Comparison, players: &[ComparedPlayer]) -> Option<String> {
    let mut names = comparison.players.iter().zip(players).map(|(one, played)| {
        let declaration = one.player.program()?.declaration();
        let first = || {
            let numbers = played.games.as_ref()?.numbers()?;
            numbers.keys().next().cloned()
        };
        let name = declaration.score.clone().or_else(first);
        name.filter(|_| declaration.minimise)
    });
    let name = names.next()??;
    names
        .all(|other| other.as_ref() == Some(&name))
        .then_some(name)
}

/// The common opponents of the players.
fn opponents(comparison: &Comparison) -> Option<String> {
    let is_common = comparison.measure == Measure::Points;
    let opponents = comparison.players[0].player.opponents();
    opponents
        .filter(|_| is_common)
        .map(|names| names.to_string())
}

/// Whether pairs are recorded.
pub(super) fn progress(directory: &RunDirectory, _: &toml::Table) -> Result<String, StoreError> {
    Ok(match directory.number_of_parts(&tables::PAIR_GAMES) {
        0 => "no pairs yet".to_owned(),
        _ => "not decided yet".to_owned(),
    })
}

pub(super) fn findings(directory: &RunDirectory) -> Result<Findings, StoreError> {
    let results: Option<Value> = directory.read_json(RESULTS)?;
    Ok(results.map_or_else(Findings::default, |results| compared(&results)))
}

/// The verdicts of a comparison.
fn compared(results: &Value) -> Findings {
    let challengers = results["challengers"].as_array().map(Vec::as_slice);
    let all = challengers.unwrap_or_default().iter().map(|one| {
        let verdict = one["verdict"].as_str().unwrap_or("not decided yet");
        let last = one["path"].as_array().and_then(|path| path.last());
        let difference = last.and_then(|last| {
            let difference = last["difference"].as_f64()?;
            let base = Look::base_of(last["first"].as_f64()?, last["reference"].as_f64());
            // Of a number that is minimised its own sign.
            let difference = if results["loss"].is_string() {
                0.0 - difference
            } else {
                difference
            };
            let difference = number::difference(difference, base);
            Some(match results["loss"].as_str() {
                Some(loss) => format!(", {} {loss}", difference.trim_end_matches(" points")),
                None => format!(", {difference}"),
            })
        });
        let words = format!(
            "{}{}",
            verdict.replace('-', " "),
            difference.unwrap_or_default()
        );
        (one["player"].as_str().unwrap_or_default().to_owned(), words)
    });
    let all: Vec<(String, String)> = all.collect();
    let words = all
        .iter()
        .map(|(player, words)| format!("{player} {words}"));
    let words: Vec<String> = words.collect();
    Findings {
        headline: (!words.is_empty()).then(|| words.join("; ")),
        all,
    }
}
