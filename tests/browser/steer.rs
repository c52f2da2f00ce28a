//! Pages that start runs, on a desktop and on phones; keys after clicks; light and dark.

use serde_json::json;

use super::chromium::{Chromium, Tab, until};
use super::server::Server;

/// Clicks the middle of an element as a mouse does.
fn click(tab: &mut Tab, selector: &str) {
    let place = tab.value(&format!(
        "(() => {{
            const one = document.querySelector(`{selector}`);
            one.scrollIntoView({{ block: 'center' }});
            const box = one.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"
    ));
    for kind in ["mousePressed", "mouseReleased"] {
        let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
        tab.call("Input.dispatchMouseEvent", event);
    }
}

#[test]
fn keys_move_after_a_click_on_any_control() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&[&format!("{}/#/play?seed=3", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("play");
    tab.wait("document.querySelector('.tiles .tile') !== null");
    let moves =
        "Number([...document.querySelectorAll('.score')].at(-1).querySelector('b').textContent)";
    let mut made = 0;
    for control in [
        ".speed input",
        ".row input[type='checkbox']",
        ".controls button:nth-child(2)",
        "details.more summary",
    ] {
        click(&mut tab, control);
        for key in ["ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"] {
            tab.press(key);
        }
        let now = until(control, || {
            let now = tab.value(moves).as_u64()?;
            (now > made).then_some(now)
        });
        made = now;
    }
}

#[test]
fn a_page_starts_a_campaign_and_shows_what_came_of_it() {
    let results = tempfile::tempdir().unwrap();
    let folder = results.path().to_str().unwrap();
    let server = Server::start(&["--allow-start", "--results", folder]);
    // The address has the token, which the browser keeps as a cookie.
    assert!(server.origin.contains("/?token="), "{}", server.origin);
    let Some(chromium) = Chromium::start(&[&format!("{}#/new", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("new");
    tab.wait("document.querySelector('.terms-table tbody tr') !== null");
    tab.value(
        "(() => {
            const [limit, holdOut] = document.querySelectorAll('section[aria-label=\"How long\"] input');
            limit.value = '1000';
            holdOut.value = '20';
            const sent = window.fetch;
            window.starts = 0;
            window.fetch = (path, options) => {
                if (path === '/api/steer/start') window.starts += 1;
                return sent(path, options);
            };
            const start = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Start');
            start.click();
            start.click();
        })()",
    );
    tab.wait("location.hash.startsWith('#/runs/expectimax-')");
    tab.wait("document.querySelector('.state-complete') !== null");
    tab.wait("document.querySelector('.downloads a') !== null");
    // A double click starts one campaign.
    assert_eq!(tab.value("window.starts"), 1);
    for width in [390, 320] {
        let phone =
            json!({ "width": width, "height": 844, "deviceScaleFactor": 2, "mobile": true });
        tab.call("Emulation.setDeviceMetricsOverride", phone);
        for page in ["new", "runs", "ask", "play"] {
            tab.value(&format!("location.hash = '#/{page}'"));
            tab.wait(&format!(
                "document.querySelector('nav a[aria-current]')?.dataset.page === '{}'",
                page.replace("new", "runs")
            ));
            tab.wait("document.querySelector('#main .card') !== null");
            tab.value(
                "document.querySelectorAll('details').forEach((one) => { one.open = true; })",
            );
            tab.wait("document.documentElement.scrollWidth <= innerWidth");
        }
    }
    // The switch replaces the choice of the system.
    let ground = "getComputedStyle(document.body).backgroundColor";
    let before = tab.value(ground);
    tab.value("document.getElementById('theme').click()");
    assert_ne!(tab.value(ground), before);
    tab.value("document.getElementById('theme').click()");
    assert_eq!(tab.value(ground), before);
}
