//! Games that a person or a player plays in a page.
//!
//! Nothing of a game is kept here. A request holds the player, whose game and board it is, the seed and all moves so
//! far; the answer is the position after them and what the last move changed. A table is a function of these, so a
//! move is taken back by asking without it, a link can hold a whole game, and there are no sessions that could be too
//! many or expire. To play the moves again costs less than to read them.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::app::{App, beside};
use super::players;
use super::refusal::Refusal;
use super::request::Body;
use crate::Catalogue;
use crate::player::table::{Control, Ending, Motion};
use crate::player::view::{Cell, Color, Grid};
use crate::player::{Changes, Config, Entry, Game, Kind, PlayerOption, PlayerSpec, Players, Table};
use crate::random::{Stream, derive};

/// The routes.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/games", get(list).post(position))
}

/// No game has a larger tile.
const LARGEST_TILE: u32 = 1 << 17;

/// The games with their players.
async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    let catalogue = &app.catalogue;
    let games = catalogue.games().iter().copied();
    let games = games.filter(|game| game.lay_out.is_some());
    Json(games.map(|game| described(&app, catalogue, game)).collect())
}

fn described(app: &App, catalogue: &Catalogue, game: &Game) -> Value {
    let players = catalogue.players_of(game.name);
    let players = players.map(|entry| {
        json!({
            "name": entry.name,
            "about": entry.about,
            "has_weights": entry.has_weights(),
            "options": options(app, entry),
        })
    });
    json!({
        "name": game.name,
        "about": game.about,
        "number_of_players": match game.players {
            Players::One => 1,
            Players::Two => 2,
        },
        "tiles": tiles(catalogue, game),
        "players": players.collect::<Vec<_>>(),
    })
}

/// The numbers that a cell of the game can hold, besides 0: those that its JSON form accepts in the last cell.
fn tiles(catalogue: &Catalogue, game: &Game) -> Vec<u32> {
    let first = catalogue.players_of(game.name).next();
    let spec = first.and_then(|entry| {
        catalogue
            .player(&Config::new(entry.name, Some(game.name)))
            .ok()
    });
    let table = spec.zip(game.lay_out).and_then(|(spec, lay_out)| {
        let table = lay_out(&spec.options, Some(0)).ok()?;
        Some((spec, (game.format.position)(&*table.position())))
    });
    let Some((spec, mut position)) = table else {
        return Vec::new();
    };
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

/// The options of a player that a page can set. A heuristic comes with its weights.
fn options(app: &App, entry: &Entry) -> Vec<Value> {
    let options = entry.options.iter();
    let options = options.filter(|option| option.changes != Changes::Opponents);
    let described = options.filter_map(|option| described_option(app, option));
    described.collect()
}

fn described_option(app: &App, option: &PlayerOption) -> Option<Value> {
    let values = match option.kind {
        Kind::Depth(depths) => json!({
            "kind": "depth",
            "unit": depths.unit,
            "least": depths.min,
            "most": app.limits.depth,
            "adaptive": depths.adaptive,
        }),
        Kind::Number { allowed, .. } => json!({ "kind": "number", "allowed": allowed }),
        Kind::Whole { .. } => json!({ "kind": "whole" }),
        Kind::Switch { .. } => json!({ "kind": "switch" }),
        Kind::Choice(names) => json!({ "kind": "choice", "names": names }),
        Kind::Names { .. } | Kind::Heuristic { .. } => return None,
    };
    let mut described = json!({
        "key": option.key,
        "about": option.about,
        "default": option.default(),
        "changes": match option.changes {
            Changes::Board => "board",
            _ => "player",
        },
    });
    if let (Value::Object(described), Value::Object(values)) = (&mut described, values) {
        described.extend(values);
    }
    Some(described)
}

/// A game in progress.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Played {
    /// The player whose game and board it is. It need not make the moves.
    player: Config,
    /// The seed, as `play --seed` has it. Without one the board is empty at the beginning.
    seed: Option<u64>,
    /// A digit for each move so far, to the base 36: its place among the moves of the game.
    #[serde(default)]
    moves: String,
    /// Whether the numbers after each move are asked for, too.
    #[serde(default)]
    history: bool,
}

