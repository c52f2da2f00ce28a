//! `tiletune browser`: plays the 2048 that is open in a Chromium.

use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::numbers::{speed, whole};
use super::player_args::PlayerArgs;
use super::{Context, Failure};
use crate::browser::Error;
use crate::browser::page::{BoardSource, Page, PageState};
use crate::browser::play::{PageEvent, PageGame, PlaySettings, play};
use crate::games::twenty48;
use crate::number::{count, grouped};
use crate::player::PlayerSpec;
use crate::player::depth::Depth;

#[derive(Args)]
#[command(after_help = "\
Start Chromium (or Chrome) with remote debugging and a profile of its own, and open a 2048 in it:
  chromium --remote-debugging-port=9222 --user-data-dir=/tmp/profile FILE_OR_ADDRESS\n
Whatever can reach the port controls that browser, so use a profile without your accounts. The board is read \
from the game that the page stores (localStorage.gameState), or, on pages without it, from the elements \
of the tiles, which is slower. \"Keep going\" is pressed after the tile 2048. The command ends with the game. A \
reload of the page does not end it. The largest tile that players know is 32768: at 65536 it stops and \
leaves the game as it is.

--json: one object with the result, at the end of the game.

Examples:
  tiletune browser --player expectimax --depth 2
      plays the 2048 that is open in a Chromium")]
pub(super) struct Browser {
    /// The port of the remote debugging, on this machine.
    #[arg(long, default_value_t = 9222, value_parser = whole(1..=u16::MAX))]
    port: u16,
    /// A part of the title or address of the page, if several are a 2048.
    #[arg(long, value_name = "TEXT")]
    page: Option<String>,
    #[command(flatten)]
    player: PlayerArgs,
    /// Seed of the player's random choices.
    #[arg(long, default_value_t = 0, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Largest number of moves per second (default: as fast as page and player are).
    #[arg(long, value_name = "MOVES", value_parser = speed(0.01..=1e6))]
    moves_per_second: Option<f64>,
}

impl Browser {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let chosen = self.player.choose(context)?;
        let game = chosen.player.entry.game.name;
        if game != twenty48::NAME {
            return Err(Failure::Usage(format!(
                "`browser` plays {}, not {game}",
                twenty48::NAME
            )));
        }
        let player = chosen.build()?;
        let progress = context.progress()?;
        let stop = progress.stop();
        let mut page = Page::find(self.port, self.page.as_deref(), stop)
            .map_err(|error| failed(error, None))?;
        let state = page.look().map_err(|error| failed(error, None))?;
        context.message(seen(&page, &state));
        let manner = PlaySettings {
            seed: self.seed,
            pause: self
                .moves_per_second
                .map_or(Duration::ZERO, |speed| Duration::from_secs_f64(1.0 / speed)),
        };
        let mut observe = |event| {
            context.message(match event {
                PageEvent::KeptPlaying => "the page has the tile 2048: kept going",
                PageEvent::NewGame => "the page has begun a new game; counting from here",
            });
        };
        let (played, ended) = play(&mut page, &*player, manner, stop, &mut observe);
        ended.map_err(|error| failed(error, Some(&played)))?;
        let json = || result(&chosen.player, &page, &played);
        context.print(json, || facts(&played))
    }
}

/// The text about the page, the source of its board, and the board.
fn seen(page: &Page, state: &PageState) -> String {
    let source = match page.source() {
        BoardSource::Storage => "the game that it stores",
        BoardSource::Elements => "the elements of its tiles",
    };
    let widest = state.largest().to_string().len();
    let line = |row: &[u64]| {
        let cell = |&tile: &u64| match tile {
            0 => format!("{:>widest$}", "."),
            tile => format!("{tile:>widest$}"),
        };
        let cells: Vec<String> = row.iter().map(cell).collect();
        format!("\n  {}", cells.join(" "))
    };
    let columns = state.tiles.len().isqrt().max(1);
    let board: String = state.tiles.chunks(columns).map(line).collect();
    let over = if state.is_over {
        ", the game is over already"
    } else {
        ""
    };
    format!(
        "page `{}` ({}), read from {source}: score {}{over}{board}",
        page.title(),
        page.url(),
        count(state.score)
    )
}

fn facts(played: &PageGame) -> String {
    format!(
        "score {}, largest tile {}, {} moves, {:.1} s, {} moves/s",
        count(played.score),
        played.max_tile,
        count(played.moves),
        played.time.as_secs_f64(),
        grouped(played.moves_per_second(), 0)
    )
}

/// What `tiletune browser` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct BrowserGame {
    /// The game.
    game: &'static str,
    /// Name of the player.
    player: &'static str,
    /// Its search depth; null if it has none.
    depth: Option<Depth>,
    /// Address of the page.
    page: String,
    /// Score at the end.
    score: u64,
    /// Largest tile at the end.
    max_tile: u64,
    /// Number of moves.
    moves: u64,
    /// Seconds in all.
    seconds: f64,
    /// Moves per second.
    moves_per_second: f64,
}

fn result(player: &PlayerSpec, page: &Page, played: &PageGame) -> BrowserGame {
    BrowserGame {
        game: player.entry.game.name,
        player: player.entry.name,
        depth: player.depth(),
        page: page.url().to_string(),
        score: played.score,
        max_tile: played.max_tile,
        moves: played.moves,
        seconds: played.time.as_secs_f64(),
        moves_per_second: played.moves_per_second(),
    }
}

/// A failure with the part of the game that was played.
fn failed(error: Error, played: Option<&PageGame>) -> Failure {
    let so_far = played.map_or(String::new(), |played| {
        format!(" (so far: {})", facts(played))
    });
    match error {
        Error::Stopped => {
            Failure::Interrupted(format!("interrupted; the page keeps its game{so_far}"))
        }
        Error::Which(_) | Error::NoBrowser { .. } => Failure::Failed(error.to_string()),
        error => Failure::Failed(format!("{error}{so_far}")),
    }
}
