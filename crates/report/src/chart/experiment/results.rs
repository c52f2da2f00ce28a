//! Chart: how the games between two players ended, for each row of an experiment.

use crate::chart::dots::{height_of_rows, rows};
use crate::chart::draw::{
    Axis, Color, DrawError, Drawn, Layout, Legend, Mark, PUBLISHED, Page, RGBAColor, START, TUNED,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use tiletune_tuning::results::{Outcomes, experiment::ExperimentResults};

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "results",
    title: "How the games of every player ended",
    about: "Share of each player's games between two players that were won, drawn and lost.",
    draw,
};

/// Half the height of a bar; a row is 1 high.
const HALF_A_BAR: f64 = 0.32;

struct Bar<'a> {
    name: &'a str,
    /// Won, drawn, lost.
    games: [u32; 3],
    number: String,
}

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let played = results.rows.iter();
    let bars = played.filter_map(|row| Some(bar(&row.name, row.summary.outcomes()?)));
    let bars: Vec<Bar> = bars.collect();
    if bars.is_empty() {
        return Ok(None);
    }
    let layout = Layout {
        title: CHART.title,
        legend: vec![
            Legend::new(Mark::Area, TUNED, "won"),
            Legend::new(Mark::Area, PUBLISHED, "drawn"),
            Legend::new(Mark::Area, START, "lost"),
        ],
        caption: caption::of_experiment(results),
        body_height: height_of_rows(bars.len()),
    };
    let mut table = Table::new(["row", "won", "drawn", "lost"]);
    for bar in &bars {
        table.row(std::iter::once(cell(bar.name)).chain(bar.games.map(cell)));
    }
    Figure::new(&layout, table, |page| draw_bars(page, &bars))
}

fn bar(name: &str, ended: Outcomes) -> Bar<'_> {
    let games = [ended.wins, ended.draws, ended.losses];
    let all = games.iter().sum::<u32>().max(1);
    let percent = games.map(|count| format!("{:.0}", 100.0 * f64::from(count) / f64::from(all)));
    Bar {
        name,
        games,
        number: format!("{} %", percent.join("/")),
    }
}

fn draw_bars(page: &Page<'_>, bars: &[Bar]) -> Drawn {
    let texts = bars.iter().map(|bar| (bar.name, &*bar.number));
    let x = Axis::shares("share of games", 1.0);
    let panel = rows(page, page.body, "", texts, x)?;
    for (index, bar) in bars.iter().enumerate() {
        let y = (bars.len() - index) as f64 - 0.5;
        let all = bar.games.iter().sum::<u32>().max(1);
        let mut before = 0;
        let colors: [RGBAColor; 3] = [TUNED, PUBLISHED, START];
        for (games, color) in bar.games.into_iter().zip(colors) {
            let [from, to] =
                [before, before + games].map(|games| f64::from(games) / f64::from(all));
            panel.bar((from, y - HALF_A_BAR), (to, y + HALF_A_BAR), color.filled())?;
            before += games;
        }
    }
    Ok(())
}
