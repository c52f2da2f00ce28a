//! The command line: one file and one match arm per command. Results go to stdout, messages to stderr. `Failure`
//! determines the exit code.

mod ablate;
mod advise;
mod backend;
mod browser;
mod budget;
mod cache;
mod cluster;
mod compare;
mod completions;
mod eta;
mod evaluate;
mod execute;
mod export;
mod failure;
mod fingerprint;
mod groups;
mod init;
mod interrupt;
mod line;
mod list;
mod live;
mod nats;
mod numbers;
mod operands;
mod plan;
mod play;
mod player_args;
mod positions;
mod prune;
mod publish;
mod replay;
mod report;
mod resume;
mod run_path;
mod runs;
mod serve;
mod stdin_lines;
#[cfg(test)]
mod tests;
mod text;
mod tune;
mod verify;
mod worker;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
use serde::Serialize;

use crate::Catalogue;
use crate::player::exact::set_cache;
use crate::program::folder::plain;
use crate::run::RunKinds;
use crate::shipped;
use crate::simd::{InstructionSet, VARIABLE};
use crate::visible::visible;
use failure::Failure;
use nats::under_heading;
use player_args::with_options;
use run_path::tell_last;

/// Tune the weights of heuristics for 2048-like games and validate the result.
#[derive(Parser)]
#[command(name = "tiletune", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 success, 1 failure, 2 invalid usage or input, 3 and 4 verdicts of \
                  `compare`, 130 interrupted (a run can be resumed).\nEnvironment: TILETUNE_SIMD=portable, avx2 or avx512 limits \
                  the vector instructions; it does not change games.\n`tiletune COMMAND --help` has options and examples."
)]
pub struct Cli {
    /// Print only errors on stderr.
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Print more: also what only statisticians read.
    #[arg(long, global = true)]
    verbose: bool,
    /// Print the result as JSON; the text below and docs/json.md say what it contains.
    #[arg(long, global = true)]
    json: bool,
    /// Start the programs that play in this folder, in the place of the recorded one: for runs and weights whose
    /// program has moved.
    #[arg(long, global = true, value_name = "DIR")]
    program_folder: Option<PathBuf>,
    /// Keep long computations in this folder, such as the exact solution of 2048 on 3x3, instead of the user's cache
    /// folder.
    #[arg(long, global = true, value_name = "DIR")]
    cache: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print a campaign file to begin with, or the schema of files.
    Init(init::Init),
    /// Tune the weights of a campaign or heuristic file.
    Tune(tune::Tune),
    /// Continue a run that was interrupted.
    Resume(resume::Resume),
    /// List past runs, or show one of them.
    Runs(runs::Runs),
    /// Draw all charts and the report of a run again; plays no game.
    Report(report::Report),
    /// Play, ask and watch runs in a browser: a server for this machine.
    Serve(serve::Serve),
    /// Show a game move by move: a new one, or a recorded one of a run.
    Play(play::Play),
    /// Print every move's value for positions on stdin.
    Advise(advise::Advise),
    /// Play seeded games with one player and print its results.
    Evaluate(evaluate::Evaluate),
    /// Compare players: is B better than A, and by how much?
    Compare(compare::Compare),
    /// Run an experiment: players with fixed weights on the same games.
    Ablate(ablate::Ablate),
    /// Play recorded games again: are the results equal?
    Replay(replay::ReplayArgs),
    /// Check every file of a run, and play a sample of its games again.
    Verify(verify::Verify),
    /// Export weights as TOML, JSON, CSV or a C header.
    Export(export::Export),
    /// List games, players, weights, heuristics, optimizers or charts.
    List(list::List),
    /// Print a completion script for a shell.
    Completions(completions::Completions),
    /// Write the manual pages into a folder.
    Man(completions::Man),
    /// Play the 2048 that is open in a Chromium, by remote debugging.
    Browser(browser::Browser),
    /// List workers, runs and queues of a cluster.
    Cluster(cluster::Cluster),
    /// Play games for runs on other machines.
    Worker(worker::Worker),
    /// Print a hash over games of every player: equal hashes, equal play.
    #[command(after_help = "\
--json: one object.

Examples:
  tiletune fingerprint
      about ten seconds")]
    Fingerprint,
}

impl Command {
    /// Whether the command can begin a new run.
    fn begins_a_run(&self) -> bool {
        matches!(
            self,
            Command::Tune(_) | Command::Compare(_) | Command::Ablate(_) | Command::Evaluate(_)
        )
    }

    /// Whether the command can start the programs of runs and weights files.
    fn starts_programs(&self) -> bool {
        let plays_again = matches!(
            self,
            Command::Resume(_) | Command::Play(_) | Command::Replay(_) | Command::Verify(_)
        );
        plays_again || self.begins_a_run()
    }
}

/// The context of all commands: the global flags, and the parts of the program.
#[derive(Clone, Copy)]
struct Context {
    quiet: bool,
    verbose: bool,
    json: bool,
    testing: Testing,
    catalogue: &'static Catalogue,
    kinds: RunKinds,
}

/// Changes for tests of clusters. The program does not use them.
#[doc(hidden)]
#[derive(Clone, Copy, Default)]
pub struct Testing {
    /// The name of the build, instead of its fingerprint, which takes seconds to compute.
    pub build: Option<&'static str>,
    /// After this number of tasks a worker falsifies the records of all further tasks.
    pub falsify_after: Option<u64>,
}

