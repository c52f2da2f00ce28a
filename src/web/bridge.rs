//! 3+3 in a browser: a userscript that plays the game, a test page for the script, and the route of the original
//! program (neoatlantis/saechsli), so that its userscript works, too. This module must not know a rule of the game.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::Uri;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Map, Value, json};

use super::advice::{self, Question};
use super::app::App;
use super::original::is_position;
use super::refusal::{Refusal, nothing_here};
use crate::player::PlayerConfig;

/// The player of the original program.
const PLAYER: &str = "freedom-server";

const GAME: &str = "three-plus-three";

/// The names of the directions in the answers of the original program, in its order, with the names in this program.
const DIRECTIONS: [(&str, &str); 4] = [
    ("left", "left"),
    ("right", "right"),
    ("top", "up"),
    ("bottom", "down"),
];

const USERSCRIPT: &str = include_str!("assets/bridge/three-plus-three.user.js");

/// Placeholder for the address of the server in the userscript.
const SERVER: &str = "SERVER";

const TEST_PAGE: &str = include_str!("assets/bridge/test-page.html");
const TEST_STYLE: &str = include_str!("assets/bridge/test-page.css");
const TEST_SCRIPT: &str = include_str!("assets/bridge/test-page.js");

/// The routes. Without `--bridge` only the userscript is available.
pub(super) fn routes() -> Router<Arc<App>> {
    let page = |path, kind, contents: &'static str| {
        Router::new().route(
            path,
            get(async move |State(app): State<Arc<App>>, uri: Uri| {
                if app.access.bridge {
                    Ok(([(CONTENT_TYPE, kind)], contents))
                } else {
                    Err(nothing_here(uri).await)
                }
            }),
        )
    };
    Router::new()
        .route("/bridge/three-plus-three.user.js", get(userscript))
        .merge(page(
            "/bridge/test-page",
            "text/html; charset=utf-8",
            TEST_PAGE,
        ))
        .merge(page(
            "/bridge/test-page.css",
            "text/css; charset=utf-8",
            TEST_STYLE,
        ))
        .merge(page(
            "/bridge/test-page.js",
            "text/javascript; charset=utf-8",
            TEST_SCRIPT,
        ))
        .route("/{board}/{next}/", get(original))
}

/// The userscript with the address of this server.
async fn userscript(State(app): State<Arc<App>>) -> Response {
    let server = format!("http://127.0.0.1:{}", app.access.address.port());
    let script = USERSCRIPT.replace(SERVER, &server);
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], script).into_response()
}

/// The answer of the original program to a position. If the original gives no choice although a move is legal, the
/// answer is the first legal move.
async fn original(
    State(app): State<Arc<App>>,
    Path((board, next)): Path<(String, String)>,
    uri: Uri,
) -> Result<Json<Value>, Refusal> {
    if !app.access.bridge || !is_position(uri.path()) {
        return Err(nothing_here(uri).await);
    }
    let number = |text: &str| text.parse::<u64>().map_err(Refusal::wrong);
    let tiles: Vec<u64> = board.split(',').map(number).collect::<Result<_, _>>()?;
    let position = [
        ("board".to_owned(), json!(tiles)),
        ("next".to_owned(), json!(number(&next)?)),
        ("ranks".to_owned(), json!(false)),
    ];
    let question = Question {
        player: PlayerConfig::new(PLAYER, Some(GAME)),
        weights: None,
        position: Map::from_iter(position).into(),
        explain: false,
        costs: false,
    };
    let advice = advice::answer(&app, question).await?;
    Ok(Json(as_original(&board, &tiles, &advice)))
}

/// Converts an answer of `advise` to the form of the original program.
fn as_original(board: &str, tiles: &[u64], advice: &Value) -> Value {
    // An illegal move gets the largest tile of the board and the freedom 0.
    let largest = tiles.iter().copied().max().unwrap_or(0);
    let value = |ours: &str| {
        let value = |index: usize| {
            advice["values"][ours][index]
                .as_f64()
                .map(|value| value as u64)
        };
        [value(0).unwrap_or(largest), value(1).unwrap_or(0)]
    };
    let values = DIRECTIONS.map(|(name, ours)| (name, value(ours)));
    let chosen = DIRECTIONS
        .into_iter()
        .find(|(_, ours)| advice["move"] == *ours);
    let choice = chosen.map_or("", |(name, _)| name);
    let rows = tiles.chunks(4).map(|row| {
        let row = row.iter().map(|tile| format!("{tile:>6}"));
        row.collect::<String>() + "\n"
    });
    let lines = values.iter().map(|(name, [tile, freedom])| {
        let mark = if *name == choice { " <-" } else { "" };
        format!("{name}: largest tile {tile}, freedom {freedom}{mark}\n")
    });
    json!({
        "hash": board,
        "data": Map::from_iter(values.map(|(name, value)| (name.to_owned(), json!(value)))),
        "choice": choice,
        "result": rows.chain(lines).collect::<String>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::original::GAME_ORIGIN;
    use super::*;

    #[test]
    fn answers_have_the_form_of_the_original_program() {
        let advice = json!({
            "move": "up",
            "values": { "up": [6.0, 512.0], "down": null, "left": [6.0, 64.0], "right": [3.0, 8.0] },
        });
        let mut tiles = [0; 16];
        (tiles[0], tiles[1]) = (3, 3);
        let answer = as_original("3,3", &tiles, &advice);
        assert_eq!(answer["hash"], "3,3");
        assert_eq!(answer["choice"], "top");
        let data = json!({ "left": [6, 64], "right": [3, 8], "top": [6, 512], "bottom": [3, 0] });
        assert_eq!(answer["data"], data);
        let result = answer["result"].as_str().unwrap();
        assert!(
            result.contains("top: largest tile 6, freedom 512 <-"),
            "{result}"
        );
        let ended = json!({ "move": null, "values": {} });
        assert_eq!(as_original("3,3", &tiles, &ended)["choice"], "");
    }

    #[test]
    fn the_userscript_names_its_server_where_managers_look_for_it() {
        let header = USERSCRIPT.split("==/UserScript==").next().unwrap();
        for line in [
            "// @connect      127.0.0.1\n",
            "// @grant        GM_xmlhttpRequest\n",
            &format!("// @match        {GAME_ORIGIN}/games/game-156/data/*\n"),
            "// @match        http://127.0.0.1/bridge/test-page*\n",
        ] {
            assert!(header.contains(line), "{line}");
        }
        assert!(USERSCRIPT.contains("const server = \"SERVER\";"));
    }
}
