//! `tiletune list`: prints the entries of the registries.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Context, Failure, text};
use crate::Catalogue;
use crate::chart::ChartInfo;
use crate::config::shipped::{self, Shipped, Wanted};
use crate::config::{heuristic_file, weights_file};
use crate::heuristic::terms::terms;
use crate::heuristic::{OUTER, Parameter, Scale, Short, unsplit};
use crate::player::depth::Depth;
use crate::player::options::OptionValue;
use crate::player::{GameEntry, PlayerEntry, PlayerSpec, Players};
use crate::results::Diagnostic;
use crate::run::RunKind;

#[derive(Args)]
#[command(after_help = "\
On a terminal the entries are a table; elsewhere each is a line that begins with its name.

--json: an array with an object for each entry.

Examples:
  tiletune list players --game 2048
      the players of a game; with --verbose also their options
  tiletune list weights
      what --weights takes besides files and runs
  tiletune list heuristics --player expectimax
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
    /// Only what belongs to this game.
    #[arg(long)]
    game: Option<String>,
    /// Only what belongs to this player.
    #[arg(long)]
    player: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EntryKind {
    /// Games.
    Games,
    /// Players; with --verbose also their options, with --json also their parameters.
    Players,
    /// Weights with a name: the published ones, and those that ship with the program.
    Weights,
    /// Tunable parameters: keys, defaults and suggested bounds; with --verbose also the players that have them.
    Heuristics,
    /// Optimizers, values of `optimizer.name`; with --verbose also their own options.
    Optimizers,
    /// Charts of campaigns, series, experiments and comparisons.
    Charts,
}

/// Printed below the parameters.
const SPLITS: &str =
    "A term over lines (rows and columns) can be split: <key>_outer and <key>_inner replace <key>.";

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

/// Weights with a name.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedWeights {
    /// Their name, as in `--weights`.
    weights: &'static str,
    /// The game.
    game: String,
    /// The player.
    player: String,
    /// The depth that they were tuned for or measured at; null for published ones.
    depth: Option<Depth>,
    /// The board and the other rules that they were tuned for, if these are not the usual ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    variation: Option<String>,
}

/// The columns of a list, the name first.
struct Columns<const N: usize> {
    names: [&'static str; N],
    /// The number of columns without `--verbose`.
    usual: usize,
    /// A text below the table.
    note: &'static str,
}

/// Prints entries as objects; on a terminal as a table with the cells of each entry, elsewhere as a line for each.
fn print<Entry: Serialize, const N: usize>(
    entries: &[Entry],
    columns: &Columns<N>,
    cells: impl Fn(&Entry) -> [String; N],
    context: Context,
) -> Result<(), Failure> {
    let shown = if context.verbose { N } else { columns.usual };
    let rows = || {
        entries
            .iter()
            .map(|entry| cells(entry).into_iter().take(shown).collect())
    };
    let text = || {
        if !std::io::stdout().is_terminal() {
            return lines(&rows().collect::<Vec<_>>());
        }
        let mut table = text::table(&[]);
        let names = columns.names.iter().take(shown);
        table.set_header(names).add_rows(rows());
        text::keep_words(&mut table);
        let note = columns.note;
        if note.is_empty() {
            table.to_string()
        } else {
            format!("{table}\n{note}")
        }
    };
    context.print(|| entries, text)
}

/// A line for each row, its cells one below the other.
fn lines(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl List {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let entries = self.players(context.catalogue)?;
        match (self.what, &self.file) {
            (EntryKind::Heuristics, Some(file)) => self.heuristic(file, context),
            (_, Some(_)) => {
                let message = "a file can be listed by `tiletune list heuristics FILE` only";
                Err(Failure::usage(message))
            }
            (EntryKind::Games, None) => games(&entries, context),
            (EntryKind::Players, None) => players(&entries, context),
            (EntryKind::Weights, None) => self.weights(context),
            (EntryKind::Heuristics, None) => heuristics(&entries, context),
            (EntryKind::Charts | EntryKind::Optimizers, None)
                if self.game.is_some() || self.player.is_some() =>
            {
                let message = "--game and --player choose games, players, weights and heuristics; leave them out here";
                Err(Failure::usage(message))
            }
            (EntryKind::Charts, None) => charts(context),
            (EntryKind::Optimizers, None) => optimizers(context),
        }
    }

    /// The players that `--game` and `--player` leave.
    fn players(&self, catalogue: &Catalogue) -> Result<Vec<&'static PlayerEntry>, Failure> {
        let is_left = |entry: &&&PlayerEntry| {
            self.game
                .as_deref()
                .is_none_or(|game| game == entry.game.name)
                && self.player.as_deref().is_none_or(|name| name == entry.name)
        };
        let left: Vec<_> = catalogue
            .players()
            .iter()
            .filter(is_left)
            .copied()
            .collect();
        if !left.is_empty() {
            return Ok(left);
        }
        let player = self.player.as_deref().unwrap_or_default();
        let known = catalogue.entry(player, self.game.as_deref());
        Err(known
            .err()
            .map_or_else(|| Failure::usage("no such player"), Failure::usage))
    }

