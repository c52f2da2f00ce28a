//! `tiletune list`: prints the entries of the registries.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use comfy_table::ColumnConstraint;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Context, Failure, text};
use crate::Catalogue;
use crate::chart::ChartInfo;
use crate::config::{Source, heuristic_file, weights_file};
use crate::heuristic::Scale;
use crate::heuristic::terms::terms;
use crate::heuristic::{OUTER, Parameter, unsplit};
use crate::player::depth::Depth;
use crate::player::options::Value as OptionValue;
use crate::player::{Config, Entry, Game, Players};
use crate::results::Diagnostic;
use crate::run::{RunKind, RunKinds};

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
    /// Players and their options; with --json also their parameters.
    Players,
    /// Tunable parameters: keys, players, defaults and suggested bounds.
    Heuristics,
    /// Optimizers, values of `optimizer.name`, and their own options.
    Optimizers,
    /// Charts of campaigns, series, experiments and comparisons.
    Charts,
}

/// Printed below the parameters.
const SPLITS: &str = "\nA term over lines (rows and columns) can be split: <key>_outer and <key>_inner \
                      replace <key>.";

/// Widest table in a pipe; on a terminal its width counts.
const WIDTH: u16 = 100;

/// Entries as a table of text and as JSON.
struct Listing {
    columns: &'static [&'static str],
    rows: Vec<Vec<String>>,
    /// An object for each row.
    json: Json,
}

/// What `tiletune list` prints.
#[derive(Serialize)]
#[serde(untagged)]
enum Json {
    Games(Vec<ListedGame>),
    Players(Vec<ListedPlayer>),
    Heuristics(Vec<SharedParameter>),
    OfFile(Vec<TermParameter>),
    Optimizers(Vec<ListedOptimizer>),
    Charts(Vec<ListedChart>),
}

/// A game.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedGame {
    /// Its name.
    game: &'static str,
    /// Number of players.
    players: u32,
    /// Its rules in a sentence.
    about: &'static str,
}

/// A player.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedPlayer {
    /// Its name.
    player: &'static str,
    /// Its game.
    game: &'static str,
    /// Whether it has weights.
    has_weights: bool,
    /// How it plays.
    about: &'static str,
    /// Its options.
    options: Vec<ListedOption>,
    /// Its search depth; null if it has none.
    depth: Option<ListedDepth>,
    /// The parameters of its heuristic.
    parameters: Vec<ListedParameter>,
}

/// An option of a player.
#[derive(Serialize, JsonSchema)]
struct ListedOption {
    /// Its key in files.
    key: &'static str,
    /// Its flag on the command line.
    flag: String,
    /// The default.
    #[schemars(with = "serde_json::Value")]
    default: OptionValue,
    /// What it does.
    about: &'static str,
}

/// The search depths of a player.
#[derive(Serialize, JsonSchema)]
struct ListedDepth {
    /// The default.
    default: Depth,
    /// The allowed depths in words.
    allowed: String,
    /// The unit.
    unit: &'static str,
}

/// A parameter of a heuristic.
#[derive(Serialize, JsonSchema)]
struct ListedParameter {
    /// Its key.
    key: String,
    /// Its default.
    default: f64,
    /// Lower bound of its search.
    min: f64,
    /// Upper bound of its search.
    max: f64,
    /// The scale on which it is searched.
    scale: Scale,
    /// What it measures.
    about: String,
}

/// A parameter of a heuristic file.
#[derive(Serialize, JsonSchema)]
pub(super) struct TermParameter {
    /// Its term; null if it belongs to none.
    term: Option<String>,
    #[serde(flatten)]
    parameter: ListedParameter,
}

/// A parameter that one or more players have.
#[derive(Serialize, JsonSchema)]
pub(super) struct SharedParameter {
    #[serde(flatten)]
    parameter: ListedParameter,
    /// `lines` or `board`: what it is a sum over.
    over: &'static str,
    /// Who has it.
    players: Vec<PlayerOfGame>,
}

/// A player and its game.
#[derive(Serialize, JsonSchema)]
struct PlayerOfGame {
    /// The player.
    player: &'static str,
    /// The game.
    game: &'static str,
}

/// An optimizer.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedOptimizer {
    /// Its name, a value of `optimizer.name`.
    optimizer: &'static str,
    /// How it searches.
    about: &'static str,
    /// The keys of `[optimizer]` that only it has.
    options: Vec<String>,
    /// What it says of itself in `tables/diagnostics`.
    diagnostics: &'static [Diagnostic],
}

