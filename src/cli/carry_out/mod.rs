//! Carrying something out in its run directory, from wherever it stands: what a command that begins
//! it and `resume` have in common.

pub(super) mod campaign;
pub(super) mod experiment;

use super::Failure;
use crate::store::StoreError;
use crate::store::manifest::{Manifest, Status};
use crate::store::run_directory::RunDirectory;

/// Marks in the manifest how it ended.
fn end<T>(
    manifest: &mut Manifest,
    directory: &RunDirectory,
    ended: &Result<T, Failure>,
) -> Result<(), StoreError> {
    manifest.end(match ended {
        Ok(_) => Status::Complete,
        Err(Failure::Interrupted(_)) => Status::Interrupted,
        Err(_) => Status::Failed,
    });
    let written = manifest.write(&directory.manifest_path());
    // Of two failures the first is what the user needs to hear of.
    if ended.is_ok() { written } else { Ok(()) }
}

/// What an interrupted command says.
fn interrupted(directory: &RunDirectory) -> Failure {
    Failure::Interrupted(format!(
        "interrupted; go on with: tiletune resume {}",
        directory.root().display()
    ))
}
