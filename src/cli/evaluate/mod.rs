//! `tiletune evaluate`: seeded games of one player.

pub(super) mod exact;
mod from_positions;
mod results;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use from_positions::PositionResults;
use results::Results;
use schemars::JsonSchema;
use serde::Serialize;

use super::execute::{Out, Threads, complete};
use super::interrupt::NOTHING_TO_RESUME;
use super::live::Live;
use super::nats::ClusterArgs;
use super::numbers::whole;
use super::player_args::{Chosen, PlayerArgs};
use super::{Context, Failure};
use crate::config::experiment::{self, Experiment};
use crate::config::{Source, check_openings};
use crate::evaluation::{Evaluate as _, EvaluationError, Evaluator, Progress};
use crate::heuristic::weights::Weights;
use crate::player::below_lost::many_below_lost;
use crate::player::options::OptionValue;
use crate::player::{PlayerSpec, Players};
use crate::prepare::Reported;
use crate::program::Program;
use crate::random::Stream;
use crate::record::{GameRecord, as_text};
use crate::report::search;
use crate::run::{RunDirectory, RunError};

#[derive(Args)]
#[command(after_help = "\
Ctrl-C or SIGTERM ends the command within two seconds. It then prints the results of the games before the \
first unfinished one, in the order of the seeds (the unfinished games are mostly long ones, so others would \
not be a fair sample), with \"partial\": true and \"requested_games\" in JSON, and exits with 130. The rates are \
those of the printed games. With --out the games are a run: `tiletune resume` continues it, `report` draws it, \
`replay` plays it again.

--json: one object.

Examples:
  tiletune evaluate
      100 games of expectimax with the published weights
  tiletune evaluate --player expectimax --depth 2 --games 100 --seed 1
      published weights
  tiletune evaluate --weights results/mine --games 1000 --seed 1 --out kept
      those of a run; the games are kept
  tiletune evaluate --positions boards.txt --games 50
      50 games from each board
  tiletune evaluate --board 2x3 --player greedy --exact --losses
      its exact result, and where it loses against perfect play; no game is played
  tiletune evaluate --board 2x3 --player greedy --exact --losses --out losses
      the same as a report with charts
  tiletune evaluate --game connect-four --player strings --opponent random --games 100 --seed 1
      points against an opponent")]
