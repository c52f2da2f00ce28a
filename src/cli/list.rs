//! `tiletune list`: what there is, from the registries themselves.

use std::io::Write;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{Context, Failure, text};
use crate::chart::{CHARTS, Chart, EXPERIMENT_CHARTS};
use crate::heuristic::{OUTER, POWER, Parameter};
use crate::player::{Catalogue, Entry, Game};

#[derive(Args)]
pub(super) struct List {
    /// What to list.
    what: What,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Games.
    Games,
    /// Players, with the options that they take; as JSON with their depths and parameters too.
    Players,
    /// Tunable parameters: keys, the players that have them, defaults, suggested bounds.
    Heuristics,
    /// Charts of campaigns and of experiments.
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
            let mut json = listing.json();
            if let What::Players = self.what {
                add_details(&mut json);
            }
            writeln!(out, "{json}")?;
        } else {
            let mut table = text::table(&[]);
            table.set_header(&listing.columns);
            table.add_rows(&listing.rows);
            writeln!(out, "{table}")?;
            if let What::Heuristics = self.what {
                writeln!(
                    out,
                    "A term of lines (rows and columns) may be split: <key>_outer and <key>_inner in \
                     the place of <key>."
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
    let row = |game: &&Game| vec![game.name.into(), game.about.into()];
    Listing {
        columns: vec!["game", "rules"],
        rows: Catalogue::builtin().games().iter().map(row).collect(),
    }
}

fn players() -> Listing {
    let row = |entry: &&Entry| {
        let weights = if entry.published.is_some() {
            "yes"
        } else {
            "no"
        };
        let options: Vec<&str> = entry.options.iter().map(|option| option.key).collect();
        vec![
            entry.name.into(),
            entry.game.name.into(),
            weights.into(),
            options.join(", "),
            entry.about.into(),
        ]
    };
    Listing {
        columns: vec!["player", "game", "weights", "options", "how it plays"],
        rows: Catalogue::builtin().players().iter().map(row).collect(),
    }
}

/// What a table of players has no room for.
fn add_details(players: &mut Value) {
    for (index, entry) in Catalogue::builtin().players().iter().enumerate() {
        let parameter = |known: Parameter| {
            json!({
                "key": known.key,
                "default": known.default,
                "min": known.min,
                "max": known.max,
            })
        };
        let parameters: Vec<Value> = (entry.parameters)().into_iter().map(parameter).collect();
        players[index]["depth"] = entry.depths().map_or(Value::Null, |depths| {
            json!({
                "default": depths.default,
                "allowed": depths.to_string(),
                "unit": depths.unit,
            })
        });
        players[index]["parameters"] = parameters.into();
    }
}

/// A player's name, with its game if that is not the default one.
fn full_name(entry: &Entry, default_game: &Game) -> String {
    if entry.game.name == default_game.name {
        entry.name.to_owned()
    } else {
        format!("{} ({})", entry.name, entry.game.name)
    }
}

/// One row for a parameter, whatever number of players has it.
fn heuristics() -> Listing {
    let mut found: Vec<(Parameter, bool, Vec<String>)> = Vec::new();
    let catalogue = Catalogue::builtin();
    for entry in catalogue.players() {
        let name = full_name(entry, catalogue.default_game());
        let parameters = (entry.parameters)();
        let splits = |key: &str| {
            let outer = format!("{key}{OUTER}");
            parameters.iter().any(|known| known.key == outer)
        };
        for parameter in parameters.iter().filter(|known| !known.is_split()) {
            match found.iter_mut().find(|(known, ..)| known == parameter) {
                Some((.., players)) => players.push(name.clone()),
                None => {
                    let splits = splits(&parameter.key);
                    found.push((parameter.clone(), splits, vec![name.clone()]));
                }
            }
        }
    }
    let row = |(parameter, splits, players): (Parameter, bool, Vec<String>)| {
        vec![
            parameter.key.clone(),
            players.join(", "),
            if splits { "lines" } else { "board" }.to_owned(),
            parameter.default.to_string(),
            parameter.min.to_string(),
            parameter.max.to_string(),
            match parameter.key.strip_suffix(POWER) {
                Some(term) => format!("exponent of {term}"),
                None => parameter.doc.to_owned(),
            },
        ]
    };
    Listing {
        columns: vec![
            "key",
            "players",
            "over",
            "default",
            "min",
            "max",
            "what it measures",
        ],
        rows: found.into_iter().map(row).collect(),
    }
}

fn charts() -> Listing {
    fn rows<Data>(of: &str, charts: &[Chart<Data>]) -> Vec<Vec<String>> {
        let row = |chart: &Chart<Data>| vec![chart.name.into(), of.into(), chart.about.into()];
        charts.iter().map(row).collect()
    }
    let of_campaigns = rows("campaign", CHARTS);
    let of_experiments = rows("experiment", EXPERIMENT_CHARTS);
    Listing {
        columns: vec!["chart", "of", "what it shows"],
        rows: [of_campaigns, of_experiments].concat(),
    }
}
