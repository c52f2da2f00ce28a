//! Runs and weights that are named on the command line. A run is named by path, by its name in `results`, or as `last`,
//! the newest one; weights also by the names of those that ship with the program.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Context, Failure};
use crate::config::ConfigError;
use crate::config::shipped::{self, Named, TUNED, Wanted};
use crate::config::weights_file::{BEST, OF_TUNED};
use crate::run::RunDirectory;

/// The folder of new run directories, if the user does not name another one.
pub(super) const RESULTS: &str = "results";

/// The run that `last` means. The options are parsed before it is known whether messages are wanted.
static LAST: OnceLock<PathBuf> = OnceLock::new();

/// Prints the name of the run that `last` means.
pub(super) fn tell_last(context: Context) {
    if let Some(last) = LAST.get() {
        context.message(format!("last: {}", last.display()));
    }
}

/// The path of a run, or of any other file. An existing path has priority over a name.
pub(super) fn run_path(text: &str) -> Result<PathBuf, String> {
    named(text, "run", |_| true).map(PathBuf::from)
}

/// The path of a run with weights, of its weights (`RUN:tuned`), or of any other file.
pub(super) fn weights_path(text: &str) -> Result<PathBuf, String> {
    weights_name(text).map(PathBuf::from)
}

/// The same as text; what names no run stays as it is.
pub(super) fn weights_name(text: &str) -> Result<String, String> {
    named(text, "run with weights", |run| run.join(BEST).exists())
}

/// The path of a named run; `last` is the newest one that is `wanted`, in words `what`.
fn named(text: &str, what: &str, wanted: impl Fn(&Path) -> bool) -> Result<String, String> {
    let (name, of_run) = match text.strip_suffix(OF_TUNED) {
        Some(name) => (name, OF_TUNED),
        None => (text, ""),
    };
    if name.is_empty() || Path::new(name).exists() {
        return Ok(text.to_owned());
    }
    let in_results = Path::new(RESULTS).join(name);
    let found = if name == "last" {
        let newest = newest(Path::new(RESULTS), wanted);
        let newest = newest.ok_or_else(|| format!("there is no {what} in `{RESULTS}`"))?;
        LAST.get_or_init(|| newest).clone()
    } else if in_results.is_dir() {
        in_results
    } else {
        return Ok(text.to_owned());
    };
    Ok(format!("{}{of_run}", found.display()))
}

/// The weights of a path (see [`run_path`]) or of a name. Says which weights `tuned` stands for, and when a file or a run
/// hides the weights that ship with the program.
pub(super) fn named_weights(
    context: Context,
    path: &Path,
    wanted: Wanted,
) -> Result<Named, Failure> {
    let named = shipped::named(context.catalogue, Path::new(""), path, wanted);
    let named = named.map_err(|error| match error {
        // Without a frame, whose lines break inside of names.
        ConfigError::Unreadable { .. } => Failure::usage(error),
        error => error.into(),
    })?;
    if let Some(found) = &named.shipped
        && path == Path::new(TUNED)
    {
        context.message(format!("{TUNED}: the weights `{}`", found.name));
    }
    let name = path.strip_prefix(RESULTS).unwrap_or(path).to_str();
    if let (None, Some(name)) = (&named.shipped, name)
        && shipped::find(context.catalogue, name, Wanted::default()).is_some()
    {
        let path = path.display();
        context.message(format!(
            "{path}: this file or run, not the weights of this name that ship with the program"
        ));
    }
    Ok(named)
}

/// The run of a folder that was started last, of those that are `wanted`.
fn newest(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let started = |path: PathBuf| {
        let manifest = RunDirectory::open(&path).ok()?.manifest().ok()?;
        Some((manifest.first.start, path))
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let runs = paths.filter(|path| wanted(path)).filter_map(started);
    runs.max().map(|(_, path)| path)
}
