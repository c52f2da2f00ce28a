//! Chart: how the games between two players ended, for each row of an experiment.

use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::{Table, cell};
use crate::chart::{Chart, caption};
use tiletune_tuning::results::experiment::ExperimentResults;

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "results",
    title: "How the games of every player ended",
    about: "Share of each player's games between two players that were won, drawn and lost.",
    draw,
};

/// Half the height of a bar; a row is 1 high.
const HALF_A_BAR: f64 = 0.32;

fn draw(results: &ExperimentResults) -> Option<Figure> {
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
    let table = Table::of(
        &rows,
        &[
            ("row", &|(name, _)| cell(name)),
            ("won", &|(_, games)| cell(games[0])),
            ("drawn", &|(_, games)| cell(games[1])),
            ("lost", &|(_, games)| cell(games[2])),
        ],
    );
    Some(Figure::new(
        1,
        vec![panel],
        caption::of_experiment(results),
        table,
    ))
}
