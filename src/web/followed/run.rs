//! Runs that pages follow. Each run is followed once for all pages that show it. Its files are polled a few times a
//! second, and the data that has been read is cached until other runs replace it. This module must not know the content
//! of pages.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::list::{Stamp, stamp};
use super::rate::{self, PlayRate};
use crate::Catalogue;
use crate::campaign::Event;
use crate::config::campaign::Budget;
use crate::lock::locked;
use crate::number::{compact, count, duration};
use crate::overview::{LiveStatus, resolved};
use crate::report::learning::learning;
use crate::report::{Block, search};
use crate::results::{GenerationRow, level};
use crate::run::follow::Follower;
use crate::run::manifest::{self, Manifest, Status};
use crate::run::{RunDirectory, RunKinds, RunPlan, SearchPlace, StoreError};
use crate::web::cache::Cache;

/// Polling interval of the files of a run, for all pages together.
const INTERVAL: Duration = Duration::from_millis(25);
/// Polling interval of expensive data: the lock, and the number of remaining games.
const SELDOM: Duration = Duration::from_secs(1);
/// Number of cached runs.
const KEPT: usize = 32;

/// The followed runs.
pub(in crate::web) struct Registry {
    kinds: RunKinds,
    catalogue: Catalogue,
    runs: Cache<FollowedRun>,
}

impl Registry {
    pub(super) fn new(kinds: RunKinds, catalogue: Catalogue) -> Self {
        Registry {
            kinds,
            catalogue,
            runs: Cache::new(KEPT),
        }
    }

    /// The run in this directory. It is opened if it is not followed yet.
    ///
    /// # Errors
    /// If it is damaged.
    pub(in crate::web) fn watched(&self, root: &Path) -> Result<Arc<FollowedRun>, StoreError> {
        if let Some(found) = self.runs.find(|run| run.is_still(root)) {
            return Ok(found);
        }
        // The cache is not locked here, because opening a run takes time.
        let opened = Arc::new(FollowedRun::open(self.kinds, &self.catalogue, root)?);
        self.forget(root);
        self.runs.insert(Arc::clone(&opened));
        Ok(opened)
    }

    /// Removes a run from the cache, so that it is opened again.
    pub(in crate::web) fn forget(&self, root: &Path) {
        self.runs.remove(|run| run.root == root);
    }
}

/// A run that pages follow.
pub(in crate::web) struct FollowedRun {
    pub(in crate::web) root: PathBuf,
    pub(in crate::web) plan: Box<dyn RunPlan>,
    /// Directories of its child runs.
    children: Vec<PathBuf>,
    /// Start time, which distinguishes this run from a later run in the same directory.
    start: String,
    /// Number of processes that have resumed it when it was opened. Each can have changed its budget.
    sessions: usize,
    look: Mutex<RunState>,
}

/// The state of a run that has been read so far.
pub(in crate::web) struct RunState {
    pub(in crate::web) follower: Follower,
    /// Whether there are written generations that have not been read.
    pub(in crate::web) has_more: bool,
    pub(in crate::web) state: LiveStatus,
    pub(in crate::web) pace: PlayRate,
    search: Option<SearchPlace>,
    budget: Budget,
    /// Number of processes that have resumed it.
    sessions: usize,
    /// Counts all changes except new generations.
    pub(in crate::web) version: u64,
    /// The content of the page, with the version and whether generations were missing.
    pub(in crate::web) page: Option<((u64, bool), Arc<Value>)>,
    manifest: Stamp,
    status: Status,
    children: u64,
    manifests: u64,
    at: Option<Instant>,
    seldom: Option<Instant>,
    /// Number of remaining games at some times.
    to_play: Vec<(Instant, u64)>,
    /// Numbers of lines from which the pace was computed.
    recorded: (usize, usize),
}

