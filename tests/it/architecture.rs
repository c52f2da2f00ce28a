//! Who may import whom inside of a crate; between crates the compiler decides. Imports run downwards only, no
//! game imports another, and neither files nor folders import themselves by way of others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates with their folders; `program` is the package at the root.
const CRATES: &[(&str, &str)] = &[
    ("engine", "crates/engine/src"),
    ("tuning", "crates/tuning/src"),
    ("report", "crates/report/src"),
    ("runs", "crates/runs/src"),
    ("program", "src"),
];

/// Crate and module -> modules of the same crate that it may import, which stand above it.
const MAY_IMPORT: &[(&str, &str, &[&str])] = &[
    // crates/engine
    ("engine", "record", &[]),
    ("engine", "expression", &[]),
    ("engine", "field_error", &[]),
    ("engine", "suggestion", &[]),
    ("engine", "random", &[]),
    ("engine", "stop", &[]),
    ("engine", "simd", &[]),
    ("engine", "heuristic", &["field_error", "suggestion"]),
    (
        "engine",
        "program",
        &["record", "field_error", "suggestion", "heuristic", "stop"],
    ),
    (
        "engine",
        "player",
        &[
            "record",
            "field_error",
            "suggestion",
            "random",
            "heuristic",
            "program",
            "stop",
        ],
    ),
    (
        "engine",
        "games",
        &[
            "record",
            "expression",
            "field_error",
            "suggestion",
            "random",
            "simd",
            "heuristic",
            "program",
            "player",
            "stop",
        ],
    ),
    (
        "engine",
        "reference",
        &["record", "random", "simd", "heuristic", "player", "games"],
    ),
    // crates/tuning
    ("tuning", "results", &[]),
    ("tuning", "stats", &["results"]),
    ("tuning", "evaluation", &["results", "stats"]),
    ("tuning", "optimizer", &["results", "stats"]),
    ("tuning", "catalogue", &["optimizer"]),
    // crates/report
    ("report", "number", &[]),
    ("report", "visible", &[]),
    ("report", "interest", &["number"]),
    ("report", "parameters", &[]),
    ("report", "chart", &["number", "interest", "parameters"]),
    (
        "report",
        "report",
        &["number", "interest", "visible", "parameters", "chart"],
    ),
    // crates/runs
    ("runs", "plain_file", &[]),
    ("runs", "inventory", &["plain_file"]),
    ("runs", "config", &["plain_file", "inventory"]),
    ("runs", "export", &["config"]),
    ("runs", "run", &["plain_file", "inventory", "config"]),
    ("runs", "campaign", &["inventory", "config", "run"]),
    ("runs", "experiment", &["config", "run"]),
    ("runs", "series", &["config", "run", "campaign"]),
    ("runs", "compare", &["config", "run"]),
    (
        "runs",
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
    (
        "runs",
        "prune",
        &["plain_file", "config", "run", "campaign"],
    ),
    ("runs", "overview", &["run"]),
    // src
    ("program", "lock", &[]),
    ("program", "prepare", &["lock"]),
    ("program", "shipped", &[]),
    ("program", "web", &["lock", "shipped"]),
    ("program", "browser", &[]),
    ("program", "cluster", &["lock", "prepare"]),
    (
        "program",
        "cli",
        &["lock", "prepare", "shipped", "web", "browser", "cluster"],
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

/// Crate and path below its `src` -> code of every source file, without comments and unit tests: for example
/// `engine/games/mod.rs`.
fn sources() -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    // Files that are compiled for unit tests only.
    let is_test = |file: &Path| {
        let folder = file.parent();
        file.ends_with("tests.rs")
            || file.ends_with("games_tests.rs")
            || folder.is_some_and(|folder| folder.ends_with("tests"))
    };
    for (name, folder) in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut files = Vec::new();
        source_files(&root, &mut files);
        files.retain(|file| !is_test(file) && !file.ends_with("example.rs"));
        for file in files {
            let path = file.strip_prefix(&root).unwrap().to_str().unwrap();
            let path = format!("{name}/{}", path.replace('\\', "/"));
            let text = std::fs::read_to_string(&file).unwrap();
            sources.insert(path, without_tests_and_comments(&text));
        }
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

/// Crate and module of a file.
fn module_of(file: &str) -> (&str, &str) {
    let (name, path) = file.split_once('/').unwrap();
    let module = path.split('/').next().unwrap();
    (name, module.trim_end_matches(".rs"))
}

#[test]
fn imports_run_downwards_only() {
    let row = |name: &str, module: &str| {
        let mut rows = MAY_IMPORT.iter();
        rows.find(|(crate_name, known, _)| (*crate_name, *known) == (name, module))
    };
    let mut checked = 0;
    for (file, code) in &sources() {
        let (name, module) = module_of(file);
        if matches!(module, "lib" | "main" | "build") {
            continue;
        }
        let known = row(name, module);
        let (_, _, may) =
            known.unwrap_or_else(|| panic!("{file}: `{module}` has no row in the table"));
        for import in names_after(code, "crate::") {
            let is_known = row(name, import).is_some();
            assert!(
                import == module || !is_known || may.contains(&import),
                "{file}: `{module}` must not import `{import}` (allowed: {may:?})"
            );
            checked += usize::from(is_known);
        }
    }
    assert!(
        checked > 100,
        "only {checked} imports were seen: does the scan still work?"
    );
}

#[test]
fn the_table_has_no_cycle_and_no_module_that_is_gone() {
    let files = sources();
    let modules: BTreeSet<(&str, &str)> = files.keys().map(|file| module_of(file)).collect();
    for (index, (name, module, imports)) in MAY_IMPORT.iter().enumerate() {
        assert!(
            modules.contains(&(*name, *module)),
            "there is no {name}/{module}"
        );
        for import in *imports {
            let mut above = MAY_IMPORT[..index].iter();
            assert!(
                above.any(|(other, known, _)| (other, known) == (name, import)),
                "`{module}` imports upwards: `{import}`"
            );
        }
    }
}

#[test]
fn no_game_imports_another() {
    let mut checked = 0;
    for (file, code) in &sources() {
        let inside = file.strip_prefix("engine/games/");
        let Some((game, _)) = inside.and_then(|path| path.split_once('/')) else {
            continue;
        };
        let row = GAMES.iter().find(|(known, _)| *known == game);
        let (_, may) = row.unwrap_or_else(|| panic!("{file}: `{game}` has no row in GAMES"));
        for import in names_after(code, "crate::games::") {
            assert!(
                import == game || may.contains(&import),
                "{file}: `{game}` must not import `{import}` (allowed: {may:?})"
            );
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} imports were seen");
}

/// What may read a file or a stream without `plain_file`, and why it may.
const READERS: &[(&str, &str, &str)] = &[
    ("runs/plain_file.rs", "", "the one place"),
    ("", "(\"/proc/", "a file of the system"),
    (
        "runs/run/atomic.rs",
        "File::open(folder).and_then(|folder| folder.sync_all())",
        "syncs a folder",
    ),
    (
        "program/cluster/messages.rs",
        ".take(LARGEST + 1).read_to_end",
        "unpacks a message, no more than it may have",
    ),
    (
        "program/cli/evaluate/from_positions.rs",
        "input.read_to_end(&mut text)?;",
        "stdin, no more than a file may have",
    ),
    (
        "engine/games/twenty48/exact/solution_file.rs",
        "File::open(&",
        "regular files of the cache, whose sizes are compared with their content",
    ),
    (
        "engine/games/vectors.rs",
        "",
        "files of the repository, for tests",
    ),
    (
        "runs/run/tables/documentation.rs",
        "",
        "a page of the documentation, for tests",
    ),
];

#[test]
fn one_module_reads_the_files_of_users_and_strangers() {
    let calls = [
        "fs::read(",
        "read_to_string(",
        "read_to_end(",
        "File::open(",
    ];
    let mut found = String::new();
    for (file, code) in &sources() {
        for line in code
            .lines()
            .filter(|line| calls.iter().any(|call| line.contains(call)))
        {
            let may = |(place, snippet, _): &(&str, &str, &str)| {
                file.starts_with(place) && line.contains(snippet)
            };
            if !READERS.iter().any(may) {
                found += &format!("\n  {file}: {}", line.trim());
            }
        }
    }
    assert!(
        found.is_empty(),
        "these read without a limit, or wait for a pipe; use `plain_file`:{found}"
    );
}

/// Folders beside `src` whose files a crate may embed: its package has them.
const EMBEDDED: [&str; 2] = ["data", "configs"];

#[test]
fn embedded_files_are_in_the_package_of_their_crate() {
    let mut checked = 0;
    for (file, code) in &sources() {
        let below = file.split('/').count() - 1;
        for (at, call) in code.match_indices("include_str!(") {
            let path = code[at + call.len()..].split('"').nth(1).unwrap();
            let up = path.matches("../").count();
            let rest = path.trim_start_matches("../");
            // As many steps up as the file lies deep lead to the folder that has `src`.
            let is_packed =
                up < below || up == below && EMBEDDED.iter().any(|of| rest.starts_with(of));
            assert!(is_packed, "{file}: the package of the crate lacks {path}");
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} files were seen");
}

/// A module or an item as the names from its crate down to it.
type Names = Vec<String>;

/// The source files by the module that each holds: `engine/a/b.rs` and `engine/a/b/mod.rs` hold `engine::a::b`.
fn modules(sources: &BTreeMap<String, String>) -> BTreeMap<Names, &str> {
    let module = |file: &str| {
        let path = file.trim_end_matches(".rs").split('/').map(str::to_owned);
        path.filter(|name| name != "mod" && name != "lib").collect()
    };
    let files = sources.keys().filter(|file| !file.ends_with("/main.rs"));
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
        "crate" => path.truncate(1),
        "self" => {}
        "super" => drop(path.pop()),
        // The rest of a path such as `function::<Type>`, or a `*`.
        "" => return (vec![(path, "*".to_owned())], rest.trim_start_matches('*')),
        name => match name.strip_prefix("tiletune_") {
            Some(other) => path = vec![other.to_owned()],
            None => path.push(name.to_owned()),
        },
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
/// An item that a `mod.rs` or `lib.rs` re-exports is imported from the file that defines it. A re-export is no
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
        let known = (1..=path.len())
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
        let trees =
            ["crate::", "super::", "self::", "tiletune_"].map(|start| paths_from(&code, start));
        let paths = trees
            .into_iter()
            .flatten()
            .flat_map(|tree| use_tree(tree, module).0);
        let folder = file.strip_suffix("mod.rs").or(file.strip_suffix("lib.rs"));
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

/// The imports between the files and folders that lie in one folder: `web/app` and `web/runs`. Those of a `mod.rs`
/// and to it do not count.
fn imports_within<'a>(
    folder: &str,
    imports: &BTreeMap<&'a str, BTreeSet<&'a str>>,
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let child = |file: &'a str| {
        let name = file
            .strip_prefix(folder)?
            .strip_prefix('/')?
            .split('/')
            .next()?;
        let name = name.trim_end_matches(".rs");
        (!matches!(name, "mod" | "lib" | "main")).then_some(name)
    };
    let mut within: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, to) in imports {
        let Some(from) = child(file) else { continue };
        let to = to.iter().filter_map(|to| child(to));
        let known = within.entry(from).or_default();
        known.extend(to.filter(|to| *to != from));
    }
    let all: BTreeSet<&str> = within.values().flatten().copied().collect();
    for one in all {
        within.entry(one).or_default();
    }
    within
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
fn no_folder_imports_itself_by_way_of_its_neighbours() {
    let sources = sources();
    let imports = imports(&sources);
    let folders: BTreeSet<&str> = sources
        .keys()
        .flat_map(|file| file.match_indices('/').map(|(at, _)| &file[..at]))
        .collect();
    let mut found = String::new();
    for folder in folders {
        for group in cycles(&imports_within(folder, &imports)) {
            found += &format!("\n  in {folder}: {}", group.join(", "));
        }
    }
    assert!(found.is_empty(), "these import each other:{found}");
}

#[test]
fn cycles_of_imports_are_found() {
    let files = [
        ("x/lib.rs", "pub mod a;\npub use tiletune_y::d;"),
        (
            "x/a/mod.rs",
            "mod b;\nmod c;\npub use b::{B as Renamed};\nfn list() { c::f() }",
        ),
        ("x/a/b.rs", "pub struct B(super::c::C);"),
        ("x/a/c.rs", "use crate::{a::Renamed, d};\npub struct C;"),
        ("y/lib.rs", "pub mod d;"),
        ("y/d.rs", "use tiletune_x::a;"),
    ];
    let sources = files.map(|(file, code)| (file.to_owned(), code.to_owned()));
    let sources = BTreeMap::from(sources);
    let imports = imports(&sources);
    assert_eq!(imports["x/a/mod.rs"], BTreeSet::new());
    assert_eq!(imports["x/a/b.rs"], ["x/a/c.rs"].into());
    assert_eq!(imports["x/a/c.rs"], ["x/a/b.rs", "y/d.rs"].into());
    assert_eq!(imports["y/d.rs"], ["x/a/mod.rs"].into());
    assert_eq!(cycles(&imports), [vec!["x/a/b.rs", "x/a/c.rs"]].into());
    let within = imports_within("x/a", &imports);
    assert_eq!(cycles(&within), [vec!["b", "c"]].into());
}
