//! The README is short, its links and commands are right, its files work, and its numbers are those of the program.
//! `scripts/readme` writes the numbers.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{SMALL, campaign_file, tiletune};
use crate::external::is_there;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

/// A page in Markdown.
struct Page {
    prose: String,
    /// Language and text of each block of code.
    blocks: Vec<(String, String)>,
}

impl Page {
    fn of(text: &str) -> Self {
        let (mut prose, mut blocks) = (String::new(), Vec::new());
        for (index, part) in text.split("```").enumerate() {
            if index % 2 == 0 {
                prose += part;
            } else {
                let (language, block) = part.split_once('\n').unwrap();
                blocks.push((language.to_owned(), block.to_owned()));
            }
        }
        Page { prose, blocks }
    }

    /// What links and pictures refer to.
    fn links(&self) -> impl Iterator<Item = &str> {
        let between = |begin, end| {
            let rest = self.prose.split(begin).skip(1);
            rest.filter_map(move |rest| rest.split_once(end).map(|(link, _)| link))
        };
        between("](", ")").chain(between("src=\"", "\""))
    }

    /// The headings as GitHub writes them in links.
    fn anchors(&self) -> impl Iterator<Item = String> {
        let lines = self.prose.lines();
        lines.filter_map(|line| {
            let heading = line.strip_prefix('#')?.trim_start_matches('#').trim();
            let is_kept = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
            let kept: String = heading.to_lowercase().chars().filter(is_kept).collect();
            Some(kept.replace(' ', "-"))
        })
    }

    /// The arguments of each call of `tiletune`, in blocks and in sentences.
    fn commands(&self) -> Vec<Vec<&str>> {
        let blocks = self.blocks.iter().filter(|(language, _)| language == "sh");
        let lines = blocks.flat_map(|(_, block)| block.lines());
        let lines = lines.map(|line| line.split('#').next().unwrap());
        let calls = lines.chain(self.prose.split('`').skip(1).step_by(2));
        let calls = calls.flat_map(|line| line.split("&&"));
        let words = calls.map(|call| call.split('>').next().unwrap().split_whitespace());
        let words = words.map(Iterator::collect::<Vec<_>>);
        words
            .filter(|words| words.len() > 1 && words[0] == "tiletune")
            .map(|words| words[1..].to_vec())
            .collect()
    }

    /// Writes the file of a block that begins with a comment with this name.
    fn write(&self, name: &str, folder: &Path) -> PathBuf {
        let mut blocks = self.blocks.iter().map(|(_, block)| block);
        let begin = format!("# {name}\n");
        let block = blocks.find(|block| block.starts_with(&begin));
        let path = folder.join(name);
        std::fs::write(&path, block.unwrap_or_else(|| panic!("no {name}"))).unwrap();
        path
    }
}

/// The README and the pages of docs/, with their paths.
fn pages() -> Vec<(PathBuf, Page)> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let paths = std::iter::once(root().join("README.md")).chain(docs);
    paths
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, Page::of(&text))
        })
        .collect()
}

fn assert_success(output: &Output, what: &str) {
    let (stdout, stderr) = (&output.stdout, &output.stderr);
    let text = [stdout, stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{what}: {}{}", text[0], text[1]);
}

#[test]
fn the_readme_is_short_and_its_recording_small() {
    let lines = readme().lines().count();
    assert!(lines <= 150, "{lines} lines");
    let recording = root().join("docs/terminal.svg").metadata().unwrap();
    assert!(recording.len() <= 300_000, "{} bytes", recording.len());
}

#[test]
fn links_lead_to_files_and_headings() {
    for (path, page) in pages() {
        for link in page.links().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let place = path.parent().unwrap().join(file);
            let target = if file.is_empty() { &path } else { &place };
            assert!(target.exists(), "{}: {link}", path.display());
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(target).unwrap();
                let is_heading = Page::of(&text).anchors().any(|other| other == anchor);
                assert!(is_heading, "{}: no heading of {link}", path.display());
            }
        }
    }
}

/// A wrong flag or value before `--help` is refused. `last` needs a run in `results`.
#[test]
fn the_commands_are_right() {
    let folder = tempfile::tempdir().unwrap();
    let call = |arguments: &[&str]| {
        let mut command = tiletune();
        let output = command.current_dir(folder.path()).args(arguments).output();
        assert_success(&output.unwrap(), &arguments.join(" "));
    };
    campaign_file(folder.path(), SMALL);
    call(&["tune", "campaign.toml", "--set", "validation.games=30"]);
    let text = readme();
    let page = Page::of(&text);
    let commands = page.commands();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands {
        call(&[&command[..], &["--help"]].concat());
    }
}

