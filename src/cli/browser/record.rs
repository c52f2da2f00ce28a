//! Messages about the games of a page, and the table of them.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::facts;
use crate::browser::Error;
use crate::browser::games::{GamesObserver, PlayedGame};
use crate::browser::play::PageEvent;
use crate::cli::{Context, Failure};
use crate::number::count;

/// The columns of the table.
const COLUMNS: &str = "game,score,max_tile,moves,seconds,end\n";

/// Refuses a table that exists, before a browser is asked.
pub(super) fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if !path.exists() {
        return Ok(());
    }
    let path = path.display();
    let message = format!("--csv {path}: the file exists and is kept; name another one");
    Err(Failure::Usage(message))
}

/// Keeps the games, tells about them, and writes their table.
pub(super) struct Recorder {
    games: Vec<PlayedGame>,
    table: Option<(PathBuf, File)>,
    /// Whether each game is told.
    is_told: bool,
    context: Context,
}

impl Recorder {
    /// Creates the table, before any key is pressed.
    pub(super) fn begin(
        csv: Option<&Path>,
        is_told: bool,
        context: Context,
    ) -> Result<Self, Failure> {
        let create = |path: &Path| {
            let created = File::create_new(path).and_then(|mut file| {
                file.write_all(COLUMNS.as_bytes())?;
                Ok(file)
            });
            created
                .map(|file| (path.to_owned(), file))
                .map_err(|error| Failure::Usage(format!("--csv {}: {error}", path.display())))
        };
        Ok(Recorder {
            games: Vec::new(),
            table: csv.map(create).transpose()?,
            is_told,
            context,
        })
    }

    pub(super) fn games(&self) -> &[PlayedGame] {
        &self.games
    }
}

impl GamesObserver for Recorder {
    fn event(&mut self, event: PageEvent) {
        self.context.message(match event {
            PageEvent::KeptPlaying => "the page says that the game is won: kept going",
            PageEvent::NewGame => "the page has begun a new game; counting from here",
        });
    }

    fn ended(&mut self, played: &PlayedGame) -> Result<(), Error> {
        self.games.push(*played);
        let number = self.games.len();
        if self.is_told {
            let number = count(number as u64);
            self.context
                .message(format!("game {number}: {}", facts(played)));
        }
        let Some((path, table)) = &mut self.table else {
            return Ok(());
        };
        let game = &played.game;
        let row = format!(
            "{number},{},{},{},{:.3},{}\n",
            game.score
                .map_or_else(String::new, |score| score.to_string()),
            game.max_tile,
            game.moves,
            game.time.as_secs_f64(),
            played.end.name()
        );
        let written = table.write_all(row.as_bytes());
        written.map_err(|error| Error::Record(format!("{}: {error}", path.display())))
    }
}
