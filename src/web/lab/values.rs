//! What weights do on a position: the value of each move, the points of each term, and where on the board it gives them.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::search;
use super::setting::Setting;
use crate::player::exact::{MoveCosts, Work};
use crate::player::format::{Request, value};
use crate::player::{Analysis, Explanation, LinePoints, MoveValue, Player, PlayerSpec, TermPlaces};
use crate::stop::Stop;
use crate::web::advice::text_of;
use crate::web::app::App;
use crate::web::games::ShownGrid;
use crate::web::refusal::Refusal;
use crate::web::request::Body;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ValuesRequest {
    /// The name of the page. It has one search at a time.
    client: String,
    setting: Setting,
    /// The position, as for `POST /api/advise`.
    position: Value,
    /// Whether the answer has the heat map.
    #[serde(default)]
    heat: bool,
    /// The heat map is that of the board after this move.
    #[serde(default)]
    after: Option<String>,
}

/// What weights do on a position.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct LabValues {
    /// The move of the player; null if the game is over.
    best: Option<String>,
    /// All moves, in the order of the game.
    moves: Vec<LabMove>,
    /// The static value of the position; null if the player has none.
    #[cfg_attr(test, schemars(with = "Option<crate::tests::MoveValue>"))]
    evaluation: Option<Value>,
    /// The terms that are on; empty if the player cannot tell them apart.
    terms: Vec<LabTerm>,
    /// Where the terms give their points; null if it was not asked for, or the player cannot tell.
    heat: Option<LabHeat>,
}

/// A move.
#[derive(Serialize, JsonSchema)]
struct LabMove {
    name: String,
    /// Its value; null if it is illegal.
    #[cfg_attr(test, schemars(with = "Option<crate::tests::MoveValue>"))]
    value: Option<Value>,
    /// Its value minus that of the player's move; null if one of them is no finite number.
    relative: Option<f64>,
    /// The points that it loses against perfect play; null if that is not known, or it is illegal.
    cost: Option<f64>,
}

/// What a term gives to the board after each legal move.
#[derive(Serialize, JsonSchema)]
struct LabTerm {
    name: String,
    /// Move -> points.
    points: BTreeMap<String, f64>,
    /// Move -> points minus those of the player's move.
    relative: BTreeMap<String, f64>,
}

/// A board, and where the terms give their points on it.
#[derive(Serialize, JsonSchema)]
struct LabHeat {
    /// The appearance of the board.
    grid: ShownGrid,
    /// The terms that are on.
    terms: Vec<LabPlaces>,
}

/// Where a term gives its points.
#[derive(Serialize, JsonSchema)]
struct LabPlaces {
    term: String,
    /// All points of the term.
    points: f64,
    /// The lines of the board.
    lines: Vec<LabLine>,
    /// The share of each cell, row by row.
    cells: Vec<f64>,
    /// The points of the whole board that belong to no line.
    board: f64,
}

/// A line and its points.
#[derive(Serialize, JsonSchema)]
struct LabLine {
    /// Its cells, counted row by row.
    cells: Vec<usize>,
    points: f64,
}

pub(super) async fn values(
    State(app): State<Arc<App>>,
    Body(request): Body<ValuesRequest>,
) -> Result<Json<LabValues>, Refusal> {
    let shared = Arc::clone(&app);
    let client = request.client.clone();
    let found = search(&app, &client, move |stop| {
        let (prepared, player) = request.setting.built(&shared)?;
        answer(&prepared.spec, &*player, &request, stop)
    });
    found.await.map(Json)
}

fn answer(
    spec: &PlayerSpec,
    player: &dyn Player,
    asked: &ValuesRequest,
    stop: Stop,
) -> Result<Option<LabValues>, Refusal> {
    let read = spec.entry.game.format.read;
    let read = read(&text_of(&asked.position), &spec.options);
    let Request { position, seed } = read.map_err(Refusal::wrong)?;
    let analysis = player.analyze(&*position, seed, stop);
    let Some(analysis) = analysis.map_err(Refusal::wrong)? else {
        return Ok(None);
    };
    let move_costs = spec.entry.game.move_costs;
    let costs = move_costs(&spec.options, &*position, &Work::quiet(1, stop));
    let explanation = player.explain(&*position).map_err(Refusal::wrong)?;
    let heat = if asked.heat {
        let after = asked.after.as_deref();
        player.places(&*position, after).map_err(Refusal::wrong)?
    } else {
        None
    };
    Ok(Some(LabValues {
        moves: moves(&analysis, costs.as_ref()),
        evaluation: analysis.evaluation.map(value),
        terms: by_term(&explanation.unwrap_or_default(), analysis.best.as_deref()),
        heat: heat.map(|places| LabHeat {
            grid: ShownGrid::new(&places.grid),
            terms: places.terms.into_iter().map(LabPlaces::from).collect(),
        }),
        best: analysis.best,
    }))
}

fn moves(analysis: &Analysis, costs: Option<&MoveCosts>) -> Vec<LabMove> {
    let cost = |name: &str| {
        let mut costs = costs?.iter();
        costs.find(|(of, _)| of == name).map(|(_, cost)| *cost)
    };
    let single = |value: Option<MoveValue>| match value {
        Some(MoveValue::One(value)) if value.is_finite() => Some(value),
        _ => None,
    };
    let mut all = analysis.values.iter();
    let best = all.find(|(name, _)| Some(name) == analysis.best.as_ref());
    let best = best.and_then(|(_, value)| single(*value));
    let one = |(name, of): &(String, Option<MoveValue>)| LabMove {
        name: name.clone(),
        value: of.map(value),
        relative: single(*of).zip(best).map(|(own, best)| own - best),
        cost: cost(name),
    };
    analysis.values.iter().map(one).collect()
}

/// The points by term instead of by move.
fn by_term(explanation: &Explanation, best: Option<&str>) -> Vec<LabTerm> {
    let Some((_, names)) = explanation.first() else {
        return Vec::new();
    };
    let term = |(place, (name, _)): (usize, &(String, f64))| {
        let points = explanation.iter();
        let points = points.map(|(of, terms)| (of.clone(), terms[place].1));
        let points: BTreeMap<String, f64> = points.collect();
        let of_best = best.and_then(|best| points.get(best)).copied();
        let relative = points.iter();
        let relative = relative.map(|(of, own)| (of.clone(), own - of_best.unwrap_or(0.0)));
        LabTerm {
            name: name.clone(),
            relative: relative.collect(),
            points,
        }
    };
    names.iter().enumerate().map(term).collect()
}

impl From<TermPlaces> for LabPlaces {
    fn from(of: TermPlaces) -> Self {
        let lines = of.lines.iter().map(|line| line.points);
        LabPlaces {
            points: of.board + lines.sum::<f64>(),
            term: of.term,
            lines: of.lines.into_iter().map(LabLine::from).collect(),
            cells: of.cells,
            board: of.board,
        }
    }
}

impl From<LinePoints> for LabLine {
    fn from(LinePoints { cells, points }: LinePoints) -> Self {
        LabLine { cells, points }
    }
}
