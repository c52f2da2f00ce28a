//! The build script: only a build in a checkout of tiletune knows a commit.

use std::path::Path;
use std::process::Command;

/// Runs a command in a folder and returns its stdout.
fn output(folder: &Path, program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    let output = command.current_dir(folder).args(arguments).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Makes a repository with a commit.
fn repository(folder: &Path) {
    output(folder, "git", &["init", "--quiet"]);
    let somebody = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    let commit = ["commit", "--quiet", "--allow-empty", "--message", "x"];
    output(folder, "git", &[&somebody[..], &commit].concat());
}

#[test]
fn an_unpacked_package_does_not_report_the_commit_of_a_repository_around_it() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let compile = ["--edition", "2024", "-o"].map(str::to_owned);
    let paths = [&script, &source].map(|path| path.to_str().unwrap().to_owned());
    let arguments = [&compile[..], &paths].concat();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    output(folder.path(), "rustc", &arguments);
    let names_a_commit = |place: &Path| output(place, &script, &[]).contains("TILETUNE_COMMIT");

    let root = folder.path().join("root");
    let inside = root.join("vendor/tiletune");
    std::fs::create_dir_all(&inside).unwrap();
    assert!(!names_a_commit(&root), "there is no repository");
    repository(&root);
    assert!(names_a_commit(&root));
    assert!(!names_a_commit(&inside), "the repository is another one");
    for file in ["Cargo.toml.orig", "PKG-INFO"] {
        std::fs::write(root.join(file), "").unwrap();
        assert!(!names_a_commit(&root), "the root has a package");
        std::fs::remove_file(root.join(file)).unwrap();
    }
}
