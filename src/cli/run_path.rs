//! Runs and weights that are named on the command line. A run is named by path, by its name in `results`, or as `last`,
//! the newest one; weights also by the names of those that ship with the program.

use std::path::{Path, PathBuf};

use super::{Context, Failure, message};
use crate::config::ConfigError;
use crate::config::shipped::{self, Named, TUNED, Wanted};
use crate::config::weights_file::OF_TUNED;
use crate::run::RunDirectory;

/// The folder of new run directories, if the user does not name another one.
pub(super) const RESULTS: &str = "results";

/// The path of a run, of its weights (`RUN:tuned`), or of any other file. An existing path has priority over a name.
pub(super) fn run_path(text: &str) -> Result<PathBuf, String> {
    run_name(text).map(PathBuf::from)
}

/// The same as text; what names no run stays as it is.
pub(super) fn run_name(text: &str) -> Result<String, String> {
    let (name, of_run) = match text.strip_suffix(OF_TUNED) {
        Some(name) => (name, OF_TUNED),
        None => (text, ""),
    };
    if name.is_empty() || Path::new(name).exists() {
        return Ok(text.to_owned());
    }
    let in_results = Path::new(RESULTS).join(name);
    let found = if name == "last" {
        let newest = newest(Path::new(RESULTS));
        let newest = newest.ok_or_else(|| format!("there is no run in `{RESULTS}`"))?;
        message(format!("last: {}", newest.display()));
        newest
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

/// The run of a folder that was started last.
fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let started = |path: PathBuf| {
        let manifest = RunDirectory::open(&path).ok()?.manifest().ok()?;
        Some((manifest.first.start, path))
    };
    let runs = entries.filter_map(|entry| started(entry.ok()?.path()));
    runs.max().map(|(_, path)| path)
}
