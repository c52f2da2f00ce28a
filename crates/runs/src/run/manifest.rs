//! `manifest.json`: kind, format and status of a run, and the program, machine and command that made it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{StoreError, atomic, logs};
use crate::inventory::FileName;
use crate::inventory::chain::{self, Head};
use crate::plain_file;

/// The name of the manifest.
pub const FILE: &str = "manifest.json";

/// The format of run directories that this program writes and reads. It changes with every change after which an older
/// program would misread a directory. A program with a later format still shows, exports and reports runs of this one
/// (`tests/it/formats.rs`), or names the version that does.
pub const FORMAT: u32 = 1;

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A process executes it, or was killed during the execution.
    Running,
    /// Ended by the user; can be resumed.
    Interrupted,
    /// Ended by an error; can be resumed when the cause is removed.
    Failed,
    /// Everything is played, drawn and reported.
    Complete,
}

impl Status {
    /// Its name in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
            Status::Complete => "complete",
        }
    }
}

/// One process that executed a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Version of the program.
    pub version: String,
    /// Commit that it was built from; null if it was not built in a checkout.
    pub commit: Option<String>,
    /// Whether the checkout had no uncommitted changes.
    pub clean: Option<bool>,
    /// Compiler.
    pub rustc: String,
    /// Processor.
    pub processor: String,
    /// Its instruction set extensions that the program may use.
    pub processor_features: Vec<String>,
    /// Number of threads.
    pub threads: usize,
    /// Command line.
    pub argv: Vec<String>,
    /// Start, UTC.
    pub start: String,
    /// End, UTC; null until then, or if it was killed.
    pub end: Option<String>,
}

/// Seeds of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seeds {
    /// Seed of the campaign, from which all others are derived.
    pub campaign: u64,
    /// Seed with which `evaluate` replays the hold-out games.
    pub hold_out: u64,
}

impl Seeds {
    /// The seeds of a run whose games all follow from one seed.
    pub fn of(seed: u64) -> Self {
        Seeds {
            campaign: seed,
            hold_out: seed,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// `tiletune`.
    pub program: String,
    /// The format of the directory, see [`FORMAT`].
    pub format: u32,
    /// The name of the kind of run.
    pub kind: String,
    pub status: Status,
    pub seeds: Seeds,
    /// Absolute path at which the run began, without `..`, if external programs play: their paths are relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<PathBuf>,
    /// The process that began the run.
    #[serde(flatten)]
    pub first: Session,
    /// The processes that resumed it.
    #[serde(default)]
    pub resumed: Vec<Session>,
    /// The heads of the logs when the manifest was written, by file name.
    #[serde(default)]
    pub logs: BTreeMap<FileName, Head>,
}

/// The build of the program that executes a run.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// Commit that it was built from; `None` if it was not built in a checkout.
    pub commit: Option<&'static str>,
    /// Whether the checkout had no uncommitted changes.
    pub clean: Option<bool>,
    /// Compiler.
    pub rustc: &'static str,
}

impl Build {
    /// A build of unknown origin.
    pub const UNKNOWN: Build = Build {
        commit: None,
        clean: None,
        rustc: "unknown",
    };
}

impl Session {
    /// This process, starting now, with an unknown build.
    pub fn now(threads: usize) -> Self {
        Session::of(Build::UNKNOWN, threads)
    }

    /// The same process in the manifest of another run, which starts now.
    pub fn again(&self) -> Self {
        Session {
            start: utc("%Y-%m-%dT%H:%M:%SZ"),
            end: None,
            ..self.clone()
        }
    }

