//! Files to begin with, and the schemas of files: both fit what the commands read.

use std::path::{Path, PathBuf};

use crate::common::{run, stdout};
use serde_json::{Value, json};

#[test]
fn a_file_to_begin_with_runs_as_it_is_for_every_player() {
    let folder = tempfile::tempdir().unwrap();
    let players: Value = serde_json::from_str(&stdout(&["list", "players", "--json"])).unwrap();
    let mut tuned = 0;
    for player in players.as_array().unwrap() {
        let [name, game] = ["player", "game"].map(|key| player[key].as_str().unwrap());
        let init = ["init", "--game", game, "--player", name];
        if game == "external" {
            let file = folder.path().join("program.toml");
            std::fs::write(&file, stdout(&init)).unwrap();
            let answers = "echo '{\"protocol\":1,\"program\":\"p\",\"parameters\":[\"empty\"],\"numbers\":[\"score\"]}'; \
                           while read -r task; do echo '{\"score\":[1]}'; done";
            std::fs::write(folder.path().join("my_ai.sh"), answers).unwrap();
            let out = folder.path().join("program");
            let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
            let set = "player.command=[\"sh\", \"my_ai.sh\"]";
            let tune = [
                "tune",
                file,
                "--out",
                out,
                "--set",
                set,
                "--set",
                "budget.generations=1",
            ];
            stdout(
                &[
                    &tune[..],
                    &[
                        "--set",
                        "validation.games=5",
                        "--set",
                        "seed=1",
                        "--threads",
                        "2",
                    ],
                ]
                .concat(),
            );
            continue;
        }
        if player["parameters"].as_array().unwrap().is_empty() {
            let output = run(&init);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2));
            assert!(
                stderr.contains("has no weights to tune; players of"),
                "{stderr}"
            );
            continue;
        }
        let file = folder.path().join(format!("{game}-{name}.toml"));
        std::fs::write(&file, stdout(&init)).unwrap();
        let out = folder.path().join(format!("{game}-{name}"));
        let small = [
            "budget.generations=1",
            "optimizer.population=2",
            "evaluation.games=2",
            "validation.games=2",
            "seed=1",
        ];
        let mut arguments = vec![
            "tune",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ];
        arguments.extend(small.iter().flat_map(|setting| ["--set", setting]));
        stdout(&arguments);
        assert!(out.join("best.toml").exists(), "{name}");
        tuned += 1;
    }
    assert!(tuned >= 5, "{tuned}");
}

#[test]
fn without_a_player_the_first_of_the_game_is_tuned() {
    let text = stdout(&["init", "--game", "connect-four"]);
    assert!(
        text.contains("name = \"strings\"\ngame = \"connect-four\"\n"),
        "{text}"
    );
    let output = run(&["init", "--game", "chess"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("unknown game `chess`"), "{stderr}");
}

/// The paths in a folder; none if it is a file.
fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).map_or_else(
        |_| Vec::new(),
        |entries| entries.map(|entry| entry.unwrap().path()).collect(),
    )
}

#[test]
fn every_shipped_file_fits_its_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let configs = std::fs::read_dir(root.join("configs")).unwrap();
    let configs = configs.map(|entry| entry.unwrap().path());
    let campaigns: Vec<PathBuf> = configs.filter(|path| path.is_file()).collect();
    // The studies: experiments/<game>/<study>/<name>.toml. A campaign ends with `campaign.toml`.
    let mut studies = vec![root.join("experiments")];
    for _ in 0..3 {
        studies = studies.iter().flat_map(|folder| entries(folder)).collect();
    }
    studies.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    let (of_studies, experiments): (Vec<PathBuf>, Vec<PathBuf>) = studies
        .into_iter()
        .partition(|path| path.to_string_lossy().ends_with("campaign.toml"));
    assert!(campaigns.len() >= 3 && of_studies.len() >= 3 && experiments.len() >= 20);
    let campaigns = [campaigns, of_studies].concat();
    for (kind, files) in [("campaign", campaigns), ("experiment", experiments)] {
        let schema = stdout(&["init", "--schema", kind]);
        let schema: Value = serde_json::from_str(&schema).unwrap();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let table: toml::Table = toml::from_str(&text).unwrap();
            let errors = mistakes(&schema, &schema, &json!(table), "");
            assert!(errors.is_empty(), "{}: {errors:?}", file.display());
        }
    }
}

