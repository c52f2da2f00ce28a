//! How a campaign begins in a run directory, and is found again in one.

use std::path::Path;

use super::hold_out_seed;
use crate::config::Source;
use crate::config::campaign::Campaign;
use crate::config::experiment::is_resolved;
use crate::store::StoreError;
use crate::store::manifest::{Manifest, Seeds, Session};
use crate::store::run_directory::{RunDirectory, TableName};

/// Makes the run directory of a campaign, with all that stands at its beginning. `verbatim` is the
/// campaign file as its author wrote it.
///
/// # Errors
/// If the directory is not empty or cannot be written; nothing is left then.
pub fn begin(
    campaign: &Campaign,
    verbatim: &str,
    root: &Path,
    session: Session,
) -> Result<(RunDirectory, Manifest), StoreError> {
    let seed = campaign.config.seed;
    let seeds = Seeds {
        campaign: seed,
        hold_out: hold_out_seed(seed),
    };
    let manifest = Manifest::new(session, seeds);
    let directory = RunDirectory::create(root, &TableName::ALL, |directory| {
        let path = directory.resolved_path();
        let resolved = toml::to_string(&campaign.config);
        let resolved = resolved.map_err(|error| StoreError::damaged(&path, error))?;
        directory.write("config.toml", verbatim)?;
        directory.write("resolved.toml", resolved)?;
        manifest.write(&directory.manifest_path())
    })?;
    Ok((directory, manifest))
}

/// The campaign that a run directory is of.
///
/// # Errors
/// If its resolved configuration is damaged.
pub fn open(directory: &RunDirectory) -> Result<Campaign, StoreError> {
    let path = directory.resolved_path();
    let source = Source::read(&path);
    if source.as_ref().is_ok_and(is_resolved) {
        return Err(StoreError::Unusable {
            path: directory.root().to_owned(),
            reason: "the directory of an experiment, not of a campaign".into(),
        });
    }
    let resolved = source.and_then(|source| Campaign::resolve(&source, directory.root()));
    // The program wrote the file; a mistake in it is damage, not a user's.
    resolved.map_err(|error| StoreError::damaged(&path, error))
}
