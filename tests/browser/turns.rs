//! Pages that are left before their answers came: the address and the page that is shown are those that were asked for last.

use super::chromium::{Chromium, Tab};
use super::server::Server;

/// Leaves a page at the answer with this number, before anything is done with it: the address changes before the page goes
/// on, and the event that tells the change comes after it.
const LEAVE: &str = "
    const text = Response.prototype.text, json = Response.prototype.json;
    window.left = null;
    window.answers = 0;
    for (const [name, read] of [['text', text], ['json', json]]) {
        Response.prototype[name] = async function () {
            const contents = await read.call(this);
            window.answers += 1;
            if (window.left !== null && window.answers === window.left.at) {
                location.hash = window.left.to;
                window.left = null;
            }
            return contents;
        };
    }
";

/// For 0.3 s no page was asked for and no answer came.
const CALM: &str = "(() => {
    const now = performance.now();
    if (window.seen !== window.answers) [window.seen, window.since] = [window.answers, now];
    return now - window.since > 300;
})()";

const SHOWN: &str = "[location.hash.split('?')[0], document.querySelector('#main h1')?.textContent,
    document.querySelectorAll('main').length, document.querySelectorAll('main h1').length].join(' ')";

fn go(tab: &mut Tab, page: &str) {
    tab.value(&format!(
        "window.since = performance.now(); location.hash = '#/{page}'"
    ));
    tab.wait(CALM);
}

#[test]
fn a_page_that_is_left_changes_neither_the_address_nor_the_next_page() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&[&format!("{}/#/play", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("play");
    tab.wait("document.querySelector('#main .card') !== null");
    tab.value(LEAVE);
    let mut left = 0;
    for (page, next) in [
        ("play", "runs"),
        ("ask", "play"),
        ("lab", "play"),
        ("losses", "runs"),
        ("runs", "play"),
        ("new", "ask"),
    ] {
        go(&mut tab, next);
        let expected = tab.value(SHOWN);
        for at in 1..=4 {
            tab.value(&format!(
                "window.left = {{ at: window.answers + {at}, to: '#/{next}' }}"
            ));
            go(&mut tab, page);
            if tab.value("window.left !== null") == true {
                // The page has no further answer.
                tab.value("window.left = null");
                break;
            }
            left += 1;
            assert_eq!(tab.value(SHOWN), expected, "{page} at its answer {at}");
        }
    }
    println!("left {left} pages at an answer");
    assert!(left >= 8, "{left}");
}