pub(super) struct Evaluate {
    #[command(flatten)]
    player: PlayerArgs,
    /// Number of games; with --positions, of each position.
    #[arg(long, default_value_t = 100, value_parser = whole(1..=10_000_000u32))]
    games: u32,
    /// Seed of the games: equal seeds give equal games.
    #[arg(long, default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Keep the games as a run in this directory, which is created or must be empty: an experiment with one
    /// row. With --exact: report, charts and result.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Play on from the positions of this file, in any form that `advise` takes; - for stdin. Every position
    /// has games of its own seeds, and this machine plays them all. Four in a row: each position is played from both sides.
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    positions: Option<PathBuf>,
    /// Print the exact expected score and the exact probability of each largest tile instead of playing games: 2048 on a
    /// board of at most nine cells, with a built-in player.
    #[arg(long, conflicts_with_all = ["games", "seed", "positions"])]
    exact: bool,
    /// With --exact: also where the player loses against perfect play, by situation and by position.
    #[arg(long, requires = "exact")]
    losses: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl Evaluate {
    pub(super) fn run(mut self, context: Context) -> Result<(), Failure> {
        let chosen = self.player.clone().choose(context)?;
        if self.exact {
            let (out, threads) = (self.out.as_deref(), self.threads.number());
            return exact::run(&chosen, self.losses, out, threads, context);
        }
        check_openings("--games", self.games, chosen.player.players())
            .map_err(|error| Failure::Usage(error.message))?;
        if let Some(found) = many_below_lost(&chosen.player, &chosen.weights) {
            context.message(search::below_lost(found.below, found.positions));
        }
        if context.verbose {
            chosen.tell_lost_weights(context);
        }
        if let Some(path) = self.positions.take() {
            return self.play_positions(&chosen, &path, context);
        }
        if let Some(out) = self.out.take() {
            return self.keep(&chosen, out, context);
        }
        let Chosen { player, weights } = &chosen;
        let threads = self.threads.number();
        let backend = self.cluster.backend(threads, context)?;
        let evaluator = backend.factory().evaluator(player);
        let evaluator = evaluator.map_err(RunError::from)?;
        let count = u64::from(self.games);
        let (live, progress) = Live::begin(context, Some(count))?;
        live.task(player.describe());
        prepare(player, threads, &progress, &live)?;
        let seeds = player
            .players()
            .game_seeds(self.seed, Stream::Evaluate, 0, count);
        let start = Instant::now();
        backend.begin(&live, None, context)?;
        let (games, is_partial) = play(&*evaluator, player, weights, &seeds, &progress)?;
        let seconds = start.elapsed().as_secs_f64();
        drop(live);
        if let Some(summary) = backend.end() {
            context.message(summary);
        }
        if let Some(found) = evaluator.unrepeated() {
            context.message(found.in_words());
        }
        if games.is_empty() {
            return Err(Failure::Interrupted(NOTHING_TO_RESUME.into()));
        }

        let results = Results::new(player, &games, seconds);
        self.show(&chosen, results, (self.games, &[]), threads, context)?;
        if is_partial {
            Err(Failure::Interrupted(NOTHING_TO_RESUME.into()))
        } else {
            Ok(())
        }
    }

    /// Plays the games as a run.
    fn keep(&self, chosen: &Chosen, out: PathBuf, context: Context) -> Result<(), Failure> {
        let Chosen { player, weights } = chosen;
        if i64::try_from(self.seed).is_err() {
            let message = "--out takes seeds from 0 to 2^63 - 1";
            return Err(Failure::usage(message));
        }
        // Else the message would point into the text of the experiment.
        player.check(weights).map_err(Failure::Failed)?;
        let config =
            experiment::ExperimentConfig::of_player(player, weights, self.games, self.seed);
        let text = config.to_toml();
        let source = Source::new("evaluate", text.as_str());
        let plan = Experiment::resolve_with(context.catalogue, &source, Path::new(""))?;
        let threads = self.threads.number();
        let backend = self.cluster.backend(threads, context)?;
        let run = Out { out: Some(out) }.begin(&plan, &text, threads, context)?;
        let root = run.directory().root().to_owned();
        let start = Instant::now();
        complete(&plan, &backend, run, false, context)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut played = crate::experiment::played(&plan, &RunDirectory::open(&root)?)?;
        let results = Results::new(player, &played.games.remove(0), seconds);
        self.show(chosen, results, (self.games, &[]), threads, context)?;
        context.message(format!("report: {}", root.join("report.html").display()));
        Ok(())
    }

    /// Prints the results of games, and those of each position from which they were played.
    fn show(
        &self,
        Chosen { player, weights }: &Chosen,
        results: Results,
        (requested, positions): (u32, &[PositionResults]),
        threads: usize,
        context: Context,
    ) -> Result<(), Failure> {
        if results.without_result() {
            let why = player.program().and_then(Program::missing);
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            return Err(Failure::Failed(format!("no game has a result{why}")));
        }
        let games = results.games();
        let json = || Evaluation {
            results: &results,
            weights: player.entry.has_weights().then(|| weights.iter().collect()),
            options: options(player),
            seed: self.seed,
            threads,
            requested_games: requested,
            partial: games < requested as usize,
            positions,
        };
        let text = || {
            let text = results.text() + &from_positions::text(positions);
            if games < requested as usize {
                format!(
                    "stopped after {games} of {requested} games, counted up to the first unfinished one\n{text}"
                )
            } else {
                text
            }
        };
        context.print(json, text)
    }
}

/// Plays the games of the seeds. After a stop request, returns the games before the first unfinished one, and true. The
/// finished games after it are left out: unfinished games are mostly long ones, so the sample would be biased. In games
/// of two players every opening is complete.
fn play(
    evaluator: &dyn Evaluator,
    player: &PlayerSpec,
    weights: &Weights,
    seeds: &[u64],
    progress: &Progress,
) -> Result<(Vec<GameRecord>, bool), Failure> {
    let mut games = Vec::with_capacity(seeds.len());
    let candidates = std::slice::from_ref(weights);
    let played = evaluator.evaluate::<Infallible>(candidates, seeds, progress, &mut |batch| {
        games.extend_from_slice(batch.games);
        Ok(())
    });
    match played {
        Ok(()) => Ok((games, false)),
        Err(EvaluationError::Interrupted) => {
            let is_side_of_pair = player.players() == Players::Two;
            games.truncate(games.len() & !usize::from(is_side_of_pair));
            Ok((games, true))
        }
        Err(EvaluationError::Player(failure)) => {
            // An evaluator names the weights that cannot be used. Why they cannot is known where the player is built.
            let reason = || player.build(weights).err();
            let reason = player.program().is_none().then(reason).flatten();
            Err(reason.map_or(Failure::Failed(failure), Failure::Usage))
        }
        Err(error @ EvaluationError::False { .. }) => Err(Failure::Failed(error.to_string())),
        Err(EvaluationError::Sink(never)) => match never {},
    }
}

/// Computes what the player needs before its first game.
fn prepare(
    player: &PlayerSpec,
    threads: usize,
    progress: &Progress,
    live: &Live,
) -> Result<(), Failure> {
    let reported = Reported {
        threads,
        stop: progress.stop(),
        say: &live.speaker(),
    };
    let interrupted = || Failure::Interrupted(NOTHING_TO_RESUME.into());
    reported.prepare_players(&[player]).ok_or_else(interrupted)
}

/// What `tiletune evaluate` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct Evaluation<'a> {
    #[serde(flatten)]
    results: &'a Results,
    /// The weights by key; null for a player without weights.
    weights: Option<BTreeMap<&'a str, f64>>,
    /// The options that were given, without the depth.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    options: BTreeMap<String, OptionValue>,
    /// The seed that the seeds of all games follow from.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    seed: u64,
    /// Number of threads.
    threads: usize,
    /// Number of games that were asked for.
    requested_games: u32,
    /// Whether the command was stopped before all were played.
    partial: bool,
    /// With `--positions`: the results of each position.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    positions: &'a [PositionResults],
}

/// The given options, without the depth, which has a separate field.
fn options(player: &PlayerSpec) -> BTreeMap<String, OptionValue> {
    let options = player.config().options.into_iter();
    options.filter(|(key, _)| key != "depth").collect()
}
