//! Answers that come too late: after another page was asked for, after another move, after a second click.

use super::chromium::{Chromium, Tab};
use super::common::small_run;
use super::server::Server;

/// Leaves a page at the answer with this number, before anything is done with it: the address changes before the page goes
/// on, and the event that tells the change comes after it.
const LEAVE: &str = "
    const text = Response.prototype.text, json = Response.prototype.json;
    const sent = window.fetch;
    window.left = null;
    window.answers = 0;
    window.pending = 0;
    window.fetch = async (...asked) => {
        window.pending += 1;
        try {
            return await sent(...asked);
        } finally {
            window.pending -= 1;
        }
    };
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

/// For 0.3 s no page was asked for, no answer came and none was on its way.
const CALM: &str = "(() => {
    const now = performance.now();
    if (window.pending > 0 || window.seen !== window.answers) [window.seen, window.since] = [window.answers, now];
    return now - window.since > 300;
})()";

const SHOWN: &str = "[location.hash.split('?')[0], document.querySelector('#main h1')?.textContent,
    document.querySelectorAll('main').length, document.querySelectorAll('main h1').length, document.title].join(' ')";

fn go(tab: &mut Tab, page: &str) {
    tab.value(&format!(
        "window.since = performance.now(); location.hash = '#/{page}'"
    ));
    tab.wait(CALM);
}

#[test]
fn a_page_that_is_left_changes_neither_the_address_nor_the_next_page() {
    let results = tempfile::tempdir().unwrap();
    small_run(results.path());
    let server = Server::start(&["--results", results.path().to_str().unwrap()]);
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
        ("runs/small", "play"),
        ("game?run=small&hold_out=tuned&index=1", "runs"),
        ("new", "ask"),
    ] {
        let is_shown = "document.querySelector('#main h1') !== null";
        go(&mut tab, next);
        tab.wait(is_shown);
        tab.wait(CALM);
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
            tab.wait(is_shown);
            assert_eq!(tab.value(SHOWN), expected, "{page} at its answer {at}");
        }
    }
    println!("left {left} pages at an answer");
    assert!(left >= 8, "{left}");
}

/// The answers about games come 100 ms later, and those about moves half a second later.
const SLOW: &str = "
    const quick = window.fetch;
    window.fetch = async (path, options) => {
        const answer = await quick(path, options);
        const late = { '/api/games': 100, '/api/advise': 500 }[path] ?? 0;
        await new Promise((done, fail) => {
            setTimeout(done, late);
            options?.signal?.addEventListener('abort', () => fail(new DOMException('ended', 'AbortError')));
        });
        return answer;
    };
";

/// The numbers in the list of moves, the last one first.
const NUMBERS: &str = "[...document.querySelectorAll('.list-of-moves tbody tr')].map((row) => Number(row.children[0].textContent))";

#[test]
fn a_hint_is_of_the_board_that_is_shown() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&[&format!("{}/#/play?seed=3", server.origin)]) else {
        return;
    };
    let mut tab = chromium.page("play");
    tab.wait("document.querySelector('.tiles .tile') !== null");
    tab.value(SLOW);
    let status = "document.querySelector('.status').textContent";
    tab.press("?");
    tab.wait(&format!("{status}.startsWith('Hint:')"));
    // The second hint is asked for, and a move is made before it comes.
    tab.press("?");
    for key in ["ArrowLeft", "ArrowDown"] {
        tab.press(key);
    }
    tab.wait(&format!("{NUMBERS}.length >= 1"));
    std::thread::sleep(std::time::Duration::from_millis(900));
    let said = tab.value(status);
    assert!(!said.as_str().unwrap().starts_with("Hint:"), "{said}");
}

#[test]
fn a_person_who_takes_over_makes_moves_after_those_of_the_player() {
    let server = Server::start(&[]);
    let Some(chromium) = Chromium::start(&[&format!("{}/#/play?seed=3&depth=0", server.origin)])
    else {
        return;
    };
    let mut tab = chromium.page("play");
    tab.wait("document.querySelector('.tiles .tile') !== null");
    tab.value(&SLOW.replace("500", "1"));
    let mut before = 0;
    for _ in 0..5 {
        // The keys come while the move of the player is on its way, which takes 100 ms.
        tab.value("document.querySelector('.controls button:nth-child(3)').click(), true");
        std::thread::sleep(std::time::Duration::from_millis(60));
        for key in ["ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"] {
            tab.press(key);
        }
        tab.wait(&format!("{NUMBERS}.length >= {}", before + 2));
        // The other two moves may come, too.
        std::thread::sleep(std::time::Duration::from_millis(500));
        let numbers = tab.value(NUMBERS);
        let numbers: Vec<usize> = serde_json::from_value(numbers).unwrap();
        let expected: Vec<usize> = (1..=numbers.len()).rev().collect();
        assert_eq!(numbers, expected);
        before = numbers.len();
    }
}
