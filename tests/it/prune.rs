//! `tune --prune`: terms are left out one by one, and an interrupted pruning goes on.

use serde_json::Value;

use crate::common::{SMALL, campaign_file, run, stdout};

#[test]
fn terms_are_left_out_until_a_loss_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let campaign = campaign_file(folder.path(), SMALL);
    let tuned = path("tuned");
    let few = [
        "--set",
        "evaluation.games=10",
        "--set",
        // Too few to show a loss, so the steps play 30.
        "validation.games=20",
    ];
    let arguments = [
        &[
            "tune",
            campaign.to_str().unwrap(),
            "--generations",
            "6",
            "--out",
            &tuned,
        ][..],
        &few,
    ]
    .concat();
    stdout(&arguments);

    let plan = stdout(&[
        "tune",
        "--prune",
        &tuned,
        "--generations",
        "2",
        "--dry-run",
        "--json",
    ]);
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["steps"], 2);
    assert_eq!(plan["terms"].as_array().unwrap().len(), 3);
    assert_eq!(plan["first"]["generations"], 2);
    assert_eq!(plan["first"]["hold_out_games"], 60);
    assert!(plan["estimated_seconds"].as_f64().unwrap() > 0.0);

    let pruned = path("pruned");
    let prune = [
        "tune",
        "--prune",
        &tuned,
        "--generations",
        "2",
        "--out",
        &pruned,
        "--json",
    ];
    let first = stdout(&prune);
    let found: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(found["terms"], 3, "empty, monotonicity and merges: {found}");
    assert_eq!(found["games"], 30);
    assert_eq!(found["is_complete"], true);
    // What is left out first is what the plan said.
    assert_eq!(found["steps"][0]["dropped"], plan["terms"][0]);
    let steps = found["steps"].as_array().unwrap();
    let is_loss = |step: &Value| step["difference"]["verdict"] == "worse";
    assert!(
        steps.len() == 2 || steps.last().is_some_and(is_loss),
        "{found}"
    );
    for (number, step) in (1..).zip(steps) {
        let dropped = step["dropped"].as_str().unwrap();
        for weight in [
            dropped.to_owned(),
            format!("{dropped}_outer"),
            format!("{dropped}_inner"),
        ] {
            let weight = &step["weights"][&weight];
            assert!(weight.is_null() || weight == 0.0, "{step}");
        }
        assert_eq!(step["terms"], 3 - number);
        assert_eq!(step["run"], format!("step-{number:02}"));
        assert!(
            folder
                .path()
                .join("pruned")
                .join(format!("step-{number:02}/report.html"))
                .is_file()
        );
    }
    let report = std::fs::read_to_string(folder.path().join("pruned/report.html")).unwrap();
    assert!(report.contains("<svg") && report.contains("Terms, left out one by one"));
    for file in ["csv", "svg", "png"] {
        let link = format!("charts/pruning.{file}");
        assert!(report.contains(&link) && folder.path().join("pruned").join(&link).is_file());
    }
    let json = std::fs::read_to_string(folder.path().join("pruned/pruning.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), found);

    // A step that was lost is played again, to the same result.
    std::fs::remove_dir_all(folder.path().join("pruned/step-01")).unwrap();
    assert_eq!(stdout(&prune), first);

    // A run of another budget is not taken for this one.
    let other = [
        "tune",
        "--prune",
        &tuned,
        "--generations",
        "3",
        "--out",
        &pruned,
    ];
    let refused = run(&other);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("another configuration"), "{message}");
}

#[test]
fn what_has_no_tuned_terms_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let compared = path("compared");
    // Its exit code is a verdict.
    run(&[
        "compare",
        "greedy",
        "greedy",
        "--seed",
        "1",
        "--max-games",
        "100",
        "--out",
        &compared,
    ]);
    let out = path("out");
    let refused = run(&["tune", "--prune", &compared, "--out", &out]);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(
        message.contains("only the terms of a campaign"),
        "{message}"
    );
    assert!(!folder.path().join("out").exists());
    let both = run(&["tune", "campaign.toml", "--prune", &compared]);
    assert_eq!(both.status.code(), Some(2));
}
