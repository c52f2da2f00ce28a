//! Which terms of a heuristic can go: the least important term of a run is left out, the rest is tuned again by a
//! campaign of its own, and fresh games compare it with all terms; and so on, until they show a loss.
//!
//! The folder has an ordinary run directory for each step, so that an interrupted pruning goes on where it was: complete
//! runs play nothing. The result is a pure function of the run and the budget. It is no kind of run: see the end of
//! `docs/decisions/017-four-kinds-of-run.md`. This module must not know how charts are drawn.

use std::collections::BTreeMap;
use std::path::Path;

use crate::campaign::{self, understood};
use crate::config::Source;
use crate::config::campaign::Campaign;
use crate::config::campaign::Limits;
use crate::config::heuristic_file::HeuristicConfig;
use crate::config::weights_file::DEPENDENT;
use crate::plain_file;
use crate::run::child::check;
use crate::run::shell::quoted;
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

/// The results of a pruning, in its folder.
pub const FILE: &str = "pruning.json";

/// What a pruning would do.
pub struct PruningPlan {
    /// The terms that can be left out, the least important one in the search of the run first. Later searches can find
    /// another order.
    pub terms: Vec<String>,
    /// The campaign of the first step. Its hold-out games stand for the fresh games of the step.
    pub first: Campaign,
}

impl PruningPlan {
    /// Largest number of steps: one term stays.
    pub fn steps(&self) -> u32 {
        self.terms.len() as u32 - 1
    }
}

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
    let (begun, mut pruned) = begin(catalogue, pruning.run)?;
    let parameters = begun.campaign.player.parameters();
    let terms = terms(&parameters);
    let Tuned {
        campaign,
        weights: full,
        ..
    } = begun.clone();
    std::fs::create_dir_all(pruning.out).map_err(StoreError::io(pruning.out))?;
    pruned.command = command(pruning);
    if !pruning.out.join(FILE).exists() {
        // The folder says what it is before its first step is complete.
        write(pruning.out, &pruned)?;
    }
    let evaluator = &*machines.evaluator(&campaign.player)?;
    let mut before = begun;
    loop {
        let on = left(&terms, &before.weights, &before.campaign);
        if on.len() < 2 {
            break;
        }
        let on = by_importance(on, &before.data);
        let dropped = on[0];
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
        // Written after each step, so that an interrupted pruning has something to show. A repeated command does not
        // take back what is there until it has as much.
        if pruned.steps.len() > recorded_steps(pruning.out) {
            write(pruning.out, &pruned)?;
        }
        if pruned.steps.last().is_some_and(PruneStep::is_loss) {
            break;
        }
        before = after;
    }
    pruned.is_complete = true;
    let blocks = write(pruning.out, &pruned)?;
    Ok((pruned, blocks))
}

/// Number of steps in the results of a folder.
fn recorded_steps(folder: &Path) -> usize {
    let text = plain_file::read_text(&folder.join(FILE)).unwrap_or_default();
    serde_json::from_str(&text).map_or(0, |pruned: Pruned| pruned.steps.len())
}

/// The command that begins a pruning and goes on with it.
fn command(pruning: &Pruning) -> String {
    let path = |path: &Path| quoted(&path.to_string_lossy());
    let mut words = vec!["tiletune tune --prune".to_owned(), path(pruning.run)];
    let limits = pruning.budget.options().into_iter();
    words.extend(limits.map(|(name, value)| format!("--{name} {value}")));
    words.extend(["--out".to_owned(), path(pruning.out)]);
    words.join(" ")
}

