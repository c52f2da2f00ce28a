//! A recorded game of a run, position by position: it is played again, with the analysis of the player at each move.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{RequestedRun, damaged};
use crate::player::PlayerConfig;
use crate::player::format::{Format, value};
use crate::player::session::Step;
use crate::record::GameRecord;
use crate::run::{RecordedPlayer, RunDirectory, RunError, ShownGame};
use crate::stop::Stop;
use crate::web::app::App;
use crate::web::feed::{self, Feed};
use crate::web::games::named;
use crate::web::lab::{self, weights_text};
use crate::web::refusal::Refusal;
use crate::web::request::Body;

/// Number of positions of an event.
const TOGETHER: usize = 64;

/// Which game of the run.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameOfRun {
    /// The name of the page. It has one game at a time.
    client: String,
    /// Generation of a candidate, counted from 0.
    generation: Option<u32>,
    /// The candidate, counted from 0.
    candidate: Option<u32>,
    /// A finalist of the race, counted from 0.
    finalist: Option<u32>,
    /// `start` or `tuned`: the weights of a hold-out game.
    hold_out: Option<HoldOut>,
    /// The hold-out game at this other search depth.
    at_depth: Option<u8>,
    /// The game, counted from 0.
    #[serde(default)]
    index: u32,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum HoldOut {
    Start,
    Tuned,
}

impl GameOfRun {
    fn played_by(&self) -> Result<RecordedPlayer, Refusal> {
        match (
            self.generation,
            self.candidate,
            self.finalist,
            self.hold_out,
        ) {
            (Some(generation), Some(candidate), None, None) => Ok(RecordedPlayer::Candidate {
                generation,
                candidate,
            }),
            (None, None, Some(finalist), None) => Ok(RecordedPlayer::Finalist(finalist)),
            (None, None, None, Some(hold_out)) => Ok(RecordedPlayer::HoldOut {
                weights: match hold_out {
                    HoldOut::Start => "start",
                    HoldOut::Tuned => "tuned",
                },
                depth: self.at_depth,
            }),
            _ => Err(Refusal::wrong(
                "which game of the run? Give `generation` and `candidate`, `finalist`, or `hold_out`: \"start\" or \
                 \"tuned\"",
            )),
        }
    }
}

/// A recorded game before its positions.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct RecordedGame {
    /// The game in words.
    title: String,
    /// Name of the game.
    game: &'static str,
    /// The player, as `POST /api/advise` takes it.
    #[schemars(with = "std::collections::BTreeMap<String, Value>")]
    player: PlayerConfig,
    /// Its weights, as a weights file; null if it has none.
    file: Option<String>,
    /// Number of recorded moves.
    moves: u32,
}

/// A position of a recorded game.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct RecordedStep {
    /// Number of moves before it.
    moves: u32,
    /// The position, as `POST /api/position` takes it.
    #[schemars(with = "std::collections::BTreeMap<String, Value>")]
    position: Map<String, Value>,
    /// Score and largest tile before the move.
    #[cfg_attr(test, schemars(with = "crate::tests::Counts"))]
    counts: Map<String, Value>,
    /// The move; null at the end.
    r#move: Option<String>,
    /// Move -> its value; null: illegal.
    #[cfg_attr(
        test,
        schemars(with = "std::collections::BTreeMap<String, Option<crate::tests::MoveValue>>")
    )]
    values: Map<String, Value>,
    /// The value of the position: that of the move; null if it is no single number.
    value: Option<f64>,
    /// By how much the value fell since the position before; negative if it rose.
    fell: Option<f64>,
}

pub(super) async fn game(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Body(asked): Body<GameOfRun>,
) -> Result<Response, Refusal> {
    let played_by = asked.played_by()?;
    let overtaken = lab::begin(&app, &asked.client, "game")?;
    let (streams, closing) = (Arc::clone(&app.lab.streams), app.closing.clone());
    feed::stream(&streams, closing, overtaken, move |stop, feed| {
        let run = RequestedRun::find(&app, &name)?;
        let shown = shown(&run, played_by, asked.index);
        let shown = shown.map_err(|error| damaged(&app, &error))?;
        play(&shown, stop, feed)
    })
}

fn shown(run: &RequestedRun, played_by: RecordedPlayer, index: u32) -> Result<ShownGame, RunError> {
    let directory = RunDirectory::open(&run.root)?;
    run.watched.plan.recorded_game(&directory, played_by, index)
}

fn play(shown: &ShownGame, stop: Stop, feed: &Feed) -> Result<(), Refusal> {
    let spec = &shown.player;
    if spec.program().is_some() {
        let message =
            "this game was played by a program outside of tiletune, which is not started here";
        return Err(Refusal::new(StatusCode::FORBIDDEN, message));
    }
    let player = spec.build(&shown.weights).map_err(Refusal::wrong)?;
    let has_weights = spec.entry.has_weights();
    let file = has_weights.then(|| weights_text::text(spec, &shown.weights));
    let begun = RecordedGame {
        title: shown.title.clone(),
        game: spec.entry.game.name,
        player: spec.without_heuristic().config(),
        file: file.transpose()?,
        moves: shown.record.moves,
    };
    if !feed.send("game", &begun) {
        return Ok(());
    }
    let mut session = player.begin(shown.record.seed, stop);
    let mut last = None;
    let mut steps = Vec::new();
    // `None` after a request to stop.
    while let Some(step) = session.step() {
        let one = RecordedStep::new(&step, last, &spec.entry.game.format);
        last = one.value;
        steps.push(one);
        let is_full = steps.len() == TOGETHER;
        if (is_full || step.ended.is_some()) && !feed.send("steps", &std::mem::take(&mut steps)) {
            return Ok(());
        }
        if let Some(played) = step.ended {
            return end(&shown.record, &played, feed);
        }
    }
    Ok(())
}

/// Ends with whether the game is the recorded one.
fn end(recorded: &GameRecord, played: &GameRecord, feed: &Feed) -> Result<(), Refusal> {
    if (&recorded.result, recorded.moves) != (&played.result, played.moves) {
        let message = "the game differs from its record. The run's manifest.json names the build and the processor \
                       that started it";
        return Err(Refusal::wrong(message));
    }
    feed.send("end", &serde_json::json!({ "moves": played.moves }));
    Ok(())
}

impl RecordedStep {
    /// `last` is the value of the position before.
    fn new(step: &Step, last: Option<f64>, format: &Format) -> Self {
        let analysis = &step.analysis;
        let value_of_best = analysis.value_of_best();
        let values = analysis.values.iter();
        RecordedStep {
            moves: step.moves,
            position: (format.position)(&*step.position),
            counts: named(step.counts.clone()),
            r#move: analysis.best.clone(),
            values: values
                .map(|(name, of)| (name.clone(), of.map_or(Value::Null, value)))
                .collect(),
            value: value_of_best,
            fell: last.zip(value_of_best).map(|(last, now)| last - now),
        }
    }
}
