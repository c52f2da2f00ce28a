//! Where the best move changes: for one parameter, the nearest values on both sides of its present one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::search;
use super::setting::Setting;
use crate::heuristic::weights::Weights;
use crate::heuristic::{Parameter, Scale};
use crate::player::format::Request;
use crate::stop::Stop;
use crate::web::advice::text_of;
use crate::web::app::App;
use crate::web::lab_state::Prepared;
use crate::web::refusal::Refusal;
use crate::web::request::Body;

/// Number of values that are tried on each side, closer to each other near the present value. A change of the move
/// between two of them that is undone before the second is not found.
const TRIED: u32 = 24;
/// The nearest change is then narrowed down by so many halvings.
const HALVINGS: u32 = 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlipRequest {
    /// The name of the page. It has one search at a time.
    client: String,
    setting: Setting,
    position: Value,
    /// Key of the parameter.
    key: String,
}

/// The nearest values of a parameter at which the player makes another move.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Flip {
    key: String,
    /// The present value.
    value: f64,
    /// The move at the present value.
    best: Option<String>,
    /// The nearest change at smaller values; null if there is none within the bounds.
    below: Option<Change>,
    /// The nearest change at larger values.
    above: Option<Change>,
}

/// A value at which another move is best.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct Change {
    value: f64,
    best: Option<String>,
}

pub(super) async fn flip(
    State(app): State<Arc<App>>,
    Body(request): Body<FlipRequest>,
) -> Result<Json<Flip>, Refusal> {
    let shared = Arc::clone(&app);
    let client = request.client.clone();
    let found = search(&app, &client, move |stop| {
        let prepared = request.setting.prepared(&shared)?;
        let weights = request.setting.changed(&prepared)?;
        answer(&prepared, &weights, &request, stop)
    });
    found.await.map(Json)
}

fn answer(
    Prepared { spec, .. }: &Prepared,
    weights: &Weights,
    asked: &FlipRequest,
    stop: Stop,
) -> Result<Option<Flip>, Refusal> {
    let key = asked.key.as_str();
    let parameters = spec.parameters();
    let known = parameters.iter().find(|parameter| parameter.key == key);
    let (Some(parameter), Some(now)) = (known, weights.get(key)) else {
        let message = format!("the heuristic has no parameter `{key}` with these weights");
        return Err(Refusal::wrong(message));
    };
    let read = spec.entry.game.format.read;
    let read = read(&text_of(&asked.position), &spec.options);
    let Request { position, seed } = read.map_err(Refusal::wrong)?;
    // `None`: the player cannot use this value.
    let best = |value: f64| {
        let weights = weights.with([(key, value)], &parameters).ok()?;
        let player = spec.build(&weights).ok()?;
        let analysis = player.analyze(&*position, seed, stop).ok()??;
        Some(analysis.best)
    };
    let Some(of_now) = stop.complete(best(now)) else {
        return Ok(None);
    };
    let of_now = of_now.ok_or_else(|| {
        let reason = spec.check(weights).err();
        Refusal::wrong(reason.unwrap_or_else(|| "the position cannot be analysed".to_owned()))
    })?;
    let side = |end: f64| {
        let at = |share: f64| between(parameter, now, end, share);
        nearest(&of_now, at, best, stop)
    };
    let [below, above] = [parameter.min.min(now), parameter.max.max(now)].map(side);
    Ok(stop.complete(Flip {
        key: key.to_owned(),
        value: now,
        best: of_now,
        below,
        above,
    }))
}

/// The value at a share of the way to an end, on the scale of the parameter.
fn between(parameter: &Parameter, now: f64, end: f64, share: f64) -> f64 {
    let value = if parameter.scale == Scale::Log && now > 0.0 && end > 0.0 {
        now * libm::pow(end / now, share)
    } else {
        now + (end - now) * share
    };
    if parameter.integer {
        value.round()
    } else {
        value
    }
}

/// The nearest change on one side. `at` has the value at a share of the way to the end, `best` the move there.
fn nearest(
    of_now: &Option<String>,
    at: impl Fn(f64) -> f64,
    best: impl Fn(f64) -> Option<Option<String>>,
    stop: Stop,
) -> Option<Change> {
    if at(1.0) == at(0.0) {
        return None;
    }
    let change = |share: f64| {
        let value = at(share);
        let best = best(value).filter(|best| best != of_now);
        best.map(|best| Change { value, best })
    };
    let share = |step: u32| (f64::from(step) / f64::from(TRIED)).powi(2);
    let mut steps = (1..=TRIED).take_while(|_| !stop.is_requested());
    let (step, mut found) = steps.find_map(|step| Some((step, change(share(step))?)))?;
    let (mut same, mut other) = (share(step - 1), share(step));
    for _ in 0..HALVINGS {
        if stop.is_requested() {
            break;
        }
        let middle = (same + other) / 2.0;
        match change(middle) {
            Some(nearer) => (other, found) = (middle, nearer),
            None => same = middle,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_change_is_found_and_narrowed_down() {
        let now = Some("left".to_owned());
        let of = |value: f64| match value {
            30.0..31.5 => Some(Some("up".to_owned())),
            70.0.. => Some(Some("down".to_owned())),
            ..-3.0 => None,
            _ => Some(Some("left".to_owned())),
        };
        let side = |end: f64| {
            let at = |share: f64| 20.0 + (end - 20.0) * share;
            nearest(&now, at, of, Stop::never())
        };
        let above = side(100.0).unwrap();
        assert_eq!(above.best.as_deref(), Some("up"));
        assert!((30.0..30.01).contains(&above.value), "{above:?}");
        assert_eq!(side(25.0), None, "no change within the bounds");
        assert_eq!(
            side(-50.0),
            None,
            "values that cannot be used are no change"
        );
        assert_eq!(side(20.0), None);
        assert!((70.0..70.1).contains(&{
            let at = |share: f64| 40.0 + 60.0 * share;
            nearest(&now, at, of, Stop::never()).unwrap().value
        }));
    }

    #[test]
    fn logarithmic_and_whole_parameters_keep_their_scale() {
        let parameter = Parameter::new("x", "", 1.0, 0.1, 1000.0);
        let log = Parameter {
            scale: Scale::Log,
            ..parameter.clone()
        };
        assert!((between(&log, 1.0, 100.0, 0.5) - 10.0).abs() < 1e-9);
        assert!((between(&parameter, 1.0, 101.0, 0.5) - 51.0).abs() < 1e-9);
        let whole = Parameter {
            integer: true,
            ..parameter
        };
        assert!((between(&whole, 1.0, 2.0, 0.3) - 1.0).abs() < 1e-9);
    }
}
