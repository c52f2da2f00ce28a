//! `tiletune tune`: runs the campaign of a TOML file in a new run directory.

use std::path::{Path, PathBuf};

use clap::Args;

use super::budget::BudgetArgs;
use super::execute::{NewRun, execute, read};
use super::numbers::whole;
use super::run_path::run_path;
use super::{Context, Failure, init, plan, prune};
use crate::Catalogue;
use crate::campaign;
use crate::config::campaign::Campaign;
use crate::config::series::Series;
use crate::config::{Source, heuristic_file};
use crate::evaluation::Evaluator;
use crate::games::twenty48;
use crate::run::RunPlan;

#[derive(Args)]
#[command(after_help = "\
--json: one object with weights and validation; of a series, of --dry-run and of --prune another one.

Examples:
  tiletune tune
      the quickstart: ten seconds on two cores
  tiletune tune my-terms.toml
      the weights of a heuristic file
  tiletune tune my.toml --dry-run
      plan and time
  tiletune tune my.toml --out results/mine
      run it
  tiletune tune my.toml --minutes 30 --set player.depth=2
      for half an hour, with another setting
  tiletune tune my.toml --repeat 5
      five searches and their spread
  tiletune tune --prune results/mine --games 20000
      which terms of a run can go")]
pub(super) struct Tune {
    /// Campaign file (default: the built-in quickstart campaign), or a heuristic file: then a campaign of two minutes
    /// at most for all its weights, the one that `tiletune init --heuristic FILE` prints.
    config: Option<PathBuf>,
    #[command(flatten)]
    new_run: NewRun,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Run the campaign K times under seeds derived from its own, and compare the results: 2 to 100.
    #[arg(long, value_name = "K", value_parser = whole(2..=100u32))]
    repeat: Option<u32>,
    /// Leave out the terms of this campaign one by one, the least important one first: tune the rest again, with the budget
    /// of the campaign or the one below, and stop when fresh games show a loss. Writes into results/RUN-pruned, or --out.
    #[arg(long, value_name = "RUN", value_parser = run_path, conflicts_with_all = ["config", "repeat", "set"])]
    prune: Option<PathBuf>,
    /// Print the games, the time that they take and the differences that they show, from a short
    /// calibration, then exit.
    #[arg(long)]
    dry_run: bool,
}

impl Tune {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        if let Some(run) = &self.prune {
            let budget = self.budget.limits();
            if self.dry_run {
                return prune::show_plan(run, &budget, &self.new_run, context);
            }
            return prune::run(run, budget, self.new_run, context);
        }
        let source = match &self.config {
            Some(path) => campaign_of(path, read(path, "a campaign")?, context)?,
            None => quickstart(context.catalogue)?,
        };
        // A setting of a key changes the budget that the options give.
        let mut source = self.budget.limits().in_place_of_budget(source)?;
        if let Some(repeat) = self.repeat {
            let typed = format!("--repeat {repeat}");
            source = source.with_option(&typed, &format!("series.repeat={repeat}"))?;
        }
        let settings = source.clone().with_settings(&self.new_run.set)?;
        if settings.has(&["series"]) {
            self.start::<Series>(
                source,
                |series| (&series.campaign, series.repeat()),
                context,
            )
        } else {
            self.start::<Campaign>(source, |campaign| (campaign, 1), context)
        }
    }

    /// Begins and executes a plan: a campaign, or its repetition.
    fn start<P: RunPlan>(
        self,
        source: Source,
        campaign: fn(&P) -> (&Campaign, u32),
        context: Context,
    ) -> Result<(), Failure> {
        let folder = self.config.as_deref().and_then(Path::parent);
        let (plan, source) =
            (self.new_run).plan::<P>(source, folder.unwrap_or(Path::new("")), context)?;
        let (campaign, repeat) = campaign(&plan);
        let threads = self.new_run.threads.number();
        for notice in campaign::notices(campaign) {
            context.message(notice);
        }
        if self.dry_run {
            self.new_run.cluster.leave_out(context)?;
            let local = self.new_run.threads.evaluator(&campaign.player)?;
            plan::show(campaign, repeat, &local, context)?;
            if let Some(found) = local.unrepeated() {
                context.message(found.in_words());
            }
            return Ok(());
        }
        let backend = self.new_run.cluster.backend(threads, context)?;
        let out = self.new_run.out;
        if let Some(program) = campaign.player.program() {
            program.start().map_err(Failure::Failed)?;
        }
        if let Some(notice) = campaign::unknown_power(campaign, repeat > 1) {
            context.message(notice);
        }
        let run = out.begin(&plan, &source, threads, context)?;
        if campaign.is_seed_drawn {
            context.message(format!("seed {} (drawn)", campaign.config.seed));
        }
        execute(&plan, &backend, run, false, context)
    }
}

/// The campaign of a file. For a heuristic file it is the one that tunes all its weights.
fn campaign_of(path: &Path, source: Source, context: Context) -> Result<Source, Failure> {
    if !heuristic_file::is_heuristic(&source) {
        return Ok(source);
    }
    let catalogue = context.catalogue;
    let player = heuristic_file::first_player(catalogue, &source, None, None)?;
    let file = path.file_name().map(Path::new);
    let text = init::of_player(catalogue, &player, file)?;
    context.message(format!(
        "{}: a heuristic file; its weights are tuned in {} with {}, for at most two minutes (`tiletune init --heuristic` \
         prints this campaign)",
        path.display(),
        player.entry.game.name,
        player.entry.name
    ));
    Ok(Source::new(
        format!("the campaign of {}", source.name),
        text,
    ))
}

/// The campaign without a file. If the default game is not the one of the quickstart, it is the campaign of `init`.
pub(super) fn quickstart(catalogue: &Catalogue) -> Result<Source, Failure> {
    if catalogue.default_game().name != twenty48::NAME {
        let player = init::own_player(catalogue, None, None)?;
        let text = init::of_player(catalogue, &player, None)?;
        return Ok(Source::new("the campaign of `tiletune init`", text));
    }
    let text = include_str!("../../configs/quickstart.toml");
    Ok(Source::new("the built-in quickstart campaign", text))
}
