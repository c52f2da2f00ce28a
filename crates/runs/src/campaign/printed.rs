//! What is printed of the outcome of a campaign.

use serde_json::{Value, json};

use super::race::RaceResult;
use super::{Outcome, hold_out_seed, not_beaten, results};
use crate::config::campaign::Campaign;
use crate::run::{Printed, RunDirectory, RunError};
use tiletune_report::number::several;
use tiletune_report::report::Block;

pub(super) fn printed(
    campaign: &Campaign,
    outcome: &Outcome,
    directory: &RunDirectory,
) -> Result<Printed, RunError> {
    let recommendation = &outcome.recommendation;
    let json = json!({
        "run": directory.root().display().to_string(),
        "name": campaign.config.name,
        "game": campaign.player.entry.game.name,
        "player": campaign.player.describe(),
        "objective": campaign.objective.describe(),
        "seed": campaign.config.seed.to_string(),
        "hold_out_seed": hold_out_seed(campaign.config.seed).to_string(),
        "generations": recommendation.generations,
        "training_games": recommendation.games,
        "weights": recommendation.weights.iter().collect::<Value>(),
        "validation": outcome.validation,
        "selection": recommendation.selection,
        "at_bounds": recommendation.at_bounds,
        "refused_candidates": outcome.refused,
        "signal": outcome.last_generation.as_ref().map(|row| row.signal),
        "games_needed": outcome.last_generation.as_ref().map(|row| row.games_needed),
        "race": outcome.race.as_ref().map(race_json),
    });
    let mut blocks = results(campaign, directory)?;
    blocks.extend(
        outcome
            .validation
            .as_ref()
            .and_then(not_beaten)
            .map(Block::Warning),
    );
    Ok(Printed {
        json,
        blocks,
        // Before the results, whose last line says whether the start weights are beaten.
        before: Some(format!(
            "{}, {}; report: {}",
            several(recommendation.generations, "generation"),
            several(recommendation.games, "training game"),
            directory.path("report.html").display()
        )),
        after: Vec::new(),
        code: 0,
    })
}

fn race_json(race: &RaceResult) -> Value {
    let finalists = race.finalists.iter().map(|finalist| {
        json!({
            "games": finalist.games,
            "value": finalist.value,
            "standard_error": finalist.standard_error,
            "is_eliminated": finalist.is_eliminated,
        })
    });
    json!({
        "winner": race.winner,
        "survivors": race.survivors(),
        "finalists": finalists.collect::<Value>(),
    })
}
