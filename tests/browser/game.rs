//! `tiletune browser` plays a page of 2048.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::chromium::{Chromium, Tab};
use super::common::{self, tiletune};
use super::schema::{Checked, schema_file};

/// The address of the page of 2048, with parameters.
pub fn game(parameters: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("file://{root}/tests/data/browser/2048.html?{parameters}")
}

/// A Chromium whose page of 2048 has begun its game. A page that has not is no game.
pub fn opened(parameters: &str) -> Option<(Chromium, Tab)> {
    let chromium = Chromium::start(&[&game(parameters)])?;
    let mut tab = chromium.page(parameters);
    tab.wait(HAS_BEGUN);
    Some((chromium, tab))
}

/// Whether the page of 2048 has begun its game.
const HAS_BEGUN: &str = "document.querySelector('.tile') !== null";

/// Starts `tiletune browser` on the Chromium.
fn start(chromium: &Chromium, arguments: &[&str]) -> Child {
    let mut command = tiletune();
    command
        .args(["--json", "browser", "--port", &chromium.port.to_string()])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn ended(child: Child) -> (Output, String) {
    let output = child.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, messages)
}

/// Runs `tiletune browser` to a successful end.
pub fn played(chromium: &Chromium, arguments: &[&str]) -> (Value, String) {
    let (output, messages) = ended(start(chromium, arguments));
    assert!(output.status.success(), "{messages}");
    let result = serde_json::from_slice(&output.stdout).unwrap();
    (result, messages)
}

/// Runs `tiletune browser` to a failure, and returns its message.
pub fn refused(chromium: &Chromium, arguments: &[&str]) -> String {
    let (output, messages) = ended(start(chromium, arguments));
    assert_eq!(output.status.code(), Some(1), "{messages}");
    assert_eq!(output.stdout, b"");
    messages
}

/// The score and the largest tile that the page shows at the end of a game.
fn shown(tab: &mut Tab) -> [Value; 2] {
    tab.wait("document.querySelector('.game-over') !== null");
    let tile =
        "Math.max(...[...document.querySelectorAll('.tile')].map((tile) => +tile.textContent))";
    let score = "parseInt(document.querySelector('.score-container').textContent, 10)";
    [score, tile].map(|expression| tab.value(expression))
}

#[test]
fn a_game_is_played_to_its_end() {
    let Some((chromium, mut tab)) = opened("seed=3&goal=64") else {
        return;
    };
    let keys = "addEventListener('keydown', () => (window.keys = (window.keys ?? 0) + 1))";
    tab.value(keys);
    let (result, messages) = played(&chromium, &["--player", "expectimax", "--depth", "0"]);
    assert!(
        messages.contains("read from the game that it stores"),
        "{messages}"
    );
    assert!(messages.contains("kept going"), "{messages}");
    let [score, tile] = shown(&mut tab);
    let schema = schema_file("browser.json");
    let mut checked = Checked::default();
    checked.check(&result, &schema, "browser", &schema);
    assert_eq!(checked.mistakes, [""; 0]);
    assert_eq!(result["score"], score);
    assert_eq!(result["max_tile"], tile);
    assert!(tile.as_u64() >= Some(64), "{result}");
    // The message of the goal is gone.
    assert_eq!(
        tab.value("document.querySelector('.game-won')"),
        Value::Null
    );
    // Every key was a move.
    assert_eq!(result["moves"], tab.value("window.keys"));
    // A page whose game is over is said to be so.
    let (again, messages) = played(&chromium, &["--player", "random"]);
    assert!(messages.contains("over already"), "{messages}");
    assert_eq!((&again["score"], &again["moves"]), (&score, &json!(0)));
}

#[test]
fn a_page_without_storage_is_read_from_its_elements() {
    // Few moves are left on this board.
    let board = "board=2,8,32,128,4,16,64,256,2,8,32,128,0,0,0,0";
    let Some((chromium, mut tab)) = opened(&format!("storage=no&goal=16&{board}")) else {
        return;
    };
    let (result, messages) = played(&chromium, &["--player", "greedy"]);
    assert!(
        messages.contains("read from the elements of its tiles"),
        "{messages}"
    );
    let [score, tile] = shown(&mut tab);
    assert_eq!(result["score"], score);
    assert_eq!(result["max_tile"], tile);
    assert!(result["moves"].as_u64() > Some(1), "{result}");
}

