//! Plays seeded games with a player of the catalogue, prints the mean score with its confidence
//! interval, and analyses one position.
//!
//! ```sh
//! cargo run --release --example evaluate_player [PLAYER [GAMES]]
//! ```

use std::error::Error;

use tiletune::config::weights_file::published;
use tiletune::games::twenty48::rules::Board;
use tiletune::player::Player;
use tiletune::random::Stream;
use tiletune::stats::bootstrap::{Resampling, mean_interval};
use tiletune::stats::games::{results, summarize};
use tiletune::{Catalogue, Evaluate, Local, PlayerConfig, Progress, Stop};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "expectimax".to_owned());
    let count: u64 = arguments.next().map_or(Ok(200), |text| text.parse())?;

    // The request for a player is checked against the catalogue, as that of a file or a command.
    let catalogue = Catalogue::builtin();
    let mut asked = PlayerConfig::new(name, Some("2048"));
    let entry = catalogue.entry(&asked.name, asked.game.as_deref())?;
    if entry.depths().is_some() {
        asked = asked.with("depth", 1);
    }
    let player = catalogue.player(&asked)?;

    // The published weights, one of them changed where the player has it.
    let mut weights = published(&player);
    if weights.get("empty").is_some() {
        weights = weights.with([("empty", 300.0)], &player.parameters())?;
    }

    // The games of `tiletune evaluate --seed 1`.
    let seeds = player.players().game_seeds(1, Stream::Evaluate, 0, count);
    let local = Local::new(player.clone(), None)?;
    let games = local.games(&weights, &seeds, &Progress::default())?;
    let summary = summarize(entry.name, &games);
    println!(
        "{}: {} games, mean score {:.0}",
        player.describe(),
        summary.games,
        summary.mean
    );
    if let Some(interval) = mean_interval(&results(&games), Resampling::new(2000, 1)) {
        println!("95 % interval {:.0} to {:.0}", interval.low, interval.high);
    }
    for (tile, games) in summary.max_tile().iter().rev() {
        println!("{tile:>6}  {games:>5} games");
    }

    // A position is a type of its game: here a board by the ranks of its tiles (3 is the tile 8).
    let board = Board::from_ranks([1, 2, 3, 4, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0]);
    let player: Box<dyn Player> = player.build(&weights)?;
    let analysis = player
        .analyze(&board, 0, Stop::never())?
        .unwrap_or_default();
    println!("best move: {}", analysis.best.as_deref().unwrap_or("none"));
    for (name, value) in analysis.values {
        let value = value.map_or("illegal".to_owned(), |value| {
            value.text(|number| number.to_string())
        });
        println!("{name:>6}  {value}");
    }
    Ok(())
}
