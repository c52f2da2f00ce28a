//! `tiletune verify`: checks every file of a run, compares what its files say twice, and plays a random
//! sample of its games again.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use serde_json::json;

use super::execute::Threads;
use super::interrupt::stop_on_interrupt;
use super::live::Live;
use super::replay::in_table;
use super::whole::whole;
use super::{Context, Failure};
use crate::config::campaign::Campaign;
use crate::config::compare::Comparison;
use crate::config::experiment::Experiment;
use crate::config::series::Series;
use crate::number::count;
use crate::random::{Stream, derive};
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::verify::{Numbers, Verify as Verified, check_unlisted};
use crate::run::{Control, Kind, RunDirectory, RunError, child, plan_of};
use crate::stop::Stop;

#[derive(Args)]
pub(super) struct Verify {
    /// Run directory.
    run: PathBuf,
    /// Number of recorded games to play again; all if there are fewer.
    #[arg(long, default_value_t = 20, value_parser = whole(0..=10_000_000u32))]
    games: u32,
    /// Seed that chooses these games [default: another one each time].
    #[arg(long, value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    #[command(flatten)]
    threads: Threads,
}

/// Printed below the flags.
pub(super) const AFTER_HELP: &str = "\
Every file must be the one that the run wrote (files.jsonl has the hashes), and no other file may be there. \
Results must follow from the recorded games, in all digits. The runs inside of a series or experiment are \
verified, too. `replay` plays all games of a claim again.\n\
Exit codes: 0 if everything is right, 1 if not, 2 for another directory, 130 interrupted.";

/// Plays the recorded games with these numbers again.
type Play = Box<dyn Fn(&[u64], &mut Control, &mut Replay) -> Result<(), RunError>>;

/// A run directory whose files are checked.
struct Section {
    files: u64,
    bytes: u64,
    games: u64,
    is_complete: bool,
    play: Play,
}

impl Verify {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let mut replay = Replay::default();
        let sections = self.sections(&mut replay)?;
        let recorded = sections.iter().map(|section| section.games).sum();
        let seed = self.seed.unwrap_or_else(any_seed);
        let numbers = sample(u64::from(self.games), recorded, seed);
        let mut live = Live::new(context, Some(numbers.len() as u64));
        let progress = live.progress();
        stop_on_interrupt(&progress, live.speaker(), || ())?;
        let mut left = Numbers::new(&numbers);
        for section in &sections {
            let of_section = left.next_table(section.games);
            let of_section: Vec<u64> = of_section.iter().map(|&number| number as u64).collect();
            let mut control = Control::new(&progress, &mut live);
            (section.play)(&of_section, &mut control, &mut replay)?;
        }
        drop(live);
        let files: u64 = sections.iter().map(|section| section.files).sum();
        let bytes: u64 = sections.iter().map(|section| section.bytes).sum();
        let is_complete = sections.iter().all(|section| section.is_complete);
        let json = || {
            json!({
                "equal": replay.is_equal(),
                "complete": is_complete,
                "runs": sections.len(),
                "files": files,
                "bytes": bytes,
                "figures": replay.figures,
                "different_figures": replay.different_figures,
                "recorded_games": recorded,
                "games": replay.games,
                "different_games": replay.different_games,
                "seed": seed.to_string(),
                "differences": replay.differences,
            })
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
        match replay.is_equal() {
            true => Ok(()),
            false => Err(Failure::Verdict(1)),
        }
    }

    /// The run and the runs inside of it.
    fn sections(&self, replay: &mut Replay) -> Result<Vec<Section>, Failure> {
        let directory = RunDirectory::open(&self.run)?;
        match directory.manifest()?.kind {
            Kind::Campaign => {
                let plan: Campaign = plan_of(&directory)?;
                self.with_children(plan, directory, replay)
            }
            Kind::Series => {
                let plan: Series = plan_of(&directory)?;
                self.with_children(plan, directory, replay)
            }
            Kind::Experiment => {
                let plan: Experiment = plan_of(&directory)?;
                self.with_children(plan, directory, replay)
            }
            Kind::Comparison => {
                let plan: Comparison = plan_of(&directory)?;
                self.with_children(plan, directory, replay)
            }
        }
    }

    fn with_children<P: Verified + 'static>(
        &self,
        plan: P,
        directory: RunDirectory,
        replay: &mut Replay,
    ) -> Result<Vec<Section>, Failure> {
        let children: Vec<(PathBuf, Campaign)> = plan
            .children()
            .into_iter()
            .map(|(place, campaign)| (directory.path(&place), campaign))
            .filter(|(root, _)| RunDirectory::is_begun(root))
            .collect();
        // The runs inside are checked first: the results of this one follow from them.
        let mut sections = Vec::new();
        for (root, campaign) in children {
            let inside = RunDirectory::open(&root)?;
            child::check(&campaign, &inside)?;
            sections.push(section(campaign, self.threads.number(), inside, replay)?);
        }
        sections.push(section(plan, self.threads.number(), directory, replay)?);
        Ok(sections)
    }
}

/// Checks the files of a run, and compares what they say twice.
fn section<P: Verified + 'static>(
    plan: P,
    threads: usize,
    directory: RunDirectory,
    replay: &mut Replay,
) -> Result<Section, Failure> {
    let (files, bytes) = directory.check_files()?;
    let status = directory.manifest()?.status;
    // A running process writes files under temporary names.
    if status != Status::Running {
        check_unlisted(&directory)?;
    }
    // An interrupt still ends the process: it has written nothing.
    plan.compare(&directory, Stop::never(), replay)?;
    Ok(Section {
        files,
        bytes,
        games: plan.recorded_games(&directory)?,
        is_complete: status == Status::Complete,
        play: Box::new(move |numbers, control, replay| {
            plan.play_again(&threads, &directory, numbers, control, replay)
        }),
    })
}

/// Distinct numbers below `count`, ascending; all if there are not that many.
fn sample(games: u64, count: u64, seed: u64) -> Vec<u64> {
    let mut chosen = BTreeSet::new();
    if games >= count {
        chosen.extend(0..count);
    }
    // Floyd's algorithm.
    for last in count.saturating_sub(games)..count {
        let number = derive(seed, Stream::Sample, 0, last) % (last + 1);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// A seed from the clock.
fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| {
        u64::from(now.subsec_nanos()) ^ (now.as_secs() & 0xffff)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_distinct_and_as_large_as_asked() {
        assert_eq!(sample(5, 3, 1), [0, 1, 2]);
        assert!(sample(0, 3, 1).is_empty() && sample(4, 0, 1).is_empty());
        let some = sample(20, 1000, 1);
        assert_eq!(some.len(), 20);
        assert!(some.is_sorted() && some.iter().all(|number| *number < 1000));
        assert_ne!(some, sample(20, 1000, 2));
    }
}
