//! `tiletune list`: prints the entries of the registries.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use comfy_table::ColumnConstraint;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Context, Failure, text};
use crate::chart::ChartInfo;
use crate::config::{heuristic_file, weights_file};
use crate::heuristic::Scale;
use crate::heuristic::terms::terms;
use crate::heuristic::{OUTER, Parameter, unsplit};
use crate::player::depth::Depth;
use crate::player::options::OptionValue;
use crate::player::{GameEntry, PlayerConfig, PlayerEntry, Players};
use crate::results::Diagnostic;
use crate::run::RunKind;

#[derive(Args)]
#[command(after_help = "\
--json: an array with an object for each entry.

Examples:
  tiletune list players
      players and their options
  tiletune list heuristics
      the weights that can be tuned
  tiletune list optimizers
      what can propose candidates: optimizer.name of a campaign file
  tiletune list heuristics configs/heuristics/2048-anchored.toml
      those of a file")]
pub(super) struct List {
    /// Kind of entries.
    what: EntryKind,
    /// With `heuristics`: a heuristic file, or a weights file or run directory with the weights of a heuristic.
    /// Its parameters are listed instead.
    file: Option<PathBuf>,
    /// The game of the heuristic file [default: the first whose player can read it].
    #[arg(long, requires = "file")]
    game: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum EntryKind {
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

/// Widest table in a pipe. A terminal uses its own width.
const WIDTH: u16 = 100;

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
#[derive(Clone, Copy, Serialize, JsonSchema)]
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
    /// Its values in `tables/diagnostics`.
    diagnostics: &'static [Diagnostic],
}

/// A chart.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedChart {
    /// Its name.
    chart: &'static str,
    /// The kind of run that it belongs to.
    kind: &'static str,
    /// What it shows.
    about: &'static str,
}

/// Prints entries as objects, or as a table with the cells of each entry.
fn print<PlayerEntry: Serialize, const N: usize>(
    entries: &[PlayerEntry],
    columns: [&str; N],
    cells: impl Fn(&PlayerEntry) -> [String; N],
    note: &str,
    context: Context,
) -> Result<(), Failure> {
    let text = || {
        let mut table = text::table(&[]);
        table
            .set_header(columns)
            .add_rows(entries.iter().map(cells));
        // Names are not broken, so that they can be copied.
        if let Some(names) = table.column_mut(0) {
            names.set_constraint(ColumnConstraint::ContentWidth);
        }
        let width = table.width().unwrap_or(WIDTH);
        table.set_width(width.min(WIDTH));
        format!("{table}{note}")
    };
    context.print(|| entries, text)
}

