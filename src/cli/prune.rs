//! `tiletune tune --prune RUN`: leaves out the terms of a campaign one by one.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::execute::NewRun;
use super::live::Live;
use super::plan::{CampaignPlan, campaign_json, campaign_text, duration, estimate};
use super::run_path::RESULTS;
use super::{Context, Failure, text};
use crate::build::build;
use crate::campaign::plan as tuning;
use crate::config::campaign::Limits;
use crate::evaluation::local::Local;
use crate::number::several;
use crate::prune::{Pruning, PruningPlan, plan, prune};
use crate::run::{Control, RunError, Session};

/// Leaves out terms of the campaign in a run directory; `budget` is that of each search.
pub(super) fn run(
    root: &Path,
    budget: Limits,
    new_run: NewRun,
    context: Context,
) -> Result<(), Failure> {
    let threads = new_run.threads.number();
    let out = new_run.out.out.unwrap_or_else(|| default_folder(root));
    let backend = new_run.cluster.backend(threads, context)?;
    let (mut live, progress) = Live::begin(context, None)?;
    backend.begin(&live, None, context)?;
    let mut control = Control::new(&progress, &mut live);
    let pruning = Pruning {
        run: root,
        budget,
        out: &out,
        session: Session::of(build(), threads),
    };
    let ended = prune(context.catalogue, &pruning, backend.factory(), &mut control);
    drop(live);
    if let Some(summary) = backend.end() {
        context.message(summary);
    }
    let folder = out.display();
    let (pruned, blocks) = ended.map_err(|error| match error {
        RunError::Interrupted => Failure::Interrupted(format!(
            "interrupted; the same command with --out {folder} goes on"
        )),
        error => error.into(),
    })?;
    context.print(|| pruned.clone(), || text::blocks(&blocks, context.verbose))?;
    context.message(format!("report: {}", out.join("report.html").display()));
    Ok(())
}

/// Prints the plan of a pruning.
pub(super) fn show_plan(
    root: &Path,
    budget: &Limits,
    new_run: &NewRun,
    context: Context,
) -> Result<(), Failure> {
    let pruning = plan(context.catalogue, root, budget)?;
    new_run.cluster.leave_out(context)?;
    let local = new_run.threads.evaluator(&pruning.first.player)?;
    show_pruning(&pruning, &local, context)
}

/// Prints the plan of leaving out the terms of a campaign.
fn show_pruning(pruning: &PruningPlan, local: &Local, context: Context) -> Result<(), Failure> {
    // The games of a step are those of the pruning, which computes no exact scores.
    let estimate = tuning::CampaignEstimate {
        exact_seconds: None,
        ..estimate(&pruning.first, 1, local, context)?
    };
    context.print(
        || pruning_json(pruning, &estimate),
        || pruning_text(pruning, &estimate),
    )
}

/// What `tiletune tune --prune RUN --dry-run` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct PruningSteps<'a> {
    /// The terms that can be left out, the least important one in the search of the run first.
    terms: &'a [String],
    /// Most steps; a loss that is shown ends them earlier.
    steps: u32,
    /// The campaign of the first step. Its hold-out games are the fresh games of the step.
    first: CampaignPlan<'a>,
    /// Estimated seconds of all steps, if each takes as long as the first.
    estimated_seconds: f64,
}

fn pruning_json<'a>(
    pruning: &'a PruningPlan,
    estimate: &'a tuning::CampaignEstimate,
) -> PruningSteps<'a> {
    PruningSteps {
        terms: &pruning.terms,
        steps: pruning.steps(),
        first: campaign_json(&pruning.first, estimate),
        estimated_seconds: estimate.seconds * f64::from(pruning.steps()),
    }
}

fn pruning_text(pruning: &PruningPlan, estimate: &tuning::CampaignEstimate) -> String {
    let steps = pruning.steps();
    let all = duration(estimate.seconds * f64::from(steps));
    [
        format!(
            "{} terms can be left out, the least important one first: {}",
            pruning.terms.len(),
            pruning.terms.join(", ")
        ),
        format!(
            "at most {}; each is a search of what is left, whose importances choose the next term, and fresh games with \
             all terms and with those that are left (below as hold-out games). A loss that is shown ends it",
            several(steps, "step")
        ),
        String::new(),
        "The first step".to_owned(),
        campaign_text(&pruning.first, estimate),
        String::new(),
        format!("estimated time of all steps, if each takes as long: at most {all}"),
    ]
    .join("\n")
}

/// `results/<name of the run>-pruned`. A pruning that was interrupted goes on there.
fn default_folder(root: &Path) -> PathBuf {
    let name = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Path::new(RESULTS).join(format!(
        "{}-pruned",
        name.unwrap_or_else(|| "run".to_owned())
    ))
}
