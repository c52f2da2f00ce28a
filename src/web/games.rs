//! Games that a person or a player plays in a page.
//!
//! The server stores no game. A request contains the player, which determines the game and the board, the seed and all
//! moves so far. The answer is the position after these moves and the changes of the last move. A position is a
//! function of the request. So a move is undone by a request without it, a link can contain a whole game, and there are
//! no sessions that could be too many or expire. Repeating the moves takes less time than parsing them.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::app::{App, beside};
use super::players;
use super::refusal::Refusal;
use super::request::Body;
use crate::Catalogue;
use crate::player::interactive::{Control, Ending, Motion};
use crate::player::options::OptionValue;
use crate::player::view::{Cell, Color, Grid};
use crate::player::{
    GameEntry, InteractiveGame, OptionKind, OptionScope, PlayerConfig, PlayerEntry, PlayerOption,
    PlayerSpec, Players,
};
use crate::random::{Stream, derive};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/games", get(list).post(position))
}

/// Larger tiles do not exist in any game.
const LARGEST_TILE: u32 = 1 << 17;

/// A game.
#[derive(Serialize, JsonSchema)]
pub(super) struct ServedGame {
    /// Its name.
    name: &'static str,
    /// Its rules in a sentence.
    about: &'static str,
    /// 1 or 2.
    number_of_players: u32,
    /// Numbers that a cell can hold, besides 0; empty if positions have no `board`.
    tiles: Vec<u32>,
    /// Its players.
    players: Vec<ServedPlayer>,
}

/// A player of a game.
#[derive(Serialize, JsonSchema)]
struct ServedPlayer {
    /// Its name.
    name: &'static str,
    /// How it plays.
    about: &'static str,
    /// Whether it has weights.
    has_weights: bool,
    /// Its options.
    options: Vec<ServedOption>,
}

/// An option of a player.
#[derive(Serialize, JsonSchema)]
struct ServedOption {
    /// Its key.
    key: &'static str,
    /// What it does.
    about: &'static str,
    /// Its value if it is left out.
    #[schemars(with = "Value")]
    default: OptionValue,
    /// Whether it belongs to the `board` or to the `player`.
    changes: &'static str,
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "crate::tests::OptionValues"))]
    values: OptionValues,
}

/// The values of an option.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum OptionValues {
    Depth {
        unit: &'static str,
        least: u8,
        /// The largest here.
        most: u8,
        adaptive: bool,
    },
    Number {
        /// In words.
        allowed: &'static str,
    },
    Whole,
    Switch,
    Choice {
        names: &'static [&'static str],
    },
    /// A text of a form.
    Text {
        form: &'static str,
    },
}

/// The games with their players.
async fn list(State(app): State<Arc<App>>) -> Json<Vec<ServedGame>> {
    let games = app.catalogue.games().iter().copied();
    let games = games.filter(|game| game.start_interactive.is_some());
    Json(games.map(|game| served(&app, game)).collect())
}

fn served(app: &App, game: &GameEntry) -> ServedGame {
    let players = app.catalogue.players_of(game.name);
    let players = players.map(|entry| ServedPlayer {
        name: entry.name,
        about: entry.about,
        has_weights: entry.has_weights(),
        options: options(app, entry),
    });
    ServedGame {
        name: game.name,
        about: game.about,
        number_of_players: match game.players {
            Players::One => 1,
            Players::Two => 2,
        },
        tiles: tiles(&app.catalogue, game),
        players: players.collect(),
    }
}

