//! `tiletune completions`: prints a completion script. `tiletune man`: writes the manual pages.

use std::io::Write;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command, ValueHint};
use clap_complete::Shell;

use super::player_args::OPTION;
use super::{Context, Failure, command};
use crate::Catalogue;

#[derive(Args)]
#[command(after_help = "\
--json: refused.

Examples:
  tiletune completions bash > ~/.local/share/bash-completion/completions/tiletune")]
pub(super) struct Completions {
    /// Shell.
    shell: Shell,
}

#[derive(Args)]
#[command(after_help = "\
--json: refused.

Examples:
  tiletune man ~/.local/share/man/man1
      then man tiletune-tune")]
pub(super) struct Man {
    /// Folder for the pages, which is created if necessary: a page for tiletune and one for each command.
    folder: PathBuf,
}

impl Completions {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        context.refuse_json("a completion script has no JSON form")?;
        // The generator panics if it cannot write. Writing to a vector never fails.
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut with_values(context.catalogue, command(context.catalogue)),
            "tiletune",
            &mut script,
        );
        std::io::stdout().write_all(&script)?;
        Ok(())
    }
}

impl Man {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        context.refuse_json("manual pages have no JSON form")?;
        let folder = self.folder.display();
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| clap_mangen::generate_to(command(context.catalogue), &self.folder));
        written.map_err(|error| Failure::Usage(format!("cannot write to {folder}: {error}")))?;
        context.message(format!(
            "wrote the manual pages to {folder}; man -M reads them, or man -l {folder}/tiletune.1"
        ));
        Ok(())
    }
}

/// Adds the names of players and games to the command line. Its parser does not have them, because they come from the
/// catalogue.
fn with_values(catalogue: &Catalogue, command: Command) -> Command {
    let mut players: Vec<&str> = catalogue.players().iter().map(|entry| entry.name).collect();
    players.sort_unstable();
    players.dedup();
    let games: Vec<&str> = catalogue.games().iter().map(|game| game.name).collect();
    let with_values = |arg: Arg| match arg.get_id().as_str().trim_start_matches(OPTION) {
        "player" | "opponent" => arg.value_parser(PossibleValuesParser::new(&players)),
        "game" => arg.value_parser(PossibleValuesParser::new(&games)),
        "weights" | "heuristic" | "config" | "experiment" | "source" | "run" => {
            arg.value_hint(ValueHint::AnyPath)
        }
        _ if arg.is_positional() && arg.get_possible_values().is_empty() => {
            arg.value_hint(ValueHint::AnyPath)
        }
        _ => arg,
    };
    command.mut_subcommands(|command| command.mut_args(with_values))
}
