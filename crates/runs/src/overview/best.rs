//! The best runs of a folder, for each game, board, player and objective, by the hold-out games of the weights that each
//! run recommends. This module must not play.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::{FolderEntry, Overview, resolved};
use crate::run::{RunDirectory, StoreError, VALIDATION};
use tiletune_tuning::results::{GameSummary, Validation, Verdict};

/// The options that say which board is played, and how it is filled.
const OF_BOARD: [&str; 3] = ["board", "spawn", "first_tiles"];
/// The options with several settings. An objective over other settings is another one.
const OF_SETTINGS: [&str; 2] = ["depths", "cutoffs"];

/// Most characters of a command in the name of a player.
const LONG: usize = 60;

/// The runs of one game, board, player and objective.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BestRuns {
    /// The game.
    pub game: String,
    /// The options of its board that are not the usual ones, such as `board 3x4`; empty for the usual board.
    pub board: String,
    /// Name of the player; of a program with its command.
    pub player: String,
    /// The objective in words.
    pub objective: String,
    /// The runs, the best one first.
    pub runs: Vec<RankedRun>,
    /// Whether the objective is a loss: the smallest one is the best.
    #[serde(skip)]
    is_loss: bool,
    /// The folder and the command of a program.
    #[serde(skip)]
    program: Option<String>,
}

/// A run with the hold-out games of its recommended weights.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RankedRun {
    /// Its directory.
    pub path: PathBuf,
    /// The search depth, if the player has one.
    pub depth: Option<String>,
    /// Whether the tuned weights are recommended, or the start weights.
    pub is_tuned: bool,
    /// The objective of the recommended weights in the hold-out games.
    pub value: f64,
    /// Its 95 % interval; null if it is not known.
    pub interval: Option<[f64; 2]>,
    /// Number of hold-out games of these weights.
    pub games: u32,
}

/// The runs of these entries that have hold-out games. Runs inside of other runs are left out: a series has hold-out
/// games of its own.
///
/// # Errors
/// If a file of a run is damaged.
pub fn best(entries: &[FolderEntry]) -> Result<Vec<BestRuns>, StoreError> {
    let mut found: Vec<BestRuns> = Vec::new();
    let runs = entries.iter().filter_map(|entry| match entry {
        FolderEntry::Run(run) => Some(run),
        FolderEntry::Other { .. } => None,
    });
    let runs: Vec<&Overview> = runs
        .map(|run| &**run)
        .filter(|run| run.search.is_some())
        .collect();
    let is_inside = |path: &Path| {
        let mut above = path.ancestors().skip(1);
        above.any(|folder| runs.iter().any(|run| run.path == folder))
    };
    for run in runs.iter().filter(|run| !is_inside(&run.path)) {
        let Some((group, ranked)) = ranked(run)? else {
            continue;
        };
        match found.iter_mut().find(|known| is_same(known, &group)) {
            Some(known) => known.runs.push(ranked),
            None => found.push(BestRuns {
                runs: vec![ranked],
                ..group
            }),
        }
    }
    for group in &mut found {
        group.runs.sort_by(|one, other| {
            let order = one.value.total_cmp(&other.value);
            if group.is_loss {
                order
            } else {
                order.reverse()
            }
        });
    }
    let key = |group: &BestRuns| {
        let BestRuns {
            game,
            board,
            player,
            objective,
            ..
        } = group;
        [game, board, player, objective].map(String::clone)
    };
    found.sort_by_key(key);
    Ok(found)
}

fn is_same(one: &BestRuns, other: &BestRuns) -> bool {
    (
        &one.game,
        &one.board,
        &one.player,
        &one.objective,
        &one.program,
    ) == (
        &other.game,
        &other.board,
        &other.player,
        &other.objective,
        &other.program,
    )
}

/// A run and the group that it belongs to; `None` without hold-out games.
fn ranked(run: &Overview) -> Result<Option<(BestRuns, RankedRun)>, StoreError> {
    let directory = RunDirectory::open(&run.path)?;
    let latest: Option<Validation> = directory.read_json(VALIDATION)?;
    // Where the last look shows nothing, or is not complete, the weights of an earlier one stay recommended.
    let earlier = directory.better_look(latest.as_ref())?;
    let Some(validation) = earlier.map(|(_, validation)| validation).or(latest) else {
        return Ok(None);
    };
    let resolved = resolved(&directory)?;
    let player = resolved.get("player").and_then(toml::Value::as_table);
    let option = |key: &str| {
        let value = player?.get(key)?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    };
    let board = OF_BOARD.into_iter();
    let board = board.filter_map(|key| Some(format!("{} {}", key.replace('_', " "), option(key)?)));
    let objective = &validation.objective;
    let is_tuned = validation.verdict() == Verdict::Better;
    let (games, value): (&GameSummary, f64) = if is_tuned {
        (&validation.tuned, objective.tuned)
    } else {
        (&validation.start, objective.start)
    };
    let interval = objective.tuned_interval.filter(|_| is_tuned);
    let interval = interval.map(|ends| {
        let mut ends = ends.map(|end| objective.shown(end));
        ends.sort_unstable_by(f64::total_cmp);
        ends
    });
    // Two programs have nothing to do with each other.
    let command = resolved.get("heuristic").and_then(|of| of.get("command"));
    let words = command
        .and_then(toml::Value::as_array)
        .into_iter()
        .flatten();
    let words = words
        .filter_map(toml::Value::as_str)
        .flat_map(str::split_whitespace);
    let words = words.collect::<Vec<_>>().join(" ");
    let program = command
        .is_some()
        .then(|| match words.char_indices().nth(LONG) {
            Some((end, _)) => format!("{}...", &words[..end]),
            None => words.clone(),
        });
    let place = resolved.get("heuristic").and_then(|of| of.get("folder"));
    let mut settings = OF_SETTINGS.into_iter();
    let settings = settings.find_map(|key| Some(format!("{key} {}", option(key)?)));
    let group = BestRuns {
        game: run.game.clone(),
        board: board.collect::<Vec<_>>().join(", "),
        player: run
            .players
            .iter()
            .take(1)
            .cloned()
            .chain(program)
            .collect::<Vec<_>>()
            .join(": "),
        objective: [Some(objective.name.clone()), settings]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; "),
        runs: Vec::new(),
        is_loss: objective.loss.is_some(),
        program: place
            .and(command)
            .map(|command| format!("{place:?} {command}")),
    };
    let ranked = RankedRun {
        path: run.path.clone(),
        depth: option("depths").or_else(|| option("depth")),
        is_tuned,
        value: objective.shown(value),
        interval,
        games: games.games,
    };
    Ok(Some((group, ranked)))
}
