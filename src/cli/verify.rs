//! `tiletune verify`: checks every file of a run, compares the redundant contents of its files, and replays a random
//! sample of its games.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::execute::Threads;
use super::live::Live;
use super::numbers::whole;
use super::replay::in_table;
use super::run_path::run_path;
use super::{Context, Failure};
use crate::number::count;
use crate::player::PlayerSpec;
use crate::prepare::Reported;
use crate::random::drawn_seed;
use crate::record::as_text;
use crate::run::replay::Difference;
use crate::run::verify::{VerifiedRuns, sample, with_children};
use crate::run::{Control, RunDirectory, RunError};

#[derive(Args)]
#[command(after_help = "\
Every file must be the one that the run wrote (files.jsonl has the hashes), and no other file may be there. \
A run can name any program: games of a program are played again only if --games asks for it, because this starts \
what the run names. Results must follow from the recorded games, in all digits. The runs inside of a series or experiment are \
verified, too. `replay` plays all games of a claim again.
Exit codes: 0 if everything is right, 1 if not, 2 for another directory, 130 interrupted.

--json: one object with what was checked and what differs.

Examples:
  tiletune verify results/mine
      all files and 20 games
  tiletune verify results/mine --games 1000
      more games")]
pub(super) struct Verify {
    /// Run directory, its name in `results`, or `last`.
    #[arg(value_parser = run_path)]
    run: PathBuf,
    /// Number of recorded games to play again; all if there are fewer [default: 20; 0 where programs play, which would
    /// be started].
    #[arg(long, value_parser = whole(0..=10_000_000u32))]
    games: Option<u32>,
    /// Seed that chooses these games [default: another one each time].
    #[arg(long, value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    #[command(flatten)]
    threads: Threads,
}

/// Default number of replayed games.
const USUAL_GAMES: u32 = 20;

/// What `tiletune verify` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct Verification<'a> {
    /// Whether nothing differs.
    equal: bool,
    /// Whether the run is complete.
    complete: bool,
    /// Number of runs: this one and those inside of it.
    runs: usize,
    /// Number of files, all of which are as they were written.
    files: u64,
    /// Their size in bytes.
    bytes: u64,
    /// Number of figures that follow from recorded games and were computed again.
    figures: u64,
    /// How many of them differ.
    different_figures: u64,
    /// Number of recorded games.
    recorded_games: u64,
    /// How many of them were played again.
    games: u64,
    /// How many of these differ.
    different_games: u64,
    /// The seed of the choice of games.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    seed: u64,
    /// What differs; of the games of a table only the first.
    differences: &'a [Difference],
}

impl Verify {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let directory = RunDirectory::open(&self.run)?;
        let plan = context.kinds.plan(context.catalogue, &directory)?;
        let runs = with_children(plan, directory)?;
        let mut verified = VerifiedRuns::check(&runs)?;
        let players = runs.iter().flat_map(|(plan, _)| plan.players());
        let commands: BTreeSet<String> = players
            .filter_map(PlayerSpec::program)
            .map(|program| program.declaration().command_in_folder())
            .collect();
        let usual = if commands.is_empty() { USUAL_GAMES } else { 0 };
        let games = self.games.unwrap_or(usual);
        let commands = Vec::from_iter(commands).join(", ");
        match (commands.is_empty(), games) {
            (true, _) => (),
            (false, 0) => context.message(format!(
                "no games are played again, because {commands} would be started; --games {USUAL_GAMES} starts it"
            )),
            (false, _) => context.message(format!("starting {commands}")),
        }
        let recorded = verified.recorded();
        // A short seed is easier to type.
        let seed = self.seed.unwrap_or_else(|| drawn_seed() & 0xffff_ffff);
        let numbers = sample(u64::from(games), recorded, seed);
        let (mut live, progress) = Live::begin(context, Some(numbers.len() as u64))?;
        if !numbers.is_empty() {
            let players: Vec<&PlayerSpec> =
                runs.iter().flat_map(|(plan, _)| plan.players()).collect();
            let reported = Reported {
                threads: self.threads.number(),
                stop: progress.stop(),
                say: &live.speaker(),
            };
            let prepared = reported.prepare_players(&players);
            prepared.ok_or(RunError::Interrupted)?;
        }
        let mut control = Control::new(&progress, &mut live);
        verified.play(&numbers, &self.threads.number(), &mut control)?;
        drop(live);
        let VerifiedRuns {
            files,
            bytes,
            is_complete,
            replay,
            ..
        } = verified;
        let json = || Verification {
            equal: replay.is_equal(),
            complete: is_complete,
            runs: runs.len(),
            files,
            bytes,
            figures: replay.figures,
            different_figures: replay.different_figures,
            recorded_games: recorded,
            games: replay.games,
            different_games: replay.different_games,
            seed,
            differences: &replay.differences,
        };
        let text = || {
            let kilobytes = count(bytes.div_ceil(1000));
            let (files, figures) = (count(files), count(replay.figures));
            let (games, recorded) = (count(replay.games), count(recorded));
            let mut text = format!(
                "files: {files} ({kilobytes} kB), all as the run wrote them\n\
                 results that follow from the games: {figures} figures, {} differ\n\
                 games played again: {games} of {recorded} (--seed {seed}), {} differ",
                count(replay.different_figures),
                count(replay.different_games),
            );
            if !is_complete {
                text += "\nthe run is not complete; what it has so far was verified";
            }
            if !replay.is_equal() {
                text += &format!("\n{}", in_table(&replay));
            }
            text
        };
        context.print(json, text)?;
        if replay.is_equal() {
            Ok(())
        } else {
            Err(Failure::Verdict(1))
        }
    }
}
