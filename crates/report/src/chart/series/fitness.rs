//! Chart: the fitness of all runs of a series against the games that they have played.

use super::legend;
use crate::chart::draw::START;
use crate::chart::draw::{
    Axis, DrawError, Drawn, GREY, Layout, Mark, Page, Panel, RGBAColor, TUNED, faint,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use tiletune_tuning::results::series::{SeriesResults, SeriesRun};

pub(super) const CHART: Chart<SeriesResults> = Chart {
    name: "runs-fitness",
    title: "Fitness of all runs",
    about: "Mean fitness of each generation of every run, against the training games of that run, with \
            the level of the start weights on the hold-out games.",
    draw,
};

fn draw(results: &SeriesResults) -> Result<Option<Figure>, DrawError> {
    if results.runs.iter().all(|run| run.search.is_empty()) {
        return Ok(None);
    }
    let mut legend = legend(results, Mark::Line);
    if results.start.is_none() {
        legend.pop();
    }
    let layout = Layout {
        title: CHART.title,
        legend,
        caption: caption::of_series(results),
        body_height: 420.0,
    };
    Figure::new(&layout, table(results), |page| draw_panel(page, results))
}

/// Training games and mean fitness after each generation.
fn path(run: &SeriesRun) -> Vec<(f64, f64)> {
    let mut games = 0.0;
    let generations = run.search.iter();
    generations
        .map(|row| {
            games += f64::from(row.population) * f64::from(row.games);
            (games, row.mean)
        })
        .collect()
}

fn draw_panel(page: &Page<'_>, results: &SeriesResults) -> Drawn {
    let paths: Vec<(u32, Vec<(f64, f64)>)> = results
        .runs
        .iter()
        .map(|run| (run.run, path(run)))
        .collect();
    let points = || paths.iter().flat_map(|(_, path)| path);
    let most = points().map(|(games, _)| *games).fold(0.0, f64::max);
    let x = Axis::between("training games of a run", (0.0, most * 1.01), 8);
    let start = results.start.map(|start| start.value);
    let values = points().map(|(_, fitness)| *fitness).chain(start);
    let y = Axis::linear(format!("fitness: {}", results.objective), values, 6);
    let panel = Panel::new(page, page.body.inside(), x, y)?;
    start.map_or(Ok(()), |level| panel.level(level, START))?;
    let is_winner = |run: u32| results.recommended == Some(run);
    let line = |path: &[(f64, f64)], color: RGBAColor, width| panel.line(path, color, width);
    for (run, path) in &paths {
        if !is_winner(*run) {
            line(path, faint(GREY, 0.7), 1.25)?;
        }
    }
    // The winner is drawn over the others.
    let winner = paths.iter().find(|(run, _)| is_winner(*run));
    winner.map_or(Ok(()), |(_, path)| line(path, TUNED, 2.0))
}

fn table(results: &SeriesResults) -> Table {
    let mut table = Table::new(["run", "generation", "training_games", "mean"]);
    for run in &results.runs {
        for (row, (games, fitness)) in run.search.iter().zip(path(run)) {
            table.row([
                cell(run.run),
                cell(row.generation),
                cell(games),
                cell(fitness),
            ]);
        }
    }
    table
}
