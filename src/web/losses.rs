//! Where a player loses against perfect play on a small board: its exact result, without games. The computation lasts as
//! long as the page listens.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::app::App;
use super::feed::{self, Feed};
use super::games::ShownGrid;
use super::lab::begin;
use super::players;
use super::preparations::{MOST_BYTES, threads};
use super::refusal::Refusal;
use super::request::Body;
use crate::lock::locked;
use crate::number::grouped;
use crate::player::exact::{Exact, Progress, Work};
use crate::player::{Player, PlayerConfig};
use crate::report::exact::{progress_in_words, sentence};
use crate::results::exact::{ExactResult, PositionRow, SituationRow};
use crate::stop::Stop;

/// The largest estimate of processor time, in seconds, whatever the number of threads. A stream ends after this elapsed time
/// in any case.
const MOST_SECONDS: f64 = 600.0;
/// The progress is sent about so often.
const INTERVAL: Duration = Duration::from_millis(300);

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/losses", post(losses))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LossesRequest {
    /// The name of the page. It has one computation at a time.
    client: String,
    /// The player, in the form of `[player]` in a campaign.
    player: PlayerConfig,
    /// A weights file or run of the results folder, or shipped weights; the published weights by default.
    #[serde(default)]
    weights: Option<String>,
}

/// The exact result of a player, and where it loses against perfect play.
#[derive(Serialize, JsonSchema)]
pub(super) struct FoundLosses {
    /// The result in a few sentences.
    sentence: String,
    /// Expected score.
    exact_mean: f64,
    /// Expected score as a share of that of perfect play.
    exact_share: f64,
    /// Largest tile at the end -> its probability.
    #[schemars(with = "BTreeMap<String, f64>")]
    exact_reach: BTreeMap<u32, f64>,
    /// Expected score of perfect play.
    perfect_mean: f64,
    /// Expected points that a game loses.
    points: f64,
    /// The losses by situation, the largest first.
    situations: Vec<SituationRow>,
    /// The positions with the largest losses, up to symmetry, the largest first.
    positions: Vec<FoundPosition>,
}

/// A position that costs points.
#[derive(Serialize, JsonSchema)]
struct FoundPosition {
    /// Its appearance.
    grid: ShownGrid,
    #[serde(flatten)]
    row: PositionRow,
}

async fn losses(
    State(app): State<Arc<App>>,
    Body(request): Body<LossesRequest>,
) -> Result<Response, Refusal> {
    let overtaken = begin(&app, &request.client, "losses")?;
    let (streams, closing) = (Arc::clone(&app.lab.streams), app.closing.clone());
    feed::stream(&streams, closing, overtaken, move |stop, feed| {
        let made = players::player(&app, &request.player, request.weights.as_deref())?;
        check(&*made.player)?;
        let exact = compute(&*made.player, stop, feed)?;
        if let Some(exact) = exact {
            let result =
                ExactResult::new(made.spec.describe(), &exact, &made.spec.entry.game.format);
            feed.send("losses", &FoundLosses::new(result, &exact));
        }
        Ok(())
    })
}

/// Checks that the exact result of a player is not too much for a page.
fn check(player: &dyn Player) -> Result<(), Refusal> {
    let seconds = player.exact_result().seconds().unwrap_or_default();
    let bytes = player.exact_result().bytes().unwrap_or_default();
    if seconds <= MOST_SECONDS && bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Refusal::wrong(format!(
        "the exact result of this player on this board takes about {} s of processor time, and {} MB for perfect play; a page \
         computes up to {MOST_SECONDS} s and {} MB: `tiletune evaluate --exact --losses` computes it",
        grouped(seconds, 0),
        grouped(bytes / 1e6, 0),
        grouped(MOST_BYTES / 1e6, 0)
    )))
}

/// Computes the exact result. Sends what it takes, and its progress.
fn compute(player: &dyn Player, stop: Stop, feed: &Feed) -> Result<Option<Exact>, Refusal> {
    let sent: Mutex<Option<Instant>> = Mutex::new(None);
    let progress = |of: Progress| {
        let mut last = locked(&sent);
        if last.is_none_or(|last| last.elapsed() >= INTERVAL) {
            *last = Some(Instant::now());
            feed.send("progress", &json!({ "text": progress_in_words(of) }));
        }
    };
    let say = |text: &str| {
        feed.send("progress", &json!({ "text": text }));
    };
    let work = Work {
        threads: threads(),
        stop,
        progress: &progress,
        say: &say,
    };
    let exact = player.exact_result();
    exact.compute(true, &work).map_err(Refusal::wrong)
}

impl FoundLosses {
    fn new(result: ExactResult, exact: &Exact) -> Self {
        let sentence = sentence(&result);
        let (points, situations, rows) = match result.losses {
            Some(losses) => (losses.points, losses.situations, losses.positions),
            None => (0.0, Vec::new(), Vec::new()),
        };
        let boards = exact.losses.iter().flat_map(|losses| &losses.positions);
        let positions = rows.into_iter().zip(boards);
        let positions = positions.map(|(row, of)| FoundPosition {
            grid: ShownGrid::new(&of.position.grid()),
            row,
        });
        FoundLosses {
            sentence,
            exact_mean: exact.mean,
            exact_share: exact.share(),
            exact_reach: exact.largest.clone(),
            perfect_mean: exact.perfect,
            points,
            situations,
            positions: positions.collect(),
        }
    }
}