/// A chart.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedChart {
    /// Its name.
    chart: &'static str,
    /// The kind of run that it is of.
    kind: &'static str,
    /// What it shows.
    about: &'static str,
}

impl Listing {
    fn table(&self) -> String {
        let mut table = text::table(&[]);
        table.set_header(self.columns).add_rows(&self.rows);
        // Names stay whole, so that they can be copied.
        if let Some(names) = table.column_mut(0) {
            names.set_constraint(ColumnConstraint::ContentWidth);
        }
        let width = table.width().unwrap_or(WIDTH);
        table.set_width(width.min(WIDTH));
        table.to_string()
    }
}

impl List {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let listing = match self.what {
            What::Heuristics if self.file.is_some() => self.heuristic(context.catalogue)?,
            _ if self.file.is_some() => {
                let message = "a file can be listed by `tiletune list heuristics FILE` only";
                return Err(Failure::Usage(message.into()));
            }
            What::Games => games(context.catalogue),
            What::Players => players(context.catalogue),
            What::Heuristics => heuristics(context.catalogue),
            What::Charts => charts(context.kinds),
            What::Optimizers => optimizers(context.catalogue),
        };
        let text = || {
            let note = match self.what {
                What::Heuristics if self.file.is_none() => SPLITS,
                _ => "",
            };
            format!("{}{note}", listing.table())
        };
        context.print(|| &listing.json, text)
    }

    /// The parameters of the heuristic file, term by term, read by the first player that can.
    fn heuristic(&self, catalogue: &Catalogue) -> Result<Listing, Failure> {
        let path = self.file.as_deref().unwrap_or(Path::new(""));
        if path.is_dir() || Source::read(path)?.has(&["weights"]) {
            let source = weights_file::source(path)?;
            let (_, player, _) = weights_file::parse(&source)?;
            return Ok(parameters(&player.parameters()));
        }
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
    let term = |known: &Parameter| term_of(&known.key).map(|term| term.name.clone());
    let row = |known: &Parameter| {
        vec![
            term(known).unwrap_or_default(),
            known.key.clone(),
            known.default.to_string(),
            known.min.to_string(),
            known.max.to_string(),
            scale(known).to_owned(),
            known.doc.to_string(),
        ]
    };
    let object = |known: &Parameter| TermParameter {
        term: term(known),
        parameter: parameter(known, known.doc.to_string()),
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
        json: Json::OfFile(unsplit(parameters).map(object).collect()),
    }
}

fn scale(parameter: &Parameter) -> &'static str {
    match parameter.scale {
        Scale::Linear => "linear",
        Scale::Log => "log",
    }
}

fn parameter(known: &Parameter, about: String) -> ListedParameter {
    ListedParameter {
        key: known.key.clone(),
        default: known.default,
        min: known.min,
        max: known.max,
        scale: known.scale,
        about,
    }
}

fn games(catalogue: &Catalogue) -> Listing {
    let row = |game: &&Game| vec![game.name.into(), game.about.into()];
    let object = |game: &&Game| {
        let players = match game.players {
            Players::One => 1,
            Players::Two => 2,
        };
        ListedGame {
            game: game.name,
            players,
            about: game.about,
        }
    };
    Listing {
        columns: &["game", "rules"],
        rows: catalogue.games().iter().map(row).collect(),
        json: Json::Games(catalogue.games().iter().map(object).collect()),
    }
}

fn players(catalogue: &Catalogue) -> Listing {
    let row = |entry: &&Entry| {
        let options: Vec<&str> = entry.options.iter().map(|option| option.key).collect();
        vec![
            entry.name.into(),
            entry.game.name.into(),
            if entry.has_weights() { "yes" } else { "no" }.into(),
            options.join(", "),
            entry.about.into(),
        ]
    };
    Listing {
        columns: &["player", "game", "weights", "options", "how it plays"],
        rows: catalogue.players().iter().map(row).collect(),
        json: Json::Players(
            catalogue
                .players()
                .iter()
                .map(|entry| player(entry))
                .collect(),
        ),
    }
}

