//! Repeats the hold-out games of start and tuned weights that a weights file claims, from its provenance alone.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::exact;
use super::validation::ValidationTerms;
use crate::config::provenance::{self, ClaimedWeights, Figures};
use crate::config::weights_file::{self, TUNED};
use crate::run::replay::Replay;
use crate::run::{Control, RunDirectory, RunError, Task, VALIDATION, tables};
use tiletune_engine::random::Stream;
use tiletune_engine::record::{GameRecord, Phase, as_text};
use tiletune_engine::stop::Stop;
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::{Evaluate, EvaluatorFactory};
use tiletune_tuning::results::{Selection, Validation, Verdict};

/// The measured part of a claim.
#[derive(Serialize)]
struct ClaimedFigures {
    verdict: Option<Verdict>,
    selection: Option<Selection>,
    hold_out: Figures,
}

/// Reads the claim of the `tuned.toml` of a run.
pub(crate) fn claimed(
    catalogue: &Catalogue,
    directory: &RunDirectory,
) -> Result<ClaimedWeights, RunError> {
    let source = weights_file::source(&weights_file::tuned(directory.root()))?;
    Ok(provenance::read(catalogue, &source)?)
}

/// What is claimed: of weights, or the name of a run.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Claim<'a> {
    /// The hold-out games of weights.
    Weights(Box<WeightsClaim<'a>>),
    /// The kind of the run and its name.
    Run(BTreeMap<String, String>),
}

/// The hold-out games of weights.
#[derive(Serialize, JsonSchema)]
pub struct WeightsClaim<'a> {
    #[serde(flatten)]
    figures: &'a Figures,
    /// Player and options in words.
    player: String,
    /// Number of games.
    games: u32,
    /// Seed, as text.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    seed: u64,
    /// The conclusion; null if none is recorded.
    verdict: Option<Verdict>,
    /// Name of the start weights; null for those that the campaign started from.
    with: Option<&'a str>,
}

/// A claim with all recorded digits, and its number of games.
pub fn claim(claimed: &ClaimedWeights) -> (Value, u64) {
    let hold_out = &claimed.hold_out;
    let claim = WeightsClaim {
        figures: &hold_out.figures,
        player: claimed.player.describe(),
        games: hold_out.games,
        seed: hold_out.seed,
        verdict: claimed.claim.verdict,
        with: hold_out.with.as_deref(),
    };
    (json!(claim), 2 * u64::from(hold_out.games))
}

/// Repeats the hold-out games of a claim and compares the results with those of the weights file `file`.
///
/// # Errors
/// If a stop was requested through `control`.
pub fn replay(
    claimed: &ClaimedWeights,
    file: &Path,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<Replay, RunError> {
    let games = play(claimed, machines, control)?;
    compare(claimed, file, &games, control.progress.stop()).map(|(replay, _)| replay)
}

/// Repeats the claim of the `tuned.toml` of a run directory. The games are also compared with the recorded ones, game
/// by game, and the results with `validation.json`. `tuned` is the name of the tuned weights in the table of the
/// hold-out games.
///
/// # Errors
/// As [`replay`], or if a file of the directory is damaged.
pub(crate) fn replay_run(
    catalogue: &Catalogue,
    directory: &RunDirectory,
    tuned: &str,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<Replay, RunError> {
    let claimed = claimed(catalogue, directory)?;
    let games = play(&claimed, machines, control)?;
    let stop = control.progress.stop();
    let (mut replay, mut validation) = compare(&claimed, &directory.path(TUNED), &games, stop)?;
    // Games at other depths are not part of the claim, and they can take as long as the search. Their recorded results
    // are kept.
    let recorded: Option<Validation> = directory.read_json(VALIDATION)?;
    validation.deeper = recorded.map_or_else(Vec::new, |recorded| recorded.deeper);
    validation.exact = exact::scores(&claimed.player, &claimed.start, &claimed.tuned, stop)?;
    replay.compare_file(directory, VALIDATION, &validation)?;
    for (name, games) in ["start", tuned].into_iter().zip(&games) {
        let path = directory.hold_out_part(name);
        let table = directory.name_of(&path);
        let label = |game: usize| format!("{table}: game {game}");
        replay.compare_games(&tables::read_games(&path)?, games, label);
    }
    Ok(replay)
}

/// Plays the hold-out games of start and tuned weights. They depend on the claim alone, not on the recorded games.
fn play(
    claimed: &ClaimedWeights,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<[Vec<GameRecord>; 2], RunError> {
    let hold_out = &claimed.hold_out;
    let count = u64::from(hold_out.games);
    control.observer.task_begins(Task::Phase {
        phase: Phase::HoldOut,
        games: 2 * count,
    });
    let evaluator = machines.evaluator(&claimed.player)?;
    let seeds = (claimed.player).game_seeds(hold_out.seed, Stream::Evaluate, 0, count);
    let start = evaluator.games(&claimed.start, &seeds, control.progress)?;
    let tuned = evaluator.games(&claimed.tuned, &seeds, control.progress)?;
    Ok([start, tuned])
}

fn compare(
    claimed: &ClaimedWeights,
    file: &Path,
    [start, tuned]: &[Vec<GameRecord>; 2],
    stop: Stop,
) -> Result<(Replay, Validation), RunError> {
    let claim = &claimed.claim;
    let mut validation = ValidationTerms::of_claim(claimed).validation(start, tuned, stop)?;
    // The stages of the search are taken from the record. The hold-out stage follows from the games.
    let value = validation.objective.tuned;
    validation.selection = claim.selection.map(|one| one.with_hold_out(value));
    let recorded = ClaimedFigures {
        verdict: claim.verdict,
        selection: claim.selection,
        hold_out: claimed.hold_out.figures.clone(),
    };
    let replayed = ClaimedFigures {
        verdict: claim.verdict.map(|_| validation.verdict()),
        selection: validation.selection,
        hold_out: (&validation).into(),
    };
    let mut replay = Replay::default();
    replay.add_played((start.len() + tuned.len()) as u64);
    replay.compare(file, &recorded, &replayed)?;
    Ok((replay, validation))
}
