//! The weights files of a run and of the earlier looks at its search, and the weights that stay recommended when a later
//! look shows nothing. This module must not write files.

use crate::config::campaign::Campaign;
use crate::config::weights_file::{self, TUNED, WeightsFile};
use crate::run::{RunDirectory, RunFile, StoreError};
use tiletune_engine::heuristic::weights::Weights;

/// The tuned weights of the last earlier look at a search that were shown to be better than the start weights.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierLook {
    /// Number of the look, from 1.
    pub look: u32,
    /// Its tuned weights.
    pub weights: Weights,
    /// The file of these weights.
    pub(super) file: WeightsFile,
}

/// The tuned weights of the last look before the present one that were shown to be better than the start weights; `None`
/// if none were.
pub(super) fn last_better(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Option<EarlierLook>, StoreError> {
    let Some((look, _)) = directory.better_before(campaign.config.validation.look)? else {
        return Ok(None);
    };
    let weights = tuned_at(campaign, &directory.earlier_part(look, TUNED))?;
    let both = weights.zip(file_of(directory, look, TUNED)?);
    Ok(both.map(|(weights, file)| EarlierLook {
        look,
        weights,
        file,
    }))
}

/// The contents of a weights file of an earlier look; `None` if it does not exist.
pub(super) fn file_of(
    directory: &RunDirectory,
    look: u32,
    name: &str,
) -> Result<Option<WeightsFile>, StoreError> {
    let part = directory.earlier_part(look, name);
    if !part.exists() {
        return Ok(None);
    }
    let text = directory.read_text(&directory.name_of(&part))?;
    let file = toml::from_str(&text).map_err(|error| StoreError::damaged(&part, error))?;
    Ok(Some(file))
}

/// The weights of `tuned.toml`, a file that is written at the end of the search; `None` before.
pub(super) fn tuned_weights(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Option<Weights>, StoreError> {
    tuned_at(campaign, &directory.part(TUNED))
}

/// The weights of a file that a run has written as `tuned.toml`; `None` if it does not exist.
pub(super) fn tuned_at(campaign: &Campaign, path: &RunFile) -> Result<Option<Weights>, StoreError> {
    if !path.exists() {
        return Ok(None);
    }
    // This read names the file once in its error; the error below would name it twice.
    path.read()?;
    let weights = weights_file::read(path, &campaign.player);
    let (_, weights) = weights.map_err(|error| StoreError::damaged(path, error))?;
    Ok(Some(weights))
}
