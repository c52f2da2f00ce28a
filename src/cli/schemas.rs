//! The schemas in `docs/schemas` that follow from the types of what is printed.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::{browser, compare, evaluate, fingerprint, list, plan, report, verify};
use crate::campaign::Tuned;
use crate::compare::Compared;
use crate::results::experiment::ExperimentResults;
use crate::series::TunedSeries;

/// The schema of what a command prints.
fn schema<T: JsonSchema>(command: &str) -> Value {
    let generator = SchemaSettings::draft07().for_serialize().into_generator();
    let mut generated = generator.into_root_schema_for::<T>().to_value();
    plain(&mut generated);
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": format!("What `tiletune` prints with --json: {command}"),
    });
    if let (Value::Object(schema), Value::Object(generated)) = (&mut schema, generated) {
        // What is there already stays.
        for (key, value) in generated {
            schema.entry(key).or_insert(value);
        }
    }
    schema
}

/// Leaves out what says no more than the type, and what links to the documentation of the code. No other keys than
/// the described ones are printed.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("format").is_some_and(Value::is_string) {
                object.remove("format");
                object.remove("minimum");
                object.remove("maximum");
            }
            if object.contains_key("properties") && object.contains_key("type") {
                object.insert("additionalProperties".into(), json!(false));
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(values) => values.iter_mut().for_each(plain),
        _ => {}
    }
}

/// `TILETUNE_UPDATE=1 cargo test` writes the files.
#[test]
fn the_files_follow_from_the_types() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schemas");
    for (name, schema) in [
        (
            "ablate",
            schema::<ExperimentResults>("`ablate` and `resume` of an experiment"),
        ),
        (
            "ablate-plan",
            schema::<plan::ExperimentPlan>("`ablate --dry-run`"),
        ),
        ("browser", schema::<browser::BrowserGame>("`browser`")),
        (
            "compare",
            schema::<Compared>("`compare` and `resume` of a comparison"),
        ),
        (
            "compare-plan",
            schema::<compare::ComparisonPlan>("`compare --dry-run`"),
        ),
        ("evaluate", schema::<evaluate::Evaluation>("`evaluate`")),
        (
            "fingerprint",
            schema::<fingerprint::Fingerprint>("`fingerprint`"),
        ),
        (
            "list-charts",
            schema::<Vec<list::ListedChart>>("`list charts`"),
        ),
        (
            "list-games",
            schema::<Vec<list::ListedGame>>("`list games`"),
        ),
        (
            "list-heuristics",
            schema::<Vec<list::SharedParameter>>("`list heuristics`"),
        ),
        (
            "list-heuristics-of-file",
            schema::<Vec<list::TermParameter>>("`list heuristics FILE`"),
        ),
        (
            "list-optimizers",
            schema::<Vec<list::ListedOptimizer>>("`list optimizers`"),
        ),
        (
            "list-players",
            schema::<Vec<list::ListedPlayer>>("`list players`"),
        ),
        ("report", schema::<report::ReportFiles>("`report`")),
        (
            "series",
            schema::<TunedSeries>("`tune --repeat` and `resume` of a series"),
        ),
        ("tune", schema::<Tuned>("`tune` and `resume` of a campaign")),
        (
            "tune-plan",
            schema::<plan::CampaignPlan>("`tune --dry-run`"),
        ),
        ("verify", schema::<verify::Verification>("`verify`")),
    ] {
        let path = format!("{folder}/{name}.json");
        let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("TILETUNE_UPDATE").is_some() {
            std::fs::write(&path, &expected).unwrap();
        }
        let hint = "run `TILETUNE_UPDATE=1 cargo test the_files_follow_from_the_types`";
        assert!(
            std::fs::read_to_string(&path).unwrap() == expected,
            "{path}: {hint}"
        );
    }
}
