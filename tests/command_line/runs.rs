//! Runs that are damaged, complete or not of this program.

use super::*;
use crate::common::contents;

#[test]
fn a_damaged_run_is_told_with_the_file_and_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let run = interrupted_run(folder.path());
    let path = run.to_str().unwrap();
    let candidates = "tables/candidates/generation-00002.parquet";
    let games = "tables/train/generation-00002.parquet";
    for (file, damage) in [
        (candidates, "truncated"),
        (candidates, "nonsense"),
        (candidates, "foreign"),
        (games, "truncated"),
        ("tables/generations/generation-00001.parquet", "truncated"),
        ("tables/hold-out/start.parquet", "truncated"),
        ("manifest.json", "truncated"),
        ("manifest.json", "nonsense"),
        ("resolved.toml", "nonsense"),
        ("events.jsonl", "nonsense"),
    ] {
        let place = run.join(file);
        let whole = std::fs::read(&place).unwrap();
        let damaged = match damage {
            "truncated" => whole[..whole.len() / 2].to_vec(),
            "foreign" => std::fs::read(run.join(games)).unwrap(),
            _ => b"nonsense = {\n".to_vec(),
        };
        std::fs::write(&place, &damaged).unwrap();
        let (code, stderr) = failure(&["resume", path]);
        assert_eq!(code, Some(1), "{damage} {file}: {stderr}");
        assert!(stderr.contains(file), "{damage} {file}: {stderr}");
        assert_eq!(
            std::fs::read(&place).unwrap(),
            damaged,
            "the file was not touched"
        );
        std::fs::write(&place, whole).unwrap();
    }
    for file in ["generations", "candidates", "train"] {
        let file = format!("tables/{file}/generation-00001.parquet");
        let place = run.join(&file);
        let whole = std::fs::read(&place).unwrap();
        std::fs::remove_file(&place).unwrap();
        let before = contents(&run.join("tables"));
        let (code, stderr) = failure(&["resume", path]);
        assert_eq!(code, Some(1), "{file} is missing: {stderr}");
        assert!(stderr.contains(&file), "{file} is missing: {stderr}");
        assert_eq!(
            contents(&run.join("tables")),
            before,
            "nothing else was touched"
        );
        std::fs::write(&place, whole).unwrap();
    }
    stdout(&["resume", path]);
}

#[test]
fn a_complete_run_is_left_alone_by_resume() {
    let folder = tempfile::tempdir().unwrap();
    let run_path = complete_run(folder.path());
    let before = contents(&run_path);
    let output = run(&["resume", run_path.to_str().unwrap()]);
    assert!(output.status.success());
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("the run is already complete")
    );
    assert_eq!(contents(&run_path), before);
}

#[test]
fn a_run_that_this_program_would_not_have_made_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let run = interrupted_run(folder.path());
    let resolved = run.join("resolved.toml");
    let text = std::fs::read_to_string(&resolved).unwrap();
    assert!(text.contains("depth = 0"));
    std::fs::write(&resolved, text.replace("depth = 0", "depth = 1")).unwrap();
    adopt(&run, Status::Running);
    let (code, stderr) = failure(&["resume", run.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("this program plays the game of seed"),
        "{stderr}"
    );

    std::fs::write(&resolved, text.replace("seed = 7\n", "")).unwrap();
    adopt(&run, Status::Running);
    let (code, stderr) = failure(&["resume", run.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("the seed is missing"), "{stderr}");

    std::fs::write(&resolved, text.replace("seed = 7", "seed = 8")).unwrap();
    adopt(&run, Status::Running);
    let (code, stderr) = failure(&["resume", run.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("proposes other candidates in generation 0"),
        "{stderr}"
    );
}

#[test]
fn a_run_of_another_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    std::fs::write(folder.path().join("resolved.toml"), "").unwrap();
    for (manifest, said) in [
        (
            r#"{"version": "0.1.0"}"#,
            "the run has format 0, written by tiletune 0.1.0",
        ),
        (
            r#"{"version": "7.0.0", "format": 2}"#,
            "the run has format 2, written by tiletune 7.0.0",
        ),
    ] {
        std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
        for command in ["resume", "report"] {
            let output = run(&[command, path]);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains(said), "{stderr}");
        }
    }
}
