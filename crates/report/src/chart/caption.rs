//! The caption below a chart: the player, the number of games, and the seeds.

use crate::interest;
use crate::number::{compact, count, grouped};
use tiletune_tuning::results::compare::ComparisonResults;
use tiletune_tuning::results::exact::ExactResult;
use tiletune_tuning::results::pruning::Pruned;
use tiletune_tuning::results::{RunData, experiment::ExperimentResults, series::SeriesResults};

/// Caption of a chart that shows the search.
pub(super) fn of_search(data: &RunData) -> String {
    let games = range(data.generations.iter().map(|row| row.games));
    let population = range(data.generations.iter().map(|row| row.population));
    format!(
        "Campaign “{}”: {}, {}; objective: {}. {games} games for each of {population} candidates \
         a generation. Campaign seed {}, hold-out seed {}.",
        data.name, data.game, data.player, data.objective, data.seed, data.hold_out_seed
    )
}

/// Caption of a chart that shows the hold-out games.
pub(super) fn of_hold_out(data: &RunData) -> String {
    let (start, tuned) = (data.hold_out_start.len(), data.hold_out_tuned.len());
    let games = match (start, tuned) {
        (1, 1) => "1 hold-out game with each set of weights".to_owned(),
        _ if start == tuned => {
            format!(
                "{} hold-out games with each set of weights",
                count(start as u64)
            )
        }
        _ => format!(
            "Hold-out games: {} with the start weights, {} with the tuned weights",
            count(start as u64),
            count(tuned as u64)
        ),
    };
    format!(
        "Campaign “{}”: {}, {}; objective: {}. {games}. Hold-out seed {}, campaign seed {}.",
        data.name, data.game, data.player, data.objective, data.hold_out_seed, data.seed
    )
}

/// Caption of a chart of an exact result.
pub(super) fn of_exact(result: &ExactResult) -> String {
    format!(
        "{}: exactly {} points a game, perfect play {}. No game was played.",
        result.player,
        grouped(result.mean, 2),
        grouped(result.perfect, 2)
    )
}

/// Caption of a chart of an experiment.
pub(super) fn of_experiment(results: &ExperimentResults) -> String {
    let games = range(results.rows.iter().map(|row| row.summary.games));
    let mut players: Vec<&str> = results.rows.iter().map(|row| row.player.as_str()).collect();
    players.dedup();
    let player = match players[..] {
        [player] => format!("{player}; "),
        _ => match common(&players) {
            common if common.is_empty() => String::new(),
            common => format!("all {common}; "),
        },
    };
    format!(
        "Experiment “{}”: {player}{games} games each, seed {}.",
        results.name, results.seed
    )
}

/// The options that all players share, from their descriptions: depth, opponents, board.
fn common(players: &[&str]) -> String {
    let Some((first, others)) = players.split_first() else {
        return String::new();
    };
    let options = first.split(", ").skip(1);
    let is_common = |option: &&str| {
        others
            .iter()
            .all(|other| other.split(", ").any(|one| one == *option))
    };
    options.filter(is_common).collect::<Vec<_>>().join(", ")
}

/// Caption of a chart of a comparison.
pub(super) fn of_comparison(results: &ComparisonResults) -> String {
    let players: Vec<String> = results
        .players
        .iter()
        .map(|one| format!("{} ({})", one.name, one.player))
        .collect();
    format!(
        "{}: {}. Difference of interest {}, error {} %, seed {}.",
        results.game,
        players.join("; "),
        interest::of_comparison(results),
        compact(100.0 * results.error),
        results.seed
    )
}

/// Caption of a chart of the yardstick's positions.
pub(super) fn of_yardstick(results: &ExperimentResults) -> String {
    let kept = results.rows.iter().filter_map(|row| row.kept.as_ref());
    format!(
        "Experiment “{}”: {} random positions, seed {}.",
        results.name,
        range(kept.map(|kept| kept.positions)),
        results.seed
    )
}

/// Caption of a chart of `tune --prune`.
pub(super) fn of_pruning(pruned: &Pruned) -> String {
    format!(
        "Campaign “{}”: {}, {}. {} fresh games of each set of weights at each step, seed {}.",
        pruned.name,
        pruned.game,
        pruned.player,
        count(pruned.games),
        pruned.seed
    )
}

/// Caption of a chart of a series.
pub(super) fn of_series(results: &SeriesResults) -> String {
    format!(
        "Campaign “{}”, {} runs: {}, {}; objective: {}. Seed {}, hold-out seed {}.",
        results.name,
        results.repeat,
        results.game,
        results.player,
        results.objective,
        results.seed,
        results.hold_out_seed
    )
}

/// The range of the values: `20`, or `20 to 80` if they differ.
fn range(values: impl Iterator<Item = u32> + Clone) -> String {
    match (values.clone().min(), values.max()) {
        (Some(low), Some(high)) if low < high => format!("{} to {}", count(low), count(high)),
        (Some(low), _) => count(low),
        _ => "no".to_owned(),
    }
}
