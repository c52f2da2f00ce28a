//! Which terms of a heuristic can go: the least important term of a run is left out, the rest is tuned again by a
//! campaign of its own, and fresh games compare it with all terms; and so on, until they show a loss.
//!
//! The folder has an ordinary run directory for each step, so that an interrupted pruning goes on where it was: complete
//! runs play nothing. The result is a pure function of the run and the budget. This module must not know how charts are
//! drawn.

use std::collections::BTreeMap;
use std::path::Path;

use crate::campaign::{self, understood};
use crate::config::Source;
use crate::config::campaign::Campaign;
use crate::config::campaign::Limits;
use crate::config::heuristic_file::HeuristicConfig;
use crate::run::child::check;
use crate::run::write_folder;
use crate::run::{Control, Run, RunDirectory, RunError, RunPlan, Session, StoreError};
use tiletune_engine::heuristic::terms::{Term, complete, terms, with_weight};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::random::{Stream, derive};
use tiletune_report::chart::{PRUNING_CHARTS, render};
use tiletune_report::report::{Block, pruned as page};
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::{Evaluate, Evaluator, EvaluatorFactory};
use tiletune_tuning::results::RunData;
use tiletune_tuning::results::pruning::{PruneStep, Pruned};

/// Games of each step if the run has no hold-out games.
const GAMES: u32 = 1_000;

/// What is pruned, and where.
pub struct Pruning<'a> {
    /// The run directory of the campaign.
    pub run: &'a Path,
    /// The limits of each search; without any, those of the run.
    pub budget: Limits,
    /// The folder of the runs and the report.
    pub out: &'a Path,
    /// The process that executes them.
    pub session: Session,
}

/// Leaves out terms until a loss is shown. Writes a run directory for each step, `report.html`, `pruning.json` and a chart.
///
/// # Errors
/// If the run is no campaign whose search has ended, has fewer than two terms that can be left out, or a run fails.
pub fn prune(
    catalogue: &Catalogue,
    pruning: &Pruning,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<(Pruned, Vec<Block>), RunError> {
    let directory = RunDirectory::open(pruning.run)?;
    let unusable = |reason: &str| StoreError::unusable(directory.root(), reason);
    if directory.manifest()?.kind != Campaign::KIND.name {
        return Err(unusable("only the terms of a campaign can be left out; name one").into());
    }
    let source = Source::read(&directory.resolved_path())?;
    let campaign = Campaign::resolve_with(catalogue, &source, directory.root())?;
    let data = understood(
        &campaign,
        &directory,
        campaign::load(&campaign, &directory)?,
    )?;
    let missing = || unusable("its search has not ended; `tiletune resume` continues it");
    let tuned = data.tuned.clone().ok_or_else(missing)?;
    let parameters = campaign.player.parameters();
    let full = complete(&campaign.weights(&tuned), &parameters);
    let terms = terms(&parameters);
    let on: Vec<&Term> = left(&terms, &full, &campaign);
    if on.len() < 2 {
        return Err(unusable("it tunes fewer than two terms that can be left out").into());
    }
    std::fs::create_dir_all(pruning.out).map_err(StoreError::io(pruning.out))?;
    let evaluator = &*machines.evaluator(&campaign.player)?;
    let mut pruned = Pruned {
        run: directory.root().display().to_string(),
        name: campaign.config.name.clone(),
        game: data.game.clone(),
        player: data.player.clone(),
        objective: data.objective.clone(),
        games: match campaign.config.validation.games {
            0 => GAMES,
            games => games,
        },
        seed: campaign.config.seed,
        terms: on.len() as u32,
        steps: Vec::new(),
    };
    let mut before = Tuned {
        campaign: campaign.clone(),
        data,
        weights: full.clone(),
    };
    loop {
        let on = left(&terms, &before.weights, &before.campaign);
        if on.len() < 2 {
            break;
        }
        let dropped = least_important(&on, &before.data);
        let step = pruned.steps.len() as u32 + 1;
        let after = tune(
            catalogue, pruning, &before, dropped, step, machines, control,
        )?;
        let games = (&campaign, &full, &after.weights);
        let measured = measure(evaluator, games, pruned.games, step, control)?;
        pruned.steps.push(PruneStep {
            dropped: dropped.name.clone(),
            terms: on.len() as u32 - 1,
            run: folder(step),
            weights: after.weights.to_map(),
            ..measured
        });
        // Written after each step, so that an interrupted pruning has something to show.
        let blocks = write(pruning.out, &pruned)?;
        if pruned.steps.last().is_some_and(PruneStep::is_loss) {
            return Ok((pruned, blocks));
        }
        before = after;
    }
    let blocks = write(pruning.out, &pruned)?;
    Ok((pruned, blocks))
}

/// A search with its results.
struct Tuned {
    campaign: Campaign,
    data: RunData,
    weights: Weights,
}

/// The terms that are on, can be off, and have a parameter that the campaign tunes.
fn left<'a>(terms: &'a [Term], weights: &Weights, campaign: &Campaign) -> Vec<&'a Term> {
    let free = campaign.space.free_names();
    let is_left = |term: &&Term| {
        term.can_be_off && term.is_on(weights) && free.iter().any(|name| term.has(name))
    };
    terms.iter().filter(is_left).collect()
}

