//! `manifest.json`: which program, machine and command made a run, when, and how it stands.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{StoreError, atomic};

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A process is at work, or was killed at it.
    Running,
    /// Ended by the user; can be resumed.
    Interrupted,
    /// Ended by an error; can be resumed once its cause is mended.
    Failed,
    /// Done.
    Complete,
}

/// One process that worked on a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Version of the program.
    pub version: String,
    /// Commit that it was built from; null if it was not built in a checkout.
    pub commit: Option<String>,
    /// Whether the checkout was without changes when it was built.
    pub clean: Option<bool>,
    /// Compiler.
    pub rustc: String,
    /// Processor.
    pub processor: String,
    /// Its instruction set extensions, as far as they matter here.
    pub processor_features: Vec<String>,
    /// Threads that played.
    pub threads: usize,
    /// Command line.
    pub argv: Vec<String>,
    /// Start, UTC.
    pub start: String,
    /// End, UTC; null while at work or if killed.
    pub end: Option<String>,
}

/// Seeds of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seeds {
    /// Seed of the campaign, from which all others derive.
    pub campaign: u64,
    /// Seed under which `evaluate` replays the hold-out games.
    pub hold_out: u64,
}

/// The manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// `tiletune`.
    pub program: String,
    /// How the run stands.
    pub status: Status,
    /// Its seeds.
    pub seeds: Seeds,
    /// The process that began it.
    #[serde(flatten)]
    pub first: Session,
    /// Those that resumed it.
    #[serde(default)]
    pub resumed: Vec<Session>,
}

impl Session {
    /// This process, from now on.
    pub fn now(threads: usize) -> Self {
        Session {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: option_env!("TILETUNE_COMMIT").map(str::to_owned),
            clean: option_env!("TILETUNE_CLEAN").map(|clean| clean == "true"),
            rustc: env!("TILETUNE_RUSTC").into(),
            processor: processor(),
            processor_features: processor_features(),
            threads,
            argv: std::env::args_os()
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect(),
            start: utc("%Y-%m-%dT%H:%M:%SZ"),
            end: None,
        }
    }
}

impl Manifest {
    /// The manifest of a run that begins.
    pub fn new(first: Session, seeds: Seeds) -> Self {
        Manifest {
            program: "tiletune".into(),
            status: Status::Running,
            seeds,
            first,
            resumed: Vec::new(),
        }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// If there is none or it is damaged.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let text = std::fs::read_to_string(path).map_err(StoreError::io(path))?;
        serde_json::from_str(&text).map_err(|error| StoreError::damaged(path, error))
    }

    /// Writes the manifest.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| StoreError::damaged(path, error))?;
        atomic::write(path, text + "\n")
    }

    /// The process at work.
    pub fn session(&mut self) -> &mut Session {
        self.resumed.last_mut().unwrap_or(&mut self.first)
    }

    /// Marks the end of the process at work.
    pub fn end(&mut self, status: Status) {
        self.status = status;
        self.session().end = Some(utc("%Y-%m-%dT%H:%M:%SZ"));
    }
}

/// The time now, in UTC.
pub fn utc(format: &str) -> String {
    chrono::Utc::now().format(format).to_string()
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
        ($($name:tt),*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let known = detected!(
        "sse4.2",
        "popcnt",
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "fma",
        "avx512f",
        "avx512bw",
        "avx512cd",
        "avx512dq",
        "avx512vl",
        "avx512vbmi",
        "avx512vbmi2"
    );
    let present = known.into_iter().filter(|(_, present)| *present);
    present.map(|(name, _)| name.to_owned()).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn processor_features() -> Vec<String> {
    Vec::new()
}
