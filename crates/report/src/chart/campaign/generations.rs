//! Charts by generation: fitness, diagnostics of the optimizer, and signal. Curves are broken between two restarts.

use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::{Cell, Table, table};
use crate::chart::{Chart, Section, caption};
use crate::number::compact;
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::{Diagnostic, GenerationRow, RunData};

pub(super) const FITNESS: Chart = Chart {
    name: "fitness",
    title: "Fitness by generation",
    about: "Best, mean and worst fitness of each generation, with the level of the start weights \
            and, if it is comparable, the hold-out result of the tuned weights. The best can fall while \
            the mean rises: later candidates play more games, so less of their fitness is luck.",
    place: Section::Search,
    draw: fitness,
};

pub(super) const DIAGNOSTICS: Chart = Chart {
    name: "diagnostics",
    title: "Diagnostics of the optimizer by generation",
    about: "The numbers by which the optimizer can be watched, each in a panel; \
            `tiletune list optimizers` names them.",
    place: Section::Details,
    draw: diagnostics,
};

pub(super) const SIGNAL: Chart = Chart {
    name: "signal",
    title: "Signal and games by generation",
    about: "Share of the differences in fitness that is due to the candidates and not to luck; games of \
            each candidate, and the number at which that share would be one half. With automatic games their \
            number aims at the grey share.",
    place: Section::Details,
    draw: signal,
};

/// Opacity of the two bands of the fitness, which lie over each other.
const SPAN: f64 = 0.10;
const NOISE: f64 = 0.20;

fn fitness(data: &RunData) -> Option<Figure> {
    let rows = &data.generations;
    let first = rows.first()?;
    // Before the hold-out games are played, the reference level is that of the games before the search, or its
    // beginning.
    let objective = data.validation.as_ref().map(|one| &one.objective);
    let (level, level_is) = match (objective, data.start_level) {
        (Some(objective), _) => (objective.start, "start weights, hold-out games"),
        (None, Some(level)) => (level, "start weights, games before the search"),
        (None, None) => (first.mean, "mean of the first generation"),
    };
    let tuned = objective.map(|of| of.tuned);
    let ends = objective.map(|of| of.tuned_interval.unwrap_or([of.tuned; 2]));

    let mut x = axis(rows, 10);
    let mut marks = dividers(rows);
    marks.extend(restarts(rows).flat_map(fitness_of_restart));
    let start = format!("{level_is}: {}", compact(level));
    marks.push(Mark::level(Color::Start, level).named(start));
    if let Some(objective) = objective {
        // The label is to the right of the last generation, where it covers nothing.
        let beside = x.add_room();
        let value = compact(objective.tuned);
        let name = match objective.tuned_interval.map(|ends| ends.map(compact)) {
            Some([low, high]) => {
                format!("tuned weights, hold-out games, 95 % interval: {value} [{low}; {high}]")
            }
            None => format!("tuned weights, hold-out games: {value}"),
        };
        marks.push(Mark::dot(Color::Tuned, beside, objective.tuned).named(name));
        // The interval is drawn over the dot, which can be wider.
        let ends = objective.tuned_interval;
        marks.extend(ends.map(|ends| Mark::upright(Color::Ink, beside, ends)));
    }

    let values = rows.iter().flat_map(|row| {
        let [low, high] = noise(row);
        [row.best, row.worst, row.mean, low, high]
    });
    let values = values.chain([level]).chain(tuned);
    let values = values.chain(ends.into_iter().flatten());
    let y = Axis::linear(format!("fitness: {}", data.objective), values, 6);

    // The constant levels are repeated in every row, so that each row is complete.
    let table = table!(rows, |row| {
        "generation": row.generation,
        "restart": row.restart,
        "best": row.best,
        "mean": row.mean,
        "worst": row.worst,
        "noise": row.shown_noise(),
        "reference": level,
        "reference_is": level_is,
        "tuned_hold_out_mean": tuned,
        "tuned_hold_out_low": ends.map(|ends| ends[0]),
        "tuned_hold_out_high": ends.map(|ends| ends[1]),
    });
    Some(Panel::new(420.0, x, y, marks).figure(caption::of_search(data), table))
}

fn noise(row: &GenerationRow) -> [f64; 2] {
    [row.mean - row.shown_noise(), row.mean + row.shown_noise()]
}

fn fitness_of_restart(rows: &[GenerationRow]) -> [Mark; 4] {
    let of_noise = "mean ± noise of one fitness value (standard error)";
    let all = span(rows, |row| [row.worst, row.best]);
    [
        Mark::band(Color::Ink, SPAN, all).named("worst to best"),
        Mark::band(Color::Ink, NOISE, span(rows, noise)).named(of_noise),
        Mark::line(Color::Best, 1.5, curve(rows, |row| row.best)).named("best"),
        Mark::line(Color::Ink, 2.0, curve(rows, |row| row.mean)).named("mean"),
    ]
}