impl FollowedRun {
    fn open(kinds: RunKinds, catalogue: &Catalogue, root: &Path) -> Result<Self, StoreError> {
        let directory = RunDirectory::open(root)?;
        let manifest = directory.manifest()?;
        let plan = kinds.plan(catalogue, &directory)?;
        let parameters = plan.parameters().into_iter().map(str::to_owned);
        let children = plan.children().into_iter();
        let look = RunState {
            follower: Follower::new(root, parameters.collect()),
            has_more: false,
            state: LiveStatus::of(root, manifest.status),
            pace: PlayRate::default(),
            search: plan.kind().search,
            budget: budget(&directory)?,
            sessions: manifest.resumed.len(),
            version: 0,
            page: None,
            manifest: stamp(&root.join(manifest::FILE)),
            status: manifest.status,
            children: 0,
            manifests: 0,
            at: None,
            seldom: None,
            to_play: Vec::new(),
            recorded: (0, 0),
        };
        Ok(FollowedRun {
            root: root.to_owned(),
            children: children.map(|(place, _)| root.join(place)).collect(),
            plan,
            start: manifest.first.start,
            sessions: manifest.resumed.len(),
            look: Mutex::new(look),
        })
    }

    /// Whether this run is still the one in the directory.
    fn is_still(&self, root: &Path) -> bool {
        if self.root != root {
            return false;
        }
        let look = self.lock();
        if look.manifest == stamp(&root.join(manifest::FILE)) {
            return look.sessions == self.sessions;
        }
        let manifest = Manifest::read(&root.join(manifest::FILE));
        manifest.is_ok_and(|manifest| {
            (manifest.first.start, manifest.resumed.len()) == (self.start.clone(), self.sessions)
        })
    }

    /// The state at the last refresh.
    pub(in crate::web) fn lock(&self) -> MutexGuard<'_, RunState> {
        locked(&self.look)
    }

    /// Polls the files and reads at most `most` generations.
    ///
    /// # Errors
    /// If a file is damaged.
    pub(in crate::web) fn refresh(
        &self,
        most: usize,
    ) -> Result<MutexGuard<'_, RunState>, StoreError> {
        self.refresh_after(Duration::ZERO, most)
    }

    /// As [`refresh`](Self::refresh), unless the state is fresh and all generations were read.
    ///
    /// # Errors
    /// If a file is damaged.
    pub(in crate::web) fn refresh_if_old(
        &self,
        most: usize,
    ) -> Result<MutexGuard<'_, RunState>, StoreError> {
        self.refresh_after(INTERVAL, most)
    }

    fn refresh_after(
        &self,
        time: Duration,
        most: usize,
    ) -> Result<MutexGuard<'_, RunState>, StoreError> {
        let mut look = self.lock();
        let is_recent = look.at.is_some_and(|at| at.elapsed() < time);
        if look.has_more || !is_recent {
            look.at = Some(Instant::now());
            self.renew(&mut look, most)?;
        }
        Ok(look)
    }

    fn renew(&self, look: &mut RunState, most: usize) -> Result<(), StoreError> {
        let path = self.root.join(manifest::FILE);
        let manifest = stamp(&path);
        if look.manifest != manifest {
            let read = Manifest::read(&path)?;
            if read.first.start != self.start {
                let reason = "another run has taken the place of the one that was shown";
                return Err(StoreError::unusable(&self.root, reason));
            }
            if look.sessions != read.resumed.len() {
                look.sessions = read.resumed.len();
                look.budget = budget(&RunDirectory::open(&self.root)?)?;
            }
            look.status = read.status;
            look.manifest = manifest;
            look.manifests += 1;
            look.state = LiveStatus::of(&self.root, look.status);
        }
        let is_seldom = look.seldom.is_none_or(|at| at.elapsed() >= SELDOM);
        if is_seldom {
            look.seldom = Some(Instant::now());
            look.state = LiveStatus::of(&self.root, look.status);
            look.children = self.children();
        }
        look.has_more = look.follower.read(most)?;
        look.version = look.follower.changes() + look.manifests + look.children;
        let recorded = (look.follower.played().len(), look.follower.events().len());
        if is_seldom || look.recorded != recorded && look.search.is_some() {
            look.pace = self.pace(look)?;
            look.recorded = recorded;
        }
        Ok(())
    }

    /// Number of its child runs that have begun.
    fn children(&self) -> u64 {
        let children = self.children.iter();
        let begun = children.filter(|child| RunDirectory::is_begun(child));
        begun.count() as u64
    }

    fn pace(&self, look: &mut RunState) -> Result<PlayRate, StoreError> {
        let played = look.follower.played();
        let is_running = look.state == LiveStatus::Running;
        let pace = PlayRate {
            games: played.iter().map(|one| one.games).sum(),
            games_per_second: rate::rate(played),
            seconds_left: None,
        };
        match look.search {
            Some(SearchPlace::Run) => {
                let rows = look.follower.generations();
                let last = rows.last().map_or(0, games_of);
                let ended = has_ended(look.follower.events()) || !is_running;
                Ok(rate::of_search(played, last, &look.budget, ended))
            }
            None if is_running => self.with_time_left(pace, look),
            _ => Ok(pace),
        }
    }

    /// The rate over the last minute and the remaining time of a run with a known number of games.
    fn with_time_left(&self, pace: PlayRate, look: &mut RunState) -> Result<PlayRate, StoreError> {
        let Some(left) = self.plan.remaining(&RunDirectory::open(&self.root)?)?.games else {
            return Ok(pace);
        };
        let now = Instant::now();
        look.to_play.push((now, left));
        look.to_play
            .retain(|(at, _)| at.elapsed() < Duration::from_secs(60));
        let (begin, before) = look.to_play[0];
        let (games, seconds) = (before.saturating_sub(left), (now - begin).as_secs_f64());
        let rate = (games > 0).then(|| games as f64 / seconds);
        Ok(PlayRate {
            games_per_second: rate,
            seconds_left: rate.map(|rate| left as f64 / rate),
            ..pace
        })
    }
}

