//! The schemas of the server's answers.

use super::followed::list::RunList;
use super::runs::game::{RecordedGame, RecordedStep};
use super::runs::{ComparedRuns, page::RunPage};
use super::{advice, games, lab, losses, pruned, steer, weights};
use crate::campaign::CandidateList;
use crate::overview::best::BestRuns;
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
        (
            "serve-lab-open",
            answered::<lab::Opened>("`POST /api/lab/open`"),
        ),
        (
            "serve-lab-values",
            answered::<lab::LabValues>("`POST /api/lab/values`"),
        ),
        (
            "serve-lab-flip",
            answered::<lab::Flip>("`POST /api/lab/flip`"),
        ),
        (
            "serve-lab-games",
            answered::<lab::LabGames>("event `games` of `POST /api/lab/games`"),
        ),
        (
            "serve-losses",
            answered::<losses::FoundLosses>("event `losses` of `POST /api/losses`"),
        ),
        (
            "serve-run-game",
            answered::<RecordedGame>("event `game` of `POST /api/runs/{run}/game`"),
        ),
        (
            "serve-run-step",
            answered::<RecordedStep>("an element of event `steps` of `POST /api/runs/{run}/game`"),
        ),
        ("serve-run", answered::<RunPage>("`GET /api/runs/{run}`")),
        ("serve-best", answered::<Vec<BestRuns>>("`GET /api/best`")),
        (
            "serve-candidates",
            answered::<CandidateList>("`GET /api/runs/{run}/candidates`"),
        ),
        (
            "serve-steer",
            answered::<steer::Steering>("`GET /api/steer`"),
        ),
        (
            "serve-steer-plan",
            answered::<steer::CampaignPreview>("`POST /api/steer/plan`"),
        ),
        (
            "serve-steer-start",
            answered::<steer::Started>(
                "`POST /api/steer/start`, `/api/steer/resume`, `/api/steer/compare` and `/api/steer/prune`",
            ),
        ),
        (
            "serve-pruned",
            answered::<Vec<pruned::ListedPruning>>("`GET /api/pruned`"),
        ),
        (
            "serve-pruned-page",
            answered::<pruned::PruningPage>("`GET /api/pruned/{folder}`"),
        ),
        ("serve-runs", answered::<RunList>("`GET /api/runs`")),
        (
            "serve-weights",
            answered::<Vec<weights::ServedWeights>>("`GET /api/weights`"),
        ),
    ]);
}
