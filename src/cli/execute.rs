//! Shared code of the commands that start or resume a run: flags, execution with progress, and the results on stdout.

use std::path::{Path, PathBuf};

use clap::Args;

use super::backend::Backend;
use super::interrupt::set_last_words;
use super::live::Live;
use super::nats::ClusterArgs;
use super::numbers::whole;
use super::run_path::RESULTS;
use super::{Context, Failure, text};
use crate::build::build;
use crate::config::Source;
use crate::evaluation::local::{Local, MOST_THREADS};
use crate::player::PlayerSpec;
use crate::run::Session;
use crate::run::manifest::utc;
use crate::run::{
    Control, Output, RemainingWork, Run, RunDirectory, RunError, RunPlan, StoreError,
};

#[derive(Args)]
pub(super) struct Threads {
    /// Number of threads (default: one per core); does not change results.
    #[arg(long, value_parser = whole(1..=MOST_THREADS))]
    threads: Option<u16>,
}

impl Threads {
    /// The given number, or the number of cores.
    pub(super) fn number(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or_else(cores, usize::from);
        threads.min(MOST_THREADS.into())
    }

    pub(super) fn evaluator(&self, player: &PlayerSpec) -> Result<Local, Failure> {
        let local = Local::new(player.clone(), self.threads.map(usize::from));
        Ok(local.map_err(RunError::from)?)
    }
}

/// Reads the file of a new run. `wanted` is the kind of file, as in "a campaign".
pub(super) fn read(path: &Path, wanted: &str) -> Result<Source, Failure> {
    if !path.is_dir() {
        return Ok(Source::read(path)?);
    }
    let run = text::quoted(&path.to_string_lossy());
    let what = if RunDirectory::is_begun(path) {
        format!(
            "this is a run directory, not the file of {wanted}: `tiletune resume {run}` continues the run, and \
         `tiletune report {run}` draws its charts again"
        )
    } else {
        format!("this is a directory, not the file of {wanted}")
    };
    Err(Failure::Usage(format!("{}: {what}", path.display())))
}

/// The directory of a new run.
#[derive(Args)]
pub(super) struct Out {
    /// Run directory to create; an existing directory must be empty.
    /// [default: results/<name>-<UTC time>]
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
}

/// The flags of the commands that start the run of a file.
#[derive(Args)]
pub(super) struct NewRun {
    #[command(flatten)]
    pub(super) out: Out,
    /// Set a value of the file, as in `--set seed=5`; the key is a dotted path. `--set player.depths=` removes a key.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    #[command(flatten)]
    pub(super) threads: Threads,
    #[command(flatten)]
    pub(super) cluster: ClusterArgs,
}

impl NewRun {
    /// Resolves a file with the values of `--set`. Also returns the text of the file.
    pub(super) fn plan<P: RunPlan>(
        &self,
        source: Source,
        folder: &Path,
        context: Context,
    ) -> Result<(P, String), Failure> {
        let source = source.with_settings(&self.set)?;
        let plan = P::from_source(context.catalogue, &source, folder)?;
        Ok((plan, source.text))
    }
}

impl Out {
    /// Creates the run directory and prints its path.
    pub(super) fn begin(
        self,
        plan: &dyn RunPlan,
        source: &str,
        threads: usize,
        context: Context,
    ) -> Result<Run, Failure> {
        let out = self.out.unwrap_or_else(|| {
            let name = format!("{}-{}", plan.name(), utc("%Y%m%dT%H%M%SZ"));
            // Runs that begin in the same second get a number.
            let others = (2..).map(|number| format!("{name}-{number}"));
            let mut names = std::iter::once(name.clone()).chain(others);
            let free = names.find(|name| !Path::new(RESULTS).join(name).exists());
            Path::new(RESULTS).join(free.unwrap_or(name))
        });
        let run =
            Run::begin(plan, source, &out, Session::of(build(), threads)).map_err(|error| {
                match error {
                    StoreError::Io { path, source } => {
                        let mut above = out.ancestors().skip(1);
                        let reason = match above.find(|folder| folder.is_file()) {
                            Some(file) => format!("{} is a file, not a directory", file.display()),
                            None => source.to_string(),
                        };
                        Failure::Usage(format!("cannot write to {}: {reason}", path.display()))
                    }
                    error => error.into(),
                }
            })?;
        context.message(format!("run directory: {}", out.display()));
        Ok(run)
    }
}

/// Reports programs that were restarted or did not repeat their games.
fn about_programs(players: &[&PlayerSpec], context: Context) {
    let mut programs: Vec<_> = players.iter().filter_map(|one| one.program()).collect();
    // Several players can share a program.
    programs.dedup_by(|one, other| std::ptr::addr_eq(*one, *other));
    for program in programs {
        if let Some(found) = program.unrepeated() {
            context.message(found.in_words());
        }
        if program.restarts() > 0 {
            context.message(format!(
                "processes of the program that did not answer and were replaced: {} (see program.log)",
                program.restarts()
            ));
        }
    }
}

/// Executes the rest of a run and prints the outcome. `goes_on` is [`Control::goes_on_without_signal`].
pub(super) fn execute(
    plan: &dyn RunPlan,
    backend: &Backend,
    run: Run,
    goes_on: bool,
    context: Context,
) -> Result<(), Failure> {
    print(complete(plan, backend, run, goes_on, context)?, context)
}

/// Prints the outcome of a run.
fn print(printed: Output, context: Context) -> Result<(), Failure> {
    if let Some(before) = &printed.before {
        context.message(before);
    }
    let text = || text::blocks(&printed.blocks, context.verbose);
    context.print(|| printed.json.clone(), text)?;
    for after in &printed.after {
        context.message(after);
    }
    match printed.code {
        0 => Ok(()),
        code => Err(Failure::Verdict(code)),
    }
}

/// Executes the rest of a run. For a complete run only computes the outcome again.
pub(super) fn complete(
    plan: &dyn RunPlan,
    backend: &Backend,
    run: Run,
    goes_on: bool,
    context: Context,
) -> Result<Output, Failure> {
    let root = text::quoted(&run.directory().root().to_string_lossy());
    let interrupted = format!("interrupted; to continue: tiletune resume {root}");
    set_last_words(&interrupted);
    let left = if run.is_complete() {
        RemainingWork::default()
    } else {
        plan.remaining(run.directory())?
    };
    let (mut live, progress) = Live::begin(context, left.games)?;
    live.set_limits(left.generations, left.time);
    let minimises = |player: &&PlayerSpec| {
        let program = player.program();
        program.is_some_and(|program| program.declaration().minimise)
    };
    live.set_minimises(plan.players().iter().any(minimises));
    if !run.is_complete() {
        let prepared = backend.prepare(plan, &live, progress.stop());
        prepared.ok_or_else(|| Failure::Interrupted(interrupted.clone()))?;
    }
    backend.begin(&live, Some(run.directory()), context)?;
    let mut control = Control::new(&progress, &mut live);
    control.goes_on_without_signal = goes_on;
    let ended = plan.complete(run, backend.factory(), &mut control);
    drop(live);
    about_programs(&plan.players(), context);
    if let Some(summary) = backend.end() {
        context.message(summary);
    }
    ended.map_err(|error| match error {
        RunError::Interrupted => Failure::Interrupted(interrupted),
        RunError::WithoutSignal(reason) => Failure::Failed(format!(
            "{reason} To go on all the same: tiletune resume {root} --go-on"
        )),
        error => error.into(),
    })
}
