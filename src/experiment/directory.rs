//! The run directory of an experiment: what it begins with, what is read back from it, and what
//! stands in it at the end.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Played, yardstick};
use crate::config::Source;
use crate::config::experiment::{Experiment, Row, is_resolved};
use crate::random::Stream;
use crate::record::GameRecord;
use crate::record::experiment::ExperimentResults;
use crate::store::manifest::{Manifest, Seeds, Session};
use crate::store::run_directory::{RunDirectory, TableName};
use crate::store::{StoreError, logs, rows};

/// Log of how long it took.
pub(super) const TIMING: &str = "timing.jsonl";

/// How long some rows took that were played together.
#[derive(Serialize, Deserialize)]
pub(super) struct Timing {
    rows: Vec<String>,
    games: u64,
    moves: u64,
    threads: usize,
    /// Time on the clock.
    seconds: f64,
}

impl Timing {
    pub(super) fn new(
        rows: &[&Row],
        games: &[Vec<GameRecord>],
        threads: usize,
        time: Duration,
    ) -> Self {
        let all = || games.iter().flatten();
        Timing {
            rows: rows.iter().map(|row| row.name.clone()).collect(),
            games: all().count() as u64,
            moves: all().map(|game| u64::from(game.moves)).sum(),
            threads,
            seconds: time.as_secs_f64(),
        }
    }
}

/// Makes the run directory. `verbatim` is the experiment file as its author wrote it.
///
/// # Errors
/// If the directory is not empty or cannot be written; nothing is left then.
pub fn begin(
    experiment: &Experiment,
    verbatim: &str,
    root: &Path,
    session: Session,
) -> Result<(RunDirectory, Manifest), StoreError> {
    let seed = experiment.config.seed;
    let seeds = Seeds {
        campaign: seed,
        hold_out: seed,
    };
    let manifest = Manifest::new(session, seeds);
    let directory = RunDirectory::create(root, &[TableName::Games], |directory| {
        let path = directory.resolved_path();
        let resolved = toml::to_string(&experiment.config);
        let resolved = resolved.map_err(|error| StoreError::damaged(&path, error))?;
        directory.write("config.toml", verbatim)?;
        directory.write("resolved.toml", resolved)?;
        for (name, contents) in &experiment.files {
            directory.write(name, contents)?;
        }
        manifest.write(&directory.manifest_path())
    })?;
    Ok((directory, manifest))
}

/// Writes the results. Times stand in a file of their own: the others are the same bytes whenever
/// and wherever the experiment is run.
///
/// # Errors
/// If the disk is full or fails.
pub fn finish(directory: &RunDirectory, results: &ExperimentResults) -> Result<(), StoreError> {
    directory.write_json("results.json", results)?;
    let write_csv = |name: &str, table: csv::Result<Vec<u8>>| {
        let damaged = |error| StoreError::damaged(&directory.path(name), error);
        directory.write(name, table.map_err(damaged)?)
    };
    write_csv("results.csv", results_csv(results))?;
    let timing: Vec<Timing> = logs::read(&directory.path(TIMING))?;
    write_csv("timing.csv", timing_csv(&timing))
}

/// Whether a run directory is an experiment's, not a campaign's.
pub fn is_experiment(directory: &RunDirectory) -> bool {
    Source::read(&directory.resolved_path()).is_ok_and(|source| is_resolved(&source))
}

/// The experiment that a run directory is of.
///
/// # Errors
/// If its resolved configuration is damaged.
pub fn open(directory: &RunDirectory) -> Result<Experiment, StoreError> {
    let path = directory.resolved_path();
    let source = Source::read(&path);
    let resolved = source.and_then(|source| Experiment::resolve(&source, directory.root()));
    // The program wrote the file; a mistake in it is damage, not a user's.
    resolved.map_err(|error| StoreError::damaged(&path, error))
}

