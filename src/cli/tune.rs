//! `tiletune tune`: a campaign from a TOML file to a run directory.

use std::path::{Path, PathBuf};

use clap::Args;

use super::carry_out::campaign::carry_out;
use super::{Context, Failure, plan};
use crate::campaign;
use crate::config::Source;
use crate::config::campaign::Campaign;
use crate::evaluation::local::Local;
use crate::store::StoreError;
use crate::store::manifest::{Session, utc};

#[derive(Args)]
pub(super) struct Tune {
    /// The campaign file; without one, the quickstart campaign that is built in.
    config: Option<PathBuf>,
    /// Run directory to make; it must not exist, or must be empty.
    /// [default: results/<name>-<UTC time>]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Set a key of the campaign file, as in `--set budget.generations=10`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Show the plan and an estimate of the time, and stop there.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Args)]
pub(super) struct Threads {
    /// Threads that play; without it one per core. The results do not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Threads {
    /// How many threads that is.
    pub(super) fn number(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    pub(super) fn evaluator(&self, campaign: &Campaign) -> Result<Local, Failure> {
        let threads = self.threads.map(usize::from);
        Local::new(campaign.player.clone(), threads)
            .map_err(|error| Failure::Failed(format!("cannot start threads: {error}")))
    }
}

impl Tune {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let source = match &self.config {
            Some(path) => Source::read(path)?,
            None => quickstart(),
        };
        let source = source.with_settings(&self.set)?;
        let folder = self.config.as_deref().and_then(Path::parent);
        let campaign = Campaign::resolve(&source, folder.unwrap_or(Path::new("")))?;
        let local = self.threads.evaluator(&campaign)?;
        if self.dry_run {
            return plan::show(&campaign, &local, context);
        }
        let out = self.out.unwrap_or_else(|| {
            let name = format!("{}-{}", campaign.config.name, utc("%Y%m%dT%H%M%SZ"));
            Path::new("results").join(name)
        });
        let session = Session::now(local.threads());
        let begun = campaign::begin(&campaign, &source.text, &out, session);
        let (directory, manifest) = begun.map_err(|error| match error {
            StoreError::Io { path, source } => {
                Failure::Usage(format!("cannot write to {}: {source}", path.display()))
            }
            error => error.into(),
        })?;
        context.say(format!("run directory: {}", out.display()));
        carry_out(&campaign, &local, &directory, manifest, context)
    }
}

fn quickstart() -> Source {
    let text = include_str!("../../configs/quickstart.toml");
    Source::new("the built-in quickstart campaign", text)
}
