//! `tiletune completions`: prints a completion script.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Failure};

#[derive(Args)]
pub(super) struct Completions {
    /// Shell.
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<(), Failure> {
        // The generator panics if it cannot write; writing to a vector never fails.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tiletune", &mut script);
        std::io::stdout().write_all(&script)?;
        Ok(())
    }
}