#[test]
fn the_schema_refuses_what_is_no_campaign() {
    let schema: Value = serde_json::from_str(&stdout(&["init", "--schema"])).unwrap();
    let refused = |text: &str| {
        let table: toml::Table = toml::from_str(text).unwrap();
        mistakes(&schema, &schema, &json!(table), "")
    };
    let file = "why = 'w'\nname = 'n'\nplayer = { name = 'expectimax', depth = 1 }\n";
    assert_eq!(refused(file), [""; 0]);
    for (text, place) in [
        ("sed = 1", ".sed"),
        ("seed = 'x'", ".seed"),
        ("series = { repeat = 'x' }", ".series"),
        ("series = { repat = 2 }", ".series"),
        ("evaluation = { games = 'many' }", ".evaluation"),
        ("evaluation = { objective = 1 }", ".evaluation"),
        ("optimizer = { restarts = 'always' }", ".optimizer"),
        (
            "parameters = { empty = { minimum = 1 } }",
            ".parameters.empty",
        ),
    ] {
        let errors = refused(&format!("{file}{text}\n"));
        assert!(
            errors.iter().any(|error| error.starts_with(place)),
            "{text}: {errors:?}"
        );
    }
    for player in [
        "name = 'expectimax', deph = 1",
        "name = 'minimax-six', depth = 1",
        "name = 'snake', cutoff = 0.001",
        "name = 'snake', depth = 'adaptive'",
        "name = 'expectimax', depth = 13",
    ] {
        let file = format!("why = 'w'\nname = 'n'\nplayer = {{ {player} }}\n");
        assert!(!refused(&file).is_empty(), "{player}");
    }
}

/// Where a value does not fit a schema: the words of JSON schema that the schemas of this program use.
fn mistakes(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let words = match schema {
        Value::Bool(true) => return found,
        Value::Bool(false) => return vec![format!("{path} is not known")],
        Value::Object(words) => words,
        other => panic!("{path}: {other} is no schema"),
    };
    let properties = &schema["properties"];
    for (word, of) in words {
        let wrong = || format!("{path}: {word} {of}");
        match word.as_str() {
            "$ref" => {
                let name = of.as_str().unwrap().trim_start_matches("#/definitions/");
                found.extend(mistakes(root, &root["definitions"][name], value, path));
            }
            "allOf" => {
                for inner in of.as_array().unwrap() {
                    found.extend(mistakes(root, inner, value, path));
                }
            }
            "anyOf" | "oneOf" => {
                let mut forms = of.as_array().unwrap().iter();
                if !forms.any(|form| mistakes(root, form, value, path).is_empty()) {
                    found.push(wrong());
                }
            }
            "if" if mistakes(root, of, value, path).is_empty() => {
                found.extend(mistakes(root, &schema["then"], value, path));
            }
            "enum" if !of.as_array().unwrap().contains(value) => found.push(wrong()),
            "const" if of != value => found.push(wrong()),
            "type" => {
                let types = of.as_array().cloned().unwrap_or_else(|| vec![of.clone()]);
                if !types
                    .iter()
                    .any(|kind| is_of(kind.as_str().unwrap(), value))
                {
                    found.push(wrong());
                }
            }
            "minimum" if value.as_f64() < of.as_f64() => found.push(wrong()),
            "maximum" if value.as_f64() > of.as_f64() => found.push(wrong()),
            "required" => {
                let keys = of
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|key| key.as_str().unwrap());
                let missing = keys.filter(|key| value.get(key).is_none());
                found.extend(missing.map(|key| format!("{path}.{key} is missing")));
            }
            "properties" | "additionalProperties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    let known = &properties[key];
                    let of_key = match (word == "properties", known.is_null()) {
                        (true, false) => known,
                        (false, true) => of,
                        _ => continue,
                    };
                    found.extend(mistakes(root, of_key, inner, &format!("{path}.{key}")));
                }
            }
            "items" => {
                for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(mistakes(root, of, inner, &format!("{path}.{index}")));
                }
            }
            // Only objectives have one.
            "pattern" => {
                let tile = value
                    .as_str()
                    .and_then(|text| text.strip_prefix("share-reaching-"));
                if tile.is_none_or(|tile| tile.parse::<u32>().is_err()) {
                    found.push(wrong());
                }
            }
            "enum" | "const" | "minimum" | "maximum" | "minItems" | "maxItems" | "if" | "then" => {}
            "$schema" | "definitions" | "title" | "description" | "default" | "format" => {}
            unknown => panic!("{path}: the test does not know `{unknown}`"),
        }
    }
    found
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        unknown => panic!("`{unknown}`"),
    }
}
