//! `export --format c-header`: headers of every kind of weights are C and C++ without warnings, beside headers and macros
//! that a program may have.

use std::path::Path;
use std::process::Command;

use crate::common::stdout;

/// Compilers with the language that each is asked for. `gnu17` has the macros `linux` and `unix`.
const LANGUAGES: [(&str, &str, &str); 3] = [
    ("cc", "c11", "c"),
    ("cc", "gnu17", "c"),
    ("c++", "c++17", "cpp"),
];

/// A file that uses a constant, and includes its header twice.
fn user(header: &str, constant: &str) -> String {
    format!(
        "#include <math.h>\n#include <signal.h>\n#include \"{header}\"\n#include \"{header}\"\n\
         double used(void);\ndouble used(void) {{ return {constant}; }}\n"
    )
}

/// Compiles a text; whether there is such a compiler.
fn compile(folder: &Path, (compiler, standard, ending): (&str, &str, &str), text: &str) -> bool {
    let source = format!("user.{ending}");
    std::fs::write(folder.join(&source), text).unwrap();
    let mut command = Command::new(compiler);
    command
        .current_dir(folder)
        .args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
    let Ok(output) = command
        .arg(format!("-std={standard}"))
        .arg(&source)
        .output()
    else {
        return false;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler} {standard}: {errors}");
    true
}

/// A weights file of a program whose parameters have names that C, its headers and `gnu17` use otherwise.
const PROGRAM: &str = "game = 'external'
player = 'program'
[weights]
[heuristic]
command = ['play']
[heuristic.parameters]
int = { default = 7, min = 0, max = 9, integer = true }
_Bool = { default = 1.5, min = 0, max = 9 }
linux = { default = 1, min = 0, max = 9 }
main = { default = 1e300, min = 0, max = 1e308 }
M_PI = { default = -3, min = -9, max = 9 }
SIGINT = { default = 3e9, min = 0, max = 9e15, integer = true }
'lmr.base' = { default = 0.5, min = 0, max = 1 }
2-fold = { default = 1e-7, min = 0, max = 1 }
";

/// A weights file of own terms of 2048.
const OWN_TERMS: &str = "game = '2048'
player = 'expectimax'
[weights]
free = 300.0
[heuristic]
about = 'empty cells'
[[heuristic.term]]
name = 'free'
doc = 'empty cells'
value = 'count(cells where r == 0)'
weight = { default = 270.0, min = 0.0, max = 3000.0 }
";

#[test]
fn headers_are_c_and_cpp_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    std::fs::write(at("program.toml"), PROGRAM).unwrap();
    std::fs::write(at("terms.toml"), OWN_TERMS).unwrap();
    let shipped = "crates/engine/data/weights";
    for (weights, constant) in [
        (format!("{shipped}/expectimax.toml"), "tiletune_empty"),
        (format!("{shipped}/snake.toml"), ""),
        (format!("{shipped}/strings.toml"), ""),
        (at("terms.toml"), "tiletune_free"),
        (at("program.toml"), "tiletune_int + tiletune_2_fold"),
    ] {
        let header = stdout(&["export", &weights, "--format", "c-header"]);
        let names: Vec<&str> = (header.lines())
            .take_while(|line| !line.starts_with("#ifdef"))
            .filter_map(|line| line.strip_prefix("static const ")?.split(" = ").next())
            .filter_map(|declared| declared.rsplit(' ').next())
            .collect();
        assert!(!names.is_empty(), "{header}");
        assert!(
            names.iter().all(|name| name.starts_with("tiletune_")),
            "{header}"
        );
        std::fs::write(at("weights.h"), &header).unwrap();
        let constant = if constant.is_empty() {
            names[0]
        } else {
            constant
        };
        let plain = user("weights.h", constant);
        let of_2048 = format!("#define TILETUNE_2048_CPP\n{plain}");
        for language in LANGUAGES {
            for text in [&plain, &of_2048] {
                if !compile(folder, language, text) {
                    eprintln!("no {}: its headers are not compiled", language.0);
                }
            }
        }
    }
}

#[test]
fn a_compiler_that_finds_mistakes_is_used() {
    let folder = tempfile::tempdir().unwrap();
    // If there is a compiler, a constant without the header is an error of it.
    let text = "double used(void);\ndouble used(void) { return tiletune_empty; }\n";
    std::fs::write(folder.path().join("user.c"), text).unwrap();
    let mut command = Command::new("cc");
    command.current_dir(folder.path());
    if let Ok(output) = command.args(["-fsyntax-only", "user.c"]).output() {
        assert!(!output.status.success());
    }
}