/// The term whose most important parameter matters least. A parameter of unknown importance counts as unimportant.
fn least_important<'a>(on: &[&'a Term], data: &RunData) -> &'a Term {
    let importance = |term: &Term| {
        let all = data.importance.iter().flat_map(|all| &all.parameters);
        let own = all.filter(|one| term.has(&data.parameters[one.index].name));
        own.map(|one| one.effect).fold(0.0, f64::max)
    };
    let least = on
        .iter()
        .min_by(|one, other| importance(one).total_cmp(&importance(other)));
    least.expect("there are terms")
}

/// The folder of the run of a step.
fn folder(step: u32) -> String {
    format!("step-{step:02}")
}

/// Tunes what is left without a term, starting at the weights before.
fn tune(
    catalogue: &Catalogue,
    pruning: &Pruning,
    before: &Tuned,
    dropped: &Term,
    step: u32,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<Tuned, RunError> {
    let known = before.campaign.player.parameters();
    let start = with_weight(&before.weights, [dropped], 0.0, &known);
    let mut config = before.campaign.config.clone();
    config.name = format!("{}-without-{}", before.data.name, dropped.name);
    config.why = format!("Is the term `{}` needed?", dropped.name);
    config.seed = derive(before.campaign.config.seed, Stream::Child, step.into(), 0) >> 11;
    config.heuristic = HeuristicConfig::of(&before.campaign.player);
    config.parameters.retain(|key, _| !dropped.has(key));
    config.validation.games = 0;
    config.validation.look = 1;
    config.validation.deeper.clear();
    config.validation.deeper_games = None;
    config.start = crate::config::campaign::Start {
        values: start.to_map(),
        games: Some(0),
        ..Default::default()
    };
    let text = toml::to_string(&config).map_err(|error| RunError::Differs(error.to_string()))?;
    let source = Source::new("the campaign of this step", text);
    let source = pruning.budget.in_place_of_budget(source)?;
    let campaign = Campaign::resolve_with(catalogue, &source, pruning.out)?;
    let root = pruning.out.join(folder(step));
    complete_run(&campaign, &root, pruning, &dropped.name, machines, control)?;
    let directory = RunDirectory::open(&root)?;
    let data = understood(
        &campaign,
        &directory,
        campaign::load(&campaign, &directory)?,
    )?;
    let missing = || StoreError::unusable(&root, "the run has no tuned weights");
    let tuned = data.tuned.as_ref().ok_or_else(missing)?;
    let weights = complete(&campaign.weights(tuned), &known);
    Ok(Tuned {
        weights,
        campaign,
        data,
    })
}

/// Begins the run of a step, or goes on with it.
fn complete_run(
    campaign: &Campaign,
    root: &Path,
    pruning: &Pruning,
    dropped: &str,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<(), RunError> {
    let run = if RunDirectory::is_begun(root) {
        let mut run = Run::open(root)?;
        check(campaign, run.directory())?;
        if run.is_complete() {
            return Ok(());
        }
        run.resume(pruning.session.clone())?;
        run
    } else {
        let text = campaign
            .resolved()
            .map_err(|error| StoreError::damaged(root, error))?;
        Run::begin(campaign, &text, root, pruning.session.clone())?
    };
    control.observer.child_begins(&format!("without {dropped}"));
    let ended = run.execute(campaign, machines, control);
    control.observer.child_ends();
    ended.map(drop)
}

/// Plays fresh games with all terms and with those that are left.
fn measure(
    evaluator: &dyn Evaluator,
    (campaign, full, weights): (&Campaign, &Weights, &Weights),
    games: u32,
    step: u32,
    control: &mut Control,
) -> Result<PruneStep, RunError> {
    let players = campaign.player.players();
    // A comparison has no seeds with a first number as large as this.
    let stream = (1 << 32) + u64::from(step);
    let seeds = players.game_seeds(campaign.config.seed, Stream::Compare, stream, games.into());
    let play = |weights: &Weights| evaluator.games(weights, &seeds, control.progress);
    let [full, tuned] = [play(full)?, play(weights)?];
    let mut once = campaign.clone();
    once.config.validation.look = 1;
    let objective = campaign::validation(&once, &full, &tuned, control.progress.stop())?.objective;
    Ok(PruneStep {
        dropped: String::new(),
        terms: 0,
        run: String::new(),
        value: objective.tuned,
        interval: objective.tuned_interval,
        full: objective.start,
        difference: objective.difference,
        weights: BTreeMap::new(),
    })
}

/// Writes report, chart and results. Returns the blocks of the report without the chart.
fn write(out: &Path, pruned: &Pruned) -> Result<Vec<Block>, RunError> {
    let drawn = render(PRUNING_CHARTS, pruned)?;
    let title = format!("{}: which terms can go", pruned.name);
    let blocks = page::report(pruned, &drawn);
    write_folder(out, ("pruning", pruned), &drawn, (&title, &blocks))?;
    Ok(blocks)
}