impl RunState {
    /// The state as pairs of name and text.
    pub(in crate::web) fn facts(&self) -> Vec<(&'static str, String)> {
        let PlayRate {
            games,
            games_per_second,
            seconds_left,
        } = self.pace;
        let mut facts = Vec::new();
        let is_running = self.state == LiveStatus::Running;
        let is_search = self.search == Some(SearchPlace::Run);
        if is_search {
            let generations = count(self.follower.complete_generations() as u64);
            let most = self.budget.generations.filter(|_| seconds_left.is_some());
            facts.push(match most {
                Some(most) => ("generations", format!("{generations} of {}", count(most))),
                None => ("generations", generations),
            });
        }
        if self.search != Some(SearchPlace::Children) {
            facts.push(("games", count(games)));
            let rate = games_per_second.filter(|_| is_running);
            facts.extend(rate.map(|rate| ("games/s", compact(rate))));
            let name = if is_search { "search left" } else { "left" };
            let left = seconds_left.filter(|_| is_running);
            let left = left.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            facts.extend(left.map(|left| (name, duration(left))));
        }
        if let Some(last) = self.follower.generations().last() {
            facts.extend(level(self.follower.generations()).map(|level| ("now", compact(level))));
            facts.push(("best", compact(last.best)));
        }
        facts
    }

    /// The events after the first `from` ones, in words.
    pub(in crate::web) fn log(&self, from: usize) -> Vec<String> {
        let lines = self.follower.events().iter().skip(from);
        let words = |line: &String| match serde_json::from_str::<Event>(line) {
            Ok(event) => event.to_string(),
            // An event of a later version is shown as it is.
            Err(_) => line.clone(),
        };
        lines.map(words).collect()
    }

    /// Whether a running search still learns, in words.
    pub(in crate::web) fn learning(&self) -> Option<String> {
        let is_searching = self.state == LiveStatus::Running && !has_ended(self.follower.events());
        let rows = self.follower.generations();
        is_searching.then(|| learning(rows)).flatten()
    }

    /// The noise of the last generation, in blocks.
    pub(in crate::web) fn noise(&self) -> Vec<Block> {
        let last = self.follower.generations().last();
        let facts = last.map(search::noise).unwrap_or_default();
        let words = last.and_then(search::signal);
        let unknown = "The noise is not known yet.".to_owned();
        let words = words.or(facts.is_empty().then_some(unknown));
        words
            .map(Block::Text)
            .into_iter()
            .chain([Block::Pairs(facts)])
            .collect()
    }
}

