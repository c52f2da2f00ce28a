//! Programs outside of tiletune whose parameters are tuned. A program is started as a process and given weights
//! and seeds; it answers with numbers. What it does with them is its own affair: it can play a game, or compute
//! a noisy function. `docs/external.md` is the protocol for those who write a program.
//!
//! - [`declaration`]: what a file says of a program: command, limits, parameters
//! - [`protocol`]: the lines that go to a program and come back. It knows no process, so that another carrier
//!   than a pipe, such as a cluster, can use it
//! - `process`: one running program: started, asked, ended
//! - [`Program`]: as many processes as threads ask; crashes, time limits, games that do not repeat
//!
//! Only this module may start a process. It must not know players.

pub mod declaration;
mod pool;
mod process;
pub mod protocol;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::field_error::FieldError;
pub use pool::Program;

/// Programs that are in use. Players with the same declaration share a program and so its processes: an
/// experiment has many of them. Clones share the programs.
#[derive(Clone, Debug, Default)]
pub struct Programs(Arc<Mutex<Vec<Weak<Program>>>>);

impl Programs {
    /// The program of a declaration. One that has failed is not given again.
    ///
    /// # Errors
    /// As [`Program::read`].
    pub fn get(&self, table: &toml::Table) -> Result<Arc<Program>, FieldError> {
        let mut programs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        programs.retain(|program| program.strong_count() > 0);
        let mut in_use = programs.iter().filter_map(Weak::upgrade);
        let is_same =
            |program: &Arc<Program>| program.table() == table && program.failure().is_none();
        if let Some(program) = in_use.find(is_same) {
            return Ok(program);
        }
        let program = Arc::new(Program::read(table)?);
        programs.push(Arc::downgrade(&program));
        Ok(program)
    }
}
