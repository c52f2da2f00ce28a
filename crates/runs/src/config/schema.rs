//! The JSON schemas of campaign and experiment files, for editors. They follow from the types that the files are read
//! into, and from the catalogue of players. A schema contains keys, types, and the options of each player with their
//! ranges. Conditions that involve several keys are checked only by the reader of a file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::series::Repetition;
use super::{campaign, experiment};
use tiletune_engine::player::PlayerEntry;
use tiletune_engine::player::Players;
use tiletune_engine::player::depth::MAX_DEPTH;
use tiletune_engine::player::options::{OptionKind, PlayerOption};
use tiletune_engine::random::MOST_SETTINGS;
use tiletune_tuning::Catalogue;

/// The schema of campaign files for the players of a catalogue.
pub fn of_campaigns(catalogue: &Catalogue) -> Value {
    let mut schema = root::<campaign::CampaignConfig>(catalogue);
    let mut series = root::<Repetition>(catalogue);
    if let Some(series) = series.as_object_mut() {
        series.remove("$schema");
        series.remove("definitions");
    }
    schema["properties"]["series"] = series;
    schema["properties"]["parameters"]["properties"] = parameters(catalogue);
    schema
}

/// The schema of experiment files for the players of a catalogue.
pub fn of_experiments(catalogue: &Catalogue) -> Value {
    root::<experiment::ExperimentConfig>(catalogue)
}

fn root<T: JsonSchema>(catalogue: &Catalogue) -> Value {
    let mut generator = SchemaSettings::draft07().into_generator();
    // The generator then has the definitions of the root, including the optimizer, whose options only the catalogue
    // has.
    T::json_schema(&mut generator);
    if generator.definitions().contains_key("Optimizer") {
        let optimizer = catalogue.optimizers().schema(&mut generator);
        let definitions = generator.definitions_mut();
        definitions.insert("Optimizer".into(), optimizer.to_value());
    }
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    without_links(&mut schema);
    // The default is drawn, so it would differ each time.
    if let Some(Value::Object(seed)) = schema.pointer_mut("/properties/seed") {
        seed.remove("default");
    }
    if let Some(any_player) = schema.pointer_mut("/definitions/Player") {
        *any_player = player(catalogue);
    }
    schema
}

/// The table of a player: its name, its game and the options of all players.
fn player(catalogue: &Catalogue) -> Value {
    let entries = catalogue.players();
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    names.dedup();
    let games: Vec<&str> = catalogue.games().iter().map(|game| game.name).collect();
    let mut properties = Map::new();
    properties.insert(
        "name".into(),
        json!({ "description": "The player.", "enum": names }),
    );
    properties.insert(
        "game".into(),
        json!({ "description": "The game.", "enum": games }),
    );
    properties.extend(of_program());
    for (option, key, form) in entries.iter().flat_map(|entry| forms_of(entry)) {
        let about = if key == option.key {
            option.about.to_owned()
        } else {
            format!(
                "Several values of {}, between which the games are divided",
                option.key
            )
        };
        let known = properties
            .entry(key)
            .or_insert_with(|| json!({ "description": about, "anyOf": [] }));
        if let Some(forms) = known["anyOf"].as_array_mut()
            && !forms.contains(&form)
        {
            forms.push(form);
        }
    }
    let of_players: Vec<Value> = names.iter().map(|name| of_player(entries, name)).collect();
    json!({
        "description": "The player and its options, or the command of a program.",
        "type": "object",
        "anyOf": [{ "required": ["name"] }, { "required": ["command"] }],
        "properties": properties,
        "additionalProperties": false,
        "allOf": of_players,
    })
}

