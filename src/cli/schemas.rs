//! The schemas of what commands print.

use super::play::plain;
use super::{
    browser, cluster, compare, evaluate, fingerprint, list, plan, replay, report, runs, serve,
    verify,
};
use crate::campaign::CampaignOutput;
use crate::compare::ComparisonOutput;
use crate::config::weights_file::WeightsFile;
use crate::results::experiment::ExperimentResults;
use crate::schemas::{Advice, check, printed};
use crate::series::SeriesOutput;

/// `TILETUNE_UPDATE=1 cargo test` writes the files.
#[test]
fn the_files_follow_from_the_types() {
    check([
        (
            "ablate",
            printed::<ExperimentResults>("`ablate` and `resume` of an experiment"),
        ),
        (
            "ablate-plan",
            printed::<plan::ExperimentPlan>("`ablate --dry-run`"),
        ),
        ("browser", printed::<browser::BrowserGame>("`browser`")),
        (
            "compare",
            printed::<ComparisonOutput>("`compare` and `resume` of a comparison"),
        ),
        (
            "compare-plan",
            printed::<compare::ComparisonPlan>("`compare --dry-run`"),
        ),
        ("evaluate", printed::<evaluate::Evaluation>("`evaluate`")),
        (
            "fingerprint",
            printed::<fingerprint::Fingerprint>("`fingerprint`"),
        ),
        (
            "list-charts",
            printed::<Vec<list::ListedChart>>("`list charts`"),
        ),
        (
            "list-games",
            printed::<Vec<list::ListedGame>>("`list games`"),
        ),
        (
            "list-heuristics",
            printed::<Vec<list::SharedParameter>>("`list heuristics`"),
        ),
        (
            "list-heuristics-of-file",
            printed::<Vec<list::TermParameter>>("`list heuristics FILE`"),
        ),
        (
            "list-optimizers",
            printed::<Vec<list::ListedOptimizer>>("`list optimizers`"),
        ),
        (
            "list-players",
            printed::<Vec<list::ListedPlayer>>("`list players`"),
        ),
        ("report", printed::<report::ReportFiles>("`report`")),
        (
            "series",
            printed::<SeriesOutput>("`tune --repeat` and `resume` of a series"),
        ),
        (
            "tune",
            printed::<CampaignOutput>("`tune` and `resume` of a campaign"),
        ),
        (
            "tune-plan",
            printed::<plan::CampaignPlan>("`tune --dry-run`"),
        ),
        ("verify", printed::<verify::Verification>("`verify`")),
        ("advise", printed::<Advice>("`advise`: an answer")),
        ("cluster", printed::<cluster::Heard>("`cluster`")),
        ("export", printed::<WeightsFile>("`export --format json`")),
        (
            "play",
            printed::<plain::Line>("`play`: a move, or the result at the end"),
        ),
        ("replay", printed::<replay::Replayed>("`replay`")),
        ("run", printed::<runs::ShownRun>("`runs show`")),
        ("runs", printed::<Vec<runs::Listed>>("`runs`")),
        ("serve", printed::<serve::Address>("`serve`")),
    ]);
}
