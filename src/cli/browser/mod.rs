//! `tiletune browser`: plays the 2048 that is open in a Chromium.

mod record;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::numbers::{speed, whole};
use super::player_args::{Chosen, PlayerArgs};
use super::{Context, Failure};
use crate::browser::find::find;
use crate::browser::games::{Games, PlayedGame, play_games};
use crate::browser::page::Page;
use crate::browser::play::{GameEnd, PlaySettings};
use crate::browser::script::Script;
use crate::browser::{BoardSource, Error, PageState};
use crate::games::sliding::Shape;
use crate::games::twenty48::{self, setup};
use crate::number::{compact, count, grouped};
use crate::plain_file::read_input;
use crate::player::PlayerSpec;
use crate::player::depth::Depth;
use crate::prepare::Reported;
use record::{Recorder, refuse_existing};

#[derive(Args)]
#[command(after_help = "\
Start Chromium (or Chrome) with remote debugging and a profile of its own, and open a 2048 in it:
  chromium --remote-debugging-port=9222 --user-data-dir=/tmp/profile FILE_OR_ADDRESS\n
Whatever can reach the port controls that browser, so use a profile without your accounts. The board is read \
from the game that the page stores (localStorage.gameState), on pages without it from the elements of the tiles, and on other \
pages from the grid of cells with numbers that they show, which is slower. Boards of 2 to 4 rows and columns are played; the size \
is that of the page. \"Keep going\" is pressed when the page says that the game is won. The command ends with the \
game. A reload of the page does not end it. The largest tile that players know is 32768: at 65536 it stops and \
leaves the game as it is. It also stops when a page does what 2048 does not.

--json: one object with the result, at the end of the games.

Examples:
  tiletune browser --player expectimax --depth 2
      plays the 2048 that is open in a Chromium
  tiletune browser --games 20 --csv games.csv
      twenty games, and a table of them
  tiletune browser --until 2048
      leaves the game at the tile 2048
  tiletune browser --page-adapter my-page.js
      a page with other elements; docs/page-adapter.md has examples")]
pub(super) struct Browser {
    /// The port of the remote debugging, on this machine.
    #[arg(long, default_value_t = 9222, value_parser = whole(1..=u16::MAX))]
    port: u16,
    /// A part of the title or address of the page, or its id, if several are a 2048.
    #[arg(long, value_name = "TEXT")]
    page: Option<String>,
    /// A file of JavaScript that reads and plays another page: functions read(), press(direction) and, for several games,
    /// restart().
    #[arg(long, value_name = "FILE")]
    page_adapter: Option<PathBuf>,
    #[command(flatten)]
    player: PlayerArgs,
    /// Seed of the player's random choices.
    #[arg(long, default_value_t = 0, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Play this number of games; further games are begun by the page's own button, by the key R, or by a reload [default: 1].
    #[arg(long, value_name = "N", value_parser = whole(1..=1_000_000u32))]
    games: Option<u32>,
    /// Stop as soon as the page shows this tile or a larger one, and leave the game as it is.
    #[arg(long, value_name = "TILE", value_parser = tile)]
    until: Option<u64>,
    /// Write a table with a row for each game; the file must not exist.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Largest number of moves per second (default: as fast as page and player are).
    #[arg(long, value_name = "MOVES", value_parser = speed(0.01..=1e6))]
    moves_per_second: Option<f64>,
}

/// Parses a tile that a game can reach.
fn tile(text: &str) -> Result<u64, String> {
    let tile: Option<u64> = text.replace(',', "").parse().ok();
    let tile = tile.filter(|tile| tile.is_power_of_two() && (4..=32768).contains(tile));
    tile.ok_or_else(|| "a tile from 4 to 32768 is allowed: a power of 2".to_owned())
}