impl Context {
    /// For commands with a special form of output.
    ///
    /// # Errors
    /// If `--json` is given.
    fn refuse_json(self, instead: &str) -> Result<(), Failure> {
        if self.json {
            Err(Failure::Usage(format!("--json: {instead}")))
        } else {
            Ok(())
        }
    }

    /// Prints a message on stderr, unless `--quiet` is given.
    fn message(self, text: impl std::fmt::Display) {
        if !self.quiet {
            message(text);
        }
    }

    /// Prints a result on stdout: as JSON with `--json`, otherwise as text.
    fn print<Json: Serialize>(
        self,
        json: impl FnOnce() -> Json,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        let text = if self.json {
            serde_json::to_string(&json()).map_err(std::io::Error::from)?
        } else {
            on_terminal(visible(&text()), &std::io::stdout())
        };
        Ok(writeln!(std::io::stdout(), "{text}")?)
    }
}

/// Prints a sanitized message on stderr. An error here must not change the program's behaviour.
fn message(text: impl std::fmt::Display) {
    let text = on_terminal(visible(&text.to_string()), &std::io::stderr());
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The text with lines that fit, if a stream writes to a terminal.
fn on_terminal(text: String, stream: &impl IsTerminal) -> String {
    match text::columns(stream) {
        Some(columns) => text::wrapped(&text, columns),
        None => text,
    }
}

/// The command line, with the flags of the players of a catalogue.
fn command(catalogue: &Catalogue) -> clap::Command {
    // For a number below 0 the message must name the allowed range, not an unknown option.
    let numbers = |arg: Arg| {
        let takes_values = arg.get_action().takes_values();
        under_heading(arg).allow_negative_numbers(takes_values)
    };
    let command = Cli::command();
    let command =
        command.mut_subcommands(|command| with_options(catalogue, command).mut_args(numbers));
    groups::grouped(command)
}

/// An error of the command line. A name of a game or a player without its flag gets a tip.
fn with_tip(catalogue: &Catalogue, mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg).cloned() else {
        return error;
    };
    let is_game = catalogue.games().iter().any(|game| game.name == given);
    let is_player = catalogue
        .players()
        .iter()
        .any(|player| player.name == given);
    let flag = match (is_game, is_player) {
        (true, _) => "--game",
        (_, true) => "--player",
        _ => return error,
    };
    let tip = vec![format!("write `{flag} {given}`").into()];
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tip));
    error
}

/// Runs the command line of a program with these games, players and optimizers. The first game of the catalogue is the
/// default of all commands, and its first player is the default player.
pub fn run(catalogue: Catalogue) -> ExitCode {
    run_for_tests(catalogue, Testing::default())
}

/// Runs the command line with changes for tests.
#[doc(hidden)]
pub fn run_for_tests(catalogue: Catalogue, testing: Testing) -> ExitCode {
    interrupt::report_large_files();
    // The catalogue lives as long as the program.
    let catalogue = catalogue.with_weights(shipped::WEIGHTS);
    let catalogue: &'static Catalogue = Box::leak(Box::new(catalogue));
    let matches = command(catalogue).try_get_matches();
    let matches = matches.unwrap_or_else(|error| with_tip(catalogue, error).exit());
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let context = Context {
        quiet: cli.quiet,
        verbose: cli.verbose,
        json: cli.json,
        testing,
        catalogue,
        kinds: RunKinds::builtin(),
    };
    tell_last(context);
    set_cache(cli.cache.clone().or_else(cache::of_user));
    if let Some(folder) = &cli.program_folder {
        let absolute = plain(folder).ok().filter(|folder| folder.is_dir());
        let Some(absolute) = absolute else {
            let shown = folder.display();
            let message = format!("--program-folder {shown}: there is no such folder");
            return Failure::Usage(message).report();
        };
        catalogue.programs().work_in(absolute);
    }
    if cli.command.begins_a_run() {
        catalogue.programs().record_actual_folders();
    }
    if !cli.quiet && cli.command.starts_programs() {
        catalogue
            .programs()
            .tell_guesses(|line: &str| message(line));
    }
    if let Err(name) = InstructionSet::named() {
        let sets = InstructionSet::ALL.map(InstructionSet::name).join(", ");
        return Failure::Usage(format!("{VARIABLE} is `{name}`; allowed: {sets}")).report();
    }
    let ended = match cli.command {
        Command::Init(command) => command.run(context),
        Command::Tune(command) => command.run(context),
        Command::Compare(command) => command.run(context),
        Command::Resume(command) => command.run(context),
        Command::Ablate(command) => command.run(context),
        Command::Evaluate(command) => command.run(context),
        Command::Advise(command) => command.run(context),
        Command::Play(command) => command.run(context),
        Command::Serve(command) => command.run(context),
        Command::Browser(command) => command.run(context),
        Command::Replay(command) => command.run(context),
        Command::Verify(command) => command.run(context),
        Command::Report(command) => command.run(context),
        Command::Runs(command) => command.run(context),
        Command::Worker(command) => command.run(context),
        Command::Cluster(command) => command.run(context),
        Command::Export(command) => command.run(context),
        Command::Fingerprint => fingerprint::run(context),
        Command::List(command) => command.run(context),
        Command::Completions(command) => command.run(context),
        Command::Man(command) => command.run(context),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
