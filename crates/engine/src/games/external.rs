//! External programs as a game. For the rest of the library, a program is a player without positions: a task is
//! a *game* of one move, and the value that the program file names is the *score*. [`crate::program`]
//! implements the program itself.

use std::sync::Arc;

use crate::player::options::HEURISTIC;
use crate::player::position::{Position, PositionError};
use crate::player::session::{Session, Step};
use crate::player::{Analysis, GameEntry, OptionKind, Player, PlayerEntry, PlayerOption, Players};
use crate::program::{Program, protocol};
use crate::record::GameRecord;
use crate::stop::Stop;

/// The catalogue entry of the game.
pub const GAME: GameEntry = GameEntry {
    has_real_scores: true,
    ..GameEntry::new(
        NAME,
        "any program: it gets weights and seeds and answers with a score for each seed",
        Players::One,
    )
};

/// Name of the game on the command line and in files.
pub const NAME: &str = "external";

/// Name of the player.
pub const PROGRAM: &str = "program";

/// The only player.
pub const PLAYERS: &[PlayerEntry] = &[PlayerEntry {
    options: &[PlayerOption::new(
        HEURISTIC,
        "Program file: the command and the parameters of the program",
        OptionKind::Program,
    )],
    // No sample games: the result depends on the program.
    sample: &[],
    ..PlayerEntry::without_weights(
        PROGRAM,
        &GAME,
        "a program that is started as a process (docs/external.md)",
        |options, weights| {
            let program = options.program().cloned();
            let weights = match &program {
                Some(program) => protocol::weights(weights, program.parameters())?,
                None => String::new(),
            };
            Ok(Box::new(ProgramPlayer { program, weights }))
        },
    )
}];

/// A program with one set of weights. Without a program, `play` returns `None`.
struct ProgramPlayer {
    program: Option<Arc<Program>>,
    /// The weights as JSON.
    weights: String,
}

impl Player for ProgramPlayer {
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord> {
        self.play_many(&[seed], stop)?.pop()
    }

    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        self.program.as_ref()?.play(&self.weights, seeds, stop)
    }

    fn batch_size(&self) -> usize {
        let program = self.program.as_ref();
        program.map_or(1, |program| program.declaration().seeds_per_task as usize)
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        Box::new(OneStepGame {
            player: self,
            seed,
            stop,
        })
    }

    fn analyze(
        &self,
        _position: &dyn Position,
        _seed: u64,
        _stop: Stop,
    ) -> Result<Option<Analysis>, PositionError> {
        Err(PositionError(
            "a program is asked for whole games, not for positions".into(),
        ))
    }
}

/// A game of a program. Only its end is visible.
struct OneStepGame<'a> {
    player: &'a ProgramPlayer,
    seed: u64,
    stop: Stop<'a>,
}

impl Session for OneStepGame<'_> {
    fn step(&mut self) -> Option<Step> {
        let ended = self.player.play(self.seed, self.stop)?;
        Some(Step {
            ended: Some(ended),
            ..Step::new(HiddenPosition, 0, [])
        })
    }
}

/// The position of a game that only the program knows.
#[derive(Debug)]
struct HiddenPosition;

impl Position for HiddenPosition {}
