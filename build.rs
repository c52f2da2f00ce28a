//! Tells the program which commit and compiler it was built from, for the manifests of its runs.

use std::path::Path;
use std::process::Command;

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Whether this folder is a checkout of tiletune. An unpacked package can lie in a repository of somebody else, or be
/// its root; the commit there is not one of tiletune.
fn is_checkout() -> bool {
    // Only packages have these files.
    let is_package = ["Cargo.toml.orig", "PKG-INFO"].map(|file| Path::new(file).exists());
    // The path of this folder below the root of the repository.
    let below = output("git", &["rev-parse", "--show-prefix"]);
    is_package == [false; 2] && below.is_some_and(|below| below.is_empty())
}

fn print_commit() {
    let Some(commit) = output("git", &["rev-parse", "HEAD"]) else {
        return;
    };
    println!("cargo:rustc-env=TILETUNE_COMMIT={commit}");
    let changes = output("git", &["status", "--porcelain"]);
    let clean = changes.is_some_and(|changes| changes.is_empty());
    println!("cargo:rustc-env=TILETUNE_CLEAN={clean}");
    // In a worktree these files are elsewhere.
    for file in ["HEAD", "index"] {
        if let Some(path) = output("git", &["rev-parse", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
}

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = output(&rustc, &["--version"]).unwrap_or_else(|| "unknown".into());
    println!("cargo:rustc-env=TILETUNE_RUSTC={version}");
    if is_checkout() {
        print_commit();
    }
    for path in ["src", "configs", "build.rs", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
}