/// The rule for the table of a player with this name, in any of its games: its options with their ranges.
fn of_player(entries: &[&'static PlayerEntry], name: &str) -> Value {
    let of_name = entries.iter().filter(|entry| entry.name == name);
    let mut forms: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (_, key, form) in of_name.flat_map(|entry| forms_of(entry)) {
        let known = forms.entry(key).or_default();
        if !known.contains(&form) {
            known.push(form);
        }
    }
    let forms = forms.into_iter();
    let mut properties: Map<String, Value> = forms
        .map(|(key, forms)| (key.to_owned(), json!({ "anyOf": forms })))
        .collect();
    let common = ["name", "game"].into_iter().map(str::to_owned);
    for key in common.chain(of_program().map(|(key, _)| key)) {
        properties.insert(key, json!(true));
    }
    json!({
        "if": { "properties": { "name": { "const": name } }, "required": ["name"] },
        "then": { "properties": properties, "additionalProperties": false },
    })
}

/// The keys of the options of a player, with the form of each: an option, and the list of its values at several settings.
fn forms_of(entry: &PlayerEntry) -> Vec<(&PlayerOption, &'static str, Value)> {
    let mut forms = Vec::new();
    for option in entry.options {
        let Some(form) = of_option(option) else {
            continue;
        };
        if let Some(several) = option.several.filter(|_| entry.players() == Players::One) {
            let list = json!({
                "type": "array", "items": form, "minItems": 2, "maxItems": MOST_SETTINGS
            });
            forms.push((option, several, list));
        }
        forms.push((option, option.key, form));
    }
    forms
}

/// The keys of a program (docs/external.md) by name.
fn of_program() -> [(String, Value); 8] {
    let keys = [
        (
            "command",
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        ),
        ("folder", json!({ "type": "string" })),
        ("time_limit", json!({ "type": "number" })),
        ("score", json!({ "type": "string" })),
        ("minimise", json!({ "type": "boolean" })),
        ("seeds_per_task", json!({ "type": "integer", "minimum": 1 })),
        ("on_failure", json!({ "enum": ["stop", "worst"] })),
        ("about", json!({ "type": "string" })),
    ];
    keys.map(|(key, schema)| (key.to_owned(), schema))
}

/// The values of an option; `None` if it is not a key of the player's table.
fn of_option(option: &PlayerOption) -> Option<Value> {
    Some(match option.kind {
        OptionKind::Depth(depths) => {
            if depths.adaptive {
                json!({ "anyOf": [
            { "type": "integer", "minimum": depths.min, "maximum": MAX_DEPTH },
            { "const": "adaptive" },
        ] })
            } else {
                json!({ "type": "integer", "minimum": depths.min, "maximum": MAX_DEPTH })
            }
        }
        OptionKind::Number { allowed, .. } => json!({ "type": "number", "description": allowed }),
        OptionKind::Whole { most, .. } => {
            json!({ "type": "integer", "minimum": 0, "maximum": most })
        }
        OptionKind::Switch { .. } => json!({ "type": "boolean" }),
        OptionKind::Choice(names) => json!({ "enum": names }),
        OptionKind::Names { known, .. } => json!({ "anyOf": [
            { "enum": known },
            { "type": "array", "items": { "enum": known }, "minItems": 1 },
        ] }),
        OptionKind::Text {
            can_be_table: true,
            form,
            ..
        } => json!({ "anyOf": [
            { "type": "string", "description": form },
            { "type": "object" },
        ] }),
        OptionKind::Text { form, .. } => json!({ "type": "string", "description": form }),
        OptionKind::Heuristic { .. } | OptionKind::Program => return None,
    })
}

/// The parameters of all players by key. Other keys are allowed: those of heuristic files, and patterns.
fn parameters(catalogue: &Catalogue) -> Value {
    let of_entry = |entry: &'static PlayerEntry| (entry.parameters)();
    let mut known = Map::new();
    for parameter in catalogue
        .players()
        .iter()
        .flat_map(|&entry| of_entry(entry))
    {
        let about = || {
            json!({
                "description": parameter.about(),
                "allOf": [{ "$ref": "#/definitions/Parameter" }],
            })
        };
        known.entry(parameter.key.clone()).or_insert_with(about);
    }
    known.into()
}

/// Removes documentation links from descriptions. The text of a link stays.
fn without_links(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if key == "description" => *text = without_link(text),
                    value => without_links(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(without_links),
        _ => {}
    }
}

/// Replaces `[text](target)` and `` [`text`] `` by the text.
fn without_link(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((inner, after)) = link.split_once("`]") else {
            break;
        };
        plain += before;
        plain += &format!("`{inner}`");
        let target = after
            .strip_prefix('(')
            .and_then(|target| target.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::config::Source;
    use crate::config::campaign::Campaign;
    use crate::config::experiment::Experiment;
    use tiletune_engine::player::depth::Depth;

    const CAMPAIGN: &str = r#"
why = "a test"
name = "mine"
seed = 5
[player]
name = "expectimax"
[evaluation]
[optimizer.stop_rules]
[budget]
generations = 3
[validation]
[start]
[parameters.empty]
"#;

    const EXPERIMENT: &str = r#"
why = "a test"
name = "mine"
seed = 5
player = { name = "expectimax" }
[yardstick]
player = { name = "perfect" }
[retune]
[[row]]
name = "a"
retune = { of = "a", seed = 1, parameters = [] }
[[generate]]
kind = "path"
"#;

    /// The keys that the reader of a file names when it finds an unknown one.
    fn known_keys(message: &str) -> BTreeSet<String> {
        let names = message.split('`').skip(1).step_by(2);
        let known = names.filter(|name| *name != "unheard_of");
        known.map(str::to_owned).collect()
    }

    /// The schema at a path of a file. List elements have numbers.
    fn at<'a>(root: &'a Value, path: &str) -> &'a Value {
        let mut schema = root;
        for key in path.split('.').filter(|key| !key.is_empty()) {
            schema = match key.parse::<usize>() {
                Ok(_) => &schema["items"],
                Err(_) if schema["properties"][key].is_object() => &schema["properties"][key],
                Err(_) => &schema["additionalProperties"],
            };
            let link = ["allOf", "anyOf"]
                .into_iter()
                .find_map(|list| schema[list][0]["$ref"].as_str());
            let link = schema["$ref"].as_str().or(link);
            if let Some(link) = link {
                schema = &root["definitions"][link.trim_start_matches("#/definitions/")];
            }
        }
        schema
    }

    #[test]
    fn the_keys_are_those_of_the_reader() {
        let catalogue = Catalogue::builtin();
        let of_campaign = |source: &Source| Campaign::resolve(source, Path::new("")).err();
        let of_experiment = |source: &Source| Experiment::resolve(source, Path::new("")).err();
        let campaigns = of_campaigns(&catalogue);
        // It has the options of `cma-es`, and some more.
        let mirrored = "[optimizer]\nname = \"mirrored-cma-es\"\n[optimizer.stop_rules]";
        let mirrored = CAMPAIGN.replace("[optimizer.stop_rules]", mirrored);
        compare(&campaigns, &mirrored, "optimizer", of_campaign);
        for path in [
            "",
            "evaluation",
            "optimizer.stop_rules",
            "budget",
            "validation",
            "start",
            "parameters.empty",
        ] {
            compare(&campaigns, CAMPAIGN, path, of_campaign);
        }
        let experiments = of_experiments(&catalogue);
        for path in [
            "",
            "yardstick",
            "retune",
            "row.0",
            "row.0.retune",
            "generate.0",
        ] {
            compare(&experiments, EXPERIMENT, path, of_experiment);
        }
    }

    fn compare(
        schema: &Value,
        file: &str,
        path: &str,
        resolve: impl Fn(&Source) -> Option<crate::config::ConfigError>,
    ) {
        let key = if path.is_empty() {
            "unheard_of=1".to_owned()
        } else {
            format!("{path}.unheard_of=1")
        };
        let source = Source::new("mine.toml", file)
            .with_settings(&[key])
            .unwrap();
        let message = resolve(&source).expect(path).to_string();
        assert!(message.contains("unknown key"), "{path}: {message}");
        let place = at(schema, path);
        let keys = place["properties"].as_object().expect(path).keys();
        let keys: BTreeSet<String> = keys.cloned().collect();
        assert_eq!(keys, known_keys(&message), "{path}");
        assert_eq!(place["additionalProperties"], json!(false), "{path}");
    }

    #[test]
    fn every_option_of_every_player_is_known() {
        let schema = of_campaigns(&Catalogue::builtin());
        let known = &schema["definitions"]["Player"]["properties"];
        for entry in Catalogue::builtin().players() {
            let is_key = |option: &&PlayerOption| !option.kind.is_extension();
            for option in entry.options.iter().filter(is_key) {
                assert!(known[option.key].is_object(), "{}", option.key);
            }
            let names = known["name"]["enum"].as_array().unwrap();
            assert!(names.contains(&json!(entry.name)));
        }
        assert_eq!(schema["properties"]["seed"].get("default"), None);
    }

    /// The rule of a player has exactly its options, and exactly the depths that the reader accepts.
    #[test]
    fn every_player_has_its_own_options_and_depths() {
        let schema = of_campaigns(&Catalogue::builtin());
        let rules = schema["definitions"]["Player"]["allOf"].as_array().unwrap();
        let then = |name: &str| {
            let is_of = |rule: &&Value| rule["if"]["properties"]["name"]["const"] == json!(name);
            &rules.iter().find(is_of).expect(name)["then"]
        };
        for entry in Catalogue::builtin().players() {
            for option in entry.options {
                let rule = &then(entry.name)["properties"][option.key];
                if let OptionKind::Depth(depths) = option.kind {
                    let text = rule.to_string();
                    for depth in [0, depths.min, MAX_DEPTH] {
                        let is_allowed = depths.allows(Depth::Fixed(depth));
                        let smallest = text.contains(&format!("\"minimum\":{}", depths.min));
                        assert!(
                            smallest && is_allowed == (depth >= depths.min),
                            "{}",
                            entry.name
                        );
                    }
                    // A player can have it in one of its games only.
                    if depths.allows(Depth::Adaptive) {
                        assert!(text.contains("adaptive"), "{}", entry.name);
                    }
                }
            }
        }
        assert!(then("snake")["properties"].get("cutoff").is_none());
        let depth = then("snake")["properties"]["depth"].to_string();
        assert!(!depth.contains("adaptive"));
        assert!(then("expectimax")["properties"].get("cutoff").is_some());
    }

    #[test]
    fn links_become_their_text() {
        assert_eq!(
            without_link("see [`A`](x::A) and [`B`]."),
            "see `A` and `B`."
        );
        assert_eq!(without_link("a[`b"), "a[`b");
    }
}
