//! The tables of the report. A table without rows is left out together with its heading.

use maud::{Markup, html};
use serde::Serialize;

use super::deeper;
use crate::number::{as_power, compact, count, grouped, percent};
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::{GameSummary, GenerationRow, Parameter, RunData};
use tiletune_tuning::stats::intervals::{Interval, share_interval};

/// Longer runs show their first and their last generations.
const MOST_GENERATIONS: usize = 20;
const LAST_GENERATIONS: usize = 10;

/// A table of the report. One without rows is left out together with its heading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// What it is about.
    pub heading: String,
    /// What the numbers are, unless the header says so.
    pub note: Option<String>,
    /// Names of the columns.
    pub header: Vec<String>,
    /// Cells of each row, as many as there are columns.
    pub rows: Vec<Vec<String>>,
}

impl Section {
    /// A table.
    pub fn new(
        heading: &str,
        note: Option<String>,
        header: &[impl ToString],
        rows: Vec<Vec<String>>,
    ) -> Self {
        Section {
            heading: heading.to_owned(),
            note,
            header: header.iter().map(ToString::to_string).collect(),
            rows,
        }
    }

    /// As a part of the page.
    pub(super) fn markup(&self) -> Markup {
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        let note = self.note.as_ref().map(|note| html! { (note) });
        section(&self.heading, note, &header, &self.rows)
    }
}

/// The tables of a campaign but that of its generations, those with rows only: hold-out games, tiles, other
/// depths, parameters.
pub fn sections(data: &RunData) -> Vec<Section> {
    let mut sections = hold_out(data);
    sections.extend(deeper(data));
    sections.push(parameters(data));
    sections.retain(|section| !section.rows.is_empty());
    sections
}

/// What start and tuned weights did on the hold-out seeds.
pub(super) fn hold_out(data: &RunData) -> Vec<Section> {
    let Some(validation) = &data.validation else {
        return Vec::new();
    };
    let sets = [&validation.start, &validation.tuned];
    let capped = sets.iter().any(|set| set.capped() > Some(0));
    let mean = format!("{} ± standard error", validation.start.measure());
    let mut header = vec!["weights", "games", &mean, "median"];
    let numbers = validation.start.numbers();
    match numbers {
        Some(numbers) => header.extend(numbers.keys().map(String::as_str)),
        None => header.push("moves a game"),
    }
    let is_between_two = validation.start.outcomes().is_some();
    if is_between_two {
        header.extend(["won", "drawn", "lost"]);
    }
    if capped {
        header.push("games at the board’s limit");
    }
    let rows = sets.map(|set| {
        let mut row = vec![
            set.weights.clone(),
            count(set.games),
            format!("{} ± {}", compact(set.mean), compact(set.standard_error)),
            compact(set.median),
        ];
        match set.numbers() {
            Some(numbers) => row.extend(numbers.values().map(|mean| compact(*mean))),
            None => row.push(compact(set.mean_moves)),
        }
        if let Some(outcomes) = set.outcomes() {
            row.extend([outcomes.wins, outcomes.draws, outcomes.losses].map(count));
        }
        if capped {
            row.push(count(set.capped().unwrap_or(0)));
        }
        row
    });
    let games = Section::new("Hold-out games", None, &header, rows.to_vec());
    vec![games, reached(sets)]
}

/// What they did at other search depths.
fn deeper(data: &RunData) -> Option<Section> {
    let validation = data.validation.as_ref()?;
    let name = &validation.objective.name;
    let note = format!("{name}; the first of the hold-out seeds.");
    let rows = deeper::rows(&validation.deeper);
    let header = &deeper::HEADER;
    Some(Section::new(
        "Other search depths",
        Some(note),
        header,
        rows,
    ))
}

/// The share of games that reached each tile or a larger one.
fn reached(sets: [&GameSummary; 2]) -> Section {
    let mut tiles: Vec<u32> = sets
        .iter()
        .flat_map(|set| set.max_tile().keys())
        .copied()
        .collect();
    tiles.sort_unstable();
    tiles.dedup();
    tiles.retain(|tile| *tile > 0);
    let rows: Vec<Vec<String>> = tiles
        .iter()
        .rev()
        .map(|tile| {
            let power = as_power(*tile).map_or(String::new(), |power| format!(" = {power}"));
            let shares = sets.iter().map(|set| share_reaching(set, *tile));
            [format!("{tile}{power}")]
                .into_iter()
                .chain(shares)
                .collect()
        })
        .collect();
    let note =
        "Share of games whose largest tile was this one or a larger one, with 95 % interval.";
    let header = ["tile", "start", "tuned"];
    Section::new("Tiles reached", Some(note.to_owned()), &header, rows)
}

fn share_reaching(set: &GameSummary, tile: u32) -> String {
    let total: u32 = set.max_tile().values().sum();
    if total == 0 {
        return "–".to_owned();
    }
    let reached = set.reaching(tile);
    let share = f64::from(reached) / f64::from(total);
    let Interval { low, high } = share_interval(f64::from(reached), total.into());
    format!(
        "{} % ({} to {})",
        grouped(share * 100.0, 1),
        grouped(low * 100.0, 1),
        grouped(high * 100.0, 1)
    )
}

