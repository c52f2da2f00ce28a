//! `tiletune replay`: plays recorded games again and says whether the recorded results are equal.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::execute::Threads;
use super::interrupt::stop_on_interrupt;
use super::live::Live;
use super::whole::whole;
use super::{Context, Failure, text};
use crate::campaign;
use crate::compare;
use crate::config::provenance::{self, ClaimedWeights};
use crate::config::{Source, weights_file};
use crate::evaluation::local::Local;
use crate::experiment;
use crate::number::count;
use crate::player::Catalogue;
use crate::run::replay::Replay as Replayed;
use crate::run::{Control, Kind, RunDirectory, RunError, plan_of};
use crate::series;

#[derive(Args)]
pub(super) struct Replay {
    /// Run directory, or weights file with a claim, such as best.toml.
    #[arg(value_name = "RUN|WEIGHTS")]
    source: PathBuf,
    /// Of an experiment, play only this number of games of each row, the first ones.
    #[arg(long, value_parser = whole(1..=10_000_000u32))]
    games: Option<u32>,
    #[command(flatten)]
    threads: Threads,
}

/// Printed below the flags.
pub(super) const AFTER_HELP: &str = "\
A weights file: the hold-out games of start and tuned weights, played from `[provenance]` alone. Mean, \
standard error, difference, interval or sign test and verdict must be the recorded ones in all digits. A \
campaign or series: the same for its best.toml; each game must also be the recorded one. An \
experiment: all games of all rows, the judged positions and the results. A comparison: all counted pairs, \
the looks and the verdicts.\n\
Exit codes: 0 if everything is equal, 1 if not, 2 if there is no recorded claim, 130 interrupted.";

impl Replay {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        match self.source.join("manifest.json").is_file() {
            true => self.run_directory(context),
            false => {
                self.check_games(None)?;
                let path = weights_file::locate(&self.source)?;
                let claimed = read(&path)?;
                let claim = claim(&claimed);
                let replayed = self.of_claim(context, &claimed, |local, control| {
                    campaign::replay(&claimed, &path, local, control)
                })?;
                show(&replayed, &claim, context)
            }
        }
    }

    fn run_directory(&self, context: Context) -> Result<(), Failure> {
        let directory = RunDirectory::open(&self.source)?;
        let kind = directory.manifest()?.kind;
        self.check_games(Some(kind))?;
        match kind {
            Kind::Campaign => {
                let claimed = read(&weights_file::locate(&self.source)?)?;
                let replayed = self.of_claim(context, &claimed, |local, control| {
                    campaign::replay_run(&claimed, &directory, "tuned", local, control)
                })?;
                show(&replayed, &claim(&claimed), context)
            }
            Kind::Series => {
                let claimed = read(&weights_file::locate(&self.source)?)?;
                let plan = plan_of(&directory)?;
                let replayed = self.of_claim(context, &claimed, |local, control| {
                    series::replay(&plan, &claimed, &directory, local, control)
                })?;
                show(&replayed, &claim(&claimed), context)
            }
            Kind::Experiment => {
                let plan = plan_of(&directory)?;
                let threads = self.threads.number();
                let count = experiment::games_to_replay(&plan, &directory, self.games)?;
                let replayed = play(context, Some(count), |control| {
                    experiment::replay(&plan, threads, &directory, self.games, control)
                })?;
                show(
                    &replayed,
                    &json!({ "experiment": plan.config.name }),
                    context,
                )
            }
            Kind::Comparison => {
                let plan = plan_of(&directory)?;
                let threads = self.threads.number();
                let replayed = play(context, None, |control| {
                    compare::replay(&plan, threads, &directory, control)
                })?;
                show(
                    &replayed,
                    &json!({ "comparison": plan.config.name }),
                    context,
                )
            }
        }
    }

    /// Only experiments have rows.
    fn check_games(&self, kind: Option<Kind>) -> Result<(), Failure> {
        if self.games.is_none() || kind == Some(Kind::Experiment) {
            return Ok(());
        }
        let what = kind.map_or("a weights file".to_owned(), |kind| kind.to_string());
        Err(Failure::Usage(format!(
            "--games is for the rows of an experiment, but {} is {what}",
            self.source.display()
        )))
    }

    fn of_claim(
        &self,
        context: Context,
        claimed: &ClaimedWeights,
        replay: impl FnOnce(&Local, &mut Control) -> Result<Replayed, RunError>,
    ) -> Result<Replayed, Failure> {
        let local = self.threads.evaluator(&claimed.player)?;
        let games = 2 * u64::from(claimed.hold_out.games);
        play(context, Some(games), |control| replay(&local, control))
    }
}

/// The claim of a weights file.
fn read(path: &Path) -> Result<ClaimedWeights, Failure> {
    Ok(provenance::read(
        &Catalogue::builtin(),
        &Source::read(path)?,
    )?)
}

/// Replays with a progress line for this number of games.
fn play(
    context: Context,
    games: Option<u64>,
    replay: impl FnOnce(&mut Control) -> Result<Replayed, RunError>,
) -> Result<Replayed, Failure> {
    let mut live = Live::new(context, games);
    let progress = live.progress();
    stop_on_interrupt(&progress, live.speaker(), || ())?;
    let replayed = replay(&mut Control::new(&progress, &mut live));
    drop(live);
    Ok(replayed?)
}

/// The claim of weights with all recorded digits.
fn claim(claimed: &ClaimedWeights) -> Value {
    let mut claim = json!(claimed.hold_out.figures);
    claim["player"] = claimed.player.describe().into();
    claim["games"] = claimed.hold_out.games.into();
    claim["seed"] = claimed.hold_out.seed.to_string().into();
    claim["verdict"] = json!(claimed.claim.verdict);
    claim["with"] = json!(claimed.hold_out.with);
    claim
}

/// Prints what was claimed and whether it is so.
fn show(replayed: &Replayed, claim: &Value, context: Context) -> Result<(), Failure> {
    let json = || {
        let mut json = json!(replayed);
        json["equal"] = replayed.is_equal().into();
        json["claim"] = claim.clone();
        json
    };
    context.print(json, || {
        format!("{}\n{}", words_of(claim), in_words(replayed))
    })?;
    match replayed.is_equal() {
        true => Ok(()),
        false => Err(Failure::Verdict(1)),
    }
}

/// `key value, key value`; tables and what is missing are left out.
fn words_of(claim: &Value) -> String {
    let fields = claim.as_object().into_iter().flatten();
    let fields = fields.filter(|(_, value)| !value.is_object() && !value.is_null());
    let words = fields.map(|(key, value)| format!("{} {}", key.replace('_', " "), shown(value)));
    format!("recorded: {}", words.collect::<Vec<_>>().join(", "))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn in_words(replayed: &Replayed) -> String {
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

/// The differences.
pub(super) fn in_table(replayed: &Replayed) -> String {
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

/// Largest number of differences that are shown as text.
const MOST_SHOWN: usize = 20;
