//! `tiletune completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Failure};

#[derive(Args)]
pub(super) struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<(), Failure> {
        clap_complete::generate(
            self.shell,
            &mut Cli::command(),
            "tiletune",
            &mut std::io::stdout(),
        );
        Ok(())
    }
}