/// Start and tuned value of every parameter.
fn parameters(data: &RunData) -> Section {
    let row = |(index, parameter): (usize, &Parameter)| {
        let tuned = data.tuned.as_ref().and_then(|values| values.get(index));
        let tuned = tuned.map_or("–".to_owned(), |value| compact(*value));
        let scale = match parameter.scale {
            Scale::Linear => "linear",
            Scale::Log => "logarithmic",
        };
        let (min, max) = (compact(parameter.min), compact(parameter.max));
        let (min, max, scale) = if parameter.fixed {
            ("".into(), "".into(), "fixed")
        } else {
            (min, max, scale)
        };
        vec![
            parameter.name.clone(),
            compact(parameter.start),
            tuned,
            min,
            max,
            scale.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = data.parameters.iter().enumerate().map(row).collect();
    let note = "Rounded to four digits; best.toml holds the exact values.".to_owned();
    let header = ["parameter", "start", "tuned", "min", "max", "scale"];
    Section::new("Parameters", Some(note), &header, rows)
}

/// The generations, or the first and the last few of many.
pub(super) fn generations(data: &RunData) -> Markup {
    let all = &data.generations;
    let is_cut = all.len() > MOST_GENERATIONS;
    let shown = match is_cut {
        true => all[..1].iter().chain(&all[all.len() - LAST_GENERATIONS..]),
        false => all.iter().chain(&[]),
    };
    let note = is_cut.then(|| {
        html! {
            "The first and the last " (LAST_GENERATIONS) " generations of "
            (count(all.len() as u64)) "; "
            a href="charts/fitness.csv" { "charts/fitness.csv" } " has them all."
        }
    });
    let mut rows: Vec<Vec<String>> = shown.map(generation).collect();
    let mut header = vec![
        "generation",
        "restart",
        "candidates",
        "games each",
        "best",
        "mean",
        "worst",
        "noise",
        "signal",
    ];
    header.extend(data.diagnostics.iter().map(|diagnostic| diagnostic.label));
    if is_cut {
        rows.insert(1, vec!["⋮".to_owned(); header.len()]);
    }
    section("Generations", note, &header, &rows)
}

fn generation(row: &GenerationRow) -> Vec<String> {
    let counts = [row.generation, row.restart, row.population, row.games].map(count);
    let fitness = [row.best, row.mean, row.worst, row.noise].map(compact);
    let diagnostics = row.diagnostics.iter().map(|(_, value)| compact(*value));
    let signal = [row.known_signal().map_or("–".to_owned(), percent)];
    let values = fitness.into_iter().chain(signal).chain(diagnostics);
    counts.into_iter().chain(values).collect()
}

/// Version, times and the like.
pub(super) fn facts(data: &RunData) -> Markup {
    let seeds = [
        ("Campaign seed", data.seed),
        ("Hold-out seed", data.hold_out_seed),
    ];
    let seeds = seeds.map(|(label, seed)| (label.to_owned(), seed.to_string()));
    html! {
        h2 { "Facts" }
        div.scroll {
            table.text {
                tbody {
                    @for (label, text) in data.facts.iter().chain(&seeds) {
                        tr { td { (label) } td { (text) } }
                    }
                }
            }
        }
    }
}

/// A heading and a table; `note` becomes its caption.
pub(super) fn section(
    heading: &str,
    note: Option<Markup>,
    header: &[&str],
    rows: &[Vec<String>],
) -> Markup {
    html! {
        @if !rows.is_empty() {
            h2 { (heading) }
            div.scroll {
                table {
                    @if let Some(note) = note { caption { (note) } }
                    thead { tr { @for cell in header { th { (cell) } } } }
                    tbody {
                        @for row in rows { tr { @for cell in row { td { (cell) } } } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::Endings;
    use tiletune_tuning::results::example;

    #[test]
    fn many_generations_are_cut_and_it_says_so() {
        let table = generations(&example::run(2, 300, 10)).into_string();
        assert_eq!(table.matches("<tr>").count(), 1 + 2 + LAST_GENERATIONS);
        assert!(table.contains("⋮"));
        assert!(table.contains("generations of 300"));
        let table = generations(&example::run(2, 20, 10)).into_string();
        assert_eq!(table.matches("<tr>").count(), 1 + 20);
        assert!(!table.contains("<caption>"));
    }

    fn shown(data: &RunData) -> String {
        let sections = hold_out(data);
        let markup = sections.iter().map(|one| one.markup().into_string());
        markup.collect()
    }

    #[test]
    fn games_between_two_have_points() {
        let table = shown(&example::between_two(2, 3, 8));
        assert!(table.contains("mean points") && table.contains("<th>drawn</th>"));
        assert!(table.contains("<td>4</td><td>2</td><td>2</td>"), "{table}");
        assert!(!table.contains("Tiles reached"));
    }

    #[test]
    fn shares_count_larger_tiles_too() {
        let mut data = example::run(2, 3, 10);
        if let Some(validation) = &mut data.validation {
            validation.start.endings = Endings::Scores {
                max_tile: [(512, 6), (1024, 3), (2048, 1)].into(),
                capped: 0,
            };
        }
        let table = shown(&data);
        assert!(table.contains("<td>1024 = 2¹⁰</td><td>40.0 % ("));
        assert!(table.contains("<td>2048 = 2¹¹</td><td>10.0 % ("));
    }
}
