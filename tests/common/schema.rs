//! Values that programs print, compared with the schemas in `docs/schemas`.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

/// The keywords of schemas that [`Checked`] knows. Others would be ignored.
const KEYWORDS: [&str; 18] = [
    "$schema",
    "$ref",
    "title",
    "description",
    "pattern",
    "type",
    "enum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "allOf",
    "const",
    "default",
    "minItems",
    "maxItems",
];

/// Values that are compared with schemas.
#[derive(Default)]
pub struct Checked {
    /// Where a value is not what its schema says.
    pub mistakes: Vec<String>,
    /// The described keys that were found, with the file and the object that they are in.
    pub found: BTreeSet<String>,
}

/// A file of `docs/schemas`.
pub fn schema_file(name: &str) -> Value {
    let path = PathBuf::from("docs/schemas").join(name);
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The type of a value by the words of schemas.
fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("unknown type {other}"),
    }
}

impl Checked {
    /// Compares a value with a schema; `place` is the place of the schema.
    pub fn check(&mut self, value: &Value, schema: &Value, place: &str, root: &Value) {
        let known = schema
            .as_object()
            .unwrap_or_else(|| panic!("{place}: no schema"));
        if let Some(target) = schema["$ref"].as_str() {
            let name = target.strip_prefix("#/definitions/").unwrap();
            let schema = &root["definitions"][name];
            return self.check(value, schema, name, root);
        }
        for keyword in known.keys().filter(|key| *key != "definitions") {
            assert!(KEYWORDS.contains(&keyword.as_str()), "{place}: {keyword}");
        }
        for schema in schema["allOf"].as_array().into_iter().flatten() {
            self.check(value, schema, place, root);
        }
        let any = [&schema["anyOf"], &schema["oneOf"]];
        if let Some(any) = any.into_iter().find_map(Value::as_array) {
            let mut mistakes = Vec::new();
            for (index, schema) in any.iter().enumerate() {
                let mut alone = Checked::default();
                alone.check(value, schema, &format!("{place}/{index}"), root);
                if alone.mistakes.is_empty() {
                    self.found.append(&mut alone.found);
                    return;
                }
                mistakes.append(&mut alone.mistakes);
            }
            return self.mistakes.append(&mut mistakes);
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            kind => Vec::from_iter(kind.as_str()),
        };
        if !kinds.is_empty() && !kinds.iter().any(|kind| is_of(value, kind)) {
            self.mistakes
                .push(format!("{place}: {value} is not of type {kinds:?}"));
        }
        if known.get("const").is_some_and(|only| only != value) {
            self.mistakes.push(format!("{place}: {value}"));
        }
        if let Some(allowed) = schema["enum"].as_array()
            && !allowed.contains(value)
        {
            self.mistakes
                .push(format!("{place}: {value} is not one of {allowed:?}"));
        }
        let has_keys = !schema["properties"].is_null() || !schema["additionalProperties"].is_null();
        if let (Value::Object(object), true) = (value, has_keys) {
            self.check_object(object, schema, place, root);
        }
        if let (Value::Array(values), items @ Value::Object(_)) = (value, &schema["items"]) {
            for value in values {
                self.check(value, items, &format!("{place}[]"), root);
            }
        }
    }

    fn check_object(
        &mut self,
        object: &serde_json::Map<String, Value>,
        schema: &Value,
        place: &str,
        root: &Value,
    ) {
        for required in schema["required"].as_array().into_iter().flatten() {
            if !object.contains_key(required.as_str().unwrap()) {
                self.mistakes
                    .push(format!("{place}: {required} is missing"));
            }
        }
        for (key, value) in object {
            let inner = format!("{place}.{key}");
            match (&schema["properties"][key], &schema["additionalProperties"]) {
                (described @ Value::Object(_), _) => {
                    self.found.insert(inner.clone());
                    self.check(value, described, &inner, root);
                }
                (_, any @ Value::Object(_)) => self.check(value, any, &format!("{place}.*"), root),
                (_, Value::Bool(true)) => {}
                _ => self
                    .mistakes
                    .push(format!("{place}: `{key}` is not described")),
            }
        }
    }
}

/// The keys that a schema describes, in the form of [`Checked::found`].
pub fn described(schema: &Value, place: &str, all: &mut BTreeSet<String>) {
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let name = format!("{place}.{key}");
        described(inner, &name, all);
        all.insert(name);
    }
    described_if(&schema["items"], &format!("{place}[]"), all);
    described_if(&schema["additionalProperties"], &format!("{place}.*"), all);
    for (index, inner) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        described(inner, &format!("{place}/{index}"), all);
    }
    for (name, inner) in schema["definitions"].as_object().into_iter().flatten() {
        described(inner, name, all);
    }
}

fn described_if(schema: &Value, place: &str, all: &mut BTreeSet<String>) {
    if schema.is_object() {
        described(schema, place, all);
    }
}

/// The rules that hold for all objects: keys without spaces, seeds as text.
pub fn check_rules(value: &Value, line: &str) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let is_seed = key == "seed" || key.ends_with("_seed");
                assert!(!is_seed || value.is_string(), "{line}: {key} is {value}");
                check_rules(value, line);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| check_rules(value, line)),
        _ => {}
    }
}
