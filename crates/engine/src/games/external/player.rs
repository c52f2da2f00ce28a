//! A program as a player: its declaration in the place of a heuristic, and the games that its processes play.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::declaration::Declaration;
use super::pool::Pool;
use super::protocol;
use crate::field_error::FieldError;
use crate::heuristic::weights::Weights;
use crate::heuristic::{Parameter, Written};
use crate::player::position::{Position, PositionError};
use crate::player::session::{Session, Step};
use crate::player::{Analysis, Options, Player};
use crate::record::{GameRecord, Unrepeated};
use crate::stop::Stop;

/// A declared program with its processes, which are started when they are first needed. They end with it.
pub struct Program {
    table: toml::Table,
    declaration: Declaration,
    parameters: Vec<Parameter>,
    pool: Pool,
}

/// Reads the declaration of a program. Nothing is started.
///
/// # Errors
/// The first key that is unknown, missing or out of range.
pub fn read(table: &toml::Table) -> Result<Arc<dyn Written>, FieldError> {
    let declaration = Declaration::read(table)?;
    // Players with the same program share its processes: an experiment has many of them.
    static KNOWN: Mutex<Vec<Weak<Program>>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|program| program.strong_count() > 0);
    let programs: Vec<Arc<Program>> = known.iter().filter_map(Weak::upgrade).collect();
    let is_same = |program: &Arc<Program>| program.table == *table && program.failure().is_none();
    if let Some(program) = programs.into_iter().find(is_same) {
        return Ok(program);
    }
    let program = Arc::new(Program {
        table: table.clone(),
        parameters: declaration.parameters(),
        declaration,
        pool: Pool::default(),
    });
    known.push(Arc::downgrade(&program));
    Ok(program)
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.declaration.fmt(formatter)
    }
}

impl Written for Program {
    fn table(&self) -> &toml::Table {
        &self.table
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn check(&self, _weights: &Weights) -> Result<(), String> {
        Ok(())
    }

    fn words(&self) -> String {
        self.declaration.words()
    }

    fn is_program(&self) -> bool {
        true
    }

    fn start(&self) -> Result<(), String> {
        self.pool.greet(&self.declaration)
    }

    fn failure(&self) -> Option<String> {
        self.pool.failure()
    }

    fn unrepeated(&self) -> Option<Unrepeated> {
        self.pool.unrepeated()
    }

    fn restarts(&self) -> u64 {
        self.pool.restarts()
    }

    fn log_to(&self, path: &Path) {
        self.pool.log_to(path);
    }
}

/// The player of a program with weights. Without a program it plays no game.
pub(super) fn build(options: &Options, weights: &Weights) -> Box<dyn Player> {
    let program = options.heuristic().and_then(|given| {
        let given: Arc<dyn Any + Send + Sync> = Arc::clone(given) as Arc<dyn Any + Send + Sync>;
        given.downcast::<Program>().ok()
    });
    let weights = match &program {
        Some(program) => protocol::weights(weights, &program.parameters),
        None => String::new(),
    };
    Box::new(ProgramPlayer { program, weights })
}

/// A program with one set of weights.
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
        let Program {
            pool, declaration, ..
        } = &**self.program.as_ref()?;
        pool.play(declaration, &self.weights, seeds, stop)
    }

    fn batch_size(&self) -> usize {
        let program = self.program.as_ref();
        program.map_or(1, |program| program.declaration.seeds_per_task as usize)
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        Box::new(OneStep {
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

/// A game of a program, which is seen only when it is over.
struct OneStep<'a> {
    player: &'a ProgramPlayer,
    seed: u64,
    stop: Stop<'a>,
}

impl Session for OneStep<'_> {
    fn step(&mut self) -> Option<Step> {
        let ended = self.player.play(self.seed, self.stop)?;
        Some(Step {
            ended: Some(ended),
            ..Step::new(Unseen, 0, [])
        })
    }
}

/// The position of a game that only the program sees.
#[derive(Debug)]
struct Unseen;

impl Position for Unseen {}
