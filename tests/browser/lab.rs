//! The page Lab, and that of a recorded game.

use serde_json::Value;

use super::chromium::{Chromium, Tab};
use super::common::small_run;
use super::server::Server;

/// The differences in the table of moves.
const MOVES: &str =
    "[...document.querySelectorAll('.lab-moves tbody tr')].map((row) => row.textContent).join(' ')";
/// Moves a slider as a person does, in 200 steps, and measures the time from each step until its answer, or that of a
/// later step, is drawn.
const SLIDE: &str = "(async () => {
    const lab = document.querySelector('.lab');
    const times = [];
    const range = document.getElementById(`weight-${KEY}`);
    for (let step = 0; step < 200; step += 1) {
        const before = Number(lab.dataset.answers);
        range.value = 300 + ((step * 37) % 400);
        const begun = performance.now();
        range.dispatchEvent(new Event('input', { bubbles: true }));
        while (Number(lab.dataset.answers) === before) await new Promise((done) => setTimeout(done, 1));
        times.push(performance.now() - begun);
    }
    window.times = times.sort((one, other) => one - other);
})()";

/// Calls of an expression that returns nothing at once.
fn start(tab: &mut Tab, expression: &str) {
    tab.value(&format!("{expression}, true"));
}

fn wide(tab: &mut Tab, width: u32) {
    let size = serde_json::json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    tab.0
        .call("Emulation.setDeviceMetricsOverride", size)
        .unwrap();
    tab.wait(&format!("innerWidth === {width}"));
    let most = tab
        .value("document.documentElement.scrollWidth")
        .as_f64()
        .unwrap();
    assert!(
        most <= f64::from(width),
        "{most} pixels on a screen of {width}"
    );
}

#[test]
fn a_slider_changes_values_bars_and_heat_map() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&[&format!("{}/#/lab?depth=0", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("lab");
    tab.wait("document.querySelectorAll('.heat .cell-heat').length === 16");
    let before = tab.value(MOVES);
    let heat = "document.querySelector('.heat').textContent";
    let heat_before = tab.value(heat);
    start(
        &mut tab,
        "(() => {
            const range = document.getElementById('weight-empty');
            range.focus();
            range.value = 900;
            range.dispatchEvent(new Event('input', { bubbles: true }));
        })()",
    );
    let changed = serde_json::json!(before).to_string();
    tab.wait(&format!("({MOVES}) !== {changed}"));
    assert_ne!(tab.value(heat), heat_before);
    assert!(
        tab.value("document.querySelectorAll('.diverging i').length")
            .as_f64()
            .unwrap()
            > 2.0
    );
    tab.wait("location.hash.includes('w.empty=2700')");
    let address = tab.value("location.hash");
    // The link opens the same state.
    let values = tab.value(MOVES);
    tab.open(&format!("{}/", server.origin));
    tab.open(&format!("{}/{}", server.origin, address.as_str().unwrap()));
    tab.wait(&format!("({MOVES}) === {}", serde_json::json!(values)));
    start(
        &mut tab,
        "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Where does the move flip?').click()",
    );
    tab.wait("document.body.textContent.includes('weights change the move by themselves')");
    start(
        &mut tab,
        "(() => {
            const text = document.querySelector('textarea.file');
            text.value = 'about = 1\\nterm = []\\n';
            [...document.querySelectorAll('button')].find((one) => one.textContent === 'Check and use this text').click();
        })()",
    );
    tab.wait("document.querySelector('.file-problem:not(.hidden)')?.textContent.includes('line 1, column') === true");
    tab.wait("document.querySelector('textarea.file').value.startsWith('about = 1')");
    tab.wait("document.querySelectorAll('.slider').length > 9");
    for width in [390, 320] {
        wide(&mut tab, width);
    }
}

