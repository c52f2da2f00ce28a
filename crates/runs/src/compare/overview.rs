//! A comparison at a glance, from its files alone. This module must not resolve a plan or play.

use serde_json::Value;

use crate::run::{Findings, RunDirectory, StoreError, tables};
use tiletune_report::number::signed;

/// Whether it has pairs.
pub(super) fn progress(directory: &RunDirectory, _: &toml::Table) -> Result<String, StoreError> {
    Ok(match directory.number_of_parts(&tables::PAIR_GAMES) {
        0 => "no pairs yet".to_owned(),
        _ => "not decided yet".to_owned(),
    })
}

/// The verdicts.
pub(super) fn findings(directory: &RunDirectory) -> Result<Findings, StoreError> {
    let results: Option<Value> = directory.read_json("results.json")?;
    Ok(results.map_or_else(Findings::default, |results| compared(&results)))
}

/// The verdicts of a comparison.
fn compared(results: &Value) -> Findings {
    let challengers = results["challengers"].as_array().map(Vec::as_slice);
    let all = challengers.unwrap_or_default().iter().map(|one| {
        let verdict = one["verdict"].as_str().unwrap_or("not decided yet");
        let last = one["path"].as_array().and_then(|path| path.last());
        let share = last.and_then(|last| {
            let first = last["first"].as_f64().filter(|first| *first > 0.0)?;
            Some(signed(100.0 * last["difference"].as_f64()? / first, 1))
        });
        let share = share.map_or(String::new(), |share| format!(", {share} %"));
        let words = format!("{}{share}", verdict.replace('-', " "));
        (one["player"].as_str().unwrap_or_default().to_owned(), words)
    });
    let all: Vec<(String, String)> = all.collect();
    let words = all
        .iter()
        .map(|(player, words)| format!("{player} {words}"));
    let words: Vec<String> = words.collect();
    Findings {
        headline: (!words.is_empty()).then(|| words.join("; ")),
        all,
    }
}
