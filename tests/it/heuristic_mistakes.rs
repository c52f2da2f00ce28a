//! What the program says about heuristic files that cannot be used, or not in full.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{run_with_input, tiletune};
use tiletune::campaign;
use tiletune::config::Source;
use tiletune::config::campaign::Campaign;

/// A file of terms in a new folder. Each term is a name, its `value` with further keys, and its `weight`.
fn folder_with(terms: &[(&str, &str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "about = 'x'\n".to_owned();
    for (name, value, weight) in terms {
        text +=
            &format!("[[term]]\nname = '{name}'\ndoc = 'x'\n{value}\nweight = {{ {weight} }}\n");
    }
    let file = folder.path().join("my.toml");
    fs::write(&file, text).unwrap();
    (folder, file)
}

/// The exit code and what stderr says, without breaks of lines.
fn told(folder: &Path, arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let file = folder.join("my.toml");
    let arguments: Vec<&str> = (arguments.iter())
        .map(|&argument| match argument {
            "my.toml" => file.to_str().unwrap(),
            other => other,
        })
        .collect();
    let output = run_with_input(&arguments, input);
    let text = String::from_utf8(output.stderr).unwrap();
    let words = text.split_whitespace().filter(|word| *word != "│");
    (output.status.code(), words.collect::<Vec<_>>().join(" "))
}

const BOUNDS: &str = "default = 100.0, min = 0.0, max = 1000.0";

#[test]
fn a_heuristic_without_a_meaning_on_the_board_is_told_in_its_file_by_every_command() {
    let corner = ("corner", "value = 'max(cell(0), cell(3))'", BOUNDS);
    let (folder, _) = folder_with(&[
        ("empty", "value = 'count(cells where r == 0)'", BOUNDS),
        corner,
    ]);
    let folder = folder.path();
    let campaign = "heuristic = 'my.toml'\nplayer = { name = 'expectimax', depth = 0, board = '3x4' }\n\
                    budget = { games = 300 }\nparameters.'*' = {}\n";
    let campaign_file = folder.join("campaign.toml");
    fs::write(&campaign_file, campaign).unwrap();
    let tune = ["tune", campaign_file.to_str().unwrap(), "--dry-run"];
    let on_board = ["--heuristic", "my.toml", "--board", "3x4", "--depth", "0"];
    let of = |command: &[&'static str]| [command, &on_board].concat();
    for arguments in [
        of(&["evaluate", "--games", "2"]),
        of(&["advise"]),
        of(&["play"]),
        tune.to_vec(),
        vec!["tune", "my.toml", "--set", "player.board=3x4", "--dry-run"],
    ] {
        let (code, said) = told(folder, &arguments, "");
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        let reason = "on a board of 3x4 the term `corner` has no meaning: it reads cell(3)";
        assert!(said.contains(reason), "{arguments:?}: {said}");
        assert!(said.contains("my.toml:10:1]"), "{arguments:?}: {said}");
        assert!(!said.contains("at the start"), "{arguments:?}: {said}");
    }
}

#[test]
fn weights_that_are_too_large_are_told_with_the_reason() {
    let value = "value = 'count(cells where r == 0)'";
    let (folder, _) = folder_with(&[("empty", value, "default = 1e300, min = 0.0, max = 1e301")]);
    let folder = folder.path();
    let reason = "these weights give boards values of up to 3.2e301 points; allowed are";
    for (arguments, code, begin) in [
        (
            vec![
                "evaluate",
                "--heuristic",
                "my.toml",
                "--depth",
                "0",
                "--games",
                "2",
            ],
            2,
            "error: ",
        ),
        (vec!["advise", "--heuristic", "my.toml"], 1, "error: "),
        (vec!["tune", "my.toml", "--dry-run"], 2, "at the start: "),
    ] {
        let (given, said) = told(folder, &arguments, "");
        assert_eq!(given, Some(code), "{said}");
        assert!(
            said.contains(&format!("{begin}{reason}")),
            "{arguments:?}: {said}"
        );
        assert!(said.len() < 900, "{said}");
    }
}

#[test]
fn weights_below_the_resolution_are_told() {
    const ROW: &str = "[1, 1, 1, 1]";
    let matrix = format!("matrix = [[1e12, 1, 1, 1], {ROW}, {ROW}, {ROW}]\nvalue = '2^r'");
    let lost = (
        "lost_penalty",
        "value = '1'\nconstant = true",
        "default = 1, min = 0, max = 9",
    );
    let (folder, _) = folder_with(&[("snake", &matrix, "default = 1, min = 0, max = 9"), lost]);
    let said = "`lost_penalty` (8 points on every board) is below the step of the values";
    let with_file = ["--heuristic", "my.toml", "--depth", "1"];
    let told = |command: &[&'static str]| {
        let (code, said) = told(folder.path(), &[command, &with_file].concat(), "");
        assert_eq!(code, Some(0), "{said}");
        said
    };
    let evaluate = ["evaluate", "--games", "1"];
    assert!(!told(&evaluate).contains(said));
    for command in [&[&evaluate[..], &["--verbose"]].concat()[..], &["advise"]] {
        let all = told(command);
        assert!(all.contains(said), "{command:?}: {all}");
        assert!(all.contains("or the values of `snake` smaller"), "{all}");
    }
    let campaign = "heuristic = 'my.toml'\nplayer = { name = 'expectimax', depth = 1 }\n\
                    budget = { games = 300 }\nparameters.'*' = {}\n";
    let campaign = Campaign::resolve(&Source::new("campaign", campaign), folder.path()).unwrap();
    let notices = campaign::notices(&campaign);
    assert!(
        notices.iter().any(|notice| notice.contains(said)),
        "{notices:?}"
    );
}

#[test]
fn bounds_of_any_size_are_tuned() {
    let value = "value = 'count(cells where r == 0)'";
    let (folder, _) = folder_with(&[("empty", value, "default = 1.0, min = -1e20, max = 1e290")]);
    let mut command = tiletune();
    command
        .current_dir(folder.path())
        .args(["tune", "my.toml", "--games", "200", "--threads", "1"])
        .args(["--set", "validation.games=30"]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // The upper bound is beyond what values can be, and that is said.
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("at the upper bounds: "), "{said}");
    assert!(said.contains("max = 1e290"), "{said}");
}
