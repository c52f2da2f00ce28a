//! Who may import whom. The table is the one in ARCHITECTURE.md: imports run downwards only, no file
//! imports itself by way of others, and each third-party crate appears in the module that is there
//! for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Module -> modules that it may import. `games` is checked per game below; its root is the
/// catalogue.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("field_error", &[]),
    ("suggestion", &[]),
    ("number", &[]),
    ("visible", &[]),
    ("plain_file", &[]),
    ("inventory", &["plain_file"]),
    ("random", &[]),
    ("stop", &[]),
    ("record", &[]),
    ("stats", &["record", "stop"]),
    ("simd", &[]),
    ("heuristic", &["field_error", "suggestion", "record"]),
    (
        "player",
        &[
            "field_error",
            "suggestion",
            "random",
            "record",
            "heuristic",
            "stop",
        ],
    ),
    (
        "games",
        &[
            "field_error",
            "suggestion",
            "random",
            "record",
            "simd",
            "heuristic",
            "player",
            "stop",
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
            "stop",
        ],
    ),
    ("optimizer", &["field_error", "record"]),
    (
        "config",
        &[
            "inventory",
            "visible",
            "field_error",
            "suggestion",
            "random",
            "record",
            "heuristic",
            "player",
            "games",
            "evaluation",
            "optimizer",
        ],
    ),
    ("chart", &["number", "record", "stats"]),
    ("report", &["number", "visible", "record", "stats", "chart"]),
    (
        "export",
        &["number", "field_error", "heuristic", "config", "games"],
    ),
    (
        "run",
        &[
            "plain_file",
            "inventory",
            "random",
            "record",
            "heuristic",
            "player",
            "evaluation",
            "config",
            "chart",
            "report",
            "stop",
        ],
    ),
    (
        "campaign",
        &[
            "number",
            "random",
            "record",
            "stats",
            "heuristic",
            "player",
            "evaluation",
            "optimizer",
            "config",
            "chart",
            "report",
            "run",
            "stop",
        ],
    ),
    (
        "experiment",
        &[
            "number",
            "random",
            "record",
            "stats",
            "heuristic",
            "player",
            "evaluation",
            "config",
            "chart",
            "report",
            "run",
            "stop",
        ],
    ),
    (
        "series",
        &[
            "number",
            "random",
            "record",
            "stats",
            "heuristic",
            "player",
            "evaluation",
            "config",
            "chart",
            "report",
            "run",
            "campaign",
            "stop",
        ],
    ),
    (
        "compare",
        &[
            "number",
            "random",
            "record",
            "stats",
            "heuristic",
            "player",
            "evaluation",
            "config",
            "chart",
            "report",
            "run",
            "stop",
        ],
    ),
    (
        "kinds",
        &[
            "config",
            "run",
            "campaign",
            "series",
            "experiment",
            "compare",
        ],
    ),
    ("overview", &["run"]),
    (
        "web",
        &[
            "inventory",
            "number",
            "visible",
            "suggestion",
            "random",
            "record",
            "stats",
            "heuristic",
            "player",
            "games",
            "evaluation",
            "config",
            "chart",
            "report",
            "run",
            "campaign",
            "experiment",
            "series",
            "stop",
            "compare",
            "kinds",
            "overview",
        ],
    ),
    ("browser", &["player", "games", "stop"]),
    (
        "cluster",
        &[
            "number",
            "random",
            "record",
            "heuristic",
            "player",
            "evaluation",
            "stop",
        ],
    ),
    (
        "cli",
        &[
            "web",
            "browser",
            "cluster",
            "kinds",
            "overview",
            "suggestion",
            "number",
            "visible",
            "plain_file",
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
            "chart",
            "report",
            "export",
            "run",
            "campaign",
            "experiment",
            "series",
            "stop",
            "compare",
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
    ("external", &[]),
];

/// Third-party crate -> files or folders of `src` that may name it.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("polars", &["run/tables/file.rs"]),
    (
        "csv",
        &[
            "config/reference.rs",
            "experiment/report.rs",
            "chart/table.rs",
            "export/mod.rs",
        ],
    ),
    ("plotters", &["chart/draw"]),
    ("resvg", &["chart/draw"]),
    ("dejavu", &["chart/draw"]),
    ("maud", &["report"]),
    ("cmaes", &["optimizer"]),
    ("nalgebra", &["optimizer/ahead.rs"]),
    ("rayon", &["evaluation/local.rs"]),
    (
        "rand_xoshiro",
        &[
            "stats/bootstrap.rs",
            "stats/power.rs",
            "optimizer/restart.rs",
        ],
    ),
    ("statrs", &["stats/chi_square.rs", "stats/distributions.rs"]),
    ("libc", &["plain_file.rs"]),
    ("sha2", &["inventory"]),
    // The schema of configuration files.
    (
        "schemars",
        &[
            "config",
            "evaluation",
            "optimizer",
            "player/config.rs",
            "record/search.rs",
        ],
    ),
    ("tempfile", &["run/atomic.rs"]),
    ("nix", &["cli/interrupt.rs", "games/external/process.rs"]),
    ("chrono", &["run/manifest.rs"]),
    ("miette", &["config/error.rs", "cli"]),
    ("strsim", &["suggestion.rs"]),
    ("winnow", &["games/sliding/language/parser.rs"]),
    ("axum", &["web"]),
    ("futures_util", &["web", "cluster"]),
    ("tokio", &["web", "cluster"]),
    ("tungstenite", &["browser"]),
    ("async_nats", &["cluster"]),
    ("zstd", &["cluster"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["cli"]),
    ("comfy_table", &["cli"]),
    ("crossterm", &["cli/play/terminal.rs"]),
    ("ctrlc", &["cli"]),
    // The same bits on every platform.
    (
        "libm",
        &[
            "cluster/trust.rs",
            "evaluation",
            "games",
            "optimizer",
            "reference",
            "stats",
        ],
    ),
    // Records and settings that are written to files.
    (
        "serde",
        &[
            "browser",
            "campaign",
            "cluster",
            "compare",
            "config",
            "evaluation",
            "experiment",
            "games",
            "inventory",
            "optimizer",
            "overview.rs",
            "player",
            "record",
            "report/tables.rs",
            "run",
            "series",
            "web",
        ],
    ),
    // JSON is for the edges: the command line, files of a run, the formats of the games.
    (
        "serde_json",
        &[
            "browser",
            "campaign",
            "cli",
            "cluster",
            "compare",
            "config/schema.rs",
            "experiment",
            "export",
            "games",
            "inventory",
            "player/format.rs",
            "reference",
            "run",
            "series",
            "web",
        ],
    ),
    (
        "toml",
        &[
            "campaign",
            "cli/fingerprint.rs",
            "cli/runs.rs",
            "cluster/task.rs",
            "compare",
            "config",
            "experiment",
            "export",
            // A heuristic is the contents of a TOML file.
            "games",
            "heuristic/mod.rs",
            "overview.rs",
            "player/options.rs",
            "player/spec.rs",
            "run",
            "series",
            "web/runs",
        ],
    ),
    (
        "thiserror",
        &[
            "browser",
            "chart",
            "cli",
            "cluster",
            "config",
            "evaluation",
            "field_error.rs",
            "games",
            "player/position.rs",
            "run",
        ],
    ),
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
    let is_test = |file: &Path| {
        file.ends_with("tests.rs")
            || file
                .parent()
                .is_some_and(|folder| folder.ends_with("tests"))
    };
    files.retain(|file| !is_test(file) && !file.ends_with("example.rs"));
    for file in files {
        let name = file
            .strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/");
        let text = std::fs::read_to_string(&file).unwrap();
        sources.insert(name, without_tests_and_comments(&text));
    }
    sources
}

/// Relies on rustfmt: an item ends with a `;` on its first line, or with a `}` below its first
/// letter.
fn without_tests_and_comments(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code += line;
            code += "\n";
            continue;
        }
        let end = line.replace("#[cfg(test)]", "}");
        let mut item = lines
            .by_ref()
            .skip_while(|line| line.trim().starts_with('#'));
        if item.next().is_some_and(|first| !first.ends_with(';')) {
            lines.by_ref().find(|line| *line == end);
        }
    }
    code
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
fn every_dependency_has_a_row() {
    let manifest = include_str!("../Cargo.toml").parse::<toml::Table>();
    let manifest = manifest.unwrap();
    for name in manifest["dependencies"].as_table().unwrap().keys() {
        let name = name.replace('-', "_");
        let has_row = MAY_NAME.iter().any(|(known, _)| *known == name);
        assert!(has_row, "`{name}` has no row in MAY_NAME");
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

/// A module or an item as the names from the root of the crate down to it.
type Names = Vec<String>;

/// The source files by the module that each holds: `a/b.rs` and `a/b/mod.rs` hold `a::b`.
fn modules(sources: &BTreeMap<String, String>) -> BTreeMap<Names, &str> {
    let module = |file: &str| {
        let path = file.trim_end_matches(".rs").split('/').map(str::to_owned);
        path.filter(|name| name != "mod" && name != "lib").collect()
    };
    let files = sources.keys().filter(|file| *file != "main.rs");
    files.map(|file| (module(file), file.as_str())).collect()
}

/// The paths that a use tree names, such as `a::{b, c::d as e}`, each with the name that it gets; and
/// what follows the tree.
fn use_tree<'a>(code: &'a str, prefix: &[String]) -> (Vec<(Names, String)>, &'a str) {
    let code = code.trim_start();
    if let Some(mut rest) = code.strip_prefix('{') {
        let mut paths = Vec::new();
        while !rest.trim_start().starts_with('}') {
            let (found, after) = use_tree(rest, prefix);
            paths.extend(found);
            rest = after.trim_start().trim_start_matches(',');
        }
        return (paths, &rest.trim_start()[1..]);
    }
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (name, rest) = code.split_at(end.unwrap_or(code.len()));
    let mut path = prefix.to_vec();
    match name {
        "crate" => path.clear(),
        "self" => {}
        "super" => drop(path.pop()),
        // The rest of a path such as `function::<Type>`, or a `*`.
        "" => return (vec![(path, "*".to_owned())], rest.trim_start_matches('*')),
        name => path.push(name.to_owned()),
    }
    if let Some(rest) = rest.strip_prefix("::") {
        return use_tree(rest, &path);
    }
    let last = path.last().cloned().unwrap_or_default();
    match rest.strip_prefix(" as ") {
        Some(rest) => {
            let end = rest.find([',', ';', '}', '\n']).unwrap_or(0);
            (vec![(path, rest[..end].trim().to_owned())], &rest[end..])
        }
        None => (vec![(path, last)], rest),
    }
}

/// Whatever follows `start` where a path can start.
fn paths_from<'a>(code: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(start).filter_map(|(at, _)| {
        let before = code[..at].chars().next_back().unwrap_or(' ');
        let is_start = !before.is_alphanumeric() && !"_:".contains(before);
        is_start.then_some(&code[at..])
    })
}