#[test]
fn a_recorded_game_is_stepped_through_by_keys() {
    let results = tempfile::tempdir().unwrap();
    small_run(results.path());
    let server = Server::start(&["--results", results.path().to_str().unwrap()]);
    let address = format!("{}/#/game?run=small&hold_out=tuned&index=1", server.origin);
    let Some(chromium) = Chromium::start(&[&address]) else {
        return;
    };
    let mut tab = chromium.page("game");
    tab.wait("document.body.textContent.includes('The game is the recorded one.')");
    let shown = "document.querySelector('input[name=move]').value";
    let press = |tab: &mut Tab, key: &str, expected: &str| {
        start(
            tab,
            &format!(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
            ),
        );
        tab.wait(&format!("({shown}) === '{expected}'"));
    };
    press(&mut tab, "ArrowRight", "1");
    press(&mut tab, "PageDown", "11");
    press(&mut tab, "ArrowLeft", "10");
    press(&mut tab, "Home", "0");
    let losses = "document.querySelectorAll('.game-moves button')";
    let first: Value = tab.value(&format!("{losses}[0].textContent"));
    start(&mut tab, &format!("{losses}[0].click()"));
    let text = first.as_str().unwrap().to_owned();
    let number: f64 = text
        .trim_start_matches("move ")
        .split(':')
        .next()
        .unwrap()
        .replace(',', "")
        .parse()
        .unwrap();
    tab.wait(&format!("({shown}) === '{}'", number - 1.0));
    start(
        &mut tab,
        "[...document.querySelectorAll('button')].find((one) => one.textContent === 'What would it play?').click()",
    );
    tab.wait("/Depth 1 plays (the same|\\w+ instead)/.test(document.body.textContent)");
    wide(&mut tab, 320);
}

/// What docs/web.md says of the speed of Lab.
#[test]
#[ignore = "it measures; run it alone, with --nocapture"]
fn speed_of_lab() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&[&format!("{}/#/lab", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("lab");
    for (game, key, values) in [
        (
            "2048",
            "empty",
            "&w.smoothness=50&w.line_end=20&w.max_tile=10&w.edge=10&w.corner=10",
        ),
        (
            "2048",
            "monotonicity_power",
            "&w.smoothness=50&w.line_end=20&w.max_tile=10&w.edge=10&w.corner=10",
        ),
        (
            "three-plus-three",
            "empty",
            "&w.smoothness=50&w.line_end=20&w.steps=50&w.wedged=20&w.open=50&w.max_tile=10&w.edge=10&w.corner=10",
        ),
        (
            "three-plus-three",
            "monotonicity_power",
            "&w.smoothness=50&w.line_end=20&w.steps=50&w.wedged=20&w.open=50&w.max_tile=10&w.edge=10&w.corner=10",
        ),
    ] {
        for depth in 0..=2 {
            tab.open(&format!("{}/", server.origin));
            tab.open(&format!(
                "{}/#/lab?game={game}&player=expectimax&depth={depth}{values}",
                server.origin
            ));
            tab.wait("Number(document.querySelector('.lab')?.dataset.answers) > 0");
            tab.value("window.times = null");
            start(&mut tab, &SLIDE.replace("${KEY}", key));
            tab.wait("window.times !== null");
            let at = |tab: &mut Tab, place: usize| {
                tab.value(&format!("window.times[{place}]"))
                    .as_f64()
                    .unwrap()
            };
            let terms =
                tab.value("document.querySelectorAll('select[name=heat-term] option').length - 1");
            println!(
                "{game}, {key}, {terms} terms, depth {depth}: median {:.0} ms, 95 % {:.0} ms, largest {:.0} ms",
                at(&mut tab, 99),
                at(&mut tab, 189),
                at(&mut tab, 199)
            );
            start(
                &mut tab,
                "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Where does the move flip?').click()",
            );
            tab.wait("document.body.textContent.includes('weights change the move by themselves')");
            let said = tab.value("[...document.querySelectorAll('[role=status]')].find((one) => one.textContent.includes('by themselves')).textContent");
            println!("    {}", said.as_str().unwrap());
        }
    }
}
