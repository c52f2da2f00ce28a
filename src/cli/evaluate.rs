//! `tiletune evaluate`: seeded games with one player.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};

use super::interrupt::stop_on_interrupt;
use super::live::Live;
use super::player_args::{Chosen, PlayerArgs};
use super::{Context, Failure, text};
use crate::evaluation::Evaluator;
use crate::evaluation::local::Local;
use crate::player::PlayerSpec;
use crate::player::format::number;
use crate::random::Stream;
use crate::record::{Endings, GameRecord, GameSummary, Outcomes};
use crate::run::RunError;
use crate::stats::games::summarize;
use crate::stats::points::{Points, points};

#[derive(Args)]
pub(super) struct Evaluate {
    #[command(flatten)]
    player: PlayerArgs,
    /// Number of games.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,
    /// Seed: the same seed plays the same games.
    #[arg(long)]
    seed: u64,
    /// Threads; without it one per core. The games do not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Evaluate {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let Chosen { player, weights } = self.player.choose()?;
        if player.players().whole(self.games) != self.games {
            return Err(Failure::Usage(format!(
                "--games {} is odd: every opening is played from both sides",
                self.games
            )));
        }
        let local = Local::new(player.clone(), self.threads.map(usize::from));
        let local = local.map_err(RunError::from)?;

        let live = Live::new(context, Some(u64::from(self.games)));
        let progress = live.progress();
        stop_on_interrupt(&progress, live.speaker())?;
        live.task(player.describe());
        let count = u64::from(self.games);
        let seeds = player
            .players()
            .game_seeds(self.seed, Stream::Evaluate, 0, count);
        let start = Instant::now();
        let played = local.games(&weights, &seeds, &progress);
        let seconds = start.elapsed().as_secs_f64();
        drop(live);
        let games = played.map_err(RunError::from)?;

        let mut result = result(&games, seconds);
        result["game"] = player.entry.game.name.into();
        result["player"] = player.entry.name.into();
        result["depth"] = json!(player.depth());
        if let Some(opponents) = player.opponents() {
            result["opponent"] = json!(opponents);
        }
        result["weights"] = match player.entry.published {
            Some(_) => weights
                .iter()
                .map(|(key, value)| (key.to_owned(), json!(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            None => Value::Null,
        };
        result["options"] = options(&player);
        result["seed"] = self.seed.into();
        result["threads"] = local.threads().into();
        if context.json {
            writeln!(std::io::stdout(), "{result}")?;
        } else {
            print(&player, &games, seconds)?;
        }
        Ok(())
    }
}

/// The options that were given, besides those that the result names by themselves.
fn options(player: &PlayerSpec) -> Value {
    let options = player.config().options.into_iter();
    let options = options.filter(|(key, _)| key != "depth");
    options.map(|(key, value)| (key, json!(value))).collect()
}

fn result(games: &[GameRecord], seconds: f64) -> Value {
    let summary = summarize("", games);
    let moves: u64 = games.iter().map(|game| u64::from(game.moves)).sum();
    let leaves: u64 = games.iter().map(|game| game.leaf_evaluations).sum();
    let mut result = json!({
        "games": games.len(),
        "moves": moves,
        "seconds": seconds,
        "games_per_second": games.len() as f64 / seconds,
        "moves_per_second": moves as f64 / seconds,
        "leaf_evaluations": leaves,
        "leaf_evaluations_per_second": leaves as f64 / seconds,
    });
    let came_to = match summary.endings {
        Endings::Scores { max_tile, capped } => json!({
            "mean_score": summary.mean,
            "se_score": summary.standard_error,
            "median_score": summary.median,
            "max_tile": max_tile,
            "capped": capped,
        }),
        Endings::Outcomes { outcomes } => {
            let points = points(games);
            json!({
                "points": points.mean,
                "se_points": points.standard_error,
                "points_interval": [points.interval.0, points.interval.1],
                "elo": number(points.elo),
                "elo_interval": [number(points.elo_interval.0), number(points.elo_interval.1)],
                "wins": outcomes.wins,
                "draws": outcomes.draws,
                "losses": outcomes.losses,
            })
        }
    };
    if let (Some(result), Value::Object(came_to)) = (result.as_object_mut(), came_to) {
        result.extend(came_to);
    }
    result
}

fn print(player: &PlayerSpec, games: &[GameRecord], seconds: f64) -> Result<(), Failure> {
    let summary = summarize("", games);
    let count = games.len() as f64;
    let moves = games.iter().map(|game| f64::from(game.moves)).sum::<f64>();
    let leaves = games
        .iter()
        .map(|game| game.leaf_evaluations as f64)
        .sum::<f64>();
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{} on {}: {} games, {} moves a game",
        player.describe(),
        player.entry.game.name,
        text::number(count, 0),
        text::number(moves / count, 0)
    )?;
    match summary.outcomes() {
        None => print_scores(&summary, count)?,
        Some(outcomes) => print_points(&outcomes, &points(games))?,
    }
    writeln!(
        out,
        "{seconds:.2} s: {} games/s, {} moves/s, {} leaf evaluations/s",
        text::number(count / seconds, 1),
        text::number(moves / seconds, 0),
        text::number(leaves / seconds, 0)
    )?;
    Ok(())
}

fn print_scores(summary: &GameSummary, count: f64) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    writeln!(
        out,
        "mean score {} (se {}), median {}",
        text::number(summary.mean, 0),
        text::number(summary.standard_error, 0),
        text::number(summary.median, 0)
    )?;
    let mut table = text::table(&["largest tile", "games", "share"]);
    for (tile, number) in summary.max_tile() {
        let share = format!("{:.1} %", 100.0 * f64::from(*number) / count);
        table.add_row([tile.to_string(), number.to_string(), share]);
    }
    writeln!(out, "{table}")?;
    if let Some(capped @ 1..) = summary.capped() {
        writeln!(
            out,
            "{capped} games met two of the largest tiles that a board can hold, which do not merge \
             here"
        )?;
    }
    Ok(())
}

fn print_points(outcomes: &Outcomes, points: &Points) -> Result<(), Failure> {
    let (low, high) = points.interval;
    let (elo_low, elo_high) = points.elo_interval;
    writeln!(
        std::io::stdout(),
        "points {:.1} % (95 % interval {:.1} to {:.1}), Elo {} ({} to {})\n\
         won {}, drawn {}, lost {}; every opening is played from both sides",
        100.0 * points.mean,
        100.0 * low,
        100.0 * high,
        text::number(points.elo, 0),
        text::number(elo_low, 0),
        text::number(elo_high, 0),
        outcomes.wins,
        outcomes.draws,
        outcomes.losses
    )?;
    Ok(())
}
