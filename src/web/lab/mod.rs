//! The laboratory: what weights that a page changes do on a position, and in games. `docs/web.md` describes the routes.
//!
//! - `setting`: the player of a request and its weights
//! - `opened`: the parameters to change, and files that are opened or edited
//! - `values`: values of moves, points of terms, heat map
//! - `flip`: the values of a weight at which the best move changes
//! - `games`: games with these weights and with those that the page began with
//! - `weights_text`: the weights as a file
//!
//! This module must not write a file or start a process. Everything follows from the request; only heuristics are
//! cached.

mod flip;
mod games;
mod opened;
mod setting;
mod values;
pub(super) mod weights_text;

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;

use super::app::App;
use super::lab_state::Overtaken;
use super::refusal::Refusal;
use crate::stop::Stop;

#[cfg(test)]
pub(super) use {flip::Flip, games::LabGames, opened::Opened, values::LabValues};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/lab/open", post(opened::open))
        .route("/api/lab/values", post(values::values))
        .route("/api/lab/flip", post(flip::flip))
        .route("/api/lab/games", post(games::games))
        .route("/api/lab/weights", post(weights_text::weights))
}

/// Longest name that a page gives itself.
const LONGEST_NAME: usize = 64;

/// Notes new work of a page, which ends older work of the same kind.
///
/// # Errors
/// If the name of the page is too long or empty.
pub(super) fn begin(app: &App, client: &str, kind: &str) -> Result<Overtaken, Refusal> {
    if client.is_empty() || client.len() > LONGEST_NAME {
        let message = format!("`client` must be a text of 1 to {LONGEST_NAME} bytes");
        return Err(Refusal::wrong(message));
    }
    Ok(app.lab.clients.begin(format!("{kind} {client}")))
}

/// Runs the one search of a page. A newer one stops it.
async fn search<T: Send + 'static>(
    app: &App,
    client: &str,
    work: impl FnOnce(Stop) -> Result<Option<T>, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let mut overtaken = begin(app, client, "search")?;
    tokio::select! {
        found = app.searches.run(app.closing.clone(), work) => found,
        () = overtaken.wait() => {
            let message = "a newer request of this page has taken the place of this one";
            Err(Refusal::new(StatusCode::CONFLICT, message))
        }
    }
}
