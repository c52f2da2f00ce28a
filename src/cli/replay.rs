//! `tiletune replay`: replays recorded games and reports whether the recorded results are equal.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::execute::Threads;
use super::live::Live;
use super::numbers::whole;
use super::run_path::run_path;
use super::{Context, Failure, text};
use crate::campaign::{self, Claim};
use crate::config::{Source, provenance, weights_file};
use crate::number::{compact, count};
use crate::player::PlayerSpec;
use crate::prepare::Reported;
use crate::run::replay::Replay;
use crate::run::{Control, RunDirectory, RunError, RunKind};

#[derive(Args)]
#[command(after_help = "\
A weights file: the hold-out games of start and tuned weights, played from `[provenance]` alone. Mean, \
standard error, difference, interval or sign test and verdict must be the recorded ones in all digits. A \
campaign or series: the same for its tuned.toml; each game must also be the recorded one. An \
experiment: all games of all rows, the judged positions and the results. A comparison: all counted pairs, \
the looks and the verdicts.
Exit codes: 0 if everything is equal, 1 if not, 2 if there is no recorded claim, 130 interrupted.

--json: one object with what was compared and what differs.

Examples:
  tiletune replay results/mine
      the hold-out games of a run
  tiletune replay configs/weights/expectimax-depth-1.toml
      those of a weights file")]
pub(super) struct ReplayArgs {
    /// Run directory, its name in `results`, `last`, or weights file with a claim, such as tuned.toml.
    #[arg(value_name = "RUN|WEIGHTS", value_parser = run_path)]
    source: PathBuf,
    /// Of an experiment, play only this number of games of each row, the first ones.
    #[arg(long, value_parser = whole(1..=10_000_000u32))]
    games: Option<u32>,
    #[command(flatten)]
    threads: Threads,
}

impl ReplayArgs {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let (catalogue, threads) = (context.catalogue, self.threads.number());
        if self.source.join("manifest.json").is_file() {
            let directory = RunDirectory::open(&self.source)?;
            let plan = context.kinds.plan(catalogue, &directory)?;
            self.check_games(Some(plan.kind()))?;
            let (claim, games) = plan.claim(catalogue, &directory, self.games)?;
            let players = plan.players();
            let replayed = play(context, games, (&players, threads), |control| {
                plan.replay(catalogue, &directory, self.games, &threads, control)
            })?;
            return show(&replayed, &claim, context);
        }
        self.check_games(None)?;
        let path = weights_file::locate(&self.source)?;
        let claimed = provenance::read(catalogue, &Source::read(&path)?)?;
        let (claim, games) = campaign::claim(&claimed);
        let players = [&claimed.player];
        let replayed = play(context, games, (&players, threads), |control| {
            campaign::replay(&claimed, &path, &threads, control)
        })?;
        show(&replayed, &claim, context)
    }

    /// Checks that `--games` is given only for kinds of run with rows.
    fn check_games(&self, kind: Option<&RunKind>) -> Result<(), Failure> {
        if self.games.is_none() || kind.is_some_and(|kind| kind.has_rows) {
            return Ok(());
        }
        let what = kind.map_or("a weights file".to_owned(), RunKind::to_string);
        Err(Failure::Usage(format!(
            "--games is for the rows of an experiment, but {} is {what}",
            self.source.display()
        )))
    }
}

/// Replays with a progress line for this number of games.
fn play(
    context: Context,
    games: u64,
    (players, threads): (&[&PlayerSpec], usize),
    replay: impl FnOnce(&mut Control) -> Result<Replay, RunError>,
) -> Result<Replay, Failure> {
    let (mut live, progress) = Live::begin(context, Some(games))?;
    let reported = Reported {
        threads,
        stop: progress.stop(),
        say: &live.speaker(),
    };
    let prepared = reported.prepare_players(players);
    prepared.ok_or(RunError::Interrupted)?;
    let replayed = replay(&mut Control::new(&progress, &mut live));
    drop(live);
    Ok(replayed?)
}

/// What `tiletune replay` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct Replayed<'a> {
    #[serde(flatten)]
    replay: &'a Replay,
    /// Whether everything is equal.
    equal: bool,
    /// What was recorded. Of weights: the keys of `[provenance.hold_out]` in the weights file, with player and verdict.
    /// Of an experiment or a comparison: its name.
    #[schemars(with = "Claim")]
    claim: &'a Value,
}

/// Prints the claim and whether it holds.
fn show(replayed: &Replay, claim: &Value, context: Context) -> Result<(), Failure> {
    let json = || Replayed {
        replay: replayed,
        equal: replayed.is_equal(),
        claim,
    };
    context.print(json, || {
        format!("{}\n{}", words_of(claim), in_words(replayed))
    })?;
    if replayed.is_equal() {
        Ok(())
    } else {
        Err(Failure::Verdict(1))
    }
}

/// The claim as `key value, key value`, without tables and missing values.
fn words_of(claim: &Value) -> String {
    let recorded = format!("recorded: {}", fields(claim));
    // The verdict is about the objective, which need not be the mean.
    let objective = &claim["objective"];
    if objective.is_object() && objective["difference"] != claim["difference"] {
        format!("{recorded}\nobjective: {}", fields(objective))
    } else {
        recorded
    }
}

fn fields(claim: &Value) -> String {
    let fields = claim.as_object().into_iter().flatten();
    let fields = fields.filter(|(_, value)| !value.is_object() && !value.is_null());
    let words =
        fields.map(|(key, value)| format!("{} {}", key.replace('_', " "), in_digits(value)));
    words.collect::<Vec<_>>().join(", ")
}

/// A value of a claim, with as many digits as everywhere.
fn in_digits(value: &Value) -> String {
    match (value.as_u64(), value.as_f64()) {
        (Some(whole), _) => count(whole),
        (None, Some(number)) => compact(number),
        (None, None) => shown(value),
    }
}

/// A value with all its digits.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn in_words(replayed: &Replay) -> String {
    let played = format!("{} games played again", count(replayed.games));
    let [figures, games] = [replayed.figures, replayed.recorded_games].map(count);
    if replayed.is_equal() {
        return match (replayed.figures, replayed.recorded_games) {
            (_, 0) => format!("equal: {played}; all {figures} figures are the recorded ones"),
            (0, _) => format!("equal: {played}; all are the recorded ones"),
            _ => format!(
                "equal: {played}; all {games} recorded games and all {figures} figures are the same"
            ),
        };
    }
    let [other_figures, other_games] =
        [replayed.different_figures, replayed.different_games].map(count);
    let of_figures = format!("{other_figures} of {figures} figures");
    let of_games = format!("{other_games} of {games} recorded games");
    let differ = match (replayed.figures, replayed.recorded_games) {
        (_, 0) => of_figures,
        (0, _) => of_games,
        _ => format!("{of_games} and {of_figures}"),
    };
    format!(
        "not equal: {played}; {differ} differ\n{}",
        in_table(replayed)
    )
}

/// The differences as a table.
pub(super) fn in_table(replayed: &Replay) -> String {
    let mut table = text::table(&["what", "recorded", "played again"]);
    for one in replayed.differences.iter().take(MOST_SHOWN) {
        table.add_row([one.what.clone(), shown(&one.recorded), shown(&one.replayed)]);
    }
    let more = match replayed.differences.len().saturating_sub(MOST_SHOWN) {
        0 => String::new(),
        more => format!("\nand {} more (see --json)", count(more as u64)),
    };
    format!("{table}{more}")
}

/// Largest number of differences in the text.
const MOST_SHOWN: usize = 20;