impl Browser {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let scripts = self.scripts()?;
        // The board of the page is not known yet, so these may be other weights than those that play.
        let quiet = Context {
            quiet: true,
            ..context
        };
        let chosen = self.player.clone().choose(quiet)?;
        let game = chosen.player.entry.game.name;
        if game != twenty48::NAME {
            return Err(Failure::Usage(format!(
                "`browser` plays {}, not {game}",
                twenty48::NAME
            )));
        }
        if let Some(path) = &self.csv {
            refuse_existing(path)?;
        }
        let progress = context.progress()?;
        let stop = progress.stop();
        let mut page = find(self.port, self.page.as_deref(), &scripts, stop)
            .map_err(|error| failed(error, None))?;
        let state = page.look().map_err(|error| failed(error, None))?;
        context.message(seen(&page, &state));
        // A board that no player knows is refused before any key.
        let board = state.board.board().map_err(|error| failed(error, None))?;
        let chosen = self.on_board(&chosen, board.shape, context)?;
        let player = chosen.build()?;
        let reported = Reported {
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            stop,
            say: &|line| context.message(line),
        };
        let prepared = reported.prepare(&*player);
        prepared.ok_or_else(|| failed(Error::Stopped, None))?;
        let mut recorder = Recorder::begin(self.csv.as_deref(), self.games > Some(1), context)?;
        let pause = self.moves_per_second.map(|speed| 1.0 / speed);
        let wanted = Games {
            games: self.games.unwrap_or(1),
            begins_anew: self.games.is_some(),
            manner: PlaySettings {
                rules: setup::variation(&chosen.player.options),
                seed: self.seed,
                pause: pause.map_or(Duration::ZERO, Duration::from_secs_f64),
                until: self.until,
            },
        };
        let ended = play_games(&mut page, &*player, wanted, stop, &mut recorder);
        let games = recorder.games();
        let last = games.last();
        ended.map_err(|error| failed(error, last))?;
        let Some(last) = last else {
            return Ok(());
        };
        let json = || result(&chosen.player, board.shape, &page, last, games);
        context.print(json, || match games {
            [one] => facts(one),
            several => summary(several),
        })
    }

    /// The player on the board of the page, unless the flags name another board.
    fn on_board(&self, chosen: &Chosen, shape: Shape, context: Context) -> Result<Chosen, Failure> {
        let plays_on = setup::shape(&chosen.player.options);
        if plays_on == shape {
            return self.player.clone().choose(context);
        }
        let entry = chosen.player.entry;
        let refused =
            |why: String| Failure::Failed(format!("the board of the page is {shape}, and {why}"));
        if self.player.has(&setup::BOARD) {
            return Err(refused(format!("--board is {plays_on}; leave it out")));
        }
        if entry.option(setup::BOARD.key).is_none() {
            let player = entry.name;
            return Err(refused(format!(
                "the player `{player}` knows {plays_on} only; `expectimax` knows it"
            )));
        }
        let player = self.player.clone();
        player
            .with(&setup::BOARD, shape.to_string())
            .choose(context)
    }

    /// The scripts by which pages are asked.
    fn scripts(&self) -> Result<Vec<Script>, Failure> {
        let Some(path) = &self.page_adapter else {
            return Ok(Script::builtin().into());
        };
        let wrong =
            |reason: String| Failure::Usage(format!("--page-adapter {}: {reason}", path.display()));
        let bytes = read_input(path).map_err(|error| wrong(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| wrong("not a text file".to_owned()))?;
        for name in ["read", "press"] {
            if !text.contains(name) {
                return Err(wrong(format!(
                    "it declares no function `{name}`; docs/page-adapter.md says what an adapter has"
                )));
            }
        }
        Ok(vec![Script::of_adapter(&text)])
    }
}

/// The text about the page, the source of its board, and the board.
fn seen(page: &Page, state: &PageState) -> String {
    let source = match page.source() {
        BoardSource::Storage => "read from the game that it stores",
        BoardSource::Elements => "read from the elements of its tiles",
        BoardSource::Grid => "read from the cells that it shows",
        BoardSource::Adapter => "read by the page adapter",
    };
    let board = &state.board;
    let widest = board.largest().to_string().len();
    let line = |row: &[u64]| {
        let cell = |&tile: &u64| match tile {
            0 => format!("{:>widest$}", "."),
            tile => format!("{tile:>widest$}"),
        };
        let cells: Vec<String> = row.iter().map(cell).collect();
        format!("\n  {}", cells.join(" "))
    };
    let rows = board.tiles.chunks(board.columns.max(1));
    let rows: String = rows.map(line).collect();
    let over = if state.is_over {
        ", the game is over already"
    } else {
        ""
    };
    format!(
        "page `{}` ({}), {source}: {}{over}{rows}",
        page.title(),
        page.url(),
        score(state.score)
    )
}