    fn weights(&self, context: Context) -> Result<(), Failure> {
        let wanted = Wanted {
            game: self.game.as_deref(),
            player: self.player.as_deref(),
            ..Wanted::default()
        };
        let object = |one: Shipped| {
            let tuned = one.file.tuned_by(context.catalogue);
            ListedWeights {
                weights: one.name,
                depth: tuned.as_ref().and_then(PlayerSpec::depth),
                variation: tuned.and_then(|player| player.variation()),
                game: one.file.game,
                player: one.file.player,
            }
        };
        let all = shipped::all(context.catalogue, wanted).into_iter();
        let entries: Vec<_> = all.map(object).collect();
        let columns = Columns {
            names: ["weights", "game", "player", "depth"],
            usual: 4,
            note: "`tuned` stands for the first ones of the depth that is played.",
        };
        let cells = |of: &ListedWeights| {
            let depth = of.depth.map(|depth| depth.to_string());
            let tuned_for = [depth, of.variation.clone()].into_iter().flatten();
            let depth = tuned_for.collect::<Vec<_>>().join(", ");
            [
                of.weights.to_owned(),
                of.game.clone(),
                of.player.clone(),
                depth,
            ]
        };
        print(&entries, &columns, cells, context)
    }

    /// The parameters of the heuristic file, term by term. The first suitable player reads them.
    fn heuristic(&self, path: &Path, context: Context) -> Result<(), Failure> {
        let catalogue = context.catalogue;
        let source = weights_file::source(path)?;
        let player = if path.is_dir() || source.has(&["weights"]) {
            weights_file::parse_with(catalogue, &source)?.1
        } else {
            let (game, name) = (self.game.as_deref(), self.player.as_deref());
            heuristic_file::first_player(catalogue, &source, game, name)?
        };
        parameters(&player.parameters(), context)
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
    let columns = Columns {
        names: ["key", "default and bounds", "what it measures", "term"],
        usual: 3,
        note: "",
    };
    let cells = |TermParameter { term, parameter }: &TermParameter| {
        let [key, range, about] = parameter.cells();
        [key, range, about, term.clone().unwrap_or_default()]
    };
    let entries: Vec<_> = unsplit(parameters).map(object).collect();
    print(&entries, &columns, cells, context)
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
    fn cells(&self) -> [String; 3] {
        let [default, min, max] = [self.default, self.min, self.max].map(Short);
        let scale = match self.scale {
            Scale::Linear => "",
            Scale::Log => ", log",
        };
        let range = format!("{default} ({min} to {max}{scale})");
        [self.key.clone(), range, self.about.clone()]
    }
}

fn games(players: &[&PlayerEntry], context: Context) -> Result<(), Failure> {
    let is_left = |game: &&&GameEntry| players.iter().any(|entry| entry.game.name == game.name);
    let object = |game: &&GameEntry| ListedGame {
        game: game.name,
        players: match game.players {
            Players::One => 1,
            Players::Two => 2,
        },
        about: game.about,
    };
    let columns = Columns {
        names: ["game", "rules"],
        usual: 2,
        note: "",
    };
    let cells = |of: &ListedGame| [of.game, of.about].map(str::to_owned);
    let games = context.catalogue.games().iter();
    let entries: Vec<_> = games.filter(is_left).map(object).collect();
    print(&entries, &columns, cells, context)
}

fn players(entries: &[&'static PlayerEntry], context: Context) -> Result<(), Failure> {
    let columns = Columns {
        names: ["player", "game", "how it plays", "weights", "options"],
        usual: 3,
        note: "",
    };
    let cells = |of: &ListedPlayer| {
        let options: Vec<&str> = of.options.iter().map(|option| option.key).collect();
        let has_weights = if of.has_weights { "yes" } else { "no" };
        let options = options.join(", ");
        [of.player, of.game, of.about, has_weights, &options].map(str::to_owned)
    };
    let entries: Vec<_> = entries.iter().map(|entry| player(entry)).collect();
    print(&entries, &columns, cells, context)
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
fn heuristics(players: &[&'static PlayerEntry], context: Context) -> Result<(), Failure> {
    let mut found: Vec<(Parameter, SharedParameter)> = Vec::new();
    for &entry in players {
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
    let columns = Columns {
        names: [
            "key",
            "games",
            "default and bounds",
            "what it measures",
            "over",
            "players",
        ],
        usual: 4,
        note: SPLITS,
    };
    let cells = |of: &SharedParameter| {
        let [key, range, about] = of.parameter.cells();
        let mut games: Vec<&str> = of.players.iter().map(|player| player.game).collect();
        games.dedup();
        let players = of.players.iter().map(|player| player.player);
        let players = players.collect::<Vec<_>>().join(", ");
        [
            key,
            games.join(", "),
            range,
            about,
            of.over.to_owned(),
            players,
        ]
    };
    let entries: Vec<_> = found.into_iter().map(|(_, shared)| shared).collect();
    print(&entries, &columns, cells, context)
}

fn optimizers(context: Context) -> Result<(), Failure> {
    let object = |entry: &&crate::optimizer::Entry| ListedOptimizer {
        optimizer: entry.name,
        about: entry.about,
        options: entry.keys(),
        diagnostics: entry.diagnostics,
    };
    let columns = Columns {
        names: ["optimizer", "how it searches", "options", "diagnostics"],
        usual: 2,
        note: "",
    };
    let cells = |of: &ListedOptimizer| {
        let diagnostics: Vec<&str> = of.diagnostics.iter().map(|one| one.name).collect();
        let (options, diagnostics) = (of.options.join(", "), diagnostics.join(", "));
        [of.optimizer, of.about, &options, &diagnostics].map(str::to_owned)
    };
    let entries = context.catalogue.optimizers().all().iter();
    let entries: Vec<_> = entries.map(object).collect();
    print(&entries, &columns, cells, context)
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
    let columns = Columns {
        names: ["chart", "of", "what it shows"],
        usual: 3,
        note: "",
    };
    let entries: Vec<_> = context.kinds.0.iter().flat_map(of_kind).collect();
    let cells = |of: &ListedChart| [of.chart, of.kind, of.about].map(str::to_owned);
    print(&entries, &columns, cells, context)
}
