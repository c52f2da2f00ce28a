//! A campaign at a glance, from its files alone. This module must not resolve a plan or play.

use super::VALIDATION;
use crate::run::{Findings, RunDirectory, StoreError};
use tiletune_report::number::compact;
use tiletune_tuning::results::{PairedDifference, Validation};

/// How many generations are complete.
pub(super) fn progress(
    directory: &RunDirectory,
    resolved: &toml::Table,
) -> Result<String, StoreError> {
    let complete = directory.complete_generations()?;
    let budget = resolved
        .get("budget")
        .and_then(|budget| budget.get("generations"));
    Ok(match budget.and_then(toml::Value::as_integer) {
        Some(all) => format!("{complete} of {all} generations"),
        None => format!("{complete} generations"),
    })
}

/// The results of the hold-out games.
pub(crate) fn findings(directory: &RunDirectory) -> Result<Findings, StoreError> {
    let validation: Option<Validation> = directory.read_json(VALIDATION)?;
    Ok(validation.map_or_else(Findings::default, |validation| validated(&validation)))
}

/// Start and tuned weights in the hold-out games.
fn validated(validation: &Validation) -> Findings {
    let objective = &validation.objective;
    let name = &objective.name;
    let [start, tuned] = [objective.start, objective.tuned].map(compact);
    let PairedDifference {
        mean,
        low,
        high,
        verdict,
        ..
    } = objective.difference;
    let difference = match (low, high) {
        (Some(low), Some(high)) => {
            let [mean, low, high] = [mean, low, high].map(compact);
            format!("{mean} (95 % interval {low} to {high})")
        }
        _ => compact(mean),
    };
    let verdict = verdict.name().replace('-', " ");
    Findings {
        headline: Some(format!("{name} {start} -> {tuned}, {verdict}")),
        all: vec![
            (format!("{name}, start weights"), start),
            (format!("{name}, tuned weights"), tuned),
            ("difference".into(), difference),
            ("tuned weights are".into(), verdict),
        ],
    }
}
