//! Who may import whom. The table is the one in ARCHITECTURE.md: imports run downwards only, and
//! each third-party crate appears in the module that is there for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Module -> modules that it may import. `games` is checked per game below; its root is the
/// catalogue.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("field_error", &[]),
    ("suggestion", &[]),
    ("random", &[]),
    ("record", &[]),
    ("stats", &["record"]),
    ("simd", &[]),
    ("heuristic", &["field_error", "suggestion", "record"]),
    (
        "player",
        &["field_error", "suggestion", "random", "record", "heuristic"],
    ),
    (
        "games",
        &[
            "field_error",
            "random",
            "record",
            "simd",
            "heuristic",
            "player",
        ],
    ),
    (
        "evaluation",
        &[
            "field_error",
            "random",
            "record",
            "stats",
            "heuristic",
            "player",
        ],
    ),
    ("optimizer", &["field_error", "record"]),
    (
        "config",
        &[
            "field_error",
            "suggestion",
            "record",
            "heuristic",
            "player",
            "games",
            "evaluation",
            "optimizer",
        ],
    ),
    ("store", &["record"]),
    (
        "campaign",
        &[
            "random",
            "record",
            "stats",
            "heuristic",
            "evaluation",
            "optimizer",
            "config",
            "store",
        ],
    ),
    (
        "experiment",
        &[
            "random",
            "record",
            "stats",
            "heuristic",
            "player",
            "evaluation",
            "config",
            "store",
        ],
    ),
    ("chart", &["record", "stats"]),
    ("report", &["record", "stats", "chart"]),
    ("export", &["heuristic", "config", "games"]),
    (
        "cli",
        &[
            "random",
            "record",
            "simd",
            "stats",
            "heuristic",
            "player",
            "games",
            "evaluation",
            "optimizer",
            "config",
            "store",
            "campaign",
            "experiment",
            "chart",
            "report",
            "export",
        ],
    ),
    (
        "reference",
        &["random", "record", "simd", "heuristic", "player", "games"],
    ),
];

/// The folders of `games` with those of them that each may import besides itself.
const GAMES: &[(&str, &[&str])] = &[
    ("sliding", &[]),
    ("twenty48", &["sliding"]),
    ("three_plus_three", &["sliding"]),
    ("connect_four", &[]),
];

/// Third-party crate -> files or folders of `src` that may name it.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("polars_arrow", &["store/parquet.rs"]),
    ("polars_buffer", &["store/parquet.rs"]),
    ("polars_parquet", &["store/parquet.rs"]),
    ("plotters", &["chart"]),
    ("resvg", &["chart"]),
    ("dejavu", &["chart"]),
    ("cmaes", &["optimizer"]),
    ("rayon", &["evaluation/local.rs"]),
    (
        "rand_xoshiro",
        &["stats/bootstrap.rs", "optimizer/restart.rs"],
    ),
    ("statrs", &["stats"]),
    ("tempfile", &["store/atomic.rs"]),
    ("chrono", &["store/manifest.rs"]),
    ("miette", &["config/error.rs", "cli"]),
    ("strsim", &["suggestion.rs"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("indicatif", &["cli"]),
    ("comfy_table", &["cli"]),
    ("crossterm", &["cli/play/terminal.rs"]),
    ("ctrlc", &["cli"]),
];

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Path below `src` and code of every source file, without comments and unit tests.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let mut sources = BTreeMap::new();
    // Files that are compiled for unit tests only.
    files.retain(|file| !file.ends_with("tests.rs") && !file.ends_with("example.rs"));
    for file in files {
        let name = file
            .strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/");
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        sources.insert(name, lines.collect::<Vec<_>>().join("\n"));
    }
    sources
}

/// The name that follows each occurrence of `prefix`.
fn names_after<'a>(code: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    let starts = code
        .match_indices(prefix)
        .map(|(at, _)| &code[at + prefix.len()..]);
    starts
        .map(|rest| {
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            &rest[..end]
        })
        .filter(|name| !name.is_empty())
        .collect()
}

fn module_of(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

#[test]
fn imports_run_downwards_only() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_IMPORT.iter().copied().collect();
    let mut checked = 0;
    for (file, code) in &sources() {
        let module = module_of(file);
        if matches!(module, "lib" | "main") {
            continue;
        }
        let may = allowed
            .get(module)
            .unwrap_or_else(|| panic!("src/{file}: module `{module}` has no row in the table"));
        for import in names_after(code, "crate::") {
            let known = allowed.contains_key(import);
            let fine = import == module || !known || may.contains(&import);
            assert!(
                fine,
                "src/{file}: `{module}` must not import `{import}` (allowed: {may:?})"
            );
            checked += usize::from(known);
        }
        assert!(
            !code.contains("crate::{"),
            "src/{file}: import modules one by one"
        );
    }
    assert!(
        checked > 100,
        "only {checked} imports were seen: does the scan still work?"
    );
}

#[test]
fn no_game_imports_another() {
    let mut checked = 0;
    for (file, code) in &sources() {
        let Some((game, _)) = file
            .strip_prefix("games/")
            .and_then(|path| path.split_once('/'))
        else {
            continue;
        };
        let row = GAMES.iter().find(|(known, _)| *known == game);
        let (_, may) = row.unwrap_or_else(|| panic!("src/{file}: `{game}` has no row in GAMES"));
        for import in names_after(code, "crate::games::") {
            assert!(
                import == game || may.contains(&import),
                "src/{file}: `{game}` must not import `{import}` (allowed: {may:?})"
            );
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} imports were seen");
}

#[test]
fn the_table_has_no_cycle_and_no_module_that_is_gone() {
    let order: Vec<&str> = MAY_IMPORT.iter().map(|(module, _)| *module).collect();
    for (index, (module, imports)) in MAY_IMPORT.iter().enumerate() {
        for import in *imports {
            assert!(
                order[..index].contains(import),
                "`{module}` imports upwards: `{import}`"
            );
        }
    }
    let modules: BTreeSet<String> = sources()
        .keys()
        .map(|file| module_of(file).to_owned())
        .collect();
    for module in order {
        assert!(modules.contains(module), "there is no module `{module}`");
    }
}

#[test]
fn third_party_crates_stay_in_their_modules() {
    let sources = sources();
    for (name, places) in MAY_NAME {
        let mut used = false;
        for (file, code) in &sources {
            let names_it = [format!("{name}::"), format!("use {name};")]
                .iter()
                .any(|text| {
                    code.match_indices(text.as_str()).any(|(at, _)| {
                        let before = code[..at].chars().next_back();
                        before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
                    })
                });
            if names_it {
                used = true;
                let allowed = places.iter().any(|place| file.starts_with(place));
                assert!(
                    allowed,
                    "src/{file} names `{name}`, which belongs in {places:?}"
                );
            }
        }
        assert!(
            used,
            "`{name}` is named nowhere: is its row, or the crate, still needed?"
        );
    }
}