/// A score in words.
fn score(score: Option<u64>) -> String {
    score.map_or("no score is shown".to_owned(), |score| {
        format!("score {}", count(score))
    })
}

fn facts(played: &PlayedGame) -> String {
    let game = &played.game;
    format!(
        "{}, largest tile {}, {} moves, {:.1} s, {} moves/s",
        score(game.score),
        game.max_tile,
        count(game.moves),
        game.time.as_secs_f64(),
        grouped(game.moves_per_second(), 0)
    )
}

/// The results of several games.
fn summary(games: &[PlayedGame]) -> String {
    let scores: Option<Vec<u64>> = games.iter().map(|one| one.game.score).collect();
    let scores = scores.map_or(score(None), |scores| {
        let mean = scores.iter().sum::<u64>() as f64 / scores.len() as f64;
        let best = scores.iter().max().copied().unwrap_or(0);
        format!("mean score {}, best {}", compact(mean), count(best))
    });
    let largest = games.iter().map(|one| one.game.max_tile).max().unwrap_or(0);
    let reached = games.iter().filter(|one| one.game.max_tile == largest);
    let moves: u64 = games.iter().map(|one| one.game.moves).sum();
    format!(
        "{} games: {scores}; largest tile {} in {} of them; {} moves",
        count(games.len() as u64),
        largest,
        count(reached.count() as u64),
        count(moves)
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
    /// Rows and columns of the board of the page.
    board: String,
    /// Address of the page.
    page: String,
    #[serde(flatten)]
    last: OneGame,
    /// All games in their order; the other keys are those of the last one.
    games: Vec<OneGame>,
}

/// A game of the page.
#[derive(Serialize, JsonSchema)]
struct OneGame {
    /// Score at the end; null if the page shows none.
    score: Option<u64>,
    /// Largest tile at the end.
    max_tile: u64,
    /// Number of moves.
    moves: u64,
    /// Seconds in all.
    seconds: f64,
    /// Moves per second.
    moves_per_second: f64,
    /// Why it ended: `over`, or `reached` if the page shows the tile of --until.
    end: &'static str,
}

impl OneGame {
    fn new(PlayedGame { game, end }: &PlayedGame) -> Self {
        OneGame {
            score: game.score,
            max_tile: game.max_tile,
            moves: game.moves,
            seconds: game.time.as_secs_f64(),
            moves_per_second: game.moves_per_second(),
            end: end.name(),
        }
    }
}

fn result(
    player: &PlayerSpec,
    board: Shape,
    page: &Page,
    last: &PlayedGame,
    games: &[PlayedGame],
) -> BrowserGame {
    BrowserGame {
        game: player.entry.game.name,
        player: player.entry.name,
        depth: player.depth(),
        board: board.to_string(),
        page: page.url().to_string(),
        last: OneGame::new(last),
        games: games.iter().map(OneGame::new).collect(),
    }
}

/// A failure with the part of the game that was played.
fn failed(error: Error, played: Option<&PlayedGame>) -> Failure {
    let so_far = played
        .filter(|played| played.end == GameEnd::Left)
        .map_or(String::new(), |played| {
            format!(" (so far: {})", facts(played))
        });
    match error {
        Error::Stopped => {
            Failure::Interrupted(format!("interrupted; the page keeps its game{so_far}"))
        }
        Error::Which(_) | Error::NoBrowser { .. } | Error::NoList { .. } => {
            Failure::Failed(error.to_string())
        }
        error => Failure::Failed(format!("{error}{so_far}")),
    }
}
