//! A game as one line per move, for pipes and files.

use std::io::{BufRead, BufWriter, Write};

use serde_json::{Map, Value, json};

use super::painting::{Palette, board};
use super::{Watched, check, conclude, is_same};
use crate::cli::interrupt::{NOTHING_TO_RESUME, end_on_interrupt};
use crate::cli::{Failure, message};
use crate::player::format::{Format, value};
use crate::player::session::Step;
use crate::record::{GameRecord, GameResult};
use crate::stop::Stop;

/// Writes every move as a line of text, then the final board and the result.
pub(super) fn write_text(watched: &Watched) -> Result<(), Failure> {
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

/// Writes every move as a JSON object, the final position as one without a move, then the result.
pub(super) fn write_json(watched: &Watched) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let record = each_step(watched, |step| {
        writeln!(out, "{}", step_object(step, &watched.format))?;
        match step.asked.is_empty() {
            true => Ok(()),
            false => out.flush(),
        }
    })?;
    let mut result = json!({
        "result": object(&record),
        "game": watched.game,
        "player": watched.player_name,
        "title": watched.title,
    });
    if let Some(recorded) = &watched.recorded {
        result["recorded"] = object(recorded);
        result["same"] = is_same(recorded, &record).into();
    }
    writeln!(out, "{result}")?;
    out.flush()?;
    check(watched.recorded.as_ref(), &record)
}

/// Plays to the end and passes every step to `write`, the final position included. The moves of a
/// person are lines on stdin.
fn each_step(
    watched: &Watched,
    mut write: impl FnMut(&Step) -> std::io::Result<()>,
) -> Result<GameRecord, Failure> {
    end_on_interrupt()?;
    let mut playing = watched.begin(Stop::never());
    let mut answers = std::io::stdin().lock().split(b'\n');
    loop {
        let Some(step) = playing.step() else {
            return Err(Failure::Interrupted(NOTHING_TO_RESUME.into()));
        };
        write(&step)?;
        if !step.asked.is_empty() {
            let answer = answers.next().transpose().map_err(Failure::stdin)?;
            let ended = || Failure::Failed("stdin ended before the game".into());
            let answer = answer.ok_or_else(ended)?;
            let answer = String::from_utf8_lossy(&answer);
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

/// A step as one JSON object.
fn step_object(step: &Step, format: &Format) -> Value {
    let mut object = Map::new();
    object.insert("moves".into(), step.moves.into());
    object.extend((format.position)(&*step.position));
    let counts = step.counts.iter();
    object.extend(counts.map(|&(name, count)| (name.to_owned(), count.into())));
    let analysis = &step.analysis;
    object.insert("move".into(), json!(analysis.best));
    let values = analysis.values.iter();
    let values: Value = values
        .map(|(name, of)| (name.clone(), of.map(value)))
        .collect();
    object.insert("values".into(), values);
    object.insert("evaluation".into(), json!(analysis.evaluation.map(value)));
    if !step.asked.is_empty() {
        object.insert("asked".into(), json!(step.asked));
    }
    object.into()
}

fn object(record: &GameRecord) -> Value {
    match &record.result {
        GameResult::Score {
            score,
            max_tile,
            capped,
        } => json!({
            "seed": record.seed.to_string(),
            "score": score,
            "max_tile": max_tile,
            "moves": record.moves,
            "capped": capped,
        }),
        GameResult::Numbers(numbers) => {
            let numbers: serde_json::Map<String, Value> = numbers
                .all()
                .map(|(name, value)| (name.to_owned(), value.into()))
                .collect();
            json!({ "seed": record.seed.to_string(), "numbers": numbers })
        }
        GameResult::Outcome(outcome) => json!({
            "seed": record.seed.to_string(),
            "outcome": outcome.name(),
            "moves": record.moves,
        }),
    }
}

/// A step as `12 left; up -, down 3.5, left 4, right 4; evaluation 2; score 20, max_tile 8`.
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
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
