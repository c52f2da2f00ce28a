//! A game as one line per move, for pipes and files.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::painting::{Palette, board};
use super::{GameToShow, check, conclude, is_same};
use crate::cli::interrupt::{NOTHING_TO_RESUME, end_on_interrupt};
use crate::cli::stdin_lines::{InputLine, next_line, skip_rest};
use crate::cli::{Failure, message};
use crate::player::format::{Format, value};
use crate::player::session::Step;
use crate::record::{GameRecord, GameResult};
use crate::stop::Stop;

/// Writes every move as a line of text, then the final board and the result.
pub(super) fn write_text(watched: &GameToShow) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", watched.title)?;
    let record = each_step(watched, |step| {
        if step.ended.is_none() && step.asked.is_empty() {
            return writeln!(out, "{}", line(step));
        }
        let grid = step.position.grid();
        if !grid.cells.is_empty() {
            for line in board(&grid, Palette::None, 1) {
                writeln!(out, "{}", line.trim_end())?;
            }
        }
        if !step.asked.is_empty() {
            writeln!(out, "your move: {}", step.asked.join(", "))?;
        }
        out.flush()
    })?;
    out.flush()?;
    drop(out);
    conclude(watched, &record)
}

/// Writes every move as a JSON object, then the final position without a move, then the result.
pub(super) fn write_json(watched: &GameToShow) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let record = each_step(watched, |step| {
        let line = Line::Step(StepLine::new(step, &watched.format));
        writeln!(out, "{}", json!(line))?;
        if step.asked.is_empty() {
            Ok(())
        } else {
            out.flush()
        }
    })?;
    let recorded = watched.recorded.as_ref();
    let result = Line::Result(ResultLine {
        result: PlayedGame::new(&record),
        game: watched.game,
        player: watched.player_name,
        title: &watched.title,
        recorded: recorded.map(PlayedGame::new),
        same: recorded.map(|recorded| is_same(recorded, &record)),
    });
    writeln!(out, "{}", json!(result))?;
    out.flush()?;
    check(watched.recorded.as_ref(), &record)
}

/// Plays to the end and passes every step to `write`, including the final position. The moves of a person are lines on
/// stdin.
fn each_step(
    watched: &GameToShow,
    mut write: impl FnMut(&Step) -> std::io::Result<()>,
) -> Result<GameRecord, Failure> {
    end_on_interrupt()?;
    let mut playing = watched.begin(Stop::never());
    let mut answers = std::io::stdin().lock();
    loop {
        let Some(step) = playing.step() else {
            let interrupted = || Failure::Interrupted(NOTHING_TO_RESUME.into());
            return Err(watched.failure().unwrap_or_else(interrupted));
        };
        write(&step)?;
        if !step.asked.is_empty() {
            let answer = match next_line(&mut answers).map_err(Failure::stdin)? {
                Some(InputLine::Text(answer)) => answer,
                Some(InputLine::TooLong) => {
                    skip_rest(&mut answers).map_err(Failure::stdin)?;
                    format!("(a line that {})", InputLine::too_long())
                }
                None => return Err(Failure::Failed("stdin ended before the game".into())),
            };
            let answer = answer.trim();
            if !step.asked.iter().any(|name| name == answer) {
                let asked = step.asked.join(", ");
                message(format!(
                    "`{answer}` is not a legal move; legal moves: {asked}"
                ));
            }
            playing.answer(answer);
        }
        if let Some(record) = step.ended {
            return Ok(record);
        }
    }
}

/// A line of `tiletune play --json`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::cli) enum Line<'a> {
    Step(StepLine<'a>),
    Result(ResultLine<'a>),
}

/// A move; the last one is the position at the end, without a move.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct StepLine<'a> {
    /// Number of moves before it.
    moves: u32,
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "crate::tests::PositionFields"))]
    position: Map<String, Value>,
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "crate::tests::GameCounts"))]
    counts: Map<String, Value>,
    /// The move that is made; null if a person is to move, or at the end.
    r#move: Option<&'a str>,
    /// Move -> its value; null: illegal.
    #[cfg_attr(
        test,
        schemars(with = "BTreeMap<String, Option<crate::tests::MoveValue>>")
    )]
    values: Map<String, Value>,
    /// Value of the position without a search; null if the player has none.
    #[cfg_attr(test, schemars(with = "Option<crate::tests::MoveValue>"))]
    evaluation: Option<Value>,
    /// The legal moves, if a person is to move.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    asked: &'a [String],
}