/// The position after the moves of a game.
async fn position(
    State(app): State<Arc<App>>,
    Body(played): Body<Played>,
) -> Result<Json<Value>, Refusal> {
    let answer = beside(move || {
        let spec = players::spec(&app, &played.player)?;
        after(&spec, &played)
    });
    Ok(Json(answer.await?))
}

fn after(spec: &PlayerSpec, played: &Played) -> Result<Value, Refusal> {
    let game = spec.entry.game;
    let lay_out = game.lay_out.ok_or_else(Refusal::fault)?;
    // The game of `play --seed`.
    let seed = played.seed;
    let seed = seed.map(|seed| game.players.game_seed(seed, Stream::Evaluate, 0, 0));
    let mut table = lay_out(&spec.options, seed).map_err(Refusal::wrong)?;
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
    let mut answer = state(&*table);
    let made = played.moves.len() as u64;
    let mut position = (game.format.position)(&*table.position());
    // Random choices of a player differ from move to move. 53 bits, which JavaScript represents exactly.
    let of_player = derive(seed.unwrap_or_default(), Stream::Player, made, 0) >> 11;
    position.insert("seed".into(), of_player.into());
    answer["position"] = position.into();
    answer["made"] = made.into();
    if played.history {
        answer["history"] = history.into();
    }
    Ok(answer)
}

fn illegal(table: &dyn Table, number: usize, digit: char) -> String {
    let moves = table.moves();
    let name = digit
        .to_digit(36)
        .and_then(|place| moves.get(place as usize));
    let name = name.map_or_else(|| digit.to_string(), Clone::clone);
    let legal = (0..moves.len()).filter(|&chosen| table.is_legal(chosen));
    let legal: Vec<&str> = legal.map(|chosen| moves[chosen].as_str()).collect();
    match legal.is_empty() {
        true => format!("move {number} (`{name}`): the game is over before it"),
        false => format!(
            "move {number} (`{name}`) is illegal; legal moves: {}",
            legal.join(", ")
        ),
    }
}

fn counts(table: &dyn Table) -> Value {
    let counts = table.counts().into_iter();
    let counts = counts.map(|(name, count)| (name.to_owned(), count.into()));
    counts.collect::<Map<String, Value>>().into()
}

fn state(table: &dyn Table) -> Value {
    let moves = table.moves();
    let legal: Vec<bool> = (0..moves.len())
        .map(|chosen| table.is_legal(chosen))
        .collect();
    let Motion { moved, appeared } = table.motion();
    json!({
        "moves": moves,
        "legal": legal,
        "control": match table.control() {
            Control::Directions => "directions",
            Control::Columns => "columns",
        },
        "grid": grid(&table.position().grid()),
        "counts": counts(table),
        "moved": moved,
        "appeared": appeared,
        "ended": table.ended().map(|ending| match ending {
            Ending::NoMove => json!({ "how": "no-move" }),
            Ending::Won { by, cells } => json!({ "how": "won", "by": by, "cells": cells }),
            Ending::Drawn => json!({ "how": "drawn" }),
        }),
    })
}

/// A grid as JSON.
pub(super) fn grid(grid: &Grid) -> Value {
    let color = |[red, green, blue]: Color| format!("#{red:02x}{green:02x}{blue:02x}");
    let cell = |cell: &Cell| json!({ "text": cell.text, "ground": color(cell.ground), "ink": color(cell.ink) });
    json!({
        "columns": grid.columns,
        "cells": grid.cells.iter().map(cell).collect::<Vec<_>>(),
        "footer": grid.footer,
        "frame": color(grid.frame),
    })
}
