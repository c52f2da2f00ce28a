//! The recorded games of an experiment as tables that can be played again, and what follows from their games.

use super::{Judged, Played, oracle, played, results};
use crate::config::experiment::{Experiment, Row};
use crate::run::games_table::{self, GamesTable};
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::{Control, RunDirectory, RunError, StoreError};
use tiletune_tuning::evaluation::EvaluatorFactory;

/// The tables of the complete rows.
pub(super) fn tables(
    experiment: &Experiment,
    directory: &RunDirectory,
    played: &Played,
) -> Vec<GamesTable<'static>> {
    let rows = experiment.rows.iter().zip(&played.games).enumerate();
    let rows = rows.filter(|(_, (_, games))| !games.is_empty());
    let table = |(index, (row, games)): (usize, (&Row, &Vec<_>))| {
        let label = format!(
            "{} (`{}`)",
            directory.name_of(&directory.row_part(index)),
            row.name
        );
        let weights = played.weights[index].clone();
        GamesTable::of_weights(label, row.player.clone(), weights, games.clone())
    };
    rows.map(table).collect()
}

/// Plays the games of all complete rows again and compares them with the recorded ones, one by one. Judges
/// the recorded positions again. Compares the results of a complete experiment with `results.json`.
///
/// With `first`, plays only the first games of each row, at most this number (for games between two players
/// the next even one), and nothing else.
pub(super) fn replay(
    experiment: &Experiment,
    directory: &RunDirectory,
    first: Option<u32>,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<Replay, RunError> {
    let recorded = played(experiment, directory)?;
    let tables = tables(experiment, directory, &recorded);
    if tables.is_empty() {
        let reason = "no row of this experiment is complete; there is nothing to replay";
        return Err(StoreError::unusable(directory.root(), reason).into());
    }
    let mut replay = Replay::default();
    let mut again =
        games_table::replay(&tables, first, machines, control, &mut replay)?.into_iter();
    if first.is_some() {
        return Ok(replay);
    }
    let (count, threads) = (recorded.judged.len(), machines.threads());
    let judged: Vec<Judged> =
        oracle::judge_again(experiment, &recorded.weights, count, threads, control)?;
    replay.compare(&directory.path(oracle::JUDGED), &recorded.judged, &judged)?;
    if directory.manifest()?.status == Status::Complete {
        let of_row = |games: &Vec<_>| match games.is_empty() {
            true => Vec::new(),
            false => again.next().unwrap_or_default(),
        };
        let again = Played {
            games: recorded.games.iter().map(of_row).collect(),
            judged,
            weights: recorded.weights,
        };
        let results = results::summarize(experiment, &again, control.progress.stop());
        let results = results.ok_or(RunError::Interrupted)?;
        replay.compare_file(directory, "results.json", &results)?;
    }
    Ok(replay)
}
