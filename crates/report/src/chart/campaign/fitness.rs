//! Chart: fitness by generation, against the start weights and the hold-out result.

use super::restart::{boundaries, restarts};
use crate::chart::draw::{
    Axis, BEST, DIVIDER, DrawError, Drawn, INK, Layout, Legend, Mark, Page, Panel, SEARCH, START,
    TUNED, faint,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::number::compact;
use tiletune_tuning::results::{GenerationRow, RunData, Validation};

pub(super) const CHART: Chart = Chart {
    name: "fitness",
    title: "Fitness by generation",
    about: "Best, mean and worst fitness of each generation, with the level of the start weights \
            and, if it is comparable, the hold-out result of the tuned weights.",
    draw,
};

/// Strength of the two bands.
const SPAN: f64 = 0.10;
const NOISE: f64 = 0.20;

/// The hold-out result of the tuned weights in the unit of fitness.
struct Tuned {
    value: f64,
    /// Its 95 % interval, if there is one.
    interval: Option<[f64; 2]>,
}

impl Tuned {
    /// Both ends of the interval; the value itself without one.
    fn ends(&self) -> [f64; 2] {
        self.interval.unwrap_or([self.value; 2])
    }
}

/// What the fitness is measured against.
struct Reference {
    level: f64,
    /// What the level is, for the legend and the table.
    name: &'static str,
    /// Value of the tuned weights on the same games.
    tuned: Option<Tuned>,
}

fn draw(data: &RunData) -> Result<Option<Figure>, DrawError> {
    let Some(reference) = reference(data) else {
        return Ok(None);
    };
    let layout = Layout {
        title: CHART.title,
        legend: legend(data, &reference),
        caption: caption::of_search(data),
        body_height: 420.0,
    };
    Figure::new(&layout, table(data, &reference), |page| {
        draw_panel(page, data, &reference)
    })
}

/// The result of the start weights in the hold-out games, in the unit of fitness. Before these games
/// are played: the mean of the first generation.
fn reference(data: &RunData) -> Option<Reference> {
    let first = data.generations.first()?;
    Some(match &data.validation {
        Some(Validation { objective, .. }) => Reference {
            level: objective.start,
            name: "start weights, hold-out games",
            tuned: Some(Tuned {
                value: objective.tuned,
                interval: objective.tuned_interval,
            }),
        },
        None => Reference {
            level: first.mean,
            name: "mean of the first generation",
            tuned: None,
        },
    })
}

fn legend(data: &RunData, reference: &Reference) -> Vec<Legend> {
    let any = |value: fn(&GenerationRow) -> f64| {
        data.generations.iter().any(|row| value(row).is_finite())
    };
    let mut legend = vec![
        Legend::new(Mark::Line, BEST, "best"),
        Legend::new(Mark::Line, SEARCH, "mean"),
    ];
    if any(|row| row.noise) {
        let text = "mean ± noise of one fitness value (standard error)";
        legend.push(Legend::new(Mark::Area, faint(INK, NOISE), text));
    }
    if any(|row| row.worst) {
        legend.push(Legend::new(Mark::Area, faint(INK, SPAN), "worst to best"));
    }
    let level = format!("{}: {}", reference.name, compact(reference.level));
    legend.push(Legend::new(Mark::Dashes, START, level));
    if let Some(tuned) = &reference.tuned {
        let value = compact(tuned.value);
        let text = match tuned.interval.map(|ends| ends.map(compact)) {
            Some([low, high]) => {
                format!("tuned weights, hold-out games, 95 % interval: {value} [{low}; {high}]")
            }
            None => format!("tuned weights, hold-out games: {value}"),
        };
        legend.push(Legend::new(Mark::Dot, TUNED, text));
    }
    if boundaries(&data.generations).next().is_some() {
        legend.push(Legend::new(Mark::Line, DIVIDER, "restart"));
    }
    legend
}

fn draw_panel(page: &Page<'_>, data: &RunData, reference: &Reference) -> Drawn {
    let rows = &data.generations;
    let last = rows.last().map_or(0, |row| row.generation);
    let mut x = Axis::generations("generation", last, 10);
    // The hold-out result is drawn to the right of the last generation, where it hides nothing.
    let tuned = reference.tuned.as_ref();
    let tuned = tuned.map(|tuned| (x.add_room(), tuned.value, tuned.ends()));
    let marks = tuned
        .into_iter()
        .flat_map(|(_, value, [low, high])| [value, low, high]);
    let values = rows.iter().flat_map(|row| {
        let noise = [row.mean - row.noise, row.mean + row.noise];
        [row.best, row.worst, row.mean].into_iter().chain(noise)
    });
    let values = values.chain([reference.level]).chain(marks);
    let y = Axis::linear(format!("fitness: {}", data.objective), values, 6);
    let panel = Panel::new(page, page.body.inside(), x, y)?;

    boundaries(rows).try_for_each(|x| panel.divider(x))?;
    restarts(rows).try_for_each(|rows| draw_restart(&panel, rows))?;
    panel.level(reference.level, START)?;
    tuned.map_or(Ok(()), |(beside, value, [low, high])| {
        panel.whisker(beside, low, high, TUNED)?;
        panel.dot(beside, value, TUNED)
    })
}

fn draw_restart(panel: &Panel<'_>, rows: &[GenerationRow]) -> Drawn {
    let at = |row: &GenerationRow| f64::from(row.generation);
    let line = |value: fn(&GenerationRow) -> f64| -> Vec<(f64, f64)> {
        rows.iter().map(|row| (at(row), value(row))).collect()
    };
    let span: Vec<_> = rows
        .iter()
        .map(|row| (at(row), row.worst, row.best))
        .collect();
    let noise = rows
        .iter()
        .map(|row| (at(row), row.mean - row.noise, row.mean + row.noise));
    panel.band(&span, faint(INK, SPAN))?;
    panel.band(&noise.collect::<Vec<_>>(), faint(INK, NOISE))?;
    panel.line(&line(|row| row.best), BEST, 1.5)?;
    panel.line(&line(|row| row.mean), SEARCH, 2.0)
}

/// The levels that do not change are repeated in every row, so that a row is complete.
fn table(data: &RunData, reference: &Reference) -> Table {
    let levels = reference.tuned.as_ref().map(|tuned| {
        let [low, high] = tuned.ends();
        [tuned.value, low, high].map(cell)
    });
    let levels = levels.unwrap_or_default();
    let mut table = Table::new([
        "generation",
        "restart",
        "best",
        "mean",
        "worst",
        "noise",
        "reference",
        "reference_is",
        "tuned_hold_out_mean",
        "tuned_hold_out_low",
        "tuned_hold_out_high",
    ]);
    for row in &data.generations {
        let values = [row.best, row.mean, row.worst, row.noise, reference.level].map(cell);
        let place = [cell(row.generation), cell(row.restart)];
        let reference = [cell(reference.name)];
        table.row(
            place
                .into_iter()
                .chain(values)
                .chain(reference)
                .chain(levels.clone()),
        );
    }
    table
}
