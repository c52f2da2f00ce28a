//! Advice of a player for a position, byte-identical to a line of `tiletune advise`.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::app::App;
use super::games::{ShownGrid, named};
use super::players;
use super::refusal::Refusal;
use super::request::Body;
use crate::player::PlayerConfig;
use crate::player::format::{Wanted, advice};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/advise", post(advise))
        .route("/api/position", post(shown))
}

/// A request for advice.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// The player, in the form of `[player]` in a campaign.
    pub(super) player: PlayerConfig,
    /// A weights file or run of the results folder; the published weights by default.
    #[serde(default)]
    pub(super) weights: Option<String>,
    /// The position, in the form of a line for `tiletune advise`. A string is such a line.
    pub(super) position: Value,
    /// Whether to include the value of each term of the heuristic.
    #[serde(default)]
    pub(super) explain: bool,
    /// Adds the key `costs` if the game is solved on this board.
    #[serde(default)]
    pub(super) costs: bool,
}

async fn advise(
    State(app): State<Arc<App>>,
    Body(question): Body<Question>,
) -> Result<Response, Refusal> {
    let answer = answer(&app, question).await?;
    Ok(([(CONTENT_TYPE, "application/json")], answer.to_string()).into_response())
}

/// The answer to a request. Dropping the future stops the search.
pub(super) async fn answer(app: &Arc<App>, question: Question) -> Result<Value, Refusal> {
    let shared = app.clone();
    let search = app.searches.run(app.closing.clone(), move |stop| {
        let weights = question.weights.as_deref();
        let made = players::player(&shared, &question.player, weights)?;
        shared.preparations.check(&made)?;
        let position = text_of(&question.position);
        let wanted = Wanted {
            terms: question.explain,
            costs: question.explain || question.costs,
        };
        let advice = advice(&made.spec, &*made.player, &position, wanted, stop);
        let advice = advice.map_err(Refusal::wrong)?;
        Ok(advice.map(|advice| advice.json(&made.spec.entry.game.format)))
    });
    search.await
}

/// The appearance of a position.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShownPosition {
    /// The appearance.
    grid: ShownGrid,
    /// Numbers of the position beside its board.
    #[cfg_attr(test, schemars(with = "crate::tests::NextTile"))]
    counts: Map<String, Value>,
    /// The position as `POST /api/advise` takes it, in its usual form.
    position: Map<String, Value>,
}

/// A position as a line.
pub(super) fn text_of(position: &Value) -> String {
    match position {
        Value::String(line) => line.clone(),
        other => other.to_string(),
    }
}

/// The appearance of a position from the position editor, without an analysis.
async fn shown(
    State(app): State<Arc<App>>,
    Body(question): Body<Question>,
) -> Result<Response, Refusal> {
    let spec = players::spec(&app, &question.player)?;
    let position = text_of(&question.position);
    let read = (spec.entry.game.format.read)(&position, &spec.options);
    let read = read.map_err(Refusal::wrong)?;
    let shown = ShownPosition {
        grid: ShownGrid::new(&read.position.grid()),
        counts: named(read.position.counts()),
        position: (spec.entry.game.format.position)(&*read.position),
    };
    Ok(axum::Json(shown).into_response())
}
