//! Tests of the examples in the help, of the defaults, and the schemas of the commands' output.

use clap::Command;

use super::command;
use super::play::plain;
use super::{
    browser, cluster, compare, evaluate, fingerprint, list, plan, prune, replay, report, runs,
    serve, tune, verify,
};
use crate::Catalogue;
use crate::campaign::CampaignOutput;
use crate::compare::ComparisonOutput;
use crate::config::weights_file::WeightsFile;
use crate::heuristic::Parameter;
use crate::overview::best::BestRuns;
use crate::player::{GameEntry, PlayerEntry, Players};
use crate::results::experiment::ExperimentResults;
use crate::results::pruning::Pruned;
use crate::series::SeriesOutput;
use crate::tests::{Advice, check, printed};

#[test]
fn every_command_says_what_json_prints_and_has_valid_examples() {
    let command = command(&Catalogue::builtin());
    for about in command.get_subcommands().map(Command::clone) {
        let (name, help) = (about.get_name(), about.get_after_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("--json: "), "{name}");
        let (_, examples) = help
            .split_once("\n\nExamples:\n")
            .unwrap_or_else(|| panic!("{name}"));
        let lines = examples.lines();
        for line in lines.filter(|line| !line.starts_with("      ")) {
            let line = line.rsplit("| ").next().unwrap();
            let words = line.split(' ').filter(|word| !word.is_empty());
            let words: Vec<&str> = words
                .take_while(|word| !["<", ">"].contains(word))
                .collect();
            assert_eq!(words[..2], ["tiletune", name], "{line}");
            let parsed = command.clone().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }
}

static HEAP: GameEntry = GameEntry::new("heap", "stones on a heap", Players::One);

static TAKER: PlayerEntry = PlayerEntry::new(
    "taker",
    &HEAP,
    "takes stones",
    || vec![Parameter::new("stones", "how many", 2.0, 1.0, 5.0)],
    |_, _| Err("plays no games".to_owned()),
);

#[test]
fn the_first_game_of_a_catalogue_is_the_default_of_all_commands() {
    let own = Catalogue::new([&HEAP], [&TAKER]);
    let help = |catalogue: &Catalogue| {
        let mut command = command(catalogue);
        let play = command.find_subcommand_mut("play").unwrap();
        play.render_help().to_string()
    };
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let of_own = words(help(&own));
    assert!(of_own.contains("[default: heap]"), "{of_own}");
    let player = "[default: that of --weights, or taker]";
    assert!(of_own.contains(player), "{of_own}");
    assert!(!of_own.contains("--depth <DEPTH>"), "{of_own}");
    assert!(words(help(&Catalogue::builtin())).contains("[default: 2048]"));

    let source = tune::quickstart(&own).ok().unwrap();
    for part in ["\"taker\"", "stones"] {
        assert!(source.text.contains(part), "{}", source.text);
    }
    let beside = Catalogue::builtin().with_game(&HEAP).with_player(&TAKER);
    let source = tune::quickstart(&beside).ok().unwrap();
    assert_eq!(source.name, "the built-in quickstart campaign");
}

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
            "evaluate-exact",
            printed::<evaluate::exact::ExactEvaluation>("`evaluate --exact`"),
        ),
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
        (
            "list-weights",
            printed::<Vec<list::ListedWeights>>("`list weights`"),
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
        ("prune", printed::<Pruned>("`tune --prune`")),
        (
            "prune-plan",
            printed::<prune::PruningSteps>("`tune --prune RUN --dry-run`"),
        ),
        ("runs-best", printed::<Vec<BestRuns>>("`runs best`")),
        ("runs", printed::<Vec<runs::Listed>>("`runs`")),
        ("serve", printed::<serve::Address>("`serve`")),
    ]);
}
