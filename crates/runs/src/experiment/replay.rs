//! Plays the recorded games of an experiment again.

use super::games::seeds;
use super::{Judged, Played, oracle, played, results};
use crate::config::experiment::{Experiment, Row};
use crate::run::manifest::Status;
use crate::run::replay::Replay;
use crate::run::{Control, RunDirectory, RunError, StoreError, Task};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::Evaluate;
use tiletune_tuning::evaluation::local::Local;

/// Plays the games of all complete rows again and compares them with the recorded ones, one by one. Judges
/// the recorded positions again. Compares the results of a complete experiment with `results.json`.
///
/// With `games`, plays only the first games of each row, at most this number (for games between two players
/// the next even one), and nothing else.
///
/// # Errors
/// If a stop was requested through `control`, no row is complete, or a file of the directory is damaged.
pub fn replay(
    experiment: &Experiment,
    threads: usize,
    directory: &RunDirectory,
    games: Option<u32>,
    control: &mut Control,
) -> Result<Replay, RunError> {
    let recorded = played(experiment, directory)?;
    if recorded.games.iter().all(Vec::is_empty) {
        let reason = "no row of this experiment is complete; there is nothing to replay";
        return Err(StoreError::unusable(directory.root(), reason).into());
    }
    let again = play(experiment, &recorded, threads, games, control)?;
    let mut replay = Replay::default();
    for (index, (recorded, again)) in recorded.games.iter().zip(&again).enumerate() {
        let path = directory.row_part(index);
        let table = path.strip_prefix(directory.root()).unwrap_or(&path);
        let name = &experiment.rows[index].name;
        replay.add_played(again.len() as u64);
        let recorded = match games {
            Some(_) => &recorded[..again.len()],
            None => recorded,
        };
        let table = format!("{} (`{name}`)", table.display());
        replay.compare_games(&table, recorded, again);
    }
    if games.is_some() {
        return Ok(replay);
    }
    let count = recorded.judged.len();
    let judged: Vec<Judged> =
        oracle::judge_again(experiment, &recorded.weights, count, threads, control)?;
    replay.compare(&directory.path(oracle::JUDGED), &recorded.judged, &judged)?;
    if directory.manifest()?.status == Status::Complete {
        let again = Played {
            games: again,
            judged,
            weights: recorded.weights,
        };
        let results = results::summarize(experiment, &again, control.progress.stop());
        let results = results.ok_or(RunError::Interrupted)?;
        replay.compare_file(directory, "results.json", &results)?;
    }
    Ok(replay)
}

/// The games of every recorded row; none of the other rows.
fn play(
    experiment: &Experiment,
    recorded: &Played,
    threads: usize,
    games: Option<u32>,
    control: &mut Control,
) -> Result<Vec<Vec<GameRecord>>, RunError> {
    let rows = &experiment.rows;
    let mut again = vec![Vec::new(); rows.len()];
    let is_recorded = |index: &usize| !recorded.games[*index].is_empty();
    let numbers: Vec<usize> = (0..rows.len()).filter(is_recorded).collect();
    let same_player = |one: &usize, next: &usize| {
        let [one, next] = [one, next].map(|&index| &rows[index]);
        (&one.player, one.games) == (&next.player, next.games)
    };
    let mut others = numbers.len();
    for group in numbers.chunk_by(same_player) {
        others -= group.len();
        let of_group: Vec<&Row> = group.iter().map(|&index| &rows[index]).collect();
        let (first, last) = (of_group[0], of_group[of_group.len() - 1]);
        let mut seeds = seeds(experiment, first);
        if let Some(games) = games {
            seeds.truncate(first.player.players().whole(games) as usize);
        }
        control.observer.task_begins(Task::Rows {
            first: &first.name,
            last: &last.name,
            games: (group.len() * seeds.len()) as u64,
            alike: 0,
            others,
        });
        let weights = group.iter().map(|&index| recorded.weights[index].clone());
        let weights: Vec<Weights> = weights.collect();
        let local = Local::new(first.player.clone(), Some(threads))?;
        local.evaluate::<StoreError>(&weights, &seeds, control.progress, &mut |batch| {
            again[group[batch.candidate]].extend_from_slice(batch.games);
            Ok(())
        })?;
    }
    Ok(again)
}

/// Number of games that [`replay`] plays.
///
/// # Errors
/// If a file of the directory is damaged.
pub fn games_to_replay(
    experiment: &Experiment,
    directory: &RunDirectory,
    games: Option<u32>,
) -> Result<u64, StoreError> {
    let recorded = played(experiment, directory)?.games;
    let most = |games: u32, row: &Row| row.player.players().whole(games) as usize;
    let rows = recorded.iter().zip(&experiment.rows);
    let of_row = |(recorded, row): (&Vec<GameRecord>, &Row)| match games {
        Some(games) => recorded.len().min(most(games, row)) as u64,
        None => recorded.len() as u64,
    };
    Ok(rows.map(of_row).sum())
}