/// The numbers that a cell of the game can contain, besides 0: those that the JSON form accepts in the last cell of its
/// `board`.
fn tiles(catalogue: &Catalogue, game: &GameEntry) -> Vec<u32> {
    let first = catalogue.players_of(game.name).next();
    let spec = first.and_then(|entry| {
        catalogue
            .player(&PlayerConfig::new(entry.name, Some(game.name)))
            .ok()
    });
    let table = spec
        .zip(game.start_interactive)
        .and_then(|(spec, start_interactive)| {
            let table = start_interactive(&spec.options, Some(0)).ok()?;
            Some((spec, (game.format.position)(&*table.position())))
        });
    let Some((spec, mut position)) = table else {
        return Vec::new();
    };
    if !position.contains_key("board") {
        return Vec::new();
    }
    if (game.format.text_size)(&spec.options).is_some() {
        // Else a small number that is not a tile would be a rank.
        position.insert("ranks".into(), false.into());
    }
    let mut is_accepted = |tile: u32| {
        if let Some(board) = position.get_mut("board").and_then(Value::as_array_mut) {
            board.iter_mut().for_each(|cell| *cell = 0.into());
            if let Some(last) = board.last_mut() {
                *last = tile.into();
            }
        }
        let text = Value::from(position.clone()).to_string();
        (game.format.read)(&text, &spec.options).is_ok()
    };
    let smallest = 1..=3;
    let larger = (4..=LARGEST_TILE).filter(|&tile| (game.is_tile)(tile));
    smallest
        .chain(larger)
        .filter(|&tile| is_accepted(tile))
        .collect()
}

/// The options of a player that a page can set. A heuristic is not among them, because it belongs to the weights.
fn options(app: &App, entry: &PlayerEntry) -> Vec<ServedOption> {
    let options = entry.options.iter();
    let options = options.filter(|option| option.scope != OptionScope::Opponents);
    options
        .filter_map(|option| served_option(app, option))
        .collect()
}

fn served_option(app: &App, option: &PlayerOption) -> Option<ServedOption> {
    let values = match option.kind {
        OptionKind::Depth(depths) => OptionValues::Depth {
            unit: depths.unit,
            least: depths.min,
            most: app.limits.depth,
            adaptive: depths.adaptive,
        },
        OptionKind::Number { allowed, .. } => OptionValues::Number { allowed },
        OptionKind::Whole { .. } => OptionValues::Whole,
        OptionKind::Switch { .. } => OptionValues::Switch,
        OptionKind::Choice(names) => OptionValues::Choice { names },
        OptionKind::Text { form, .. } => OptionValues::Text { form },
        OptionKind::Names { .. } | OptionKind::Heuristic { .. } | OptionKind::Program => {
            return None;
        }
    };
    Some(ServedOption {
        key: option.key,
        about: option.about,
        default: option.default(),
        changes: match option.scope {
            OptionScope::Board => "board",
            _ => "player",
        },
        values,
    })
}

/// A game in progress.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameRequest {
    /// The player that determines the game and the board. It need not make the moves.
    player: PlayerConfig,
    /// The seed, as in `play --seed`. Without a seed the board is empty at the start.
    seed: Option<u64>,
    /// A base-36 digit for each move so far: its index among the moves of the game.
    #[serde(default)]
    moves: String,
    /// Whether the answer includes the numbers after each move.
    #[serde(default)]
    history: bool,
}

/// The state of a game.
#[derive(Serialize, JsonSchema)]
pub(super) struct ServedState {
    /// Names of all moves.
    moves: Vec<String>,
    /// Whether each is legal.
    legal: Vec<bool>,
    /// How a move is made: `directions` or `columns`.
    control: &'static str,
    /// The appearance.
    grid: ShownGrid,
    /// Numbers of the position.
    #[cfg_attr(test, schemars(with = "crate::tests::Counts"))]
    counts: Map<String, Value>,
    /// Pairs of cells: from and to.
    moved: Vec<(usize, usize)>,
    /// Cells in which a tile appeared.
    appeared: Vec<usize>,
    /// How the game ended; null if it goes on.
    ended: Option<ServedEnding>,
    /// The position as `POST /api/advise` takes it. Its seed is a number below 2^53.
    position: Map<String, Value>,
    /// Number of moves so far.
    made: u64,
    /// The numbers at the start and after each move, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Vec<crate::tests::Counts>>"))]
    history: Option<Vec<Map<String, Value>>>,
}

/// How a game ended.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "how", rename_all = "kebab-case")]
enum ServedEnding {
    NoMove,
    Won {
        /// Who has won: 1 or 2.
        by: u8,
        /// The cells of the line that won.
        cells: Vec<usize>,
    },
    Drawn,
}

/// The position after the moves of a game.
async fn position(
    State(app): State<Arc<App>>,
    Body(played): Body<GameRequest>,
) -> Result<Json<ServedState>, Refusal> {
    let answer = beside(move || {
        let spec = players::spec(&app, &played.player)?;
        after(&spec, &played)
    });
    Ok(Json(answer.await?))
}

