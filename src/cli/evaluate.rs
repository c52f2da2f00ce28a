//! `tiletune evaluate`: seeded games of one player.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};

use super::execute::{Out, Threads, complete};
use super::interrupt::{NOTHING_TO_RESUME, stop_on_interrupt};
use super::live::Live;
use super::nats::ClusterArgs;
use super::player_args::{Chosen, PlayerArgs};
use super::{Context, Failure, text};
use crate::config::experiment::{self, Experiment};
use crate::config::{Source, check_openings};
use crate::evaluation::{EvaluationError, Evaluator, Makes, Progress};
use crate::heuristic::weights::Weights;
use crate::number::{compact, grouped};
use crate::player::format::number;
use crate::player::{PlayerSpec, Players};
use crate::random::Stream;
use crate::record::{Endings, GameRecord, GameSummary, Outcomes};
use crate::run::{RunDirectory, RunError};
use crate::stats::bootstrap::{Resampling, mean_interval};
use crate::stats::games::{results, summarize};
use crate::stats::intervals::{Interval, median_interval, share_interval};
use crate::stats::points::points;

#[derive(Args)]
#[command(after_help = "\
Ctrl-C or SIGTERM ends the command within two seconds. It then prints the results of the games before the \
first unfinished one, in the order of the seeds (the unfinished games are mostly long ones, so others would \
not be a fair sample), with \"partial\": true and \"requested_games\" in JSON, and exits with 130. The rates are \
those of the printed games. With --out the games are a run: `tiletune resume` continues it, `report` draws it, \
`replay` plays it again.")]
pub(super) struct Evaluate {
    #[command(flatten)]
    player: PlayerArgs,
    /// Number of games.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,
    /// Seed of the games: equal seeds give equal games.
    #[arg(long, allow_negative_numbers = true)]
    seed: u64,
    /// Keep the games as a run in this directory, which is created or must be empty: an experiment with one
    /// row.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl Evaluate {
    pub(super) fn run(mut self, context: Context) -> Result<(), Failure> {
        let chosen = self.player.clone().choose()?;
        check_openings("--games", self.games, chosen.player.players())
            .map_err(|error| Failure::Usage(error.message))?;
        if let Some(out) = self.out.take() {
            return self.keep(&chosen, out, context);
        }
        let Chosen { player, weights } = &chosen;
        let local = self.threads.evaluator(player)?;
        let connection = self.cluster.connect(local.threads(), context)?;
        let count = u64::from(self.games);
        let live = Live::new(context, Some(count));
        let progress = live.progress();
        stop_on_interrupt(&progress, live.speaker(), || ())?;
        live.task(player.describe());
        let seeds = player
            .players()
            .game_seeds(self.seed, Stream::Evaluate, 0, count);
        let start = Instant::now();
        let (games, is_partial) = match &connection {
            None => play(&local, player, weights, &seeds, &progress)?,
            Some(connection) => {
                connection.show_by(Box::new(live.speaker()), live.machines());
                let cluster = connection.evaluator(player).map_err(RunError::from)?;
                play(&cluster, player, weights, &seeds, &progress)?
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        drop(live);
        if let Some(summary) = connection.and_then(|connection| connection.summary()) {
            context.message(summary);
        }
        if let Some(found) = local.unrepeated() {
            context.message(found.in_words());
        }
        if games.is_empty() {
            return Err(Failure::Interrupted(NOTHING_TO_RESUME.into()));
        }

        self.show(&chosen, &games, seconds, local.threads(), context)?;
        match is_partial {
            true => Err(Failure::Interrupted(NOTHING_TO_RESUME.into())),
            false => Ok(()),
        }
    }

    /// Plays the games as a run.
    fn keep(&self, chosen: &Chosen, out: PathBuf, context: Context) -> Result<(), Failure> {
        let Chosen { player, weights } = chosen;
        if i64::try_from(self.seed).is_err() {
            let message = "--out takes seeds from 0 to 2^63 - 1";
            return Err(Failure::Usage(message.into()));
        }
        let config = experiment::Config::of_player(player, weights, self.games, self.seed);
        let text = config.to_toml();
        let source = Source::new("evaluate", text.as_str());
        let plan = Experiment::resolve(&source, Path::new(""))?;
        let threads = self.threads.number();
        let connection = self.cluster.connect(threads, context)?;
        let run = Out { out: Some(out) }.begin(&plan, &text, threads, context)?;
        let root = run.directory().root().to_owned();
        let start = Instant::now();
        match connection {
            None => complete(&plan, &threads, run, context)?,
            Some(connection) => complete(&plan, &connection, run, context)?,
        };
        let seconds = start.elapsed().as_secs_f64();
        let mut played = crate::experiment::played(&plan, &RunDirectory::open(&root)?)?;
        self.show(chosen, &played.games.remove(0), seconds, threads, context)?;
        context.message(format!("report: {}", root.join("report.md").display()));
        Ok(())
    }

    /// Prints the results of games.
    fn show(
        &self,
        Chosen { player, weights }: &Chosen,
        games: &[GameRecord],
        seconds: f64,
        threads: usize,
        context: Context,
    ) -> Result<(), Failure> {
        let is_partial = games.len() < self.games as usize;
        let evaluated = Evaluated::new(player, games, seconds);
        let json = || {
            let mut result = evaluated.json();
            let has_weights = player.entry.has_weights();
            result["weights"] = has_weights
                .then(|| weights.iter().collect::<Value>())
                .into();
            result["options"] = options(player);
            result["seed"] = self.seed.to_string().into();
            result["threads"] = threads.into();
            result["requested_games"] = self.games.into();
            result["partial"] = is_partial.into();
            result
        };
        let text = || match is_partial {
            true => format!(
                "stopped after {} of {} games, counted up to the first unfinished one\n{}",
                games.len(),
                self.games,
                evaluated.text()
            ),
            false => evaluated.text(),
        };
        context.print(json, text)
    }
}

/// Plays the games of the seeds. After a request to stop, the games before the first unfinished one, and
/// true. The unfinished games are mostly long ones, so the finished games behind them are not a fair
/// sample. Of two players every opening is complete.
fn play(
    evaluator: &impl Evaluator,
    player: &PlayerSpec,
    weights: &Weights,
    seeds: &[u64],
    progress: &Progress,
) -> Result<(Vec<GameRecord>, bool), Failure> {
    let mut games = Vec::with_capacity(seeds.len());
    let weights = std::slice::from_ref(weights);
    let played = evaluator.evaluate::<Infallible>(weights, seeds, progress, &mut |batch| {
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
        Err(EvaluationError::Player(failure)) => Err(Failure::Failed(failure)),
        Err(error @ EvaluationError::False { .. }) => Err(Failure::Failed(error.to_string())),
        Err(EvaluationError::Sink(never)) => match never {},
    }
}

/// The options that were given, without the depth, which has a field of its own.
fn options(player: &PlayerSpec) -> Value {
    let options = player.config().options.into_iter();
    let options = options.filter(|(key, _)| key != "depth");
    options.map(|(key, value)| (key, json!(value))).collect()
}

/// Bootstrap resamples for the interval of the mean.
const RESAMPLES: u32 = 2000;

/// How many games ended with a largest tile.
struct Share {
    tile: u32,
    games: u32,
    share: f64,
    interval: Interval,
}

fn share_json(of: Share) -> (String, Value) {
    let share = json!({ "share": of.share, "interval": of.interval.ends() });
    (of.tile.to_string(), share)
}

/// An interval of scores in words.
fn interval(summary: &GameSummary, interval: Option<Interval>) -> String {
    interval.map_or("no interval".into(), |Interval { low, high }| {
        let [low, high] = [low, high].map(|score| text::result(summary, score));
        format!("95 % interval {low} to {high}")
    })
}

/// Games of a player and their totals.
struct Evaluated<'a> {
    player: &'a PlayerSpec,
    games: &'a [GameRecord],
    summary: GameSummary,
    moves: u64,
    leaves: u64,
    seconds: f64,
}

impl<'a> Evaluated<'a> {
    fn new(player: &'a PlayerSpec, games: &'a [GameRecord], seconds: f64) -> Self {
        Evaluated {
            player,
            games,
            summary: summarize("", games),
            moves: games.iter().map(|game| u64::from(game.moves)).sum(),
            leaves: games.iter().map(|game| game.leaf_evaluations).sum(),
            seconds,
        }
    }

    /// Games, moves and leaf evaluations per second.
    fn rates(&self) -> [f64; 3] {
        [self.games.len() as u64, self.moves, self.leaves].map(|count| count as f64 / self.seconds)
    }

    fn json(&self) -> Value {
        let (summary, entry) = (&self.summary, self.player.entry);
        let [games, moves, leaves] = self.rates();
        let mut result = json!({
            "games": self.games.len(),
            "moves": self.moves,
            "seconds": self.seconds,
            "games_per_second": games,
            "moves_per_second": moves,
            "leaf_evaluations": self.leaves,
            "leaf_evaluations_per_second": leaves,
            "game": entry.game.name,
            "player": entry.name,
            "depth": self.player.depth(),
        });
        let results = match &summary.endings {
            Endings::Scores { max_tile, capped } => json!({
                "mean_score": summary.mean,
                "se_score": summary.standard_error,
                "median_score": summary.median,
                "mean_interval": self.mean_interval().map(Interval::ends),
                "median_interval": self.median_interval().map(Interval::ends),
                "max_tile": max_tile,
                "shares": self.shares().map(share_json).collect::<Value>(),
                "capped": capped,
            }),
            Endings::Numbers { numbers } => json!({
                "mean_score": summary.mean,
                "se_score": summary.standard_error,
                "median_score": summary.median,
                "mean_interval": self.mean_interval().map(Interval::ends),
                "median_interval": self.median_interval().map(Interval::ends),
                "numbers": numbers,
            }),
            Endings::Outcomes { outcomes } => {
                let points = points(self.games);
                json!({
                    "points": points.mean,
                    "se_points": points.standard_error,
                    "points_interval": points.interval,
                    "elo": number(points.elo),
                    "elo_interval": [number(points.elo_interval.0), number(points.elo_interval.1)],
                    "wins": outcomes.wins,
                    "draws": outcomes.draws,
                    "losses": outcomes.losses,
                })
            }
        };
        if let (Value::Object(result), Value::Object(results)) = (&mut result, results) {
            result.extend(results);
        }
        if let Some(opponents) = self.player.opponents() {
            result["opponent"] = json!(opponents);
        }
        result
    }

    fn text(&self) -> String {
        let count = self.games.len() as f64;
        let [games, moves, leaves] = self.rates();
        if self.summary.numbers().is_some() {
            return format!(
                "{}: {} games\n{}\n{:.2} s: {} games/s",
                self.player.describe(),
                grouped(count, 0),
                self.scores(),
                self.seconds,
                grouped(games, 1)
            );
        }
        format!(
            "{} on {}: {} games, {} moves a game\n{}\n\
             {:.2} s: {} games/s, {} moves/s, {} leaf evaluations/s",
            self.player.describe(),
            self.player.entry.game.name,
            grouped(count, 0),
            grouped(self.moves as f64 / count, 0),
            match self.summary.outcomes() {
                None => self.scores(),
                Some(outcomes) => self.points(&outcomes),
            },
            self.seconds,
            grouped(games, 1),
            grouped(moves, 0),
            grouped(leaves, 0)
        )
    }

    /// The 95 % interval of the mean score. A function of the games alone.
    fn mean_interval(&self) -> Option<Interval> {
        mean_interval(&results(self.games), Resampling::new(RESAMPLES, 0))
    }

    /// The 95 % interval of the median score.
    fn median_interval(&self) -> Option<Interval> {
        median_interval(&results(self.games))
    }

    /// The largest tiles with the number of games that ended with each, and the interval of their share.
    fn shares(&self) -> impl Iterator<Item = Share> {
        let games = self.summary.games;
        let tiles = self.summary.max_tile().iter();
        tiles.map(move |(&tile, &number)| Share {
            tile,
            games: number,
            share: f64::from(number) / f64::from(games),
            interval: share_interval(f64::from(number), games.into()),
        })
    }

    fn scores(&self) -> String {
        let summary = &self.summary;
        let [mean, error, median] = [summary.mean, summary.standard_error, summary.median]
            .map(|score| text::result(summary, score));
        let of = |given: Option<Interval>| interval(summary, given);
        let [of_mean, of_median] = [self.mean_interval(), self.median_interval()].map(of);
        if let Some(numbers) = summary.numbers() {
            let numbers = numbers.iter();
            let numbers = numbers.map(|(name, mean)| format!("\nmean {name} {}", compact(*mean)));
            let numbers: String = numbers.collect();
            return format!(
                "mean score {mean} (se {error}, {of_mean}), median {median} ({of_median}){numbers}"
            );
        }
        let mut table = text::table(&["largest tile", "games", "share", "95 % interval"]);
        for of in self.shares() {
            let [share, low, high] = [of.share, of.interval.low, of.interval.high];
            let [share, low, high] = [share, low, high].map(|share| grouped(100.0 * share, 1));
            table.add_row([
                of.tile.to_string(),
                of.games.to_string(),
                format!("{share} %"),
                format!("{low} to {high}"),
            ]);
        }
        let capped = match summary.capped().unwrap_or(0) {
            0 => String::new(),
            games => format!(
                "\n{games} games had two tiles of the largest size that a board can hold, which \
                 cannot be merged here"
            ),
        };
        format!(
            "mean score {mean} (se {error}, {of_mean}), median {median} ({of_median})\n{table}{capped}"
        )
    }

    fn points(&self, outcomes: &Outcomes) -> String {
        let points = points(self.games);
        let ((low, high), (elo_low, elo_high)) = (points.interval, points.elo_interval);
        let [mean, low, high] = [points.mean, low, high].map(|share| 100.0 * share);
        let [elo, elo_low, elo_high] = [points.elo, elo_low, elo_high].map(|elo| grouped(elo, 0));
        format!(
            "points {mean:.1} % (95 % interval {low:.1} to {high:.1}), Elo {elo} ({elo_low} to \
             {elo_high})\nwon {}, drawn {}, lost {}; every opening is played from both sides",
            outcomes.wins, outcomes.draws, outcomes.losses
        )
    }
}