    /// This process, starting now, with this build.
    pub fn of(build: Build, threads: usize) -> Self {
        Session {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: build.commit.map(str::to_owned),
            clean: build.clean,
            rustc: build.rustc.into(),
            processor: processor(),
            processor_features: processor_features(),
            threads,
            argv: shown(std::env::args_os().map(|one| one.to_string_lossy().into_owned())),
            start: utc("%Y-%m-%dT%H:%M:%SZ"),
            end: None,
        }
    }
}

/// The option with the addresses of NATS servers. They can be given without `://`.
const SERVERS: &str = "--nats";

/// Arguments without users, passwords and tokens.
fn shown(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut has_servers = false;
    let show = |argument: String| {
        let is_value = std::mem::replace(&mut has_servers, argument == SERVERS);
        let given = argument.strip_prefix(SERVERS);
        match given.and_then(|rest| rest.strip_prefix('=')) {
            _ if is_value => without_users(&argument),
            Some(servers) => format!("{SERVERS}={}", without_users(servers)),
            None if argument.contains("://") => without_users(&argument),
            None => argument,
        }
    };
    arguments.map(show).collect()
}

/// Addresses, separated by commas or spaces, without user, password and token.
fn without_users(addresses: &str) -> String {
    let addresses = addresses.split_inclusive([',', ' ']).map(|address| {
        let (scheme, rest) = match address.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), address),
        };
        let host = rest.rfind('@').map_or(0, |at| at + 1);
        scheme + &rest[host..]
    });
    addresses.collect()
}

impl Manifest {
    /// The manifest of a run that begins.
    pub fn new(kind: &str, first: Session, seeds: Seeds) -> Self {
        Manifest {
            program: "tiletune".into(),
            format: FORMAT,
            kind: kind.to_owned(),
            status: Status::Running,
            seeds,
            root: None,
            first,
            resumed: Vec::new(),
            logs: BTreeMap::new(),
        }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// If there is none, it is damaged, or the run has a format or kind that this program does not
    /// know.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let text = plain_file::read(path).map_err(StoreError::io(path))?;
        if text.trim_ascii().is_empty() {
            return Err(StoreError::damaged(path, "the file is empty"));
        }
        let damaged = |error: serde_json::Error| StoreError::damaged(path, error);
        let written: Value = serde_json::from_slice(&text).map_err(damaged)?;
        Header::check(&Header::deserialize(&written).map_err(damaged)?, path)?;
        let mut manifest = written.clone();
        let check = (manifest.as_object_mut()).and_then(|manifest| manifest.shift_remove(CHECK));
        // The hash covers the parsed values only, so the text is compared, too.
        if check != Some(check_of(&manifest))
            || text != in_text(&written).map_err(damaged)?.as_bytes()
        {
            let reason = "the file is damaged: it is not what a run wrote";
            return Err(StoreError::damaged(path, reason));
        }
        Manifest::deserialize(&manifest).map_err(damaged)
    }

    /// Writes the manifest of the directory `root`, with the ends of its logs.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&mut self, root: &Path) -> Result<(), StoreError> {
        let path = root.join(FILE);
        self.logs = logs::heads(root)?;
        let damaged = |error| StoreError::damaged(&path, error);
        let mut manifest = serde_json::to_value(&*self).map_err(damaged)?;
        manifest[CHECK] = check_of(&manifest);
        atomic::write(&path, in_text(&manifest).map_err(damaged)?)
    }

    /// The last process that executed the run.
    pub fn last_session(&self) -> &Session {
        self.resumed.last().unwrap_or(&self.first)
    }

    /// The current process.
    pub fn session(&mut self) -> &mut Session {
        self.resumed.last_mut().unwrap_or(&mut self.first)
    }

    /// Records the end of the current process.
    pub fn end(&mut self, status: Status) {
        self.status = status;
        self.session().end = Some(utc("%Y-%m-%dT%H:%M:%SZ"));
    }
}

/// The key of a hash of all other keys and values.
const CHECK: &str = "check";

fn in_text(manifest: &Value) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(manifest)? + "\n")
}

fn check_of(manifest: &Value) -> Value {
    chain::check_of(&manifest.to_string()).into()
}

