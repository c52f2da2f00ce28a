//! The schemas of the server's answers.

use super::followed::list::RunList;
use super::runs::{ComparedRuns, page::RunPage};
use super::{advice, games, weights};
use crate::tests::{answered, check};

/// `TILETUNE_UPDATE=1 cargo test` writes the files.
#[test]
fn the_files_follow_from_the_types() {
    check([
        (
            "serve-compare",
            answered::<ComparedRuns>("`GET /api/compare`"),
        ),
        (
            "serve-game",
            answered::<games::ServedState>("`POST /api/games`"),
        ),
        (
            "serve-games",
            answered::<Vec<games::ServedGame>>("`GET /api/games`"),
        ),
        (
            "serve-position",
            answered::<advice::ShownPosition>("`POST /api/position`"),
        ),
        ("serve-run", answered::<RunPage>("`GET /api/runs/{run}`")),
        ("serve-runs", answered::<RunList>("`GET /api/runs`")),
        (
            "serve-weights",
            answered::<Vec<weights::ServedWeights>>("`GET /api/weights`"),
        ),
    ]);
}
