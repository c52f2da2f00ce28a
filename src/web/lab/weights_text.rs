//! Weights as the text of a weights file.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::setting::Setting;
use crate::config::heuristic_file::HeuristicConfig;
use crate::config::weights_file::WeightsFile;
use crate::heuristic::weights::Weights;
use crate::player::PlayerSpec;
use crate::web::app::App;
use crate::web::refusal::Refusal;
use crate::web::request::Body;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRequest {
    setting: Setting,
}

/// `{"toml": ".."}`
pub(super) async fn weights(
    State(app): State<Arc<App>>,
    Body(request): Body<FileRequest>,
) -> Result<Json<Value>, Refusal> {
    let shared = Arc::clone(&app);
    let written = app.searches.run(app.closing.clone(), move |_| {
        let prepared = request.setting.prepared(&shared)?;
        let weights = request.setting.changed(&prepared)?;
        text(&prepared.spec, &weights).map(Some)
    });
    Ok(Json(json!({ "toml": written.await? })))
}

/// A weights file with the player's options as its provenance.
pub(in crate::web) fn text(spec: &PlayerSpec, weights: &Weights) -> Result<String, Refusal> {
    let player = toml::Value::try_from(spec.without_heuristic().config());
    let provenance = player.ok().map(|player| {
        let made = [("player".to_owned(), player)];
        toml::Table::from_iter(made)
    });
    let file = WeightsFile {
        game: spec.entry.game.name.to_owned(),
        player: spec.entry.name.to_owned(),
        weights: weights.to_map(),
        heuristic: HeuristicConfig::of(spec),
        provenance,
    };
    toml::to_string(&file.written()).map_err(|_| Refusal::fault())
}