/// The part of a manifest that all formats have.
#[derive(Deserialize)]
struct Header {
    /// 0 if it is missing. No format has this number.
    #[serde(default)]
    format: u32,
    version: String,
}

impl Header {
    fn check(&self, path: &Path) -> Result<(), StoreError> {
        let (format, version) = (self.format, &self.version);
        let this = env!("CARGO_PKG_VERSION");
        if format == FORMAT {
            return Ok(());
        }
        let advice = if format > FORMAT {
            format!("use tiletune {version} or a newer one")
        } else {
            "it is older than the first release, so play it again".to_owned()
        };
        let reason = format!(
            "the run has format {format}, written by tiletune {version}; this program (tiletune {this}) reads format \
             {FORMAT}: {advice}"
        );
        Err(StoreError::unusable(super::atomic::folder_of(path), reason))
    }
}

/// The time now, in UTC.
pub fn utc(format: &str) -> String {
    // A clock before 1970 or beyond the calendar shows 1970.
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.ok().and_then(|now| i64::try_from(now.as_secs()).ok());
    let time = seconds.and_then(|seconds| chrono::DateTime::from_timestamp(seconds, 0));
    time.unwrap_or_default().format(format).to_string()
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    match model.and_then(|line| line.split_once(':')) {
        Some((_, name)) => name.trim().to_owned(),
        None => std::env::consts::ARCH.to_owned(),
    }
}

#[cfg(target_arch = "x86_64")]
fn processor_features() -> Vec<String> {
    macro_rules! detected {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let known = detected!(
        "sse4.2" "popcnt" "avx" "avx2" "bmi1" "bmi2" "fma" "avx512f" "avx512bw" "avx512cd" "avx512dq"
        "avx512vl" "avx512vbmi" "avx512vbmi2"
    );
    let present = known.into_iter().filter(|(_, present)| *present);
    present.map(|(name, _)| name.to_owned()).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn processor_features() -> Vec<String> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_of_an_address_is_kept() {
        let of = |arguments: &str| shown(arguments.split(' ').map(str::to_owned)).join(" ");
        for (given, kept) in [
            (
                "tune --nats nats://token@host:4222",
                "tune --nats nats://host:4222",
            ),
            ("tune --nats token@host --quiet", "tune --nats host --quiet"),
            ("tune --nats=a:b@h1,nats://c@h2", "tune --nats=h1,nats://h2"),
            ("--nats nats://a@h1,d/e@h2", "--nats nats://h1,h2"),
            (
                "serve --allow-origin https://x@y/z",
                "serve --allow-origin https://y/z",
            ),
            ("tune a@b.toml", "tune a@b.toml"),
        ] {
            assert_eq!(of(given), kept);
        }
    }

    #[test]
    fn another_format_is_refused() {
        let refused = |header: &str| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("manifest.json");
            std::fs::write(&path, header).unwrap();
            match Manifest::read(&path).unwrap_err() {
                StoreError::Unusable { path, reason } if path == folder.path() => reason,
                error => panic!("{error}"),
            }
        };
        let this = format!("this program (tiletune {})", env!("CARGO_PKG_VERSION"));
        let advice = "use tiletune 0.9.0 or a newer one";
        assert_eq!(
            refused(r#"{"format": 2, "kind": "campaign", "version": "0.9.0"}"#),
            format!(
                "the run has format 2, written by tiletune 0.9.0; {this} reads format 1: {advice}"
            )
        );
    }

    #[test]
    fn an_empty_file_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        for text in ["", "\n"] {
            std::fs::write(&path, text).unwrap();
            let error = Manifest::read(&path).unwrap_err().to_string();
            assert!(
                error.ends_with("manifest.json: the file is empty"),
                "{error}"
            );
        }
    }

    #[test]
    fn names_are_those_of_the_file() {
        for status in [
            Status::Running,
            Status::Interrupted,
            Status::Failed,
            Status::Complete,
        ] {
            assert_eq!(serde_json::json!(status), status.name());
        }
    }
}