#[test]
fn a_reload_does_not_end_the_game() {
    let Some((chromium, mut tab)) = opened("seed=5&reload=20,40") else {
        return;
    };
    let (result, messages) = played(&chromium, &["--player", "random"]);
    assert!(!messages.contains("new game"), "{messages}");
    assert_eq!(tab.value("sessionStorage.getItem('reload')"), "[]");
    let [score, tile] = shown(&mut tab);
    assert_eq!(result["score"], score);
    assert_eq!(result["max_tile"], tile);
}

#[test]
fn a_closed_tab_and_an_interrupt_are_said() {
    // A page that is not seen would not begin.
    let Some((chromium, _)) = opened("seed=1") else {
        return;
    };
    // Pages of files share their storage, so one of the games is not stored.
    chromium.open(&game("seed=2&storage=no"));
    chromium.page("seed=2").wait(HAS_BEGUN);
    let which = refused(&chromium, &["--player", "random"]);
    assert!(which.contains("2 open pages are a 2048"), "{which}");
    assert!(which.contains("seed=2"), "{which}");
    let which = refused(&chromium, &["--player", "random", "--page", "chess"]);
    assert!(which.contains("no open page has `chess`"), "{which}");

    // A game in progress.
    let begun = |part: &str| {
        let slowly = ["--player", "random", "--moves-per-second", "10"];
        let child = start(&chromium, &[&slowly[..], &["--page", part]].concat());
        let mut tab = chromium.page(part);
        tab.wait("parseInt(document.querySelector('.score-container').textContent, 10) > 0");
        (tab, child)
    };
    let (_, child) = begun("seed=1");
    interrupt(&child);
    let at = Instant::now();
    let (output, messages) = ended(child);
    assert_eq!(output.status.code(), Some(130), "{messages}");
    assert!(messages.contains("the page keeps its game"), "{messages}");
    assert!(at.elapsed() < Duration::from_secs(2), "{:?}", at.elapsed());

    let (mut tab, child) = begun("seed=2");
    // The connection may end before the answer comes.
    let _ = tab.0.call("Page.close", json!({}));
    let (output, messages) = ended(child);
    assert_eq!(output.status.code(), Some(1), "{messages}");
    assert!(messages.contains("the page was closed"), "{messages}");
    assert!(messages.contains("so far: score"), "{messages}");
}

fn interrupt(child: &Child) {
    let process = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGINT).unwrap();
}

#[test]
fn what_cannot_be_played_is_said() {
    let Some(chromium) = Chromium::start(&["about:blank"]) else {
        return;
    };
    let said = refused(&chromium, &["--player", "random"]);
    assert!(said.contains("no open page shows a 2048"), "{said}");
    let mut tab = chromium.page("blank");
    for (parameters, message) in [
        (
            "board=65536,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
            "the tile 65536",
        ),
        ("board=3,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0", "the tile 3"),
        // A move would be legal, and the players do not know its result.
        (
            "board=32768,32768,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384",
            "only two tiles 32768 can be merged",
        ),
    ] {
        tab.open(&game(parameters));
        tab.wait("document.querySelector('.tile') !== null");
        let said = refused(&chromium, &["--player", "expectimax"]);
        assert!(said.contains(message), "{said}");
        // The next page begins a game of its own.
        tab.value("localStorage.clear()");
    }
}

#[test]
fn a_port_without_a_chromium_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    });
    let attempt = || {
        let output = common::run(&["browser", "--port", &port, "--player", "random"]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let said = attempt();
    assert!(said.contains("does not list its pages"), "{said}");
    assert!(said.contains("--user-data-dir"), "{said}");
    assert!(said.contains("404 Not Found"), "{said}");
    server.join().unwrap();
    // Now nothing listens there.
    let said = attempt();
    assert!(said.contains("no Chromium answers"), "{said}");
    assert!(said.contains("--remote-debugging-port"), "{said}");

    let of_other = ["browser", "--game", "connect-four", "--player", "random"];
    let output = common::run(&of_other);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("plays 2048, not connect-four"), "{said}");
}
