//! All pages, looked at by axe-core: on a desktop and on phones, light and dark. The file of axe-core is not part of the project;
//! `TILETUNE_AXE` names it, and without it the test says that it is skipped.

use std::path::Path;

use serde_json::{Value, json};

use super::chromium::{Chromium, Tab};
use super::common::{SMALL, campaign_file, run, stdout};
use super::server::Server;

/// Names the file `axe.min.js`.
const VARIABLE: &str = "TILETUNE_AXE";

/// Runs all rules but those of level AAA. Its value is one line for each violation.
const AUDIT: &str = "
    axe.run(document, { rules: Object.fromEntries(axe.getRules()
        .filter(({ tags }) => !tags.some((tag) => tag.endsWith('aaa')))
        .map(({ ruleId }) => [ruleId, { enabled: true }])) })
        .then(({ violations, passes }) => ({ passes: passes.length, found: violations.map((one) =>
            `${one.id}: ${one.nodes[0].html.slice(0, 200)} ${one.nodes[0].failureSummary}`) }))
";

/// A board with every tile up to 4096.
const BOARD: &str = "%7B%22board%22%3A%5B2,4,8,16,32,64,128,256,512,1024,2048,4096,2,2,4,0%5D%7D";

/// The pages, each with what is true when it is drawn.
const PAGES: [(&str, &str); 12] = [
    ("play?game=2048", ".tiles .tile"),
    ("play?game=three-plus-three", ".tiles .tile"),
    ("play?game=connect-four", ".move"),
    ("ask?position=BOARD", ".move b:not(:empty)"),
    ("lab?position=BOARD", ".cell-heat"),
    ("runs", "table.runs tbody td"),
    ("runs/small", ".run-image img"),
    ("runs/compared", ".run-blocks table"),
    ("runs?compare=small,small", ".chart-line"),
    (
        "game?run=small&hold_out=tuned&index=0",
        ".game-moves button",
    ),
    ("new", ".terms-table tbody td"),
    ("pruned/pruned", ".run-image img"),
];

/// A folder with a campaign, a comparison and a pruning.
fn fill(results: &Path) {
    let path = |name: &str| results.join(name).to_str().unwrap().to_owned();
    let campaign = campaign_file(results, SMALL);
    let (campaign, small) = (campaign.to_str().unwrap(), path("small"));
    let few = [
        "--generations",
        "2",
        "--set",
        "evaluation.games=10",
        "--quiet",
    ];
    stdout(&[&["tune", campaign, "--out", &small][..], &few].concat());
    let pruned = path("pruned");
    stdout(&[
        "tune",
        "--prune",
        &small,
        "--generations",
        "1",
        "--out",
        &pruned,
        "--quiet",
    ]);
    // Its exit code is a verdict.
    let compared = path("compared");
    run(&[
        "compare",
        "greedy",
        "random",
        "--seed",
        "1",
        "--max-games",
        "100",
        "--out",
        &compared,
    ]);
}

/// Waits for a part of the page, opens what is closed, and runs axe-core.
fn audit(tab: &mut Tab, drawn: &str, axe: &str) -> Vec<String> {
    tab.wait(&format!("document.querySelector('{drawn}') !== null"));
    tab.value("document.querySelectorAll('details').forEach((one) => { one.open = true; }); 0");
    tab.value(&format!(
        "window.axe === undefined && (0, eval)({}); 0",
        json!(axe)
    ));
    let answer = tab.value(AUDIT);
    assert!(answer["passes"].as_u64().unwrap() > 20, "{answer}");
    let found = answer["found"].as_array().unwrap().iter();
    found.map(|one| one.as_str().unwrap().to_owned()).collect()
}

#[test]
fn accessibility_of_all_pages() {
    let Some(path) = std::env::var_os(VARIABLE) else {
        println!("skipped: {VARIABLE} names no axe.min.js");
        return;
    };
    let axe = std::fs::read_to_string(&path).unwrap();
    let results = tempfile::tempdir().unwrap();
    fill(results.path());
    let folder = results.path().to_str().unwrap();
    let server = Server::start(&["--allow-start", "--results", folder]);
    let (origin, token) = server.origin.split_once("/?token=").unwrap();
    let Some(chromium) = Chromium::start(&[&format!("{origin}/?token={token}#/runs")]) else {
        return;
    };
    let mut tab = chromium.page("runs");
    tab.wait("document.querySelector('table.runs') !== null");
    let mut found = Vec::new();
    for (width, theme) in [(1200, "light"), (320, "dark")] {
        let size =
            json!({ "width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600 });
        tab.0
            .call("Emulation.setDeviceMetricsOverride", size)
            .unwrap();
        for (page, drawn) in PAGES {
            // Another document, so that no page is left over.
            tab.open("about:blank");
            tab.open(&format!("{origin}/#/{}", page.replace("BOARD", BOARD)));
            tab.value(&format!(
                "document.documentElement.dataset.theme = '{theme}'; 0"
            ));
            let place = format!("{page}, {width}, {theme}");
            let violations = audit(&mut tab, drawn, &axe);
            found.extend(violations.into_iter().map(|one| format!("{place}: {one}")));
            let wide: Value = tab.value("document.documentElement.scrollWidth");
            if wide.as_u64() > Some(width) {
                found.push(format!("{place}: {wide} pixels wide"));
            }
        }
    }
    let report = format!(
        "file://{}",
        results.path().join("small/report.html").display()
    );
    tab.open(&report);
    let violations = audit(&mut tab, "table", &axe);
    found.extend(
        violations
            .into_iter()
            .map(|one| format!("report.html: {one}")),
    );
    assert!(found.is_empty(), "{}", found.join("\n"));
}