fn diagnostics(data: &RunData) -> Option<Figure> {
    let (rows, diagnostics) = (&data.generations, data.diagnostics);
    rows.first()?;
    diagnostics.first()?;
    let panels = diagnostics.iter().map(|one| diagnostic_panel(rows, one));
    let names = diagnostics.iter().map(|diagnostic| diagnostic.name);
    let cells = |row: &GenerationRow| {
        let values = diagnostics.iter().map(|one| value(row, one).text());
        let numbers = [row.generation, row.restart].map(|number| number.text());
        numbers.into_iter().chain(values).collect()
    };
    let header = ["generation", "restart"].into_iter().chain(names);
    let table = Table::new(header.collect(), rows.iter().map(cells));
    let caption = caption::of_search(data);
    Some(Figure::new(1, panels.collect(), caption, table))
}

fn value(row: &GenerationRow, diagnostic: &Diagnostic) -> f64 {
    row.diagnostic(diagnostic.name).unwrap_or(f64::NAN)
}

fn diagnostic_panel(rows: &[GenerationRow], diagnostic: &Diagnostic) -> Panel {
    let title = format!("{} ({})", diagnostic.label, diagnostic.unit);
    let values = rows.iter().map(|row| value(row, diagnostic));
    let y = match diagnostic.scale {
        Scale::Log => Axis::logarithmic(title, values),
        Scale::Linear => Axis::linear(title, values, 5),
    };
    let mut marks = dividers(rows);
    let line = |rows| Mark::line(Color::Ink, 2.0, curve(rows, |row| value(row, diagnostic)));
    marks.extend(restarts(rows).map(line));
    Panel::new(260.0, axis(rows, 10), y, marks)
}

/// Values of the needed games above this multiple of the largest number of played games are not drawn.
const HIGHEST: f64 = 4.0;

fn signal(data: &RunData) -> Option<Figure> {
    let rows = &data.generations;
    rows.first()?;
    let table = table!(rows, |row| {
        "generation": row.generation,
        "restart": row.restart,
        "signal": row.signal,
        "games": row.games,
        "games_needed": row.games_needed,
        "gain": row.gain,
    });
    let panels = vec![signal_panel(rows), games_panel(rows)];
    Some(Figure::new(1, panels, caption::of_search(data), table))
}

fn signal_panel(rows: &[GenerationRow]) -> Panel {
    let y = Axis::shares(
        "share of the differences in fitness that is signal; grey: wanted",
        1.0,
    );
    let mut marks = dividers(rows);
    // Both panels have one legend, so it names only the lines of the other panel. The title of this axis is enough.
    marks.extend(restarts(rows).flat_map(|rows| {
        let wanted = curve(rows, GenerationRow::wanted_signal);
        let signal = curve(rows, |row| row.signal);
        [
            Mark::line(Color::Grey, 1.0, wanted),
            Mark::line(Color::Ink, 2.0, signal),
        ]
    }));
    Panel::new(260.0, axis(rows, 10), y, marks)
}

fn games_panel(rows: &[GenerationRow]) -> Panel {
    let played = |row: &GenerationRow| f64::from(row.games);
    let most = HIGHEST * rows.iter().map(played).fold(1.0, f64::max);
    let needed = |row: &GenerationRow| row.games_needed.clamp(1.0, most);
    let values = rows.iter().flat_map(|row| [played(row), needed(row)]);
    let y = Axis::logarithmic("games of each candidate", values);
    let mut marks = dividers(rows);
    marks.extend(restarts(rows).flat_map(|rows| {
        let [needed, played] = [curve(rows, needed), curve(rows, played)];
        [
            Mark::line(Color::Reference, 1.5, needed)
                .named("games at which the share would be one half"),
            Mark::line(Color::Ink, 2.0, played).named("games played"),
        ]
    }));
    Panel::new(260.0, axis(rows, 10), y, marks)
}

/// The generations of each restart.
pub(super) fn restarts(rows: &[GenerationRow]) -> impl Iterator<Item = &[GenerationRow]> {
    rows.chunk_by(|one, next| one.restart == next.restart)
}

/// A divider between two restarts.
pub(super) fn dividers(rows: &[GenerationRow]) -> Vec<Mark> {
    let divider = |rows: &[GenerationRow]| {
        Mark::divider(f64::from(rows[0].generation) - 0.5).named("restart")
    };
    restarts(rows).skip(1).map(divider).collect()
}

/// The axis of the generations with about `count` ticks.
pub(super) fn axis(rows: &[GenerationRow], count: usize) -> Axis {
    let last = rows.last().map_or(0, |row| row.generation);
    Axis::generations("generation", last, count)
}

/// A value of each generation.
pub(super) fn curve(
    rows: &[GenerationRow],
    value: impl Fn(&GenerationRow) -> f64,
) -> Vec<[f64; 2]> {
    let point = |row: &GenerationRow| [f64::from(row.generation), value(row)];
    rows.iter().map(point).collect()
}

/// Two values of each generation.
pub(super) fn span(
    rows: &[GenerationRow],
    ends: impl Fn(&GenerationRow) -> [f64; 2],
) -> Vec<[f64; 3]> {
    let edge = |row: &GenerationRow| {
        let [low, high] = ends(row);
        [f64::from(row.generation), low, high]
    };
    rows.iter().map(edge).collect()
}
