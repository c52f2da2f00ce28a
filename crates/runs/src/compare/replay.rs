//! Plays the recorded pairs of a comparison again.

use super::entrants::{Evaluators, entrants};
use super::games::{Played, play_next, recorded};
use super::results::summarize;
use crate::config::compare::Comparison;
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::{Control, RunDirectory, RunError, StoreError};

/// Plays all recorded pairs again and compares the games with the recorded ones, one by one; of a complete
/// comparison also looks and verdicts with `results.json`.
///
/// # Errors
/// If a stop was requested through `control`, no pair is recorded, or a file of the directory is damaged.
pub fn replay(
    comparison: &Comparison,
    threads: usize,
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<Replay, RunError> {
    let recorded = recorded(comparison, directory)?;
    if recorded.pairs() == 0 {
        let reason = "no pair of this comparison is played yet; there is nothing to replay";
        return Err(StoreError::unusable(directory.root(), reason).into());
    }
    let again = play(comparison, &recorded, threads, control)?;
    let mut replay = Replay::default();
    for ((entrant, recorded), again) in again.entrants.iter().zip(&recorded.games).zip(&again.games)
    {
        let name = &comparison.players[entrant.index].name;
        replay.add_played(again.len() as u64);
        replay.compare_games(&format!("tables/games, `{name}`"), recorded, again);
    }
    if directory.manifest()?.status == Status::Complete {
        let results = summarize(comparison, &again);
        replay.compare_file(directory, "results.json", &results)?;
    }
    Ok(replay)
}

/// Plays until every verdict is known, but at most as many pairs as are recorded.
fn play(
    comparison: &Comparison,
    recorded: &Played,
    threads: usize,
    control: &mut Control,
) -> Result<Played, RunError> {
    let evaluators = Evaluators::new(entrants(comparison), &threads)?;
    let mut again = Played::new(comparison, entrants(comparison), evaluators.batch);
    let last = recorded.pairs();
    while !again.is_complete() && again.pairs() < last {
        let (pairs, games) = play_next(comparison, &again, last, &evaluators, control)?;
        while !again.is_complete() && again.pairs() < pairs.end {
            let rows = again.next_rows(pairs.start, &games);
            again.add(&rows);
        }
    }
    Ok(again)
}
