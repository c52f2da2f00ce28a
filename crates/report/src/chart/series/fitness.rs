//! Chart: the fitness of all runs of a series by the number of their training games.

use super::{key, winner_last};
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use tiletune_tuning::results::series::{SeriesResults, SeriesRun};

pub(super) const CHART: Chart<SeriesResults> = Chart {
    name: "runs-fitness",
    title: "Fitness of all runs",
    about: "Mean fitness of each generation of every run, against the training games of that run, with \
            the level of the start weights on the hold-out games.",
    place: Section::Results,
    draw,
};

fn draw(results: &SeriesResults) -> Option<Figure> {
    let runs = results.runs.iter();
    let paths: Vec<(&SeriesRun, Vec<[f64; 2]>)> = runs.map(|run| (run, path(run))).collect();
    let points = || paths.iter().flat_map(|(_, path)| path);
    points().next()?;
    let most = points().map(|[games, _]| *games).fold(0.0, f64::max);
    let x = Axis::between("training games of a run", (0.0, most * 1.01), 8);
    let start = results.start.map(|start| start.value);
    let values = points().map(|[_, fitness]| *fitness).chain(start);
    let y = Axis::linear(format!("fitness: {}", results.objective), values, 6);
    let level = start.map(|level| Mark::level(Color::Start, level).named("start weights"));
    let mut marks: Vec<Mark> = level.into_iter().collect();
    let line = |(run, path): &(&SeriesRun, Vec<[f64; 2]>)| {
        let (name, color) = key(results, run.run);
        let (width, strength) = match color {
            Color::Tuned => (2.0, 1.0),
            _ => (1.25, 0.7),
        };
        Mark::line(color, width, path.clone())
            .named(name)
            .faint(strength)
    };
    marks.extend(winner_last(paths.iter().map(line)));
    let rows = paths.iter().flat_map(|(run, path)| {
        let rows = run.search.iter().zip(path);
        rows.map(|(row, point)| (run.run, row.generation, point))
    });
    let table = table!(rows, |(run, generation, [games, mean])| {
        "run": run,
        "generation": generation,
        "training_games": games,
        "mean": mean,
    });
    Some(Panel::new(420.0, x, y, marks).figure(caption::of_series(results), table))
}

/// Training games and mean fitness after each generation.
fn path(run: &SeriesRun) -> Vec<[f64; 2]> {
    let mut games = 0.0;
    let generations = run.search.iter();
    generations
        .map(|row| {
            games += f64::from(row.population) * f64::from(row.games);
            [games, row.mean]
        })
        .collect()
}