/// The budget of a search; without limits for other runs.
fn budget(directory: &RunDirectory) -> Result<Budget, StoreError> {
    let budget = resolved(directory)?.remove("budget");
    let budget = budget.and_then(|budget| budget.try_into::<Budget>().ok());
    Ok(budget.unwrap_or_default())
}

/// Whether a search has ended and has not gone on since, by the lines of its events.
fn has_ended(events: &[String]) -> bool {
    let is = |line: &&String, name: &str| line.contains(&format!(r#""event":"{name}""#));
    let mut last = events.iter().rev();
    last.find(|line| is(line, "search-ended") || is(line, "continued"))
        .is_some_and(|line| is(&line, "search-ended"))
}

/// Number of training games of a generation.
pub(in crate::web) fn games_of(row: &GenerationRow) -> u64 {
    u64::from(row.population) * u64::from(row.games)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Session;
    use crate::config::Source;
    use crate::config::campaign::Campaign;
    use crate::results::example;
    use crate::run::logs::Timing;
    use crate::run::{Run, tables};

    const CAMPAIGN: &str = "why = 'a long search'\nname = 'long'\nseed = 1\nplayer = { name = 'expectimax' }\n\
        evaluation = { games = 20 }\nbudget = { generations = 20000 }\n\
        parameters = { empty = {}, merges = {}, monotonicity = {}, rank_sum = {} }\n";

    /// Writes artificial generations as a campaign does.
    fn write(root: &Path, count: u32) {
        let source = Source::new("long.toml", CAMPAIGN);
        let campaign = Campaign::resolve(&source, Path::new("")).unwrap();
        let run = Run::begin(&campaign, CAMPAIGN, root, Session::now(1)).unwrap();
        let directory = run.directory();
        let names = campaign.space.names();
        let mut timing = directory.timing_log().unwrap();
        for row in example::run(names.len(), count, 2).generations {
            let part = |table| directory.generation_part(table, row.generation);
            tables::write(&part(&tables::DIAGNOSTICS), &tables::diagnostics(&row)).unwrap();
            let generation = tables::generation(&names, &row);
            tables::write(&part(&tables::GENERATIONS), &generation).unwrap();
            let of = json!({ "generation": row.generation, "playing": 1.0 });
            let games = games_of(&row);
            timing
                .append(&Timing {
                    of,
                    games,
                    seconds: 1.0,
                })
                .unwrap();
        }
    }

    #[test]
    fn a_run_is_followed_once_for_all_who_look() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        write(&root, 20);
        let registry = Registry::new(RunKinds::builtin(), Catalogue::builtin());
        let watched = registry.watched(&root).unwrap();
        assert!(Arc::ptr_eq(&watched, &registry.watched(&root).unwrap()));
        let look = watched.refresh(15).unwrap();
        assert_eq!(
            (look.follower.generations().len(), look.has_more),
            (15, true)
        );
        drop(look);
        let look = watched.refresh_if_old(15).unwrap();
        assert_eq!(
            (look.follower.generations().len(), look.has_more),
            (20, false)
        );
        assert_eq!(
            (look.state, look.pace.seconds_left),
            (LiveStatus::Killed, None)
        );
        drop(look);

        // A new run in the same directory is a different run.
        std::fs::remove_dir_all(&root).unwrap();
        std::thread::sleep(Duration::from_millis(1100));
        write(&root, 3);
        let error = watched.refresh(15).err().unwrap().to_string();
        assert!(error.contains("another run"), "{error}");
        let other = registry.watched(&root).unwrap();
        assert!(!Arc::ptr_eq(&watched, &other));
        assert_eq!(other.refresh(15).unwrap().follower.generations().len(), 3);
    }

    #[test]
    fn a_search_that_goes_on_has_not_ended() {
        let lines = |names: &[&str]| -> Vec<String> {
            let line = |name: &&str| format!(r#"{{"event":"{name}","generations":3}}"#);
            names.iter().map(line).collect()
        };
        assert!(!has_ended(&lines(&[])));
        assert!(has_ended(&lines(&[
            "search-began",
            "search-ended",
            "validated"
        ])));
        assert!(!has_ended(&lines(&["search-ended", "continued"])));
        assert!(has_ended(&lines(&[
            "search-ended",
            "continued",
            "search-ended"
        ])));
    }
}
