//! `tiletune list`: prints the entries of the registries.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{Context, Failure, text};
use crate::chart::{CHARTS, COMPARISON_CHARTS, Chart, EXPERIMENT_CHARTS, SERIES_CHARTS};
use crate::config::{Source, heuristic_file, weights_file};
use crate::heuristic::terms::terms;
use crate::heuristic::{OUTER, POWER, Parameter, unsplit};
use crate::player::{Catalogue, Config, Entry, Game};
use crate::record::Scale;

#[derive(Args)]
pub(super) struct List {
    /// Kind of entries.
    what: What,
    /// With `heuristics`: a heuristic file, or a weights file or run directory with the weights of a heuristic.
    /// Its parameters are listed instead.
    file: Option<PathBuf>,
    /// The game of the heuristic file [default: the first whose player can read it].
    #[arg(long, requires = "file")]
    game: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Games.
    Games,
    /// Players and their options; with --json also their depths and parameters.
    Players,
    /// Tunable parameters: keys, players, defaults and suggested bounds.
    Heuristics,
    /// Charts of campaigns, series, experiments and comparisons.
    Charts,
}

/// Printed below the parameters.
const SPLITS: &str = "\nA term over lines (rows and columns) can be split: <key>_outer and <key>_inner \
                      replace <key>.";

/// A table of text.
struct Listing {
    columns: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl List {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let listing = match self.what {
            What::Heuristics if self.file.is_some() => self.heuristic()?,
            _ if self.file.is_some() => {
                let message = "a file can be listed by `tiletune list heuristics FILE` only";
                return Err(Failure::Usage(message.into()));
            }
            What::Games => games(),
            What::Players => players(),
            What::Heuristics => heuristics(),
            What::Charts => charts(),
        };
        let json = || {
            let mut json = listing.json();
            if let What::Players = self.what {
                add_details(&mut json);
            }
            json
        };
        let text = || {
            let mut table = text::table(&[]);
            table.set_header(listing.columns).add_rows(&listing.rows);
            let note = match self.what {
                What::Heuristics if self.file.is_none() => SPLITS,
                _ => "",
            };
            format!("{table}{note}")
        };
        context.print(json, text)
    }

    /// The parameters of the heuristic file, term by term, read by the first player that can.
    fn heuristic(&self) -> Result<Listing, Failure> {
        let path = self.file.as_deref().unwrap_or(Path::new(""));
        if path.is_dir() || Source::read(path)?.has(&["weights"]) {
            let source = weights_file::source(path)?;
            let (_, player, _) = weights_file::parse(&source)?;
            return Ok(parameters(&player.parameters()));
        }
        let catalogue = Catalogue::builtin();
        let is_asked = |entry: &&&Entry| {
            let game = self.game.as_deref();
            game.is_none_or(|game| game == entry.game.name) && entry.heuristic_option().is_some()
        };
        let mut refused = None;
        for entry in catalogue.players().iter().filter(is_asked) {
            let asked = Config::new(entry.name, Some(entry.game.name));
            let player = catalogue.player(&asked);
            let player = player.map_err(|error| Failure::Usage(error.to_string()))?;
            match heuristic_file::with_file(&player, path) {
                Ok(player) => return Ok(parameters(&player.parameters())),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(match refused {
            Some(error) => error.into(),
            None => Failure::Usage("no player of this game takes a heuristic".into()),
        })
    }
}

/// The parameters of a heuristic; those for outer or inner lines are left out where all lines have one.
fn parameters(parameters: &[Parameter]) -> Listing {
    let terms = terms(parameters);
    let term_of = |key: &str| terms.iter().find(|term| term.has(key));
    let row = |known: &Parameter| {
        vec![
            term_of(&known.key).map_or(String::new(), |term| term.name.clone()),
            known.key.clone(),
            known.default.to_string(),
            known.min.to_string(),
            known.max.to_string(),
            match known.scale {
                Scale::Linear => "linear",
                Scale::Log => "log",
            }
            .to_owned(),
            known.doc.to_string(),
        ]
    };
    Listing {
        columns: &[
            "term",
            "key",
            "default",
            "min",
            "max",
            "scale",
            "what it measures",
        ],
        rows: unsplit(parameters).map(row).collect(),
    }
}

impl Listing {
    fn json(&self) -> Value {
        let row = |row: &Vec<String>| -> Value {
            let cells = row.iter().cloned();
            self.columns.iter().copied().zip(cells).collect()
        };
        self.rows.iter().map(row).collect()
    }
}

fn games() -> Listing {
    let row = |game: &&Game| vec![game.name.into(), game.about.into()];
    Listing {
        columns: &["game", "rules"],
        rows: Catalogue::builtin().games().iter().map(row).collect(),
    }
}

fn players() -> Listing {
    let row = |entry: &&Entry| {
        let has_weights = entry.published.is_some();
        let options: Vec<&str> = entry.options.iter().map(|option| option.key).collect();
        vec![
            entry.name.into(),
            entry.game.name.into(),
            if has_weights { "yes" } else { "no" }.into(),
            options.join(", "),
            entry.about.into(),
        ]
    };
    Listing {
        columns: &["player", "game", "weights", "options", "how it plays"],
        rows: Catalogue::builtin().players().iter().map(row).collect(),
    }
}

/// Adds depths and parameters, for which the table has no room.
fn add_details(players: &mut Value) {
    let parameter = |known: Parameter| {
        json!({
            "key": known.key,
            "default": known.default,
            "min": known.min,
            "max": known.max,
        })
    };
    for (index, entry) in Catalogue::builtin().players().iter().enumerate() {
        let parameters: Vec<Value> = (entry.parameters)().into_iter().map(parameter).collect();
        let depth = entry.depths().map(|depths| {
            json!({
                "default": depths.default,
                "allowed": depths.to_string(),
                "unit": depths.unit,
            })
        });
        players[index]["depth"] = depth.into();
        players[index]["parameters"] = parameters.into();
    }
}

/// The name of a player, followed by its game unless that is the default game.
fn full_name(entry: &Entry, default_game: &Game) -> String {
    match entry.game.name == default_game.name {
        true => entry.name.to_owned(),
        false => format!("{} ({})", entry.name, entry.game.name),
    }
}

/// One row per parameter; several players can have the same one.
fn heuristics() -> Listing {
    let mut found: Vec<(Parameter, bool, Vec<String>)> = Vec::new();
    let catalogue = Catalogue::builtin();
    for entry in catalogue.players() {
        let name = full_name(entry, catalogue.default_game());
        let parameters = (entry.parameters)();
        for parameter in parameters.iter().filter(|known| !known.is_split()) {
            match found.iter_mut().find(|(known, ..)| known == parameter) {
                Some((.., players)) => players.push(name.clone()),
                None => {
                    let outer = format!("{}{OUTER}", parameter.key);
                    let splits = parameters.iter().any(|known| known.key == outer);
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
                None => parameter.doc.to_string(),
            },
        ]
    };
    Listing {
        columns: &[
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
    let of_series = rows("series", SERIES_CHARTS);
    let of_experiments = rows("experiment", EXPERIMENT_CHARTS);
    let of_comparisons = rows("comparison", COMPARISON_CHARTS);
    Listing {
        columns: &["chart", "of", "what it shows"],
        rows: [of_campaigns, of_series, of_experiments, of_comparisons].concat(),
    }
}
