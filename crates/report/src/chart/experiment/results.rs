//! Charts of the results of each row of an experiment: its mean, how its games ended, and the mistakes of its moves.

use crate::chart::axis::Axis;
use crate::chart::dots::{self, Dot, DotAxis, Group, unit};
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use crate::number::grouped;
use tiletune_tuning::results::GameSummary;
use tiletune_tuning::results::experiment::{ExperimentResults, RowResult};
use tiletune_tuning::stats::intervals::{Interval, t_interval};

pub(super) const SCORES: Chart<ExperimentResults> = Chart {
    name: "scores",
    title: "Mean result of every player",
    about: "Mean score of each player, or mean points in games between two players, with 95 % \
            intervals (Student's t); one panel for each group, the largest mean first.",
    place: Section::Results,
    draw: scores,
};

pub(super) const RESULTS: Chart<ExperimentResults> = Chart {
    name: "results",
    title: "How the games of every player ended",
    about: "Share of each player's games between two players that were won, drawn and lost.",
    place: Section::Results,
    draw: endings,
};

pub(super) const MISTAKES: Chart<ExperimentResults> = Chart {
    name: "mistakes",
    title: "Moves that give the best outcome away",
    about: "Share of random positions in which each player's move leads to a worse outcome than \
            another move, as judged by the experiment's yardstick, with 95 % intervals (exact).",
    place: Section::Results,
    draw: mistakes,
};

fn scores(results: &ExperimentResults) -> Option<Figure> {
    // A single row needs no chart in addition to the table.
    if results.rows.len() < 2 {
        return None;
    }
    let (unit, decimals) = unit(results);
    let measure = DotAxis {
        title: format!("{unit} a game"),
        interval: "95 % interval (Student's t)",
        is_shared: true,
    };
    let groups: Vec<Group> = results
        .groups()
        .map(|rows| by_mean(rows, decimals))
        .collect();
    // The table keeps the order of the experiment.
    let listed = results.rows.iter().map(|row| (row, mean(row, decimals)));
    let table = table!(listed, |(row, dot)| {
        "row": row.name,
        "mean": dot.value,
        "low": dot.low,
        "high": dot.high,
        "games": row.summary.games,
    });
    let caption = caption::of_experiment(results);
    Some(dots::figure(&groups, &measure, caption, table))
}

/// The rows of a group, the largest mean first.
fn by_mean(rows: &[RowResult], decimals: usize) -> Group<'_> {
    let mut dots: Vec<Dot> = rows.iter().map(|row| mean(row, decimals)).collect();
    dots.sort_by(|one, other| other.value.total_cmp(&one.value));
    Group {
        heading: rows[0].group.clone().unwrap_or_default(),
        dots,
    }
}

fn mean(row: &RowResult, decimals: usize) -> Dot<'_> {
    let GameSummary {
        mean,
        standard_error,
        ..
    } = row.summary;
    let interval = t_interval(mean, standard_error, row.summary.observations().into());
    let mut interval = interval.unwrap_or(Interval::new(mean, mean));
    if row.summary.outcomes().is_some() {
        interval = interval.within(0.0, 1.0);
    }
    Dot {
        name: &row.name,
        value: mean,
        low: interval.low,
        high: interval.high,
        color: Color::Tuned,
        means: "mean",
        number: grouped(mean, decimals),
    }
}

/// Half the height of a bar. Rows are 1 high.
const HALF_A_BAR: f64 = 0.32;

fn endings(results: &ExperimentResults) -> Option<Figure> {
    let rows = results.rows.iter();
    let rows: Vec<(&str, [u32; 3])> = rows
        .filter_map(|row| {
            let ended = row.summary.outcomes()?;
            Some((row.name.as_str(), [ended.wins, ended.draws, ended.losses]))
        })
        .collect();
    rows.first()?;
    let share =
        |games: u32, of: [u32; 3]| f64::from(games) / f64::from(of.iter().sum::<u32>().max(1));
    let texts = |(name, games): &(&str, [u32; 3])| {
        let percent = games.map(|count| format!("{:.0}", 100.0 * share(count, *games)));
        ((*name).to_owned(), format!("{} %", percent.join("/")))
    };
    let x = Axis::shares("share of games", 1.0);
    let panel = Panel::of_rows("", x, &rows, texts, |(_, games), y| {
        let parts = [
            ("won", Color::Tuned),
            ("drawn", Color::Published),
            ("lost", Color::Start),
        ];
        let mut before = 0;
        let parts = games.iter().zip(parts).map(|(count, (name, color))| {
            let ends = [before, before + count].map(|games_so_far| share(games_so_far, *games));
            before += count;
            let corner = |end: f64, side: f64| [end, y + side * HALF_A_BAR];
            Mark::bar(color, corner(ends[0], -1.0), corner(ends[1], 1.0)).named(name)
        });
        parts.collect()
    });
    let table = table!(&rows, |(name, games)| {
        "row": name,
        "won": games[0],
        "drawn": games[1],
        "lost": games[2],
    });
    Some(panel.figure(caption::of_experiment(results), table))
}

fn mistakes(results: &ExperimentResults) -> Option<Figure> {
    let judged = results.rows.iter();
    let judged = judged.filter_map(|row| Some((&row.name, row.kept.as_ref()?)));
    let dots = judged.map(|(name, kept)| Dot {
        name,
        value: 100.0 * (1.0 - kept.share),
        low: 100.0 * (1.0 - kept.high),
        high: 100.0 * (1.0 - kept.low),
        color: Color::Tuned,
        means: "share",
        number: format!("{:.1} %", 100.0 * (1.0 - kept.share)),
    });
    let dots: Vec<Dot> = dots.collect();
    dots.first()?;
    let table = table!(&dots, |dot| {
        "row": dot.name,
        "share": dot.value / 100.0,
        "low": dot.low / 100.0,
        "high": dot.high / 100.0,
    });
    let measure = DotAxis {
        title: "share of positions in %".to_owned(),
        interval: "95 % interval (exact)",
        is_shared: true,
    };
    let heading = String::new();
    let caption = caption::of_yardstick(results);
    Some(dots::figure(
        &[Group { heading, dots }],
        &measure,
        caption,
        table,
    ))
}
