//! The runs of the results folder.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::app::{App, beside};
use super::refusal::Refusal;
use crate::overview;

/// The routes.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/runs", get(list))
}

/// What lies in the folder.
async fn list(State(app): State<Arc<App>>) -> Result<Json<Value>, Refusal> {
    let found = beside(move || {
        if !app.results.is_dir() {
            return Ok(Vec::new());
        }
        overview::list(&app.results, false).map_err(Refusal::unknown)
    });
    let found = found.await?.into_iter().map(|found| match found {
        overview::Found::Run(run) => json!(run),
        overview::Found::Other { path, reason } => json!({ "path": path, "error": reason }),
    });
    Ok(Json(found.collect()))
}
