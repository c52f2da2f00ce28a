//! The tables of the report. A table without rows is left out together with its heading.

use std::fmt::Display;

use super::Escaped;
use crate::number::{as_power, compact, count, grouped, percent};
use crate::record::{GenerationRow, HoldOutSummary, ParameterInfo, RunData, Scale};
use crate::stats::intervals::{Interval, wilson_interval};

/// Longer runs show their first and their last generations.
const MOST_GENERATIONS: usize = 20;
const LAST_GENERATIONS: usize = 10;

/// What start and tuned weights did on the hold-out seeds.
pub(super) fn hold_out(data: &RunData) -> String {
    let Some(validation) = &data.validation else {
        return String::new();
    };
    let sets = [&validation.start, &validation.tuned];
    let capped = sets.iter().any(|set| set.capped > 0);
    let mean = format!("{} ± standard error", validation.start.measure());
    let mut header = vec!["weights", "games", &mean, "median", "moves a game"];
    let is_between_two = validation.start.outcomes.is_some();
    if is_between_two {
        header.extend(["won", "drawn", "lost"]);
    }
    if capped {
        header.push("games at the board’s limit");
    }
    let rows = sets.map(|set| {
        let mut row = vec![
            Escaped(&set.weights).to_string(),
            count(set.games),
            format!("{} ± {}", compact(set.mean), compact(set.standard_error)),
            compact(set.median),
            compact(set.mean_moves),
        ];
        if let Some(outcomes) = set.outcomes {
            row.extend([outcomes.wins, outcomes.draws, outcomes.losses].map(count));
        }
        if capped {
            row.push(count(set.capped));
        }
        row
    });
    section("Hold-out games", "", &header, &rows) + &reached(sets)
}

/// The share of games that reached each tile or a larger one.
fn reached(sets: [&HoldOutSummary; 2]) -> String {
    let mut tiles: Vec<u32> = sets
        .iter()
        .flat_map(|set| set.max_tile.keys())
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
    section("Tiles reached", note, &["tile", "start", "tuned"], &rows)
}

fn share_reaching(set: &HoldOutSummary, tile: u32) -> String {
    let total: u32 = set.max_tile.values().sum();
    if total == 0 {
        return "–".to_owned();
    }
    let reached = set.reaching(tile);
    let share = f64::from(reached) / f64::from(total);
    let Interval { low, high } = wilson_interval(share, total.into());
    let share = percent(share);
    format!(
        "{share} ({} to {})",
        grouped(low * 100.0, 1),
        grouped(high * 100.0, 1)
    )
}

/// Start and tuned value of every parameter.
pub(super) fn parameters(data: &RunData) -> String {
    let row = |(index, parameter): (usize, &ParameterInfo)| {
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
        let name = Escaped(&parameter.name).to_string();
        vec![
            name,
            compact(parameter.start),
            tuned,
            min,
            max,
            scale.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = data.parameters.iter().enumerate().map(row).collect();
    let note = "Rounded to four digits; <code>best.toml</code> holds the exact values.";
    section(
        "Parameters",
        note,
        &["parameter", "start", "tuned", "min", "max", "scale"],
        &rows,
    )
}

/// The generations, or the first and the last few of many.
pub(super) fn generations(data: &RunData) -> String {
    let all = &data.generations;
    let (shown, note) = if all.len() > MOST_GENERATIONS {
        let note = format!(
            "The first and the last {LAST_GENERATIONS} generations of {}; \
             <a href=\"charts/fitness.csv\">charts/fitness.csv</a> has them all.",
            count(all.len() as u64)
        );
        (
            all[..1].iter().chain(&all[all.len() - LAST_GENERATIONS..]),
            note,
        )
    } else {
        (all.iter().chain(&[]), String::new())
    };
    let rows: Vec<Vec<String>> = shown.map(generation).collect();
    let header = [
        "generation",
        "restart",
        "candidates",
        "games each",
        "best",
        "mean",
        "worst",
        "noise",
        "step size",
        "axis ratio",
    ];
    section("Generations", &note, &header, &rows)
}

fn generation(row: &GenerationRow) -> Vec<String> {
    let counts = [row.generation, row.run, row.population, row.games].map(count);
    let values = [
        row.best,
        row.mean,
        row.worst,
        row.noise,
        row.sigma,
        row.axis_ratio,
    ]
    .map(compact);
    counts.into_iter().chain(values).collect()
}

/// Version, times and the like.
pub(super) fn facts(data: &RunData) -> String {
    let seeds = [
        ("Campaign seed", data.seed),
        ("Hold-out seed", data.hold_out_seed),
    ];
    let seeds = seeds.map(|(label, seed)| vec![label.to_owned(), seed.to_string()]);
    let facts = data
        .facts
        .iter()
        .map(|(label, text)| vec![Escaped(label).to_string(), Escaped(text).to_string()]);
    let rows: Vec<Vec<String>> = facts.chain(seeds).collect();
    section("Facts", "", &[], &rows).replacen("<table>", "<table class=\"text\">", 1)
}

/// A heading and a table; the cells are HTML.
fn section(heading: &str, note: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let note = if note.is_empty() {
        String::new()
    } else {
        format!("<caption>{note}</caption>\n")
    };
    let header = if header.is_empty() {
        String::new()
    } else {
        format!("<thead><tr>{}</tr></thead>\n", cells("th", header))
    };
    let rows: String = rows
        .iter()
        .map(|row| format!("<tr>{}</tr>\n", cells("td", row)))
        .collect();
    format!(
        "<h2>{heading}</h2>\n<div class=\"scroll\"><table>\n{note}{header}<tbody>\n{rows}</tbody>\n\
         </table></div>\n"
    )
}

fn cells(tag: &str, cells: &[impl Display]) -> String {
    cells
        .iter()
        .map(|cell| format!("<{tag}>{cell}</{tag}>"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::example;

    #[test]
    fn many_generations_are_cut_and_it_says_so() {
        let table = generations(&example::run(2, 300, 10));
        assert_eq!(table.matches("<tr>").count(), 1 + 1 + LAST_GENERATIONS);
        assert!(table.contains("generations of 300"));
        let table = generations(&example::run(2, 20, 10));
        assert_eq!(table.matches("<tr>").count(), 1 + 20);
        assert!(!table.contains("<caption>"));
    }

    #[test]
    fn games_between_two_have_points() {
        let table = hold_out(&example::between_two(2, 3, 8));
        assert!(table.contains("mean points") && table.contains("<th>drawn</th>"));
        assert!(table.contains("<td>4</td><td>2</td><td>2</td>"), "{table}");
        assert!(!table.contains("Tiles reached"));
    }

    #[test]
    fn shares_count_larger_tiles_too() {
        let mut data = example::run(2, 3, 10);
        if let Some(validation) = &mut data.validation {
            validation.start.max_tile = [(512, 6), (1024, 3), (2048, 1)].into();
        }
        let table = hold_out(&data);
        assert!(table.contains("<td>1024 = 2¹⁰</td><td>40.0 % ("));
        assert!(table.contains("<td>2048 = 2¹¹</td><td>10.0 % ("));
    }
}
