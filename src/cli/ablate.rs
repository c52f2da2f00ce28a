//! `tiletune ablate`: runs the experiment of a TOML file in a new run directory.

use std::path::{Path, PathBuf};

use clap::Args;

use super::execute::{NewRun, execute, read};
use super::publish::{publish, with_file};
use super::{Context, Failure, plan};
use crate::config::experiment::{Experiment, own_games as own_games_of};
use crate::config::{ConfigError, Source};
use crate::run::RunPlan;

#[derive(Args)]
#[command(after_help = "\
--json: one object with a result for each row; with --dry-run another one.

Examples:
  tiletune ablate experiments/2048/terms/experiment.toml --dry-run
      games and time of each row
  tiletune ablate experiments/2048/terms/experiment.toml --set games=200
      fewer games")]
pub(super) struct Ablate {
    /// Experiment file.
    experiment: PathBuf,
    #[command(flatten)]
    new_run: NewRun,
    /// Copy charts (PNG, CSV) and tables into the experiment's folder and replace older copies. Not with --set: the
    /// folder holds the results of its file.
    #[arg(long, conflicts_with = "set")]
    publish: bool,
    /// Print the games of every row, the time that they take and the differences that they show, from a short
    /// calibration, then exit.
    #[arg(long, conflicts_with = "publish")]
    dry_run: bool,
}

impl Ablate {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let source = read(&self.experiment, "an experiment")?;
        let folder = self.experiment.parent().unwrap_or(Path::new(""));
        let file = source.clone();
        let (experiment, source) = self.new_run.plan::<Experiment>(source, folder, context)?;
        if let Some(message) = own_games(&file, &self.new_run.set)? {
            context.message(message);
        }
        let threads = self.new_run.threads.number();
        if self.dry_run {
            self.new_run.cluster.leave_out(context)?;
            return plan::show_experiment(&experiment, threads, context);
        }
        let backend = self.new_run.cluster.backend(threads, context)?;
        let run = self
            .new_run
            .out
            .begin(&experiment, &source, threads, context)?;
        let root = run.directory().root().to_owned();
        let ended = execute(&experiment, &backend, run, false, context);
        if !self.publish {
            return ended;
        }
        ended.map_err(|failure| with_file(failure, &self.experiment))?;
        Ok(publish(Experiment::registered(), &root, folder)?)
    }
}

/// The message that `--set games` does not change rows with their own number of games, if there are such rows.
fn own_games(source: &Source, set: &[String]) -> Result<Option<String>, ConfigError> {
    let has_key = |key: &str| {
        let given = set.iter().filter_map(|setting| setting.split_once('='));
        given.map(|(key, _)| key.trim()).any(|given| given == key)
    };
    if !has_key("games") {
        return Ok(None);
    }
    let rows = own_games_of(source)?;
    let rows: Vec<String> = rows
        .into_iter()
        .filter(|(key, _)| !has_key(key))
        .map(|(key, name)| format!("{name} ({key})"))
        .collect();
    Ok((!rows.is_empty()).then(|| {
        format!(
            "`--set games` does not reach rows with their own number of games: {}",
            rows.join(", ")
        )
    }))
}
