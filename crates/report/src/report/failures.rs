//! Sentences about weights that a player refused and games in which a program failed. The report and the terminal show the
//! same.

use crate::number::{count, several};
use tiletune_tuning::results::GenerationRow;

/// The message about the number of candidates that the player could not use.
pub fn refused(candidates: u32) -> String {
    let (noun, were) = match candidates {
        1 => ("candidate", "was"),
        _ => ("candidates", "were"),
    };
    let number = count(candidates);
    format!(
        "{number} {noun} {were} refused and ranked last, because the player cannot use these weights: values of lines \
         would not be finite or too large, or a program refused or failed (`program.log` says why)."
    )
}

/// The refused candidates of a generation, and the games in which a program failed; `None` if there are none.
pub fn refused_in_generation(row: &GenerationRow) -> Option<String> {
    let refused = format!("{} refused", count(row.refused));
    let failed = several(row.failed_games, "failed game");
    let counts = [(row.refused, refused), (row.failed_games, failed)];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    let counts: Vec<String> = counts.map(|(_, text)| text).collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// The message about the number of training games in which a program failed.
pub fn failed_training(games: u32) -> String {
    let games = several(games, "game");
    format!(
        "The program failed in {games} of training: each counts as the worst game of its generation (`program.log` says \
         why)."
    )
}

/// The message about the games that a program failed in or refused, outside of training; `None` without such games.
pub fn failed_games(failed: u32, games: u32, of: &str) -> Option<String> {
    let all = several(games, "game");
    (failed > 0).then(|| {
        format!(
            "The program refused or failed {} of {all} of {of}: each counts as worse than every game with a result, so \
             the size of a difference says little.",
            count(failed)
        )
    })
}