/// The trees of `pub use` and `pub(..) use`.
fn re_exports_in(code: &str) -> impl Iterator<Item = &str> {
    code.split(';').filter_map(|statement| {
        let statement = statement.trim_start();
        let (public, tree) = statement.split_once(" use ")?;
        (public.starts_with("pub") && !public.contains(' ')).then_some(tree)
    })
}

/// File -> files that it imports something from.
///
/// An item that a `mod.rs` re-exports is imported from the file that defines it. A re-export is no
/// import of its own, and neither is a declaration (`mod child;`).
///
/// A file that uses an item of the `mod.rs` above it imports that `mod.rs`. The other direction does
/// not count: a `mod.rs` lists its children and calls them, as a registry does, and the children fill
/// in the types that it defines. What the test forbids is a cycle between siblings or between folders.
fn imports(sources: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let modules = modules(sources);
    // (module, name) -> what the module re-exports under that name.
    let mut re_exports: BTreeMap<(Names, String), Names> = BTreeMap::new();
    for (module, file) in &modules {
        for tree in re_exports_in(&sources[*file]) {
            for (path, name) in use_tree(tree, module).0 {
                re_exports.insert((module.clone(), name), path);
            }
        }
    }
    let defined_in = |mut path: Names| loop {
        let known = (0..=path.len())
            .rev()
            .find(|end| modules.contains_key(&path[..*end]));
        let end = known?;
        let re_exported = path.get(end).and_then(|name| {
            let key = (path[..end].to_vec(), name.clone());
            re_exports.get(&key).filter(|to| **to != path)
        });
        match re_exported {
            Some(to) => path = to.iter().chain(&path[end + 1..]).cloned().collect(),
            None => return Some(modules[&path[..end]]),
        }
    };
    let mut imports = BTreeMap::new();
    for (module, file) in &modules {
        let mut code = sources[*file].replace("(in crate::", "(in ");
        for tree in re_exports_in(&sources[*file]) {
            code = code.replace(tree, "");
        }
        let trees = ["crate::", "super::", "self::"].map(|start| paths_from(&code, start));
        let paths = trees
            .into_iter()
            .flatten()
            .flat_map(|tree| use_tree(tree, module).0);
        let folder = file.strip_suffix("mod.rs");
        let is_below = |other: &str| folder.is_some_and(|folder| other.starts_with(folder));
        let to = paths.filter_map(|(path, _)| defined_in(path));
        let to = to
            .filter(|other| other != file && !is_below(other))
            .collect();
        imports.insert(*file, to);
    }
    imports
}