/// The search of the run whose terms are left out, and the pruning without a step.
fn begin(catalogue: &Catalogue, run: &Path) -> Result<(Tuned, Pruned), RunError> {
    let directory = RunDirectory::open(run)?;
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
    let conditions = campaign.config.parameters.values();
    if !campaign.config.require.is_empty()
        || conditions.clone().any(|one| one.active_when.is_some())
    {
        return Err(unusable(&format!("its {DEPENDENT}")).into());
    }
    let missing = || unusable("its search has not ended; `tiletune resume` continues it");
    let tuned = data.tuned.clone().ok_or_else(missing)?;
    let parameters = campaign.player.parameters();
    let weights = complete(&campaign.weights(&tuned), &parameters);
    let on = left(&terms(&parameters), &weights, &campaign).len();
    if on < 2 {
        return Err(unusable("it tunes fewer than two terms that can be left out").into());
    }
    let pruned = Pruned {
        run: directory.root().display().to_string(),
        name: campaign.config.name.clone(),
        game: data.game.clone(),
        player: data.player.clone(),
        objective: data.objective.clone(),
        games: match campaign.config.validation.games {
            0 => GAMES,
            // Fewer show no loss, however large it is.
            games => games.max(campaign.fewest_hold_out()),
        },
        seed: campaign.config.seed,
        terms: on as u32,
        command: String::new(),
        is_complete: false,
        steps: Vec::new(),
    };
    let tuned = Tuned {
        campaign,
        data,
        weights,
    };
    Ok((tuned, pruned))
}

/// What [`prune`] would do. Plays no game.
///
/// # Errors
/// As [`prune`], before its first game.
pub fn plan(catalogue: &Catalogue, run: &Path, budget: &Limits) -> Result<PruningPlan, RunError> {
    let (begun, pruned) = begin(catalogue, run)?;
    let terms = terms(&begun.campaign.player.parameters());
    let on = by_importance(left(&terms, &begun.weights, &begun.campaign), &begun.data);
    let mut first = without(catalogue, (budget, run), &begun, on[0], 1)?;
    first.config.validation.games = pruned.games;
    Ok(PruningPlan {
        terms: on.iter().map(|term| term.name.clone()).collect(),
        first,
    })
}

/// A search with its results.
#[derive(Clone)]
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

/// The terms, the one whose most important parameter matters least first. A parameter of unknown importance counts as
/// unimportant.
fn by_importance<'a>(mut on: Vec<&'a Term>, data: &RunData) -> Vec<&'a Term> {
    let importance = |term: &Term| {
        let all = data.importance.iter().flat_map(|all| &all.parameters);
        let own = all.filter(|one| term.has(&data.parameters[one.index].name));
        own.map(|one| one.effect).fold(0.0, f64::max)
    };
    on.sort_by(|one, other| importance(one).total_cmp(&importance(other)));
    on
}

/// The folder of the run of a step.
fn folder(step: u32) -> String {
    format!("step-{step:02}")
}

/// The campaign that tunes what is left without a term, starting at the weights before. Relative paths are relative to the
/// folder.
fn without(
    catalogue: &Catalogue,
    (budget, folder): (&Limits, &Path),
    before: &Tuned,
    dropped: &Term,
    step: u32,
) -> Result<Campaign, RunError> {
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
        // The cost of a game at each of several settings is measured in these games.
        games: before.campaign.player.several().is_none().then_some(0),
        ..Default::default()
    };
    let text = toml::to_string(&config).map_err(|error| RunError::Differs(error.to_string()))?;
    let source = Source::new("the campaign of this step", text);
    let source = budget.in_place_of_budget(source)?;
    Ok(Campaign::resolve_with(catalogue, &source, folder)?)
}

/// Tunes what is left without a term.
fn tune(
    catalogue: &Catalogue,
    pruning: &Pruning,
    before: &Tuned,
    dropped: &Term,
    step: u32,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<Tuned, RunError> {
    let place = (&pruning.budget, pruning.out);
    let campaign = without(catalogue, place, before, dropped, step)?;
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
    let weights = complete(&campaign.weights(tuned), &campaign.player.parameters());
    Ok(Tuned {
        campaign,
        data,
        weights,
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
    let player = &campaign.player;
    // A comparison has no seeds with a first number as large as this.
    let stream = (1 << 32) + u64::from(step);
    let seeds = player.game_seeds(campaign.config.seed, Stream::Compare, stream, games.into());
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