#[test]
fn the_heuristic_file_is_tuned() {
    let folder = tempfile::tempdir().unwrap();
    Page::of(&readme()).write("my-terms.toml", folder.path());
    let mut command = tiletune();
    command
        .current_dir(folder.path())
        .args(["tune", "my-terms.toml", "--games", "200", "--threads", "1"])
        .args(["--set", "validation.games=30"]);
    assert_success(&command.output().unwrap(), "my-terms.toml");
}

/// Plays every example of the page on two boards, tunes the one with a campaign, and runs the commands.
#[test]
fn the_examples_of_the_page_of_heuristics_are_right() {
    let text = std::fs::read_to_string(root().join("docs/heuristics.md")).unwrap();
    let page = Page::of(&text);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let call = |arguments: &[&str], input: &str| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(input.as_bytes()).unwrap();
        file.rewind().unwrap();
        let mut command = tiletune();
        command.current_dir(folder).args(arguments).stdin(file);
        let output = command.output().unwrap();
        assert_success(&output, &arguments.join(" "));
        String::from_utf8(output.stdout).unwrap()
    };
    let (heuristics, campaigns): (Vec<&str>, Vec<&str>) = page
        .blocks
        .iter()
        .filter(|(language, _)| language == "toml")
        .map(|(_, block)| block.as_str())
        .partition(|block| block.contains("[[term]]"));
    assert_eq!((heuristics.len(), campaigns.len()), (10, 1));
    for heuristic in &heuristics {
        std::fs::write(folder.join("example.toml"), heuristic).unwrap();
        for board in ["4x4", "3x4"] {
            let player = [
                "--heuristic",
                "example.toml",
                "--board",
                board,
                "--depth",
                "0",
            ];
            call(&[&["evaluate", "--games", "2"], &player[..]].concat(), "");
        }
    }
    let named = |name: &str, about: &str| {
        let mut heuristics = heuristics.iter();
        let text = heuristics.find(|text| text.contains(about));
        std::fs::write(folder.join(name), text.unwrap()).unwrap();
    };
    named("my-matrix.toml", "large tiles along a snake");
    named("my-terms.toml", "few tiles, and merges of large ones");
    std::fs::write(folder.join("my.toml"), campaigns[0]).unwrap();
    let few = [
        "--games",
        "200",
        "--threads",
        "1",
        "--set",
        "validation.games=30",
    ];
    call(&[&["tune", "my.toml"], &few[..]].concat(), "");
    for command in page.commands() {
        call(&[&command[..], &["--help"]].concat(), "");
    }
    let shells = page.blocks.iter().filter(|(language, _)| language == "sh");
    let mut piped =
        shells.filter_map(|(_, block)| block.strip_prefix("echo '")?.split_once("' | tiletune "));
    let (board, arguments) = piped.next().unwrap();
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let table = call(&arguments, board);
    assert!(
        table.contains("snake") && table.contains("best move"),
        "{table}"
    );
}

#[test]
fn the_python_program_is_tuned() {
    if !is_there(&["python3", "--version"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = Page::of(&readme()).write("my_program.py", folder.path());
    let program = std::fs::read_to_string(&path).unwrap();
    let fewer = program.replace("games=5000", "games=300");
    assert_ne!(fewer, program);
    std::fs::write(&path, fewer).unwrap();
    let mut command = Command::new("python3");
    command
        .current_dir(folder.path())
        .arg("my_program.py")
        .env("PYTHONPATH", root().join("python"))
        .env("TILETUNE", env!("CARGO_BIN_EXE_tiletune"));
    let output = command.output().unwrap();
    assert_success(&output, "my_program.py");
    assert!(String::from_utf8_lossy(&output.stdout).contains("empty"));
}

/// Plays the quickstart. Its digits are those of x86-64 processors with fused multiplication and addition, which the
/// linear algebra of CMA-ES uses.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_numbers_are_those_of_the_program() {
    if !is_x86_feature_detected!("fma") {
        println!("skipped: this kind of processor gives other digits");
        return;
    }
    if !is_there(&["python3", "--version"]) {
        return;
    }
    let mut command = Command::new("python3");
    command
        .arg(root().join("scripts/readme"))
        .arg("--check")
        .env("TILETUNE", env!("CARGO_BIN_EXE_tiletune"));
    assert_success(&command.output().unwrap(), "scripts/readme --check");
}
