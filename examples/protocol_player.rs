//! A built-in player as a program of the external protocol (docs/external.md), so that any tuner can drive it.
//!
//! ```sh
//! cargo build --release --example protocol_player
//! target/release/examples/protocol_player --declare configs/quickstart.toml                # the parameters, as TOML
//! target/release/examples/protocol_player configs/quickstart.toml player.depth=0           # tasks on stdin
//! ```
//!
//! The campaign names the player, its heuristic, the parameters and their start; further arguments are settings as in
//! `tiletune tune --set`. What else the campaign says, such as its budget, has no effect. The games of a task are those of
//! the built-in player with the same weights and seeds. They are played on one thread: a driver starts a process for each
//! task that shall be played at once.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tiletune::evaluation::local::Prepared;
use tiletune::heuristic::Scale;
use tiletune::{Campaign, GameRecord, Local, Progress, Source, Stop};

/// A task of the protocol.
#[derive(Deserialize)]
struct Task {
    weights: BTreeMap<String, f64>,
    /// Decimal digits.
    seeds: Vec<String>,
}

/// The free parameters as the `[parameters]` of a campaign for a program.
fn declaration(campaign: &Campaign) -> String {
    let mut text = String::new();
    for parameter in campaign.space.parameters().iter().filter(|one| !one.fixed) {
        let scale = match parameter.scale {
            Scale::Linear => "linear",
            Scale::Log => "log",
        };
        text += &format!(
            "[parameters.\"{}\"]\ndefault = {:?}\nmin = {:?}\nmax = {:?}\nscale = \"{scale}\"\ninteger = {}\n",
            parameter.name, parameter.start, parameter.min, parameter.max, parameter.integer
        );
    }
    text
}

/// The answer to a task, or a message why there is none.
fn answer(campaign: &Campaign, local: &Local, line: &str) -> Result<Value, Box<dyn Error>> {
    let task: Task = serde_json::from_str(line)?;
    let changes = task
        .weights
        .iter()
        .map(|(key, &value)| (key.as_str(), value));
    let weights = campaign
        .start
        .with(changes, &campaign.player.parameters())?;
    let prepared = local.prepare(&[weights], &|| Duration::ZERO, Stop::never());
    let players: Result<Vec<Prepared>, String> = prepared.into_iter().flatten().collect();
    let players = match players {
        Ok(players) => players,
        Err(why) => return Ok(json!({ "refused": why })),
    };
    let seeds = task.seeds.iter().map(|seed| seed.parse());
    let seeds: Vec<u64> = seeds.collect::<Result<_, _>>()?;
    let mut scores: Vec<f64> = Vec::new();
    local.play_prepared(&players, &seeds, &Progress::default(), &mut |batch| {
        scores.extend(batch.games.iter().map(GameRecord::value));
        Ok::<(), Infallible>(())
    })?;
    Ok(json!({ "score": scores }))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut given: Vec<String> = std::env::args().skip(1).collect();
    let declares = given.first().is_some_and(|first| first == "--declare");
    given.drain(..usize::from(declares));
    let usage = "usage: protocol_player [--declare] CAMPAIGN.toml [KEY=VALUE ..]";
    let (file, settings) = given.split_first().ok_or(usage)?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let source = Source::new(file, text).with_settings(settings)?;
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let campaign = Campaign::resolve(&source, folder)?;
    if declares {
        print!("{}", declaration(&campaign));
        return Ok(());
    }
    let local = Local::new(campaign.player.clone(), Some(1))?;
    let free = campaign.space.parameters().iter().filter(|one| !one.fixed);
    let names: Vec<&str> = free.map(|one| one.name.as_str()).collect();
    let mut out = io::stdout().lock();
    let player = campaign.player.describe();
    let greeting =
        json!({ "protocol": 1, "program": player, "parameters": names, "numbers": ["score"] });
    writeln!(out, "{greeting}")?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let answer = answer(&campaign, &local, &line?);
        let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
