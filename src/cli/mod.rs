//! The command line: one file per command, one match arm each. Data goes to stdout, talk to
//! stderr; the exit code says how it ended.

mod ablate;
mod advise;
mod completions;
mod evaluate;
mod execute;
mod export;
mod failure;
mod fingerprint;
mod interrupt;
mod list;
mod live;
mod plan;
mod play;
mod player_args;
mod report;
mod resume;
mod text;
mod tune;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::simd::InstructionSet;
use crate::simd::VARIABLE;
use failure::Failure;

/// Tune the weights of heuristics for 2048-like games, and trust the result.
#[derive(Parser)]
#[command(name = "tiletune", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed, 2 bad usage or config, 130 interrupted \
                  (the run can be resumed).\nEnvironment: TILETUNE_SIMD=portable, avx2 or avx512 limits \
                  the vector instructions used; games are the same with each."
)]
pub struct Cli {
    /// Say nothing on stderr but errors.
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Print the result as one JSON object.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a tuning campaign from a TOML file.
    Tune(tune::Tune),
    /// Continue a campaign or an experiment that was interrupted.
    Resume(resume::Resume),
    /// Run an experiment from a TOML file: players with fixed weights beside each other and beside
    /// what is known of them.
    Ablate(ablate::Ablate),
    /// Play seeded games with one player and report how it did.
    Evaluate(evaluate::Evaluate),
    /// Tell the value of every move of positions read from stdin.
    Advise(advise::Advise),
    /// Watch one game, or one that a run recorded, move by move.
    Play(play::Play),
    /// Draw every chart of a run again and write its report; no game is played.
    Report(report::Report),
    /// Write weights in the form of another program.
    Export(export::Export),
    /// Print one hash over seeded games of every player: the same hash, the same play.
    Fingerprint,
    /// List what there is.
    List(list::List),
    /// Print a completion script for a shell.
    Completions(completions::Completions),
}

/// What every command may look at.
#[derive(Clone, Copy)]
struct Context {
    quiet: bool,
    json: bool,
}

impl Context {
    /// Says something to the person at the terminal.
    fn say(self, text: impl std::fmt::Display) {
        if !self.quiet {
            tell(text);
        }
    }
}

/// Says something on stderr. Whether anyone hears it must not change what the program does.
fn tell(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Runs the command line.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let context = Context {
        quiet: cli.quiet,
        json: cli.json,
    };
    if let Err(name) = InstructionSet::named() {
        let sets = InstructionSet::ALL.map(InstructionSet::name).join(", ");
        return Failure::Usage(format!("{VARIABLE} is `{name}`; allowed: {sets}")).report();
    }
    let ended = match cli.command {
        Command::Tune(command) => command.run(context),
        Command::Resume(command) => command.run(context),
        Command::Ablate(command) => command.run(context),
        Command::Evaluate(command) => command.run(context),
        Command::Advise(command) => command.run(),
        Command::Play(command) => command.run(context),
        Command::Report(command) => command.run(context),
        Command::Export(command) => command.run(context),
        Command::Fingerprint => fingerprint::run(context),
        Command::List(command) => command.run(context),
        Command::Completions(command) => command.run(),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
