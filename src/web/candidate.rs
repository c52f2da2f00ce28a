//! The weights of a candidate of a campaign, under the name `RUN:candidate-GENERATION-NUMBER`. This module must not
//! write a file.

use super::app::App;
use super::followed::place;
use super::refusal::Refusal;
use crate::config::Source;
use crate::config::weights_file::{TUNED, unchecked};
use crate::run::{RunDirectory, tables};

/// What stands between the name of a run and the numbers of a candidate.
const MARK: &str = ":candidate-";

/// The weights of the candidate with this name as a weights file; `None` if the name is no candidate's. They are those of
/// `tuned.toml` with the values of the candidate, so the search must have ended.
pub(super) fn source(app: &App, name: &str) -> Result<Option<Source>, Refusal> {
    let Some((run, numbers)) = name.rsplit_once(MARK) else {
        return Ok(None);
    };
    let unknown = || Refusal::unknown(format!("no candidate `{name}` in the results folder"));
    let numbers = numbers.split_once('-');
    let numbers = numbers.and_then(|(one, other)| Some((one.parse().ok()?, other.parse().ok()?)));
    let (generation, number): (u32, u32) = numbers.ok_or_else(unknown)?;
    let root = place::directory(&app.results, run).ok_or_else(unknown)?;
    let directory = RunDirectory::open(&root).map_err(Refusal::wrong)?;
    let tuned = directory.part(TUNED);
    if !tuned.exists() {
        return Err(Refusal::wrong(
            "candidates can be played when their search has ended",
        ));
    }
    let watched = app.watch.registry.watched(&root).map_err(Refusal::wrong)?;
    let names = watched.plan.parameters();
    let part = directory.generation_part(&tables::CANDIDATES, generation);
    if !part.exists() {
        return Err(unknown());
    }
    let rows = tables::read_candidates(&part, &names).map_err(Refusal::wrong)?;
    let row = rows.iter().find(|row| row.candidate == number);
    let row = row.ok_or_else(unknown)?;
    let text = directory.read_text(TUNED).map_err(Refusal::wrong)?;
    let file = unchecked(&Source::new(name, text)).map_err(Refusal::wrong)?;
    let mut file = file.ok_or_else(unknown)?;
    // What is recorded about the tuned weights is not true of these.
    file.provenance = None;
    let values = names
        .iter()
        .map(|name| (*name).to_owned())
        .zip(row.values.iter().copied());
    file.weights.extend(values);
    let text = toml::to_string(&file).map_err(Refusal::wrong)?;
    Ok(Some(Source::new(name, text)))
}