/// A player with its options, depths and parameters.
fn player(entry: &Entry) -> ListedPlayer {
    let options = entry.options.iter().map(|option| ListedOption {
        key: option.key,
        flag: format!("--{}", option.flag()),
        default: option.default(),
        about: option.about,
    });
    let depth = entry.depths().map(|depths| ListedDepth {
        default: depths.default,
        allowed: depths.to_string(),
        unit: depths.unit,
    });
    let parameters = (entry.parameters)().into_iter();
    let parameters = parameters.map(|known| parameter(&known, known.about().into_owned()));
    ListedPlayer {
        player: entry.name,
        game: entry.game.name,
        has_weights: entry.has_weights(),
        about: entry.about,
        options: options.collect(),
        depth,
        parameters: parameters.collect(),
    }
}

/// The name of a player, followed by its game unless that is the default game.
fn full_name(entry: &Entry, default_game: &Game) -> String {
    match entry.game.name == default_game.name {
        true => entry.name.to_owned(),
        false => format!("{} ({})", entry.name, entry.game.name),
    }
}

/// A parameter with the players that have it.
struct Shared {
    parameter: Parameter,
    /// Whether it can be split for outer and inner lines.
    splits: bool,
    players: Vec<&'static Entry>,
}

fn shared(catalogue: &Catalogue) -> Vec<Shared> {
    let mut found: Vec<Shared> = Vec::new();
    for &entry in catalogue.players() {
        let parameters = (entry.parameters)();
        for parameter in parameters.iter().filter(|known| !known.is_split()) {
            match found.iter_mut().find(|known| known.parameter == *parameter) {
                Some(known) => known.players.push(entry),
                None => {
                    let outer = format!("{}{OUTER}", parameter.key);
                    found.push(Shared {
                        parameter: parameter.clone(),
                        splits: parameters.iter().any(|known| known.key == outer),
                        players: vec![entry],
                    });
                }
            }
        }
    }
    found
}

/// One row per parameter; several players can have the same one.
fn heuristics(catalogue: &Catalogue) -> Listing {
    let found = shared(&catalogue);
    let over = |known: &Shared| if known.splits { "lines" } else { "board" };
    let row = |known: &Shared| {
        let Shared {
            parameter, players, ..
        } = known;
        let names = players
            .iter()
            .map(|entry| full_name(entry, catalogue.default_game()));
        vec![
            parameter.key.clone(),
            names.collect::<Vec<_>>().join(", "),
            over(known).to_owned(),
            parameter.default.to_string(),
            parameter.min.to_string(),
            parameter.max.to_string(),
            parameter.about().into_owned(),
        ]
    };
    let object = |known: &Shared| {
        let players = known.players.iter().map(|entry| PlayerOfGame {
            player: entry.name,
            game: entry.game.name,
        });
        SharedParameter {
            parameter: parameter(&known.parameter, known.parameter.about().into_owned()),
            over: over(known),
            players: players.collect(),
        }
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
        rows: found.iter().map(row).collect(),
        json: Json::Heuristics(found.iter().map(object).collect()),
    }
}

fn optimizers(catalogue: &Catalogue) -> Listing {
    let optimizers = catalogue.optimizers().all();
    let row = |entry: &&crate::optimizer::Entry| {
        let diagnostics: Vec<&str> = entry.diagnostics.iter().map(|one| one.name).collect();
        vec![
            entry.name.into(),
            entry.keys().join(", "),
            diagnostics.join(", "),
            entry.about.into(),
        ]
    };
    let object = |entry: &&crate::optimizer::Entry| ListedOptimizer {
        optimizer: entry.name,
        about: entry.about,
        options: entry.keys(),
        diagnostics: entry.diagnostics,
    };
    Listing {
        columns: &["optimizer", "options", "diagnostics", "how it searches"],
        rows: optimizers.iter().map(row).collect(),
        json: Json::Optimizers(optimizers.iter().map(object).collect()),
    }
}

fn charts(kinds: RunKinds) -> Listing {
    let of_kind = |kind: &&'static RunKind| {
        let charts = (kind.charts)().into_iter();
        let row = |chart: ChartInfo| [chart.name, kind.name, chart.about];
        charts.map(row).collect::<Vec<_>>()
    };
    let charts: Vec<_> = kinds.0.iter().flat_map(of_kind).collect();
    let object = |&[chart, kind, about]: &[&'static str; 3]| ListedChart { chart, kind, about };
    Listing {
        columns: &["chart", "of", "what it shows"],
        json: Json::Charts(charts.iter().map(object).collect()),
        rows: charts
            .iter()
            .map(|row| row.map(str::to_owned).to_vec())
            .collect(),
    }
}
