//! The page Losses, and the text that is shown while the server computes what a player needs.

use super::chromium::{Chromium, Tab};
use super::server::Server;

/// Presses the button with a text.
fn press(tab: &mut Tab, text: &str) {
    tab.value(&format!(
        "[...document.querySelectorAll('button')].find((one) => one.textContent === '{text}').click(), true"
    ));
}

#[test]
fn losses_have_bars_boards_and_links() {
    let server = Server::start(&[]);
    let page = format!("{}/#/losses?player=greedy&board=2x2", server.origin);
    let Some(chromium) = Chromium::start(&[&page]) else {
        return;
    };
    let mut tab = chromium.page("losses");
    tab.wait("document.querySelector('h1')?.textContent.includes('perfect play') === true");
    press(&mut tab, "Compute the losses");
    tab.wait("document.querySelectorAll('.loss-positions .board').length > 3");
    tab.wait("document.body.textContent.includes('% of perfect play')");
    let length = "parseFloat(document.querySelector('.loss-bar i').getBoundingClientRect().width)";
    assert!(tab.value(length).as_f64().unwrap() > 0.0);
    for width in [390, 320] {
        let size = serde_json::json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        tab.0
            .call("Emulation.setDeviceMetricsOverride", size)
            .unwrap();
        tab.wait(&format!("innerWidth === {width}"));
        let most = tab.value("document.documentElement.scrollWidth");
        assert!(
            most.as_f64().unwrap() <= f64::from(width),
            "{most} of {width}"
        );
    }
    // The position can be asked about, and costs there what the list says.
    tab.value("document.querySelector('.loss-positions a').click(), true");
    tab.wait("location.hash.startsWith('#/ask?') && document.body.textContent.includes('this move costs')");
    // On a board that is too large the page says why there is nothing.
    tab.open(&format!("{}/#/losses?player=greedy", server.origin));
    tab.wait("document.querySelector('h1')?.textContent.includes('perfect play') === true");
    press(&mut tab, "Compute the losses");
    tab.wait("document.querySelector('.notice.bad:not(.hidden)')?.textContent.includes('at most 9 cells') === true");
}

#[test]
fn a_page_waits_for_the_solution_of_a_board_and_says_so() {
    let cache = tempfile::tempdir().unwrap();
    let server = Server::start(&["--cache", cache.path().to_str().unwrap()]);
    let Some(chromium) = Chromium::start(&[&format!("{}/", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("127.0.0.1");
    // What the page has said is kept, because it may be gone before it is looked for.
    tab.wait("document.getElementById('preparing') !== null");
    tab.value(
        "window.told = '', new MutationObserver(() => { window.told += document.getElementById('preparing').textContent; })
            .observe(document.getElementById('preparing'), { childList: true, subtree: true, characterData: true }), true",
    );
    let board = "[2,0,0,0,0,0,0,2]";
    tab.value(&format!(
        "location.hash = '#/ask?player=perfect&board=2x4&position=' + encodeURIComponent('{{\"board\":{board}}}'), true"
    ));
    tab.wait("window.told.includes('solving 2048 on 2x4')");
    tab.wait("document.body.textContent.includes('perfect play makes it too')");
    tab.wait("document.getElementById('preparing').classList.contains('hidden')");
}