fn after(spec: &PlayerSpec, played: &GameRequest) -> Result<ServedState, Refusal> {
    let game = spec.entry.game;
    let start_interactive = game.start_interactive.ok_or_else(Refusal::fault)?;
    // The seed of the game that `play --seed` shows.
    let seed = played.seed;
    let seed = seed.map(|seed| game.players.game_seed(seed, Stream::Evaluate, 0, 0));
    let mut table = start_interactive(&spec.options, seed).map_err(Refusal::wrong)?;
    let mut history = vec![counts(&*table)];
    for (number, digit) in (1..).zip(played.moves.chars()) {
        let chosen = digit.to_digit(36).filter(|_| !digit.is_ascii_uppercase());
        let is_made = chosen.is_some_and(|chosen| table.play(chosen as usize));
        if !is_made {
            return Err(Refusal::wrong(illegal(&*table, number, digit)));
        }
        if played.history {
            history.push(counts(&*table));
        }
    }
    let made = played.moves.len() as u64;
    let mut position = (game.format.position)(&*table.position());
    // The random choices of a player differ from move to move. JavaScript represents 53 bits exactly.
    let of_player = derive(seed.unwrap_or_default(), Stream::Player, made, 0) >> 11;
    position.insert("seed".into(), of_player.into());
    let moves = table.moves();
    let Motion { moved, appeared } = table.motion();
    Ok(ServedState {
        legal: (0..moves.len())
            .map(|chosen| table.is_legal(chosen))
            .collect(),
        moves: moves.to_vec(),
        control: match table.control() {
            Control::Directions => "directions",
            Control::Columns => "columns",
        },
        grid: ShownGrid::new(&table.position().grid()),
        counts: counts(&*table),
        moved,
        appeared,
        ended: table.ended().map(|ending| match ending {
            Ending::NoMove => ServedEnding::NoMove,
            Ending::Won { by, cells } => ServedEnding::Won { by, cells },
            Ending::Drawn => ServedEnding::Drawn,
        }),
        position,
        made,
        history: played.history.then_some(history),
    })
}

fn illegal(table: &dyn InteractiveGame, number: usize, digit: char) -> String {
    let moves = table.moves();
    let name = digit
        .to_digit(36)
        .and_then(|place| moves.get(place as usize));
    let name = name.map_or_else(|| digit.to_string(), Clone::clone);
    let legal = (0..moves.len()).filter(|&chosen| table.is_legal(chosen));
    let legal: Vec<&str> = legal.map(|chosen| moves[chosen].as_str()).collect();
    if legal.is_empty() {
        format!("move {number} (`{name}`): the game is over before it")
    } else {
        format!(
            "move {number} (`{name}`) is illegal; legal moves: {}",
            legal.join(", ")
        )
    }
}

fn counts(table: &dyn InteractiveGame) -> Map<String, Value> {
    named(table.counts())
}

/// Numbers by name.
pub(super) fn named(counts: Vec<(&'static str, u64)>) -> Map<String, Value> {
    let counts = counts.into_iter();
    let counts = counts.map(|(name, count)| (name.to_owned(), count.into()));
    counts.collect()
}

/// The appearance of a board.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShownGrid {
    /// Number of columns.
    columns: usize,
    /// Row by row.
    cells: Vec<ShownCell>,
    /// A text below each column; empty if there is none.
    footer: Vec<String>,
    /// Colour between the cells.
    frame: String,
}

/// The appearance of a cell.
#[derive(Serialize, JsonSchema)]
struct ShownCell {
    /// What stands in it; empty if nothing.
    text: String,
    /// Its colour, as `#rrggbb`.
    ground: String,
    /// Colour of the text.
    ink: String,
}

impl ShownGrid {
    pub(super) fn new(grid: &Grid) -> Self {
        let color = |[red, green, blue]: Color| format!("#{red:02x}{green:02x}{blue:02x}");
        let cell = |cell: &Cell| ShownCell {
            text: cell.text.clone(),
            ground: color(cell.ground),
            ink: color(cell.ink),
        };
        ShownGrid {
            columns: grid.columns,
            cells: grid.cells.iter().map(cell).collect(),
            footer: grid.footer.clone(),
            frame: color(grid.frame),
        }
    }
}
