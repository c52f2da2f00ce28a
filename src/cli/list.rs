//! `tiletune list`: what there is, from the registries themselves.

use std::io::Write;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{Context, Failure, text};
use crate::chart::CHARTS;
use crate::heuristic::{board_terms::BOARD_TERMS, line_terms::LINE_TERMS};
use crate::player::{GAMES, PLAYERS};

#[derive(Args)]
pub(super) struct List {
    /// What to list.
    what: What,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Games.
    Games,
    /// Players, with the options that they take.
    Players,
    /// Heuristic terms: keys of their weights and powers, defaults, suggested bounds.
    Heuristics,
    /// Charts of a run.
    Charts,
}

/// A listing: names of the columns and rows of text.
struct Listing {
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl List {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let listing = match self.what {
            What::Games => games(),
            What::Players => players(),
            What::Heuristics => heuristics(),
            What::Charts => charts(),
        };
        let mut out = std::io::stdout();
        if context.json {
            writeln!(out, "{}", listing.json())?;
        } else {
            let mut table = text::table(&[]);
            table.set_header(&listing.columns);
            table.add_rows(&listing.rows);
            writeln!(out, "{table}")?;
            if let What::Heuristics = self.what {
                writeln!(
                    out,
                    "Line terms (lines: rows and columns) may be split: <key>_outer and <key>_inner \
                     in the place of <key>."
                )?;
            }
        }
        Ok(())
    }
}

impl Listing {
    fn json(&self) -> Value {
        let row = |row: &Vec<String>| -> Value {
            let pairs = self.columns.iter().zip(row);
            pairs
                .map(|(column, cell)| (column.to_string(), json!(cell)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        self.rows.iter().map(row).collect()
    }
}

fn games() -> Listing {
    let row = |game: &crate::player::Game| vec![game.name.into(), game.about.into()];
    Listing {
        columns: vec!["game", "rules"],
        rows: GAMES.iter().map(row).collect(),
    }
}

fn players() -> Listing {
    let row = |entry: &crate::player::Entry| {
        let weights = if entry.published.is_some() {
            "yes"
        } else {
            "no"
        };
        vec![
            entry.name.into(),
            entry.game.into(),
            weights.into(),
            entry.options.join(", "),
            entry.about.into(),
        ]
    };
    Listing {
        columns: vec!["player", "game", "weights", "options", "how it plays"],
        rows: PLAYERS.iter().map(row).collect(),
    }
}

fn heuristics() -> Listing {
    let mut rows = Vec::new();
    let mut add = |name: &str, over: &str, doc: &str, declared: &crate::heuristic::Declared| {
        rows.push(vec![
            format!("{name}{}", declared.suffix),
            over.to_owned(),
            declared.default.to_string(),
            declared.min.to_string(),
            declared.max.to_string(),
            if declared.suffix.is_empty() {
                doc.to_owned()
            } else {
                format!("exponent of {name}")
            },
        ]);
    };
    for term in LINE_TERMS {
        for declared in std::iter::once(&term.weight).chain(&term.power) {
            add(term.name, "lines", term.doc, declared);
        }
    }
    for term in BOARD_TERMS {
        add(term.name, "board", term.doc, &term.weight);
    }
    Listing {
        columns: vec!["key", "over", "default", "min", "max", "what it measures"],
        rows,
    }
}

fn charts() -> Listing {
    let row = |chart: &crate::chart::Chart| vec![chart.name.into(), chart.about.into()];
    Listing {
        columns: vec!["chart", "what it shows"],
        rows: CHARTS.iter().map(row).collect(),
    }
}