/// What a run directory holds of an experiment.
///
/// # Errors
/// If a table is damaged or holds other games.
pub fn played(experiment: &Experiment, directory: &RunDirectory) -> Result<Played, StoreError> {
    let games = |(index, row): (usize, &Row)| {
        let path = directory.row_part(index);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let games = rows::read_games(&path)?;
        let expected = seeds(experiment, row);
        if !games.iter().map(|game| game.seed).eq(expected) {
            let reason = format!("these are not the games of row `{}`", row.name);
            return Err(StoreError::damaged(&path, reason));
        }
        Ok(games)
    };
    let rows = experiment.rows.iter().enumerate();
    Ok(Played {
        games: rows.map(games).collect::<Result<_, StoreError>>()?,
        judged: yardstick::judged(experiment, directory)?,
    })
}

/// Seeds of a row's games: those of `evaluate --seed`.
pub(super) fn seeds(experiment: &Experiment, row: &Row) -> Vec<u64> {
    let seed = experiment.config.seed;
    let players = row.player.players();
    players.game_seeds(seed, Stream::Evaluate, 0, u64::from(row.games))
}

const RESULTS: &str = "row,games,mean_score,se_score,mean_moves,won,drawn,lost,capped,reached,\
    reached_share,reached_low,reached_high,chi_square,degrees,p,p_holm,baseline,difference,\
    difference_low,difference_high,kept,kept_share,kept_low,kept_high,only_row,only_baseline,\
    p_mcnemar,p_mcnemar_holm";

fn results_csv(results: &ExperimentResults) -> csv::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(RESULTS.split(','))?;
    for row in &results.rows {
        let mut cells = vec![
            row.name.clone(),
            row.games.to_string(),
            row.mean_score.to_string(),
            row.se_score.to_string(),
            row.mean_moves.to_string(),
        ];
        match row.outcomes {
            Some(ended) => {
                cells
                    .extend([ended.wins, ended.draws, ended.losses].map(|games| games.to_string()));
            }
            None => cells.extend(vec![String::new(); 3]),
        }
        cells.push(row.capped.to_string());
        let mut optional = |values: Option<Vec<String>>, count: usize| {
            cells.extend(values.unwrap_or_else(|| vec![String::new(); count]));
        };
        let text_of = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>();
        optional(
            row.reached
                .map(|r| text_of(&[f64::from(r.games), r.share, r.low, r.high])),
            4,
        );
        optional(
            row.agreement
                .map(|a| text_of(&[a.chi_square, f64::from(a.degrees), a.p, a.p_holm])),
            4,
        );
        optional(
            row.comparison.as_ref().map(|comparison| {
                let difference = comparison.difference;
                let values = [difference.mean, difference.low, difference.high];
                [comparison.baseline.clone()]
                    .into_iter()
                    .chain(text_of(&values))
                    .collect()
            }),
            4,
        );
        optional(
            row.kept
                .as_ref()
                .map(|k| text_of(&[f64::from(k.kept), k.share, k.low, k.high])),
            4,
        );
        let kept = row.kept.as_ref().and_then(|kept| kept.comparison.as_ref());
        optional(
            kept.map(|k| text_of(&[k.only_row as f64, k.only_baseline as f64, k.p, k.p_holm])),
            4,
        );
        table.write_record(cells)?;
    }
    contents(table)
}

fn timing_csv(timing: &[Timing]) -> csv::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record([
        "rows",
        "games",
        "moves",
        "threads",
        "seconds",
        "moves_per_second",
    ])?;
    for played in timing {
        table.write_record([
            played.rows.join("; "),
            played.games.to_string(),
            played.moves.to_string(),
            played.threads.to_string(),
            format!("{:.3}", played.seconds),
            format!("{:.0}", played.moves as f64 / played.seconds),
        ])?;
    }
    contents(table)
}

fn contents(table: csv::Writer<Vec<u8>>) -> csv::Result<Vec<u8>> {
    Ok(table.into_inner().map_err(|error| error.into_error())?)
}