/// The groups of files that import each other, directly or by way of others.
fn cycles<'a>(imports: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<Vec<&'a str>> {
    let reached = |from: &str| {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&str> = imports[from].iter().copied().collect();
        while let Some(file) = next.pop() {
            if reached.insert(file) {
                next.extend(&imports[file]);
            }
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|file| (*file, reached(file))).collect();
    let in_cycles = reached.iter().filter(|(file, to)| to.contains(*file));
    let group = |(file, to): (&&str, &BTreeSet<&'a str>)| {
        let back = |other: &&&str| reached[**other].contains(file);
        to.iter().filter(back).copied().collect()
    };
    in_cycles.map(group).collect()
}

#[test]
fn no_file_imports_itself_by_way_of_others() {
    let sources = sources();
    let imports = imports(&sources);
    let count: usize = imports.values().map(BTreeSet::len).sum();
    assert!(
        count > 300,
        "only {count} imports were seen: does the scan still work?"
    );
    let mut found = String::new();
    for group in cycles(&imports) {
        found += "\n";
        for file in &group {
            let within = imports[file].iter().filter(|to| group.contains(to));
            let within: Vec<&str> = within.copied().collect();
            found += &format!("\n  {file} imports {}", within.join(", "));
        }
    }
    assert!(found.is_empty(), "files import each other:{found}");
}

#[test]
fn cycles_of_imports_are_found() {
    let files = [
        ("lib.rs", "pub mod a;\npub mod d;"),
        (
            "a/mod.rs",
            "mod b;\nmod c;\npub use b::{B as Renamed};\nfn list() { c::f() }",
        ),
        ("a/b.rs", "pub struct B(super::c::C);"),
        ("a/c.rs", "use crate::{a::Renamed, d};\npub struct C;"),
        ("d.rs", "use crate::a;"),
    ];
    let sources = files.map(|(file, code)| (file.to_owned(), code.to_owned()));
    let sources = BTreeMap::from(sources);
    let imports = imports(&sources);
    assert_eq!(imports["a/mod.rs"], BTreeSet::new());
    assert_eq!(imports["a/b.rs"], ["a/c.rs"].into());
    assert_eq!(imports["a/c.rs"], ["a/b.rs", "d.rs"].into());
    assert_eq!(imports["d.rs"], ["a/mod.rs"].into());
    assert_eq!(cycles(&imports), [vec!["a/b.rs", "a/c.rs"]].into());
}
