//! `tiletune fingerprint`: a hash over seeded games of every player.

use schemars::JsonSchema;
use serde::Serialize;

use super::interrupt::end_on_interrupt;
use super::{Context, Failure};
use crate::Catalogue;
use crate::config::weights_file;
use crate::player::{PlayerEntry, PlayerSpec, Sample};
use crate::random::{Stream, fold};
use crate::record::GameRecord;
use crate::stop::Stop;

/// What `tiletune fingerprint` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct Fingerprint<'a> {
    /// The hash over seeded games of every player.
    fingerprint: &'a str,
}

pub(super) fn run(context: Context) -> Result<(), Failure> {
    end_on_interrupt()?;
    let hash = games_hash(context.catalogue);
    context.print(
        || Fingerprint { fingerprint: &hash },
        || format!("Games: {hash}"),
    )
}

/// The hash over seeded games of every player.
pub(super) fn games_hash(catalogue: &Catalogue) -> String {
    let mut hash = 0;
    for entry in catalogue.players() {
        for sample in entry.sample {
            let games = play(catalogue, entry, sample);
            hash = games.iter().fold(hash, fold_game);
        }
    }
    format!("{hash:016x}")
}

fn play(catalogue: &Catalogue, entry: &PlayerEntry, sample: &Sample) -> Vec<GameRecord> {
    let player = player(catalogue, entry, sample);
    let player = player.and_then(|player| Ok(player.build(&weights_file::published(&player))?));
    // Samples of built-in players are valid. An external player that refuses its sample adds no games.
    let Ok(player) = player else {
        return Vec::new();
    };
    let players = entry.players();
    let seeds = players.game_seeds(0, Stream::Fingerprint, 0, sample.games);
    // Nothing requests a stop, so every game is played.
    let play = |seed| player.play(seed, Stop::never());
    seeds.into_iter().filter_map(play).collect()
}

fn player(
    catalogue: &Catalogue,
    entry: &PlayerEntry,
    sample: &Sample,
) -> Result<PlayerSpec, Box<dyn std::error::Error>> {
    let config = format!(
        "name = '{}'\ngame = '{}'\n{}",
        entry.name, entry.game.name, sample.options
    );
    let player = catalogue.player(&toml::from_str(&config)?)?;
    Ok(match sample.heuristic {
        Some(text) => player.with_heuristic(&toml::from_str(text)?)?,
        None => player,
    })
}

/// Adds the result of a game to the hash, without the number of leaf evaluations.
fn fold_game(hash: u64, game: &GameRecord) -> u64 {
    // Games without a score count 0 for score and tile, so that older hashes stay comparable.
    let facts = [
        game.seed,
        game.score().unwrap_or(0),
        game.max_tile().map_or(0, u64::from),
        u64::from(game.moves),
    ];
    let outcome = game.outcome().map(|outcome| outcome as u64);
    facts.into_iter().chain(outcome).fold(hash, fold)
}