impl<'a> StepLine<'a> {
    fn new(step: &'a Step, format: &Format) -> Self {
        let analysis = &step.analysis;
        let counts = step.counts.iter();
        let values = analysis.values.iter();
        StepLine {
            moves: step.moves,
            position: (format.position)(&*step.position),
            counts: counts
                .map(|&(name, count)| (name.to_owned(), count.into()))
                .collect(),
            r#move: analysis.best.as_deref(),
            values: values
                .map(|(name, of)| (name.clone(), of.map_or(Value::Null, value)))
                .collect(),
            evaluation: analysis.evaluation.map(value),
            asked: &step.asked,
        }
    }
}

/// The result of a game.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct ResultLine<'a> {
    /// The result.
    result: PlayedGame<'a>,
    /// Name of the game.
    game: &'static str,
    /// Name of the player.
    player: &'static str,
    /// Player and game in words.
    title: &'a str,
    /// The recorded game.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<PlayedGame<'a>>,
    /// Whether the game is the recorded one.
    #[serde(skip_serializing_if = "Option::is_none")]
    same: Option<bool>,
}

/// A game and its result.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum PlayedGame<'a> {
    Score {
        /// Seed, as text.
        seed: String,
        /// Score.
        score: u64,
        /// Largest tile; null in a game without tiles.
        max_tile: Option<u32>,
        /// Number of moves.
        moves: u32,
        /// Whether two tiles of the largest size faced each other.
        capped: bool,
    },
    Numbers {
        /// Seed, as text.
        seed: String,
        /// The numbers of the program.
        numbers: BTreeMap<&'a str, f64>,
    },
    Outcome {
        /// Seed, as text.
        seed: String,
        /// win, draw or loss of the player.
        outcome: &'static str,
        /// Number of moves.
        moves: u32,
    },
}

impl<'a> PlayedGame<'a> {
    fn new(record: &'a GameRecord) -> Self {
        let (seed, moves) = (record.seed.to_string(), record.moves);
        match &record.result {
            GameResult::Score {
                score,
                max_tile,
                capped,
            } => PlayedGame::Score {
                seed,
                score: *score,
                max_tile: *max_tile,
                moves,
                capped: *capped,
            },
            GameResult::Numbers(numbers) => PlayedGame::Numbers {
                seed,
                numbers: numbers.all().collect(),
            },
            GameResult::Outcome(outcome) => PlayedGame::Outcome {
                seed,
                outcome: outcome.name(),
                moves,
            },
        }
    }
}

/// The text of a step, for example `12 left; up -, down 3.5, left 4, right 4; evaluation 2; score 20, max_tile 8`.
fn line(step: &Step) -> String {
    let chosen = step.analysis.best.as_deref().unwrap_or_default();
    let mut parts = vec![format!("{} {chosen}", step.moves + 1)];
    let values = step.analysis.values.iter().map(|(name, value)| {
        let value = value.map_or("-".to_owned(), |value| value.text(rounded));
        format!("{name} {value}")
    });
    parts.push(values.collect::<Vec<_>>().join(", "));
    if let Some(evaluation) = step.analysis.evaluation {
        parts.push(format!("evaluation {}", evaluation.text(rounded)));
    }
    let counts = step
        .counts
        .iter()
        .map(|(name, count)| format!("{name} {count}"));
    parts.push(counts.collect::<Vec<_>>().join(", "));
    // The moves of a person have no values.
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

/// A number with at most three decimals.
fn rounded(value: f64) -> String {
    let text = format!("{value:.3}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
