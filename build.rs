//! Tells the program which commit and compiler it was built from, for the manifests of its runs.

use std::process::Command;

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = output(&rustc, &["--version"]).unwrap_or_else(|| "unknown".into());
    println!("cargo:rustc-env=TILETUNE_RUSTC={version}");
    if let Some(commit) = output("git", &["rev-parse", "HEAD"]) {
        println!("cargo:rustc-env=TILETUNE_COMMIT={commit}");
        let changes = output("git", &["status", "--porcelain"]);
        let clean = changes.is_some_and(|changes| changes.is_empty());
        println!("cargo:rustc-env=TILETUNE_CLEAN={clean}");
    }
    for path in [
        ".git/HEAD",
        ".git/index",
        "src",
        "configs",
        "build.rs",
        "Cargo.toml",
        "Cargo.lock",
    ] {
        println!("cargo:rerun-if-changed={path}");
    }
}
