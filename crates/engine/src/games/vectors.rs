//! Test vectors in `tests/data`: results of published programs and of independent solvers. Compiled for unit
//! tests only.

use std::path::Path;

use serde_json::Value;

/// The text of a test data file.
pub(crate) fn text(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    std::fs::read_to_string(folder.join(file)).unwrap()
}

/// The records of a JSON lines file.
pub(crate) fn records(file: &str) -> Vec<Value> {
    let text = text(file);
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
