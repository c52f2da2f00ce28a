//! `tiletune completions`: prints a completion script.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use super::{Context, Failure, help};

#[derive(Args)]
pub(super) struct Completions {
    /// Shell.
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        context.refuse_json("a completion script has no JSON form")?;
        // The generator panics if it cannot write; writing to a vector never fails.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut help::command(), "tiletune", &mut script);
        std::io::stdout().write_all(&script)?;
        Ok(())
    }
}