impl List {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        match (self.what, &self.file) {
            (EntryKind::Heuristics, Some(file)) => self.heuristic(file, context),
            (_, Some(_)) => {
                let message = "a file can be listed by `tiletune list heuristics FILE` only";
                Err(Failure::usage(message))
            }
            (EntryKind::Games, None) => games(context),
            (EntryKind::Players, None) => players(context),
            (EntryKind::Heuristics, None) => heuristics(context),
            (EntryKind::Charts, None) => charts(context),
            (EntryKind::Optimizers, None) => optimizers(context),
        }
    }

    /// The parameters of the heuristic file, term by term. The first suitable player reads them.
    fn heuristic(&self, path: &Path, context: Context) -> Result<(), Failure> {
        let source = weights_file::source(path)?;
        if path.is_dir() || source.has(&["weights"]) {
            let (_, player, _) = weights_file::parse_with(context.catalogue, &source)?;
            return parameters(&player.parameters(), context);
        }
        let is_asked = |entry: &&&PlayerEntry| {
            let game = self.game.as_deref();
            game.is_none_or(|game| game == entry.game.name) && entry.extension_option().is_some()
        };
        let mut refused = None;
        for entry in context.catalogue.players().iter().filter(is_asked) {
            let asked = PlayerConfig::new(entry.name, Some(entry.game.name));
            let player = context.catalogue.player(&asked).map_err(Failure::usage)?;
            match heuristic_file::with_source(&player, &source) {
                Ok(player) => return parameters(&player.parameters(), context),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(match refused {
            Some(error) => error.into(),
            None => Failure::usage("no player of this game takes a heuristic"),
        })
    }
}

/// The parameters of a heuristic. Those for outer or inner lines are left out if there is one for all lines.
fn parameters(parameters: &[Parameter], context: Context) -> Result<(), Failure> {
    let terms = terms(parameters);
    let object = |known: &Parameter| TermParameter {
        term: terms
            .iter()
            .find(|term| term.has(&known.key))
            .map(|term| term.name.clone()),
        parameter: ListedParameter::new(known, known.doc.to_string()),
    };
    let columns = [
        "term",
        "key",
        "default",
        "min",
        "max",
        "scale",
        "what it measures",
    ];
    let cells = |TermParameter { term, parameter }: &TermParameter| {
        let scale = match parameter.scale {
            Scale::Linear => "linear",
            Scale::Log => "log",
        };
        let term = term.clone().unwrap_or_default();
        let [key, default, min, max, about] = parameter.cells();
        [term, key, default, min, max, scale.to_owned(), about]
    };
    let entries: Vec<_> = unsplit(parameters).map(object).collect();
    print(&entries, columns, cells, "", context)
}

impl ListedParameter {
    fn new(known: &Parameter, about: String) -> Self {
        ListedParameter {
            key: known.key.clone(),
            default: known.default,
            min: known.min,
            max: known.max,
            scale: known.scale,
            about,
        }
    }

    /// Its key, numbers and meaning.
    fn cells(&self) -> [String; 5] {
        let [default, min, max] = [self.default, self.min, self.max].map(|of| of.to_string());
        [self.key.clone(), default, min, max, self.about.clone()]
    }
}

fn games(context: Context) -> Result<(), Failure> {
    let object = |game: &&GameEntry| ListedGame {
        game: game.name,
        players: match game.players {
            Players::One => 1,
            Players::Two => 2,
        },
        about: game.about,
    };
    let cells = |of: &ListedGame| [of.game, of.about].map(str::to_owned);
    let entries: Vec<_> = context.catalogue.games().iter().map(object).collect();
    print(&entries, ["game", "rules"], cells, "", context)
}

fn players(context: Context) -> Result<(), Failure> {
    let columns = ["player", "game", "weights", "options", "how it plays"];
    let cells = |of: &ListedPlayer| {
        let options: Vec<&str> = of.options.iter().map(|option| option.key).collect();
        let has_weights = if of.has_weights { "yes" } else { "no" };
        [
            of.player,
            of.game,
            has_weights,
            &options.join(", "),
            of.about,
        ]
        .map(str::to_owned)
    };
    let entries = context.catalogue.players().iter();
    let entries: Vec<_> = entries.map(|entry| player(entry)).collect();
    print(&entries, columns, cells, "", context)
}

/// A player with its options, depths and parameters.
fn player(entry: &PlayerEntry) -> ListedPlayer {
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
    let parameters = parameters.map(|known| ListedParameter::new(&known, known.about().into()));
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

/// An entry for each parameter. Several players can share one.
fn heuristics(context: Context) -> Result<(), Failure> {
    let mut found: Vec<(Parameter, SharedParameter)> = Vec::new();
    for &entry in context.catalogue.players() {
        let player = PlayerOfGame {
            player: entry.name,
            game: entry.game.name,
        };
        let parameters = (entry.parameters)();
        for parameter in parameters.iter().filter(|known| !known.is_split()) {
            if let Some((_, known)) = found.iter_mut().find(|(known, _)| known == parameter) {
                known.players.push(player);
                continue;
            }
            let outer = format!("{}{OUTER}", parameter.key);
            let has_lines = parameters.iter().any(|known| known.key == outer);
            let shared = SharedParameter {
                parameter: ListedParameter::new(parameter, parameter.about().into()),
                over: if has_lines { "lines" } else { "board" },
                players: vec![player],
            };
            found.push((parameter.clone(), shared));
        }
    }
    let default_game = context.catalogue.default_game().name;
    let columns = [
        "key",
        "players",
        "over",
        "default",
        "min",
        "max",
        "what it measures",
    ];
    let cells = |of: &SharedParameter| {
        let names = of.players.iter().map(|PlayerOfGame { player, game }| {
            if *game == default_game {
                (*player).to_owned()
            } else {
                format!("{player} ({game})")
            }
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let [key, default, min, max, about] = of.parameter.cells();
        [key, names, of.over.to_owned(), default, min, max, about]
    };
    let entries: Vec<_> = found.into_iter().map(|(_, shared)| shared).collect();
    print(&entries, columns, cells, SPLITS, context)
}

fn optimizers(context: Context) -> Result<(), Failure> {
    let object = |entry: &&crate::optimizer::Entry| ListedOptimizer {
        optimizer: entry.name,
        about: entry.about,
        options: entry.keys(),
        diagnostics: entry.diagnostics,
    };
    let columns = ["optimizer", "options", "diagnostics", "how it searches"];
    let cells = |of: &ListedOptimizer| {
        let diagnostics: Vec<&str> = of.diagnostics.iter().map(|one| one.name).collect();
        let (options, diagnostics) = (of.options.join(", "), diagnostics.join(", "));
        [of.optimizer, &options, &diagnostics, of.about].map(str::to_owned)
    };
    let entries = context.catalogue.optimizers().all().iter();
    let entries: Vec<_> = entries.map(object).collect();
    print(&entries, columns, cells, "", context)
}

fn charts(context: Context) -> Result<(), Failure> {
    let of_kind = |kind: &&'static RunKind| {
        let charts = (kind.charts)().into_iter();
        charts.map(|ChartInfo { name, about, .. }| ListedChart {
            chart: name,
            kind: kind.name,
            about,
        })
    };
    let entries: Vec<_> = context.kinds.0.iter().flat_map(of_kind).collect();
    let cells = |of: &ListedChart| [of.chart, of.kind, of.about].map(str::to_owned);
    print(
        &entries,
        ["chart", "of", "what it shows"],
        cells,
        "",
        context,
    )
}
