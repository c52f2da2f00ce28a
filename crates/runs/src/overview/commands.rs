//! The commands that go on from a run. This module must not execute one.

use tiletune_engine::games::external;

use super::{LiveStatus, Overview};
use crate::run::kind::SearchPlace;
use crate::run::shell::quoted;
use crate::run::{RunDirectory, RunKind, StoreError};

/// The commands that continue from a run, with their descriptions.
///
/// # Errors
/// If the number of generations cannot be read.
pub fn commands(
    run: &Overview,
    kind: &RunKind,
    directory: &RunDirectory,
) -> Result<Vec<(String, &'static str)>, StoreError> {
    let path = quoted(&directory.root().to_string_lossy());
    let on = |command: &str| format!("tiletune {command} {path}");
    let is_tuned = kind.search.is_some();
    // A campaign without hold-out games has no results and no claim.
    let has_claim = !is_tuned || !run.results.is_empty();
    let mut commands = Vec::new();
    match run.state {
        LiveStatus::Running => {}
        LiveStatus::Killed | LiveStatus::Interrupted | LiveStatus::Failed => {
            commands.push((on("resume"), "continues it"));
            // Only a search of its own that has found something can end early.
            let is_search = kind.search == Some(SearchPlace::Run) && !directory.is_child()?;
            if is_search && directory.complete_generations()? > 0 {
                let finish = format!("tiletune resume {path} --finish");
                commands.push((finish, "ends its search now, with results"));
            }
        }
        LiveStatus::Complete => {
            commands.push((
                on("verify"),
                "checks every file and plays a sample of its games again",
            ));
            if has_claim {
                commands.push((
                    on("replay"),
                    "plays its games again and compares all digits",
                ));
            }
        }
    }
    commands.push((on("report"), "draws charts and report again"));
    if run.state == LiveStatus::Complete && is_tuned {
        commands.push((
            format!("tiletune export {path} --format json"),
            "exports the weights",
        ));
        let evaluate = format!("tiletune evaluate --weights {path}");
        commands.push((evaluate, "plays new games with the weights"));
    }
    if run.state == LiveStatus::Complete
        && kind.shows_games
        && has_claim
        && run.game != external::NAME
    {
        commands.push((
            format!("tiletune play --run {path} --hold-out tuned"),
            "shows a game",
        ));
    }
    Ok(commands)
}
