//! `tiletune fingerprint`: one hash over seeded games of every player.

use std::io::Write;

use serde_json::json;

use super::{Context, Failure};
use crate::config::weights_file;
use crate::player::depth::Depth;
use crate::player::{Catalogue, Config, Entry};
use crate::random::{Stream, fold};
use crate::record::GameRecord;

pub(super) fn run(context: Context) -> Result<(), Failure> {
    let mut hash = 0;
    let catalogue = Catalogue::builtin();
    for entry in catalogue.players() {
        for (depth, games) in entry.sample {
            hash = play(&catalogue, entry, *depth, *games)
                .iter()
                .fold(hash, fold_game);
        }
    }
    let hash = format!("{hash:016x}");
    if context.json {
        writeln!(std::io::stdout(), "{}", json!({ "games": hash }))?;
    } else {
        writeln!(std::io::stdout(), "Games: {hash}")?;
    }
    Ok(())
}

fn play(catalogue: &Catalogue, entry: &Entry, depth: Option<u8>, games: u64) -> Vec<GameRecord> {
    let mut config = Config::new(entry.name, Some(entry.game.name));
    if let Some(depth) = depth {
        config = config.with("depth", Depth::Fixed(depth));
    }
    let player = catalogue.player(&config);
    let player = player.unwrap_or_else(|error| unreachable!("a sample is sound: {error}"));
    let player = player.build(&weights_file::published(entry));
    let seeds = entry.players().game_seeds(0, Stream::Fingerprint, 0, games);
    seeds.into_iter().map(|seed| player.play(seed)).collect()
}

/// The result of a game, without how much work it took.
fn fold_game(hash: u64, game: &GameRecord) -> u64 {
    // The place of score and tile is never left out: the hash has always been made so.
    let facts = [
        game.seed,
        game.score().unwrap_or(0),
        game.max_tile().map_or(0, u64::from),
        u64::from(game.moves),
    ];
    let outcome = game.outcome().map(|outcome| outcome as u64);
    facts.into_iter().chain(outcome).fold(hash, fold)
}
