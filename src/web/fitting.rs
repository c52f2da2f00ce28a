//! The weights that ship with the program and fit a board.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;

use super::app::{App, beside};
use super::players;
use super::refusal::Refusal;
use super::request::Body;
use crate::config::shipped;
use crate::player::PlayerConfig;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/weights/fitting", post(fitting))
}

/// A player with its board.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FittingRequest {
    /// The player, in the form of `[player]` in a campaign.
    player: PlayerConfig,
}

/// The names of the weights that ship with the program and have a meaning on the board of a player.
async fn fitting(
    State(app): State<Arc<App>>,
    Body(request): Body<FittingRequest>,
) -> Result<Json<Vec<&'static str>>, Refusal> {
    let found = beside(move || {
        let spec = players::spec(&app, &request.player)?;
        Ok(shipped::fitting(&app.catalogue, &spec))
    });
    Ok(Json(found.await?))
}
